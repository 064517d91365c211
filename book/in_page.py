"""The Python that runs in the book's pages: where it comes from, and what of the library it gets.

A page loads nothing of it until its reader presses Run or Check. It then loads the files that
`_static/python/manifest.js` names: the runtime, which is Pyodide, from its public address or from
beside the book (`make book PYODIDE=folder`), and the library without all that exercises do not
need. A cell of a chapter needs more of it, and may ask for SciPy or for data: those come when it
does. The page takes no file whose SHA-256 is not the one in the manifest.
"""

from __future__ import annotations

import ast
import base64
import csv
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import tarfile
import tokenize
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import recsys_metrics
from recsys_metrics._core.package_names import CONTENT, content_folder
from recsys_metrics.workbook.browser import cells as page_cells
from recsys_metrics.workbook.exercises.bank import as_json

ROOT = Path(__file__).resolve().parents[1]
VERSION = "0.27.7"
CONTENT_PACKAGE = CONTENT.replace("-", "_")
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
# Compiled packages, as Pyodide's own lock file has them: where each stands here, with its hash.
with Path(__file__).with_name("pyodide_packages.csv").open(encoding="utf-8") as _file_of_packages:
    PACKAGES = {one["name"].lower(): one for one in csv.DictReader(_file_of_packages)}
