"""Evaluation of lists in batches or in several processes: its state, and the report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from recsys_metrics._core.checks import UndefinedMetricError, check_mapping
from recsys_metrics._core.inputs.align import align, read_sets
from recsys_metrics._core.inputs.arrays import FloatArray, as_read_only
from recsys_metrics._core.inputs.concatenate import copied, joined
from recsys_metrics._core.inputs.fingerprint import Digests, digest_of, digests_of
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.hits import align_hits
from recsys_metrics._core.inputs.ids import id_kinds
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists, Repeats
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.parse_lists import ParsedLists, parse_lists
from recsys_metrics._core.inputs.parse_sets import ParsedSets, parse_sets
from recsys_metrics._core.inputs.several import read_ids
from recsys_metrics._core.inputs.tables import distinct
from recsys_metrics._core.inputs.ties import ListTies
from recsys_metrics._core.inputs.users import refuse_no_user
from recsys_metrics._core.sorted_arrays import is_in
from recsys_metrics.evaluation._aggregate import Aggregate, Sums
from recsys_metrics.evaluation._caveats import list_caveats
from recsys_metrics.evaluation._context import EvaluationContext
from recsys_metrics.evaluation._protocol import Protocol, check_words, describe_context
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._settings import EvaluationSettings, Keep
from recsys_metrics.evaluation._user_values import MemoryValues, NoValues
from recsys_metrics.measures import Context, Measure
from recsys_metrics.ranking import Judged
from recsys_metrics.ranking._judging import judged_hits, judged_lists


@dataclass
class _ProtocolCounts:
    """What a protocol counts, over all batches."""

    n_lists: int = 0
    lengths: tuple[int, int] = (2**62, 0)
    n_short: int = 0
    n_without_relevant: int = 0
    grades: tuple[float, float] = (np.inf, 0.0)
    n_tied: int | None = None
    n_repeats: int | None = None
    n_relevant_repeats: int | None = None
    n_in_history: int | None = None
    # Relevant items that are in the history of the same user.
    n_relevant_in_history: int | None = None
    n_recommended: int | None = None
    n_constant: int | None = None
    digest: int = 0
    # Lists of users to whom something is relevant, and those with a hit.
    n_shared: int = 0
    n_with_hit: int = 0
    # Different items that are recommended, that are relevant, and that are both; how many there
    # are in several batches is not known.
    items: tuple[int, int, int] | None = None

    def add(self, other: _ProtocolCounts) -> None:
        self.items = other.items if not self.n_lists else None
        self.n_lists += other.n_lists
        self.n_shared += other.n_shared
        self.n_with_hit += other.n_with_hit
        self.lengths = _widest(self.lengths, other.lengths)
        self.n_short += other.n_short
        self.n_without_relevant += other.n_without_relevant
        self.grades = _widest(self.grades, other.grades)
        self.digest = (self.digest + other.digest) % 2**64
        for name in (
            *("n_tied", "n_repeats", "n_relevant_repeats", "n_in_history", "n_relevant_in_history"),
            *("n_recommended", "n_constant"),
        ):
            more = getattr(other, name)
            if more is not None:
                setattr(self, name, (getattr(self, name) or 0) + more)


def _widest(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    return min(one[0], other[0]), max(one[1], other[1])


@dataclass
class _State:
    """What is kept of the lists: it grows with them where users are kept."""

    counts: _ProtocolCounts = field(default_factory=_ProtocolCounts)
    values: dict[Measure, list[FloatArray]] = field(default_factory=dict)
    sums: dict[Measure, Sums] = field(default_factory=dict)
    tallies: dict[Measure, Any] = field(default_factory=dict)
    n_relevant: list[Any] = field(default_factory=list)
    digests: list[Digests] = field(default_factory=list)
    users: dict[Hashable, None] | None = None
    # Lists and what is relevant, where a measure has to see all of them at once.
    batches: list[tuple[Lists, ItemSets]] = field(default_factory=list)
    # Whether items and users are text, numbers or of another type.
    item_kinds: set[str] = field(default_factory=set)
    user_kinds: set[str] = field(default_factory=set)
    # Whose history is whose is known by the order of these lists alone.
    in_order: bool = False

    def add(self, other: _State) -> None:
        """Add what was kept of other lists."""
        if self.counts.n_lists and other.counts.n_lists:
            self._check_disjoint(other)
        self.in_order |= other.in_order
        self.item_kinds |= other.item_kinds
        self.user_kinds |= other.user_kinds
        self.counts.add(other.counts)
        for measure, parts in other.values.items():
            self.values.setdefault(measure, []).extend(parts)
        for measure, sums in other.sums.items():
            self.sums[measure] = self.sums.get(measure, Sums()) + sums
        for measure, tally in other.tallies.items():
            self.tallies[measure] = _add_tallies(self.tallies.get(measure), tally)
        self.n_relevant += other.n_relevant
        self.digests += other.digests
        self.batches += other.batches
        if other.users is not None:
            self.users = {**other.users} if self.users is None else self.users
            self.users.update(other.users)

    def _check_disjoint(self, other: _State) -> None:
        if self.in_order or other.in_order:
            raise ValueError(
                "history is in the order of the lists, and there are several batches: key "
                "lists and history by user, or pass a table and users= with each batch"
            )
        if (self.users is None) != (other.users is None):
            raise ValueError(
                "one batch is keyed by user and another is not; key all of them, or say users= "
                "with each"
            )
        _check_kinds(self.item_kinds, other.item_kinds, "items")
        if self.users is None or other.users is None:
            return
        _check_kinds(self.user_kinds, other.user_kinds, "users")
        less, more = sorted((self.users, other.users), key=len)
        twice = next((user for user in less if user in more), None)
        if twice is not None:
            raise ValueError(
                f"user {twice!r} comes in two batches, and would count twice. Give each user's "
                "list once, with what is relevant to the users of its batch alone"
            )


def _check_kinds(ours: set[str], theirs: set[str], what: str) -> None:
    if ours and theirs and ours != theirs:
        raise ValueError(
            f"the {what} of one batch are {' and '.join(sorted(ours))}, those of another "
            f"{' and '.join(sorted(theirs))}, which never match; use ids of one type"
        )


def _add_tallies(tally: Any, other: Any) -> Any:
    if tally is None:
        return other.copy()
    if isinstance(tally, Counter):
        tally.update(other)
        return tally
    return tally + other


class Evaluation:
    """How good are lists that come in batches, or in several processes?

    The report equals that of `evaluate` on all lists, whatever batches they come in and in which
    order.

    Parameters
    ----------
    measures, ks, threshold, history, features, catalog, baseline, ties, repeats
        As in `evaluate`. A history is a table, or keyed by user, so that it tells whose rows are
        whose.
    keep : {"per_user", "sums"}
        "per_user" keeps every user's values, and a report can do all that one of `evaluate` can.
        "sums" keeps sums and counts of items, as much memory for a billion lists as for a
        thousand: values and intervals of means, but no values, groups or comparisons by user, and
        nobody notices a user who comes again in another batch.
    digests : bool
        Whether to keep a digest of what is relevant to each user. `compare` needs it, to see that
        two reports are of the same users and the same truth.

    Raises
    ------
    ValueError, TypeError
        If a measure cannot be read, or takes all lists at once where only sums are kept.

    Notes
    -----
    It can be pickled, with the history and features that it was given.

    References
    ----------
    Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance: analysis and
    recommendations, The American Statistician 37(3).

    Examples
    --------
    >>> from recsys_metrics import Evaluation
    >>> evaluation = Evaluation(["recall@2", "coverage@2"], catalog=4)
    >>> evaluation.update({"ann": ["A", "B"]}, {"ann": {"B", "C"}})
    Evaluation(recall@2, catalog_coverage@2; 1 list)
    >>> other_process = Evaluation(["recall@2", "coverage@2"], catalog=4)
    >>> report = evaluation.merge(other_process.update({"bob": ["B"]}, {"bob": {"B"}})).report()
    >>> report["recall@2"].mean, report["coverage@2"].mean
    (0.75, 0.5)
    """

    def __init__(
        self,
        measures: Iterable[str | Measure],
        *,
        ks: Sequence[int] | None = None,
        threshold: float | None = None,
        history: Any = None,
        features: Any = None,
        catalog: int | Collection[Hashable] | None = None,
        baseline: Any = None,
        ties: ListTies = "id",
        repeats: Repeats = "raise",
        keep: Keep = "per_user",
        digests: bool = True,
    ) -> None:
        settings = EvaluationSettings.read(
            measures,
            ks,
            threshold=threshold,
            ties=ties,
            repeats=repeats,
            keep=keep,
            digests=digests,
        )
        self._start(
            settings,
            EvaluationContext.read(
                history=history, features=features, catalog=catalog, baseline=baseline
            ),
        )

    @classmethod
    def _from_settings(
        cls, settings: EvaluationSettings, background: EvaluationContext
    ) -> Evaluation:
        """Return an evaluation of no list, by settings and context that were read."""
        evaluation = cls.__new__(cls)
        evaluation._start(settings, background)
        return evaluation

    def _renewed(self) -> Evaluation:
        """Return an evaluation of the same measures and of no list."""
        return self._from_settings(self._settings, self._background)

    def _start(self, settings: EvaluationSettings, background: EvaluationContext) -> None:
        self._settings, self._background = settings, background
        self._only_hits = settings.need_only_hits and background.history is None
        self._kept = _State()
        self._rows: Any = None
        for measure in self.measures:
            if self.keep == "sums" and not measure.metric.per_user and measure.metric.parts is None:
                raise ValueError(
                    f"{measure} is an aggregate over all lists, and keep='sums' stores none; pass "
                    "keep='per_user'"
                )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is computed."""
        return self._settings.measures

    @property
    def keep(self) -> Keep:
        """Whether the values of each user are stored, or their sums."""
        return self._settings.keep

    def update(
        self, recommended: Any, relevant: Any, *, users: Iterable[Hashable] | None = None
    ) -> Evaluation:
        """Add a batch of lists.

        Parameters
        ----------
        recommended, relevant
            As in `evaluate`, of the users of this batch: anything that `judge` takes, tensors
            among it.
        users : (n,) sequence or array, optional
            Whose list each is, where they are not keyed by user; numbers of rows, where the
            history is a table.

        Returns
        -------
        Evaluation
            Itself.

        Raises
        ------
        ValueError, TypeError
            If a user had a list before, or as in `evaluate`; then nothing of the batch is added.
        """
        return self._update(recommended, relevant, users=users)

    def _update(
        self, recommended: Any, relevant: Any, *, users: Any = None, rows: Any = None
    ) -> Evaluation:
        parsed = parse_lists(recommended), parse_sets(relevant)
        if users is not None and parsed[1].by_user is not None:
            # Keyed before they are aligned, so that a user without a list gets an empty one.
            parsed = _key_by_user(parsed[0], users), parsed[1]
            users = None
        if self._only_hits and users is None and rows is None and self._update_hits(*parsed):
            return self
        self._background.check_width(relevant)
        settings = self._settings
        lists, graded = align(
            *parsed, k=settings.depth, ties=settings.ties, repeats=settings.repeats
        )
        lists = lists.as_batch()
        if users is not None:
            lists = _with_user_keys(lists, users)
        if len(lists):
            known = self._background.for_lists(lists, self._relevant(graded), rows)
            self._update_aligned(lists, graded, known, rows=rows)
        return self

    def _add_relevant_repeats(self, number: int) -> None:
        """Count rows of relevant items that were taken out before."""
        counts = self._kept.counts
        if counts.n_relevant_repeats is not None:
            counts.n_relevant_repeats += number

    def _update_aligned(
        self, lists: Lists, graded: ItemSets, known: Context, *, rows: Any = None
    ) -> None:
        """Add lists and what is relevant to each, in one numbering of the items."""
        settings = self._settings
        judged = judged_lists(lists, graded, settings.threshold)
        digests = digests_of(graded, lists.ids) if settings.digests else None
        counts = self._count(judged, digests)
        counts.n_tied, counts.n_repeats = lists.n_tied(settings.cutoffs), lists.n_repeats
        counts.n_relevant_repeats = None if settings.repeats == "raise" else graded.n_repeats
        if known.history is not None:
            history = read_sets(known.history, lists, "history")
            counts.n_in_history = int(np.count_nonzero(contained(lists, history)))
            counts.n_relevant_in_history = _count_shared(
                graded.relevant(settings.threshold), history
            )
        counts.n_recommended, counts.n_constant = int(lists.lengths.sum()), lists.n_constant
        counts.items = _count_items(lists, graded)
        batch = _State(counts, n_relevant=[judged.n_relevant])
        if (lists.items >= 0).any():
            batch.item_kinds = id_kinds(lists.ids.index or (0,))
        batch.digests = [] if digests is None else [digests]
        if lists.users is not None:
            batch.users = dict.fromkeys(lists.users)
            batch.user_kinds = id_kinds(lists.users)
        by_order = rows is None and self._background.depends_on_list_order(lists)
        batch.in_order = by_order and any("history" in m.metric.needs for m in self.measures)
        for measure in self.measures:
            if self._keeps_sums_only(measure):
                batch.tallies[measure] = measure.accumulate(lists.cut(measure.k), known)
            elif self._needs_all_lists(measure):
                # A loop may fill the same arrays again.
                batch.batches = [
                    (replace(lists, items=lists.items.copy(), scored=None), copied(graded))
                ]
                self._rows = rows
            else:
                values = (
                    measure(judged)
                    if measure.metric.takes_judged
                    else measure.of_lists(lists.cut(measure.k), known)
                )
                self._keep(batch, measure, values)
        self._add(batch)

    def _update_hits(self, recommended: ParsedLists, relevant: ParsedSets) -> bool:
        """Add a batch of which only the hits are read, if its form allows it."""
        settings = self._settings
        assert settings.depth is not None
        hits = align_hits(
            recommended, relevant, settings.depth, settings.ties, digests=settings.digests
        )
        if hits is None:
            return False
        judged = judged_hits(hits, settings.threshold)
        counts = self._count(judged, hits.digests)
        counts.n_tied, counts.items = hits.n_tied(settings.cutoffs), hits.item_overlap
        counts.n_recommended = int(np.minimum(hits.lengths, settings.depth).sum())
        counts.n_constant = hits.n_constant
        batch = _State(counts, n_relevant=[judged.n_relevant])
        batch.digests = [] if hits.digests is None else [hits.digests]
        batch.item_kinds = hits.item_kinds
        batch.users = None if hits.users is None else dict.fromkeys(hits.users)
        batch.user_kinds = id_kinds(hits.users or ())
        for measure in self.measures:
            self._keep(batch, measure, measure(judged))
        self._add(batch)
        return True

    def _keep(self, batch: _State, measure: Measure, values: Any) -> None:
        """Put the values of a measure into a batch."""
        if self.keep == "per_user":
            batch.values[measure] = [as_read_only(values)]
        else:
            batch.sums[measure] = Sums.from_values(values)

    def _add(self, batch: _State) -> None:
        """Add a batch to what is kept."""
        if self.keep == "sums":
            batch.users, batch.n_relevant, batch.digests = None, [], []
        self._kept.add(batch)

    def _keeps_sums_only(self, measure: Measure) -> bool:
        """Whether only sums over the lists are kept for a measure."""
        metric = measure.metric
        return metric.parts is not None and (self.keep == "sums" or not metric.per_user)

    def _needs_all_lists(self, measure: Measure) -> bool:
        """Whether a measure has to see all lists at once."""
        metric = measure.metric
        return not self._keeps_sums_only(measure) and (
            metric.parts is not None or not metric.per_user
        )

    def _relevant(self, graded: ItemSets) -> ItemSets | None:
        """Return what is relevant as sets of items, if a measure looks at those."""
        metrics = [each.metric for each in self.measures if not each.metric.takes_judged]
        if any("relevant" in metric.needs for metric in metrics):
            return graded.relevant(self._settings.threshold)
        return None

    def _count(self, judged: Judged[Any], digests: Digests | None) -> _ProtocolCounts:
        """Count what the protocol says of judged lists."""
        grades = judged._levels[judged._levels > 0].tolist() if len(judged._truth_codes) else []
        cuts = self._settings.cutoffs
        return _ProtocolCounts(
            n_lists=len(judged),
            lengths=(int(judged.n_returned.min()), int(judged.n_returned.max())),
            n_short=int(np.count_nonzero(judged.n_returned < max(cuts, default=0))),
            n_without_relevant=int(np.count_nonzero(judged.n_relevant == 0)),
            grades=(grades[0], grades[-1]) if grades else _ProtocolCounts.grades,
            digest=0 if digests is None else digest_of(judged.users, digests),
            n_shared=int(np.count_nonzero((judged.n_returned > 0) & (judged.n_relevant > 0))),
            n_with_hit=int(np.count_nonzero(judged._codes.any(axis=1))),
        )

    def merge(self, other: Evaluation) -> Evaluation:
        """Add the lists of another evaluation of the same metrics.

        Parameters
        ----------
        other : Evaluation
            Of other users; it stays as it is.

        Returns
        -------
        Evaluation
            Itself.

        Raises
        ------
        ValueError, TypeError
            If it is none, was told other measures or conventions, or has a user that this one has.
        """
        if not isinstance(other, Evaluation):
            raise TypeError(f"an Evaluation is merged with another, not with {other!r:.60}")
        if other is self:
            raise ValueError("an evaluation was merged with itself: every list would count twice")
        odd = self._settings.find_difference(other._settings)
        pairs = zip_longest(describe_context(self._context), describe_context(other._context))
        odd = odd or next((pair for pair in pairs if pair[0] != pair[1]), None)
        if odd is not None:
            raise ValueError(
                f"the two evaluations were created with different settings, {odd[0]!r} and "
                f"{odd[1]!r}; give every process the same metrics, conventions, context, keep= "
                "and digests="
            )
        self._kept.add(other._kept)
        return self

    def report(
        self,
        *,
        groups: Mapping[str, Any] | None = None,
        sampled: int | None = None,
        candidates: str | None = None,
        split: str | None = None,
        seed: int | str | None = None,
        name: str = "",
    ) -> Report:
        """Return the report on all lists so far; more may follow.

        Parameters
        ----------
        groups, sampled, candidates, split, seed, name
            As in `evaluate`.

        Returns
        -------
        Report

        Raises
        ------
        ValueError
            If there was no list, or groups are asked for where only sums are kept.
        """
        return self._report(
            groups=groups, sampled=sampled, candidates=candidates, split=split, seed=seed, name=name
        )

    def _report(
        self,
        *,
        groups: Mapping[str, Any] | None,
        sampled: int | None,
        name: str,
        by_user: bool = False,
        **stated: Any,
    ) -> Report:
        """Return the report, with users in ascending order if asked for."""
        kept, settings = self._kept, self._settings
        check_words("name", name)
        groups = {} if groups is None else groups
        check_mapping("groups", groups, "from a name to the users' groups")
        if not kept.counts.n_lists:
            raise ValueError("there is no list to evaluate")
        of_users: dict[Measure, FloatArray] = {}
        aggregates = {}
        undefined: list[str] = []
        for measure in self.measures:
            try:
                found = self._values_of_all_users(measure)
            except UndefinedMetricError as problem:
                undefined.append(str(problem))
                found = Aggregate(math.nan)
            if isinstance(found, np.ndarray):
                of_users[measure] = as_read_only(found)
                found = Aggregate.from_values(of_users[measure])
            aggregates[measure] = found
        values: MemoryValues | NoValues = NoValues()
        if self.keep == "sums" and groups:
            values.labels(groups)
        if self.keep == "per_user":
            users = None if kept.users is None else tuple(kept.users)
            digests = _concatenate(kept.digests) if settings.digests else None
            values = MemoryValues(
                of_users,
                users,
                _concatenate(kept.n_relevant),
                digests,
                may_compare=settings.digests,
            )
            if by_user and users is not None:
                values = values.of_users(sorted(users))  # type: ignore[type-var]
        results = {
            measure: Result(measure, aggregate, values) for measure, aggregate in aggregates.items()
        }
        digest = f"{kept.counts.digest:016x}" if settings.digests else None
        counts = vars(kept.counts) | {"digest": digest}
        seen = {
            each: counts.pop(each)
            for each in ("items", "n_constant", "n_shared", "n_with_hit", "n_relevant_in_history")
        }
        if not kept.counts.grades[1]:
            counts["grades"] = (1.0, 1.0)
        protocol = Protocol.of(
            self.measures,
            threshold=settings.threshold,
            sampled=sampled,
            context=self._context,
            ties=settings.ties,
            repeats=settings.repeats,
            **counts,
            **stated,
        )
        return Report(
            name=name or "the lists",
            results=results,
            groups={
                # A table says who is in a group; the others are in none.
                name: each if is_frame(each) else values.labels(each, name)
                for name, each in groups.items()
            },
            protocol=protocol,
            warnings=list_caveats(
                results,
                protocol,
                sampled,
                sums=self.keep == "sums",
                **seen,
                undefined=undefined,
                threshold=settings.threshold,
                grades=counts["grades"],
            ),
            user_values=values,
        )

    @property
    def _context(self) -> Context:
        return replace(self._background.context, history=None)

    def _values_of_all_users(self, measure: Measure) -> FloatArray | Aggregate:
        """Return the values of all users, or what they come to where these are not kept."""
        kept = self._kept
        if measure in kept.values:
            values: FloatArray = _concatenate(kept.values[measure])
            return values
        if measure in kept.sums:
            return kept.sums[measure].aggregate
        if measure in kept.tallies:
            total = measure.finalize(kept.tallies[measure], self._context)
            if not measure.metric.per_user:
                return Aggregate(float(total))
            mean, n = total
            return Aggregate(mean, n, kept.counts.n_lists - n)
        lists, graded = joined(kept.batches)
        value: Any
        if measure.metric.takes_judged:
            value = measure(judged_lists(lists, graded, self._settings.threshold))
        else:
            known = self._background.for_lists(lists, self._relevant(graded), self._rows)
            value = measure.of_lists(lists.cut(measure.k), known)
        return np.asarray(value) if measure.metric.per_user else Aggregate(float(value))

    def __repr__(self) -> str:
        n = self._kept.counts.n_lists
        return (
            f"Evaluation({', '.join(map(str, self.measures))}; {n:,} list{'s' if n != 1 else ''})"
        )


