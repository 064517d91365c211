"""Evaluate long tables: check the rows, part them by user, evaluate block by block, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from recsys_metrics._core.checks import check_mapping
from recsys_metrics._core.inputs.categories import categories_by_item
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics.evaluation._context import EvaluationContext
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._settings import EvaluationSettings, Keep
from recsys_metrics.evaluation._user_values import group_by_user
from recsys_metrics.frames import _checks, _tables
from recsys_metrics.frames._queries import collect, one_row
from recsys_metrics.frames._tables import LongTable
from recsys_metrics.frames._unread import list_unread_labels
from recsys_metrics.measures import Measure


def evaluate(
    recommended: Any,
    relevant: Any,
    measures: Iterable[str | Measure],
    *,
    ks: Sequence[int] | None = None,
    threshold: float | None = None,
    history: Any = None,
    n_users: int | None = None,
    features: Any = None,
    catalog: int | Collection[Any] | None = None,
    baseline: Sequence[Any] | None = None,
    groups: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    repeats: Repeats = "raise",
    keep: Keep = "per_user",
    digests: bool = True,
    sampled: int | None = None,
    candidates: str | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    name: str = "",
) -> Report:
    """How good are these lists by several metrics, if they are a table on disk or in a cluster?

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
    features : optional
        What is known of the items, for diversity and related metrics: a frame of the same kind with
        columns for the item and its category, one row per category or several joined by ``|`` (as
        in MovieLens); or, as in `recsys_metrics.evaluate`, a mapping from id to a vector, to a
        set of categories or to their text, or an array by item number.
    catalog : int or collection of ids, optional
        What could have been recommended, for coverage, Gini and entropy.
    baseline : sequence of item ids, optional
        The primitive baseline, for serendipity; by default the most popular items of the history.
    groups : mapping, optional
        Name of each grouping and the group of each user: a frame of the same kind with columns
        for the user and the group, or a mapping from user to group.
    columns : mapping, optional
        Which column is the user, item, rank, score, grade, group or category, where its name does
        not say so. Common names (user_id, userId, movieId, rating, prediction, qid, docno …) are
        known, and the report says which were taken.
    repeats : {"raise", "drop", "blank"}
        What becomes of an item that a user has in two rows, as in `recsys_metrics.evaluate`: the
        row with the best rank or score counts. An item that is relevant to a user twice counts
        once, and two different grades of it are an error.
    keep : {"per_user", "sums"}
        Whether the values of each user are kept, or their sums, as in `Evaluation`.
    digests : bool
        Whether to keep a digest of what is relevant to each user, as in `Evaluation`.
    sampled, candidates, split, seed, name
        As in `recsys_metrics.evaluate`; printed with the numbers.

    Returns
    -------
    Report
        The same as over arrays, with users in ascending order.

    Raises
    ------
    TableError
        A ValueError that says which table: if a column is missing or could be several, ids are of
        different types, a row lacks a user or an item, a rank, score or grade is missing or out
        of range, or a user has an item or a rank twice.
    EngineError
        If the engine of a table cannot run a query.
    ValueError, TypeError
        If a measure needs what was not given, or something is no data frame.

    Notes
    -----
    The engine sorts out which rows are whose, and hands blocks of users to `Evaluation`, which
    computes: values equal those of `recsys_metrics.evaluate` on the same lists, and every measure
    is there, those of the caller's own among them. Tables of more than two million rows are parted
    by user on disk first; Spark evaluates each part in the worker that holds it, which needs this
    package. Where every measure has a cut-off, rows below the largest are counted and not looked
    at. A user who is in one table only has an empty list, or nothing relevant.

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
    # They need Polars; where it is missing, as in a browser, tables can still be read.
    from recsys_metrics.frames._blocks import BlockEvaluator, RepeatError
    from recsys_metrics.frames._engines import evaluate_blocks

    settings = EvaluationSettings.read(
        measures, ks, threshold=threshold, repeats=repeats, keep=keep, digests=digests
    )
    names = {} if columns is None else columns
    check_mapping("columns", names, "from a role to the name of a column")
    groups = {} if groups is None else groups
    check_mapping("groups", groups, "from a name to the groups of the users")
    groupings = {name: each for name, each in groups.items() if is_frame(each)}
    given = {"recommended": recommended, "relevant": relevant, "history": history, **groupings}
    if is_frame(features):
        given["features"] = features
    _tables.check_named(names, {name: table for name, table in given.items() if table is not None})
    there = {name: given[name] for name in ("recommended", "relevant", "history")}
    read = [_tables.read(t, name, names) for name, t in there.items() if t is not None]
    lists, truth, *seen = read = _tables.unify_id_types(
        _tables.unify_id_types(read, "user"), "item"
    )
    found = [_checks.check_rows(table) for table in read]
    n_rows = sum(rows.n_rows for rows in found)
    if not found[0].n_rows and not found[1].n_rows:
        raise ValueError("there is no list to evaluate: both tables are empty")
    if is_frame(features):
        features = _read_categories(features, names, lists)
    background = _read_context(settings, seen, n_users, features, catalog, baseline)
    if "rank" in lists.columns:
        lists = lists.cast("rank", nw.Int64)
    elif not lists.frame.collect_schema()["score"].is_integer():
        # Whole numbers stay what they are: they may have more digits than a float holds.
        lists = lists.cast("score", nw.Float64)
    tables = {"lists": lists.frame, "truth": truth.frame}
    if seen and background.history is None:
        tables["history"] = seen[0].frame
    if settings.cut and found[0].longest > settings.cut:
        tables["lists"] = lists.frame.filter(nw.col("rank") <= settings.cut)
        tables["lengths"] = lists.frame.group_by("user").agg(length=nw.col("rank").max())
    evaluator = BlockEvaluator(
        settings,
        background,
        numbered=all(rows.has_item_numbers for rows in found),
    )
    try:
        evaluation = evaluate_blocks(tables, evaluator, n_rows)
    except RepeatError:
        for table in (lists, truth):
            # It is known that there is one; here is where.
            _checks.refuse_repeats(table, items=repeats == "raise")
        _checks.refuse_contradictory_grades(truth)
        raise
    report = evaluation._report(
        groups={
            **(groups or {}),
            **{name: read_groups(each, names, lists) for name, each in groupings.items()},
        },
        sampled=sampled,
        candidates=candidates,
        split=split,
        seed=seed,
        name=name,
        by_user=True,
        renamed=_tables.describe_renamed(read),
    )
    unread = list_unread_labels(there, {table.name: table.columns for table in read})
    return replace(report, warnings=(*unread, *report.warnings))


