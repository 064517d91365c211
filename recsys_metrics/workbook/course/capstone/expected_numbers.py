"""Each number that a report may cite: what it is, computed anew, and what it is mistaken for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import evaluate
from recsys_metrics._core.sorted_arrays import factorize, first_rows
from recsys_metrics.bias import off_policy
from recsys_metrics.protocol import online
from recsys_metrics.protocol.significance import Significance, t_interval
from recsys_metrics.workbook.course.capstone.tables import Table

Tables = Mapping[str, Table]
Readings = dict[str, float]

K = 10


@dataclass(frozen=True)
class Number:
    """A number with a name.

    Attributes
    ----------
    name : str
    about : str
        What it is, in words for the student.
    of : callable
        Files of a case -> the number.
    mistakes : callable
        Files of a case -> what it is mistaken for: words, and the number that they lead to.
    others : callable
        Files of a case -> numbers that count as well, as other methods give them.
    """

    name: str
    about: str
    of: Callable[[Tables], float]
    mistakes: Callable[[Tables], Readings] = lambda tables: {}
    others: Callable[[Tables], Sequence[float]] = lambda tables: ()


def recall_of_part(tables: Tables, which: str, part: str | None = None) -> float:
    """Return a list's mean recall over all users, or over those of a part."""
    return float(np.mean(list(_recalls(tables, which, part).values())))


def recommended_lists(table: Table, *, by_score: bool = False) -> dict[int, list[int]]:
    """Return each user's list, from the top.

    Parameters
    ----------
    table : Table
        With columns user, rank, item and score.
    by_score : bool
        Whether the score decides, and the smaller item among equals, or the rank.
    """
    order = (
        np.lexsort((table["item"], -table["score"], table["user"]))
        if by_score
        else np.lexsort((table["rank"], table["user"]))
    )
    found: dict[int, list[int]] = {}
    for row in order:
        found.setdefault(int(table["user"][row]), []).append(int(table["item"][row]))
    return found


def wanted_of(clicks: Table, part: str | None = None) -> dict[int, set[int]]:
    """Return what each user clicked, of all users or of a part."""
    found: dict[int, set[int]] = {}
    kept = np.ones(len(clicks["user"]), bool) if part is None else clicks["part"] == part
    for user, item in zip(clicks["user"][kept], clicks["item"][kept], strict=True):
        found.setdefault(int(user), set()).add(int(item))
    return found


def judged(
    tables: Tables, which: str, wanted: Mapping[int, set[int]], *, measure: str, by_score: bool
) -> Any:
    """Return the report of one of the two lists."""
    lists = recommended_lists(tables[f"lists_{which}"], by_score=by_score)
    kept = {user: lists[user] for user in sorted(wanted)}
    return evaluate(kept, {user: wanted[user] for user in kept}, [measure], ties="order")


def first_day(clicks: Table) -> int:
    """Return the first day of the clicks that lists are judged by."""
    return int(clicks["day"].min())


def people(experiment: Table) -> Table:
    """Return the experiment's rows with each person once."""
    kept = np.sort(first_rows(experiment["user"])[1])
    return {name: values[kept] for name, values in experiment.items()}


def _recalls(
    tables: Tables, which: str, part: str | None = None, *, by_score: bool = False
) -> dict[int, float]:
    wanted = wanted_of(tables["clicks"], part)
    report = judged(tables, which, wanted, measure=f"recall@{K}", by_score=by_score)
    values = report[f"recall@{K}"].per_user
    return dict(zip(sorted(wanted), values.tolist(), strict=True))


def _all_by_score(tables: Tables, which: str) -> float:
    return float(np.mean(list(_recalls(tables, which, by_score=True).values())))


def _gain(tables: Tables) -> Significance:
    wanted = wanted_of(tables["clicks"])
    a, b = (judged(tables, which, wanted, measure=f"recall@{K}", by_score=False) for which in "ab")
    compared: Significance = b.compare(a)[f"recall@{K}"]
    return compared


