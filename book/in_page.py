"""The Python that runs in the book's pages: where it comes from, and what of the library it gets.

A page loads nothing of it until its reader presses Run or Check. It then loads the files that
`_static/python/manifest.js` names: the runtime, which is Pyodide, from its public address or from
beside the book (`make book PYODIDE=folder`), and the library without all that exercises do not
need. The page takes no file whose SHA-256 is not the one in the manifest.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import recsys_metrics

VERSION = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
# Bytes and SHA-256 of each. That of NumPy is in Pyodide's own lock file, those of the runtime are
# of the package on npm, whose hash `tools/wasm.py` has.
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
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl": (
        3061133,
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
    ),
}
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
        "numpy": {
            "depends": [],
            "file_name": "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl",
            "imports": ["numpy"],
            "install_dir": "site",
            "name": "numpy",
            "package_type": "package",
            "sha256": RUNTIME["numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"][1],
            "unvendored_tests": True,
            "version": "2.0.2",
        }
    },
}
# What no exercise imports.
LEFT_OUT = (
    *("cli", "data", "frames", "workbook/checking", "workbook/course", "workbook/explorables"),
    *("workbook/jupyter", "workbook/ledger", "workbook/lab.py", "workbook/folder.py"),
)
# Packages of Python alone that the library imports, and Pyodide has not.
ALONG = ("markdown-it-py", "mdurl")


def library() -> bytes:
    """Return the archive of what a page imports: the same bytes from the same sources."""
    home = Path(recsys_metrics.__file__).parent
    files = {}
    for path in home.rglob("*.py"):
        name = path.relative_to(home).as_posix()
        if not any(name == left or name.startswith(f"{left}/") for left in LEFT_OUT):
            files[f"{home.name}/{name}"] = path.read_bytes()
    for package in ALONG:
        for file in metadata.files(package) or ():
            if file.suffix == ".py" or file.name.startswith("LICENSE"):
                files[file.as_posix()] = Path(str(file.locate())).read_bytes()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            packed.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
    return archive.getvalue()


def manifest(address: str, archive: bytes) -> dict[str, Any]:
    """Return what a page must know to start its Python.

    Parameters
    ----------
    address : str
        Where the runtime is; empty for beside the manifest.
    archive : bytes
        The library.
    """
    digest = hashlib.sha256(archive).hexdigest()
    files = [
        *((name, f"{address}{name}", *facts) for name, facts in RUNTIME.items()),
        ("library.zip", f"library-{digest[:12]}.zip", len(archive), digest),
    ]
    return {
        "files": [
            {
                "name": name,
                "url": url,
                "bytes": size,
                "sha256": base64.b64encode(bytes.fromhex(digest)).decode(),
            }
            for name, url, size, digest in files
        ],
        "lock": LOCK,
    }


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
        for name, (_, digest) in RUNTIME.items():
            source = Path(place) / name
            if not source.is_file():
                raise FileNotFoundError(
                    f"PYODIDE={place} holds no {name}. `make pyodide` fills build/wasm/runtime; "
                    "leave PYODIDE out for the public address"
                )
            if hashlib.sha256(source.read_bytes()).hexdigest() != digest:
                raise ValueError(f"{source} is not that of Pyodide {VERSION}: its SHA-256 differs")
            shutil.copyfile(source, folder / name)
    archive = library()
    told = manifest("" if beside else f"{address.rstrip('/')}/", archive)
    (folder / told["files"][-1]["url"]).write_bytes(archive)
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
    """Write the folder into a site that is built."""
    if app.builder.format == "html":
        write(Path(app.outdir) / "_static" / "python", place())
