"""Compare with other libraries on random lists, and write down how far apart they are.

Some of them cannot share an environment, so each group gets one of its own in build/peers. The
tests in tests/peers run in every one of them; what they compared goes to
recsys_metrics/data/peers.csv, from which a table of the book is made. A few more are installed
for `make bench-all`, which times them beside ours.

    python dev/tools/peers.py                   all of them
    python dev/tools/peers.py rectools ranx     some of them; the other rows of the table stay
    python dev/tools/peers.py --newest          their newest versions; the table stays
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import environments

from recsys_metrics.peers import LIBRARIES, like, versions

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "peers"
TABLE = ROOT / "recsys_metrics" / "data" / "peers.csv"
RESULTS = "RECSYS_METRICS_PEERS"
COLUMNS = ("library", "version", "measure", "ours", "comparisons", "difference")


def pinned(library: str) -> str:
    """Return what to install of a library: its package in the version that was looked at."""
    found = LIBRARIES[library]
    return f"{found.package}=={found.version}"


# What ours needs to evaluate the tables that they recommend.
OF_FRAMES = ("narwhals", "polars")

WITH = {
    "cornac": (),
    "evidently": ("pandas<3",),
    "implicit": (),
    "ir-measures": (pinned("pytrec-eval"),),
    "jurity": ("pandas<3",),
    "lenskit": (*OF_FRAMES, "torch"),
    "pytrec-eval": (),
    "ranx": (),
    "recbole": (),
    "recmetrics": ("matplotlib<3.9", "numpy<2"),
    "recommenders": (),
    "recpack": (),
    "rectools": OF_FRAMES,
    "replay": (),
    "rexmex": ("pandas<3", "six"),
    "scikit-learn": (),
    "surprise": ("pandas",),
    "torchmetrics": ("lightning", "torch"),
    "warprec": (),
}
"""What each library that is run needs besides itself."""

PYTHON = "3.13"
"""The Python of the environments. uv finds it, or downloads it where it is not installed."""

OLDER = {
    "recbole": "3.11",  # its version of ray has no wheel for a later one
    "recmetrics": "3.11",  # as has the pandas that it needs
}
"""The newest Python of those that do not run on `PYTHON`."""

PEERS = {library.replace("-", "_"): (pinned(library), *others) for library, others in WITH.items()}
"""What to install for the test file of each name."""
PEERS["ppi_python"] = (f"ppi-python=={versions()['ppi-python']}",)  # it knows no lists, but methods

TIMED = {
    "netcal": (f"netcal=={versions()['netcal']}",),
    "obp": (
        "matplotlib",
        "mypy-extensions",
        "pandas",
        "pyyaml",
        "scikit-learn",
        "seaborn",
        "torch",
        "tqdm",
    ),
}
"""What to install of those that are only timed."""

WITHOUT_THEIR_OWN = {"obp": ("obp==0.5.7", "pyieoe==0.1.1")}
"""What to put beside that whose own requirements no Python of ours can meet."""


def main() -> int:
    """Run the comparisons that were asked for and return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    everyone = ", ".join([*PEERS, *TIMED])
    parser.add_argument("peers", nargs="*", help=f"of {everyone}; all by default")
    parser.add_argument(
        "--newest", action="store_true", help="in their newest versions, with no row written"
    )
    options = parser.parse_args()
    asked = options.peers or [*PEERS, *([] if options.newest else TIMED)]
    unknown = [name for name in asked if name not in (*PEERS, *TIMED)]
    if unknown:
        parser.error(f"unknown {unknown[0]!r}; there are {everyone}")
    BUILD.mkdir(parents=True, exist_ok=True)
    failed = [name for name in asked if name in PEERS and not compare(name, newest=options.newest)]
    if not options.newest:
        for name in asked:
            if name in TIMED:
                environment(name)
        rows = read_table() | {key: row for name in asked for key, row in results(name).items()}
        write_table(rows)
        print(f"{len(rows)} rows in {TABLE.relative_to(ROOT)}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


def compare(name: str, *, newest: bool = False) -> bool:
    """Run one peer's tests in its environment and return whether they passed."""
    try:
        python = environment(name, newest=newest)
    except subprocess.CalledProcessError:
        return False  # uv said why, and the others are compared
    record = BUILD / f"{name}{'-newest' if newest else ''}.jsonl"
    record.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-o", "addopts=--import-mode=importlib", f"tests/peers/test_{name}.py"]
    # What another library's own code is warned of says nothing about its numbers.
    command += ["-W", "default"]
    print(f"· {name}", flush=True)
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, RESULTS: str(record)}, check=False)
    return done.returncode == 0


def environment(name: str, *, newest: bool = False) -> str:
    """Return the Python of a peer's environment, made if it is not there.

    One with the newest versions is made again each time.
    """
    home = BUILD / (f"{name}-newest" if newest else name)
    python = environments.program(home, "python")
    stamp = home / ".installed"
    own = PEERS[name] if name in PEERS else TIMED[name]
    if newest:
        own = tuple(requirement.partition("==")[0] for requirement in own)
    alone = WITHOUT_THEIR_OWN.get(name, ())
    wanted = ("numpy", "scipy", *environments.TESTING, *own)
    version = OLDER.get(name, PYTHON)
    recipe = "\n".join((version, *wanted, *alone))
    if newest or not stamp.exists() or stamp.read_text(encoding="utf-8") != recipe:
        print(f"· installing {', '.join((*own, *alone))}", flush=True)
        environments.create(home, version)
        environments.install(python, *wanted)
        if alone:
            environments.install(python, "--no-deps", *alone)
        stamp.write_text(recipe, encoding="utf-8")
    return python


def results(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what a peer's tests compared, a row per measure."""
    record = BUILD / f"{name}.jsonl"
    if not record.exists():
        return {}
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    together: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        together[line["library"], line["name"]].append(line)
    return {
        key: {
            "library": key[0],
            "version": found[0]["version"],
            "measure": key[1],
            "ours": measure_of(*key),
            "comparisons": sum(line["n"] for line in found),
            "difference": magnitude(max(line["largest"] for line in found)),
        }
        for key, found in together.items()
    }


def measure_of(library: str, name: str) -> str:
    """Return our measure as the table names it: that with a cut-off, where there are two."""
    takes_k = LIBRARIES[library].measures[name].takes_k
    return str(like(library, f"{name}@1" if takes_k else name).at(None))


def magnitude(difference: float) -> str:
    """Return a round bound, the same on every machine."""
    bounds = ("1e-12", "1e-9", "1e-6")
    return next((bound for bound in bounds if difference <= float(bound)), f"{difference:.0e}")


def read_table() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows that are there."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as table:
        return {(row["library"], row["measure"]): dict(row) for row in csv.DictReader(table)}


def write_table(rows: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Write the rows in order."""
    with TABLE.open("w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


if __name__ == "__main__":
    sys.exit(main())
