"""The workbook without a server: its notebooks in a browser that runs Python itself."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path

import nbformat
import numpy as np
import pytest

from recsys_metrics.datasets._packed import CONTENT_HASHES, content_hash

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "dev" / "tools"))

import lite  # noqa: E402
import lite_licences  # noqa: E402
import wasm  # noqa: E402

from tests.book.conftest import serve_folder  # noqa: E402
from tests.book.test_jupyter_front_ends import ANSWERS, fill  # noqa: E402
from tests.jupyterlab_page import wait_for_kernel  # noqa: E402
from tests.tiers import in_a_lab  # noqa: E402

pytestmark = in_a_lab

# What comes with the packages that the first cell of a notebook names.
BROUGHT_ALONG = {
    "IPython", "PIL", "comm", "cycler", "cython_runtime", "dateutil", "fontTools", "kiwisolver",
    "linkify_it", "markdown_it", "mdurl", "mpl_toolkits", "packaging", "pygments", "pyparsing",
    "psygnal", "recsys_metrics", "six", "traitlets", "typing_extensions",
}  # fmt: skip
# Loaded where it is installed, and not needed; the last is of the distributor of Python. YAML is
# read in a checkout alone: a wheel has the exercises in JSON.
OPTIONAL = {"charset_normalizer", "mypy_extensions", "uc_micro", "yaml", "sitecustomize"}
# What is compiled of psygnal, where it is, has a name of its build.
COMPILED = re.compile(r"\w+__mypyc")

SHOWN = """
import json, sys
from recsys_metrics.workbook import charts, exercises, source_checks
from recsys_metrics.workbook.explorables import REGISTRY
for explorable in REGISTRY.values():
    explorable._repr_mimebundle_()
for exercise in exercises.REGISTRY.values():
    exercise._repr_mimebundle_() if hasattr(exercise, "_repr_mimebundle_") else repr(exercise)
charts.intervals({"a": [0, 1]}, title="t", label="l", alt="a sentence that says what is seen")
source_checks.summarize_counts()
loaded = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(json.dumps(sorted(name for name in loaded if not name.startswith("_"))))
"""
# What a part imports, on lines of its own.
IMPORT = re.compile(r"^(?:from [\w.]+ import (?:\([^)]*\)|.+)|import .+)$", re.MULTILINE)
PARTS = sorted((ROOT / "chapters").glob("0*.ipynb"))


def imports(notebook: Path) -> set[str]:
    """Return the lines of a notebook that import."""
    cells = nbformat.read(notebook, as_version=4).cells
    return {
        line for cell in cells if cell.cell_type == "code" for line in IMPORT.findall(cell.source)
    }


def test_the_workbook_imports_only_what_a_browser_can_install():
    asked = sorted(set().union(*map(imports, PARTS)))
    assert len(asked) > 50
    done = subprocess.run(
        [sys.executable, "-c", "\n".join((*asked, SHOWN))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    named = {name.replace("-", "_").removesuffix("_py") for name in lite.NEEDED}
    rest = set(json.loads(done.stdout)) - named - BROUGHT_ALONG - OPTIONAL
    assert {name for name in rest if not COMPILED.fullmatch(name)} == set()


def test_notebooks_install_packages_before_importing(tmp_path):
    laid = lite.lay_out(tmp_path)
    assert len(laid) >= 15
    for path in laid:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        first = notebook.cells[0]
        if path.stem in ("recipes", "scale", "your_log"):
            assert first.source.startswith("*Only to be read here")
        else:
            _, installs, *_ = first.source.splitlines()
            assert installs.startswith("%pip install -q recsys-workbook recsys-workbook-content ")
        assert notebook.metadata["kernelspec"]["name"] == "python"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, with the Python that runs in it where that was fetched."""
    if find_spec("jupyterlite_core") is None or find_spec("hatchling") is None:
        pytest.skip("jupyterlite-core or hatchling is not installed")
    place = tmp_path_factory.mktemp("lite")
    done = subprocess.run(
        [sys.executable, "dev/tools/lite.py", "--output", str(place / "site")],
        cwd=ROOT,
        env={**os.environ, "PYODIDE": str(wasm.PLACE) if wasm.is_whole(wasm.PLACE) else ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(place.iterdir()) == [place / "site"]
    return place / "site"


def test_the_site_is_built_with_the_wheels_inside(site):
    index = json.loads((site / "pypi" / "all.json").read_text(encoding="utf-8"))
    for name in ("recsys-workbook", "recsys-workbook-content"):
        (wheel,) = (site / "pypi").glob(f"{name.replace('-', '_')}-[0-9]*-py3-none-any.whl")
        (release,) = index[name]["releases"].values()
        assert release[0]["filename"] == wheel.name
    listed = json.loads((site / "api/contents/chapters/all.json").read_text(encoding="utf-8"))
    names = {entry["name"] for entry in listed["content"]}
    assert {"00_three_questions.ipynb", "07_choosing.ipynb"} <= names
    assert (site / "lab" / "index.html").is_file()


def test_the_wheel_of_the_content_has_its_data_unpacked(site, tmp_path):
    (wheel,) = (site / "pypi").glob("recsys_workbook_content-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    data = {name.rpartition("/")[2]: name for name in files if ".npz" in name}
    assert set(data) == {f"{name}.npz" for name in CONTENT_HASHES}
    with np.load(io.BytesIO(files[data["movielens_latest_small.npz"]])) as columns:
        assert content_hash(columns) == CONTENT_HASHES["movielens_latest_small"]
    (record,) = (name for name in files if name.endswith("/RECORD"))
    told = csv.reader(files[record].decode().splitlines())
    found = {
        name: f"sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()}"
        for name, content in files.items()
    }
    for name, digest, size in told:
        if name != record:
            assert (found.pop(name).rstrip("="), len(files[name])) == (digest, int(size))
    assert set(found) == {record}
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(tmp_path), str(wheel)], check=True)


def test_the_site_has_only_serverless_extensions(site):
    found = json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))
    (*extensions,) = found["jupyter-config-data"]["federated_extensions"]
    assert {one["name"] for one in extensions} == set(lite.EXTENSIONS)


