"""A student's words where an instructor opens them: nothing leads anywhere odd, nothing loads."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples

filters = pytest.importorskip("nbconvert.filters", reason="nbconvert is not installed")

from markdown_it import MarkdownIt  # noqa: E402

from recsys_metrics.workbook.course.feedback import inert  # noqa: E402

OTHER = MarkdownIt("commonmark", {"html": True}).enable("table")
OTHER.validateLink = lambda url: True  # it lets through what another program may let through
# nbgrader's pages draw words with the first of them.
READERS = {"nbconvert": filters.markdown2html, "markdown-it": OTHER.render}
BAD = "javascript:window.ran=1"
TRAPS = [
    f"[press]({BAD})",
    f"[press]( \n {BAD} )",
    f"[press](<{BAD}>)",
    f'[press]({BAD} "title")',
    "[press](JaVaScRiPt:1)",
    "[press](&#106;avascript:1)",
    "[press](&#x6A;&#x61;vascript&colon;1)",
    "[press](java\\\nscript:1)",
    "[press](java&Tab;script:1)",
    "[press](\x01javascript:1)",
    "[press](vbscript:1)",
    "[press](data:text/html,<script>1</script>)",
    "[press](file:///etc/passwd)",
    "[press](//elsewhere.example/x)",
    "[press](/formgrader/api/assignments)",
    "[press](../tree)",
    f"[press][a]\n\n[a]: {BAD}",
    f"[press][a]\n\n[a]:\n  {BAD}",
    f"[press][]\n\n[press]: <{BAD}>",
    f"[press]\n\n[press]: {BAD} 'title'",
    f"[a [b]({BAD}) c](https://a.example)",
    f"[[press]({BAD})](https://a.example)",
    f"[\\]]({BAD})",
    f"`[`press]({BAD})",
    f"<{BAD}>",
    f"<a href='{BAD}'>press</a>",
    f"press[^1]\n\n[^1]: [x]({BAD})",
    f"| a |\n| --- |\n| [press]({BAD}) |",
    f"> - [press]({BAD})",
    "![picture](http://elsewhere.example/x.png)",
    "![picture][a]\n\n[a]: http://elsewhere.example/x.png",
    "![picture]\n\n[picture]: https://elsewhere.example/x.png",
    "[![picture](http://elsewhere.example/x.png)](https://a.example)",
    "!\\[picture](http://elsewhere.example/x.png)",
    "<img src='http://elsewhere.example/x.png'>",
    "![a](attachment:b.png)",
    "<svg/onload=1>",
    "<style>@import 'http://elsewhere.example'</style>",
    "<link rel=stylesheet href=http://elsewhere.example>",
]
FORMULAS = [
    "$\\href{javascript:1}{x}$",
    "$$\\require{html}\\href {javascript:1}{x}$$",
    "$\\\\\\href{javascript:1}{x}$",
    "$\\style{background:url(http://elsewhere.example)}{x}$",
    '$\\mmlToken{mi}[href="javascript:1"]{x}$',
    "$\\def\\x{\\href}\\x{javascript:1}{x}$",
    "\\begin{align}\\class{a}{\\cssId{b}{\\bbox[border:1px]{c}}}\\end{align}",
]


class Seen(HTMLParser):
    """What a page would follow or load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "href":
                self.links.append(value or "")
            elif name in ("src", "srcset", "style", "background", "data") or name[:2] == "on":
                self.loads.append(f"{name}={value}")


def is_harmless(page: str) -> bool:
    seen = Seen(page)
    leads = re.compile(r"https?://|mailto:|#")
    tags = {"img", "script", "style", "iframe", "svg", "object", "embed", "link", "base", "form"}
    return all(leads.match(one) for one in seen.links) and not (seen.tags & tags or seen.loads)


@pytest.mark.parametrize("reader", READERS)
def test_dangerous_markup_is_neutralised(reader):
    draw = READERS[reader]
    assert [trap for trap in TRAPS if not is_harmless(draw(inert(trap)))] == []
    # The traps are traps: this reader draws several of them as links and pictures. At a picture
    # that is said to be attached, nbconvert fails, and the whole page with it.
    drawn = [draw(trap) for trap in TRAPS if "attachment:" not in trap]
    assert sum(not is_harmless(page) for page in drawn) > len(TRAPS) // 3


def test_formulas_cannot_create_links_or_styles():
    for formula in FORMULAS:
        assert re.findall(r"\\(href|style|class|cssId|mmlToken|bbox|require)", inert(formula)) == []


PIECES = ["[", "]", "(", ")", "](", "]:", "![", "][", "<", ">", "!", ":", "\\", "`", "\n", " "]
PIECES += ["a", "[a]", "^", "|", "- ", "&#91;", "&lt;", "https://a.example", "#b", BAD, "//c/d"]
PIECES += ["&#106;avascript:1", "data:x", "$", "\t", "\n\n", "\u00a0", "\u2028", "mailto:", "x.png"]


@examples(300)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_arbitrary_text_is_rendered_harmless(words):
    for draw in READERS.values():
        assert is_harmless(draw(inert(words))), words


@pytest.mark.parametrize(
    "words",
    [
        "See [the paper](https://a.example/b), [me](mailto:a@b.example), [above](#question-1).",
        "The scale is $[1, 5]$, and `x[0]` is the first of a[1:3]; [sic] (as printed).",
        "$\\frac{1}{\\log_2(i + 1)} \\in [0, 1]$ and $\\classical$ or $\\hrefs$",
        "- [x] done\n- [ ] to do\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
)
def test_harmless_text_is_not_changed(words):
    assert inert(words) == words
