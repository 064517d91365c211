"""Charts of chapter 02: areas under steps, gains as bars, and a threshold that is lowered.

They are drawn by hand, not by matplotlib: an explorable redraws one of them at every move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, ORANGE, SKY
from recsys_metrics.ranking import (
    Judged,
    average_precision,
    dcg,
    discounts,
    precision,
    recall,
)
from recsys_metrics.workbook.charts.board import WIDE, axes, board, slot
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture

_SIDE, _STEP = 34, 41


def precision_recall_steps(
    hits: Sequence[int], n_relevant: int, *, title: str, alt: str, lifted: bool = False
) -> Picture:
    """Draw average precision as the area under steps: one for each hit, precision high.

    Parameters
    ----------
    hits : sequence of int
        1 for a hit and 0 for none, from rank 1; eleven ranks at most.
    n_relevant : int
        How many items are relevant, found or not.
    title, alt : str
        The finding, and the finding for those who do not see it.
    lifted : bool
        Whether to draw the interpolated steps, too: each as high as the highest to its right.

    Returns
    -------
    Picture
    """
    judged = Judged.from_gains(list(hits), ideal=[1] * n_relevant)
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    heights = [float(precision(judged, rank)) for rank in ranks]
    ends = [float(recall(judged, rank)) for rank in ranks]
    starts = [0.0, *ends][: len(ends)]
    parts = _row(hits)
    x, y = Scale(0, 1, 40, 456), Scale(0, 1, 330, 112)
    for rank, start, end, height in zip(ranks, starts, ends, heights, strict=True):
        left, wide, up = x(start), x(end) - x(start), y(height)
        parts.append(svg.box(left + 1, up, wide - 2, y(0) - up, BLUE))
        middle = left + wide / 2
        # What does not fit into a low step stands on it.
        inside = y(0) - up > 46
        ink, base = ("#ffffff", up + 20) if inside else ("", up - 26)
        parts.append(svg.text(middle, base, f"{height:.2f}", anchor="middle", ink=ink))
        where = f"rank {rank}" if wide > 64 else f"at {rank}"
        parts.append(svg.text(middle, base + 19, where, anchor="middle", ink=ink))
    last = ends[-1] if ends else 0.0
    if last < 1:
        parts.append(svg.box(x(last) + 1, y(1), x(1) - x(last) - 2, y(0) - y(1), dashed=True))
        parts.append(svg.text((x(last) + x(1)) / 2, y(0.5), "missed: adds 0", anchor="middle"))
    if lifted:
        best = np.maximum.accumulate(heights[::-1])[::-1]
        steps = [
            (x(at), y(high)) for s, e, high in zip(starts, ends, best, strict=True) for at in (s, e)
        ]
        parts.append(svg.stroke(steps, ORANGE, dashed=True))
    parts += axes(
        x,
        y,
        x_ticks={n / n_relevant: f"{n}/{n_relevant}" if n else "0" for n in range(n_relevant + 1)},
        y_ticks={0.0: "0", 0.5: "0.5", 1.0: "1"},
        x_label="recall",
        y_label="precision at the hit",
    )
    says = f"area: {average_precision(judged):.3f}"
    parts.append(svg.text(x(1), 103, says, anchor="end", bold=True))
    return board(title, 380, parts, alt)


def _row(hits: Sequence[int], cut: int | None = None) -> list[str]:
    """Draw a list as a row of slots with their ranks, those behind the cut faded."""
    parts = []
    for place, hit in enumerate(hits):
        x = place * _STEP
        faded = cut is not None and place >= cut
        marks = [svg.text(x + _SIDE / 2, 14, str(place + 1), anchor="middle")]
        marks += slot(x + 0.7, 20, _SIDE, "●" if hit else "○", BLUE if hit else "")
        parts.append(f'<g opacity="0.4">{"".join(marks)}</g>' if faded else "".join(marks))
    return parts


def user_lists(hits: Mapping[str, ArrayLike], *, title: str, alt: str) -> Picture:
    """Draw the lists that one user gets from several recommenders, a row each.

    Parameters
    ----------
    hits : mapping
        Name of each recommender, and 1 for a hit or 0 for none from rank 1; eleven at most.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    rows = {name: [int(gain > 0) for gain in np.ravel(of)] for name, of in hits.items()}
    counts = {name: sum(marks) for name, marks in rows.items()}
    says = {name: f"{name}: {n} hit{'' if n == 1 else 's'}" for name, n in counts.items()}
    # Many short lists stand in two columns.
    short = all(len(marks) <= 5 and len(says[name]) <= 24 for name, marks in rows.items())
    columns = 2 if short and len(rows) > 2 else 1
    parts = []
    for place, (name, marks) in enumerate(rows.items()):
        left, top = place % columns * WIDE / 2, 96 * (place // columns)
        parts.append(svg.text(left, 17 + top, says[name]))
        parts.append(f'<g transform="translate({left:g} {24 + top})">{"".join(_row(marks))}</g>')
    return board(title, 96 * -(-len(rows) // columns) - 8, parts, alt)


def leave_one_out(
    events: Mapping[str, Sequence[object]],
    lists: Mapping[str, Sequence[object]],
    *,
    title: str,
    alt: str,
) -> Picture:
    """Draw each person's events, the last one held out, and next to them the judged list.

    Parameters
    ----------
    events : mapping
        By person, from the first to the last; five at most.
    lists : mapping
        For the same people, the list each of them gets; five ranks at most.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    parts = [
        svg.text(52, 17, "by time, the last held out"),
        svg.text(282, 17, "recommended"),
    ]
    for row, (name, items) in enumerate(events.items()):
        y = 30 + row * 50
        *known, last = items
        parts.append(svg.text(0, y + 23, name))
        for place, item in enumerate(known):
            parts += slot(52 + place * _STEP, y, _SIDE, str(item))
        x = 52 + len(known) * _STEP
        parts.append(svg.box(x, y, _SIDE, _SIDE, dashed=True))
        parts.append(svg.text(x + _SIDE / 2, y + 23, str(last), anchor="middle"))
        for place, item in enumerate(lists[name]):
            fill = BLUE if item == last else ""
            parts += slot(282 + place * _STEP, y, _SIDE, str(item), fill)
    return board(title, 30 + 50 * len(events), parts, alt)


def score_threshold(
    hits: Sequence[int], above: int, times: int, *, title: str, alt: str
) -> Picture:
    """Draw items by score with a threshold among them, and its point on two curves.

    Parameters
    ----------
    hits : sequence of int
        1 for a relevant item and 0 for another one, the highest score first; nine at most.
    above : int
        How many of them score above the threshold.
    times : int
        How many items each of the others stands for.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
        The items in a row; the ROC curve below on the left, precision against recall on the
        right, each with a dot at the threshold.
    """
    judged = repeat_negatives(hits, times)
    n_all, n_relevant = judged.gains.shape[-1], sum(hits)
    # Counted at every item, though the threshold is only between the drawn ones.
    found = [0.0, *(float(recall(judged, k)) for k in range(1, n_all + 1))]
    exact = [float(precision(judged, k)) for k in range(1, n_all + 1)]
    others = [k - n_relevant * share for k, share in enumerate(found)]
    here = sum(1 if hit else times for hit in hits[:above])
    step, side = 52, 44
    parts: list[str] = []
    for place, hit in enumerate(hits):
        mark = "●" if hit else ("○" if times == 1 else f"{times}○")
        drawn = "".join(slot(place * step + 0.7, 22, side, mark, BLUE if hit else ""))
        parts.append(drawn if place < above else f'<g opacity="0.4">{drawn}</g>')
    at = max(above * step - 4, 1)
    parts.append(svg.stroke([(at, 4), (at, 84)], ORANGE))
    parts.append(svg.text(0, 106, "by score; recommended: left of the threshold"))
    squares = (
        (
            36.0,
            others,
            found,
            others[here],
            found[here],
            "ROC: true positive rate",
            "false positive rate",
        ),
        (286.0, found[1:], exact, found[here], exact[max(here, 1) - 1], "precision", "recall"),
    )
    for left, across, up, x_here, y_here, y_label, x_label in squares:
        x = Scale(0, max(across), left, left + 176)
        y = Scale(0, 1, 326, 150)
        if left < 100:
            parts.append(svg.line(x.start, y(0), x.end, y(1), dashed=True))
        parts.append(svg.stroke([(x(a), y(b)) for a, b in zip(across, up, strict=True)], BLUE))
        if here or left < 100:
            parts.append(svg.dot(x(x_here), y(y_here), ORANGE, size=8))
        ends = {0.0: "0", float(max(across)): "all"}
        parts += axes(
            x, y, x_ticks=ends, y_ticks={0.0: "0", 1.0: "1"}, x_label=x_label, y_label=y_label
        )
    return board(title, 372, parts, alt)


def repeat_negatives(hits: Sequence[int], times: int) -> Judged[Any]:
    """Return the items as one list in which each of the others stands so many times."""
    gains = [gain for hit in hits for gain in ([1] if hit else [0] * times)]
    return Judged.from_gains(gains)


def dcg_contributions(grades: Sequence[float], *, title: str, alt: str) -> Picture:
    """Draw what each rank adds to the DCG, with linear gain above and exponential gain below.

    The outline is the gain, and what the discount leaves of it is filled.

    Parameters
    ----------
    grades : sequence of float
        In the order recommended; seven ranks at most.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    kept = discounts(len(grades))
    gains = {
        kind: np.ravel(
            dcg(Judged.from_gains([[grade] for grade in grades]), gain=kind, no_relevant="zero")
        )
        for kind in ("linear", "exponential")
    }
    point = 150 / max(of.max() for of in gains.values())
    column = min((WIDE - 20) / len(grades), 92)
    parts: list[str] = []
    floor = 0.0
    for kind, of in gains.items():
        floor += 50 + point * of.max()
        share = (of * kept).max() / (of * kept).sum()
        says = f"{kind}: DCG {(of * kept).sum():.2f}, {share:.0%} of it from one item"
        parts.append(svg.text(0, floor - point * of.max() - 30, says))
        for place, (grade, gain, keeps) in enumerate(zip(grades, of, kept, strict=True)):
            x, tall = 4 + place * column, point * gain
            wide = column - 24
            if gain:
                parts.append(svg.box(x, floor - tall * keeps, wide, tall * keeps, BLUE))
                parts.append(svg.box(x, floor - tall, wide, tall, dashed=True))
            adds = f"{gain * keeps:.2f}" if gain else "○"
            # What is left stands on what is filled, where the outline leaves room for it.
            base = floor - tall * keeps if tall * (1 - keeps) > 28 else floor - tall
            parts.append(svg.text(x + wide / 2, base - 7, adds, anchor="middle"))
            below = f"grade {grade:g}"
            parts.append(svg.text(x + wide / 2, floor + 19, below, anchor="middle"))
        parts.append(svg.line(0, floor, 4 + len(grades) * column, floor))
        floor += 34
    return board(title, floor, parts, alt)


def ideal_lists(rows: Mapping[str, ArrayLike], k: int, *, title: str, alt: str) -> Picture:
    """Draw what each rank adds in the recommended list, and in each list it is compared with.

    Parameters
    ----------
    rows : mapping
        Name of each row and the grades in it, the recommended list first; the others are ideals of
        it, one a row.
    k : int
        Ranks that count.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    lists = {name: np.asarray(of, dtype=np.float64)[:k] for name, of in rows.items()}
    sums = {name: float(dcg(Judged.from_gains(list(of)), k)) for name, of in lists.items()}
    top = max(float((of * discounts(len(of))).max()) for of in lists.values())
    recommended = next(iter(sums.values()))
    parts: list[str] = []
    floor = 0.0
    for number, (name, of) in enumerate(lists.items()):
        floor += 96
        says = f"{name}: {sums[name]:.3f}"
        if number:
            says += f", NDCG {recommended / sums[name]:.3f}"
        parts.append(svg.text(0, floor - 76, says, bold=not number))
        for place, (grade, keeps) in enumerate(zip(of, discounts(len(of)), strict=True)):
            x, tall = 4 + place * 78, 46 * grade * keeps / top
            colour = SKY if number else BLUE
            if grade:
                parts.append(svg.box(x, floor - tall, 58, tall, colour))
            adds = f"{grade * keeps:.2f}" if grade else "○"
            parts.append(svg.text(x + 29, floor - tall - 6, adds, anchor="middle"))
        parts.append(svg.line(0, floor, 4 + k * 78, floor))
        floor += 10
    return board(title, floor, parts, alt)
