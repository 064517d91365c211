"""A ranked list as a row of numbered slots, the one way the workbook draws lists.

A hit is filled, an item that is not relevant is hollow, a relevant item that was missed stands
dashed behind the list, or below it where there is no room. The cut at K is a vertical line. Each
slot carries its letter and a mark (●, ○, ◌), so that it reads without colour. All lists are drawn
on one width, so that slots have one size all over the book, on a phone too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recsys_metrics._core.colors import BLUE, GREY
from recsys_metrics.ranking import discounts
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.common.svg import LETTERS

# Lists stand in cards, too, whose frames leave less of a phone's column.
WIDE = 448
_ROW = 10  # ranks that stand in one row
_SLOT, _STEP, _TALL = 38, 44, 52
_RANKS, _TOP = 34, 40  # where the ranks are written, and the slots begin
_CUT = 18  # what the name of the cut takes, over the ranks
_BARS = 98  # what bars take, with their numbers
_NAME, _LINE = 20, 21


def ranked_list(
    recommended: Sequence[str],
    grades: Mapping[str, float],
    *,
    k: int | None = None,
    shows_cut: bool = True,
    bars: bool | Sequence[float] = False,
    below: str = "discount at each rank, filled for hits",
    alt: str | None = None,
) -> Picture:
    """Draw a list against what is relevant.

    Parameters
    ----------
    recommended : sequence of str
        Item names, best first.
    grades : mapping
        Grade of each relevant item; items that are absent or 0 are not relevant.
    k : int, optional
        Where the list is cut; by default after its last item. Ranks beyond the list are empty.
        Ten ranks stand in a row, further ones below them.
    shows_cut : bool
        Whether the cut is drawn; where every item counts it says nothing.
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
    cut = len(recommended) if k is None else k
    ranks = max(cut, len(recommended))
    missed = [item for item, grade in grades.items() if grade > 0 and item not in recommended]
    graded = any(grade not in (0, 1) for grade in grades.values())
    row = _TOP + _TALL + (_BARS if bars else 0) + 14
    parts: list[str] = []
    for place in range(ranks):
        x, y = _at(place, row)
        if place < len(recommended):
            item = recommended[place]
            drawn = _slot(x, y, item, grades.get(item, 0), graded, faded=place >= cut)
        else:
            drawn = _empty(x, y)
        faded = ' opacity="0.75"' if cut <= place < len(recommended) else ""
        rank = svg.text(x + _SLOT / 2, y + _RANKS, str(place + 1), anchor="middle")
        parts.append(f"<g{faded}>{rank}{drawn}</g>")
    if shows_cut:
        parts.append(_cut(cut, row))
    bottom = row * (1 + (ranks - 1) // _ROW)
    if bars:
        heights = discounts(ranks) if bars is True else bars
        parts.append(_bars(heights, row, cut, [grades.get(item, 0) for item in recommended]))
        for line in svg.break_lines(below, svg.LINE):
            parts.append(svg.text(0, bottom + 12, line))
            bottom += _LINE
    if missed:
        name, places, low = _places(ranks, len(missed), bottom)
        parts.append(svg.text(*name, "missed"))
        parts += [
            _missed(x, y, item, grades[item], graded)
            for (x, y), item in zip(places, missed, strict=True)
        ]
        bottom = max(bottom, low)
    # A group of its own, for who takes the marks out of their sheet and puts them on another.
    lift = 0 if shows_cut else _CUT
    up = f' transform="translate(0 {-lift})"' if lift else ""
    drawn = f'<g font-size="{LETTERS}" fill="currentColor"{up}>{"".join(parts)}</g>'
    words = alt or describe(recommended, grades, cut)
    return svg.sheet(WIDE, bottom - lift, [drawn], words, letters=LETTERS)


def describe(recommended: Sequence[str], grades: Mapping[str, float], k: int) -> str:
    """Return the list in words: the hits within the cut, and what was missed."""
    hits = [rank for rank, item in enumerate(recommended[:k], 1) if grades.get(item, 0) > 0]
    missed = [item for item, g in grades.items() if g > 0 and item not in recommended[:k]]
    where = f"hits at rank{'s' if len(hits) > 1 else ''} {_and(hits)}" if hits else "no hit"
    lost = f"; {_and(missed)} relevant but not in the top {k}" if missed else ""
    return f"The list {' '.join(recommended)} cut off at K = {k}: {where}{lost}."


def _and(things: Sequence[object]) -> str:
    words = [str(thing) for thing in things]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _at(place: int, row: int) -> tuple[float, float]:
    """Return where a slot begins, and its row."""
    return place % _ROW * _STEP + 1.0, float(place // _ROW * row)


def _places(
    ranks: int, n_missed: int, bottom: int
) -> tuple[tuple[float, float], list[tuple[float, float]], int]:
    """Return where the missed items are named, where each of them stands, and how low they reach.

    They stand behind the list where there is room, and below it where there is none.
    """
    beside = ranks * _STEP + 16.0
    if beside + max(n_missed * _STEP, 65) <= WIDE:
        return (beside, _RANKS), [(beside + i * _STEP, 0.0) for i in range(n_missed)], 0
    # Their name is as wide as two slots.
    each, down = _ROW - 2, _TALL + 8
    top = bottom - _TOP + 8.0
    places = [(1.0 + (2 + i % each) * _STEP, top + i // each * down) for i in range(n_missed)]
    name = (0.0, top + _TOP + _TALL / 2 + 6)
    return name, places, bottom + 8 + (n_missed - 1) // each * down + _TALL + 6


def _cut(cut: int, row: int) -> str:
    """Draw the line behind the last rank that counts, its name on the side where there is room."""
    x, y = _at(max(cut - 1, 0), row)
    x = x + _STEP - (_STEP - _SLOT) / 2 if cut else 0.7
    name = f"K = {cut}"
    # On the right its name would read as one with "missed".
    right = x < 5 + 0.62 * LETTERS * len(name)
    return (
        f'<line x1="{x:g}" y1="{y + 4:g}" x2="{x:g}" y2="{y + row - 6:g}" '
        'stroke="currentColor" stroke-width="2"/>'
        + svg.text(x + (5 if right else -5), y + 15, name, anchor="start" if right else "end")
    )


def _slot(x: float, y: float, item: str, grade: float, graded: bool, *, faded: bool) -> str:
    hit = grade > 0
    look = f'fill="{BLUE}" stroke="{BLUE}"' if hit else 'fill="none" stroke="currentColor"'
    # White letters would be read on the full blue alone.
    look += ' fill-opacity="0.3" stroke-opacity="0.6"' if faded else ""
    ink = "#ffffff" if hit and not faded else ""
    mark = _mark("●", grade, graded) if hit else "○"
    return _box(x, y, f'{look} stroke-width="1.5"') + _label(x, y, item, mark, ink)


def _empty(x: float, y: float) -> str:
    middle, foot = x + _SLOT / 2 + 6, y + _TOP + _TALL / 2
    return (
        _box(x, y, 'fill="none" stroke="currentColor" stroke-opacity="0.6" stroke-dasharray="2 3"')
        + f'<text x="{middle:g}" y="{foot:g}" text-anchor="middle" '
        f'font-size="16" transform="rotate(-90 {middle:g} {foot:g})">empty</text>'
    )


def _missed(x: float, y: float, item: str, grade: float, graded: bool) -> str:
    look = 'fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="5 4"'
    return _box(x, y, look) + _label(x, y, item, _mark("◌", grade, graded))


def _box(x: float, y: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y + _TOP:g}" width="{_SLOT}" height="{_TALL}" rx="7" {look}/>'


def _mark(sign: str, grade: float, graded: bool) -> str:
    if not graded:
        return sign
    written = f"{grade:g}"
    # A grade of several digits fills the slot.
    return f"{sign} {written}" if len(written) == 1 else f"{sign}{written}"


def _label(x: float, y: float, item: str, mark: str, ink: str = "") -> str:
    middle = x + _SLOT / 2
    size = _NAME if len(item) < 3 else 0
    return svg.text(
        middle, y + _TOP + 22, item, anchor="middle", bold=True, ink=ink, size=size
    ) + svg.text(middle, y + _TOP + 44, mark, anchor="middle", ink=ink)


def _bars(heights: Iterable[float], row: int, cut: int, grades: Sequence[float]) -> str:
    parts = []
    for place, factor in enumerate(heights):
        x, y = _at(place, row)
        floor = y + _TOP + _TALL + _BARS
        tall = factor * (_BARS - 32)
        hit = place < min(cut, len(grades)) and grades[place] > 0
        look = f'fill="{BLUE}"' if hit else f'fill="none" stroke="{GREY}" stroke-width="1.5"'
        parts.append(
            f'<rect x="{x + _SLOT / 4:g}" y="{floor - tall:.1f}" width="{_SLOT / 2:g}" '
            f'height="{tall:.1f}" {look}/>'
            + svg.text(x + _SLOT / 2, floor - tall - 5, f"{factor:.2f}", anchor="middle")
        )
    return "".join(parts)
