"""JupyterLab on a workbook: with the workbook's settings, at its home page, stopped cleanly.

The folder may come from somebody else. Nothing in it is run when it is opened: not as Jupyter's
configuration, which is kept with the user, nor as a module that Python finds in the current
folder before the installed one, for the server and its kernels start where that cannot be.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import quote

import jupytext
import nbformat
from ipykernel.kernelspec import get_kernel_dict
from jupyter_core.paths import ENV_JUPYTER_PATH, jupyter_runtime_dir
from nbformat.sign import NotebookNotary

from recsys_metrics import __version__
from recsys_metrics._core import console
from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.common.content import PAIR, ContentSource
from recsys_metrics.workbook.common.state_file import (
    Record,
    WorkbookError,
    real_path,
    write_atomically,
)
from recsys_metrics.workbook.lab import error_extension
from recsys_metrics.workbook.lab.contents import add_extension, list_contents
from recsys_metrics.workbook.lab.workspace import find_unedited, group_documents, install_chapters

_HERE = Path(__file__).resolve().parent
SETTINGS = _HERE / "jupyter"
_PORTS = range(8888, 8988)
# What Jupytext allows between the times of a pair before it compares the two.
_MARGIN = 1.0
_RETRIES = 50
_PATIENCE = 10.0
_TAIL = 15
# What Jupyter's list of files leaves out by itself; who names more has to name these too.
_NEVER_LISTED = ("__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~")


def find_page(folder: Path, chapter: str) -> str:
    """Return the file of a chapter to open: its notebook, or its text if that is all there is."""
    for suffix in (".ipynb", ".md"):
        if (folder / f"{chapter}{suffix}").is_file():
            return f"{chapter}{suffix}"
    raise WorkbookError(
        f"{folder} contains neither {chapter}.ipynb nor {chapter}.md, the chapter to open"
    )


@dataclass(frozen=True)
class Lab:
    """A JupyterLab to be started.

    Attributes
    ----------
    record : Record
        Of the folder that it shows; its configuration is there, and nothing of it in the folder.
    page : str
        The file it opens, relative to the folder.
    port : int
    fixed : bool
        Whether it must be this port; if not, it may be the next that is free.
    token : str
        Opens the door; passed through the environment, which other users cannot read.
    browser : bool
        Whether it opens a browser.
    hidden : tuple of str
        Names of files that its list of files leaves out.
    """

    record: Record
    page: str
    port: int
    fixed: bool
    token: str
    browser: bool
    hidden: tuple[str, ...] = ()

    def url(self, port: int) -> str:
        """Return where it is, for a reader to click or copy, once its port is known."""
        return f"http://localhost:{port}/lab/tree/{quote(self.page)}?token={self.token}"

    def command(self, *, root: bool) -> list[str]:
        """Return the command that starts it.

        Parameters
        ----------
        root : bool
            Whether the user is the superuser, whom Jupyter refuses unless told otherwise.
        """
        return [
            # Without -P a jupyterlab.py in the current folder would run instead.
            *(sys.executable, "-P", "-m", "jupyterlab"),
            f"--ServerApp.root_dir={self.record.folder}",
            f"--LabApp.default_url=/lab/tree/{quote(self.page)}",
            f"--ServerApp.port={self.port}",
            f"--ServerApp.port_retries={0 if self.fixed else _RETRIES}",
            f"--NotebookNotary.data_dir={self.record.trust_folder}",
            f"--ServerApp.tornado_settings={_headers()}",
            *(f"--ContentsManager.hide_globs={name}" for name in _NEVER_LISTED if self.hidden),
            *(f"--ContentsManager.hide_globs={name}" for name in self.hidden),
            *([] if self.browser else ["--no-browser"]),
            *(["--allow-root"] if root else []),
        ]

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment it runs in.

        The settings of the workbook come first, what the reader changes in the browser is kept
        with its record, and the reader's own Jupyter is neither read nor written.
        """
        own = ("JUPYTERLAB_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
        data = [str(_share(self.record)), *filter(None, [inherited.get("JUPYTER_PATH")])]
        return {
            **{name: value for name, value in inherited.items() if name not in own},
            "JUPYTER_CONFIG_DIR": str(self.record.jupyter),
            "JUPYTER_CONFIG_PATH": str(SETTINGS),
            "JUPYTER_PATH": os.pathsep.join(data),
            # A kernel of the user's named python3 would not find this package.
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_TOKEN": self.token,
        }


def _headers() -> dict[str, dict[str, str]]:
    page = Path(ENV_JUPYTER_PATH[0]) / "lab" / "static" / "index.html"
    with suppress(OSError):
        return {
            "headers": {
                "Content-Security-Policy": security_policy(page.read_text(encoding="utf-8"))
            }
        }
    return {"headers": {"Content-Security-Policy": security_policy("")}}


def security_policy(page: str) -> str:
    """Return what a browser may run on the pages of the server: its files and its own scripts.

    JupyterLab cleans what an untrusted notebook shows, but not what its extensions draw: in
    jupyterlab-myst 2.7 an ``iframe`` directive leads to any address, ``javascript:`` as well, and
    ran it when the notebook opened. A script that stands in a page does not run with this, in a
    notebook of the reader's own neither; widgets and pictures need none.

    Parameters
    ----------
    page : str
        JupyterLab's own, whose scripts are let through by their hash.

    Examples
    --------
    >>> security_policy("<script>1</script>").rpartition("; ")[2]
    "script-src 'self' 'unsafe-eval' blob: 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"
    """
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    sources = ["'self'", "'unsafe-eval'", "blob:", *(f"'sha256-{digest}'" for digest in digests)]
    fixed = ["frame-ancestors 'self'", "base-uri 'self'", "object-src 'none'"]
    return "; ".join([*fixed, f"script-src {' '.join(sources)}"])


def _share(record: Record) -> Path:
    """Return where Jupyter looks first for kernels."""
    return record.place / "share"


def add_kernel(record: Record) -> None:
    """Give a workbook the kernel that takes no module of the folder for an installed one."""
    spec = get_kernel_dict()
    python, *options = spec["argv"]
    at = options.index("-m")
    # Without -P the name ipykernel_launcher would be looked for beside the notebook first.
    launch = ["-P", *options[:at], str(_HERE / "kernel.py"), *options[at + 2 :]]
    launch.append(f"--InteractiveShellApp.extra_extensions={error_extension.__name__}")
    content = json.dumps({**spec, "argv": [python, *launch]}, indent=1)
    write_atomically(_share(record) / "kernels" / "python3" / "kernel.json", content.encode())


def list_hidden_files(found: Mapping[str, Iterable[str]], read: Collection[str]) -> tuple[str, ...]:
    """Return the names of files that a list of the chapters is better without.

    A text is the same document as its notebook, and what is looked up is linked from where it is
    needed and from the reader's home. Who writes chapters sees all of them.

    Parameters
    ----------
    found : mapping of str to iterable of str
        The files of each document.
    read : collection of str
        The documents that are read one after another.

    Examples
    --------
    >>> found = {"chapters/01": ["chapters/01.ipynb", "chapters/01.md"]}
    >>> list_hidden_files({**found, "chapters/errata": ["chapters/errata.md"]}, ["chapters/01"])
    ('01.md', 'errata.md')
    """
    names = set()
    for one, files in found.items():
        halves = [Path(file).name for file in files if file.endswith(PAIR)]
        looked_up = one.startswith("chapters/") and one not in read
        names |= {name for name in halves if looked_up or (len(halves) == 2 and name[-3:] == ".md")}
    return tuple(sorted(names))


def find_free_port(asked: str | None) -> int:
    """Return the port that was asked for, or the first free one if none was.

    Raises
    ------
    WorkbookError
        If what was asked for is no port or is taken, or all those tried are taken.
    """
    if asked:
        if not asked.isdecimal() or not 1 <= int(asked) <= 65535:
            raise WorkbookError(f"port {asked!r} is not a whole number from 1 to 65535; name one")
        if not _is_free(int(asked)):
            raise WorkbookError(
                f"port {asked} is taken by another program. Stop that program, name another port, "
                "or name none and a free one is found"
            )
        return int(asked)
    for port in _PORTS:
        if _is_free(port):
            return port
    raise WorkbookError(
        f"ports {_PORTS.start} to {_PORTS.stop - 1} are all taken. Name a free one: "
        f"{COMMAND} lab --port N"
    )


def _is_free(port: int) -> bool:
    for family, kind, protocol, _, address in socket.getaddrinfo(
        "localhost", port, type=socket.SOCK_STREAM
    ):
        with closing(socket.socket(family, kind, protocol)) as door:
            if os.name == "posix":
                # As the server does it: a port left a moment ago is free.
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                door.bind(address)
            except PermissionError as error:
                raise WorkbookError(
                    f"you may not open port {port}; name one from 1024 to 65535"
                ) from error
            except OSError as error:
                # An address this machine does not have, such as ::1 without IPv6, is not taken.
                if error.errno == errno.EADDRINUSE:
                    return False
    return True


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Return whether a window can open here: not on a server or in a container without a screen.

    A browser for the terminal does not count; JupyterLab does not run in one.

    >>> has_browser({}, "linux"), has_browser({"DISPLAY": ":0"}, "linux"), has_browser({}, "darwin")
    (False, True, True)
    """
    if platform in ("darwin", "win32", "cygwin"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def trust_notebooks(record: Record, names: Iterable[str], shipped: Iterable[Path]) -> list[str]:
    """Let JupyterLab show all outputs of the notebooks that came with the package.

    It shows those of a notebook that it has run itself, and signs that. An output is script and
    markup as anybody may write it, so only the very bytes that were shipped are signed here.

    Parameters
    ----------
    record : Record
    names : iterable of str
        Notebooks in the folder.
    shipped : iterable of Path
        Files of this installation.

    Returns
    -------
    list of str
        Those that are as they were shipped.
    """
    genuine = {_digest(path.read_bytes()) for path in shipped}
    notary = NotebookNotary(data_dir=str(record.trust_folder))
    signed = []
    with closing(notary.store):
        for name in sorted(names):
            if not (record.folder / name).is_file():
                continue
            content = (record.folder / name).read_bytes()
            if _digest(content) in genuine:
                notary.sign(nbformat.reads(content.decode(), as_version=4))
                signed.append(name)
    return signed


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sync_pairs(record: Record, pairs: Iterable[str], untouched: Collection[str]) -> list[str]:
    """Settle the pairs that Jupytext would refuse to open.

    It refuses a pair whose notebook is newer than its text and differs from it, which comes of
    editing the notebook in a program that knows nothing of the text, or of copying files about.
    Here what the reader edited decides: if the notebook was edited, the text is written again
    from it and an edited text is kept with the record; otherwise the text counts as newer.

    Parameters
    ----------
    record : Record
    pairs : iterable of str
        Documents of a text and a notebook.
    untouched : collection of str
        Files that the reader left alone.

    Returns
    -------
    list of str
        A sentence on each text that was written again.
    """
    folder = record.folder
    said = []
    for pair in pairs:
        text, notebook = folder / f"{pair}.md", folder / f"{pair}.ipynb"
        if not (text.is_file() and notebook.is_file()):
            continue
        if notebook.stat().st_mtime <= text.stat().st_mtime + _MARGIN:
            continue
        again = _read_text(notebook, unlike=text)
        if again is None:
            continue
        if f"{pair}.ipynb" in untouched:
            text.touch()
            continue
        kept = ""
        if f"{pair}.md" not in untouched:
            spare = record.rewritten_texts / f"{pair}.{time.strftime('%Y%m%d-%H%M%S')}.md"
            write_atomically(spare, text.read_bytes())
            kept = f"; the text as it was: {spare}"
        write_atomically(text, again)
        said.append(f"{pair}.md was written again from {pair}.ipynb, which is newer{kept}")
    return said


def _read_text(notebook: Path, unlike: Path) -> bytes | None:
    """Return the text of a notebook, or None if its cells are those of a text that is there."""
    try:
        one, other = jupytext.read(unlike).cells, (read := jupytext.read(notebook)).cells
        if [(c.cell_type, c.source) for c in one] == [(c.cell_type, c.source) for c in other]:
            return None
        return str(jupytext.writes(read, fmt="md:myst")).encode()
    except Exception:  # a damaged notebook stops its reader in any way; JupyterLab reports it
        return None


def serve_lab(lab: Lab) -> None:
    """Start JupyterLab, say where it is, and stay until it ends or the reader stops it.

    Raises
    ------
    WorkbookError
        If it does not start, or breaks off.
    """
    folder, log = lab.record.folder, lab.record.log
    with _signals_interrupt(), log.open("wb") as messages:
        server = subprocess.Popen(
            lab.command(root=hasattr(os, "geteuid") and os.geteuid() == 0),
            env=lab.environment(os.environ),
            # Programs look for settings in the current folder, which may be the workbook's.
            cwd=lab.record.place,
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=subprocess.STDOUT,
            # A group of its own, so that Ctrl-C reaches this program, which then ends Jupyter.
            process_group=0 if os.name == "posix" else None,
        )
        try:
            port = _wait_for_server(server, lab.token)
            if port is not None:
                console.say(_greeting(lab, port))
            code = server.wait()
        except KeyboardInterrupt:
            console.say(f"\nStopping JupyterLab. Your work is in {folder}")
            return
        finally:
            _stop(server)
    if code:
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:]
        raise WorkbookError(
            "\n  ".join(
                [f"JupyterLab ended with exit code {code}. Its last words, of {log}:", *last]
            )
        )
    console.say(f"JupyterLab has ended. Your work is in {folder}")


def _greeting(lab: Lab, port: int) -> str:
    first = (
        "JupyterLab opens in your browser. If it does not, open this address:"
        if lab.browser
        else "Open this address in a browser:"
    )
    saved = f"Ctrl-C stops it. Your work is saved in {lab.record.folder}"
    return f"{first}\n\n    {lab.url(port)}\n\n{saved}"


def _wait_for_server(server: subprocess.Popen[bytes], token: str) -> int | None:
    """Wait until the server answers and return its port, or None if it has ended before."""
    while server.poll() is None:
        for port in _ports_of(token):
            if _answers(port, token):
                return port
        time.sleep(0.1)
    return None


def _ports_of(token: str) -> Iterator[int]:
    """Yield the port of the server with a token: what a server says of itself when it starts."""
    for file in Path(jupyter_runtime_dir()).glob("jpserver-*.json"):
        # Servers come and go, and their files with them.
        with suppress(OSError, ValueError):
            found = parse_json(file.read_text(encoding="utf-8"))
            if found.get("token") == token:
                yield int(found["port"])


def _answers(port: int, token: str) -> bool:
    door = HTTPConnection("localhost", port, timeout=5)
    with closing(door), suppress(OSError, HTTPException):
        door.request("GET", "/api/status", headers={"Authorization": f"token {token}"})
        return door.getresponse().status == 200
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server and its kernels, kindly and then not."""
    if server.poll() is None:
        server.terminate()
        try:
            server.wait(_PATIENCE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            server.kill()
            server.wait()


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Let a closed terminal or a polite kill stop the server as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), interrupt) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def _home(source: ContentSource, folder: Path) -> str | None:
    """Write the page to begin with and to come back to, and return it.

    None is returned where the reader has a file of its name, which stays.
    """
    # Every exercise comes with it, which an error before this point need not wait for.
    from recsys_metrics.workbook import progress
    from recsys_metrics.workbook.lab import home

    events = progress.load_history()
    try:
        there = home.write_home(folder, source.toc(), events, now=datetime.now().astimezone())
    except OSError as error:
        raise WorkbookError(f"cannot write {folder / home.PAGE}: {error}") from error
    if not there:
        console.say(
            f"{folder / home.PAGE} is a file of yours and stays: rename it, and the next start "
            "puts a page there of what is due and where to go on"
        )
    return home.PAGE if there else None


