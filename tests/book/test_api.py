"""The pages of the library: every public name, nothing private, and the links that lead there."""

from __future__ import annotations

import ast
import doctest
import html
import inspect
import re
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

import recsys_metrics
from tests import public
from tests.book.conftest import ROOT
from tests.book.test_book import CONTENTS

sys.path.insert(0, str(ROOT / "book"))
import api
import convention_values
import function_pages
import named_types

WRITTEN = [page for page in CONTENTS if (ROOT / f"{page}.ipynb").exists()]


# All that can be imported, by the lists of the packages alone.
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in public.modules()
    for name in module.__all__
}


class Entries(HTMLParser):
    """What stands under each name on a page, and in each row of its tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.rows: list[tuple[str, str]] = []
        self.attributes: list[str] = []
        self._row: list[str] | None = None
        self._link = ""
        self.feed(text.split('<article class="bd-article">')[1].split("</article>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        self.attributes += [value for value in has.values() if value]
        if tag == "dt" and "sig-object" in (has.get("class") or ""):
            self.ids.append(has.get("id") or "")
        if tag == "tr":
            self._row, self._link = [], ""
        if tag == "a" and self._row == []:
            self._link = has["href"] or ""

    def handle_data(self, data: str) -> None:
        if self._row is not None and data.strip():
            self._row.append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self._row is not None:
            self.rows.append((self._link, " ".join(self._row[1:])))
            self._row = None


@pytest.fixture(scope="module")
def pages(book) -> dict[str, Entries]:
    return {
        f"api/{path.name}": Entries(path.read_text(encoding="utf-8"))
        for path in sorted((book.folder / "api").glob("*.html"))
    }


# What is public


def test_doctests_of_the_api_builder_pass():
    found = doctest.testmod(api, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 5
    assert found.failed == 0


SUBJECTS = ("rating", "ranking", "beyond_accuracy", "protocol", "calibration", "bias")


def test_every_module_states_its_stability():
    assert [module for module in api.modules() if not api.promise(module)] == []
    for module in (*SUBJECTS, "measures", "evaluation", "frames"):
        assert api.promise(f"recsys_metrics.{module}").startswith(api.STABLE)
    assert api.promise("recsys_metrics.peers") == api.MAY_CHANGE
    assert api.MAY_CHANGE in inspect.getdoc(import_module("recsys_metrics.workbook"))


def test_names_excluded_from_the_stability_promise_are_public():
    left_out = {
        (module, name): api.find(name, module)
        for module in api.modules()
        for name in re.findall("`([^`]+)`", api.promise(module))
    }
    assert left_out
    assert [where for where, full in left_out.items() if full is None] == []


def test_the_index_states_the_stability_promise_once_with_its_exceptions():
    index = api.index_page(list(api.modules()))
    assert index.count(api.STABLE) == 1
    assert "`Aggregate` and `Protocol`" in index
    assert api.MAY_CHANGE in index.split(":doc:`peers ")[1].split(":doc:")[0]


def test_a_name_added_to_all_is_on_the_page(monkeypatch):
    def brand_new() -> None:
        """Is it there?

        It is.
        """

    monkeypatch.setattr(recsys_metrics.rating, "brand_new", brand_new, raising=False)
    names = [*recsys_metrics.rating.__all__, "brand_new"]
    monkeypatch.setattr(recsys_metrics.rating, "__all__", names)
    caches = (api.entries, api.question, api._by_short_name, api.functions)
    for cached in caches:
        cached.cache_clear()
    try:
        row = "py:obj:`brand_new`\n     - Is it there?\n"
        assert row in api.module_page("recsys_metrics.rating")
        assert row in api.index_page(list(api.modules()))
        assert "api/rating.brand_new" in api.functions()
        assert api.question("recsys_metrics.rating.brand_new") == "Is it there?"
        assert api.find("brand_new") == "recsys_metrics.rating.brand_new"
    finally:
        for cached in caches:
            cached.cache_clear()


def test_a_public_value_without_documentation_raises(monkeypatch):
    entry = api.Entry("recsys_metrics.rating", "BOUNDS", (0, 1))
    monkeypatch.setattr(sys.modules["recsys_metrics.rating"], "BOUNDS", (0, 1), raising=False)
    with pytest.raises(ValueError, match="BOUNDS is public and has no docstring"):
        api.doc_of(entry)


def test_modules_follow_the_order_of_the_chapters():
    shown = [module.removeprefix("recsys_metrics") for module in api.in_order(CONTENTS)]
    firsts = [f".{subject}" for subject in SUBJECTS]
    assert shown[0] == ""
    assert [module for module in shown if module in firsts] == firsts
    assert shown.index(".bias.fairness") < shown.index(".baselines")
    assert sorted(shown) == sorted(
        ["", *(n.removeprefix("recsys_metrics") for n, t in PUBLIC.items() if inspect.ismodule(t))]
    )


def test_the_private_files_table_is_removed_and_other_tables_stay():
    for module, stays in {"ranking": "Stable: names", "protocol": "what leaks across"}.items():
        text = inspect.getdoc(import_module(f"recsys_metrics.{module}"))
        lines = text.split("\n")
        api.write_docstring(None, "module", module, None, None, lines)
        left = "\n".join(lines)
        assert stays in left
        assert "`_" not in left
        assert ("`_" in text) == (module == "ranking")


# What stands in the book


def test_every_public_name_has_an_entry_and_a_question(pages):
    index = dict(pages["api/index.html"].rows)
    lost = []
    for name, thing in PUBLIC.items():
        if inspect.ismodule(thing):
            full, page = name, f"api/{name.removeprefix('recsys_metrics.')}.html"
            asked = inspect.getdoc(thing)
            there = page in pages
        else:
            full = api.find(name)
            page = f"{api.page_of(full)}.html"
            asked = index.get(api.address_of(full, "{}.html".format).removeprefix("api/"), "")
            there = full in pages[page].ids
        if not there or len((asked or "").split()) < 3:
            lost.append((name, page, asked))
    assert lost == []


def test_a_row_is_one_sentence(pages):
    rows = pages["api/index.html"].rows
    assert len(rows) > 200
    assert [row for row in rows if not re.fullmatch(r"[^\n]{8,140}[.?]", row[1])] == []


def test_nothing_private_is_on_the_pages(pages):
    """Neither an entry, nor a link, nor what is shown when the pointer rests on one."""
    things = {entry.full: entry.thing for entry in api.entries().values()}
    allowed = set(things) | {
        f"{full}.{member}"
        for full, thing in things.items()
        if inspect.isclass(thing)
        for member in api.members(thing)
    }
    for page, shown in pages.items():
        assert set(shown.ids) <= allowed, page
        assert len(set(shown.ids)) == len(shown.ids), page
        private = r"\brecsys_metrics(\.\w+)*\._[a-z]"
        assert [value for value in shown.attributes if re.search(private, value)] == []


def test_signatures_are_as_the_source_has_them(book, pages):
    for page in pages:
        written = (book.folder / page).read_text(encoding="utf-8").split("Show the code")[0]
        text = html.unescape(re.sub(r"<[^>]+>", "", written))
        assert (
            re.findall(
                r"ndarray\[tuple|TypeAlias|_array_like|Domain\(|Annotated|\[Values|→ Values", text
            )
            == []
        )
    judged = re.sub(r"<[^>]+>", "", (book.folder / "api/ranking.html").read_text("utf-8"))
    assert re.search(r"property gains: NDArray\[float64\]", " ".join(judged.split()))
    ndcg = (book.folder / "api/ranking.ndcg.html").read_text(encoding="utf-8")
    entry = ndcg.split('id="recsys_metrics.ranking.ndcg"')[1].split("</dt>\n<dd>")[0]
    words = " ".join(html.unescape(re.sub(r"<[^>]+>", "", entry)).split())
    assert "k: int | None = None" in words
    assert "gain: Gain | Own = 'linear'" in words
    assert 'href="#type-Ideal"' in entry
    meaning = ndcg.split('id="type-Ideal"')[1].split("</dd>")[0]
    assert '"all" | "list" | "listed" | "uncut" | "full"' in meaning


def test_signatures_of_methods_name_their_types(book):
    text = (book.folder / "api/evaluation.html").read_text(encoding="utf-8")
    signatures = re.findall(r'<dt class="sig.*?</dt>', text, re.DOTALL)
    named = [one for one in signatures if 'href="#type-Uncertainty"' in one]
    assert len(named) > 20
    assert [one for one in signatures if "standard error" in one] == []
    meaning = text.split('id="type-Uncertainty"')[1].split("</dd>")[0]
    assert '"interval" | "standard error" | "none"' in meaning
    words = [" ".join(html.unescape(re.sub(r"<[^>]+>", "", one)).split()) for one in signatures]
    assert any("correction: Adjustment = 'holm'" in one for one in words)
    assert [one for one in words if re.search(r"\((self|cls)\b", one)] == []


def test_each_page_states_its_stability(book):
    for module in api.modules():
        shown = (book.folder / f"{api.page_of(module)}.html").read_text(encoding="utf-8")
        text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", shown)))
        promise = re.sub(r"[`*]", "", api.promise(module))
        assert promise in text, module


# A page for each function


@pytest.mark.parametrize("builder", [function_pages, convention_values, named_types])
def test_doctests_of_the_function_pages_pass(builder):
    found = doctest.testmod(builder, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_function_has_a_page_with_all_that_a_reader_looks_up(book):
    lost = []
    for page, entry in api.functions().items():
        text = (book.folder / f"{page}.html").read_text(encoding="utf-8")
        article = text.split('<article class="bd-article">')[1].split("</article>")[0]
        words = " ".join(html.unescape(re.sub(r"<[^>]+>", "", article)).split())
        there = {
            "question": '<p class="question">' in article,
            "import": re.search(r"import|as rm", words.split("Parameters:")[0]) is not None,
            "example": "&gt;&gt;&gt; " in article,
            "formula": "<math" in article or ".. math::" not in inspect.getdoc(entry.thing),
            "signature": f'id="{entry.full}"' in article,
            "source": re.search(r"recsys_metrics/\S+\.py, lines \d+ to \d+", words) is not None,
        }
        lost += [(page, what) for what, is_there in there.items() if not is_there]
    assert lost == []


def test_each_convention_has_its_value_on_the_running_list():
    head, rows = convention_values.conventions(recsys_metrics.ndcg, "ndcg")
    assert head == ["Convention", "Meaning", "K = 3", "K = 10"]
    values = {row[0].split("``")[1]: row[3] for row in rows}
    judged = recsys_metrics.judge(*convention_values.RUNNING)
    for convention, expected in {
        'ideal="list"': recsys_metrics.ndcg(judged, 10, ideal="list"),
        'gain="exponential"': recsys_metrics.ndcg(judged, 10, gain="exponential"),
        'discount="log2-from-2"': recsys_metrics.ndcg(judged, 10, discount="log2-from-2"),
    }.items():
        assert values[convention] == f"{expected:.3f}"
    # About a user with no relevant items.
    assert values['no_relevant="one"'] == "1.000"
    assert set(named_types.choices(recsys_metrics.ndcg)) == {
        row[0].split("``")[1].partition("=")[0] for row in rows
    }


def test_a_parameter_as_in_another_function_is_written_out(book):
    text = (book.folder / "api/ranking.ndcg.html").read_text(encoding="utf-8")
    assert "What an item of grade g is worth" in text
    assert not re.search(r"<dt><strong>[^<]*</strong>.*?</dt><dd><p>As in", text)


def test_a_function_page_names_other_libraries_and_the_chapter(book):
    text = (book.folder / "api/ranking.ndcg.html").read_text(encoding="utf-8")
    assert "TensorFlow Ranking" in text
    assert 'href="../chapters/02_ranking_gains.html"' in text
    assert function_pages.import_line("recsys_metrics.rating.mae") == (
        "from recsys_metrics.rating import mae"
    )


def test_at_most_20_public_names_are_shown_on_no_page_but_their_own(book):
    """A page shows a name if it links to it: in its text, a cell, a signature or an example."""
    own = {api.page_of(module) for module in api.modules()} | {api.INDEX}
    shown = set()
    for path in book.folder.rglob("*.html"):
        page = path.relative_to(book.folder).with_suffix("").as_posix()
        text = path.read_text(encoding="utf-8")
        if page.startswith("_") or page in own or "<article" not in text:
            continue
        article = text.split('<article class="bd-article">')[1].split("</article>")[0]
        for full in api.entries().values():
            if page != api.page_of(full.full):
                address = api.address_of(full.full, "{}.html".format).removeprefix("api/")
                if re.search(rf'href="[^"]*?(?<![\w.]){re.escape(address)}"', article):
                    shown.add(full.full)
    hidden = sorted({entry.full for entry in api.entries().values()} - shown)
    assert len(hidden) <= 20, hidden


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["ranking.ndcg", "ranking.average_precision", "rating.rmse", "bias.off_policy.ips",
             "calibration.expected_calibration_error", "beyond_accuracy.gini",
             "protocol.significance.paired_t_test", "ranking.reciprocal_rank"]
)  # fmt: skip
def test_formula_signature_and_example_are_on_one_screen(book, open_shared_view, name):
    page = open_shared_view(book, f"api/{name}.html").page
    for what in (".question", "article .highlight pre", "article math", "article dt.sig"):
        box = page.locator(what).first.bounding_box()
        assert box["y"] >= 0, what
        assert box["y"] + box["height"] <= 800, what


# Links from the other pages


def page_with(text: str, *cells: str) -> str:
    """Return the body of a page as Sphinx writes it, of words in backticks and cells."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    words = re.sub(
        r"`([^`]+)`",
        r'<code class="docutils literal notranslate"><span class="pre">\1</span></code>',
        text,
    )
    return f"<p>{words}</p>" + "".join(
        '<div class="cell_input docutils container">\n'
        + highlight(cell, PythonLexer(), HtmlFormatter())
        + "</div>"
        for cell in cells
    )


