"""The name of what is installed: one, in the code and in every text, and nobody else's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

import recsys_metrics
from recsys_metrics._core.package_names import (
    COMMAND,
    CONTENT,
    DISTRIBUTION,
    WITH_CONTENT,
    how_to_install,
)

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Another project's on PyPI, with the import that ours has.
NAMESAKE = "recsys-metrics"
# Where its name may stand, and why.
ALLOWED = {
    "CHANGELOG.md": "a warning",
    "CONTRIBUTING.md": "what is not to be done",
    "README.md": "a warning",
    "chapters/install.md": "a warning",
    "book/_templates/layout.html": "the key of a learner's progress",
    "book/_static/progress.js": "the key of a learner's progress",
    "book/_static/hand_in.js": "the key of a learner's assignment",
    "book/_static/book.js": "the key of whether the contents stand beside the text",
    "recsys_metrics/_core/package_names.py": "the folder of a learner's progress",
    "recsys_metrics/cli/_name_conflict.py": "a warning",
    "recsys_metrics/workbook/charts/chart.py": "what the ids in pictures are made from",
    "tests/book/test_code_in_book.py": "the key of a learner's progress",
    "tests/book/test_progress_in_book.py": "the key of a learner's progress",
    "tests/book/test_review_questions_in_book.py": "the key of a learner's progress",
    "tests/workbook/test_progress.py": "the folder of a learner's progress",
    "tests/test_package_name.py": "this file",
    "tests/test_untrusted_workbooks.py": "a folder that came with an earlier version",
    "dev/tools/venv.sh": "removes it",
}
INSTALL = re.compile(
    r"(?:\b(?:pip3?|pipx|uv|conda|mamba)\s+(?:install|add)\b|\buvx|\bpipx\s+run)(?P<rest>[^`\n]*)"
)
# A file, a folder, an option, or what a program fills in.
NO_NAME = re.compile(r"""[-.$/{\\>|&…]|.*\.(?:lock|whl)\b|[A-Z]+$""")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def normal(name: str) -> str:
    """Return a name as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower().strip("-")


@cache
def texts() -> dict[str, str]:
    """Return every text of the project that git knows or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = {}
    for name in filter(None, listed.split("\0")):
        raw = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b"\0"
        if b"\0" not in raw[:8192]:
            found[name] = raw.decode("utf-8", "replace")
    return found


def installed_by(text: str) -> list[str]:
    """Return the names of the packages that the commands in a text install."""
    names = []
    for command in INSTALL.finditer(text):
        for word in command["rest"].replace('\\"', '"').split():
            word = word.lstrip("\"'(")
            name = REQUIREMENT.match(word)
            if name and not NO_NAME.match(word):
                names.append(normal(name[0]))
            if word.endswith(('"', "'", ".", ",", ";", ")")):
                break  # the command is over, the sentence goes on
    return names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('pip install "recsys-metrics[workbook]"', ["recsys-metrics"]),
        ("%pip install -q Recsys_Workbook numpy", ["recsys-workbook", "numpy"]),
        ("uv pip install --python x.y Evil.Package", ["evil-package"]),
        ("(`pip install uv`); pip stays", ["uv"]),
        ("it needs pooch: pip install pooch. Then call it again", ["pooch"]),
        ("pip install -e '.[book]'", []),
        ('pip install "a_b-0.1-py3-none-any.whl[workbook]"', []),
    ],
)
def test_package_names_are_parsed_from_install_commands(text, names):
    assert installed_by(text.replace("--python x.y ", "")) == names


def test_the_project_name_matches_the_code():
    assert PROJECT["name"] == DISTRIBUTION == COMMAND
    assert PROJECT["scripts"] == {COMMAND: "recsys_metrics.cli:main"}
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    own = [line for line in extras if normal(line).startswith("recsys")]
    assert f"{CONTENT}=={recsys_metrics.__version__}" in own
    assert all(line.startswith((f"{DISTRIBUTION}[", f"{CONTENT}==")) for line in own)
    content = tomllib.loads(
        (ROOT / "recsys_workbook_content" / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert content["name"] == CONTENT
    assert {key: content[key] for key in ("authors", "requires-python")} == {
        key: PROJECT[key] for key in ("authors", "requires-python")
    }
    for extra in ("course", "frames", "workbook"):
        assert extra in PROJECT["optional-dependencies"]
        assert installed_by(how_to_install(extra)) == [DISTRIBUTION]
    # Those that need the content, by way of other extras too, name the folder of it in a clone.
    needs = {extra for extra in PROJECT["optional-dependencies"] if _brings_content(extra)}
    assert needs - {"dev"} == WITH_CONTENT
    assert how_to_install("frames").endswith('in a clone: pip install ".[frames]"')
    assert how_to_install("course").endswith('pip install ./recsys_workbook_content ".[course]"')
    assert (ROOT / "README.md").read_text(encoding="utf-8").startswith(f"# {DISTRIBUTION}\n")


def _brings_content(extra):
    lines = PROJECT["optional-dependencies"][extra]
    others = [each for line in lines for each in re.findall(r"\[([^\]]+)\]", line)]
    names = {name for each in others for name in each.split(",")}
    own = any(line.startswith(f"{CONTENT}==") for line in lines)
    there = names & {*PROJECT["optional-dependencies"]}
    return own or any(_brings_content(name) for name in there)


def test_documentation_installs_only_known_packages():
    pinned = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    known = {*re.findall(r"^([a-z0-9-]+)==", pinned, re.MULTILINE), DISTRIBUTION, CONTENT}
    strange = {
        (file, name)
        for file, text in texts().items()
        for name in installed_by(text)
        # A student's submission may install anything, and this file has wrong examples.
        if name not in known
        and file not in {"tests/course/test_student_page.py", "tests/test_package_name.py"}
    }
    assert strange == set()


def test_documentation_does_not_use_the_name_of_another_project():
    there = {file for file, text in texts().items() if re.search(NAMESAKE, text, re.IGNORECASE)}
    assert there == set(ALLOWED)
    urls = {
        (file, url)
        for file, text in texts().items()
        for url in re.findall(r"github\.com/recsys[-_]\w+", text)
    }
    assert urls == set()


def test_the_citation_has_the_project_name():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{DISTRIBUTION}: ' in citation


def call(*code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with another folder before all that is installed."""
    return subprocess.run(
        [sys.executable, *code],
        cwd=path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def with_the_other(tmp_path):
    """A folder of packages that the other project is installed in."""
    about = tmp_path / "recsys_metrics-0.0.4.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: recsys-metrics\nVersion: 0.0.4\n")
    return tmp_path


@pytest.mark.parametrize("record", ["", "recsys_metrics-0.0.4-py3.9.egg-info"])
def test_the_command_line_warns_of_a_conflicting_package(with_the_other, record):
    if record:
        (with_the_other / "recsys_metrics-0.0.4.dist-info").rename(with_the_other / record)
    done = call("-m", "recsys_metrics.cli", "--version", path=with_the_other)
    assert done.returncode == 0
    assert done.stdout == f"recsys-workbook {recsys_metrics.__version__}\n"
    assert done.stderr.startswith("recsys-workbook: recsys-metrics 0.0.4 is installed here, too.")
    assert "`pip uninstall recsys-metrics recsys-workbook`" in done.stderr
    assert done.stderr.count("\n") == 1


def test_importing_does_not_warn(with_the_other):
    done = call("-W", "error", "-c", "import recsys_metrics", path=with_the_other)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_the_conflicting_package_there_is_no_warning(tmp_path):
    if any(normal(one.metadata["Name"]) == NAMESAKE for one in metadata.distributions()):
        pytest.skip("the other project is installed in this environment")
    (tmp_path / "recsys_metrics_extras-1.0.dist-info").mkdir()
    done = call("-m", "recsys_metrics.cli", "--version", path=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("record", [True, False])
def test_overwritten_files_are_reported_with_a_remedy(with_the_other, record):
    """Both write `recsys_metrics/__init__.py`; removed, the other takes that file with it."""
    if not record:
        (with_the_other / "recsys_metrics-0.0.4.dist-info" / "METADATA").unlink()
        (with_the_other / "recsys_metrics-0.0.4.dist-info").rmdir()
    package = with_the_other / "recsys_metrics"
    package.mkdir()
    for part in Path(recsys_metrics.__file__).parent.iterdir():
        if part.name not in ("__init__.py", "__pycache__"):
            (package / part.name).symlink_to(part)
    if record:
        (package / "__init__.py").write_text("__version__ = '0.0.4'\n")
    # Without what is installed elsewhere: there is a whole package of ours.
    code = (
        f"import sys; sys.path.remove({str(ROOT)!r})\nfrom recsys_metrics.cli import main; main()"
    )
    done = call("-S", "-c", code, path=with_the_other)
    assert done.returncode == 1
    assert done.stdout == ""
    verb = "0.0.4 is" if record else "was"
    assert done.stderr.startswith(f"recsys-workbook: recsys-metrics {verb} installed here, too.")
    assert "Traceback" not in done.stderr
