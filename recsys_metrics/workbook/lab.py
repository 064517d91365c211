"""JupyterLab on a workbook: with the workbook's settings, at its first chapter, stopped cleanly."""

from __future__ import annotations

import errno
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import quote

import jupytext
import nbformat
from jupyter_core.paths import jupyter_runtime_dir
from nbformat.sign import NotebookNotary

from recsys_metrics import __version__
from recsys_metrics.workbook.folder import (
    PRIVATE,
    Source,
    WorkbookError,
    documents,
    lay_out,
    make_private,
    untouched,
)

SETTINGS = Path(__file__).resolve().parent / "jupyter"
_PORTS = range(8888, 8988)
# What Jupytext allows between the times of a pair before it compares the two.
_MARGIN = 1.0
_RETRIES = 50
_PATIENCE = 10.0
_TAIL = 15


def page_of(folder: Path, chapter: str) -> str:
    """Return the file of a chapter to open: its notebook, or its text if that is all there is."""
    for suffix in (".ipynb", ".md"):
        if (folder / f"{chapter}{suffix}").is_file():
            return f"{chapter}{suffix}"
    raise WorkbookError(
        f"{folder} holds neither {chapter}.ipynb nor {chapter}.md, the chapter to open"
    )


@dataclass(frozen=True)
class Lab:
    """A JupyterLab to be started.

    Attributes
    ----------
    folder : Path
        What it shows.
    page : str
        The file it opens, relative to the folder.
    port : int
    fixed : bool
        Whether it must be this port; if not, it may be the next that is free.
    token : str
        Opens the door; passed through the environment, which other users cannot read.
    browser : bool
        Whether it opens a browser.
    """

    folder: Path
    page: str
    port: int
    fixed: bool
    token: str
    browser: bool

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
            *(sys.executable, "-m", "jupyterlab"),
            f"--ServerApp.root_dir={self.folder}",
            f"--LabApp.default_url=/lab/tree/{quote(self.page)}",
            f"--ServerApp.port={self.port}",
            f"--ServerApp.port_retries={0 if self.fixed else _RETRIES}",
            f"--NotebookNotary.data_dir={trust_folder(self.folder)}",
            *([] if self.browser else ["--no-browser"]),
            *(["--allow-root"] if root else []),
        ]

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment it runs in.

        The settings of the workbook come first, what the reader changes in the browser is kept
        in the workbook's folder, and the reader's own Jupyter is neither read nor written.
        """
        own = ("JUPYTERLAB_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
        return {
            **{name: value for name, value in inherited.items() if name not in own},
            "JUPYTER_CONFIG_DIR": str(self.folder / PRIVATE / "jupyter"),
            "JUPYTER_CONFIG_PATH": str(SETTINGS),
            # A kernel of the user's named python3 would not find this package.
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_TOKEN": self.token,
        }


def trust_folder(folder: Path) -> Path:
    """Return where a workbook remembers which notebooks may show all of their outputs."""
    return folder / PRIVATE / "jupyter" / "trust"


def free_port(asked: str | None) -> int:
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
        "recsys-metrics lab --port N"
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


def trust(folder: Path, names: Iterable[str]) -> None:
    """Let JupyterLab show all outputs of notebooks, as it does of those it has run itself.

    Parameters
    ----------
    folder : Path
    names : iterable of str
        Notebooks that came with the package; what somebody else put there is not trusted.
    """
    own = trust_folder(folder)
    own.mkdir(parents=True, exist_ok=True)
    notary = NotebookNotary(data_dir=str(own))
    with closing(notary.store):
        for name in names:
            # A damaged notebook is for JupyterLab to report, on the page that shows it.
            with suppress(Exception):
                notary.sign(nbformat.read(folder / name, as_version=4))


def bring_in_step(folder: Path, pairs: Iterable[str], untouched: Collection[str]) -> list[str]:
    """Settle the pairs that Jupytext would refuse to open.

    It refuses a pair whose notebook is newer than its text and differs from it, which comes of
    editing the notebook in a program that knows nothing of the text, or of copying files about.
    Here what the reader edited decides: if the notebook was edited, the text is written again
    from it and an edited text is kept in the private folder; otherwise the text counts as newer.

    Parameters
    ----------
    folder : Path
    pairs : iterable of str
        Documents of a text and a notebook.
    untouched : collection of str
        Files that are as they were laid down.

    Returns
    -------
    list of str
        A sentence on each text that was written again.
    """
    said = []
    for pair in pairs:
        text, notebook = folder / f"{pair}.md", folder / f"{pair}.ipynb"
        if not (text.is_file() and notebook.is_file()):
            continue
        later = notebook.stat().st_mtime > text.stat().st_mtime + _MARGIN
        if not later or not _differ(text, notebook):
            continue
        if f"{pair}.ipynb" in untouched:
            text.touch()
            continue
        kept = ""
        if f"{pair}.md" not in untouched:
            spare = folder / PRIVATE / "kept" / f"{pair}.{time.strftime('%Y%m%d-%H%M%S')}.md"
            spare.parent.mkdir(parents=True, exist_ok=True)
            spare.write_bytes(text.read_bytes())
            kept = f"; the text as it was: {spare}"
        jupytext.write(jupytext.read(notebook), text, fmt="md:myst")
        said.append(f"{pair}.md was written again from {pair}.ipynb, which is newer{kept}")
    return said


def _differ(text: Path, notebook: Path) -> bool:
    """Whether a pair has different cells; what cannot be read is left for JupyterLab to report."""
    try:
        one, other = jupytext.read(text).cells, jupytext.read(notebook).cells
    except Exception:  # a damaged notebook stops its reader in any way there is
        return False
    return [(c.cell_type, c.source) for c in one] != [(c.cell_type, c.source) for c in other]


def serve(lab: Lab) -> None:
    """Start JupyterLab, say where it is, and stay until it ends or the reader stops it.

    Raises
    ------
    WorkbookError
        If it does not start, or breaks off.
    """
    log = lab.folder / PRIVATE / "jupyter.log"
    with _signals_interrupt(), log.open("wb") as messages:
        server = subprocess.Popen(
            lab.command(root=hasattr(os, "geteuid") and os.geteuid() == 0),
            env=lab.environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=subprocess.STDOUT,
            # A group of its own, so that Ctrl-C reaches this program, which then ends Jupyter.
            process_group=0 if os.name == "posix" else None,
        )
        try:
            port = _await(server, lab.token)
            if port is not None:
                print(_greeting(lab, port), flush=True)
            code = server.wait()
        except KeyboardInterrupt:
            print(f"\nStopping JupyterLab. Your work is in {lab.folder}", flush=True)
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
    print(f"JupyterLab has ended. Your work is in {lab.folder}", flush=True)


def _greeting(lab: Lab, port: int) -> str:
    first = (
        "JupyterLab opens in your browser. If it does not, open this address:"
        if lab.browser
        else "Open this address in a browser:"
    )
    return f"{first}\n\n    {lab.url(port)}\n\nCtrl-C stops it. Your work is saved in {lab.folder}"


def _await(server: subprocess.Popen[bytes], token: str) -> int | None:
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
            found = json.loads(file.read_text(encoding="utf-8"))
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


def run(source: Source, folder: Path, *, port: str | None, opened: bool, browser: bool) -> None:
    """Lay the workbook out in a folder and open it: what `recsys-metrics lab` does.

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
    where = free_port(port) if opened else 0
    folder = folder.resolve()
    in_place = source.checkout and folder == source.root
    if in_place:
        print(f"Opening the chapters of {folder} in place; nothing is copied", flush=True)
        make_private(folder)
        as_shipped = frozenset(source.files())
    else:
        laid = lay_out(source, folder, __version__)
        print(laid, flush=True)
        as_shipped = untouched(folder) | {f"{name}.ipynb" for name in laid.beside.values()}
    page = page_of(folder, source.first_chapter())
    if not opened:
        print(f'Open it with: recsys-metrics lab "{folder}"')
        return
    try:
        if not in_place:
            pairs = [one for one, names in documents(source.files()).items() if len(names) == 2]
            for sentence in bring_in_step(folder, pairs, as_shipped):
                print(sentence, flush=True)
        notebooks = (name for name in as_shipped if name.endswith(".ipynb"))
        trust(folder, (name for name in notebooks if (folder / name).is_file()))
    except OSError as error:
        raise WorkbookError(f"cannot prepare {folder}: {error}") from error
    opens = browser and has_browser(os.environ)
    serve(Lab(folder, page, where, bool(port), secrets.token_hex(24), opens))