def links(body: str, *, bare: bool = True) -> list[tuple[str, str]]:
    """Return the text and target of each link that a page is given."""
    linked = api.link_names(body, lambda page: f"../{page}.html", bare=bare)
    assert re.sub("</?a( [^>]*)?>", "", linked) == re.sub("</?a( [^>]*)?>", "", body)
    found = re.findall(r'<a class="[^"]*" href="([^"]*)"[^>]*>(.*?)</a>', linked)
    return [(re.sub("<[^>]+>", "", shown), target) for target, shown in found]


IMPORTS = "import recsys_metrics as rm\nfrom recsys_metrics import bias, judge"


def test_the_first_mention_in_the_text_links_to_the_entry():
    body = page_with("`ndcg` and `rm.rating.mae(…)`, `ndcg`, `k`, `precision=3`, `users`", IMPORTS)
    assert links(body) == [
        ("ndcg", "../api/ranking.ndcg.html"),
        ("rm.rating.mae(…)", "../api/rating.mae.html"),
    ]


def test_the_package_name_links_to_the_index():
    assert links(page_with("`recsys_metrics`")) == [("recsys_metrics", "../api/index.html")]


def test_in_solutions_bare_words_are_linked_only_if_imported():
    body = page_with("`ndcg`, `judge`, `frames.evaluate`", IMPORTS)
    assert [shown for shown, _ in links(body, bare=False)] == ["judge", "frames.evaluate"]


