"""Two reports over frames, side by side: users are paired within the engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw

from recsys_metrics.evaluation.comparison import (
    Comparison,
    Difference,
    corrected,
    decisive,
    improvement,
)
from recsys_metrics.frames.report import FrameReport, FrameResult
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Verdict
from recsys_metrics.protocol.significance.paired import p_of_mean


def compare(
    new: FrameReport,
    old: FrameReport,
    *,
    level: float = 0.95,
    worthwhile: float = 0.0,
    decide_on: str | Measure | None = None,
) -> Comparison:
    """Return the gain of one report over another of the same users.

    Parameters
    ----------
    new, old : FrameReport
        Of one engine, over the same truth.
    level, worthwhile, decide_on
        As in `recsys_metrics.evaluation.Report.compare`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the reports share no measure, or are of different users.
    """
    shared = [made for made in new.results if made in old.results]
    if not shared:
        raise ValueError(f"the reports share no measure: {', '.join(new)} against {', '.join(old)}")
    sums = _paired(new, old, [made for made in shared if made.metric.per_user])
    users = (new.protocol.n_lists, old.protocol.n_lists)
    if users[0] != users[1] or sums["users"] != users[0]:
        raise ValueError(
            f"the reports are of {users[0]:,} and {users[1]:,} users and share "
            f"{int(sums['users']):,}; compare on the same users"
        )
    found = corrected(
        [_difference(made, new.results[made], old.results[made], sums, level) for made in shared]
    )
    differences = {difference.measure: difference for difference in found}
    decided_on = decisive(differences, decide_on)
    verdict = None
    if decided_on is not None:
        verdict = Verdict.of(improvement(differences[decided_on]), worthwhile=worthwhile)
    return Comparison(new.name, old.name, differences, decided_on, verdict, level)


def _paired(new: FrameReport, old: FrameReport, shared: list[Measure]) -> dict[str, Any]:
    """Return sums over the gains of each user, in one row."""
    ours, theirs = (
        nw.from_native(report.per_user).lazy().select("user", *map(str, shared))
        for report in (new, old)
    )
    renamed = theirs.rename({str(made): f"old {made}" for made in shared})
    together = ours.join(renamed, on="user", how="inner")
    gains = {f"gain {made}": nw.col(str(made)) - nw.col(f"old {made}") for made in shared}
    if gains:
        together = together.with_columns(**gains)
    parts: dict[str, nw.Expr] = {"users": nw.len()}
    for made in shared:
        gain = nw.col(f"gain {made}")
        both = ~gain.is_null()
        parts |= {
            f"new {made}": nw.when(both).then(nw.col(str(made))).mean(),
            f"old {made}": nw.when(both).then(nw.col(f"old {made}")).mean(),
            f"mean {made}": gain.mean(),
            f"sd {made}": gain.std(),
            f"n {made}": gain.count(),
            f"up {made}": (gain > 0).cast(nw.Float64).sum(),
            f"down {made}": (gain < 0).cast(nw.Float64).sum(),
        }
    collected = together.select(**parts).collect()
    return {name: collected[name][0] for name in collected.columns}


def _difference(
    made: Measure, new: FrameResult, old: FrameResult, sums: Mapping[str, Any], level: float
) -> Difference:
    if not made.metric.per_user:
        gain = new.value - old.value
        return Difference(made, new.value, old.value, gain, None, math.nan, math.nan, 0, 0, 0)
    n = int(sums[f"n {made}"])
    better, worse = (int(sums[f"{way} {made}"] or 0) for way in ("up", "down"))
    if not n:
        nothing = math.nan
        return Difference(made, nothing, nothing, nothing, None, nothing, nothing, 0, 0, 0)
    gain = float(sums[f"mean {made}"])
    spread = float(sums[f"sd {made}"]) if n > 1 else math.nan
    interval = FrameResult(made, gain, n, 0, spread).interval(level=level)
    return Difference(
        made,
        float(sums[f"new {made}"]),
        float(sums[f"old {made}"]),
        gain,
        interval,
        math.nan if interval is None else p_of_mean(interval),
        math.nan,
        better,
        worse,
        n - better - worse,
    )
