"""Build what is published, install each of it alone, and see that all tell one version.

    python tools/release.py                 what would be published, into dist
    python tools/release.py --tag v1.2.3    the same for a tag, whose version has to have its date

Two distributions: the library, and chapters with data under other terms. Each wheel is built from
its sdist, as everybody who installs from that will build it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
LIBRARY, CONTENT = "recsys-workbook", "recsys-workbook-content"
PROJECTS = {LIBRARY: ROOT, CONTENT: ROOT / "recsys_workbook_content"}
CODE = """\
import recsys_metrics as rm
print(rm.__file__)
print(round(rm.ndcg(rm.judge(list("ABCDE"), set("BCEG")), k=5), 3))
try: print(len(rm.datasets.load_movielens().interactions))
except ImportError: print("no data")
"""
# What nothing but the library gives, and what it gives with the content.
ALONE, WHOLE = ["0.593", "no data"], ["0.593", "100004"]
# No file of the library may be under other terms than its own.
FOREIGN = re.compile(r"\.npz|LICENSE-|^([^/]+/)?(chapters|solutions|recsys_workbook_content)/")
ADDRESSES = re.compile(r'(?:href|src)="([^"]+)"')


def main() -> int:
    """Do it, print what is wrong, and return whether anything is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tag", help="the tag that is to be published")
    tag = parser.parse_args().tag
    faults = list(disagreements(ROOT, tag))
    if not faults:
        shutil.rmtree(DIST, ignore_errors=True)
        files = {name: build(project, DIST) for name, project in PROJECTS.items()}
        for sdist, wheel in files.values():
            print(f"· {sdist.name}, {wheel.name}", flush=True)
            about = metadata(wheel)
            faults += [*wrong_metadata(about), *dead_links(about, ROOT)]
        for file in files[LIBRARY]:
            faults += other_terms(file)
            print(f"· {file.name} in an environment of its own", flush=True)
            faults += use(ALONE, file)
        for library, content in zip(files[LIBRARY], files[CONTENT], strict=True):
            print(f"· {library.name} with {content.name}", flush=True)
            faults += use(WHOLE, library, content)
    for fault in faults:
        print(fault, file=sys.stderr)
    print("not ready" if faults else f"ready: {DIST.relative_to(ROOT)}")
    return bool(faults)


