"""Build what is published, install each of it alone, and check that all of it agrees.

    python dev/tools/release.py                   what would be published, into dist
    python dev/tools/release.py --tag v1.2.3      the same for a tag, whose version needs its date
    python dev/tools/release.py --rehearsal 7     as version 1.2.3.dev7, for the test index
    python dev/tools/release.py --without-address    before the project has an address

Two distributions: the library, and chapters with data under other terms. Each wheel is built from
its sdist, as everybody who installs from that will build it.
"""

from __future__ import annotations

import argparse
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import environments
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
LIBRARY, CONTENT = "recsys-workbook", "recsys-workbook-content"
PROJECTS = {LIBRARY: ".", CONTENT: "recsys_workbook_content"}
# The workflows that publish both, the one on the index, the other on the test index.
PUBLISHING = ("release", "rehearsal")
PUBLISH = "pypa/gh-action-pypi-publish@"
# Where the action uploads to, if not to the index itself.
INDEX = {"release": None, "rehearsal": "https://test.pypi.org/legacy/"}
# The licence of the content that each of its texts is about, as the metadata write it.
TERMS = {
    "LICENSE-movielens.txt": "LicenseRef-MovieLens",
    "LICENSE-open-bandit.txt": "Apache-2.0",
}
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
    parser.add_argument(
        "--rehearsal", type=int, metavar="N", help="build a development version with this number"
    )
    parser.add_argument(
        "--without-address",
        action="store_true",
        help="accept that the project has no address yet",
    )
    options = parser.parse_args()
    faults = [*disagreements(ROOT, options.tag), *wrong_workflows(ROOT), *wrong_terms(ROOT)]
    if not (options.without_address and not address(ROOT)):
        faults += wrong_address(ROOT)
    if not faults:
        shutil.rmtree(DIST, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            root = ROOT
            if options.rehearsal is not None:
                root = Path(folder, "project")
                renumber(ROOT, root, f"{version(ROOT)}.dev{options.rehearsal}")
            faults += wrong_files(root)
    for fault in faults:
        print(fault, file=sys.stderr)
    print("not ready" if faults else f"ready: {DIST.relative_to(ROOT)}")
    return bool(faults)


def wrong_files(root: Path) -> Iterator[str]:
    """Build both distributions of a project into dist, and yield what is wrong with the files."""
    files = {name: build(root / folder, DIST) for name, folder in PROJECTS.items()}
    ours = version(root)
    for name, pair in files.items():
        print(f"· {pair[0].name}, {pair[1].name}", flush=True)
        about = metadata(pair[1])
        yield from wrong_metadata(about)
        yield from wrong_links(about, name, address(root))
        yield from dead_links(about, root)
        yield from wrong_requirements(about, name, ours)
    for file in files[LIBRARY]:
        yield from other_terms(file)
        yield from missing_files(file)
        print(f"· {file.name} in an environment of its own", flush=True)
        yield from use(ALONE, ours, file)
    for library, content in zip(files[LIBRARY], files[CONTENT], strict=True):
        print(f"· {library.name} with {content.name}", flush=True)
        yield from use(WHOLE, ours, library, content)
    wheel = files[LIBRARY][1]
    print(f"· {wheel.name}: the example of its command", flush=True)
    yield from wrong_example(wheel)


def renumber(root: Path, copy: Path, number: str) -> None:
    """Copy the files that git knows, and give the copy another version."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name)
    ours = version(root)
    for name, old in (
        ("recsys_metrics/__init__.py", '__version__ = "{}"'),
        ("pyproject.toml", CONTENT + "=={}"),
    ):
        text = (copy / name).read_text(encoding="utf-8")
        text = text.replace(old.format(ours), old.format(number))
        (copy / name).write_text(text, encoding="utf-8")


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
    yield from other_versions(root, ours)
    for name in ("README.md", "dev/release.md"):
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


def other_versions(root: Path, ours: str) -> Iterator[str]:
    """Yield what the project asks of its own packages in another version than the one it builds."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {"dependencies": project["dependencies"], **project["optional-dependencies"]}
    for extra, lines in asked.items():
        for one in map(Requirement, lines):
            exact = f"=={ours}" if one.name == CONTENT else ""
            if one.name in PROJECTS and str(one.specifier) != exact:
                yield (
                    f"pyproject.toml: {extra} asks for {one}, and the version that is built is "
                    f"{ours}; write {one.name}{exact}"
                )


def address(root: Path) -> str:
    """Return the project's address, from the one place where it stands; empty without one."""
    return str(
        runpy.run_path(str(root / "recsys_metrics" / "_core" / "package_names.py"))["ADDRESS"]
    )


def wrong_address(root: Path) -> Iterator[str]:
    """Yield what is wrong with the project's address, and who names another one."""
    where = "recsys_metrics/_core/package_names.py"
    names = runpy.run_path(str(root / where))
    ours = names["ADDRESS"]
    if not ours:
        yield (
            f"{where}: ADDRESS is empty, so that no link leads to the project; set it to the "
            "repository's address, such as https://github.com/OWNER/NAME"
        )
        return
    try:
        names["project_urls"](ours)
    except ValueError as problem:
        yield f"{where}: {problem}"
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    if cited.get("repository-code") != ours:
        yield (
            f"CITATION.cff: repository-code is {cited.get('repository-code', 'missing')}, and the "
            f"project's address is {ours}"
        )


def wrong_workflows(root: Path) -> Iterator[str]:
    """Yield why the workflows that publish could not publish both distributions.

    An index creates a new project for the first upload that a *pending publisher* allows. It
    registers one of these for a combination of repository, workflow and environment, so each
    project needs an environment of its own. The content goes first, since the library asks for it.
    """
    workflows = [root / f".github/workflows/{name}.yml" for name in PUBLISHING]
    texts = "".join(file.read_text(encoding="utf-8") for file in workflows)
    if len(actions := set(re.findall(rf"{PUBLISH}(\S+)", texts))) > 1:
        yield (
            f"release.yml and rehearsal.yml publish with {len(actions)} versions of "
            f"{PUBLISH[:-1]}; use one, so that what is rehearsed is what is released"
        )
    for name in PUBLISHING:
        file = f".github/workflows/{name}.yml"
        jobs = yaml.safe_load((root / file).read_text(encoding="utf-8"))["jobs"]
        publishing = {
            job: says
            for job, says in jobs.items()
            if any(step.get("uses", "").startswith(PUBLISH) for step in says["steps"])
        }
        yield from wrong_uploads(file, jobs)
        yield from wrong_publishing(file, publishing, INDEX[name])
        environments_ = [environment(says) for says in publishing.values()]
        for twice in sorted({one for one in environments_ if environments_.count(one) > 1}):
            yield (
                f"{file}: two jobs publish from the environment {twice!r}. An index takes one new "
                "project for each workflow and environment; give each job its own."
            )
        published = {job: published_by(says) for job, says in publishing.items()}
        for job, says in publishing.items():
            if not environment(says):
                yield f"{file}: the job {job} publishes from no environment; name one"
            if says.get("permissions", {}).get("id-token") != "write":
                yield f"{file}: the job {job} publishes without the permission id-token: write"
            if len(published[job]) != 1:
                found = " and ".join(sorted(published[job])) or "no project"
                yield f"{file}: the job {job} publishes {found}; each job publishes one project"
        for project in PROJECTS:
            if not any(project in those for those in published.values()):
                yield f"{file}: no job publishes {project}"
        for job, those in published.items():
            if LIBRARY in those and not any(
                CONTENT in published.get(one, ()) for one in needs(publishing[job])
            ):
                yield (
                    f"{file}: the job {job} publishes {LIBRARY} before {CONTENT}, which it asks "
                    "for; let it need the job that publishes the content"
                )


def wrong_uploads(file: str, jobs: dict[str, Any]) -> Iterator[str]:
    """Yield the artifacts of a project that hold other files than those built of it."""
    built = {
        project: {f"dist/{project.replace('-', '_')}-1.0{end}" for end in (".tar.gz", "-py3.whl")}
        for project in PROJECTS
    }
    for job, says in jobs.items():
        for step in says["steps"]:
            if not step.get("uses", "").startswith("actions/upload-artifact@"):
                continue
            name, path = step["with"]["name"], step["with"]["path"]
            found = {one for those in built.values() for one in those if fnmatch(one, path)}
            if found != built.get(name.removeprefix("dist-")):
                yield (
                    f"{file}: the job {job} puts {path} into {name}, which are not the files of "
                    "that project; an index refuses those of another one"
                )


def wrong_publishing(file: str, jobs: dict[str, Any], index: str | None) -> Iterator[str]:
    """Yield what is wrong with the steps that upload."""
    for job, says in jobs.items():
        if any(one.get("continue-on-error") for one in (says, *says["steps"])):
            yield f"{file}: the job {job} goes on after an error, and the next one would publish"
        for step in says["steps"]:
            to = step.get("with", {}).get("repository-url")
            if step.get("uses", "").startswith(PUBLISH) and to != index:
                yield f"{file}: the job {job} uploads to {to or 'PyPI'}, not to {index or 'PyPI'}"


def environment(job: dict[str, Any]) -> str:
    """Return the environment of a job of a workflow; empty without one."""
    named = job.get("environment", "")
    return str(named.get("name", "") if isinstance(named, dict) else named)


def needs(job: dict[str, Any]) -> list[str]:
    """Return the jobs that a job waits for."""
    named = job.get("needs", [])
    return [named] if isinstance(named, str) else list(named)


def published_by(job: dict[str, Any]) -> set[str]:
    """Return the projects whose files a job has: the artifacts that it downloads."""
    patterns = [
        step.get("with", {}).get("name", "*")
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/download-artifact@")
    ]
    return {name for name in PROJECTS for pattern in patterns if fnmatch(f"dist-{name}", pattern)}


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


def missing_files(file: Path) -> Iterator[str]:
    """Yield the files of the package that git knows, and that a wheel or an sdist lacks."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            names = set(wheel.namelist())
    else:
        with tarfile.open(file) as sdist:
            names = {name.partition("/")[2] for name in sdist.getnames()}
    command = ["git", "ls-files", "-z", "recsys_metrics"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    missing = sorted(set(filter(None, listed.split("\0"))) - names)
    if missing:
        yield f"{file.name} lacks {len(missing)} files of the package, {missing[0]} for one"


def wrong_terms(root: Path) -> Iterator[str]:
    """Yield what the projects say differently of Python, and licences that are not named."""
    projects = {
        name: tomllib.loads((root / folder / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        for name, folder in PROJECTS.items()
    }
    pythons = {name: project["requires-python"] for name, project in projects.items()}
    if len(set(pythons.values())) > 1:
        told = " and ".join(f"{name} {python}" for name, python in pythons.items())
        yield f"requires-python: {told}; neither works with a Python that the other refuses"
    named = re.split(r" AND ", projects[CONTENT]["license"])
    for file in sorted((root / PROJECTS[CONTENT]).glob("LICENSE-*")):
        term = TERMS.get(file.name)
        if term not in named:
            yield (
                f"{CONTENT}: its licence {projects[CONTENT]['license']!r} does not name "
                f"{term or 'a licence'}, whose text is {file.name}"
            )


def wrong_links(about: str, name: str, source: str) -> Iterator[str]:
    """Yield it if the metadata of a distribution do not have the project's address."""
    links = Parser().parsestr(about).get_all("Project-URL", [])
    if source and f"Source, {source}" not in links:
        yield f"{name}: its metadata have no link to {source}"


def wrong_requirements(about: str, name: str, ours: str) -> Iterator[str]:
    """Yield what a distribution requires of the project's own in a version that is not built."""
    for line in Parser().parsestr(about).get_all("Requires-Dist", []):
        one = Requirement(line)
        if one.name in PROJECTS and not one.specifier.contains(ours, prereleases=True):
            yield f"{name} requires {line}, and the version that is built is {ours}"


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


def use(expected: list[str], ours: str, *files: Path) -> Iterator[str]:
    """Yield what fails of the library where nothing but files of dist are installed."""
    file = files[0]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "env")
        python = environments.create(home)
        environments.install(python, *map(str, files))
        told = run(environments.program(home, "recsys-workbook"), "--version", folder=folder)
        if told != [f"recsys-workbook {ours}"]:
            yield f"{file.name}: its command tells {told}"
        where, *values = run(python, "-I", "-c", CODE, folder=folder)
        if not Path(where).resolve().is_relative_to(Path(folder).resolve()):
            yield f"{file.name}: what is imported is {where}"
        if values != expected:
            yield f"{file.name}: the library gives {values} instead of {expected}"


def wrong_example(wheel: Path) -> Iterator[str]:
    """Yield what fails of the first thing that a user is told to try."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "env")
        python = environments.create(home)
        environments.install(python, f"{wheel}[frames]")
        command = environments.program(home, "recsys-workbook")
        *_, suggested = run(command, "evaluate", "--example", folder=folder)
        program, *words = suggested.split()
        if program != LIBRARY:
            yield f"{wheel.name}[frames]: evaluate --example ends with {suggested.strip()!r}"
            return
        lines = run(environments.program(home, program), *words, folder=folder)
        if not any(re.match(r"ndcg +0\.\d{3} ", line) for line in lines):
            yield f"{wheel.name}: `{suggested}` prints no NDCG but {lines[-1:]}"


def run(*command: str, folder: str) -> list[str]:
    """Return the lines that a program prints in another folder."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr]


if __name__ == "__main__":
    sys.exit(main())
