"""Our words are markdown, a learner's are only ever text: the way to a page and to plain text.

The HTML has no style sheet and no script, so that it reads the same in JupyterLab, in the book
and on GitHub, which keep little but the elements themselves. Text takes the page's colour.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from typing import Any

import numpy as np

# Where no style sheet keeps the cells of a table apart.
_CELL = re.compile(r"<(t[hd])>")
_APART = r'<\1 style="text-align:left;padding:.1em 1em .1em 0">'


@cache
def _markdown() -> Any:
    # Imported on first use: a grader that never shows a page does without it.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def escape(text: str) -> str:
    """Return text that means nothing to a browser."""
    return html.escape(text, quote=True)


def render_block(markdown: str) -> str:
    """Return paragraphs, lists and tables of our own markdown as HTML."""
    return _join_units(_CELL.sub(_APART, str(_markdown().render(markdown))))


def render_inline(markdown: str) -> str:
    """Return one line of our own markdown as HTML."""
    return _join_units(str(_markdown().renderInline(markdown)))


def _join_units(text: str) -> str:
    """Keep a logarithm and its argument, and outside of code a number and its %, on one line."""
    pieces = re.split(r"(<(?:pre|code)\b.*?</(?:pre|code)>)", text, flags=re.DOTALL)
    pieces[::2] = [_replace_spaces(r"[0-9] %", words) for words in pieces[::2]]
    return _replace_spaces(r"log₂\([^)]*\)", "".join(pieces))


def _replace_spaces(pattern: str, text: str) -> str:
    return re.sub(pattern, lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


@lru_cache(maxsize=4096)
def strip_markup(markdown: str) -> str:
    """Return markdown without its marks; code, in backticks or indented, stays as it is."""
    rows = re.split(r"^((?: {4}.*(?:\n|$))+)", markdown, flags=re.MULTILINE)
    rows[::2] = map(_remove_emphasis, rows[::2])
    return "".join(rows)


def _remove_emphasis(markdown: str) -> str:
    pieces = re.split(r"`([^`]*)`", markdown)
    pieces[::2] = [re.sub(r"(\*\*?)(?=\S)(.+?)(?<=\S)\1", r"\2", text) for text in pieces[::2]]
    return "".join(pieces)


def render_code(text: str) -> str:
    """Return text as it is, set as code."""
    return f"<code>{escape(text)}</code>"


def render_code_block(text: str) -> str:
    """Return lines of text as they are, set as code."""
    return (
        '<pre style="margin:.4em 0;padding:.4em .6em;overflow-x:auto;white-space:pre;'
        'background:#6B72801A;border-radius:4px">'
        f'<code style="background:none;padding:0;white-space:pre">{escape(text)}</code></pre>'
    )


def render_box(body: str, *, edge: str, label: str, **marks: str) -> str:
    """Return a frame with a coloured edge; the label names it for those who do not see it.

    The marks become data attributes, by which the book's scripts find it.

    >>> render_box("...", edge="grey", label="E1", look_back="ranking.e1")[:58]
    '<div role="group" aria-label="E1" data-look-back="ranking.'
    """
    mark = "".join(
        f' data-{name.replace("_", "-")}="{escape(value)}"'
        for name, value in marks.items()
        if value
    )
    return (
        f'<div role="group" aria-label="{escape(label)}"{mark} style="max-width:52em;margin:.4em 0;'
        f"padding:.4em 1em;border:1px solid #6B728080;border-left:4px solid {edge};"
        f'border-radius:6px">{body}</div>'
    )


_HINT = re.compile(r"A hint: <code>[^<]*\.hint\(\)</code>\.")


def adapt_for_page(html: str) -> str:
    """Return our HTML without what is only so in a notebook: calls, and texts in quotes."""
    html = re.sub(r"<code>&quot;([^<]*)&quot;</code>", r"<code>\1</code>", html)
    return _HINT.sub("The hints may help.", html)


def remove_hint(html: str) -> str:
    """Return our HTML without the call that gives a hint, which not everybody can make."""
    return _HINT.sub("", html)


def format_python(value: Any) -> str:
    """Return a value as Python that can be pasted.

    >>> print(format_python({"C", "B"}), format_python(["A", 0.5]), format_python(set()))
    {"B", "C"} ["A", 0.5] set()
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, np.ndarray):
        return f"np.array({format_python(value.tolist())})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{format_python(k)}: {format_python(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, AbstractSet):
        return "{" + ", ".join(map(format_python, sort_set(value))) + "}" if value else "set()"
    if isinstance(value, list):
        return "[" + ", ".join(map(format_python, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(format_python, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def describe_value(value: Any) -> str:
    """Return a value as a sentence names it.

    >>> describe_value(["A", "B", "C"]), describe_value({"C", "B"}), describe_value([0.8, 0.5])
    ('A, B, C', 'B and C', '0.8, 0.5')
    """
    if isinstance(value, AbstractSet):
        names = [describe_value(item) for item in sort_set(value)]
        return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "nothing"
    if isinstance(value, list | tuple):
        return ", ".join(map(describe_value, value))
    if isinstance(value, float | np.floating):
        return f"{value:g}"
    return str(value)


def sort_set(items: AbstractSet[Any]) -> list[Any]:
    """Return a set's items in an order that does not change from run to run."""
    try:
        return sorted(items, key=lambda item: (type(item).__name__, item))
    except TypeError:  # of a kind that has no order of its own
        return sorted(items, key=lambda item: (type(item).__name__, repr(item)))
