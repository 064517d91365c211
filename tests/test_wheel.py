"""The wheels as a user gets them: what is in them, and that they work in a new environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from importlib import metadata
from pathlib import Path

import pytest
from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recsys_metrics import __version__
from recsys_metrics.datasets import CONTENT_HASHES
from tests.conftest import make_once
from tests.tiers import another_program, installed

ROOT = Path(__file__).resolve().parents[1]
CONTENT = "recsys_workbook_content"
pytestmark = pytest.mark.wheel


def build(out: Path) -> None:
    for project in (ROOT, ROOT / CONTENT):
        done = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def wheels(shared: Path) -> Path:
    """The folder of the wheels of this clone."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    return make_once(shared / "wheels", build)


@pytest.fixture(scope="session")
def wheel(wheels: Path) -> Path:
    """The wheel of the library."""
    (built,) = wheels.glob("recsys_workbook-*")
    return built


@pytest.fixture(scope="session")
def content(wheels: Path) -> Path:
    """The wheel of chapters, solutions and data."""
    (built,) = wheels.glob(f"{CONTENT}-*")
    return built


def read_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    return read_names(wheel)


def of_the_clone(folder: str) -> set[str]:
    """Return the files of a folder that git knows or would take, exercises under their copies."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    return {re.sub(r"(/exercises/(?:\w+/)?\w+)\.yaml$", r"\1.json", name) for name in found}


def test_wheels_are_universal_and_of_one_version(wheels):
    assert {wheel.name for wheel in wheels.iterdir()} == {
        f"{name}-{__version__}-py3-none-any.whl" for name in ("recsys_workbook", CONTENT)
    }


@pytest.mark.parametrize(
    "name",
    [
        "recsys_metrics/py.typed",
        "recsys_metrics/data/metrics.csv",
        "recsys_metrics/workbook/lab/jupyter/jupytext.toml",
        "recsys_metrics/workbook/lab/jupyter/jupyter_lab_config.json",
        "recsys_metrics/workbook/lab/jupyter/labconfig/default_setting_overrides.json",
        "recsys_metrics/workbook/lab/jupyter/labconfig/page_config.json",
        "recsys_metrics/workbook/lab/labextension/extension.js",
        "recsys_metrics/workbook/lab/labextension/package.json",
    ],
)
def test_required_data_files_are_included(names, name):
    assert name in names


def test_the_library_is_complete(names):
    assert of_the_clone("recsys_metrics") - names == set()


def test_the_content_has_exactly_chapters_solutions_and_data(content):
    about = f"{CONTENT}-{__version__}.dist-info/"
    data = {f"{CONTENT}/{name}.npz.xz" for name in CONTENT_HASHES}
    texts = {
        f"{CONTENT}/{name}" for part in ("chapters", "solutions") for name in of_the_clone(part)
    }
    assert {f"{CONTENT}/chapters/02_ranking.{kind}" for kind in ("md", "ipynb")} < texts
    assert {name for name in read_names(content) if not name.startswith(about)} == {
        f"{CONTENT}/__init__.py",
        f"{CONTENT}/_toc.yml",
        *data,
        *texts,
    }


@installed
def test_the_sdist_of_the_content_gives_the_same_wheel(content, tmp_path):
    """Chapters stand beside its folder in a clone, and in it in an sdist."""
    hatch = [sys.executable, "-m", "hatchling", "build", "-t"]
    subprocess.run([*hatch, "sdist", "-d", str(tmp_path)], cwd=ROOT / CONTENT, check=True)
    (sdist,) = tmp_path.iterdir()
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
    subprocess.run([*hatch, "wheel", "-d", str(tmp_path)], cwd=unpacked, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == content.name
    assert read_names(wheel) == read_names(content)


def test_the_library_wheel_has_no_other_files(names):
    information = f"recsys_workbook-{__version__}.dist-info/"
    assert {
        name for name in names if not name.startswith(("recsys_metrics/", information))
    } == set()
    parts = {part for name in names for part in Path(name).parts}
    foreign = {"tests", "book", "dev", "__pycache__", ".ipynb_checkpoints"}
    assert foreign & parts == set()
    mine = {name for name in names if not name.startswith(information)}
    assert mine - of_the_clone("recsys_metrics") == set()


def test_the_library_wheel_is_under_one_licence(wheel, names):
    about = information(wheel)
    assert about["License-Expression"] == "MIT"
    assert about.get_all("License-File") == ["LICENSE"]
    assert f"recsys_workbook-{__version__}.dist-info/licenses/LICENSE" in names
    assert {name for name in names if ".npz" in name or "LICENSE-" in name} == set()


def test_the_content_wheel_has_its_licences(content):
    about = information(content)
    files = set(about.get_all("License-File", []))
    assert files == {"LICENSE", "LICENSE-movielens.txt", "LICENSE-open-bandit.txt"}
    folder = f"{CONTENT}-{__version__}.dist-info/licenses"
    assert {f"{folder}/{name}" for name in files} <= read_names(content)
    # Each part of it: code cells, prose, the Open Bandit sample, MovieLens.
    expression = about["License-Expression"]
    assert set(expression.split(" AND ")) == {
        "MIT",
        "CC-BY-4.0",
        "Apache-2.0",
        "LicenseRef-MovieLens",
    }
    assert canonicalize_license_expression(expression) == expression
    assert f"\n{expression}." in (ROOT / CONTENT / "LICENSE").read_text(encoding="utf-8")


def information(wheel: Path) -> Message:
    """Return what a wheel tells an index."""
    with zipfile.ZipFile(wheel) as archive:
        (about,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(about).decode())


def test_the_wheel_declares_its_requirements(wheel):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = information(wheel).get_all("Requires-Dist", [])
    assert {name for name in needed if "extra ==" not in name} == set(project["dependencies"])


def test_the_description_has_no_relative_links(wheel):
    about = information(wheel)
    assert about["Description-Content-Type"] == "text/markdown"
    page = about.get_payload()
    assert page.startswith("# recsys-workbook\n")
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert [link for link in links if not link.startswith("https://")] == []


def test_an_editable_install_copies_nothing(tmp_path):
    """It points to the clone, where an edit is seen at once."""
    code = (
        "from hatchling.builders.wheel import WheelBuilder\n"
        f"builder = WheelBuilder({str(ROOT)!r})\n"
        f"list(builder.build(directory={str(tmp_path)!r}, versions=['editable']))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    (built,) = tmp_path.iterdir()
    with zipfile.ZipFile(built) as archive:
        files = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert files == ["_recsys_workbook.pth"]
        assert archive.read(files[0]).decode().strip() == str(ROOT)


@dataclass(frozen=True)
class Elsewhere:
    """A new environment in a folder that has nothing to do with the clone."""

    folder: Path
    name: str = "env"
    copies: bool = False

    @property
    def programs(self) -> Path:
        return self.folder / self.name / ("Scripts" if os.name == "nt" else "bin")

    def call(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment with nothing of the clone in sight."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        return subprocess.run(
            [str(self.programs / name), *arguments],
            cwd=self.folder,
            env={key: value for key, value in os.environ.items() if key not in hidden},
            capture_output=True,
            text=True,
            check=False,
        )

    def out(self, name: str, *arguments: str) -> str:
        """Return what a program that must succeed prints."""
        done = self.call(name, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def lend(self, names: set[str]) -> None:
        """Put packages of this environment into it, as links unless it has copies."""
        (theirs,) = self.folder.glob(f"{self.name}/lib/python*/site-packages")
        for name in names:
            lend(name, theirs, copies=self.copies)

    def install(self, wheel: Path, *extras: str) -> None:
        """Install the wheel with extras, from what this environment holds of what they ask for.

        The packages are lent, not fetched once more; the installer has no index, and says so if
        anything that the wheel asks for is not there.
        """
        self.lend(asked_for(wheel, extras) - {"recsys-workbook-content"})
        wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
        uv = shutil.which(
            "uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        )
        python = self.programs / "python"
        if uv is None:
            self.out("python", "-m", "ensurepip")
        command = [uv, "pip"] if uv else [str(python), "-m", "pip"]
        # The other half of the project is what stands beside it, as in a folder of downloads.
        beside = ["--find-links", str(wheel.parent)]
        target = ["--python", str(python), "--reinstall-package", "recsys-workbook"] if uv else []
        done = subprocess.run(
            [*command, "install", "-q", "--no-index", *beside, *target, wanted],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def asked_for(wheel: Path, extras: Sequence[str]) -> set[str]:
    """Return the packages that the wheel and some of its extras need, and those that these need."""
    own = information(wheel).get_all("Requires-Dist", [])
    found: dict[str, set[str]] = {}
    waiting = [("recsys-workbook", extra, own) for extra in ("", *extras)]
    while waiting:
        name, extra, lines = waiting.pop()
        found.setdefault(name, set()).add(extra)
        for needed in map(Requirement, lines):
            if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
                continue
            other = canonicalize_name(needed.name)
            for part in {"", *needed.extras} - found.get(other, set()):
                if other == "recsys-workbook-content":
                    found[other] = {""}
                    continue
                theirs = own if other == "recsys-workbook" else metadata.requires(other) or []
                waiting.append((other, part, theirs))
    return set(found) - {"recsys-workbook"}


def lend(name: str, theirs: Path, *, copies: bool = False) -> None:
    """Let an environment use a package of this one."""
    package = metadata.distribution(name)
    tops = {file.parts[0] for file in package.files or () if file.parts[0] not in ("..", "/")}
    for part in tops - {"__pycache__"}:
        here, there = Path(str(package.locate_file(part))), theirs / part
        if there.exists():
            continue
        if here.is_dir() and (copies or part.endswith(".dist-info")):  # uv sees no link to one
            shutil.copytree(here, there)
        else:
            there.symlink_to(here)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Elsewhere:
    """An environment with the wheel and what the library itself needs."""
    place = Elsewhere(tmp_path_factory.mktemp("elsewhere"))
    venv.create(place.folder / "env", symlinks=os.name != "nt")
    place.install(wheel)
    return place


@pytest.fixture(scope="module")
def with_workbook(elsewhere: Elsewhere, wheel: Path) -> Elsewhere:
    """The same with the extra that the workbook needs."""
    elsewhere.install(wheel, "workbook")
    return elsewhere


def test_the_library_works_without_extras(elsewhere):
    """First, as long as only numpy and scipy are installed."""
    assert elsewhere.out("recsys-workbook", "--version") == f"recsys-workbook {__version__}\n"
    code = (
        "import recsys_metrics as rm; from recsys_metrics import judge, ndcg\n"
        "print(rm.__file__); print(round(ndcg(judge(list('ABCDE'), set('BCEG')), k=5), 3))\n"
        "try: rm.datasets.load_movielens()\n"
        "except ImportError as missing: print(missing)"
    )
    where, value, missing = elsewhere.out("python", "-c", code).splitlines()
    assert Path(where).is_relative_to(elsewhere.folder)
    assert value == "0.593"
    assert missing.endswith("install it with pip install recsys-workbook-content")
    done = elsewhere.call("recsys-workbook", "lab", "--no-open", "workbook")
    assert done.returncode == 1
    assert 'pip install "recsys-workbook[workbook]"' in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (elsewhere.folder / "workbook").exists()


@another_program
def test_the_installed_workbook_is_copied_and_edits_survive(with_workbook):
    workbook = with_workbook.folder / "workbook"
    first = with_workbook.out("recsys-workbook", "lab", "--no-open", "workbook")
    assert " 0 updated, 0 kept" in first
    for folder in ("chapters", "solutions"):
        for suffix in (".md", ".ipynb"):
            name = f"{folder}/02_ranking{suffix}"
            assert (workbook / name).read_bytes() == (ROOT / name).read_bytes()
    chapter = workbook / "chapters" / "02_ranking.md"
    mine = chapter.read_text(encoding="utf-8") + "\nA thought of mine.\n"
    chapter.write_text(mine, encoding="utf-8")
    second = with_workbook.out("recsys-workbook", "lab", "--no-open", "workbook")
    assert " 0 new, 0 updated, 1 kept because you edited them\n" in second
    assert "kept: chapters/02_ranking\n" in second
    assert chapter.read_text(encoding="utf-8") == mine


def test_the_data_are_installed_with_the_workbook(with_workbook):
    code = (
        "import recsys_metrics as rm; log = rm.datasets.load_movielens().interactions\n"
        "print(len(log), log.n_users, log.n_items, len(rm.datasets.load_open_bandit()))"
    )
    assert with_workbook.out("python", "-c", code) == "100004 671 9066 10000\n"


def test_the_default_folder_is_named_after_the_workbook(with_workbook):
    with_workbook.out("recsys-workbook", "lab", "--no-open")
    assert (with_workbook.folder / "recsys-workbook" / "chapters" / "02_ranking.ipynb").is_file()


@another_program
def test_the_workbook_extra_installs_the_imports_of_a_chapter(with_workbook):
    code = (
        "import nbformat\n"
        "book = nbformat.read('recsys-workbook/chapters/02_ranking.ipynb', as_version=4)\n"
        "cells = [cell.source for cell in book.cells if cell.cell_type == 'code']\n"
        "lines = '\\n'.join(cells).splitlines()\n"
        "exec('\\n'.join(line for line in lines if line.startswith(('import ', 'from '))))\n"
    )
    with_workbook.out("recsys-workbook", "lab", "--no-open")
    with_workbook.out("python", "-c", code)