def _sound(tables: Tables, which: str) -> Any:
    """Return the report of users whose judged clicks trained nothing, equals by their item."""
    train = tables["train"]
    late = set(train["user"][train["day"] >= first_day(tables["clicks"])].tolist())
    wanted = {user: w for user, w in wanted_of(tables["clicks"]).items() if user not in late}
    return judged(tables, which, wanted, measure=f"recall@{K}", by_score=True)


def _sound_gain(tables: Tables) -> Significance:
    b, a = (_sound(tables, which) for which in "ba")
    compared: Significance = b.compare(a)[f"recall@{K}"]
    return compared


def _late_rows(tables: Tables) -> float:
    return float((tables["train"]["day"] >= first_day(tables["clicks"])).sum())


def _ties_at_the_cut(tables: Tables, which: str) -> float:
    table = tables[f"lists_{which}"]
    order = np.lexsort((table["rank"], table["user"]))
    scores = table["score"][order].reshape(-1, int(table["rank"].max()))
    return float((scores[:, K - 1] == scores[:, K]).sum())


def _weights(feed: Table) -> NDArray[np.float64]:
    return np.asarray(feed["chance_b"] / feed["chance"])


def _clicks(feed: Table) -> float:
    return float(feed["click"].mean())


def _mean_weight(feed: Table) -> float:
    return float(_weights(feed).mean())


def _worth(feed: Table) -> float:
    return float(off_policy.effective_sample_size(_weights(feed)))


def _value(feed: Table, estimator: str) -> float:
    estimate = off_policy.ips if estimator == "ips" else off_policy.snips
    return estimate(feed["click"], feed["chance"], feed["chance_b"]).value


def _plain_limits(
    values: Callable[[Tables, str], NDArray[np.float64]], limit: str
) -> Callable[[Tables], Sequence[float]]:
    """Return a limit of the paired interval of Student's t, and with 1.96 in the place of t.

    That of `Report.compare` knows that recall has bounds, so it differs a little from both.
    """

    def found(tables: Tables) -> Sequence[float]:
        gains = values(tables, "b") - values(tables, "a")
        ends = t_interval(gains)
        width = 1.96 * gains.std(ddof=1) / np.sqrt(len(gains))
        plain = {"low": (ends.low, gains.mean() - width), "high": (ends.high, gains.mean() + width)}
        return plain.get(limit, ())

    return found


def _values(tables: Tables, which: str) -> NDArray[np.float64]:
    return np.array(list(_recalls(tables, which).values()))


def _sound_values(tables: Tables, which: str) -> NDArray[np.float64]:
    return np.asarray(_sound(tables, which)[f"recall@{K}"].per_user)


def _limit(test: Significance, name: str) -> float:
    """Return a test's gain, or the limit of its interval that a number's name ends with."""
    if name == "gain":
        return test.gain
    assert test.interval is not None
    return float(getattr(test.interval, name))


def _groups(experiment: Table, kind: str | None = None) -> list[Table]:
    kept = np.ones(len(experiment["user"]), bool) if kind is None else experiment["kind"] == kind
    return [
        {name: values[kept & (experiment["group"] == group)] for name, values in experiment.items()}
        for group in "ab"
    ]


def _lift(experiment: Table, kind: str | None = None) -> Significance:
    return online.ab_test(*(one["clicks"] for one in _groups(experiment, kind))).gain


def rate_by_people(experiment: Table) -> tuple[float, float, float]:
    """Return the gain in clicks per impression and its interval, people being what was drawn."""
    a, b = _groups(experiment)
    test = online.ab_test(
        a["clicks"], b["clicks"], control_per=a["impressions"], treatment_per=b["impressions"]
    ).gain
    return test.gain, _limit(test, "low"), _limit(test, "high")


def rate_by_impressions(experiment: Table) -> tuple[float, float, float]:
    """Return the same as if each impression were a person."""
    parts = [
        (one["clicks"].sum() / one["impressions"].sum(), one["impressions"].sum())
        for one in _groups(experiment)
    ]
    gain = float(parts[1][0] - parts[0][0])
    error = float(np.sqrt(sum(rate * (1 - rate) / n for rate, n in parts)))
    return gain, gain - 1.96 * error, gain + 1.96 * error