def run_lab(
    source: ContentSource, folder: Path, *, port: str | None, opened: bool, browser: bool
) -> None:
    """Lay the workbook out in a folder and open it: what `recsys-workbook lab` does.

    Parameters
    ----------
    source : Source
        Where the chapters of this installation are.
    folder : Path
        A folder of the reader's; or a clone of the project, which is opened as it is.
    port : str or None
        As it was typed; None for any that is free.
    opened : bool
        False to stop when the files are there.
    browser : bool
        False to open none even where there is one.

    Raises
    ------
    WorkbookError
        With what to do about it.
    """
    # Before anything is copied: what was typed wrong is typed again at once.
    where = find_free_port(port) if opened else 0
    folder = real_path(folder)
    record = Record.for_folder(folder)
    files = source.files()
    in_place = source.checkout and folder == source.root
    if in_place:
        console.say(f"Opening the chapters of {folder} in place; nothing is copied")
        record.create()
        laid = None
    else:
        laid = install_chapters(source, folder, __version__)
        console.say(laid)
    page = find_page(folder, source.first_chapter())
    home = _home(source, folder) if laid else None
    if not opened:
        console.say(f'Open it with: {COMMAND} lab "{folder}"')
        return
    names = {*files, *(f"{name}.ipynb" for name in (laid.beside if laid else {}).values())}
    pairs = [one for one, halves in group_documents(files).items() if len(halves) == 2]
    try:
        if laid:
            for sentence in sync_pairs(record, pairs, find_unedited(folder)):
                console.say(sentence)
        # The page to come back to was written a moment ago.
        trusted = {*files.values(), *([folder / home] if home else [])}
        names |= {home} if home else set()
        trust_notebooks(record, (name for name in names if name.endswith(".ipynb")), trusted)
        add_kernel(record)
        first = [{"path": home, "title": "Home"}] if home else []
        add_extension(_share(record), list_contents(folder, source.toc(), first))
    except OSError as error:
        raise WorkbookError(f"cannot prepare {folder}: {error}") from error
    opens = browser and has_browser(os.environ)
    hidden = () if in_place else list_hidden_files(group_documents(files), source.read_in_order())
    serve_lab(Lab(record, home or page, where, bool(port), secrets.token_hex(24), opens, hidden))