def version(root: Path) -> str:
    """Return the version, from the one place where it stands."""
    text = (root / "recsys_metrics" / "__init__.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)
    return str(found)


def disagreements(root: Path, tag: str | None = None) -> Iterator[str]:
    """Yield what the citation, the changelog and a tag tell otherwise than the package.

    A release has a date in both; what is not released has one in neither.
    """
    ours = version(root)
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = dict(re.findall(r"^(version|date-released): (.+)$", citation, flags=re.MULTILINE))
    if cited.get("version") != ours:
        yield f"CITATION.cff: version {cited.get('version')}, and the package's is {ours}"
    newest = re.search(r"^## (?P<version>\S+), (?P<when>.+)$", changes, flags=re.MULTILINE)
    if newest is None or newest["version"] != ours:
        yield f"CHANGELOG.md: its first section is not that of {ours}"
        return
    when = newest["when"]
    if when != "unreleased" and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", when):
        yield f"CHANGELOG.md: {when!r} is neither a date, as 2026-01-31, nor unreleased"
    if when != cited.get("date-released", "unreleased"):
        yield (
            f"CHANGELOG.md tells {when} and CITATION.cff "
            f"{cited.get('date-released', 'no date-released')}"
        )
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    for named in re.findall(rf'"{CONTENT}(.*)"', project):
        if named != f"=={ours}":
            yield f"pyproject.toml asks for {CONTENT}{named}, and the version is {ours}"
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (root / name).read_text(encoding="utf-8")
        for named in re.findall(r"recsys_workbook(?:_content)?-(\d[\w.]*)-py3", text):
            if named != ours:
                yield f"{name} names a wheel of {named}, and the version is {ours}"
    if tag is not None and tag != f"v{ours}":
        yield f"the tag is {tag}, and the version {ours}"
    if tag is not None and when == "unreleased":
        yield f"CHANGELOG.md and CITATION.cff tell no date for {ours}, which {tag} is to publish"
    if tag is not None:
        for pattern, owners in owned(root):
            if not owners:
                yield f".github/CODEOWNERS: nobody is asked about a change of {pattern}"


def owned(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each pattern that the forge asks owners about, and who they are."""
    text = (root / ".github" / "CODEOWNERS").read_text(encoding="utf-8")
    for line in text.splitlines():
        pattern, *owners = line.partition("#")[0].split() or [""]
        if pattern:
            yield pattern, owners


def build(project: Path, into: Path) -> tuple[Path, Path]:
    """Build a project's sdist and, from what is in it, its wheel."""
    before = set(into.glob("*"))
    hatch(project, "sdist", into)
    (sdist,) = set(into.iterdir()) - before
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (unpacked,) = Path(folder).iterdir()
        hatch(unpacked, "wheel", into)
    (wheel,) = set(into.iterdir()) - before - {sdist}
    return sdist, wheel


def hatch(folder: Path, target: str, into: Path) -> None:
    """Build one target of the project in a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def metadata(wheel: Path) -> str:
    """Return what a wheel tells an index."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        return archive.read(name).decode()


def other_terms(file: Path) -> Iterator[str]:
    """Yield the files of the library's wheel or sdist that are under other terms."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(file) as sdist:
            names = sdist.getnames()
    for name in names:
        if FOREIGN.search(name):
            yield f"{file.name} holds {name}, which is not under the library's terms"


def wrong_metadata(about: str) -> Iterator[str]:
    """Yield what an index would refuse in the metadata."""
    from packaging import metadata as core

    try:
        core.Metadata.from_email(about, validate=True)
    except core.ExceptionGroup as problems:
        yield from (f"metadata: {one}" for one in problems.exceptions)


def dead_links(about: str, root: Path) -> Iterator[str]:
    """Yield the links and pictures that lead nowhere on the page that the index makes.

    A link into the project leads to a file that is here; whether another host answers is asked by
    `make links`.
    """
    from readme_renderer import markdown

    parsed = Parser().parsestr(about)
    page = markdown.render(str(parsed.get_payload()), variant="GFM")
    if page is None:
        yield "README.md: the index would show no page of it"
        return
    source = dict(one.split(", ", 1) for one in parsed.get_all("Project-URL", [])).get("Source")
    headings = set(re.findall(r' id="user-content-([^"]+)"', page))
    for address in ADDRESSES.findall(page):
        if address.startswith("#"):
            # The index writes its own prefix in front of each anchor.
            if address[1:].removeprefix("user-content-") not in headings:
                yield f"README.md: no heading has the anchor {address}"
        elif source and re.match(rf"{re.escape(source)}/(?:blob|raw)/HEAD/", address):
            inside = address.split("/HEAD/", 1)[1].partition("#")[0]
            if not (root / inside).exists():
                yield f"README.md: {inside} is not in the project"
        elif not address.startswith("https://"):
            yield f"README.md: {address} leads nowhere from another page"


def use(expected: list[str], *files: Path) -> Iterator[str]:
    """Yield what fails of the library where nothing but files of dist are installed."""
    file = files[0]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "env")
        python = environments.create(home)
        environments.install(python, *map(str, files))
        told = run(environments.program(home, "recsys-workbook"), "--version", folder=folder)
        if told != [f"recsys-workbook {version(ROOT)}"]:
            yield f"{file.name}: its command tells {told}"
        where, *values = run(python, "-I", "-c", CODE, folder=folder)
        if not Path(where).resolve().is_relative_to(Path(folder).resolve()):
            yield f"{file.name}: what is imported is {where}"
        if values != expected:
            yield f"{file.name}: the library gives {values} instead of {expected}"


def run(*command: str, folder: str) -> list[str]:
    """Return the lines that a program prints in another folder."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr]


if __name__ == "__main__":
    sys.exit(main())