def test_each_third_party_file_has_its_licence_text(site):
    told = (site / lite_licences.FILE).read_text(encoding="utf-8")
    for path in lite_licences.loaded(site):
        _, _, text = told.partition(f"\n{path.name}\n")
        assert re.search("copyright|public domain", text[:20_000], re.IGNORECASE), path.name
    if wasm.is_whole(wasm.PLACE):
        assert "This product includes software developed by the OpenSSL Project" in told
    for line in told.partition("\n\n")[0].splitlines()[1:]:
        assert json.loads((site / line).read_text(encoding="utf-8"))["packages"]


def test_a_file_without_a_licence_text_is_reported(tmp_path):
    (tmp_path / "static" / "pyodide").mkdir(parents=True)
    (tmp_path / "static" / "pyodide" / "new-1.0.zip").touch()
    with pytest.raises(LookupError, match=r"no text of a licence for new-1.0.zip"):
        lite_licences.write(tmp_path)


def test_without_a_runtime_folder_the_public_address_is_used(tmp_path):
    assert lite.lay_runtime(tmp_path, "") == []
    told = (tmp_path / "jupyter-lite.json").read_text(encoding="utf-8")
    assert f"https://cdn.jsdelivr.net/pyodide/v{wasm.RUNTIME[1]}/full/pyodide.js" in told


def test_an_incomplete_runtime_folder_raises(tmp_path):
    with pytest.raises(SystemExit, match=r"lacks what notebooks need: make pyodide fills "):
        lite.lay_runtime(tmp_path, str(tmp_path))


# A part with an exercise to answer, and one that takes data, SciPy and Matplotlib.
RUN = ("02_ranking_gains", "01_rating_movielens")
RIGHT = {"DCG@5": "1.518", "IDCG@5": "2.562", "NDCG@5": "0.593"}
NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
DONE = f"""() => [...{NOTEBOOK}.model.cells].every(
    cell => cell.type != 'code' || !cell.sharedModel.source.trim() || cell.executionCount)"""
