"""The one call: judge once, ask every measure, say how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._checks import check_count
from recsys_metrics.evaluation.protocol import NOT_STATED, Protocol
from recsys_metrics.evaluation.report import Report, Result
from recsys_metrics.evaluation.sources import cut, gather, judge_in_step, relevant_only
from recsys_metrics.measures import Known, Measure, measure
from recsys_metrics.ranking import Judged


def evaluate(
    recommended: Any,
    relevant: Any,
    measures: Iterable[str | Measure],
    *,
    ks: Sequence[int] | None = None,
    threshold: float | None = None,
    history: Any = None,
    users: ArrayLike | None = None,
    features: Any = None,
    catalog: Any = None,
    baseline: Any = None,
    groups: Mapping[str, Any] | None = None,
    sampled: int | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    name: str = "",
) -> Report:
    """How good are these lists, by many measures, and how sure is that?

    Parameters
    ----------
    recommended, relevant
        What was served and what was wanted, in any form that `judge` takes: one list, many
        lists, mappings keyed by user, or arrays of item numbers with a sparse table.
    measures : iterable of str or Measure
        Such as ``"ndcg@10"``, ``"average_precision(divisor=hits)@10"``, ``"coverage@10"``.
    ks : sequence of int, optional
        Cut-offs for every measure that is written without one.
    threshold : float, optional
        Lowest grade that counts as relevant, as in `judge`.
    history : optional
        What users met before, for popularity, novelty, unexpectedness: `Interactions` or a
        sparse users x items table of the training data, a mapping from user to items, or one
        set of items per list.
    users : (n,) array of int, optional
        Which row of such a table belongs to each list. Not needed if lists are keyed by the
        user's number, or the table has one row per list.
    features : optional
        What is known of the items, for diversity and its kin: an (n_items, d) array or sparse
        matrix, or a mapping from id to a vector or to a set of categories.
    catalog : int or collection of ids, optional
        What could have been recommended, for coverage and Gini; by default all items of a
        history that comes as a table.
    baseline : optional
        The obvious list, for serendipity; by default the most popular items of the history.
    groups : mapping, optional
        Name of each grouping and the group of each user: an array in the order of the lists,
        or a mapping from user to group.
    sampled : int, optional
        Number of other items each relevant one was ranked against, if not the whole catalogue.
    split, seed : str, optional
        How training and test were told apart, and what randomness started from; printed with
        the numbers.
    name : str
        What is evaluated.

    Returns
    -------
    Report
        A mapping from measure to result, with `.by(groups)`, `.compare(other)`, `.protocol`,
        `.warnings` and `.to_frame()`.

    Raises
    ------
    ValueError, TypeError
        If a measure cannot be read or lacks what it needs, or the lists cannot be judged; the
        message says what to give.

    Notes
    -----
    Lists are judged once for all measures. A user with something relevant and no list counts
    as an empty list, in every measure.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> lists = {"ann": ["A", "B", "C"], "bob": ["B", "C", "D"]}
    >>> wanted = {"ann": {"B", "C"}, "bob": {"D"}}
    >>> seen = {"ann": {"D"}, "bob": {"A"}, "cem": {"A", "B"}}
    >>> report = evaluate(lists, wanted, ["recall@2", "novelty(unseen=one)@2"], history=seen)
    >>> round(report["recall@2"].mean, 3), round(report["novelty(unseen=one)@2"].mean, 3)
    (0.25, 1.335)
    """
    asked = _read_measures(measures, ks)
    judged, lists, truths = judge_in_step(recommended, relevant, threshold)
    if not len(judged):
        raise ValueError("there is no list to evaluate")
    known = gather(
        judged,
        lists,
        relevant_only(truths, threshold),
        history=history,
        users=users,
        features=features,
        catalog=catalog,
        baseline=baseline,
    )
    cuts: dict[int | None, Any] = {}
    results = {}
    for made in asked:
        if made.metric.family == "accuracy":
            values = made(judged)
        else:
            if made.k not in cuts:
                cuts[made.k] = cut(lists, made.k)
            values = _of_lists(made, cuts[made.k], known)
        results[made] = _result(made, values, len(judged))
    protocol = _protocol(judged, asked, known, threshold, sampled, split, seed)
    return Report(
        name=name or "the lists",
        results=results,
        users=judged.users,
        groups=_read_groups(groups, judged),
        protocol=protocol,
        warnings=_warnings(asked, protocol, results, sampled),
        truth=judged.n_relevant,
    )


def _read_measures(
    measures: Iterable[str | Measure], ks: Sequence[int] | None
) -> tuple[Measure, ...]:
    if isinstance(measures, str | Measure):
        measures = [measures]
    cuts = [check_count("a k of ks", k) for k in ks] if ks is not None else [None]
    asked: dict[Measure, None] = {}
    for given in measures:
        made = measure(given) if isinstance(given, str) else given
        if not isinstance(made, Measure):
            raise TypeError(f"a measure is a text such as 'ndcg@10'; got {given!r}")
        asked.update(dict.fromkeys([made] if made.k else [made.at(k) for k in cuts]))
    if not asked:
        raise ValueError("measures names none; ask for 'ndcg@10', for instance")
    return tuple(asked)


def _of_lists(made: Measure, lists: Any, known: Known) -> Any:
    try:
        return made.of_lists(lists, known)
    except (TypeError, ValueError) as problem:
        text = str(problem)
        raise type(problem)(text if text.startswith(str(made)) else f"{made}: {text}") from None


def _result(made: Measure, values: Any, n: int) -> Result:
    if not made.metric.per_user:
        return Result(made, float(values), None)
    per_user: NDArray[np.float64] = np.asarray(values, dtype=np.float64).reshape(n)
    per_user.flags.writeable = False
    kept = per_user[~np.isnan(per_user)]
    return Result(made, float(kept.mean()) if kept.size else float("nan"), per_user)


def _read_groups(groups: Mapping[str, Any] | None, judged: Judged) -> dict[str, NDArray[Any]]:
    read: dict[str, NDArray[Any]] = {}
    for name, given in (groups or {}).items():
        if isinstance(given, Mapping):
            if judged.users is None:
                raise TypeError(f"the grouping {name!r} is keyed by user, so the lists must be too")
            missing = [user for user in judged.users if user not in given]
            if missing:
                raise ValueError(f"the grouping {name!r} has no group for user {missing[0]!r}")
            given = [given[user] for user in judged.users]
        labels = np.asarray(given)
        if labels.shape != (len(judged),):
            raise ValueError(
                f"the grouping {name!r} has shape {labels.shape}; give one group for each of "
                f"{len(judged)} lists"
            )
        read[name] = labels
    return read


def _protocol(
    judged: Judged,
    asked: tuple[Measure, ...],
    known: Known,
    threshold: float | None,
    sampled: int | None,
    split: str | None,
    seed: int | str | None,
) -> Protocol:
    from recsys_metrics import __version__

    if sampled is not None:
        sampled = check_count("sampled", sampled)
    largest = max((made.k or 0 for made in asked), default=0)
    return Protocol(
        n_lists=len(judged),
        served=(int(judged.lengths.min()), int(judged.lengths.max())),
        n_short=int(np.count_nonzero(judged.lengths < largest)),
        n_nothing_relevant=int(np.count_nonzero(judged.n_relevant == 0)),
        relevance=_relevance(judged, threshold),
        candidates=(
            "the whole catalogue, as far as stated"
            if sampled is None
            else f"a sample: the relevant items and {sampled:,} others"
        ),
        split=split or NOT_STATED,
        seed=NOT_STATED if seed is None else str(seed),
        context=_context(known),
        measures=tuple(made.everything for made in asked),
        version=__version__,
    )


def _relevance(judged: Judged, threshold: float | None) -> str:
    grades = judged.levels[np.unique(judged.truth_codes)]
    grades = grades[grades > 0]
    kind = "binary"
    if len(grades) > 1:
        kind = f"graded, {grades[0]:g} to {grades[-1]:g}"
    rule = "any grade above 0" if threshold is None else f"a grade of {threshold:g} or more"
    return f"{kind}; {rule} counts for the measures that count"


def _context(known: Known) -> tuple[str, ...]:
    said = []
    if known.catalog is not None:
        n = known.catalog if isinstance(known.catalog, int | np.integer) else len(known.catalog)
        said.append(f"a catalogue of {n:,} items")
    if known.n_users is not None:
        said.append(f"the history of {known.n_users:,} users")
    if known.features is not None:
        said.append("features of the items")
    return tuple(said)


def _warnings(
    asked: tuple[Measure, ...],
    protocol: Protocol,
    results: Mapping[Measure, Result],
    sampled: int | None,
) -> tuple[str, ...]:
    said = []
    families = {made.metric.family for made in asked}
    if families == {"accuracy"}:
        said.append(
            "Only accuracy was measured. Add a measure of another kind, such as coverage or "
            "self_information: accurate lists can show everybody the same few items."
        )
    if sampled is not None:
        said.append(
            f"Ranks were taken among {sampled:,} sampled items, not the whole catalogue: values "
            "are higher, and the order of two models may turn round. See "
            "protocol.expected_sampled_metric and protocol.corrected_metric."
        )
    if protocol.split == NOT_STATED:
        said.append("The split was not stated (split=…): a random one lets the future leak in.")
    if protocol.n_short:
        said.append(
            f"{protocol.n_short:,} of {protocol.n_lists:,} lists are shorter than the largest "
            "cut-off; their missing ranks count as misses."
        )
    known = [result.n for result in results.values() if result.values is not None]
    if known and min(known) < 30:
        few = min(known)
        said.append(
            f"A mean over {few} user{'s' if few != 1 else ''} says little about others: read its "
            "interval, where there is one."
        )
    return tuple(said)
