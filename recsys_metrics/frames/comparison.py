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
from recsys_metrics.frames.plan import one_row, plain
from recsys_metrics.frames.report import FrameReport, FrameResult
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Verdict
from recsys_metrics.protocol.significance.gains import gain_and_p


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
    names = [plain(str(made)) for made in shared]
    ours, theirs = (report.of_users.select("user", *names) for report in (new, old))
    renamed = theirs.rename({name: f"old {name}" for name in names})
    together = ours.join(renamed, on="user", how="inner")
    gains = {f"gain {name}": nw.col(name) - nw.col(f"old {name}") for name in names}
    if gains:
        together = together.with_columns(**gains)
    parts: dict[str, nw.Expr] = {"users": nw.len()}
    for name in names:
        gain = nw.col(f"gain {name}")
        both = ~gain.is_null()
        parts |= {
            f"new {name}": nw.when(both).then(nw.col(name)).mean(),
            f"old {name}": nw.when(both).then(nw.col(f"old {name}")).mean(),
            f"mean {name}": gain.mean(),
            f"sd {name}": gain.std(),
            f"n {name}": gain.count(),
            f"up {name}": (gain > 0).cast(nw.Float64).sum(),
            f"down {name}": (gain < 0).cast(nw.Float64).sum(),
        }
    return one_row(together.select(**parts))


def _difference(
    made: Measure, new: FrameResult, old: FrameResult, sums: Mapping[str, Any], level: float
) -> Difference:
    if not made.metric.per_user:
        gain = new.value - old.value
        return Difference(made, new.value, old.value, gain, None, math.nan, math.nan, 0, 0, 0)
    name = plain(str(made))
    n = int(sums[f"n {name}"])
    better, worse = (int(sums[f"{way} {name}"] or 0) for way in ("up", "down"))
    if not n:
        nothing = math.nan
        return Difference(made, nothing, nothing, nothing, None, nothing, nothing, 0, 0, 0)
    gain = float(sums[f"mean {name}"])
    spread = float(sums[f"sd {name}"]) if n > 1 else math.nan
    interval, p = gain_and_p(gain, spread, n, better, worse, bounds=made.metric.bounds, level=level)
    return Difference(
        made,
        float(sums[f"new {name}"]),
        float(sums[f"old {name}"]),
        gain,
        interval,
        p,
        math.nan,
        better,
        worse,
        n - better - worse,
    )
