"""What a forge runs and shows: valid by its schemas, and of one mind with the project's files."""

from __future__ import annotations

import configparser
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from recsys_metrics._core.package_names import CONTENT, DISTRIBUTION
from tests import conftest

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(
    {*(GITHUB / "ISSUE_TEMPLATE").glob("*.yml")} - {GITHUB / "ISSUE_TEMPLATE/config.yml"}
)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@cache
def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Job:
    """A job of a workflow."""

    workflow: str
    name: str
    says: dict[str, Any]

    @property
    def steps(self) -> list[dict[str, Any]]:
        return self.says["steps"]

    @property
    def commands(self) -> list[str]:
        """The lines that its steps run."""
        lines = [line for step in self.steps for line in step.get("run", "").splitlines()]
        return [line.strip() for line in lines if line.strip()]


def jobs() -> list[Job]:
    return [
        Job(path.stem, name, says)
        for path in WORKFLOWS
        for name, says in read(path)["jobs"].items()
    ]


every_job = pytest.mark.parametrize("job", jobs(), ids=lambda job: f"{job.workflow}-{job.name}")


# The schemas that the forge's conventions are published as ------------------------


def faults(schema: str, document: Any) -> list[str]:
    """Return what a published schema finds wrong with a document."""
    schemas = pytest.importorskip(
        "check_jsonschema.builtin_schemas", reason="check-jsonschema is not installed"
    )
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    published = schemas.get_builtin_schema(schema)
    # YAML 1.1 reads the key `on` as true, and dates as dates; JSON has neither.
    text = json.dumps({"on" if key is True else key: value for key, value in document.items()})
    validator = jsonschema.validators.validator_for(published)(published)
    return [error.message for error in validator.iter_errors(json.loads(text))]


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        *(("vendor.github-workflows", path) for path in WORKFLOWS),
        *(("custom.github-workflows-require-timeout", path) for path in WORKFLOWS),
        *(("vendor.github-issue-forms", path) for path in FORMS),
        ("vendor.github-issue-config", GITHUB / "ISSUE_TEMPLATE/config.yml"),
        ("vendor.dependabot", GITHUB / "dependabot.yml"),
        ("vendor.citation-file-format", ROOT / "CITATION.cff"),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value.partition(".")[2],
)
def test_configuration_files_follow_their_schemas(schema, path):
    assert faults(schema, read(path)) == []


def test_schemas_detect_misspelt_keys():
    workflow = read(GITHUB / "workflows" / "lint.yml")
    assert faults("vendor.github-workflows", workflow | {"permisions": {}})
    (name, job), *_ = workflow["jobs"].items()
    without = {key: value for key, value in job.items() if key != "timeout-minutes"}
    assert faults("custom.github-workflows-require-timeout", workflow | {"jobs": {name: without}})


# What a workflow may do ------------------------

# What a job may write to, and why it has to; no other writes anything.
MAY_WRITE = {
    ("book", "deploy"): {"pages", "id-token"},
    ("release", "build"): {"id-token", "attestations", "artifact-metadata"},
    ("release", "publish"): {"id-token"},
    ("release", "publish-content"): {"id-token"},
    ("rehearsal", "publish"): {"id-token"},
    ("rehearsal", "publish-content"): {"id-token"},
}
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+){2}")


def test_every_action_is_pinned_to_a_commit_with_a_version():
    used = {}
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"uses: *(.*)", text):
            assert PINNED.fullmatch(line), f"{path.name}: {line}"
            used.setdefault(line.partition("@")[0], set()).add(line)
    assert len(used) >= 5
    assert {action: lines for action, lines in used.items() if len(lines) > 1} == {}


@every_job
def test_jobs_have_minimal_permissions(job):
    workflow = read(GITHUB / "workflows" / f"{job.workflow}.yml")
    assert workflow["permissions"] == {"contents": "read"}
    permissions = job.says.get("permissions", {})
    writes = {what for what, how in permissions.items() if how == "write"}
    assert writes == MAY_WRITE.get((job.workflow, job.name), set())


