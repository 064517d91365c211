"""Text of students and instructors in HTML, where it is no mark of it and turns no line."""

from __future__ import annotations

from recsys_metrics._core import console
from recsys_metrics.workbook.common import markup


def escape_html(text: str) -> str:
    r"""Return text that means nothing to a browser, with the signs written out that turn a line.

    >>> escape_html("<b>, \u202egpj.exe")
    '&lt;b&gt;, \\u202egpj.exe'
    """
    return markup.escape(console.for_terminal(text, keep="\n\r\t"))
