"""Evaluate long tables: plan, one query, checks, report."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import narwhals as nw

from recsys_metrics._core.checks import MOST_RANKS, UndefinedMetricError, check_count, check_mapping
from recsys_metrics._core.inputs.catalog import catalog_ids
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._caveats import list_caveats
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._settings import EvaluationSettings
from recsys_metrics.frames import _checks, _per_item, _per_list, _tables
from recsys_metrics.frames._plan import EngineError, Expr, QueryPlan, one_row, total
from recsys_metrics.frames._tables import LongTable
from recsys_metrics.frames._values import FrameValues, aggregate_expressions, aggregate_from_sums
from recsys_metrics.measures import Context, Measure
from recsys_metrics.measures._custom import NamedFunction

Row = Mapping[str, Any]


def evaluate(
    recommended: Any,
    relevant: Any,
    measures: Iterable[str | Measure],
    *,
    ks: Sequence[int] | None = None,
    threshold: float | None = None,
    history: Any = None,
    n_users: int | None = None,
    catalog: int | Collection[Any] | None = None,
    baseline: Sequence[Any] | None = None,
    groups: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    repeats: Repeats = "raise",
    sampled: int | None = None,
    candidates: str | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    name: str = "",
) -> Report:
    """How good are these lists, by many measures, when they are a table on disk or in a cluster?

    Parameters
    ----------
    recommended : frame
        One row per user and item that was recommended, with its rank (from 1) or its score;
        among equal scores the smaller item id goes first, numbers by value and text by its
        code points. Polars (eager or lazy), DuckDB, PySpark, pandas, PyArrow; pandas and PyArrow
        go by way of Polars.
    relevant : frame of the same kind
        One row per user and relevant item, with its grade if there are grades; a grade of 0 means
        judged and not relevant.
    measures, ks, threshold
        As in `recsys_metrics.evaluate`.
    history : frame, optional
        One row per user and item that was seen in training, for popularity and novelty.
    n_users : int, optional
        How many users the history is of; by default those in it.
    catalog : int or collection of ids, optional
        What could have been recommended, for coverage, Gini and entropy.
    baseline : sequence of item ids, optional
        The obvious list, for serendipity.
    groups : mapping, optional
        Name of each grouping and the group of each user: a frame of the same kind with columns
        for the user and the group, or a mapping from user to group.
    columns : mapping, optional
        Which column is the user, item, rank, score, grade or group, where its name does not say
        so. Common names (user_id, userId, movieId, rating, prediction, qid, docno …) are known,
        and the report says which were taken.
    repeats : {"raise", "drop", "blank"}
        What becomes of an item that a user has in two rows, as in `recsys_metrics.evaluate`: the
        row with the best rank or score counts, and of what is relevant the highest grade.
    sampled, candidates, split, seed, name
        As in `recsys_metrics.evaluate`; printed with the numbers.

    Returns
    -------
    Report
        The same as over arrays. The users' values stay a query of the engine until something
        asks for them: `.by` with a frame of groups and `.compare` with a report of the same
        engine do not.

    Raises
    ------
    TableError
        A ValueError that says which table: if a column is missing or could be several, ids are of
        different types, a row lacks a user or an item, a rank, score or grade is missing or out
        of range, or a user has an item or a rank twice.
    ValueError, TypeError
        If a measure needs what was not given, or something is no data frame.

    Notes
    -----
    Values equal those of `recsys_metrics.evaluate` on the same lists. A user who is in one
    table only has an empty list, or nothing relevant. Measures that compare items by their
    features are for arrays only.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> lists = pl.DataFrame({"user": [1, 1, 2], "item": ["A", "B", "A"], "rank": [1, 2, 1]})
    >>> relevant = pl.DataFrame({"user": [1, 2], "item": ["B", "A"]})
    >>> report = frames.evaluate(lists, relevant, ["recall@2", "mrr@2", "coverage@2"], catalog=4)
    >>> [report[name].mean for name in report]
    [1.0, 0.75, 0.5]
    >>> report["mrr@2"].per_user.tolist()
    [0.5, 1.0]
    """
    settings = EvaluationSettings.read(measures, ks, threshold=threshold, repeats=repeats)
    asked = settings.measures
    check_supported(asked)
    names = columns or {}
    check_mapping("columns", names, "from a role to the name of a column")
    check_mapping("groups", groups or {}, "from a name to the groups of the users")
    groupings = {name: each for name, each in (groups or {}).items() if is_frame(each)}
    given = {"recommended": recommended, "relevant": relevant, "history": history, **groupings}
    _tables.check_named(names, {name: table for name, table in given.items() if table is not None})
    there = {name: given[name] for name in ("recommended", "relevant", "history")}
    read = [_tables.read(t, name, names) for name, t in there.items() if t is not None]
    lists, truth, *seen = read = _tables.unify_id_types(
        _tables.unify_id_types(read, "user"), "item"
    )
    n_repeats = None
    if repeats == "raise":
        _checks.check_rows(lists)
        _checks.check_rows(truth)
        ranked = _read_ranked(lists)
    else:
        _checks.check_rows(lists, once="rank" if "rank" in lists.columns else None)
        _checks.check_rows(truth, once=None)
        n_repeats = _count_repeats(lists)
        ranked, truth = _without_repeats(_read_ranked(lists), repeats), _with_best_grades(truth)
    if any("item_counts" in measure.metric.needs for measure in asked):
        ranked, n_users = _add_item_counts(ranked, seen, n_users, asked)
    plan = QueryPlan(threshold=settings.threshold)
    compiled = _compile(asked, plan, n_users, baseline)
    parts = _checks.compute_sums(plan, asked)
    listed = total(nw.lit(1.0), settings.depth)
    parts["recommended"] = plan.total("recommended", listed).sum()
    parts["hits"] = plan.hits(settings.depth).sum()
    # 0 for a user without a grade above 0.
    lowest_grade = plan.total(
        "lowest grade", nw.when(nw.col("grade") > 0).then(nw.col("grade")).min()
    )
    parts["lowest_grade"] = nw.when(lowest_grade > 0).then(lowest_grade).min()
    by_score = "score" in lists.columns
    if by_score:
        parts["tied"] = _has_tied_cutoff(plan, asked).cast(nw.Float64).sum()
        score = nw.col("score")
        lowest, highest = plan.total("lowest", score.min()), plan.total("top", score.max())
        parts["constant"] = ((lowest == highest) & (plan.list_length() > 1)).cast(nw.Float64).sum()
    sums = plan.per_user(ranked, _read_graded(truth))
    column = {measure: f"value_{i}" for i, measure in enumerate(compiled)}
    values = {
        column[measure]: _apply_no_relevant(measure, *parts) for measure, parts in compiled.items()
    }
    summary = one_row(_summarise(sums, values, asked, parts))
    if not summary["users"]:
        raise ValueError("there is no list to evaluate: both tables are empty")
    undefined: dict[Measure, str] = {}
    for measure in asked:
        try:
            _checks.check_measure(measure, summary, settings.threshold)
        except UndefinedMetricError as problem:
            undefined[measure] = str(problem)
    cuts = [*dict.fromkeys(m.k for m in asked if m.name in _per_item.GLOBAL)]
    if catalog is not None and not isinstance(catalog, int):
        catalog = catalog_ids(catalog)
    elif catalog is not None:
        catalog = check_count("catalog", catalog, meaning="how many items there are")
    size = catalog if catalog is None or isinstance(catalog, int) else len(set(catalog))
    whole = _count_items(ranked, cuts, catalog) if cuts else {}
    user_values = FrameValues(
        sums.select("user", "n_relevant", **values), column, lists, _read_graded(truth), names
    )
    results = {}
    for measure in asked:
        if measure in column:
            aggregate = aggregate_from_sums(column[measure], summary)
        else:
            aggregate = Aggregate(math.nan)
            try:
                if measure not in undefined:
                    value = _per_item.global_value(measure, whole, summary, size)
                    aggregate = Aggregate(value)
            except UndefinedMetricError as problem:
                undefined[measure] = str(problem)
        results[measure] = Result(measure, aggregate, user_values)
    protocol = Protocol.of(
        asked,
        n_lists=int(summary["users"]),
        lengths=(int(summary["shortest"]), int(summary["longest"])),
        n_short=int(summary["short"]),
        n_without_relevant=int(summary["nothing"]),
        n_tied=int(summary["tied"]) if by_score else None,
        repeats=repeats,
        n_repeats=n_repeats,
        n_in_history=None if not seen else _count_in_history(ranked, seen[0], settings.depth),
        n_recommended=int(summary["recommended"]),
        grades=(None, summary["highest"]),
        threshold=settings.threshold,
        sampled=sampled,
        candidates=candidates,
        split=split,
        seed=seed,
        context=Context(catalog=size, n_users=n_users),
        renamed=_tables.describe_renamed(read),
    )
    return Report(
        name=name or "the lists",
        results=results,
        groups=dict(groups or {}),
        protocol=protocol,
        warnings=list_caveats(
            results,
            protocol,
            sampled,
            n_shared=int(summary["shared"]),
            n_constant=int(summary["constant"]) if by_score else 0,
            undefined=[*undefined.values()],
            n_hits=int(summary["hits"]),
            threshold=settings.threshold,
            grades=(summary["lowest_grade"], summary["highest"]),
        ),
        user_values=user_values,
    )


def check_supported(asked: Sequence[Measure]) -> None:
    """Raise for a measure that no engine can be told."""
    known = (*_per_item.PER_USER, *_per_item.GLOBAL)
    for measure in asked:
        if not _per_list.supports(measure.name) and measure.name not in known:
            raise ValueError(
                f"{measure.name} is not computed on frames; collect the lists and use "
                "recsys_metrics.evaluate"
            )
        _check_custom_function(measure)
        if measure.k is not None and measure.k > MOST_RANKS:
            raise ValueError(f"{measure}: a cut-off is at most {MOST_RANKS:,}")


def _check_custom_function(measure: Measure) -> None:
    """Raise for a gain or a discount of the caller's that no engine can be told."""
    own = [
        name
        for name, value in measure.conventions.items()
        if isinstance(value, NamedFunction | tuple)
    ]
    unending = measure.k is None or measure.conventions.get("ideal") == "uncut"
    if "gain" in own or (own and unending):
        words = "gain by its names only" if "gain" in own else "a discount of yours down to a cut"
        raise ValueError(
            f"{measure}: an engine knows {words}; collect the lists and use recsys_metrics.evaluate"
        )


