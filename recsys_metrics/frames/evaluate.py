"""The one call over long tables: plan, one query, checks, report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw

from recsys_metrics.evaluation._caveats import caveats
from recsys_metrics.evaluation.protocol import Protocol, candidates_in_words, relevance_in_words
from recsys_metrics.frames import checks, of_items, per_list
from recsys_metrics.frames.plan import Expr, Plan, at, one_row, plain
from recsys_metrics.frames.report import FrameReport, FrameResult
from recsys_metrics.frames.tables import check_named, read_history, read_recommendations, read_truth
from recsys_metrics.measures import Measure, read_measures

Row = Mapping[str, Any]


def evaluate(
    recommendations: Any,
    truth: Any,
    measures: Iterable[str | Measure],
    *,
    ks: Sequence[int] | None = None,
    threshold: float | None = None,
    history: Any = None,
    n_users: int | None = None,
    catalog: int | None = None,
    baseline: Sequence[Any] | None = None,
    columns: Mapping[str, str] | None = None,
    sampled: int | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    name: str = "",
) -> FrameReport:
    """How good are these lists, by many measures, when they are a table on disk or in a cluster?

    Parameters
    ----------
    recommendations : frame
        One row per user and item that was shown, with its rank (from 1) or its score. Polars
        (eager or lazy), DuckDB, PySpark, pandas, PyArrow.
    truth : frame of the same kind
        One row per user and item that was wanted, with its grade if there are grades; a grade
        of 0 means judged and not relevant.
    measures, ks, threshold
        As in `recsys_metrics.evaluate`.
    history : frame, optional
        One row per user and item that was met before, for popularity and novelty.
    n_users : int, optional
        How many users the history is of; by default those in it.
    catalog : int, optional
        How many items could have been recommended, for coverage, Gini and entropy.
    baseline : sequence of item ids, optional
        The obvious list, for serendipity.
    columns : mapping, optional
        Which column is the user, item, rank, score or grade, where its name does not say so.
    sampled, split, seed, name
        As in `recsys_metrics.evaluate`; printed with the numbers.

    Returns
    -------
    FrameReport

    Raises
    ------
    ValueError, TypeError
        If a column is missing, a user has an item or a rank twice, a rank is below 1, a grade
        is negative, or a measure needs what was not given.

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
    >>> wanted = pl.DataFrame({"user": [1, 2], "item": ["B", "A"]})
    >>> report = frames.evaluate(lists, wanted, ["recall@2", "mrr@2", "coverage@2"], catalog=4)
    >>> [report[name].mean for name in report]
    [1.0, 0.75, 0.5]
    """
    asked = read_measures(measures, ks)
    _refuse_unsupported(asked)
    names = columns or {}
    given = {"recommendations": recommendations, "truth": truth, "history": history}
    check_named(names, {name: table for name, table in given.items() if table is not None})
    shown = read_recommendations(recommendations, names)
    wanted = read_truth(truth, names)
    checks.check_tables(shown, wanted)
    if any("item_counts" in made.metric.needs for made in asked):
        shown, n_users = _with_counts(shown, history, n_users, names, asked)
    plan = Plan(threshold=threshold)
    compiled = _compile(asked, plan, n_users, baseline)
    checks.ask(plan, asked)
    sums = plan.per_user(shown, wanted)
    values = {
        plain(str(made)): _settled(made, *compiled[made]) for made in asked if made in compiled
    }
    summary = one_row(_summarise(sums, values, plan, asked))
    checks.check_measures(asked, summary)
    cuts = sorted({made.k for made in asked if made.name in of_items.TOGETHER}, key=_by_size)
    whole = one_row(of_items.concentration(of_items.shown(shown, cuts), cuts)) if cuts else {}
    results = {made: _result(made, summary, whole, catalog) for made in asked}
    protocol = _protocol(asked, summary, threshold, sampled, split, seed, catalog, n_users)
    return FrameReport(
        name=name or "the lists",
        results=results,
        protocol=protocol,
        warnings=caveats(results, protocol, sampled),
        of_users=sums.select("user", **values),
    )


def _by_size(k: int | None) -> float:
    return math.inf if k is None else k


def _refuse_unsupported(asked: Sequence[Measure]) -> None:
    known = (*of_items.PER_USER, *of_items.TOGETHER)
    for made in asked:
        if not per_list.supports(made.name) and made.name not in known:
            raise ValueError(
                f"{made.name} is not computed on frames; collect the lists and use "
                "recsys_metrics.evaluate"
            )


def _with_counts(
    shown: nw.LazyFrame[Any],
    history: Any,
    n_users: int | None,
    names: Mapping[str, str],
    asked: Sequence[Measure],
) -> tuple[nw.LazyFrame[Any], int]:
    """Add to each row how many users met its item before."""
    if history is None:
        made = next(made for made in asked if "item_counts" in made.metric.needs)
        raise ValueError(f"{made} needs history: one row per user and item that was met before")
    met = read_history(history, names)
    if n_users is None:
        n_users = int(one_row(met.select(n=nw.col("user").n_unique()))["n"])
    counts = met.group_by("item").agg(met=nw.len().cast(nw.Float64))
    joined = shown.join(counts, on="item", how="left")
    return joined.with_columns(nw.col("met").fill_null(0.0)), n_users


def _compile(
    asked: Sequence[Measure], plan: Plan, n_users: int | None, baseline: Sequence[Any] | None
) -> dict[Measure, tuple[Expr, Expr]]:
    """Return each measure of single users as value and whether it is defined."""
    compiled = {}
    for made in asked:
        if per_list.supports(made.name):
            compiled[made] = per_list.expression(made, plan)
        elif made.name in of_items.PER_USER:
            if made.name == "serendipity" and baseline is None:
                raise ValueError(f"{made} needs baseline: the obvious items, most obvious first")
            if made.name == "serendipity" and made.k is None:
                raise ValueError("serendipity needs a cut-off; write serendipity@10")
            compiled[made] = of_items.of_list(made, plan, n_users, baseline)
    return compiled


def _settled(made: Measure, value: Expr, defined: Expr) -> Expr:
    """Return a measure with users who have nothing relevant treated as asked."""
    stand_in = {"zero": 0.0, "one": 1.0}.get(made.conventions.get("no_relevant", "nan"))
    return (
        nw.when(defined)
        .then(value)
        .otherwise(nw.lit(stand_in) if stand_in is not None else nw.lit(None, dtype=nw.Float64))
    )


def _summarise(
    sums: nw.LazyFrame[Any], values: Mapping[str, Expr], plan: Plan, asked: Sequence[Measure]
) -> nw.LazyFrame[Any]:
    """Return, in one row, all that the report says."""
    largest = max((made.k or 0 for made in asked), default=0)
    served, col = nw.col("served"), nw.col
    parts: dict[str, Expr] = {
        "users": nw.len(),
        "shortest": served.min(),
        "longest": served.max(),
        "short": (served < largest).cast(nw.Float64).sum(),
        "nothing": (col("n_relevant") == 0).cast(nw.Float64).sum(),
        **checks.sums(plan),
    }
    for made in asked:
        if made.name == "user_coverage":
            enough = col(f"size{at(made.k)}") >= made.conventions.get("at_least", 1)
            parts[plain(f"covered {made}")] = enough.cast(nw.Float64).sum()
    settled = sums.with_columns(**values) if values else sums
    for name in values:
        parts |= {
            f"mean {name}": col(name).mean(),
            f"sd {name}": col(name).std(),
            f"n {name}": col(name).count(),
        }
    return settled.select(**parts)


def _result(
    made: Measure, summary: Row, whole: Mapping[str, float], catalog: int | None
) -> FrameResult:
    if not made.metric.per_user:
        return FrameResult(made, of_items.of_all(made, whole, summary, catalog))
    name = plain(str(made))
    n = int(summary[f"n {name}"])
    spread = summary[f"sd {name}"]
    return FrameResult(
        made,
        float(summary[f"mean {name}"]) if n else math.nan,
        n,
        int(summary["users"]) - n,
        float(spread) if spread is not None and n > 1 else math.nan,
    )


def _protocol(
    asked: Sequence[Measure],
    summary: Row,
    threshold: float | None,
    sampled: int | None,
    split: str | None,
    seed: int | str | None,
    catalog: int | None,
    n_users: int | None,
) -> Protocol:
    context = []
    if catalog is not None:
        context.append(f"a catalogue of {catalog:,} items")
    if n_users is not None:
        context.append(f"the history of {n_users:,} users")
    return Protocol.of(
        asked,
        n_lists=int(summary["users"]),
        served=(int(summary["shortest"]), int(summary["longest"])),
        n_short=int(summary["short"]),
        n_nothing_relevant=int(summary["nothing"]),
        relevance=relevance_in_words(None, summary["highest"], threshold),
        candidates=candidates_in_words(sampled),
        split=split,
        seed=seed,
        context=tuple(context),
    )