def test_in_solutions_options_are_not_linked():
    options = page_with("`judge`: a list. `bias.off_policy.ips`: a log.").replace("p>", "li>")
    body = f"<ol>{options}</ol>{page_with('`judge`', IMPORTS)}"
    assert [shown for shown, _ in links(body, bare=False)] == ["judge"]
    assert api.link_names(body, str, bare=False).startswith(f"<ol>{options}</ol>")
    assert not api.link_names(body, str, bare=True).startswith(f"<ol>{options}</ol>")


def test_the_first_call_in_a_cell_links_to_the_entry():
    calls = "rm.ndcg(judged).mean()\nmine.recall(3)\nrm.ndcg(other)\nbias.off_policy.ips([1])"
    body = page_with("", f"%precision 3\n{IMPORTS}", calls, "judge\nx = [rm.recall, judge(a, b)]")
    assert links(body) == [
        ("rm.ndcg", "../api/ranking.ndcg.html"),
        ("bias.off_policy.ips", "../api/bias.off_policy.ips.html"),
        ("rm.recall", "../api/ranking.recall.html"),
        ("judge", "../api/ranking.judge.html"),
    ]


def test_existing_links_are_not_changed():
    body = page_with("x").replace("x", '<a href="o"><code class="docutils literal notranslate">'
                                  '<span class="pre">ndcg</span></code></a>')  # fmt: skip
    assert api.link_names(body, str, bare=True) == body


