"""W4: two models over 100,000 users: a t-test; bootstrap and randomization, 10,000 times."""

from __future__ import annotations

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import users_values

N_USERS = 100_000
# The resamples stand for the rows here: a share of them is what a slow way gets.
N_RESAMPLES = 10_000


def _bootstrap_of_ours(column: str):  # type: ignore[no-untyped-def]
    def build(inputs: Inputs) -> Call:
        from recsys_metrics.protocol.significance import bootstrap_interval

        n = len(inputs["resamples"])

        def run() -> Answers:
            low, high = bootstrap_interval(inputs[column], n_resamples=n, seed=0)
            return {"low": low, "high": high}

        return plain(run)

    return build


def _bootstrap_of_scipy(column: str):  # type: ignore[no-untyped-def]
    def build(inputs: Inputs) -> Call:
        from scipy.stats import bootstrap

        n = len(inputs["resamples"])

        def run() -> Answers:
            found = bootstrap(
                (inputs[column],),
                np.mean,
                n_resamples=n,
                # All at once would take 8 GB.
                batch=100,
                method="percentile",
                rng=np.random.default_rng(0),
            ).confidence_interval
            return {"low": found.low, "high": found.high}

        return plain(run)

    return build


def paired_t_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.protocol.significance import paired_t_test

    def run() -> Answers:
        found = paired_t_test(inputs["old"], inputs["new"])
        return {"t": found.statistic, "p": found.p_value}

    return plain(run)


def paired_t_of_scipy(inputs: Inputs) -> Call:
    from scipy.stats import ttest_rel

    def run() -> Answers:
        found = ttest_rel(inputs["new"], inputs["old"])
        return {"t": found.statistic, "p": found.pvalue}

    return plain(run)


def randomization_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.protocol.significance import randomization_test

    n = len(inputs["resamples"])

    def run() -> Answers:
        found = randomization_test(inputs["old"], inputs["new"], n_resamples=n, seed=0)
        return {"p": found.p_value}

    return plain(run)


def randomization_of_scipy(inputs: Inputs) -> Call:
    from scipy.stats import permutation_test

    n = len(inputs["resamples"])

    def run() -> Answers:
        found = permutation_test(
            (inputs["old"], inputs["new"]),
            lambda a, b, axis: (a - b).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=n,
            batch=100,
            rng=np.random.default_rng(0),
        )
        return {"p": found.pvalue}

    return plain(run)


def _make(scale: float) -> Inputs:
    return {**users_values(N_USERS), "resamples": np.zeros(round(N_RESAMPLES * scale))}


def _fewer(inputs: Inputs, share: float) -> Inputs:
    return {**inputs, "resamples": inputs["resamples"][: round(len(inputs["resamples"]) * share)]}


# Two streams of random numbers: their ends differ by chance, a p-value by more.
TASKS: dict[str, Task] = {
    "paired_t": Task(
        title="Paired t-test; 100,000 users",
        make=_make,
        head=_fewer,
        ways={OURS: Way(paired_t_of_ours), "scipy": Way(paired_t_of_scipy)},
    ),
    "bootstrap": Task(
        title="Bootstrap interval of a mean, 10,000 resamples of 100,000 different values",
        make=_make,
        head=_fewer,
        ways={
            OURS: Way(_bootstrap_of_ours("continuous")),
            "scipy": Way(_bootstrap_of_scipy("continuous"), share=0.1, tolerance=2e-3),
        },
    ),
    "bootstrap_ties": Task(
        title="Bootstrap interval of a mean, 10,000 resamples of 100,000 values with ties",
        make=_make,
        head=_fewer,
        ways={
            OURS: Way(_bootstrap_of_ours("old")),
            "scipy": Way(_bootstrap_of_scipy("old"), share=0.1, tolerance=2e-3),
        },
    ),
    "randomization": Task(
        title="Randomization test, 10,000 sign patterns of 100,000 pairs",
        make=_make,
        head=_fewer,
        ways={
            OURS: Way(randomization_of_ours),
            "scipy": Way(randomization_of_scipy, share=0.02, tolerance=0.2),
        },
    ),
}