def _lift_limit(experiment: Table, kind: str | None, limit: str) -> float:
    return _limit(_lift(experiment, kind), limit)


def _rate_limit(
    experiment: Table, of: Callable[[Table], tuple[float, float, float]], place: int
) -> float:
    return of(experiment)[place]


def _doubled(experiment: Table) -> float:
    return float((np.bincount(factorize(experiment["user"])[1]) > 1).sum())


def _count(experiment: Table, group: int) -> float:
    return float(len(_groups(experiment)[group]["user"]))


def _split(experiment: Table) -> float:
    counts = [len(one["user"]) for one in _groups(experiment)]
    return float(online.sample_ratio(counts).p_value)


def _split_exactly(experiment: Table) -> float:
    from scipy.stats import binomtest

    a, b = (len(one["user"]) for one in _groups(experiment))
    return float(binomtest(a, a + b).pvalue)


def _of(found: Callable[..., float], *more: Any) -> Callable[[Any], float]:
    """Return a function of the files, or of one of them, with its other arguments set."""
    return lambda files: found(files, *more)


def _file(name: str, found: Callable[[Table], float]) -> Callable[[Tables], float]:
    return lambda tables: found(tables[name])


def _once(of: Callable[[Table], float]) -> Callable[[Tables], float]:
    return lambda tables: of(people(tables["experiment"]))


def _counted_twice(of: Callable[[Table], float]) -> Callable[[Tables], Readings]:
    """Return the mistake of leaving people in twice."""
    return lambda tables: {"people who are there twice count twice": of(tables["experiment"])}


def _takes(words: str, of: Callable[[Tables], float]) -> Callable[[Tables], Readings]:
    """Return one mistake."""
    return lambda tables: {words: of(tables)}


def _recall_mistakes(which: str) -> Callable[[Tables], Readings]:
    def found(tables: Tables) -> Readings:
        wanted = wanted_of(tables["clicks"])
        report = judged(tables, which, wanted, measure=f"precision@{K}", by_score=False)
        longer = judged(tables, which, wanted, measure="recall@20", by_score=False)
        hits = report[f"precision@{K}"].per_user * K
        return {
            "that is precision": float(hits.mean() / K),
            "hits of all users were divided by the clicks of all users": float(
                hits.sum() / sum(map(len, wanted.values()))
            ),
            "that is of all twenty ranks": longer["recall@20"].value,
            "equals were ordered by their item, not as they were recommended": _all_by_score(
                tables, which
            ),
        }

    return found


def _sound_mistakes(which: str) -> Callable[[Tables], Readings]:
    return lambda tables: {
        "users whose clicks trained b are still there": _all_by_score(tables, which),
        "the order of `rank` decides among equals": recall_of_part(tables, which),
    }


def _gain_of(tables: Tables, limit: str) -> float:
    return _limit(_gain(tables), limit)


def _sound_value(tables: Tables, which: str) -> float:
    return float(_sound(tables, which)[f"recall@{K}"].value)


def _sound_limit(tables: Tables, limit: str) -> float:
    return _limit(_sound_gain(tables), limit)


def _of_the_lists() -> Iterator[Number]:
    for which in "ab":
        yield Number(
            f"recall_{which}",
            f"mean recall@{K} of {which} over the users of `clicks.csv`, in the order of `rank`",
            _of(recall_of_part, which),
            _recall_mistakes(which),
        )
    for suffix, limit, words in _LIMITS:
        about = words.format("`recall_b` minus `recall_a`", _PAIRED)
        yield Number(
            f"recall_gain{suffix}",
            about,
            _of(_gain_of, limit),
            others=_plain_limits(_values, limit),
        )
    yield Number("rows_after_cut", "rows of `train.csv` on or after the cut-off time", _late_rows)
    for which in "ab":
        yield Number(
            f"tied_lists_{which}",
            f"lists of {which} whose scores at ranks {K} and {K + 1} are equal",
            _of(_ties_at_the_cut, which),
        )
    for part in ("tune", "compare"):
        yield Number(
            f"recall_b_{part}",
            f"`recall_b` over the users whose part is {part}",
            _of(recall_of_part, "b", part),
        )
    for which in "ab":
        yield Number(
            f"sound_recall_{which}",
            f"mean recall@{K} of {which} over the users with no row of `train.csv` on or after the "
            "cut-off time, equal scores in the order of their items",
            _of(_sound_value, which),
            _sound_mistakes(which),
        )
    for suffix, limit, words in _LIMITS:
        about = words.format("`sound_recall_b` minus `sound_recall_a`", _PAIRED)
        yield Number(
            f"sound_gain{suffix}",
            about,
            _of(_sound_limit, limit),
            _takes("it is that of the files as they are", _of(_gain_of, limit)),
            _plain_limits(_sound_values, limit),
        )