# Bytes and SHA-256 of each. Those of the runtime are of the package on npm, whose hash
# `dev/tools/wasm.py` has.
RUNTIME = {
    "pyodide.js": (14913, "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98"),
    "pyodide.asm.js": (
        1255688,
        "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    ),
    "pyodide.asm.wasm": (
        10105545,
        "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    ),
    "python_stdlib.zip": (
        2360737,
        "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    ),
}


# Pages whose cells ask for engines of data frames: no Python in a browser has them all.
OF_ENGINES = ("chapters/recipes", "chapters/scale", "chapters/your_log")


def _files_with(name: str) -> dict[str, tuple[int, str]]:
    return {
        one["file"]: (int(one["bytes"]), one["sha256"])
        for one in PACKAGES.values()
        if one["comes_with"] == name
    }


RUNTIME |= _files_with("numpy")
# What only some cells ask for, by the name they import.
ON_REQUEST = {name: _files_with(name) for name in ("scipy", "matplotlib")}
ALL = RUNTIME | {name: facts for files in ON_REQUEST.values() for name, facts in files.items()}
# Of Pyodide's lock file what its loader reads. What is not listed cannot be imported, and no
# attempt to import it leaves the site.
LOCK = {
    "info": {
        "abi_version": "2024_0",
        "arch": "wasm32",
        "platform": "emscripten_3_1_58",
        "python": "3.12.7",
        "version": VERSION,
    },
    "packages": {
        name: {
            "depends": one["depends"].split(),
            "file_name": one["file"],
            "imports": one["imports"].split(),
            "install_dir": one["install_dir"],
            "name": one["name"],
            "package_type": one["package_type"],
            "sha256": one["sha256"],
            "unvendored_tests": one["unvendored_tests"] == "true",
            "version": one["version"],
        }
        for name, one in PACKAGES.items()
    },
}
# What only the page *Evaluate my own lists* imports and reads, and the package of Python alone that
# reads its columns.
NUMBERS = ("frames", "workbook/browser/upload_evaluation")
# What it imports as well, and no exercise does.
SHARED = ("peers", "workbook/common/tables.py", "_core/csv_injection.py")
TABLES = tuple(f"data/{name}.csv" for name in ("conventions", "equivalences", "libraries"))
COLUMNS = "narwhals"
# What no exercise imports.
LEFT_OUT = (
    *("cli", "convert.py", "data", "workbook/cards", "workbook/checking", "workbook/course"),
    *("workbook/explorables", "workbook/grading", "workbook/lab", "workbook/opening_figures"),
    "workbook/source_checks",
    *(f"workbook/charts/{name}.py" for name in ("beyond_accuracy", "bias", "board", "catalogue")),
    *(f"workbook/charts/{name}.py" for name in ("ranking", "rating", "samples")),
    *(f"workbook/common/{name}" for name in ("content.py", "frontend", "mathml.py", "toc.py")),
    *(f"workbook/exercises/{name}" for name in ("card_widget.py", "frontend", "schema.json")),
    *(f"workbook/experiments/{name}.py" for name in ("comparison_table", "interval_coverage")),
    *(f"workbook/experiments/{name}.py" for name in ("interval_study", "judge_study")),
    *(
        f"workbook/experiments/{name}.py"
        for name in ("optional_datasets", "scale", "sequences", "speed")
    ),
    *(f"workbook/progress/{name}.py" for name in ("_reviews", "review_questions")),
    *(f"workbook/progress/{name}.py" for name in ("hand_in", "handed_answers")),
    *(f"_core/{name}.py" for name in ("toml_lines", "windows_names")),
    "workbook/charts/general.py",
    *NUMBERS,
    *SHARED,
)
# What is read for no docstring.
OWN = ("workbook",)
# Where exercises are data.
BANK = ("workbook/exercises",)
# Packages of Python alone that the library imports, and Pyodide has not.
ALONG = ("markdown-it-py", "mdurl")
# The command of markdown-it and its trees, which nothing here imports.
UNUSED = ("markdown_it/cli/*", "markdown_it/tree.py")
# And what no cell of a chapter imports either.
STAYS = (
    *("cli", "workbook/checking", "workbook/course", "workbook/grading", "workbook/lab"),
    *NUMBERS,
)
# Of the site itself; all else of its own are data.
ARCHIVES = ("library", "rest", "numbers")
# The printer of IPython is a module on its own. The rest of it stays away; a chapter asks it for
# one thing, to show something before the last line.
PRINTER = "IPython/lib/pretty.py"
INSTEAD = {
    "IPython/__init__.py": "def get_ipython(): return None\n",
    "IPython/display.py": "from recsys_metrics.workbook.browser.cells import display\n",
    "IPython/lib/__init__.py": "",
    f"{CONTENT_PACKAGE}/__init__.py": "",
}


def library() -> bytes:
    """Return the archive of what exercises import: the same bytes from the same sources."""
    files = {
        name: content
        for name, content in _of_the_library("")
        if _is_for_exercises(name) and not _is(name, LEFT_OUT)
    }
    for package in ALONG:
        files |= _of_package(package, ".py")
    return packed_code(files)


def rest() -> bytes:
    """Return the archive of what a page's cells import besides."""
    files = {
        name: content
        for name, content in _of_the_library("")
        if not _is(name, STAYS) and (_is(name, LEFT_OUT) or not _is_for_exercises(name))
    }
    files |= _of_package("ipython", PRINTER) | _of_package("platformdirs", ".py")
    return packed_code(files | {name: text.encode() for name, text in INSTEAD.items()})


def numbers() -> bytes:
    """Return the archive of what the page *Evaluate my own lists* imports besides."""
    files = {
        name: content
        for name, content in _of_the_library("")
        if _is(name, (*NUMBERS, *SHARED, *TABLES))
    }
    return packed_code(files | _of_package(COLUMNS, ".py"))


def data() -> dict[str, bytes]:
    """Return the data sets that come with the chapters, packed so that any Python unpacks them."""
    found = {}
    for path in sorted((content_folder() or ROOT).glob("*.npz.xz")):
        with zipfile.ZipFile(io.BytesIO(lzma.decompress(path.read_bytes()))) as columns:
            members = {name: columns.read(name) for name in columns.namelist()}
        found[path.name.partition(".")[0]] = packed(members)
    return found


def _is(name: str, parts: tuple[str, ...]) -> bool:
    inside = name.partition("/")[2]
    return any(inside == part or inside.startswith(f"{part}/") for part in parts)


def _is_for_exercises(name: str) -> bool:
    """Whether a file that is not left out is code, or an exercise that is data."""
    return name.endswith(".py") or (_is(name, BANK) and name.endswith(".json"))


def _of_the_library(ending: str) -> Iterator[tuple[str, bytes]]:
    home = Path(recsys_metrics.__file__).parent
    for path in home.rglob(f"*{ending}"):
        if path.is_file() and "__pycache__" not in path.parts:
            if path.suffix == ".yaml":
                # A page has no reader of YAML.
                path, source = path.with_suffix(".json"), as_json(path)
                yield f"{home.name}/{path.relative_to(home).as_posix()}", source
                continue
            source = path.read_bytes()
            name = f"{home.name}/{path.relative_to(home).as_posix()}"
            if path.suffix == ".py":
                text = _without_comments(source.decode())
                # No page shows the docstring of a function that is not of the library.
                source = (_without_docstrings(text) if _is(name, OWN) else text).encode()
            yield name, source


def _without_comments(source: str) -> str:
    """Return code with an empty line for each comment, which a page has no use for."""
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        number, column = token.start
        if token.type == tokenize.COMMENT and not lines[number - 1][:column].strip():
            lines[number - 1] = ""
    return "\n".join(lines)


def _without_docstrings(source: str) -> str:
    """Return code with empty lines for its docstrings, so that each line keeps its number."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        of_code = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if of_code and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            lines[docstring.lineno - 1 : docstring.end_lineno] = [
                "" if len(node.body) > 1 else " " * docstring.col_offset + '""',
                *[""] * (docstring.end_lineno - docstring.lineno),
            ]
    return "\n".join(lines)


def _of_package(package: str, ending: str) -> dict[str, bytes]:
    return {
        file.as_posix(): Path(str(file.locate())).read_bytes()
        for file in metadata.files(package) or ()
        if (file.as_posix().endswith(ending) and not any(map(file.match, UNUSED)))
        or file.name.startswith("LICENSE")
    }


def packed(files: dict[str, bytes]) -> bytes:
    """Return columns of NumPy in one file, the same for the same columns."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
        for name in sorted(files):
            opened.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
    return archive.getvalue()


def packed_code(files: dict[str, bytes]) -> bytes:
    """Return an archive of many small files, the same for the same files.

    It is compressed as a whole, which saves a quarter of what a zip file of them takes.
    """
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for name in sorted(files, key=lambda name: (Path(name).suffix, name)):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            opened.addfile(member, io.BytesIO(files[name]))
    return gzip.compress(archive.getvalue(), 9, mtime=0)


def manifest(address: str, ours: dict[str, bytes]) -> dict[str, Any]:
    """Return what a page must know to start its Python, and to give it more.

    Parameters
    ----------
    address : str
        Where the runtime is; empty for beside the manifest.
    ours : dict of str to bytes
        What the site itself has: its archives and its data sets, by their names.

    Returns
    -------
    dict
        The `files` to start with, the `lock`, and what brings `more`, by what asks for it.
    """

    def told(name: str, url: str, size: int, digest: str) -> dict[str, Any]:
        coded = base64.b64encode(bytes.fromhex(digest)).decode()
        return {"name": name, "url": url, "bytes": size, "sha256": coded}

    def of_ours(name: str) -> dict[str, Any]:
        return told(_file(name), address_of(name, ours[name]), len(ours[name]), _sha256(ours[name]))

    def of_theirs(files: dict[str, tuple[int, str]]) -> list[dict[str, Any]]:
        return [told(name, f"{address}{name}", *facts) for name, facts in files.items()]

    return {
        "files": [*of_theirs(RUNTIME), of_ours("library")],
        "more": {
            **{package: of_theirs(files) for package, files in ON_REQUEST.items()},
            **{name: [of_ours(name)] for name in ours if name != "library"},
        },
        "lock": LOCK,
    }


def address_of(name: str, content: bytes) -> str:
    """Return what a file of the site itself is called there: another one if it changes."""
    stem, ending = _file(name).split(".")
    return f"{stem}-{_sha256(content)[:12]}.{ending}"


def _file(name: str) -> str:
    # A server that knows what .gz is would say that the file is encoded, and a browser decode it.
    return f"{name}.packed" if name in ARCHIVES else f"{name}.npz"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# What shows a card or an interactive figure and does nothing else, and the cell below a card that
# answers it in code.
_CARD = re.compile(r"ex\.\w+(\.look_back\(\))?|explorables\.\w+\.\w+")
_CHECK = re.compile(r"^ex\.(\w+)\.check\([^()]*\)\Z", re.MULTILINE)


def lay_out_cells(notebook: dict[str, Any]) -> None:
    """Tag a notebook's cells for a page: imports are folded, cards and figures hide their code.

    Parameters
    ----------
    notebook : dict
        Its cells get tags; the file keeps what it has.
    """
    card = ""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"]).strip()
        tags = cell["metadata"].setdefault("tags", [])
        check = _CHECK.search(source)
        if check and card == f"ex.{check[1]}":
            tags.append("remove-cell")
        elif _CARD.fullmatch(source):
            tags.append("remove-input")
        elif only_imports(source):
            tags.append("hide-input")
            cell["metadata"]["mystnb"] = dict.fromkeys(PROMPTS, "What this page imports")
        card = source


# What is said over a folded input, while it is folded and while it is not.
PROMPTS = ("code_prompt_show", "code_prompt_hide")


def only_imports(source: str) -> bool:
    r"""Whether a cell imports something and does nothing else but give a short name.

    Examples
    --------
    >>> only_imports("import numpy as np\n%precision 3\n\nex = exercises.ranking")
    True
    >>> only_imports("import numpy as np\n\nprint(np.pi)"), only_imports("ex = exercises.ranking")
    (False, False)
    """
    try:
        body = ast.parse(re.sub(r"^%.*", "", source, flags=re.MULTILINE)).body
    except SyntaxError:  # a command of the shell
        return False
    imports = [one for one in body if isinstance(one, ast.Import | ast.ImportFrom)]
    names = [
        one
        for one in body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Attribute | ast.Name)
    ]
    return bool(imports) and len(imports) + len(names) == len(body)


def place_cells(app: Any, docname: str, source: list[str]) -> None:
    """Lay out the cells of a notebook that is read."""
    if app.env.doc2path(docname).suffix == ".ipynb":
        notebook = json.loads(source[0])
        lay_out_cells(notebook)
        source[0] = json.dumps(notebook)


def cells(notebook: Path) -> str:
    """Return a chapter's cells as a script that hands them over to its page.

    Parameters
    ----------
    notebook : Path
        With the outputs it was saved with.

    Returns
    -------
    str
        Of each cell its `source`, whether the page shows it (`shown`), and the digests of its
        outputs, with their drawings and without. What the page does not show and no other cell
        needs is left out.
    """
    found = []
    laid_out = json.loads(notebook.read_text(encoding="utf-8"))
    lay_out_cells(laid_out)
    for cell in laid_out["cells"]:
        tags = cell["metadata"].get("tags", [])
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or "remove-cell" in tags:
            continue
        shown = "remove-input" not in tags
        if shown or page_cells.must_run(source):
            outputs = page_cells.render_outputs(cell["outputs"])
            digests = {
                "digest": page_cells.hash_outputs(outputs),
                "said": page_cells.hash_outputs(outputs, drawn=False),
            }
            found.append({"source": source, "shown": shown, **digests})
    handed = json.dumps(found, separators=(",", ":"))
    return f"recsysBook.opened({json.dumps(f'cells/{notebook.stem}')},{handed});\n"


def notebooks() -> list[Path]:
    """Return the chapters whose cells a page runs."""
    return [ROOT / "chapters" / f"{name}.ipynb" for name in _chapters()]


@cache
def _chapters() -> list[str]:
    names = ("[0-9]*", "conventions", "errata")
    found = (path for name in names for path in (ROOT / "chapters").glob(f"{name}.ipynb"))
    return sorted(path.stem for path in found)


def mark(docname: str, body: str) -> str:
    """Return a page's body that says whose cells they are, if the page runs them."""
    name = docname.removeprefix("chapters/")
    return f'{body}<template data-cells="{name}"></template>' if name in _chapters() else body


def write(folder: Path, place: str) -> None:
    """Write the folder that the pages load their Python from.

    Parameters
    ----------
    folder : Path
        `_static/python` of a site.
    place : str
        An address or a folder with the runtime; empty for its public address.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder lacks a file, or one is not the one that is meant.
    """
    address = place or ADDRESS
    beside = is_folder(place)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if beside:
        for name, (_, digest) in ALL.items():
            source = Path(place) / name
            if not source.is_file():
                raise FileNotFoundError(
                    f"PYODIDE={place} contains no {name}. `make pyodide` fills build/wasm/runtime; "
                    "leave PYODIDE out for the public address"
                )
            if hashlib.sha256(source.read_bytes()).hexdigest() != digest:
                raise ValueError(f"{source} is not that of Pyodide {VERSION}: its SHA-256 differs")
            shutil.copyfile(source, folder / name)
    ours = {"library": library(), "rest": rest(), "numbers": numbers(), **data()}
    told = manifest("" if beside else f"{address.rstrip('/')}/", ours)
    for name, content in ours.items():
        (folder / address_of(name, content)).write_bytes(content)
    handed = json.dumps(told, separators=(",", ":"))
    (folder / "manifest.js").write_text(
        f'recsysBook.opened("python/manifest",{handed});\n', encoding="ascii"
    )


def place() -> str:
    """Return where this build is told to take the runtime from; empty if it is not told."""
    return os.environ.get("PYODIDE", "")


def is_folder(place: str) -> bool:
    """Whether that is a folder, whose files the site then holds."""
    return bool(place) and not place.startswith(("https://", "http://"))


def on_build(app: Any) -> None:
    """Write both folders into a site that is built."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        write(static / "python", place())
        (static / "cells").mkdir(exist_ok=True)
        for notebook in notebooks():
            (static / "cells" / f"{notebook.stem}.js").write_text(cells(notebook), encoding="ascii")