@every_job
def test_jobs_use_no_secrets_and_no_untrusted_input(job):
    text = json.dumps(job.says)
    assert "secrets." not in text
    assert [line for line in job.commands if "${{" in line] == []
    for step in job.steps:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert "pull_request_target" not in read(GITHUB / "workflows" / f"{job.workflow}.yml")[True]


@pytest.mark.parametrize(("workflow", "index"), [("release", "pypi"), ("rehearsal", "test.pypi")])
def test_publishing_jobs_run_no_project_code(workflow, index):
    ours = {job.name: job for job in jobs() if job.workflow == workflow}
    publishing = {
        name: job for name, job in ours.items() if "gh-action-pypi-publish" in json.dumps(job.says)
    }
    assert list(publishing) == ["publish-content", "publish"]
    for job in publishing.values():
        assert job.commands == []
        assert not any("checkout" in step["uses"] for step in job.steps)
    content, library = publishing.values()
    pages = [job.says["environment"]["url"] for job in (content, library)]
    assert pages == [f"https://{index}.org/project/{name}/" for name in (CONTENT, DISTRIBUTION)]
    assert any("release-check" in line for line in ours[content.says["needs"]].commands)
    # Only the rehearsal publishes anywhere but on the index.
    steps = [step.get("with", {}).get("repository-url") for step in library.steps]
    assert steps[-1] == (None if workflow == "release" else "https://test.pypi.org/legacy/")


def test_rehearsal_and_release_have_the_same_jobs():
    """The same jobs in the same order; what differs is the index, and that nothing is attested."""
    release, rehearsal = (
        {
            job.name: [step.get("uses", step.get("run")) for step in job.steps]
            for job in jobs()
            if job.workflow == workflow
        }
        for workflow in ("release", "rehearsal")
    )
    assert list(rehearsal) == [*release, "install"]
    for name, steps in release.items():
        others = [step for step in steps if "attest@" not in step and "make " not in step]
        assert others == [step for step in rehearsal[name] if "make " not in step], name


# What a workflow runs ------------------------


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))


def exists(command: str) -> bool:
    """Whether a line of a workflow runs something that is there."""
    words = command.split()
    if words[0] == "make":
        target, *variables = words[1:]
        known = {"ARGS", "LITE", "PYODIDE", "PYTHON", "WORKERS"}
        named = {word.partition("=")[0] for word in variables if "=" in word}
        return target in targets() and named <= known
    if words[0] == "python" and words[1].endswith(".py"):
        return (ROOT / words[1]).is_file()
    if words[:2] == ["python", "-m"]:
        return words[2] == "pip" or importlib.util.find_spec(words[2]) is not None
    if words[0] == "bash":
        return (ROOT / words[1]).is_file()
    return words[0] == "sudo" and words[1] in ("apt-get", "sysctl")


@every_job
def test_commands_of_jobs_exist(job):
    assert [line for line in job.commands if not exists(line)] == []


@pytest.mark.parametrize(
    "command", ["make nonsense", "make lint FLAGS=1", "python -m nonsense_", "bash no.sh", "curl x"]
)
def test_missing_commands_are_detected(command):
    assert not exists(command)


def test_options_in_jobs_exist_in_the_tools():
    options = {
        ("lite", "--output"): "dev/tools/lite.py",
        ("peers", "--newest"): "dev/tools/peers.py",
        ("release-check", "--rehearsal"): "dev/tools/release.py",
        ("release-check", "--tag"): "dev/tools/release.py",
        ("release-check", "--without-address"): "dev/tools/release.py",
    }
    given = {
        (line.split()[1], option)
        for job in jobs()
        for line in job.commands
        for option in re.findall(r'ARGS="?(--[\w-]+)', line)
    }
    assert given == set(options)
    for (_, option), tool in options.items():
        assert f'"{option}"' in (ROOT / tool).read_text(encoding="utf-8")


@every_job
def test_jobs_set_up_python_before_running_commands(job):
    first = next((at for at, step in enumerate(job.steps) if "run" in step), None)
    if first is not None:
        before = [step.get("uses", "").partition("@")[0] for step in job.steps[:first]]
        assert before[:2] == ["actions/checkout", "actions/setup-python"]


# One version of Python, one list of extras ------------------------


