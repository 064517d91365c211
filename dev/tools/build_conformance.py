"""Write dev/conformance/cases.json and readings.csv: what libraries agree on, as data.

    python dev/tools/build_conformance.py            both files
    python dev/tools/build_conformance.py --check    only say whether they are in step
    python dev/tools/build_conformance.py --run      ask the libraries that make peers has installed

The readings are those of the per-list measures of relevance that `make peers` compared with at
least one library that was run.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import recsys_metrics as rm
from recsys_metrics.measures import METRICS
from recsys_metrics.peers import LIBRARIES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "dev" / "conformance"
PEERS = ("ir_measures", "lenskit", "pytrec_eval", "rectools", "torchmetrics")
CUTS = (1, 3, 10)
USERS, ITEMS = 24, 12
# What has two names: the share of the most that could be found, told from either side.
ALSO = {"recall(denominator=achievable)": "precision(denominator=achievable)"}


def cases(seed: int = 20261123) -> dict[str, object]:
    """Return lists and grades of all kinds that libraries are known to disagree about."""
    rng = np.random.default_rng(seed)
    names = [f"i{item:02d}" for item in range(ITEMS)]
    lists: dict[str, list[str]] = {"u00": ["i00", "i01", "i02"], "u01": ["i03"], "u02": names[::-1]}
    grades: dict[str, dict[str, int]] = {
        "u00": {"i00": 0, "i05": 0},
        "u01": {"i03": 1},
        "u02": dict.fromkeys(names, 1),
    }
    for user in range(3, USERS):
        order = rng.permutation(ITEMS)[: int(rng.integers(1, ITEMS + 1))]
        judged = rng.permutation(ITEMS)[: int(rng.integers(2, 10))]
        values = rng.integers(0, 4, len(judged))
        values[0] = max(values[0], 1)
        lists[f"u{user:02d}"] = [names[item] for item in order]
        grades[f"u{user:02d}"] = {
            names[item]: int(value) for item, value in zip(judged, values, strict=True)
        }
    return {"cuts": list(CUTS), "lists": lists, "grades": grades}


def agreed() -> dict[str, list[str]]:
    """Return the libraries that computed each reading when they were run, by its text."""
    found: dict[str, set[str]] = {}
    with (ROOT / "recsys_metrics" / "data" / "peers.csv").open(encoding="utf-8") as file:
        compared = {(row["library"], row["measure"]) for row in csv.DictReader(file)}
    for library, name in compared:
        reading = LIBRARIES[library].measures[name]
        if reading.text and reading.takes_k:
            text = plain(reading.text)
            found.setdefault(ALSO.get(text, text), set()).add(library)
    return {text: sorted(found[text]) for text in sorted(found) if of_lists(text)}


def plain(text: str) -> str:
    """Return a reading without what it makes of a user with nothing relevant."""
    return str(rm.measure(text).with_options(no_relevant="nan")) if "no_relevant" in text else text


def of_lists(text: str) -> bool:
    """Whether a measure asks for a list and what is relevant, and nothing else."""
    metric = METRICS[rm.measure(text).name]
    return metric.per_user and metric.needs == ("relevant",)


def table(told: Mapping[str, object], texts: Mapping[str, list[str]]) -> str:
    """Return the readings' values as CSV, a column per user."""
    judged = rm.judge(told["lists"], told["grades"])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["reading", "k", "agreed", *judged.users])
    for text, libraries in texts.items():
        for k in CUTS:
            values = rm.measure(text).at(k)(judged)
            shown = ["" if np.isnan(value) else f"{value:.12g}" for value in values]
            writer.writerow([text, k, " ".join(libraries), *shown])
    return out.getvalue()


def run() -> int:
    """Ask each library in its environment, write what their functions compute."""
    rows: list[str] = []
    for name in PEERS:
        python = ROOT / "build" / "peers" / name / "bin" / "python"
        if not python.exists():
            sys.exit(f"{name} has no environment; run make peers ARGS={name}")
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "results.csv")
            adapter = FOLDER / "adapters" / f"{name}.py"
            command = [str(python), str(FOLDER / "run.py"), str(adapter), "--out", str(out)]
            if subprocess.run(command, check=False).returncode:
                return 1
            rows += out.read_text(encoding="utf-8").splitlines()[bool(rows) :]
    (FOLDER / "results.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return 0


def main() -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    parser.add_argument("--run", action="store_true", help="ask the libraries in build/peers")
    options = parser.parse_args()
    if options.run:
        return run()
    check = options.check
    told = cases()
    stale = 0
    for name, text in (
        ("cases.json", json.dumps(told, indent=1) + "\n"),
        ("readings.csv", table(told, agreed())),
    ):
        path = FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            name = path.relative_to(ROOT)
            print(f"{name} is out of step; run python dev/tools/build_conformance.py")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
