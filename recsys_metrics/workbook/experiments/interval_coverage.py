"""How often do 95 % intervals of off-policy estimates hold the truth, by effective sample size?

Five hundred logs of a feed with one slot: popularity chose what was shown, more surely from setting
to setting, and each log is asked about a policy that follows people's taste. The program
`dev/tools/off_policy_coverage.py` writes what comes out into `recsys_metrics/data/coverage.csv`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.bias import off_policy
from recsys_metrics.bias.off_policy import EstimatorErrors
from recsys_metrics.workbook.simulator import Feed, Policy, SlateLog

FEED = Feed(examination=(1.0,))
TARGET = Policy(sharpness=2.0)
SHARPNESS = (1.0, 2.0, 3.0, 4.0)
ROUNDS = (50, 150, 500, 1_500, 5_000)
N_LOGS = 500


@dataclass(frozen=True)
class Row:
    """What one estimator did in one setting.

    Attributes
    ----------
    sharpness : float
        Of the policy that made the logs.
    rounds, logs : int
    estimator : str
    effective_sample_size : float
        Mean over the logs.
    n_covered : int
        Logs whose 95 % interval holds the truth.
    relative_error : float
        Mean over the logs.
    """

    sharpness: float
    rounds: int
    logs: int
    estimator: str
    effective_sample_size: float
    n_covered: int
    relative_error: float

    @property
    def coverage(self) -> float:
        """Share of logs whose interval holds the truth."""
        return self.n_covered / self.logs


COLUMNS = tuple(one.name for one in fields(Row))


def popularity_policy(sharpness: float) -> Policy:
    """Return a policy that knows no taste."""
    return Policy(sharpness, taste=0.0)


def estimator_inputs(
    drawn: SlateLog, target: Policy = TARGET, *, taste: float = 0.0, feed: Feed = FEED
) -> tuple[NDArray[Any], ...]:
    """Return what `off_policy.estimates` takes of a log with one slot, by a model that knows taste.

    Parameters
    ----------
    drawn : SlateLog
    target : Policy
        The target policy.
    taste : float
        How much of the people's taste the model of the rewards knows.
    feed : Feed
        That drew the log.

    Returns
    -------
    rewards, actions, propensities, policy, reward_model
    """
    model = feed.appeal(drawn.user, drawn.pool, taste=taste)
    chances = feed.first_rank_propensities(target, drawn)
    return drawn.clicks[:, 0], drawn.pool_indices[:, 0], drawn.propensities[:, 0], chances, model


@cache
def true_value(target: Policy = TARGET) -> float:
    """Return the clicks per round of a policy: expected over its choices and over clicks."""
    drawn = FEED.log(Policy(0.0), 400_000, seed=9)
    chances = FEED.first_rank_propensities(target, drawn)
    return float((chances * FEED.appeal(drawn.user, drawn.pool)).sum(axis=1).mean())


def estimator_errors(
    sharpness: float, n_rounds: int, *, n_logs: int = N_LOGS
) -> dict[str, EstimatorErrors]:
    """Return how far each estimator is off in one setting."""
    rng = np.random.default_rng([round(10 * sharpness), n_rounds])
    found = (
        off_policy.estimates(
            *estimator_inputs(FEED.log(popularity_policy(sharpness), n_rounds, seed=rng)),
            estimators=["ips", "snips", "doubly_robust"],
        )
        for _ in range(n_logs)
    )
    return off_policy.evaluate_estimators(found, true_value())


def compute_rows(sharpness: float, n_rounds: int) -> list[Row]:
    """Compute the rows of one setting."""
    return [
        Row(
            sharpness,
            n_rounds,
            one.n_logs,
            name,
            round(one.effective_sample_size, 2),
            round(one.coverage * one.n_logs),
            round(one.relative_error, 4),
        )
        for name, one in estimator_errors(sharpness, n_rounds).items()
    ]


def read_rows() -> list[Row]:
    """Return the rows of all settings, as `dev/tools/off_policy_coverage.py` wrote them."""
    text = files("recsys_metrics").joinpath("data/coverage.csv").read_text(encoding="utf-8")
    return [
        Row(
            float(row["sharpness"]),
            int(row["rounds"]),
            int(row["logs"]),
            row["estimator"],
            float(row["effective_sample_size"]),
            int(row["n_covered"]),
            float(row["relative_error"]),
        )
        for row in csv.DictReader(text.splitlines())
    ]


# Logs that the Open Bandit Pipeline was run on ----------------------------------------------------


@cache
def _read_obp() -> dict[str, Any]:
    text = files("recsys_metrics").joinpath("data/obp_logs.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    tables = found["tables"]
    return {**found, "tables": {name: np.array(table) for name, table in tables.items()}}


def obp_relative_errors() -> dict[str, float]:
    """Return the Open Bandit Pipeline's mean relative error over its 500 logs, by estimator."""
    errors: dict[str, float] = _read_obp()["relative_error"]
    return errors


def obp_options() -> dict[str, float]:
    """Return the limits on weights that it was run with."""
    options: dict[str, float] = _read_obp()["options"]
    return options


def obp_truth() -> float:
    """Return what the target policy earns on these logs."""
    tables = _read_obp()["tables"]
    return float((tables["policy"] * tables["expected"]).sum(axis=1).mean())


def obp_logs(n_logs: int = 500, n_rounds: int = 400) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the logs again, as `off_policy.estimates` takes them, from streams that are frozen."""
    tables = _read_obp()["tables"]
    rng = np.random.RandomState(_read_obp()["seed"])
    edges = tables["behavior"].cumsum(axis=1)
    for _ in range(n_logs):
        context = rng.randint(len(edges), size=n_rounds)
        draws = rng.random_sample((n_rounds, 2))
        action = (draws[:, :1] > edges[context, :-1]).sum(axis=1)
        reward = (draws[:, 1] < tables["expected"][context, action]).astype(int)
        chances = tables["behavior"][context, action]
        yield reward, action, chances, tables["policy"][context], tables["reward_model"][context]