def _read_context(
    settings: EvaluationSettings,
    seen: Sequence[LongTable],
    n_users: int | None,
    features: Any,
    catalog: Any,
    baseline: Any,
) -> EvaluationContext:
    """Return what is known of all lists; of the history how often each item was met.

    Who met what is there as well where a measure looks at all lists and at their histories at once;
    else the history stays a table, of which each block has a part.
    """
    counts: Counter[Hashable] | None = None
    history: dict[Hashable, list[Hashable]] | None = None
    if seen and any(_looks_at_all_histories(measure) for measure in settings.measures):
        history = {}
        for user, item in collect(seen[0].frame.unique()).select("user", "item").iter_rows():
            history.setdefault(user, []).append(item)
    needs = {need for measure in settings.measures for need in measure.metric.needs}
    if seen and needs & {"item_counts", "n_users", "baseline"}:
        # Counting the users of an item takes half the memory of looking for distinct rows.
        users = nw.col("user").n_unique()
        met = collect(seen[0].frame.group_by("item").agg(n=users))
        counts = Counter(dict(zip(met["item"].to_list(), met["n"].to_list(), strict=True)))
        if n_users is None:
            n_users = int(one_row(seen[0].frame.select(n=users))["n"])
    return EvaluationContext.of_counts(
        counts,
        history=history,
        n_users=n_users,
        features=features,
        catalog=catalog,
        baseline=baseline,
    )


def _read_categories(
    given: Any, names: Mapping[str, str], lists: LongTable
) -> Mapping[Hashable, set[str]]:
    """Return the categories of each item, whose ids are typed as in lists."""
    _, table = _tables.unify_id_types([lists, _tables.read(given, "features", names)], "item")
    _checks.check_rows(table)
    held = collect(table.frame)
    return categories_by_item(held["item"].to_list(), held["category"].to_list())


def _looks_at_all_histories(measure: Measure) -> bool:
    """Whether a measure needs all lists at once, and every user's history."""
    metric = measure.metric
    return not metric.per_user and metric.parts is None and "history" in metric.needs


def read_groups(given: Any, names: Mapping[str, str], lists: LongTable | None = None) -> Any:
    """Return a table of users and their groups in memory, with the user ids typed as in lists."""
    table = _tables.read(given, "groups", names)
    if lists is not None:
        _, table = _tables.unify_id_types([lists, table], "user")
    _checks.check_rows(table)
    pairs = collect(table.frame.unique()).to_polars()
    try:
        group_by_user(pairs["user"].to_list(), pairs["group"].to_list())
    except ValueError as problem:
        raise _tables.TableError("groups", str(problem)) from None
    return pairs