def called(notebook: Path) -> set[str]:
    """Return the public functions that a notebook calls by `rm.`, whose names no import changes."""
    cells = nbformat.read(notebook, as_version=4).cells
    names = set()
    for cell in cells:
        if cell.cell_type == "code" and not cell.source.startswith("%%"):
            source = re.sub(r"^%.*", "", cell.source, flags=re.MULTILINE)
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    names.add(ast.unparse(node.func))
    return {f"recsys_metrics.{name[3:]}" for name in names if name.startswith("rm.")} & set(PUBLIC)


@pytest.mark.parametrize("page", WRITTEN)
def test_pages_link_every_function_they_call(book, page):
    shown = (book.folder / f"{page}.html").read_text(encoding="utf-8")
    targets = re.findall(r'<a class="reference internal api-call" href="\.\./(api/[^"]+)"', shown)
    assert len(set(targets)) == len(targets)
    asked = {api.find(name) for name in called(ROOT / f"{page}.ipynb")}
    assert {api.address_of(full, "{}.html".format) for full in asked} <= set(targets)


def test_the_front_page_links_to_the_api_index(book):
    front = (book.folder / "chapters/index.html").read_text(encoding="utf-8")
    assert re.search(r'<a [^>]*href="\.\./api/index\.html"[^>]*><code', front)


def test_chapters_link_to_the_api_pages(book):
    linked = {
        page: len(re.findall(r'href="\.\./api/[^"]*" title=', text))
        for page in WRITTEN
        if (text := (book.folder / f"{page}.html").read_text(encoding="utf-8"))
    }
    parts = [page for page in WRITTEN if re.match(r"chapters/0[1-6]_", page)]
    assert [page for page in parts if linked[page] == 0] == []
    for number in range(1, 7):
        assert sum(linked[page] for page in parts if f"/0{number}_" in page) >= 10
    assert linked["chapters/libraries"] > 100
    assert linked["chapters/cheat_sheet"] > 30
