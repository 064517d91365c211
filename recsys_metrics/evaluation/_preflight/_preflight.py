"""The preflight: all checks of an evaluation, with one rate of false alarms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from recsys_metrics._core.checks import (
    check_count,
    check_flag,
    check_mapping,
    check_share,
    generator,
    is_one_of,
)
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.evaluation._preflight import (
    _chance,
    _contents,
    _ids,
    _references,
    _runs,
    _times,
    _truth_first,
)
from recsys_metrics.evaluation._preflight._chance import HitTable, TestedFinding
from recsys_metrics.evaluation._preflight._finding import Finding, PreflightResult, ReferenceValue
from recsys_metrics.evaluation._preflight._inputs import EvaluationInput, read_evaluation
from recsys_metrics.evaluation._preflight._references import Score
from recsys_metrics.interactions import Interactions, check_interactions
from recsys_metrics.measures import Measure
from recsys_metrics.measures import measure as read_measure
from recsys_metrics.protocol.significance import adjust
from recsys_metrics.ranking._grade_codes import check_threshold

_ALWAYS = (
    *("user-ids", "item-ids", "gaps", "repeats", "users-without-truth", "users-without-list"),
    *("grades", "candidates", "oracle-like", "truth-first", "order", "pairing", "shifted-items"),
    *("no-better-than-random", "same-list", "short-lists"),
)
_CONDITIONAL = {
    "history": "history",
    "leak": "history",
    "popularity": "history",
    "worse-than-random": "pool",
    "catalog": "catalog",
    "unreachable": "catalog",
    "scores": "scores",
    "equal-scores": "scores",
    "future": "events",
    "same-twice": "again",
    "shuffled-truth": "pipeline",
    "score": "score",
}
"""Checks that need something that may not be given, and what it is."""


def preflight(
    recommended: Any,
    relevant: Any,
    *,
    measure: str | Measure = "ndcg@10",
    again: Any = None,
    score: Score | None = None,
    history: Any = None,
    events: tuple[Interactions, Interactions] | None = None,
    catalog: Any = None,
    threshold: float | None = None,
    sampled: int | None = None,
    repeat_consumption: bool = False,
    accept: Collection[str] = (),
    columns: Mapping[str, str] | None = None,
    false_alarm_rate: float = 0.001,
    seed: int | np.random.Generator = 0,
) -> PreflightResult:
    r"""Can the numbers of this evaluation be trusted, or is something wrong with its data?

    Parameters
    ----------
    recommended
        Lists in any form that `evaluate` takes, data frames among them; scores by user and item
        also show ties. Or a function that is given what is relevant, a mapping from user to grades
        by item, and returns lists: a pipeline, which is run twice with the truth and once with the
        truth of other users.
    relevant
        What is relevant to each user, in any form that `evaluate` takes.
    measure : str or Measure
        A metric of ranked lists; it has a value for each user and sets the cut-off of the checks.
    again : optional
        Lists of a second run of the same recommender, which should be the same.
    score : callable, optional
        The evaluation under test: given lists and truth, mappings by user, it returns the mean of
        the metric, or the value of each user. It is compared with `measure` on lists of the
        recommender, random lists, popularity and an oracle.
    history : optional
        What each user interacted with in training, as in `evaluate`.
    events : (Interactions, Interactions), optional
        Training and test events with timestamps, as a split returns them, to find training events
        from the future. By default history and relevant, if both are `Interactions` with times.
    catalog : int or collection of ids, optional
        What can be recommended.
    threshold : float, optional
        Lowest grade that counts as relevant.
    sampled : int, optional
        Number of other items that each user's relevant ones were ranked against.
    repeat_consumption : bool
        Whether users take items again, as groceries: then items of the history may be recommended
        and may be relevant.
    accept : collection of str
        Names of checks whose findings are intended; they are reported as notes.
    columns : mapping, optional
        As in `evaluate`, for data frames.
    false_alarm_rate : float
        The probability that the statistical checks together report a fault in a sound evaluation.
    seed : int or numpy.random.Generator
        For random lists and the exchange of users.

    Returns
    -------
    PreflightResult
        Its `faults` make the numbers wrong or incomparable; its `notes` should be stated.

    Raises
    ------
    TypeError, ValueError
        If lists or truth are of no known form, the measure is not of ranked lists or has no value
        for each user, or a name in accept is that of no check.

    Notes
    -----
    Most checks count, and what they count is there or not. Six are tests: lists that are worse
    than random ones, hits that are at the end of lists, lists that fit another user or shifted item
    numbers better than their own, lists that begin with exactly what is relevant, and
    truth of other users that is found too well. The first compares the number of hits :math:`S`
    with

    .. math:: \mu = \sum_u \frac{k_u r_u}{N_u}

    where :math:`k_u` is the number of items in the list of user :math:`u`, :math:`r_u` that of
    relevant items, and :math:`N_u` that of items that can be recommended, without the history if no
    list contains any of it. Its p-value is at most :math:`P(B \le S)`, where :math:`B` is binomial
    with :math:`\sum_u k_u` trials and the mean :math:`\mu` (Hoeffding, 1956). Lists that fit other
    users are those whose hits exceed what random pairing of users gives (Hoeffding, 1951), and
    which have more hits than the user's own in more users than a fair coin would give. Perfect
    starts of lists are compared with those that have one miss (dev/preflight.md). p-values are
    corrected for their number by Holm's procedure.

    A share of users or items below 1% is a note where it cannot change a mean by more than that.
    Equal scores are a fault if the order of ties moves the mean by more than its standard error.

    References
    ----------
    Hoeffding (1951), A combinatorial central limit theorem, Annals of Mathematical Statistics
    22(4). Hoeffding (1956), On the distribution of the number of successes in independent trials,
    ibid. 27(3). Holm (1979), A simple sequentially rejective multiple test procedure,
    Scandinavian Journal of Statistics 6(2). Ji, Sun, Zhang and Li (2023), A critical study on data
    leakage in recommender system offline evaluation, ACM TOIS 41(3).

    Examples
    --------
    Ann is recommended what she has, and Bob's item is written in two ways:

    >>> from recsys_metrics import preflight
    >>> lists = {"ann": ["A", "B", "C"], "bob": ["c ", "A", "B"]}
    >>> truth, history = {"ann": {"B"}, "bob": {"c"}}, {"ann": {"A"}, "bob": {"D"}}
    >>> result = preflight(lists, truth, history=history)
    >>> for found in result.faults:
    ...     print(found.check, found.count, found.total)
    item-ids 1 4
    history 1 6
    """
    settings = _Settings.read(
        measure,
        threshold=threshold,
        sampled=sampled,
        repeat_consumption=repeat_consumption,
        accept=accept,
        false_alarm_rate=false_alarm_rate,
    )
    columns = {} if columns is None else columns
    check_mapping("columns", columns, "from a role to the name of a column")
    if score is not None and not callable(score):
        raise TypeError(f"score is a function of lists and truth; got {score!r:.60}")
    pipeline = recommended if callable(recommended) else None
    if pipeline is not None:
        if not isinstance(relevant, Mapping):
            raise TypeError(
                "recommended is a function of what is relevant to each user, so relevant must be a "
                f"mapping from user to items; got {relevant!r:.60}"
            )
        # Copies: a pipeline that changes what it is given would change what is checked.
        recommended = pipeline(deepcopy(relevant))
        again = pipeline(deepcopy(relevant)) if again is None else again
    given = read_evaluation(
        recommended,
        relevant,
        history=history,
        catalog=catalog,
        threshold=threshold,
        k=settings.measure.k,
        columns=columns,
    )
    run = _Run(given, settings, generator(seed), columns)
    run.check_contents()
    run.check_events(_find_events(history, relevant, events))
    run.check_values(score)
    run.check_runs(again, pipeline)
    run.check_chance()
    there = {
        "history": given.history is not None,
        "pool": given.knows_pool,
        "catalog": given.catalog_size is not None,
        "scores": given.scores is not None,
        "events": run.timed,
        "again": again is not None,
        "pipeline": pipeline is not None,
        "score": score is not None,
    }
    checks = (*_ALWAYS, *(name for name, needs in _CONDITIONAL.items() if there[needs]))
    return PreflightResult(
        findings=run.findings,
        references=tuple(run.references),
        measure=settings.measure,
        checks=checks,
        false_alarm_rate=settings.false_alarm_rate,
    )


@dataclass(frozen=True)
class _Settings:
    """What was asked for, checked."""

    measure: Measure
    threshold: float | None
    sampled: int | None
    repeat_consumption: bool
    accept: frozenset[str]
    false_alarm_rate: float

    @classmethod
    def read(cls, measure: Any, *, accept: Collection[str], **given: Any) -> _Settings:
        wanted = read_measure(measure)
        if not wanted.metric.takes_judged or not wanted.metric.per_user:
            raise ValueError(
                f"measure={wanted} is not a metric of ranked lists with a value for each user; "
                'choose one such as "ndcg@10" or "recall@20"'
            )
        check_threshold(given["threshold"])
        check_flag("repeat_consumption", given["repeat_consumption"])
        rate = check_share("false_alarm_rate", given["false_alarm_rate"])
        given["false_alarm_rate"] = rate
        if given["sampled"] is not None:
            check_count("sampled", given["sampled"])
        names = (*_ALWAYS, *_CONDITIONAL)
        accepted = read_several("accept", accept, "names of checks", alone=str)
        for name in accepted:
            if not is_one_of(name, names):
                raise ValueError(f"accept names {name!r:.60}; checks are {', '.join(names)}")
        return cls(wanted, accept=frozenset(accepted), **given)


def _find_events(
    history: Any, relevant: Any, events: Any
) -> tuple[Interactions, Interactions] | None:
    """Return training and test events that are both known."""
    if events is not None:
        if not isinstance(events, tuple | list) or len(events) != 2:
            raise TypeError(f"events are two logs, of training and of test; got {events!r:.60}")
        train, test = events
        check_interactions("events[0]", train)
        check_interactions("events[1]", test)
        return train, test
    if isinstance(history, Interactions) and isinstance(relevant, Interactions):
        return history, relevant
    return None


@dataclass
class _Run:
    """The checks of one evaluation, and what they found so far."""

    given: EvaluationInput
    settings: _Settings
    rng: np.random.Generator
    columns: Mapping[str, str]
    counted: list[Finding] = field(default_factory=list)
    tested: list[TestedFinding] = field(default_factory=list)
    references: list[ReferenceValue] = field(default_factory=list)
    timed: bool = False

    def check_contents(self) -> None:
        """Check what can be counted in lists, truth and context."""
        given, again = self.given, self.settings.repeat_consumption
        self.counted += [
            *_ids.check_ids(given),
            *_contents.check_lists(given),
            *_contents.check_users(given),
            *_contents.check_history(given, repeat_consumption=again),
            *_contents.check_catalog(given),
            *_contents.check_grades(given, threshold=self.settings.threshold),
            *_runs.check_candidates(given, self.settings.sampled),
        ]

    def check_events(self, events: tuple[Interactions, Interactions] | None) -> None:
        """Check training and test events for leaks from the future."""
        if events is None or not all(map(len, events)):
            return
        self.timed = all(part.timestamp is not None for part in events)
        counted_already = self.given.history is not None
        for found in _times.check_times(*events):
            repeat = found.check == "leak"
            if not (repeat and (counted_already or self.settings.repeat_consumption)):
                self.counted.append(found)

    def check_values(self, score: Score | None) -> None:
        """Check where references land, ties, and the evaluation under test."""
        given, measure = self.given, self.settings.measure
        references = _references.compute_references(
            given, measure, self.rng, repeat_consumption=self.settings.repeat_consumption
        )
        self.references += references.summarize()
        self.counted += _references.check_references(given, references)
        if score is not None:
            self.counted += _references.check_score(references, score, measure)
        best, worst = _references.bounds_of_ties(given, measure)
        values = references.values["the recommender"]
        there = values[~np.isnan(values)]
        error = float(there.std(ddof=1) / np.sqrt(len(there))) if len(there) > 1 else 0.0
        self.counted += _contents.check_ties(given, best, worst, error)

    def check_runs(self, again: Any, pipeline: Callable[..., Any] | None) -> None:
        """Check a second run, and one with the truth of other users."""
        if again is not None:
            self.counted += _runs.check_second_run(
                self.given, again, self.settings.measure, self.columns
            )
        if pipeline is not None:
            reference, counted, tested = _runs.check_shuffled_truth(
                self.given,
                pipeline,
                self.settings.measure,
                self.rng,
                self.columns,
                sampled=self.settings.sampled,
            )
            self.references += [] if reference is None else [reference]
            self.counted += counted
            self.tested += tested

    def check_chance(self) -> None:
        """Carry out the statistical checks of the lists."""
        again = self.settings.repeat_consumption
        self.tested += _chance.check_chance(self.given, repeat_consumption=again)
        if (self.given.has_list & self.given.has_truth).any():
            table = HitTable.of(self.given)
            self.tested += _chance.check_pairing(self.given, table)
            self.tested += _chance.check_shifted_items(self.given, table)
            self.tested += _truth_first.check_truth_first(
                self.given, repeat_consumption=again, sampled=self.settings.sampled
            )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, faults first, with p-values corrected for all tests."""
        found = [*self.counted, *self._significant()]
        found = [
            replace(each, severity="note") if each.check in self.settings.accept else each
            for each in found
        ]
        return tuple(sorted(found, key=lambda each: each.severity != "fault"))

    def _significant(self) -> Iterator[Finding]:
        if not self.tested:
            return
        adjusted = adjust([each.p_value for each in self.tested], method="holm")
        best: dict[str, Finding] = {}
        for each, p_value in zip(self.tested, adjusted.tolist(), strict=True):
            check = each.finding.check
            # Several readings of one fault are one finding: the likeliest.
            if p_value <= self.settings.false_alarm_rate and (
                check not in best or p_value < (best[check].p_value or 0.0)
            ):
                best[check] = replace(each.finding, p_value=p_value)
        yield from best.values()
