"""Build the workbook as a site in which the notebooks themselves run: JupyterLite.

The kernel is Pyodide, Python in the browser; it is fetched from its usual address when a notebook
is opened. All else, the project's own wheels included, is in the folder and needs no server.

    python tools/lite.py                  into build/lite/site
    python tools/lite.py --output FOLDER
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from recsys_metrics._distribution import CONTENT, DISTRIBUTION

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("chapters", "solutions")
# What the chapters import besides the library. The first three come compiled with Pyodide, the
# others are pure Python.
NEEDED = ("numpy", "scipy", "matplotlib", "ipywidgets", "markdown-it-py", "platformdirs")
FIRST_CELL = "# In the browser, packages are fetched once for each notebook.\n%pip install -q {}"


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
    return wheels


def lay_out(contents: Path) -> list[Path]:
    """Copy the notebooks, each with a first cell that installs what it needs."""
    laid = []
    for folder in FOLDERS:
        (contents / folder).mkdir(parents=True, exist_ok=True)
        for source in sorted((ROOT / folder).glob("*.ipynb")):
            notebook = nbformat.read(source, as_version=4)
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
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--contents"]
    command += [str(work / "contents"), "--output-dir", str(output)]
    command += [part for wheel in wheels for part in ("--piplite-wheels", str(wheel))]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"JupyterLite could not be built:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    shutil.rmtree(work)
    print(f"{len(laid)} notebooks in {output}")
    print(f"to look at it: python -m http.server -d {output}, then open /lab/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
