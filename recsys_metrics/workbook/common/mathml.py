"""Formulas as MathML, which browsers draw by themselves, without a script, and read aloud."""

from __future__ import annotations

import re
from collections.abc import Callable

_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$([^$\n]+?)\$(?!\w)", re.DOTALL)
# Signs that no text of ours has, and that Markdown leaves alone.
_MARK = "\ue000{}\ue001"
_MARKED = re.compile("\ue000(\\d+)\ue001")


def to_mathml(tex: str, *, block: bool) -> str:
    r"""Return a formula of LaTeX as MathML.

    Parameters
    ----------
    tex : str
        The formula.
    block : bool
        Whether it stands on a line of its own.

    Raises
    ------
    docutils.utils.math.MathError
        If it is no formula.

    Examples
    --------
    >>> re.findall("<m[ion]>[^<]*", to_mathml("K", block=False))
    ['<mi>K']
    """
    # Imported on first use: only a page with formulas needs it.
    from docutils.utils.math.latex2mathml import tex2mathml

    # A name is one word, not a product of letters.
    named = re.sub(r"\\mathrm\{([^}]*)\}", r"\\text{\1}", tex)
    drawn = re.sub(r"\n\s*", "", str(tex2mathml(named, as_block=block)))
    # A hat is the letter's alone, and an index follows: docutils stacks the three.
    return re.sub(
        r"<munderover>(<mi>\w</mi>)((?:(?!munderover).)*?)(<mo[^>]*>[ˆˉ~]</mo>)</munderover>",
        r'<msub><mover accent="true">\1\3</mover>\2</msub>',
        drawn,
    )


def render_with_formulas(markdown: str, render: Callable[[str], str]) -> str:
    r"""Return markdown as HTML, with its formulas as MathML.

    Parameters
    ----------
    markdown : str
        Formulas stand between ``$`` or ``$$``.
    render : callable
        Markdown to HTML.

    Examples
    --------
    >>> render_with_formulas("cut at $K$", str).startswith("cut at <math")
    True
    """
    drawn: list[str] = []

    def mark(found: re.Match[str]) -> str:
        block, inline = found.groups()
        drawn.append(to_mathml((block or inline).strip(" \n,."), block=bool(block)))
        return _MARK.format(len(drawn) - 1)

    html = render(_FORMULA.sub(mark, markdown))
    return _MARKED.sub(lambda found: drawn[int(found[1])], html)