def _of_the_feed() -> Iterator[Number]:
    yield Number("clicks_per_slate", "of `feed.csv`, as logged", _file("feed", _clicks))
    yield Number("mean_weight", "mean of `chance_b` / `chance`", _file("feed", _mean_weight))
    yield Number(
        "effective_slates", "effective sample size of these weights", _file("feed", _worth)
    )
    for name, other, words in (
        ("ips", "snips", "the sum was divided by that of the weights: it is SNIPS"),
        ("snips", "ips", "the sum was divided by the slates: it is IPS"),
    ):
        yield Number(
            f"value_b_{name}",
            f"clicks per slate under b, by {name.upper()}",
            _file("feed", _of(_value, name)),
            _takes(words, _file("feed", _of(_value, other))),
        )


def _of_the_experiment() -> Iterator[Number]:
    yield Number(
        "doubled_users",
        "people who are in `experiment.csv` more than once",
        _file("experiment", _doubled),
    )
    for place, group in enumerate("ab"):
        count = _of(_count, place)
        yield Number(
            f"people_{group}",
            f"people of group {group}, each once",
            _once(count),
            _counted_twice(count),
        )
    yield Number(
        "split_p",
        "p-value of the sample ratio of `people_a` and `people_b`, meant to be one to one, by a "
        "chi-squared or an exact binomial test",
        _once(_split),
        _counted_twice(_split),
        lambda tables: (_once(_split_exactly)(tables),),
    )
    for kind in (None, "light", "usual", "heavy"):
        name = "lift" if kind is None else f"lift_{kind}"
        among = "each person once" if kind is None else f"of the {kind} visitors, each once"
        for suffix, limit, words in _LIMITS:
            about = words.format(
                f"clicks per person of group b minus those of group a, {among}",
                "by Welch's test, with Student's t and not 1.96",
            )
            lift = _of(_lift_limit, kind, limit)
            yield Number(f"{name}{suffix}", about, _once(lift), _counted_twice(lift))
    for place, suffix, words in ((1, "_low", "lower"), (2, "_high", "upper")):
        yield Number(
            f"rate_gain{suffix}",
            f"{words} 95 % limit of the gain in clicks per impression, by people, each row as it "
            "stands",
            _file("experiment", _of(_rate_limit, rate_by_people, place)),
            _takes(
                "impressions count as if each were a person",
                _file("experiment", _of(_rate_limit, rate_by_impressions, place)),
            ),
        )


_PAIRED = (
    "by paired users, as `Report.compare` gives it; by Student's t or with 1.96 it counts, too"
)
_LIMITS = (
    ("", "gain", "{0}"),
    ("_low", "low", "its lower 95 % limit, {1}"),
    ("_high", "high", "its upper limit"),
)

NUMBERS = {one.name: one for one in (*_of_the_lists(), *_of_the_feed(), *_of_the_experiment())}
"""What a report may cite, by name. What the opened test says comes on top."""

EVIDENCE = {
    "time_leak": "rows_after_cut",
    "doubled_users": "doubled_users",
    "floored_chances": "mean_weight",
    "sample_ratio": "split_p",
    "harmed_group": "lift_light",
    "tied_scores": "tied_lists_b",
    "wrong_unit": "rate_gain_low",
    "reused_test": "recall_b_compare",
}
"""The number that shows each fault."""
