"""The picture that a part opens with: its question, drawn before a word of the answer.

Each is computed by the library from the part's own example, which the part takes up again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import numpy as np

from recsys_metrics import calibration, evaluate, judge, ndcg, rank_from_scores
from recsys_metrics.baselines import Popularity
from recsys_metrics.bias import off_policy, propensity
from recsys_metrics.datasets import load_open_bandit
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leave_last_n_out, online
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.charts import bias, protocol, samples
from recsys_metrics.workbook.charts import calibration as squares
from recsys_metrics.workbook.charts.ranked_lists import WIDE, ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.match_percent import movielens_match_percent
from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.opening_figures.ranked_lists import OPENINGS_OF_LISTS
from recsys_metrics.workbook.simulator import Effect, Feed, Policy, Shop


def _last_of_each() -> Picture:
    log = Interactions(
        user=[0, 0, 0, 1, 1, 1, 2, 2, 2],
        item=[0, 1, 2, 0, 1, 3, 0, 2, 3],
        timestamp=[1, 2, 4, 3, 6, 9, 5, 8, 10],
    )
    return protocol.split_timelines(
        {"Each user's last event is hidden": leave_last_n_out(log)},
        ["Alice", "Bob", "Cem"],
        alt="Three users' events on a time line, the last of each hidden. Three of the six events "
        "that train are later than one that is tested.",
    )


def _five_seeds() -> Picture:
    return samples.paired_lines(
        [0.40, 0.41, 0.42, 0.43, 0.44],
        [0.404, 0.416, 0.425, 0.433, 0.447],
        names=("old model", "new model"),
        title="Five seeds: the crowds overlap, and every line rises",
        y_label="NDCG@10",
        alt="Five runs of an old and a new model, joined by seed. The two ranges overlap nearly "
        "whole, and each of the five lines rises a little.",
    )


def _gains_of_people() -> Picture:
    films = movielens_experiment()
    lists = films.lists()
    new, old = (ndcg(judge(lists[name], films.truth), k=10) for name in ("EASE", "item kNN"))
    return samples.sorted_gains(
        np.asarray(new) - np.asarray(old),
        title="What each person gains from the new recommender",
        y_label="gain in NDCG@10",
        alt="A bar for each of 145 users, sorted by what EASE gains them over item kNN. Thirty-one "
        "lose, fifty-six stay at nought, fifty-eight gain.",
    )


def _five_rates() -> Picture:
    shown, clicks = np.array([1000, 500]), np.array([50, 40])
    clickers, orders, people = np.array([30, 28]), np.array([5, 6]), 100
    rates = {
        "clicks per impression": online.click_through_rate(clicks, shown),
        "clicks per user": online.clicks_per_user(clicks, people),
        "orders per click": online.conversion_rate(orders, clicks=clicks),
        "orders per user": online.conversion_rate(orders, users=people),
        "users who clicked": online.click_through_probability(clickers, people),
    }
    return samples.relative_changes(
        {name: float(new / old - 1) for name, (old, new) in rates.items()},
        title="One day of a new system: up, or down?",
        label="change in percent",
        alt="Five rates of one day, and by how much a new system changed them. Clicks per "
        "impression and orders rise; clicks per user and users who clicked fall.",
    )


def _one_stock() -> Picture:
    run = Shop(n_users=20_000).experiment(Effect(interference=0.4), seed=6)
    # Two groups that vary have an interval.
    found = cast(Interval, online.ab_test(*run.groups(run.per_user("clicks"))).gain.interval)
    return protocol.effect_intervals(
        {"truth": Interval(0.0, 0.0, 0.0, level=found.level, n=found.n), "A/B test": found},
        title="The change does nothing, and the test is sure that it gains",
        label="clicks gained per user in two weeks, 95 % interval",
        alt="The true gain of a change, which is nought, and the interval of an A/B test of "
        "twenty thousand users, which lies far above it.",
    )


def _ten_events() -> Picture:
    return squares.outcomes_by_prediction(
        {0.8: [1, 1, 1, 0, 0], 0.2: [1, 0, 0, 0, 0]},
        title="Does the model promise too much?",
        alt="Ten events as dots. Of five that were called eight tenths, three happened; of five "
        "that were called two tenths, one.",
    )


def _two_maps() -> Picture:
    scores = np.arange(1, 9) / 10
    labels = np.array([0, 1, 0, 0, 1, 1, 0, 1])
    grid = np.linspace(0.02, 0.98, 193)
    maps = {
        "smooth": calibration.PlattScaling(on="log-odds").fit(scores, labels),
        "in steps": calibration.IsotonicCalibration(interpolation="step").fit(scores, labels),
    }
    return squares.calibration_maps(
        grid,
        {name: each.predict(grid) for name, each in maps.items()},
        title="Two maps, learned from the same eight events",
        x_label="what the model said",
        y_label="probability after the map",
        alt="Two maps from a score to a probability. One is a smooth curve; the other climbs in "
        "three steps, from never at the left end to always at the right.",
    )


def _sure_of_itself() -> Picture:
    promises = movielens_match_percent()
    return samples.marked_histogram(
        promises.score[promises.late],
        bins=np.linspace(0, 1, 21),
        title="What a small model promises on new ratings",
        x_label="said: chance of four stars or more",
        y_label="ratings",
        alt="Histogram of what a small model says of twenty thousand ratings. It says everything "
        "from never to always, and most often something near always.",
    )


def _four_films() -> Picture:
    liking = {"A": 0.3, "B": 0.2, "C": 0.0, "D": 0.4}
    shown = {"A": 500, "B": 100, "C": 50, "D": 0}
    return samples.paired_bars(
        {name: round(shown[name] * liking[name]) for name in shown},
        liking,
        labels=("clicks in the log", "share who would click it"),
        title="C and D were clicked equally often",
        alt="Four films, their clicks and how many would click them. C and D have no click; C is "
        "liked by nobody, and D better than all others.",
    )


def _forty_logs() -> Picture:
    rng = np.random.default_rng(1)
    estimates = []
    for _ in range(40):
        of_b = rng.random(1_000) < 0.02
        clicks = rng.random(1_000) < np.where(of_b, 0.10, 0.05)
        estimates.append(off_policy.ips(clicks, np.where(of_b, 0.02, 0.98), 1 / 2).value)
    return bias.estimates_by_log(
        estimates,
        (0.05 + 0.10) / 2,
        title="One question to forty logs of one shop",
        y_label="estimated clicks per round",
        alt="Forty estimates of one number, each from a log of a thousand rounds. They scatter "
        "from a third of the truth to twice the truth.",
    )


def _most_shown() -> Picture:
    log = load_open_bandit("bts", "men")
    return bias.exposure_shares(
        propensity.empirical_propensities(log.item, n_items=log.n_items),
        title="Ten thousand displays of thirty-four items",
        y_label="share of all displays",
        alt="The share of the displays that each of thirty-four items got, the most shown first: "
        "one takes a fifth, and most get less than if all were shown alike.",
    )


def _worth_of_logs() -> Picture:
    feed, new = Feed(examination=(1.0,)), Policy(sharpness=2.0, taste=1.0)
    worth = {}
    for name, sharpness in (("gentle", 1), ("sharp", 2), ("very sharp", 4)):
        log = feed.log(Policy(sharpness, taste=0.0), 20_000, seed=2)
        weights = (feed.propensities(new, log) / log.propensities).ravel()
        worth[name] = round(off_policy.effective_sample_size(weights))
    return samples.paired_bars(
        dict.fromkeys(worth, 20_000),
        worth,
        labels=("rounds in the log", "even rounds it is worth"),
        title="Three logs of one length",
        alt="Three logs of twenty thousand rounds each, by how sharply the old policy chose. For "
        "one new policy they are worth less the sharper it was, the last under two thousand.",
    )


def _two_groups() -> Picture:
    return samples.paired_bars(
        {"group A": 8, "group B": 2},
        {"group A": 10, "group B": 10},
        labels=("items in the catalogue", "slots on the page"),
        title="Both groups get ten slots. Is that fair?",
        alt="Two groups of items. A has eight items and B two, and each has ten slots of a page.",
    )


def _two_lists() -> Picture:
    wanted = dict.fromkeys("BCEG", 1)
    first, second = ranked_list(list("BXYZW"), wanted), ranked_list(list("XYBCE"), wanted)
    lower = second.svg.replace("<svg ", '<svg y="116" ', 1)
    return protocol.picture(
        WIDE,
        222,
        [first.svg, lower],
        "Two lists of five for a person who wants four items. The upper one finds one and shows "
        "it first, the lower one finds three and shows them last.",
    )


def _new_and_old() -> Picture:
    data = movielens_experiment()
    times = np.asarray(data.past.timestamp)
    recent = data.past.take(times > times.max() - 5 * 365 * 24 * 60 * 60)
    scores = {"today": Popularity().fit(recent).scores(data.users), "EASE": data.scores["EASE"]}
    accuracy, coverage = {}, {}
    for name, grid in scores.items():
        lists = rank_from_scores(grid, 10, exclude=data.seen)
        report = evaluate(
            lists,
            data.truth,
            ["ndcg@10", "coverage@10"],
            history=data.past,
            history_rows=data.users,
        )
        accuracy[name] = round(report["ndcg@10"].mean, 3)
        coverage[name] = round(report["coverage@10"].mean, 3)
    return samples.paired_bars(
        accuracy,
        coverage,
        labels=("NDCG@10", "share of the catalogue shown"),
        title="Ahead on both sides. Does it ship?",
        alt="Today's list and EASE, by NDCG at 10 and by the share of the catalogue that they "
        "show. Both bars of EASE are longer, the second three times.",
    )


OPENINGS: Final[dict[str, Callable[[], Picture]]] = {
    **OPENINGS_OF_LISTS,
    "04_protocol": _last_of_each,
    "04_protocol_evidence": _five_seeds,
    "04_protocol_movielens": _gains_of_people,
    "04_protocol_people": _five_rates,
    "04_protocol_live": _one_stock,
    "05_calibration": _ten_events,
    "05_calibration_maps": _two_maps,
    "05_calibration_movielens": _sure_of_itself,
    "06_bias": _four_films,
    "06_bias_off_policy": _forty_logs,
    "06_bias_open_bandit": _most_shown,
    "06_bias_lab": _worth_of_logs,
    "06_bias_fairness": _two_groups,
    "07_choosing": _two_lists,
    "07_choosing_capstone": _new_and_old,
}


def draw_opening(part: str) -> Picture:
    """Return the picture that a part opens with.

    Parameters
    ----------
    part : str
        Name of the part's file.

    Returns
    -------
    Picture

    Raises
    ------
    KeyError
        If the part has none.
    """
    if part not in OPENINGS:
        raise KeyError(f"{part!r} opens with no picture; those that do are {', '.join(OPENINGS)}")
    return OPENINGS[part]()
