"""What the pages load their Python from: every file is the one that is meant, and is enough."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
from importlib import import_module
from pathlib import Path

import pytest

from recsys_metrics.datasets import _packed
from recsys_metrics.workbook.browser import code_check
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.function import Function
from tests.tiers import another_program

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "build" / "wasm" / "runtime"
FUNCTIONS = {name: one for name, one in REGISTRY.items() if isinstance(one, Function)}

# All that a page does, where nothing can be imported but NumPy and the standard library.
ALONE = """
import json, sys

class NotThere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {"numpy", "recsys_metrics", "markdown_it", "mdurl"}:
            if name.partition(".")[0] not in sys.stdlib_module_names:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotThere())
sys.path.insert(0, sys.argv[1])
from recsys_metrics.workbook.browser import code_check as page
from recsys_metrics.workbook.exercises import REGISTRY
assert page.__file__.startswith(sys.argv[1])
outcomes = {}
for name, one in REGISTRY.items():
    if hasattr(one, "cases"):
        ours = f"from recsys_metrics.workbook.exercises import REGISTRY\\n{one.function} = "
        ours += f"REGISTRY[{name!r}]."
        ways = ["solve", "mistakes[0].wrong_answer"]
        outcomes[name] = [json.loads(page.check(name, ours + way, len))["outcome"] for way in ways]
print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def book_module():
    """Import a module of the book by its name."""
    sys.path.insert(0, str(ROOT / "book"))
    yield import_module
    sys.path.remove(str(ROOT / "book"))


@pytest.fixture(scope="module")
def in_page(book_module):
    return book_module("in_page")


def read_manifest(folder):
    text = (folder / "manifest.js").read_text(encoding="ascii")
    head = 'recsysBook.opened("python/manifest",'
    assert text.startswith(head)
    return json.loads(text[len(head) : -3])


