"""A ranked list as a row of numbered slots, the one way the workbook draws lists.

A hit is filled, an item that is not relevant is hollow, a relevant item that was missed stands
dashed behind the list. The cut at K is a vertical line. Each slot carries its letter and a mark
(●, ○, ◌), so that it reads without colour.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

from recsys_metrics.ranking import discounts
from recsys_metrics.workbook.palette import BLUE, GREY
from recsys_metrics.workbook.picture import Picture

_SLOT, _GAP = 46, 8
_STEP = _SLOT + _GAP
_EMPTY = 22  # narrower, so that a short list cut at ten is not mostly empty
_TOP, _BARS = 30, 74


def ranked_list(
    served: Sequence[str],
    grades: Mapping[str, float],
    *,
    k: int | None = None,
    bars: bool | Sequence[float] = False,
    below: str = "discount at each rank, filled where a hit earns it",
    alt: str | None = None,
) -> Picture:
    """Draw a list against what is relevant.

    Parameters
    ----------
    served : sequence of str
        Item names, best first.
    grades : mapping
        Grade of each relevant item; items that are absent or 0 are not relevant.
    k : int, optional
        Where the list is cut; by default after its last item. Ranks beyond the list are empty.
    bars : bool or sequence of float
        Whether to draw each rank's discount as a bar under its slot; or what to draw there,
        between 0 and 1.
    below : str
        What the bars are.
    alt : str, optional
        The finding; by default a sentence made from the list.

    Returns
    -------
    Picture
    """
    cut = len(served) if k is None else k
    ranks = max(cut, len(served))
    missed = [item for item, grade in grades.items() if grade > 0 and item not in served]
    graded = any(grade not in (0, 1) for grade in grades.values())
    parts: list[str] = []
    for place in range(ranks):
        if place < len(served):
            item = served[place]
            parts.append(_slot(place, item, grades.get(item, 0), place < cut, graded))
        else:
            parts.append(_empty(place, len(served)))
    x = _left(cut, len(served)) - _GAP / 2
    bottom = _TOP + _SLOT + (_BARS + 6 if bars else 12)
    height = bottom + (22 if bars else 4)
    parts.append(
        f'<line x1="{x:g}" y1="4" x2="{x:g}" y2="{bottom}" stroke="currentColor" '
        f'stroke-width="2"/><text x="{x + 5:g}" y="14" font-size="12" '
        f'fill="currentColor">K = {cut}</text>'
    )
    left = _left(ranks, len(served)) + (34 if cut < 10 else 42)  # space for the cut's name
    for i, item in enumerate(missed):
        parts.append(_missed(left + i * _STEP, item, grades[item], graded))
    if bars:
        heights = discounts(ranks) if bars is True else bars
        marks = [grades.get(item, 0) for item in served]
        parts.append(_bars(heights, cut, marks, below))
    width = left + len(missed) * _STEP if missed else left + 6
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" '
        f'width="{width:g}" height="{height}" font-family="system-ui, sans-serif">'
        + "".join(parts)
        + "</svg>",
        alt or describe(served, grades, cut),
    )


def describe(served: Sequence[str], grades: Mapping[str, float], k: int) -> str:
    """Return the list in words: the hits within the cut, and what was missed."""
    hits = [rank for rank, item in enumerate(served[:k], 1) if grades.get(item, 0) > 0]
    missed = [item for item, g in grades.items() if g > 0 and item not in served[:k]]
    where = f"hits at rank{'s' if len(hits) > 1 else ''} {_and(hits)}" if hits else "no hit"
    lost = f"; {_and(missed)} relevant but not among them" if missed else ""
    return f"The list {' '.join(served)} cut at K = {k}: {where}{lost}."


def _and(things: Sequence[object]) -> str:
    words = [str(thing) for thing in things]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _left(place: int, full: int) -> float:
    """Return where a slot begins: behind the list, slots are empty and narrower."""
    return _GAP + min(place, full) * _STEP + max(place - full, 0) * (_EMPTY + _GAP)


def _rank(middle: float, place: int) -> str:
    return (
        f'<text x="{middle:g}" y="{_TOP - 5}" font-size="12" text-anchor="middle" '
        f'fill="currentColor">{place + 1}</text>'
    )


def _slot(place: int, item: str, grade: float, counts: bool, graded: bool) -> str:
    x = _GAP + place * _STEP
    middle = x + _SLOT / 2
    faded = "" if counts else ' opacity="0.45"'
    box = f'x="{x}" y="{_TOP}" width="{_SLOT}" height="{_SLOT}" rx="7"'
    if grade > 0:
        body = f'<rect {box} fill="{BLUE}" stroke="{BLUE}"/>' + _label(
            middle, item, _mark("●", grade, graded), "#ffffff"
        )
    else:
        body = (f'<rect {box} fill="none" stroke="currentColor" stroke-width="1.5"/>') + _label(
            middle, item, "○", "currentColor"
        )
    return f"<g{faded}>{_rank(middle, place)}{body}</g>"


def _empty(place: int, full: int) -> str:
    x = _left(place, full)
    middle = x + _EMPTY / 2
    foot = _TOP + _SLOT / 2
    return (
        f'<g>{_rank(middle, place)}<rect x="{x:g}" y="{_TOP}" width="{_EMPTY}" '
        f'height="{_SLOT}" rx="7" fill="none" stroke="{GREY}" stroke-dasharray="1 4"/>'
        f'<text x="{middle + 4:g}" y="{foot:g}" font-size="12" text-anchor="middle" '
        f'fill="currentColor" transform="rotate(-90 {middle + 4:g} {foot:g})">empty</text></g>'
    )


def _missed(x: float, item: str, grade: float, graded: bool) -> str:
    middle = x + _SLOT / 2
    return (
        f'<text x="{middle:g}" y="{_TOP - 5}" font-size="12" text-anchor="middle" '
        f'fill="currentColor">missed</text>'
        f'<rect x="{x:g}" y="{_TOP}" width="{_SLOT}" height="{_SLOT}" rx="7" fill="none" '
        f'stroke="currentColor" stroke-width="2" stroke-dasharray="5 4"/>'
        + _label(middle, item, _mark("◌", grade, graded), "currentColor")
    )


def _mark(sign: str, grade: float, graded: bool) -> str:
    return f"{sign} {grade:g}" if graded else sign


def _label(middle: float, item: str, mark: str, colour: str) -> str:
    return (
        f'<text x="{middle:g}" y="{_TOP + 21}" font-size="17" font-weight="600" '
        f'text-anchor="middle" fill="{colour}">{html.escape(item)}</text>'
        f'<text x="{middle:g}" y="{_TOP + 38}" font-size="13" text-anchor="middle" '
        f'fill="{colour}">{mark}</text>'
    )


def _bars(heights: Iterable[float], cut: int, grades: Sequence[float], below: str) -> str:
    floor = _TOP + _SLOT + _BARS
    parts = []
    for place, factor in enumerate(heights):
        slot = _SLOT if place < len(grades) else _EMPTY
        x = _left(place, len(grades)) + slot / 4
        tall = factor * (_BARS - 26)
        hit = place < cut and place < len(grades) and grades[place] > 0
        look = f'fill="{BLUE}"' if hit else f'fill="none" stroke="{GREY}" stroke-width="1.5"'
        parts.append(
            f'<rect x="{x:g}" y="{floor - tall:.1f}" width="{slot / 2:g}" height="{tall:.1f}" '
            f'{look}/><text x="{x + slot / 4:g}" y="{floor - tall - 4:.1f}" font-size="11" '
            f'text-anchor="middle" fill="currentColor">{factor:.2f}</text>'
        )
    parts.append(
        f'<text x="{_GAP}" y="{floor + 18}" font-size="12" fill="currentColor">{below}</text>'
    )
    return "".join(parts)
