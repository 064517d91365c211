"""Text of students and instructors in the Markdown of notebooks, where it is no mark of it."""

from __future__ import annotations

import html
import re

from recsys_metrics._core import console

# A full stop within a word may make a link of it: www.example.org.
_OF_MARKDOWN = re.compile(r"[\\`*_{}\[\]()#+!|~:@$&<>=^]|(?<=\w)\.(?=\w)")


def escape_markdown(text: str) -> str:
    r"""Return one line of text that Markdown shows as it is, in whatever program it is opened.

    Nothing of it is a mark, an element, a link or a formula. A dollar and a backslash get an
    element of their own, since MathJax reads what a page shows and takes two of them for a formula.

    Examples
    --------
    >>> print(escape_markdown("Ann-Marie O'Neil Jr."), escape_markdown("![p](http://x/y) <b>"))
    Ann-Marie O'Neil Jr. \!\[p\]\(http\://x/y\) &lt;b&gt;
    >>> print(escape_markdown("$x$"))
    <span>&#36;</span>x<span>&#36;</span>
    """
    line = console.one_line(" ".join(text.split()))
    return _OF_MARKDOWN.sub(_escape_sign, line)


def _escape_sign(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in "$\\":
        return f"<span>&#{ord(sign)};</span>"
    return html.escape(sign) if sign in "&<>" else f"\\{sign}"
