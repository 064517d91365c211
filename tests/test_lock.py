"""requirements.lock: every package pinned and hashed, nothing of the machine that made it."""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("requirements-lab.lock", "requirements-course.lock")
LOCKS = ("requirements.lock", *PARTS)
PINNED = re.compile(r"(?P<name>[a-z0-9]+(-[a-z0-9]+)*)==(?P<version>[0-9][0-9a-z.]*)( ; .+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def normal(requirement: str) -> str:
    """Return the name of a requirement as PyPI writes it."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def entries(lock: str) -> list[tuple[str, list[str]]]:
    """Return what stands for each package: its pin, and the hashes of its files."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    found = []
    for entry in lines.replace(" \\\n", "\n").replace("\n    ", "\0").splitlines():
        pin, *hashes = entry.split("\0")
        found.append((pin, hashes))
    return found


def pins(lock: str = "requirements.lock") -> dict[str, str]:
    found = [(pin, PINNED.fullmatch(pin)) for pin, _ in entries(lock)]
    assert [pin for pin, match in found if not match] == []
    return {match["name"]: match["version"] for _, match in found if match}


def needed(extra: str, project: dict) -> set[str]:
    """Return the packages an extra asks for, those of the extras it names included."""
    names: set[str] = set()
    for requirement in project["optional-dependencies"][extra]:
        if inner := re.match(r"recsys-workbook\[(.+)\]", requirement):
            for part in inner[1].split(","):
                names |= needed(part.strip(), project)
        else:
            names.add(normal(requirement))
    return names


every_lock = pytest.mark.parametrize("lock", LOCKS)


@every_lock
@pytest.mark.parametrize("sign", ["://", "file:", " @ ", "--", "/", "\\"])
def test_the_lock_file_has_no_addresses_and_paths(lock, sign):
    assert [pin for pin, _ in entries(lock) if sign in pin] == []


@every_lock
def test_every_package_has_valid_hashes(lock):
    for pin, hashes in entries(lock):
        assert hashes, pin
        assert [one for one in hashes if not HASH.fullmatch(one)] == [], pin
        assert len(set(hashes)) == len(hashes), pin


def a_wheel(folder: Path, name: str, *about_it: str) -> str:
    """Write a wheel of one module, and return its digest."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *about_it]
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{about}/METADATA", "\n".join(lines) + "\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("program", ["uv", "pip"])
def test_installation_rejects_files_with_other_hashes(tmp_path, program):
    """With the words of dev/tools/venv.sh, on two packages: one needs an extra of the other."""
    script = (ROOT / "dev" / "tools" / "venv.sh").read_text(encoding="utf-8")
    words = re.search(r'^install (--require-hashes --no-deps -r) "\$lock"$', script, re.MULTILINE)
    assert words is not None
    pinned = a_wheel(tmp_path, "pinned", "Requires-Dist: other[more]")
    other = a_wheel(tmp_path, "other", "Provides-Extra: more")
    if program == "uv":
        uv = shutil.which("uv", path=str(Path(sys.executable).parent))
        assert uv is not None, "uv is in the lock and not beside python"
        command = [uv, "pip", "install", "--no-config", "--python", sys.executable]
    else:
        command = [sys.executable, "-m", "pip", "--isolated", "install"]
    options = ["--no-index", "--find-links", str(tmp_path), "--no-cache-dir", "--target", "there"]

    def install(digest: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "requirements.lock").write_text(
            f"pinned==1.0 --hash=sha256:{digest}\nother==1.0 --hash=sha256:{other}\n",
            encoding="ascii",
        )
        return subprocess.run(
            [*command, *options, *words[1].split(), "requirements.lock"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    refused = install("0" * 64)
    assert refused.returncode != 0
    assert "hash" in (refused.stdout + refused.stderr).lower()
    assert not (tmp_path / "there" / "pinned.py").exists()
    taken = install(pinned)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert (tmp_path / "there" / "pinned.py").exists()


@every_lock
def test_every_line_pins_a_version(lock):
    assert len(pins(lock)) > 100


@pytest.mark.parametrize(
    ("lock", "extra", "some"),
    [
        ("requirements.lock", "dev", {"numpy", "jupyterlab", "sphinx", "pytest", "hatchling"}),
        ("requirements-lab.lock", "workbook", {"numpy", "jupyterlab", "matplotlib", "fsrs"}),
        ("requirements-course.lock", "course", {"numpy", "jupyterlab", "nbgrader"}),
    ],
)
def test_all_requirements_are_in_the_lock_file(lock, extra, some):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = needed(extra, project) | {normal(name) for name in project["dependencies"]}
    assert some <= asked
    # The project's own other half stands in the clone.
    assert asked - set(pins(lock)) == {"recsys-workbook-content"}


@pytest.mark.parametrize("lock", PARTS)
def test_the_smaller_lock_files_are_subsets_of_the_full_one(lock):
    whole, part = pins(), pins(lock)
    assert part.items() < whole.items()
    heavy = {"pyspark", "playwright", "mypy", "ruff", "sphinx", "polars", "pytest"}
    heavy |= {"nbgrader"} if lock == PARTS[0] else set()
    assert heavy <= whole.keys() - part.keys()
    # What builds the project is needed to install it.
    assert "hatchling" in part


def test_the_course_lock_file_has_everything_that_grading_imports():
    workbook = ROOT / "recsys_metrics" / "workbook"
    imported = {
        name.partition(".")[0]
        for package in ("course", "grading", "checking")
        for file in (workbook / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in names_imported(node)
    }
    others = imported - set(sys.stdlib_module_names) - {"recsys_metrics"}
    assert {"numpy", "nbgrader", "IPython", "typer", "sqlalchemy"} <= others
    distributions = packages_distributions()
    pinned = pins("requirements-course.lock")
    missing = {
        name
        for name in others
        if not any(normal(one) in pinned for one in distributions.get(name, ()))
    }
    assert not missing


def names_imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