def _count_shared(ours: ItemSets, theirs: ItemSets) -> int:
    """Return how many items are in both sets of a list, over all lists."""
    both = [np.stack([each.rows, each.items], axis=1) for each in (ours, theirs)]
    pairs = np.concatenate(both)
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    return int(np.count_nonzero(counts > 1))


def _count_items(lists: Lists, relevant: ItemSets) -> tuple[int, int, int]:
    """Return how many items are recommended, how many are relevant, and how many are both."""
    ours, theirs = distinct(lists.items), distinct(relevant.items)
    return len(ours), len(theirs), int(np.count_nonzero(is_in(ours, theirs)))


def _concatenate(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _key_by_user(parsed: ParsedLists, users: Any) -> ParsedLists:
    """Return lists as they came that know whose they are."""
    keys = _read_users(users, len(parsed.rows), parsed.users is not None)
    return replace(parsed, users=keys, single=False)


def _with_user_keys(lists: Lists, users: Any) -> Lists:
    """Return lists that know whose they are."""
    return replace(lists, users=_read_users(users, len(lists), lists.users is not None))


def _read_users(users: Any, n_lists: int, are_keyed: bool) -> tuple[Hashable, ...]:
    """Return whose each list is."""
    if are_keyed:
        raise TypeError("the lists are keyed by user already; leave users= out")
    keys = read_ids("users", users, "list")
    if len(keys) != n_lists:
        raise ValueError(f"users names {len(keys)} users for {n_lists} lists; name one for each")
    refuse_no_user(keys, "users")
    if twice := next((user for user, n in Counter(keys).items() if n > 1), None):
        raise ValueError(f"users names {twice!r} twice; give each user one list")
    return tuple(keys)
