"""Reports of held-out items that were ranked one by one, against all items or a sample."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from recsys_metrics._core.checks import check_mapping
from recsys_metrics._core.inputs.fingerprint import digest_of, hash_ids, truth_digests
from recsys_metrics._core.inputs.several import read_ids
from recsys_metrics._core.inputs.users import refuse_no_user
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._caveats import explain_sampling
from recsys_metrics.evaluation._protocol import Protocol, check_words
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._user_values import MemoryValues
from recsys_metrics.measures import Context, Measure, read_measures
from recsys_metrics.protocol.candidates import Ranks, metric_at_rank
from recsys_metrics.protocol.candidates._one_item import Metric as OneItemMetric

_AT_RANK: dict[str, OneItemMetric] = {
    "hit_rate": "hit_rate",
    "recall": "recall",
    "precision": "precision",
    "reciprocal_rank": "reciprocal_rank",
    "average_precision": "average_precision",
    "ndcg": "ndcg",
}


def evaluate_ranks(
    ranks: Ranks,
    measures: Iterable[str | Measure],
    *,
    users: Sequence[Hashable] | None = None,
    groups: Mapping[str, Any] | None = None,
    candidates: str | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    name: str = "",
) -> Report:
    r"""How good are the ranks of held-out items, and how sure is that?

    Parameters
    ----------
    ranks : Ranks
        Of `protocol.candidates.full_ranks` or `protocol.candidates.sampled_ranks`.
    measures : iterable of str
        "hit_rate@10", "recall@10", "precision@10", "reciprocal_rank", "average_precision@10" or
        "ndcg@10", or other names of these. Each held-out item is the only relevant one in its
        own ranking.
    users : sequence of ids, optional
        The user of each row of the scores that were ranked; by default the row's number. Groups may
        then be keyed by user.
    groups, candidates, split, seed, name
        As in `evaluate`; groups are those of the users, in the order of their numbers.

    Returns
    -------
    Report
        With intervals over users, groups and comparisons. A comparison of a report of sampled
        ranks with one of full ranks is an error.

    Raises
    ------
    ValueError, TypeError
        If there is no rank, a metric has no value at a single rank, or a convention was given.

    Notes
    -----
    The value of a user is the mean over the user's held-out items:

    .. math:: v_u = \frac{1}{|H_u|} \sum_{i \in H_u} m(r_{ui})

    where :math:`H_u` are the held-out items of user :math:`u`, :math:`r_{ui}` is the rank of item
    :math:`i`, and :math:`m` is the metric of a list with one relevant item.

    Examples
    --------
    >>> from recsys_metrics.evaluation import evaluate_ranks
    >>> from recsys_metrics.protocol.candidates import full_ranks
    >>> found = full_ranks([[0.1, 0.9, 0.4], [0.3, 0.2, 0.8]], [[2], [0, 1]])
    >>> evaluate_ranks(found, ["hit_rate@2", "mrr"]).as_dict()["hit_rate@2"]
    0.75
    """
    check_words("name", name)
    given = {} if groups is None else groups
    check_mapping("groups", given, "from a name to the users' groups")
    if not isinstance(ranks, Ranks):
        raise TypeError(
            "ranks must be those of protocol.candidates.full_ranks or sampled_ranks; got "
            f"{ranks!r:.60}"
        )
    if not len(ranks):
        raise ValueError("there are no held-out items, so there is nothing to evaluate")
    wanted = read_measures(measures, None)
    for measure in wanted:
        _check_measure(measure)
    rows, place, count = np.unique(ranks.user, return_inverse=True, return_counts=True)
    values = {
        measure: np.bincount(
            place, metric_at_rank(ranks.rank, _AT_RANK[measure.name], k=measure.k), len(rows)
        )
        / count
        for measure in wanted
    }
    order = np.argsort(place, kind="stable")
    digests = truth_digests(
        hash_ids(ranks.item[order].tolist()), None, np.append(0, np.cumsum(count))
    )
    keys = tuple(rows.tolist()) if users is None else _name_rows(rows.tolist(), users)
    held = MemoryValues(values, keys, count, digests)
    return Report(
        name=name or "the ranks",
        results={
            measure: Result(measure, Aggregate.from_values(column), held)
            for measure, column in values.items()
        },
        groups={key: held.labels(each, key) for key, each in given.items()},
        protocol=Protocol.of(
            wanted,
            grades=(1.0, 1.0),
            threshold=None,
            sampled=ranks.sampled,
            candidates=candidates,
            split=split,
            seed=seed,
            context=Context(),
            n_lists=len(rows),
            lengths=(int(ranks.n_items.min()), int(ranks.n_items.max())),
            n_short=0,
            n_without_relevant=0,
            digest=f"{digest_of(keys, digests):016x}",
        ),
        warnings=() if ranks.sampled is None else (explain_sampling(ranks.sampled),),
        user_values=held,
    )


def _name_rows(rows: Sequence[int], users: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the user of each row that has a held-out item."""
    names = read_ids("users", users, "row of the scores")
    refuse_no_user(names, "users")
    if rows[-1] >= len(names):
        raise ValueError(
            f"users names {len(names):,} users, and row {rows[-1]} of the scores has held-out "
            "items; name the user of each row"
        )
    if len({*names}) < len(names):
        twice = next(user for at, user in enumerate(names) if user in names[:at])
        raise ValueError(f"users names {twice!r} twice; give each user one row")
    return tuple(names[row] for row in rows)


def _check_measure(measure: Measure) -> None:
    if measure.name not in _AT_RANK or measure.own is not None:
        raise ValueError(
            f"{measure.label} has no value at a single rank; there are {', '.join(_AT_RANK)}"
        )
    if measure.conventions:
        given = ", ".join(measure.conventions)
        raise ValueError(
            f"{measure.label} states {given}, but in a ranking with one relevant item no "
            f"convention has an effect; write {Measure(measure.name, measure.k)}"
        )
