"""Lines of code that a narrow page can break and indent as they are indented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pygments.formatters import HtmlFormatter


class LineFormatter(HtmlFormatter):  # type: ignore[type-arg]
    """Put each line of code into an element of its own, with its indent."""

    def wrap(self, source: Any) -> Any:
        """Return the lines, each within its element, within what holds them all."""
        return super().wrap(_wrap_lines(source))


def _wrap_lines(source: Any) -> Iterator[tuple[int, str]]:
    for is_line, line in source:
        if not is_line:
            yield is_line, line
            continue
        text = re.sub("<[^>]*>", "", line)
        indent = len(text) - len(text.lstrip(" "))
        style = f' style="--indent: {indent}"' if indent else ""
        yield 1, f'<span class="code-line"{style}>{line}</span>'