def promised() -> list[str]:
    """Return the versions of Python that the classifiers name."""
    named = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one)
        for one in PROJECT["classifiers"]
    ]
    return [match[1] for match in named if match]


def pythons(job: Job) -> set[str]:
    """Return the versions of Python that a job runs on."""
    matrix = job.says.get("strategy", {}).get("matrix", {}).get("python", [])
    wanted = [
        step["with"]["python-version"]
        for step in job.steps
        if step.get("uses", "").startswith("actions/setup-python@")
    ]
    return {version for one in wanted for version in (matrix if "matrix." in one else [one])}


def test_exactly_the_supported_python_versions_are_tested():
    (quick,) = [job for job in jobs() if (job.workflow, job.name) == ("tests", "quick")]
    assert pythons(quick) == set(promised())
    # Of the newest nothing is promised: its job tells what a promise would take.
    assert set().union(*map(pythons, jobs())) - {"3.x"} == set(promised())


def test_the_minimum_python_version_is_consistent():
    (lowest,) = re.fullmatch(r">=(3\.\d+)", PROJECT["requires-python"]).groups()
    minor = lowest.partition(".")[2]
    assert promised()[0] == lowest
    assert PYPROJECT["tool"]["mypy"]["python_version"] == lowest
    assert PYPROJECT["tool"]["ruff"]["target-version"] == f"py3{minor}"
    for name, word in (
        ("dev/tools/lock.sh", f"--python-version {lowest} "),
        ("dev/tools/venv.sh", f"sys.version_info < (3, {minor})"),
        ("README.md", f"Python {lowest} or newer"),
        ("CONTRIBUTING.md", f"Python {lowest} or newer"),
    ):
        assert word in (ROOT / name).read_text(encoding="utf-8"), name
    whole = [job for job in jobs() if "bash .ci/run" in job.commands]
    assert [pythons(job) for job in whole] == [{lowest}]


@pytest.fixture
def versions(monkeypatch):
    """The tool that tests other versions."""
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import versions

    return versions


def test_extras_tested_with_other_versions_exist(versions):
    assert set(versions.EXTRAS) <= set(PROJECT["optional-dependencies"])
    # What is left out is larger than all the rest, or is tested by no quick test.
    left_out = set(PROJECT["optional-dependencies"]) - set(versions.EXTRAS)
    assert left_out == {"book", "chapters", "dev", "lite", "spark", "test"}  # workbook has chapters


def test_the_conftest_imports_only_core_test_packages():
    names = {name.partition(".")[0] for name in imports(ROOT / "tests" / "conftest.py")}
    foreign = names - set(sys.stdlib_module_names) - {"__future__", "tests"}
    core = PROJECT["optional-dependencies"]["test-core"]
    assert foreign <= {re.match(r"[\w-]+", one)[0] for one in core}
    assert "pytest-xdist" in "".join(core)  # `make test-quick` calls it by its options


# What cannot run on Windows ------------------------

NOT_OF_WINDOWS = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}


IMPORT = re.compile(r"^(?:import (.+)|from ([\w.]+) import (?:\(([^)]*)\)|(.+)))$", re.MULTILINE)


def imports(file: Path) -> Iterator[str]:
    """Yield what importing a module imports: what stands at the beginning of a line."""
    for plain, module, *names in IMPORT.findall(file.read_text(encoding="utf-8")):
        yield from (name.split()[0] for name in plain.split(",") if name.strip())
        if module:
            yield module
            listed = "".join(names).partition("#")[0].split(",")
            yield from (f"{module}.{name.split()[0]}" for name in listed if name.strip())


def lost_without_posix() -> set[Path]:
    """Return the modules and quick tests that cannot be imported on Windows."""
    files = [
        file.relative_to(ROOT)
        for folder in ("recsys_metrics", "tests")
        for file in (ROOT / folder).rglob("*.py")
    ]
    by_name = {
        ".".join(part for part in file.with_suffix("").parts if part != "__init__"): file
        for file in files
    }
    needs: dict[str, set[str]] = {}
    for name, file in by_name.items():
        # With a module, the packages that it lies in.
        parts = [one.split(".") for one in (name.rpartition(".")[0], *imports(ROOT / file))]
        needs[name] = {".".join(one[:n]) for one in parts for n in range(1, len(one) + 1)} - {name}
    lost = set(NOT_OF_WINDOWS)
    while found := {name for name, others in needs.items() if name not in lost and others & lost}:
        lost |= found
    return {by_name[name] for name in lost - NOT_OF_WINDOWS}


