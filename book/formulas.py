"""Formulas as MathML that breaks: where a page is narrow, a long one goes on in the next line."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from recsys_metrics.workbook.common.mathml import to_mathml

_SPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", _SPACE)
# A line may begin with one of these, as it does in print.
_RELATIONS = frozenset("=≈≤≥<>∝∼→⇒")
_SIGNS = frozenset("+−±")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
# What stands before the condition of a set, and signs that a line may begin with after a fraction.
_CONDITIONS = frozenset(":∶∣")
_SUMS = frozenset("∑∏")
# A text of more letters is a sentence, whose words may stand in two lines.
_LONG = 12


def draw(tex: str, *, block: bool) -> str:
    r"""Return a formula of LaTeX as MathML.

    Parameters
    ----------
    tex : str
        The formula.
    block : bool
        Whether it stands on a line of its own. Then it is drawn in pieces, between which a browser
        may break the line: before a relation or a sign outside of all brackets, before a sum that
        a fraction is multiplied by, before words, behind the bar of a set, and after ``\quad``.
        What ``\qquad`` keeps apart may have a line each, and so has each line of an alignment.

    Raises
    ------
    docutils.utils.math.MathError
        If it is no formula.

    Examples
    --------
    >>> re.findall("<m[ion]>[^<]*", draw("K", block=False))
    ['<mi>K']
    >>> drawn = draw(r"a = b(c + d), \qquad e", block=True)
    >>> drawn.count("<math"), drawn.count("<span>")
    (3, 2)
    """
    drawn = to_mathml(tex, block=block)
    return f'<div class="math">{_in_pieces(drawn)}</div>' if block else drawn


def _in_pieces(drawn: str) -> str:
    # XML knows fewer signs by name than HTML.
    named = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda sign: html.unescape(sign[0]), drawn)
    parts = [*_flat(ElementTree.fromstring(named))]
    if len(parts) == 1 and parts[0].get("class") == "ams-align":
        return "".join(map(_write_row, parts[0]))
    formulas = [[*_split(one)] for one in _apart(parts)]
    if sum(map(len, formulas)) == 1:
        return drawn
    return " ".join(f"<span>{'<wbr>'.join(map(_write, one))}</span>" for one in formulas)


def _flat(parts: Iterable[ElementTree.Element]) -> Iterator[ElementTree.Element]:
    """Yield parts, and instead of a sentence its words, between which a line may end.

    What stands between bars of a size that is given need not stand together either.
    """
    for part in parts:
        if _name(part) == "mrow" and len(part) > 0 and part[0].get("minsize"):
            yield from _flat(part)
        elif _name(part) == "mtext" and len(part.text or "") > _LONG:
            for word in re.findall(r"\s*\S+\s*$|\s*\S+", part.text or ""):
                one = ElementTree.Element(part.tag)
                one.text = re.sub(r"\s", "\u00a0", word)  # at the edge another space is not drawn
                yield one
        else:
            yield part


def _write_row(row: ElementTree.Element) -> str:
    """Return a line of an alignment: what is aligned has a place each, in which it may break."""
    cells = ("<wbr>".join(map(_write, _split([*_flat(cell)]))) for cell in row)
    return f'<span class="math-row">{"".join(f"<span>{cell}</span>" for cell in cells)}</span>'


def _apart(parts: list[ElementTree.Element]) -> Iterator[list[ElementTree.Element]]:
    """Yield the formulas of a line that holds several."""
    one: list[ElementTree.Element] = []
    for part in parts:
        if _name(part) == "mspace" and part.get("width") == "2em" and one:
            yield one
            one = []
        else:
            one.append(part)
    yield one


def _split(parts: list[ElementTree.Element]) -> Iterator[list[ElementTree.Element]]:
    """Yield the pieces of a formula, between which a line may end."""
    piece: list[ElementTree.Element] = []
    opened: list[str] = []
    for part in parts:
        sign = (part.text or "") if _name(part) == "mo" else ""
        # A bracket with an exponent closes, too.
        last = part[0].text if _name(part) in {"msup", "msub"} else sign
        if last and last in _CLOSE and opened:
            opened.pop()
        if piece and not opened and _begins_line(part, sign, piece[-1]):
            yield piece
            piece = []
            if sign:
                part.set("form", "infix")  # it has a left side, though in another piece
        if sign and sign in _OPEN:
            opened.append(sign)
        piece.append(part)
        if _ends_line(part, sign, opened):
            yield piece
            piece = []
    if piece:
        yield piece


def _begins_line(part: ElementTree.Element, sign: str, before: ElementTree.Element) -> bool:
    """Whether a line may begin with a part that is within no bracket."""
    if sign:
        is_after_value = _name(before) != "mo" or before.text in _CLOSE
        return is_after_value and sign in _RELATIONS | _SIGNS
    if _name(part) == "mtext":
        return (part.text or "")[:1].isspace()
    return _name(before) == "mfrac" and len(part) > 0 and part[0].text in _SUMS


def _ends_line(part: ElementTree.Element, sign: str, opened: list[str]) -> bool:
    if not opened:
        return _name(part) == "mspace" and part.get("width") == "1em"
    return bool(sign) and sign in _CONDITIONS and opened == ["{"]


def _name(part: ElementTree.Element) -> str:
    return part.tag.removeprefix(f"{{{_SPACE}}}")


def _write(parts: list[ElementTree.Element]) -> str:
    piece = ElementTree.Element(f"{{{_SPACE}}}math", displaystyle="true")
    piece.extend(parts)
    return ElementTree.tostring(piece, encoding="unicode", short_empty_elements=False)