TO_CELL = f"""source => {{
    const at = {NOTEBOOK}.widgets.findIndex(one => one.model.sharedModel.source.trim() == source)
    {NOTEBOOK}.activeCellIndex = at
    {NOTEBOOK}.scrollToItem(at, 'start')
}}"""
ASK = """async code => {
    const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session
    const asked = kernel.requestExecute({ code })
    let said = ""
    asked.onIOPub = one => { said += one.content.text ?? "" }
    await asked.done
    return said
}"""
KEPT = """
from recsys_metrics.workbook import progress
known = progress.load_summary()
print(progress.progress_file(), {name: (one.tries, one.outcome) for name, one in known.items()})
"""


def texts(outputs) -> list[str]:
    """Return what a cell gave, without what is drawn."""
    found = []
    for one in outputs:
        text = one["text"] if one["output_type"] == "stream" else one["data"]["text/plain"]
        found.append(text if isinstance(text, str) else "".join(text))
    return found


@pytest.fixture
def page(site, browser):
    """A page of the site that can be asked what its notebook holds; at the end, what it asked."""
    config = site / "jupyter-lite.json"
    told = json.loads(config.read_text(encoding="utf-8"))
    told["jupyter-config-data"]["exposeAppInBrowser"] = True
    config.write_text(json.dumps(told), encoding="utf-8")
    outside = []
    with serve_folder(site) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
        context.on("request", lambda asked: outside.append(asked.url))
        yield context.new_page()
        context.close()
    assert [url for url in outside if not url.startswith((address, "data:", "blob:"))] == []


def run_all(page, part: str) -> dict[str, list[str]]:
    """Open a notebook, run it as a reader does, and return what its cells gave."""
    page.goto(f"/lab/index.html?path=chapters/{part}.ipynb")
    wait_for_kernel(page)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(DONE, timeout=300_000)
    cells = page.evaluate(f"{NOTEBOOK}.model.sharedModel.toJSON()")["cells"]
    return {cell["id"]: texts(cell["outputs"]) for cell in cells if cell["cell_type"] == "code"}


@pytest.mark.browser
@pytest.mark.skipif(
    not wasm.is_whole(wasm.PLACE),
    reason="no Python for notebooks in build/wasm/runtime: make pyodide",
)
@pytest.mark.parametrize("part", RUN)
def test_a_notebook_runs_and_stores_an_answer(page, record_property, part):
    begun = time.monotonic()
    given = run_all(page, part)
    took = time.monotonic() - begun
    record_property("table", f"JupyterLite: {part} opened and run in {took:.1f} s")
    printed = nbformat.read(ROOT / "chapters" / f"{part}.ipynb", as_version=4).cells
    expected = {cell.id: texts(cell.outputs) for cell in printed if cell.cell_type == "code"}
    assert given.pop("install") == []
    assert given == expected
    if part == RUN[0]:
        page.evaluate(TO_CELL, "ex.ndcg_from_scratch")
        card = page.locator(".jp-OutputArea .exercise").filter(has_text="NDCG@5").first
        fill(card, ANSWERS)
        card.get_by_text("own-list ideal").first.wait_for(timeout=60_000)
        fill(card, RIGHT)
        card.get_by_text("✓ Correct").wait_for(timeout=60_000)
        page.evaluate(TO_CELL, "explorables.metric_values")
        moved = page.locator('.explorable-control[data-control="k"] input').first
        # The lab draws the cell again when it has scrolled there; a key pressed before is lost.
        start = moved.input_value()
        while moved.input_value() == start:
            moved.press("ArrowRight")
            page.wait_for_timeout(200)
        # The kernel, which is Python in this browser, has answered.
        page.locator(".explorable-svg").get_by_text("K = 6").wait_for(timeout=60_000)
        answered = "{'ranking.e5': (2, 'PASS')}"
        # The browser keeps it in a file, which the kernel of another notebook reads.
        installs = page.evaluate(f"{NOTEBOOK}.model.cells.get(0).sharedModel.source")
        page.goto(f"/lab/index.html?path=chapters/{RUN[1]}.ipynb")
        wait_for_kernel(page)
        page.evaluate(ASK, installs)
    else:
        answered = "{}"
    assert page.evaluate(ASK, KEPT) == f"/drive/progress.json {answered}\n"