def names_in(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return opened.getnames()


def test_the_archive_is_small_and_reproducible(in_page):
    archive = in_page.library()
    assert archive == in_page.library()
    # A ninth of what the runtime, the standard library and NumPy take beside it.
    assert len(archive) < 1_050_000
    names = names_in(archive)
    assert "recsys_metrics/workbook/browser/code_check.py" in names
    assert not [name for name in names if name.endswith((".ipynb", ".npz", ".csv"))]
    # Without the grader and its answers' way to a grade.
    assert not [name for name in names if "/course/" in name]
    for package in in_page.ALONG:
        assert [n for n in names if n.startswith(package.replace("-", "_")) and "LICENSE" in n]


def test_the_archive_and_numpy_suffice_to_check_all_functions(in_page, tmp_path):
    with tarfile.open(fileobj=io.BytesIO(in_page.library())) as archive:
        archive.extractall(tmp_path, filter="data")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert set(outcomes) == set(FUNCTIONS)
    assert set(map(tuple, outcomes.values())) == {("PASS", "WRONG")}


@another_program
def test_the_manifest_has_hash_and_address_of_each_file(in_page, tmp_path):
    in_page.write(tmp_path / "python", "")
    files = {file["name"]: file for file in read_manifest(tmp_path / "python")["files"]}
    library = files.pop("library.packed")
    assert all(file["url"].startswith(in_page.ADDRESS) for file in files.values())
    content = (tmp_path / "python" / library["url"]).read_bytes()
    assert len(content) == library["bytes"]
    assert base64.b64decode(library["sha256"]) == hashlib.sha256(content).digest()
    in_page.write(tmp_path / "python", "https://example.org/py")
    first = read_manifest(tmp_path / "python")["files"][0]
    assert first["url"] == "https://example.org/py/pyodide.js"


def test_the_speed_page_lists_the_downloaded_files(in_page):
    text = (ROOT / "chapters" / "speed.md").read_text(encoding="utf-8")
    said = "".join(re.findall(r"\| what comes [^\n]*\n.*?\n\n", text, re.DOTALL))
    size = {name: n / 1000 for name, (n, _) in in_page.RUNTIME.items()}
    ours = {"the exercises": in_page.library(), "the rest of the library": in_page.rest()}
    ours["your own numbers"] = in_page.numbers()
    data = in_page.data()
    ours["MovieLens"], ours["Open Bandit"] = (data[name] for name in sorted(data))
    more = {name: sum(n for n, _ in files.values()) for name, files in in_page.ON_REQUEST.items()}
    parts = {
        "Pyodide, the runtime": sum(size[name] for name in size if name.startswith("pyodide")),
        "the standard library": size["python_stdlib.zip"],
        "NumPy": next(size[name] for name in size if name.startswith("numpy")),
        "SciPy": more["scipy"] / 1000,
        "Matplotlib": more["matplotlib"] / 1000,
        **{name: len(archive) / 1000 for name, archive in ours.items()},
    }
    for name, kilobytes in parts.items():
        written, compressed = re.search(rf"\| {name} \| (\S+) \| (\S+) \|", said).groups()
        # The library grows with every week.
        near = 0.1 if name in ours else 0.001
        assert int(written.replace(",", "")) == pytest.approx(kilobytes, rel=near), name
        assert int(compressed.replace(",", "")) < kilobytes


def test_the_second_archive_has_all_cell_imports_and_no_grading_code(in_page):
    names = names_in(in_page.rest())
    assert not set(names) & set(names_in(in_page.library()))
    for wanted in (
        "IPython/lib/pretty.py",
        "recsys_metrics/workbook/explorables/ranking/metric_values.py",
    ):
        assert wanted in names
    assert "recsys_metrics/data/metrics.csv" in names
    assert not [name for name in names if "/course/" in name or name.endswith(".ipynb")]


def test_unpacked_data_equal_the_packed_data(in_page, tmp_path, monkeypatch):
    for name, archive in in_page.data().items():
        (tmp_path / f"{name}.npz").write_bytes(archive)
        monkeypatch.setattr(_packed, "content_folder", lambda: tmp_path)
        assert _packed.content_hash(_packed.read_packed(name)) == _packed.CONTENT_HASHES[name]
        (tmp_path / f"{name}.npz").unlink()
        monkeypatch.setitem(sys.modules, "lzma", None)
        with pytest.raises(ImportError, match="no lzma module") as raised:
            _packed.read_packed(name)
        assert Path(raised.value.path).name == f"{name}.npz.xz"
        monkeypatch.undo()


def test_a_missing_or_wrong_runtime_file_raises(in_page, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"contains no pyodide\.js.*make pyodide"):
        in_page.write(tmp_path / "python", str(tmp_path))
    (tmp_path / "pyodide.js").write_text("another", encoding="ascii")
    with pytest.raises(ValueError, match=r"pyodide\.js is not that of Pyodide"):
        in_page.write(tmp_path / "python", str(tmp_path))


@pytest.mark.skipif(
    not RUNTIME.is_dir(), reason="no Python for a browser in build/wasm/runtime: make pyodide"
)
def test_the_bundled_runtime_is_complete_and_matches_its_lock_file(in_page, tmp_path):
    in_page.write(tmp_path / "python", str(RUNTIME))
    manifest = read_manifest(tmp_path / "python")
    assert set(manifest["more"]) == {
        *("rest", "numbers", "scipy", "matplotlib", "movielens_latest_small", "open_bandit_sample")
    }
    for file in [*manifest["files"], *(one for more in manifest["more"].values() for one in more)]:
        content = (tmp_path / "python" / file["url"]).read_bytes()
        assert len(content) == file["bytes"]
        assert base64.b64decode(file["sha256"]) == hashlib.sha256(content).digest()
    lock = json.loads((RUNTIME / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert lock["info"] == in_page.LOCK["info"]
    for name, ours in in_page.LOCK["packages"].items():
        theirs = lock["packages"][name]
        # Of what it imports only that by which it is asked for.
        assert set(ours["imports"]) <= set(theirs["imports"])
        assert ours == {key: theirs[key] for key in ours} | {"imports": ours["imports"]}
        assert set(ours["depends"]) <= set(in_page.LOCK["packages"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_card_starts_with_a_stub_and_a_runnable_case(name, book_module):
    table, asked = book_module("cards").card(FUNCTIONS[name]), FUNCTIONS[name]
    begun = json.loads(code_check.check(name, table["stub"], len))
    assert begun["outcome"] == "NOT_ATTEMPTED"
    says = "still a <code>...</code> to fill in" if asked.template else "no body yet"
    assert says in "".join(begun["lines"])
    ours = f"from recsys_metrics.workbook.exercises import REGISTRY\n{asked.function} = "
    (shown,) = json.loads(code_check.run_case(f"{ours}REGISTRY[{name!r}].solve", table["trial"]))[
        "lines"
    ]
    came_back = re.fullmatch(
        r".*Came back:</strong> <code>(?:np\.float64\()?([\d.]+)\)?</code>.*", shown
    )
    assert float(came_back[1]) == asked.expected[0]
    assert table["solution"]
