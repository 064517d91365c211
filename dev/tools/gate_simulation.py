"""Simulate how often the gate is wrong, and how often it decides (about a minute).

    .venv/bin/python dev/tools/gate_simulation.py [--repeats 1000] [--seed 0]

Each repeat draws the paired differences of 5,000 users, makes two reports of them and calls
`recsys_metrics.gate` with one check at 95%. The margin is the one at which a candidate with no
difference passes with a power of 90%. The true difference is minus the margin, where each pass and
each fail is wrong; 0, where 90% should pass; and minus twice the margin, where 90% should fail.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from recsys_metrics import Measure, Report, evaluate, gate
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._gate import margin_to_decide_hits
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._user_values import MemoryValues

USERS, REPEATS, POWER = 5_000, 1_000, 0.9
DEVIATIONS = (0.06, 0.10, 0.20)
MOST_WRONG, LEAST_DECIDED = 35, 850
"""Of 1,000 repeats: 25 wrong outcomes are expected on each side, and 900 decided."""

Draws = Callable[[np.random.Generator, float, float, tuple[int, int]], NDArray[np.float64]]


def draw_normal(
    rng: np.random.Generator, mean: float, sd: float, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Return differences of users who all change, normally distributed."""
    return rng.normal(mean, sd, shape)


def draw_sparse(
    rng: np.random.Generator, mean: float, sd: float, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Return differences of which 70% are 0, as if most users' lists had the same value."""
    share = 0.3
    # The variance of the changed ones that gives the whole the standard deviation.
    changed = math.sqrt((sd**2 + mean**2) / share - (mean / share) ** 2)
    drawn = rng.normal(mean / share, changed, shape)
    return np.where(rng.random(shape) < share, drawn, 0.0)


def draw_skewed(
    rng: np.random.Generator, mean: float, sd: float, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Return differences with a long tail of losses: 1 user in 20 loses much."""
    share = 0.05
    # A Bernoulli variable, scaled, plus noise with a tenth of the variance.
    size = math.sqrt(0.9) * sd / math.sqrt(share * (1 - share))
    rare = -size * ((rng.random(shape) < share) - share)
    return mean + rare + rng.normal(0, math.sqrt(0.1) * sd, shape)


def draw_hits(
    rng: np.random.Generator, mean: float, sd: float, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Return differences of hits, -1, 0 or 1, which have an exact interval."""
    changed = sd**2 + mean**2
    gained, lost = (changed + mean) / 2, (changed - mean) / 2
    if min(gained, lost) < 0:
        raise ValueError(
            f"no differences of hits have a mean of {mean} and a standard deviation of {sd}"
        )
    drawn = rng.random(shape)
    return np.select([drawn < gained, drawn < gained + lost], [1.0, -1.0], 0.0)


SHAPES: dict[str, Draws] = {
    "normal": draw_normal,
    "sparse": draw_sparse,
    "skewed": draw_skewed,
    "hits": draw_hits,
}


@dataclass(frozen=True)
class Setting:
    """A standard deviation, a shape, and where the truth lies, in margins."""

    deviation: float
    shape: str
    truth: float

    @property
    def margin(self) -> float:
        """The margin that no difference passes with the power."""
        if self.shape == "hits":
            return margin_to_decide_hits(self.deviation, USERS, (0.0, 1.0), 0.95, POWER)
        errors = stats.norm.ppf(0.975) + stats.norm.ppf(POWER)
        return float(errors * self.deviation / math.sqrt(USERS))


def settings() -> Iterator[Setting]:
    """Yield every setting."""
    # One generator draws for all, so what is added later comes last.
    for shapes in (("normal", "sparse", "skewed"), ("hits",)):
        for deviation, shape in product(DEVIATIONS, shapes):
            for truth in (-1.0, 0.0, -2.0):
                # Hits that lose so much cannot vary so little.
                if (deviation, shape, truth) != (0.06, "hits", -2.0):
                    yield Setting(deviation, shape, truth)


def simulate(setting: Setting, repeats: int, rng: np.random.Generator) -> Counter[str]:
    """Return how often each outcome was given."""
    template = evaluate([["A"]] * 2, [{"A"}] * 2, ["ndcg@1"])
    (measure,) = template.results
    old = fill(template, measure, np.full(USERS, 0.5))
    outcomes: Counter[str] = Counter()
    for start in range(0, repeats, 100):
        shape = (min(100, repeats - start), USERS)
        draw = SHAPES[setting.shape]
        for row in draw(rng, setting.truth * setting.margin, setting.deviation, shape):
            new = fill(template, measure, 0.5 + row)
            outcomes[gate(new, old, rules={measure: setting.margin}).outcome] += 1
    return outcomes


def fill(template: Report, measure: Measure, values: NDArray[np.float64]) -> Report:
    """Return a report of one metric with the given values of users."""
    users = MemoryValues({measure: values}, None, np.ones(len(values), dtype=np.int64))
    result = Result(measure, Aggregate.from_values(values), users)
    return replace(template, results={measure: result}, user_values=users)


def faults(setting: Setting, outcomes: Counter[str], repeats: int) -> list[str]:
    """Return which bounds a setting exceeds."""
    if setting.truth == -1:
        most = MOST_WRONG * repeats / REPEATS
        return [f"wrong {each}" for each in ("pass", "fail") if outcomes[each] > most]
    right, wrong = ("pass", "fail") if setting.truth == 0 else ("fail", "pass")
    found = ["too few decided"] if outcomes[right] < LEAST_DECIDED * repeats / REPEATS else []
    return found + ([f"wrong {wrong}"] if outcomes[wrong] else [])


def main() -> int:
    """Print the counts of every setting; the exit code is 1 if one exceeds its bounds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print("| sd | differences | true difference | margin | pass | undecided | fail |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    failed = False
    for setting in settings():
        outcomes = simulate(setting, given.repeats, rng)
        cells = " | ".join(f"{outcomes[each]:,}" for each in ("pass", "undecided", "fail"))
        wrong = ", ".join(faults(setting, outcomes, given.repeats))
        failed = failed or bool(wrong)
        print(
            f"| {setting.deviation:.2f} | {setting.shape} | {setting.truth:g} margins | "
            f"{setting.margin:.5f} | {cells} | {wrong}".rstrip(" |")
            + " |"
        )
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
