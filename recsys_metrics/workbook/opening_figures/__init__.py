"""The picture that a part opens with: its question, drawn before a word of the answer.

Each is computed by the library from the part's own example, which the part takes up again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import numpy as np

from recsys_metrics import calibration, evaluate, judge, ndcg, rank_from_scores
from recsys_metrics.bias import off_policy, propensity
from recsys_metrics.datasets import load_open_bandit
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leave_last_n_out, online, significance
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.charts import bias, general, protocol, samples
from recsys_metrics.workbook.charts import calibration as squares
from recsys_metrics.workbook.charts.ranked_lists import WIDE, ranked_list
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.match_percent import movielens_match_percent
from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.experiments.sequences import first_clicks, retrain_weekly
from recsys_metrics.workbook.experiments.shop import recommenders, shop_experiment
from recsys_metrics.workbook.opening_figures.ranked_lists import OPENINGS_OF_LISTS
from recsys_metrics.workbook.simulator import (
    Effect,
    Feed,
    JudgedCatalogue,
    Policy,
    Shop,
    SimulatedJudge,
)


def _last_of_each() -> Picture:
    log = Interactions(
        user=[0, 0, 0, 1, 1, 1, 2, 2, 2],
        item=[0, 1, 2, 0, 1, 3, 0, 2, 3],
        timestamp=[1, 2, 4, 3, 6, 9, 5, 8, 10],
    )
    return protocol.split_timelines(
        {"Each user's last event is held out": leave_last_n_out(log)},
        ["Alice", "Bob", "Cem"],
        alt="Events of three users on a time line, with the last event of each held out. Three "
        "of the six training events are later than a test event.",
    )


def _five_seeds() -> Picture:
    return samples.paired_lines(
        [0.40, 0.41, 0.42, 0.43, 0.44],
        [0.404, 0.416, 0.425, 0.433, 0.447],
        names=("old model", "new model"),
        title="Five seeds: the ranges overlap, but every run improves",
        y_label="NDCG@10",
        alt="Five runs of an old and a new model, joined by seed. The two ranges overlap almost "
        "completely, but each of the five lines rises a little.",
    )


def _gains_of_people() -> Picture:
    films = movielens_experiment()
    lists = films.lists()
    new, old = (ndcg(judge(lists[name], films.truth), k=10) for name in ("EASE", "item kNN"))
    return samples.sorted_gains(
        np.asarray(new) - np.asarray(old),
        title="The gain of each user from the new recommender",
        y_label="gain in NDCG@10",
        alt="A bar for each of 145 users, sorted by the gain of EASE over item kNN. For 31 users "
        "the gain is negative, for 56 it is 0 and for 58 it is positive.",
    )


def _two_training_sets() -> Picture:
    train, tested = leave_last_n_out(first_clicks(shop_experiment()))
    times = np.asarray(train.timestamp)
    model = recommenders()["item kNN"]
    values = {
        "trained on set A": retrain_weekly(model, train, tested, lambda _: train),
        "trained on set B": retrain_weekly(
            model, train, tested, lambda monday: train.take(times < monday)
        ),
    }
    return general.intervals(
        values,
        title="The same test clicks. Which number would a live system reach?",
        label="NDCG@10 of item kNN, 95% CI",
        alt="Mean NDCG at 10 of item kNN on the last click of each customer, after training on two "
        "sets of clicks. In this figure the mean is higher with set A.",
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
        title="One day of a new system: better or worse?",
        label="change, in percent",
        alt="The changes in five rates on one day of a new system. Clicks per impression and "
        "orders increase; clicks per user and users who clicked decrease.",
    )


def _one_stock() -> Picture:
    run = Shop(n_users=20_000).experiment(Effect(interference=0.4), seed=6)
    # Two groups that vary have an interval.
    found = cast(Interval, online.ab_test(*run.groups(run.per_user("clicks"))).gain.interval)
    return protocol.effect_intervals(
        {"truth": Interval(0.0, 0.0, 0.0, level=found.level, n=found.n), "A/B test": found},
        title="No true effect, but the A/B test reports a gain",
        label="gain in clicks per user in two weeks, 95% CI",
        alt="The true gain of a change, which is 0, and the 95% confidence interval of an A/B "
        "test with 20,000 users, which is far above 0.",
    )


def _ten_events() -> Picture:
    return squares.outcomes_by_prediction(
        {0.8: [1, 1, 1, 0, 0], 0.2: [1, 0, 0, 0, 0]},
        title="Is the model over-confident?",
        alt="Ten events as dots. Of five events with a predicted probability of 0.8, three were "
        "clicked; of five with 0.2, one was.",
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
        title="Two calibration maps fitted to the same eight events",
        x_label="predicted by the model",
        y_label="calibrated probability",
        alt="Two maps from a score to a probability. One is a smooth curve; the other rises in "
        "three steps, from 0 at the left to 1 at the right.",
    )


def _sure_of_itself() -> Picture:
    promises = movielens_match_percent()
    return samples.marked_histogram(
        promises.score[promises.late],
        bins=np.linspace(0, 1, 21),
        title="The probabilities that a small model predicts",
        x_label="predicted probability of four stars or more",
        y_label="ratings",
        alt="Histogram of the probabilities that a small model predicts for about 20,000 "
        "ratings. They range from near 0 to near 1, and most are near 1.",
    )


def _four_films() -> Picture:
    liking = {"A": 0.3, "B": 0.2, "C": 0.0, "D": 0.4}
    shown = {"A": 500, "B": 100, "C": 50, "D": 0}
    return samples.paired_bars(
        {name: round(shown[name] * liking[name]) for name in shown},
        liking,
        labels=("clicks in the log", "P(click) if shown"),
        title="C and D have the same number of clicks",
        alt="Four films with their clicks and their probability of a click if shown. C and D "
        "have no clicks; no user would click C, but D has the highest probability of all.",
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
        title="The same estimate from 40 logs of one shop",
        y_label="estimated clicks per impression",
        alt="Forty estimates of one click rate, each from a log of 1,000 impressions. They range "
        "from a third of the true value to twice the true value.",
    )


def _most_shown() -> Picture:
    log = load_open_bandit("bts", "men")
    return bias.exposure_shares(
        propensity.empirical_propensities(log.item, n_items=log.n_items),
        title="10,000 impressions of 34 items",
        y_label="share of impressions",
        alt="The share of the impressions of each of 34 items, most shown first. One item has a "
        "fifth, and most have less than an equal share.",
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
        labels=("impressions in the log", "effective sample size"),
        title="Three logs of the same size",
        alt="Three logs of 20,000 impressions each, by the inverse temperature of the logging "
        "policy. For one target policy, the effective sample size decreases with the "
        "inverse temperature, in the last log to under 2,000.",
    )


def _two_groups() -> Picture:
    return samples.paired_bars(
        {"group A": 8, "group B": 2},
        {"group A": 10, "group B": 10},
        labels=("items in the catalogue", "slots on the page"),
        title="Both groups have ten slots. Is that fair?",
        alt="Two groups of items. A has eight items and B two, and each has ten slots on a page.",
    )


def _two_lists() -> Picture:
    wanted = dict.fromkeys("BCEG", 1)
    first, second = ranked_list(list("BXYZW"), wanted), ranked_list(list("XYBCE"), wanted)
    lower = second.svg.replace("<svg ", '<svg y="116" ', 1)
    return protocol.picture(
        WIDE,
        222,
        [first.svg, lower],
        "Two lists of five for a user with four relevant items. The upper list has one hit, at "
        "rank 1; the lower list has three, at the last three ranks.",
    )


def _new_and_old() -> Picture:
    shop = shop_experiment()
    accuracy, coverage = {}, {}
    for name in ("production baseline", "EASE"):
        lists = rank_from_scores(shop.scores[name], 10, exclude=shop.seen)
        report = evaluate(
            lists,
            shop.truth,
            ["ndcg@10", "coverage@10"],
            history=shop.past,
            history_rows=shop.users,
        )
        accuracy[name] = round(report["ndcg@10"].mean, 3)
        coverage[name] = round(report["coverage@10"].mean, 3)
    old, new = coverage.values()
    return samples.paired_bars(
        accuracy,
        coverage,
        labels=("NDCG@10", "catalogue coverage"),
        title="Higher on both metrics. Should it ship?",
        alt="The production baseline and EASE, by NDCG@10 and by catalogue coverage. EASE is "
        f"higher on both, and its coverage is about {round(new / old)} times as high.",
    )


def _two_kinds_of_labels() -> Picture:
    _, lists = JudgedCatalogue(SimulatedJudge(false_alarms=0.3)).draw(20_200, seed=8)
    human, machine = lists.values("precision"), lists.values("precision", "machine")
    few = significance.mean_interval(human[:200], bounds=(0.0, 1.0))
    many = significance.mean_interval(machine[200:], bounds=(0.0, 1.0))
    middle = few.estimate
    return protocol.effect_intervals(
        {
            name: Interval(
                each.estimate - middle, each.low - middle, each.high - middle, each.level, each.n
            )
            for name, each in (("200 lists, people", few), ("20,000 lists, judge", many))
        },
        title="Two 95% confidence intervals that do not overlap",
        label="precision@10 minus the mean of the human labels",
        alt="Two 95% confidence intervals for precision@10 of one recommender, shown as distances "
        "from the mean of the human labels. The interval from human labels for 200 lists is wide. "
        "The interval from a simulated judge's labels for 20,000 lists is very narrow and far "
        "above the first one.",
    )


def _written_list() -> Picture:
    wanted = dict.fromkeys("BCE", 1)
    first, second = ranked_list(list("AZBBCX"), wanted), ranked_list(list("ABC"), wanted, k=6)
    lower = second.svg.replace("<svg ", '<svg y="116" ', 1)
    return protocol.picture(
        WIDE,
        222,
        [first.svg, lower],
        "A list of six titles that a model wrote, in which Z and X do not exist and B occurs "
        "twice, and below it the three films that are left.",
    )


OPENINGS: Final[dict[str, Callable[[], Picture]]] = {
    **OPENINGS_OF_LISTS,
    "04_protocol": _last_of_each,
    "04_protocol_evidence": _five_seeds,
    "04_protocol_movielens": _gains_of_people,
    "04_protocol_sequences": _two_training_sets,
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
    "08_judges": _two_kinds_of_labels,
    "08_judges_generated": _written_list,
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
