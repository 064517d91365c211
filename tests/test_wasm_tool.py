"""Where `make pyodide` gets the packages of Python for the browser, and which files it takes."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = {"numpy.whl": b"numbers", "scipy.whl": b"science"}


@pytest.fixture
def wasm(monkeypatch, tmp_path):
    """The tool, for a runtime whose lock file names two packages."""
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import wasm

    entries = {
        name.partition(".")[0]: {
            "file_name": name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "depends": [],
        }
        for name, content in FILES.items()
    }
    (tmp_path / "pyodide-lock.json").write_text(json.dumps({"packages": entries}))
    monkeypatch.setattr(wasm, "COMPILED", ["numpy", "scipy"])
    monkeypatch.setattr(wasm, "KERNEL", ())
    return wasm


def source(name, files):
    return name, lambda names: ((file, files[file]) for file in names & files.keys())


def failing(error):
    def files(names):
        raise error
        yield

    return "a source that fails", files


def downloaded_files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.whl")}


def test_only_the_needed_part_of_the_archive_is_read(wasm, monkeypatch, tmp_path):
    pytest.importorskip("rich")
    archive = tmp_path / "release.tar.bz2"
    with tarfile.open(archive, "w:bz2") as packed:
        for name, content in {"other.whl": b"-", **FILES, "last.whl": b"-"}.items():
            about = tarfile.TarInfo(f"pyodide/{name}")
            about.size = len(content)
            packed.addfile(about, io.BytesIO(content))
    monkeypatch.setattr(wasm, "ARCHIVE", archive.as_uri())
    wasm.add_packages(tmp_path, [("archive", wasm.from_archive)])
    assert downloaded_files(tmp_path) == FILES


@pytest.mark.parametrize(
    "first",
    [
        failing(OSError("no such host")),
        failing(subprocess.CalledProcessError(1, "pip")),
        failing(tarfile.ReadError("truncated")),
        source("a part", {"numpy.whl": b"numbers"}),
        source("another build", {"numpy.whl": b"numbers", "scipy.whl": b"silence"}),
        source("nothing", {}),
    ],
)
def test_missing_files_come_from_the_next_source(wasm, tmp_path, first):
    wasm.add_packages(tmp_path, [first, source("all", FILES)])
    assert downloaded_files(tmp_path) == FILES


def test_if_all_sources_fail_each_reason_is_reported(wasm, tmp_path):
    sources = [failing(OSError("no such host")), source("another build", {"scipy.whl": b"silence"})]
    with pytest.raises(SystemExit) as end:
        wasm.add_packages(tmp_path, sources)
    told = str(end.value)
    assert told.startswith("no source has all packages of Python for the browser:\n")
    assert "a source that fails: no such host" in told
    assert "another build: scipy.whl is another file: its SHA-256 is not" in told
    assert downloaded_files(tmp_path) == {}


def test_the_large_archive_comes_first_only_in_ci(wasm):
    (first, _), (second, _) = wasm.sources(in_ci=True)
    assert first == wasm.ARCHIVE
    assert wasm.RUNTIME[1] in first
    assert [name for name, _ in wasm.sources(in_ci=False)] == [second, first]