def _read_ranked(lists: LongTable) -> nw.LazyFrame[Any]:
    """Return user, item and rank; ranks of scores with the smaller of two equal items first."""
    if "rank" in lists.columns:
        return lists.frame.with_columns(nw.col("rank").cast(nw.Int32))
    # 0 less the score: two zeros of different sign are equal.
    scored = lists.frame.with_columns(nw.col("score").cast(nw.Float64)).with_columns(
        worst=0.0 - nw.col("score")
    )
    position = nw.col("item").cum_count().over("user", order_by=["worst", "item"])
    return scored.with_columns(rank=position.cast(nw.Int32)).drop("worst")


def _count_in_history(ranked: nw.LazyFrame[Any], seen: LongTable, depth: int | None) -> int:
    """Return how many items, down to a rank, their user has in the history."""
    first = ranked if depth is None else ranked.filter(nw.col("rank") <= depth)
    pairs = seen.frame.select("user", "item").unique()
    known = first.join(pairs, on=["user", "item"], how="semi")
    return int(one_row(known.select(n=nw.len()))["n"])


def _count_repeats(lists: LongTable) -> int:
    """Return how many rows hold an item that the user has in another row."""
    times = (
        lists.frame.group_by("user", "item")
        .agg(times=nw.len())
        .select(n=(nw.col("times") - 1).sum())
    )
    return int(one_row(times)["n"] or 0)