def test_tests_skipped_on_windows_are_those_that_need_posix():
    lost = {
        file
        for file in lost_without_posix()
        if file.parts[0] == "recsys_metrics" or file.name.startswith("test_")
        if not any(file.is_relative_to(place) for place in conftest.NOT_QUICK)
    }
    assert Path("recsys_metrics/workbook/grading/sandbox/in_sandbox.py") in lost
    left_out = {Path(place) for place in conftest.NOT_ON_WINDOWS}
    assert {file for file in lost if not any(file.is_relative_to(p) for p in left_out)} == set()
    assert {p for p in left_out if not any(file.is_relative_to(p) for file in lost)} == set()


# The small files ------------------------


def test_code_owner_patterns_match_files(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import release

    (every, _), *others = release.owned(ROOT)
    assert every == "*"  # later lines count before earlier ones
    assert len(others) > 5
    for pattern, owners in others:
        place = ROOT / pattern.strip("/")
        assert re.fullmatch(r"/[\w./-]+", pattern)
        assert place.is_dir() if pattern.endswith("/") else place.is_file(), pattern
        assert all(re.fullmatch(r"@[\w-]+(/[\w.-]+)?", owner) for owner in owners), pattern


def test_hooks_run_the_lint_commands_locally():
    repositories = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert {one["repo"] for one in repositories} == {"local"}
    hooks = [hook for one in repositories for hook in one["hooks"]]
    assert {hook["language"] for hook in hooks} == {"system"}
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, flags=re.MULTILINE)[1]
    commands = [
        line.strip("\t@").replace("$(PY)", ".venv/bin/python") for line in recipe.splitlines()
    ]
    # `ruff check .` of all is `ruff check` of the files that a commit has.
    programs = [re.sub(r"( --?[\w-]+| \.)*$", "", command) for command in commands]
    entries = [re.sub(r"( --?[\w-]+)*$", "", hook["entry"]) for hook in hooks]
    assert sorted(entries) == sorted(programs)
    for hook in hooks:
        re.compile(hook.get("files", ""))


def test_editorconfig_matches_ruff():
    parser = configparser.ConfigParser()
    parser.read_string("[top]\n" + (ROOT / ".editorconfig").read_text(encoding="utf-8"))
    assert parser["*.py"].getint("max_line_length") == PYPROJECT["tool"]["ruff"]["line-length"]


def test_zenodo_metadata_match_the_citation_file():
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    citation = read(ROOT / "CITATION.cff")
    for word in ("title", "license", "keywords"):
        assert archive[word] == citation[word], word
    names = [author["name"] for author in citation["authors"]]
    assert [creator["name"] for creator in archive["creators"]] == names
    assert [author["name"] for author in PROJECT["authors"]] == names
    assert set(citation["keywords"]) <= set(PROJECT["keywords"])
    assert archive["description"] == PROJECT["description"]
    # The version is the tag's; said here it would be a fourth place to change.
    assert "version" not in archive


