"""Coverage and width of prediction-powered intervals on simulated catalogues with a known truth.

The program `dev/tools/judge_study.py` writes the result into `recsys_metrics/data/judges.csv`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from recsys_metrics import ranking
from recsys_metrics._core import confidence_intervals
from recsys_metrics.protocol.judges import (
    PredictionPowered,
    prediction_powered_gain,
    prediction_powered_mean,
)
from recsys_metrics.workbook.common.tables import FormattedNumber, Table, table
from recsys_metrics.workbook.simulator import METRICS, JudgedCatalogue, SimulatedJudge

FloatArray = NDArray[np.float64]
Of = Literal["mean", "difference"]

N_CATALOGUES = 5_000
HUMAN = (50, 200)
MACHINE = 2_000
POPULATION = 3_000
BOUNDS = (0.0, 1.0)


@dataclass(frozen=True)
class JudgeRow:
    """What the intervals did on all catalogues.

    Attributes
    ----------
    of, metric : str
        The mean of the new recommender, or the difference to the old one; by which metric.
    n_human, n_machine : int
        Lists with labels of people, and lists with labels of the judge alone.
    catalogues, covered, human_covered, machine_covered : int
        Catalogues, and those whose interval contains the truth: prediction-powered, from the
        labels of people alone, and from those of the judge alone.
    width : float
        Median of the width divided by that of the interval from the labels of people alone.
    narrower : int
        Catalogues whose prediction-powered interval is the narrower one.
    weight : float
        Median weight of the judge.
    """

    of: str
    metric: str
    n_human: int
    n_machine: int
    catalogues: int
    covered: int
    human_covered: int
    machine_covered: int
    width: float
    narrower: int
    weight: float


COLUMNS = tuple(one.name for one in fields(JudgeRow))


class _Outcome(NamedTuple):
    covered: bool
    human: bool
    machine: bool
    width: float
    weight: float


def draw_catalogue(rng: np.random.Generator) -> JudgedCatalogue:
    """Return a catalogue with recommenders and a judge that nobody has seen before."""
    judge = SimulatedJudge(
        hits=rng.uniform(0.6, 0.95),
        false_alarms=rng.uniform(0.05, 0.4),
        verbosity=rng.uniform(0, 0.6),
        self_preference=rng.uniform(0, 0.6),
        list_effect=rng.uniform(0, 1),
    )
    old = rng.uniform(0.4, 1.4)
    return JudgedCatalogue(
        judge,
        relevant=rng.uniform(0.1, 0.4),
        spread=rng.uniform(0.3, 1.2),
        old=old,
        new=old + rng.uniform(-0.2, 0.5),
        shared=rng.uniform(0.4, 0.9),
    )


def compute_rows(n_catalogues: int = N_CATALOGUES, *, seed: int = 0) -> list[JudgeRow]:
    """Draw catalogues, label a few of their lists, and count how often the intervals are right.

    The users of a catalogue are its population: those whom people and the judge label are drawn
    from it with replacement, and its mean is the truth.
    """
    found: dict[tuple[str, str, int], list[_Outcome]] = {}
    for rng in map(np.random.default_rng, np.random.SeedSequence(seed).spawn(n_catalogues)):
        for key, outcome in _outcomes(rng):
            found.setdefault(key, []).append(outcome)
    return [_row(*key, outcomes) for key, outcomes in sorted(found.items())]


def _outcomes(rng: np.random.Generator) -> Iterator[tuple[tuple[str, str, int], _Outcome]]:
    old, new = draw_catalogue(rng).draw(POPULATION, seed=rng)
    some = {n: rng.integers(POPULATION, size=n) for n in HUMAN}
    many = rng.integers(POPULATION, size=MACHINE)
    for metric in METRICS:
        a, b = ((each.values(metric), each.values(metric, "machine")) for each in (old, new))
        truths = {"mean": b[0].mean(), "difference": (b[0] - a[0]).mean()}
        alone = {"mean": b[1][many], "difference": (b[1] - a[1])[many]}
        for n, few in some.items():
            parts = [(human[few], machine[few], machine[many]) for human, machine in (a, b)]
            results = {
                "mean": prediction_powered_mean(*parts[1], bounds=BOUNDS),
                "difference": prediction_powered_gain(*parts, bounds=BOUNDS),
            }
            for of, result in results.items():
                yield (of, metric, n), _outcome(result, float(truths[of]), alone[of])


def _outcome(found: PredictionPowered, truth: float, machine: FloatArray) -> _Outcome:
    moments = machine.mean(), machine.std(ddof=1), len(machine)
    low, high = confidence_intervals.of_mean(*moments, confidence_intervals.UNBOUNDED, found.level)
    return _Outcome(
        truth in found,
        truth in found.human,
        bool(low <= truth <= high),
        found.half_width / found.human.half_width,
        found.weight,
    )


def _row(of: str, metric: str, n: int, outcomes: Sequence[_Outcome]) -> JudgeRow:
    covered, human, machine, width, weight = (
        np.array(each) for each in zip(*outcomes, strict=True)
    )
    return JudgeRow(
        of,
        metric,
        n,
        MACHINE,
        len(outcomes),
        int(covered.sum()),
        int(human.sum()),
        int(machine.sum()),
        round(float(np.median(width)), 4),
        int((width < 1).sum()),
        round(float(np.median(weight)), 4),
    )


class PreciseCase(NamedTuple):
    """Standard errors of a mean of precision@4, in percentage points.

    Attributes
    ----------
    human : float
        From labels of people alone.
    combined : float
        Prediction-powered, with the labels of a judge.
    correlation : float
        Of the values from the labels of people and of the judge.
    """

    human: float
    combined: float
    correlation: float


def precise_case(n_repeats: int = 5_000, *, n: int = 30, seed: int = 0) -> PreciseCase:
    """Return what a judge saves in a simulation of the design of PRECISE (Divekar 2026).

    There 30 annotations of people and the labels of a model gave standard errors of precision@4 of
    4.45 and 3.50 points. Those annotations are not here, so that the judge is a simulated one,
    chosen so that the correlation is about the 0.62 that those standard errors imply.
    """
    rng = np.random.default_rng(seed)
    judge = SimulatedJudge(hits=0.82, false_alarms=0.2)
    _, lists = JudgedCatalogue(judge, relevant=0.45, spread=0.8, new=1.0).draw(20_000, seed=rng)
    human, machine = (
        ranking.precision(ranking.judge(lists.lists, labels), k=4, no_relevant="zero")
        for labels in map(sparse.csr_matrix, (lists.human, lists.machine))
    )
    found = []
    for _ in range(n_repeats):
        few, many = rng.integers(len(human), size=n), rng.integers(len(human), size=MACHINE)
        result = prediction_powered_mean(human[few], machine[few], machine[many], bounds=BOUNDS)
        found.append((result.human.estimate, result.estimate))
    errors = 100 * np.std(found, axis=0, ddof=1)
    correlation = float(np.corrcoef(human, machine)[0, 1])
    return PreciseCase(float(errors[0]), float(errors[1]), correlation)


def read_rows() -> list[JudgeRow]:
    """Return the rows that `dev/tools/judge_study.py` wrote."""
    text = files("recsys_metrics").joinpath("data/judges.csv").read_text(encoding="utf-8")
    kinds = {"of": str, "metric": str, "width": float, "weight": float}
    return [
        JudgeRow(**{name: kinds.get(name, int)(value) for name, value in row.items()})
        for row in csv.DictReader(text.splitlines())
    ]


def show(of: Of, *, n: int = 200) -> Table:
    """Return the coverage and the width of the intervals with n human labels, a row per metric."""
    rows = {row.metric: row for row in read_rows() if (row.of, row.n_human) == (of, n)}
    heads = ["Metric", "Prediction-powered", "Human labels", "Judge alone", "Width", "Weight"]
    return table(
        heads,
        [
            (
                metric,
                *(
                    FormattedNumber(f"{getattr(row, name) / row.catalogues:.3f}")
                    for name in ("covered", "human_covered", "machine_covered")
                ),
                FormattedNumber(f"{row.width:.2f}"),
                FormattedNumber(f"{row.weight:.2f}"),
            )
            for metric, row in ((name, rows[name]) for name in METRICS)
        ],
    )