def _without_repeats(
    ranked: nw.LazyFrame[Any], repeats: Literal["drop", "blank"]
) -> nw.LazyFrame[Any]:
    """Return each item of a user once, at its best rank; what follows moves up, or does not."""
    first = ranked.with_columns(best=nw.col("rank").min().over("user", "item"))
    once = first.filter(nw.col("rank") == nw.col("best")).drop("best")
    if repeats == "drop":
        position = nw.col("item").cum_count().over("user", order_by="rank")
        return once.with_columns(rank=position.cast(nw.Int32))
    return once


def _with_best_grades(truth: LongTable) -> LongTable:
    """Return each item of a user once, with its highest grade."""
    best = {"grade": nw.col("grade").max()} if "grade" in truth.columns else {}
    if best:
        frame = truth.frame.group_by("user", "item").agg(**best)
    else:
        frame = truth.frame.unique(["user", "item"])
    return replace(truth, frame=frame)


def _read_graded(truth: LongTable) -> nw.LazyFrame[Any]:
    """Return user, item and grade; 1 without a grade."""
    grade = nw.col("grade").cast(nw.Float64) if "grade" in truth.columns else nw.lit(1.0)
    return truth.frame.with_columns(grade=grade)


def _has_tied_cutoff(plan: QueryPlan, asked: Sequence[Measure]) -> Expr:
    """Return whether a cut-off of a list falls between two equal scores."""
    tied = plan.list_length() < 0  # no list is
    for k in sorted({measure.k for measure in asked if measure.k is not None}):
        last, next_one = (
            plan.total(
                f"score at {rank}", nw.when(nw.col("rank") == rank).then(nw.col("score")).max()
            )
            for rank in (k, k + 1)
        )
        tied = tied | ((last == next_one) & (plan.list_length() > k))
    return tied