def forge_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that a forge reads, by its name."""
    names = ("CODE_OF_CONDUCT.md", "SECURITY.md", ".zenodo.json", ".pre-commit-config.yaml")
    for path in (*(ROOT / name for name in names), *GITHUB.rglob("*.*")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_repository_files_have_no_invalid_addresses():
    source = PROJECT.get("urls", {}).get("Source", "")
    for name, text in forge_texts():
        addresses = re.findall(r"https://(?:github|gitlab)\.com/[\w.-]+/[\w.-]+", text)
        assert [one for one in addresses if one != source] == [], name
        assert re.findall(r"[\w.+-]+@[\w-]+\.(?:com|org|net|io|dev)\b", text) == [], name


GUIDES = [
    "SECURITY.md",
    "CONTRIBUTING.md",
    *(f"dev/{file.name}" for file in (ROOT / "dev").glob("*.md")),
]


@pytest.mark.parametrize("name", GUIDES)
def test_files_named_in_documents_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|csv|toml|yml|sh|txt|lock))`", text))
    folders = ("", "recsys_metrics", "recsys_metrics/data", "tests/course")
    there = {one for one in named for folder in folders if (ROOT / folder / one).is_file()}
    # NN and NAME stand for what the reader has; `__init__.py` for that of a folder named before.
    stand_in = re.compile(r".*(NN|NAME).*|__init__\.py")
    assert {one for one in named - there if not stand_in.fullmatch(one)} == set()


def test_the_pull_request_template_matches_the_contributing_guide():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", guide, flags=re.MULTILINE)
    request = (GITHUB / "pull_request_template.md").read_text(encoding="utf-8")
    named = re.findall(r"CONTRIBUTING, \*(.+?)\*", request)
    assert named
    assert set(named) <= set(sections)
    assert set(re.findall(r"`make ([a-z-]+)`", request)) <= targets()


# Containers that others make of this project ------------------------------------------------------


def test_the_dev_container_installs_the_lab_and_what_grading_needs():
    says = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    version = says["image"].rpartition(":")[2]
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]
    # The sandbox is a program of the system, and Docker forbids by default what it is made of.
    assert re.search(r"apt-get install [^&]*\bbubblewrap\b", says["onCreateCommand"])
    assert says["runArgs"].count("--security-opt") == 2
    make, target = says["postCreateCommand"].split()
    assert target == ".venv/.course"
    assert make == "make"
    assert re.search(rf"^{re.escape(target)}:", MAKEFILE, re.MULTILINE)
    # The port that `make lab` takes.
    assert [f"PORT={port}" in MAKEFILE for port in says["forwardPorts"]] == [True]
    python = says["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert python == "${containerWorkspaceFolder}/.venv/bin/python"


def test_colab_provides_or_installs_the_requirements():
    text = (ROOT / "dev" / "tools" / "colab.txt").read_text(encoding="utf-8")
    (release,) = re.findall(r"^# Python (\S+)$", text, flags=re.MULTILINE)
    assert f"Programming Language :: Python :: {release}" in PROJECT["classifiers"]
    there = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, flags=re.MULTILINE))
    there = {re.sub(r"[._-]+", "-", name).lower(): version for name, version in there.items()}
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["chapters"]]
    missing = []
    for requirement in map(Requirement, asked):
        if requirement.name not in there:
            missing.append(requirement.name)
        else:
            assert requirement.specifier.contains(there[requirement.name]), str(requirement)
    assert missing == ["anywidget", "filelock", "fsrs", "recsys-workbook-content"]


def test_every_chapter_has_a_colab_install_cell():
    cell = (
        "```{code-cell} ipython3\n:tags: [remove-cell, hide-input]\n\n"
        "# Colab alone needs this cell:\n"
        "# nothing of the workbook is installed there.\n"
        "try:\n    import recsys_metrics\nexcept ModuleNotFoundError:\n"
        f'    get_ipython().run_line_magic("pip", \'install -q "{DISTRIBUTION}[chapters]"\')\n```\n'
    )
    for path in sorted((ROOT / "chapters").glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        assert text[text.index("```{code-cell}") :].startswith(cell), path.name


def test_binder_installs_the_lab():
    place = ROOT / ".binder"
    version = place.joinpath("runtime.txt").read_text(encoding="utf-8").strip()
    assert (
        f"Programming Language :: Python :: {version.removeprefix('python-')}"
        in (PROJECT["classifiers"])
    )
    lines = place.joinpath("requirements.txt").read_text(encoding="utf-8").splitlines()
    (asked,) = [line for line in lines if not line.startswith("#")]
    assert (place / asked.removeprefix("-r ")).resolve() == ROOT / "requirements-lab.lock"
    last = place / "postBuild"
    assert os.access(last, os.X_OK)
    text = last.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    # What is pinned is there already, and what builds the project with it.
    assert "--no-deps --no-build-isolation" in text
    assert "hatchling==" in (ROOT / "requirements-lab.lock").read_text(encoding="utf-8")
    subprocess.run(["sh", "-n", str(last)], check=True)
