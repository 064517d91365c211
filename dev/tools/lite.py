"""Build the workbook as a site in which the notebooks themselves run: JupyterLite.

The kernel is Pyodide, Python in the browser. It and what notebooks import come from their public
addresses when a notebook is opened, or from beside the site, which then asks no other host. All
else, the project's own wheels included, is in the folder and needs no server.

    python dev/tools/lite.py                               into build/lite/site
    python dev/tools/lite.py --output FOLDER
    PYODIDE=build/wasm/runtime python dev/tools/lite.py    with what `make pyodide` fetched
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import lite_licences
import nbformat
import wasm

from book import in_page
from recsys_metrics._core.package_names import CONTENT, DISTRIBUTION

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("chapters", "solutions")
# What the chapters import besides the library. The first three come compiled with Pyodide, the
# others are pure Python.
NEEDED = (
    *("numpy", "scipy", "matplotlib"),
    *("anywidget", "ipywidgets", "markdown-it-py", "platformdirs"),
)
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
# What of JupyterLab's extensions works without a server, of those that an environment may hold.
EXTENSIONS = (
    *("@jupyter-widgets/jupyterlab-manager", "anywidget", "jupyterlab-myst"),
    KERNEL.partition(":")[0],
)
# What the kernel starts from, besides packages.
STARTED = (*in_page.RUNTIME, "pyodide-lock.json")
# JupyterLite shows the kernel its own files under /drive. Matplotlib warns of its first drawing.
FIRST_CELL = """# Packages come once for each notebook; progress.json keeps your answers.
%pip install -q {}
import logging, os
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
os.environ["RECSYS_METRICS_PROGRESS"] = "/drive/progress.json"
"""
# In the place of that, where it would bring nothing that helps.
ONLY_TO_READ = """*Only to be read here: the cells below need pandas, Polars, DuckDB or Spark, and
no Python in a browser has all of them. They run where the workbook is installed.*"""


def build_wheels(place: Path) -> list[Path]:
    """Build the wheels of the library and of its data sets, and return them."""
    place.mkdir(parents=True, exist_ok=True)
    for folder in (ROOT, ROOT / "recsys_workbook_content"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"the wheel could not be built:\n{done.stdout}{done.stderr}")
    wheels = sorted(place.iterdir())
    for wheel in wheels:
        if not wheel.name.endswith("-py3-none-any.whl"):
            sys.exit(f"{wheel.name} is not pure Python, so a browser cannot install it")
        if wheel.name.startswith(f"{in_page.CONTENT_PACKAGE}-"):
            wheel.write_bytes(with_plain_data(wheel.read_bytes()))
    return wheels


def with_plain_data(wheel: bytes) -> bytes:
    """Return a wheel of the content whose data a Python without lzma reads."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as built:
        files = {name: built.read(name) for name in built.namelist() if not name.endswith(".xz")}
    for name, columns in in_page.data().items():
        files[f"{in_page.CONTENT_PACKAGE}/{name}.npz"] = columns
    record = next(name for name in files if name.endswith(".dist-info/RECORD"))
    del files[record]
    lines = [f"{name},{_of_record(content)}\n" for name, content in files.items()]
    files[record] = "".join((*lines, f"{record},,\n")).encode()
    return in_page.packed(files)


def _of_record(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.decode().rstrip('=')},{len(content)}"


def lay_out(contents: Path) -> list[Path]:
    """Copy the notebooks, each with a first cell that installs what it needs."""
    laid = []
    for folder in FOLDERS:
        (contents / folder).mkdir(parents=True, exist_ok=True)
        for source in sorted((ROOT / folder).glob("*.ipynb")):
            notebook = nbformat.read(source, as_version=4)
            if f"{folder}/{source.stem}" in in_page.OF_ENGINES:
                first = nbformat.v4.new_markdown_cell(ONLY_TO_READ)
            else:
                first = nbformat.v4.new_code_cell(
                    FIRST_CELL.format(" ".join((DISTRIBUTION, CONTENT, *NEEDED)))
                )
            first["id"] = "install"
            notebook.cells.insert(0, first)
            notebook.metadata["kernelspec"] = {
                "display_name": "Python (Pyodide)",
                "language": "python",
                "name": "python",
            }
            target = contents / folder / source.name
            nbformat.write(notebook, target)
            laid.append(target)
    return laid


def lay_extensions(lite: Path) -> None:
    """Say which extensions of this environment the site has."""
    installed = Path(sys.prefix, "share", "jupyter", "labextensions")
    chosen = {
        "federated_extensions": [str(installed / name) for name in EXTENSIONS],
        "ignore_sys_prefix": ["federated_extensions"],
    }
    told = json.dumps({"LiteBuildConfig": chosen})
    (lite / "jupyter_lite_config.json").write_text(told, encoding="utf-8")


def lay_replaced(runtime: Path, beside: Path) -> None:
    """Put our wheels in the place of packages that the runtime names, and that nobody brings.

    Whoever asks for one gets what the runtime's own list says, before any wheel of ours.
    """
    place = beside / "pyodide-lock.json"
    lock = json.loads(place.read_text(encoding="utf-8"))
    for wheel in sorted((runtime / "wheels").glob("*.whl")):
        project, version, *_ = wheel.name.split("-")
        entry = lock["packages"].get(project.replace("_", "-"))
        if entry and not (beside / entry["file_name"]).exists():
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            entry |= {"file_name": wheel.name, "sha256": digest, "version": version}
            shutil.copyfile(wheel, beside / wheel.name)
    place.write_text(json.dumps(lock), encoding="utf-8")


def lay_runtime(lite: Path, place: str) -> list[Path]:
    """Say where the runtime is, or put it beside, and return the wheels that then come with it."""
    if not in_page.is_folder(place):
        address = f"{(place or in_page.ADDRESS).rstrip('/')}/pyodide.js"
        settings = {"litePluginSettings": {KERNEL: {"pyodideUrl": address}}}
        told = {"jupyter-lite-schema-version": 0, "jupyter-config-data": settings}
        (lite / "jupyter-lite.json").write_text(json.dumps(told), encoding="utf-8")
        return []
    runtime = Path(place).resolve()
    if not wasm.is_whole(runtime):
        sys.exit(f"PYODIDE={place} lacks what notebooks need: make pyodide fills {wasm.PLACE}")
    beside = lite / "static" / "pyodide"
    beside.mkdir(parents=True)
    for name in (*STARTED, *(package["file_name"] for package in wasm.packages(runtime))):
        shutil.copyfile(runtime / name, beside / name)
    lay_replaced(runtime, beside)
    return sorted((runtime / "wheels").glob("*.whl"))


def main() -> int:
    """Build the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "lite" / "site")
    output = parser.parse_args().output.resolve()
    work = output.parent / f"{output.name}-work"
    for folder in (output, work):
        shutil.rmtree(folder, ignore_errors=True)
    wheels = build_wheels(work / "wheels")
    laid = lay_out(work / "contents")
    lay_extensions(work)
    wheels += lay_runtime(work, in_page.place())
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--contents"]
    command += [str(work / "contents"), "--output-dir", str(output)]
    command += [part for wheel in wheels for part in ("--piplite-wheels", str(wheel))]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"JupyterLite could not be built:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    shutil.rmtree(work)
    lite_licences.write(output)
    print(f"{len(laid)} notebooks in {output}")
    print(f"to look at it: python -m http.server -d {output}, then open /lab/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