def _add_item_counts(
    ranked: nw.LazyFrame[Any],
    seen: Sequence[LongTable],
    n_users: int | None,
    asked: Sequence[Measure],
) -> tuple[nw.LazyFrame[Any], int]:
    """Add to each row how many users have its item in their history."""
    if not seen:
        measure = next(m for m in asked if "item_counts" in m.metric.needs)
        raise ValueError(f"{measure} needs history: one row per user and item seen in training")
    _checks.check_rows(seen[0], once=None)
    pairs = seen[0].frame.unique()
    if n_users is None:
        n_users = int(one_row(pairs.select(n=nw.col("user").n_unique()))["n"])
    counts = pairs.group_by("item").agg(met=nw.len().cast(nw.Float64))
    joined = ranked.join(counts, on="item", how="left")
    return joined.with_columns(nw.col("met").fill_null(0.0)), n_users


def _compile(
    asked: Sequence[Measure], plan: QueryPlan, n_users: int | None, baseline: Sequence[Any] | None
) -> dict[Measure, tuple[Expr, Expr]]:
    """Return each measure of single users as value and whether it is defined."""
    compiled = {}
    for measure in asked:
        if _per_list.supports(measure.name):
            compiled[measure] = _per_list.expression(measure, plan)
        elif measure.name in _per_item.PER_USER:
            if measure.name == "serendipity" and baseline is None:
                raise ValueError(f"{measure} needs baseline: the obvious items, most obvious first")
            if measure.name == "serendipity" and measure.k is None:
                raise ValueError("serendipity needs a cut-off; write serendipity@10")
            compiled[measure] = _per_item.list_expression(measure, plan, n_users, baseline)
    return compiled


def _apply_no_relevant(measure: Measure, value: Expr, defined: Expr) -> Expr:
    """Return a measure with users who have nothing relevant treated as its convention says."""
    stand_in = {"zero": 0.0, "one": 1.0}.get(measure.conventions.get("no_relevant", "nan"))
    return nw.when(defined).then(value).otherwise(nw.lit(stand_in, dtype=nw.Float64))


def _summarise(
    sums: nw.LazyFrame[Any],
    values: Mapping[str, Expr],
    asked: Sequence[Measure],
    parts: Mapping[str, Expr],
) -> nw.LazyFrame[Any]:
    """Return, in one row, all that the report says."""
    largest = max((measure.k or 0 for measure in asked), default=0)
    length, relevant = nw.col("list_length"), nw.col("n_relevant")
    of_lists: dict[str, Expr] = {
        "users": nw.len(),
        "shortest": length.min(),
        "longest": length.max(),
        "highest": nw.col("highest").max(),
        "short": (length < largest).cast(nw.Float64).sum(),
        "nothing": (relevant == 0).cast(nw.Float64).sum(),
        "shared": ((length > 0) & (relevant > 0)).cast(nw.Float64).sum(),
        **parts,
    }
    for name in values:
        of_lists |= aggregate_expressions(name, nw.col(name))
    settled = sums.with_columns(**values) if values else sums
    return settled.select(**of_lists)


def _count_items(
    ranked: nw.LazyFrame[Any], cuts: list[int | None], catalog: int | Collection[Any] | None
) -> Row:
    """Return what measures of all lists together are made of."""
    shown = _per_item.count_recommendations(ranked, cuts)
    if catalog is not None and not isinstance(catalog, int):
        other = ~nw.col("item").is_in([*catalog])
        first = nw.when(other).then(nw.col("item")).min()
        try:
            found = one_row(shown.select(n=other.cast(nw.Int32).sum(), first=first))
        except (EngineError, OverflowError) as problem:
            raise TypeError(
                f"the ids of the catalogue are of another type than the items of recommended, "
                f"or larger ({problem!s:.80}); give both as text, or both as numbers"
            ) from None
        if found["n"]:
            raise ValueError(
                f"{int(found['n']):,} recommended items are not in the catalogue, "
                f"{found['first']!r} among them"
            )
    return one_row(_per_item.concentration(shown, cuts))
