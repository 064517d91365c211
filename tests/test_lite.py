"""The workbook without a server: what can be tested of it without the network."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import lite  # noqa: E402

# What comes with the packages that the first cell of a notebook names.
BROUGHT_ALONG = {
    "IPython", "PIL", "comm", "cycler", "cython_runtime", "dateutil", "fontTools", "kiwisolver",
    "linkify_it", "markdown_it", "mdurl", "mpl_toolkits", "packaging", "pygments", "pyparsing",
    "recsys_metrics", "six", "traitlets",
}  # fmt: skip
# Loaded where it is installed, and not needed; the last is of the interpreter's distributor.
OPTIONAL = {"charset_normalizer", "uc_micro", "sitecustomize"}

IMPORTS = """
import json, pkgutil, sys
import recsys_metrics.workbook.exercises as exercises
from recsys_metrics.workbook import experiment, ledger, plots, slots, tables
from recsys_metrics.workbook.explorables import REGISTRY
for explorable in REGISTRY.values():
    explorable._repr_mimebundle_()
for exercise in exercises.REGISTRY.values():
    exercise._repr_mimebundle_() if hasattr(exercise, "_repr_mimebundle_") else repr(exercise)
plots.intervals({"a": [0, 1]}, title="t", label="l", alt="a sentence that says what is seen")
ledger.count_sentence()
loaded = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(json.dumps(sorted(name for name in loaded if not name.startswith("_"))))
"""


def test_the_workbook_imports_only_what_a_browser_can_install():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    named = {name.replace("-", "_").removesuffix("_py") for name in lite.NEEDED}
    assert set(json.loads(done.stdout)) - named - BROUGHT_ALONG - OPTIONAL == set()


def test_notebooks_install_before_they_import(tmp_path):
    laid = lite.lay_out(tmp_path)
    assert len(laid) >= 15
    for path in laid:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        _, installs, *_ = notebook.cells[0].source.splitlines()
        assert installs.startswith("%pip install -q recsys-workbook recsys-workbook-content ")
        assert notebook.metadata["kernelspec"]["name"] == "python"


@pytest.mark.skipif(
    find_spec("jupyterlite_core") is None or find_spec("hatchling") is None,
    reason="jupyterlite-core or hatchling is not installed",
)
def test_the_site_is_built_with_the_wheels_inside(tmp_path):
    done = subprocess.run(
        [sys.executable, "tools/lite.py", "--output", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    index = json.loads((site / "pypi" / "all.json").read_text(encoding="utf-8"))
    for name in ("recsys-workbook", "recsys-workbook-content"):
        (wheel,) = (site / "pypi").glob(f"{name.replace('-', '_')}-[0-9]*-py3-none-any.whl")
        (release,) = index[name]["releases"].values()
        assert release[0]["filename"] == wheel.name
    listed = json.loads((site / "api/contents/chapters/all.json").read_text(encoding="utf-8"))
    names = {entry["name"] for entry in listed["content"]}
    assert {"00_three_questions.ipynb", "07_choosing.ipynb"} <= names
    assert (site / "lab" / "index.html").is_file()
    assert list(tmp_path.iterdir()) == [site]
