"""Lines of code that a narrow page can break and indent as they are indented."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from pygments.formatters import HtmlFormatter

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*\w")
# So many signs without a blank may be wider than a phone.
_LONG = 24
_SIGN = re.compile(r"<[^>]*>|&[^;]+;|.", re.DOTALL)
# Where a long word of code may end a line: within brackets, and before the next name of a chain.
_PLACES = re.compile(r"(?<=[(\[])(?=[^)\]])|(?<=[\w)\]])(?=\.[a-z_])")


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
        yield 1, f'<span class="code-line"{style}>{mark_breaks(line)}</span>'


def mark_breaks(line: str) -> str:
    """Return a line of code in HTML that is broken in a long word, and not in an option's name.

    >>> mark_breaks('<span class="n">rm</span>.judge(lists)')
    '<span class="n">rm</span>.judge(lists)'
    >>> mark_breaks("torch.tensor(scores).topk(10).indices")
    'torch<wbr>.tensor(<wbr>scores)<wbr>.topk(<wbr>10)<wbr>.indices'
    >>> mark_breaks('a <span class="o">--</span><span class="n">test</span> b')
    'a <span class="code-option"><span class="o">--</span><span class="n">test</span></span> b'
    """
    signs = _SIGN.findall(line)
    seen = [at for at, sign in enumerate(signs) if sign[0] != "<"]
    # Of what is written as an entity only the length counts.
    text = "".join(signs[at] if len(signs[at]) == 1 else "&" for at in seen)
    for word in re.finditer(rf"\S{{{_LONG},}}", text):
        for place in _PLACES.finditer(text, word.start(), word.end()):
            # Within the element before, so that the next is as it was.
            signs[seen[place.start() - 1]] += "<wbr>"
    for option in _OPTION.finditer(text):
        begin, end = seen[option.start()], seen[option.end() - 1]
        first, last = _whole_elements(signs, begin, end)
        # An element that began before the name cannot be within another that begins with it.
        around = signs[first:begin] + signs[end + 1 : last + 1]
        if not all(sign.startswith("<") for sign in around):
            continue
        signs[first] = f'<span class="code-option">{signs[first]}'
        signs[last] += "</span>"
    return "".join(signs)


def _whole_elements(signs: list[str], first: int, last: int) -> tuple[int, int]:
    """Return the ends of a part with the tags around it that belong to those within."""
    steps = (-sign.startswith("</") or int(sign[0] == "<") for sign in signs[first : last + 1])
    depths = [0, *itertools.accumulate(steps)]
    return first + min(depths), last + depths[-1] - min(depths)
