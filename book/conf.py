"""Sphinx configuration of the book.

The book is made from the notebooks with the outputs they were saved with; nothing is run here.
`pytest --nbval` holds those outputs to the code, so a page shows the numbers that were tested.
"""

from __future__ import annotations

import gc
import html
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from sphinx.highlighting import PygmentsBridge
from sphinx.search.en import SearchEnglish
from sphinx.util import logging

BOOK = Path(__file__).resolve().parent
ROOT = BOOK.parent
FOLDERS = ("api", "chapters", "solutions")

sys.path.insert(0, str(ROOT))

sys.path.insert(0, str(ROOT / "dev" / "tools"))

sys.path.insert(0, str(BOOK))

import addresses  # noqa: E402
import api  # noqa: E402
import architecture  # noqa: E402
import code_lines  # noqa: E402
import data_sets  # noqa: E402
import drawn  # noqa: E402
import embeds  # noqa: E402
import formulas  # noqa: E402
import front  # noqa: E402
import glossary  # noqa: E402
import in_page  # noqa: E402
import licences  # noqa: E402
import machine_texts  # noqa: E402
import own_numbers  # noqa: E402
import page_facts  # noqa: E402
import readings  # noqa: E402
import search_index  # noqa: E402
import wide_tables  # noqa: E402

from recsys_metrics import __version__  # noqa: E402
from recsys_metrics._core.package_names import ADDRESS  # noqa: E402
from recsys_metrics.workbook.common.disclosure import ARROW  # noqa: E402
from recsys_metrics.workbook.common.frontend import as_script, read_style  # noqa: E402
from recsys_metrics.workbook.common.picture import inline_pictures  # noqa: E402
from recsys_metrics.workbook.exercises import frontend as card_front  # noqa: E402
from recsys_metrics.workbook.explorables import REGISTRY  # noqa: E402
from recsys_metrics.workbook.explorables import frontend as explorable_front  # noqa: E402
from recsys_metrics.workbook.source_checks import summarize_counts  # noqa: E402

project = "Evaluate recommender systems"
author = "The recsys-workbook authors"
version = release = __version__
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_external_toc",
    "sphinx_copybutton",
]

# The source is the whole checkout, because the table of contents stands at its root.
# Sphinx is kept out of every other folder (an environment holds thousands of texts), and of a
# text whose notebook stands beside it, since the notebook is the one with outputs.
exclude_patterns = sorted(
    [entry.name for entry in ROOT.iterdir() if entry.name not in FOLDERS]
    + ["**/.ipynb_checkpoints"]
    + [
        f"{folder}/{text.name}"
        for folder in FOLDERS
        for text in (ROOT / folder).glob("*.md")
        if text.with_suffix(".ipynb").exists()
    ]
)
external_toc_path = "_toc.yml"
external_toc_exclude_missing = True

nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = nb_code_prompt_hide = "Code"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # the default loads them from another host

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The pages of the library: each name once, with its types as short as they can be said.
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_typehints_format = "short"
add_function_parentheses = False
add_module_names = False
python_display_short_literal_types = True
python_maximum_signature_line_length = 72
python_use_unqualified_type_names = True
toc_object_entries = False
autodoc_use_type_comments = False
default_role = "public"

# Formulas are MathML, which browsers draw by themselves, without a script, and read aloud.
html_math_renderer = "mathml"
myst_update_mathjax = False

# The project's repository. A fork, and the tests, name theirs.
source_address = os.environ.get("PROJECT_ADDRESS", ADDRESS)
# Where the site will be recommended: the sitemap, the page for lost readers and the picture of a
# shared link need it. It ends with a slash, since the name of a file is put behind it.
html_baseurl = addresses.base(os.environ.get("BOOK_ADDRESS", ""), source_address)

html_context = {
    "colab": addresses.colab(source_address, __version__),
    "edit": addresses.edit(source_address),
    "source": addresses.source(source_address, __version__),
    "base_address": html_baseurl,
    # Where `make lite` has put its site: a folder of this one, or an address.
    "lite": re.sub(r"(?<=[^/])/*$", "/", os.environ.get("LITE", ""), count=1),
}

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["_static"]
html_extra_path = ["_extra"]
templates_path = ["_templates"]
html_favicon = "_static/favicon.svg"
html_css_files = ["book.css", "search.css", "front/explorable.css", "front/card.css"]
html_js_files = [
    (script, {"defer": "defer"})
    for script in (
        "book.js",
        "front/card.js",
        "front/explorable.js",
        "progress.js",
        "explorables.js",
        "walks.js",
        "reading.js",
        "diagnosis.js",
        "code.js",
        "cells.js",
        "numbers.js",
        "exercises.js",
        "recall.js",
        "sections.js",
        "glossary.js",
        "home.js",
        "search.js",
    )
]
html_sidebars = {"**": ["navbar-logo.html", "sbt-sidebar-nav.html"]}
html_last_updated_fmt = None  # two builds of one source are the same
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "logo": {
        "image_light": "_static/logo-light.svg",
        "image_dark": "_static/logo-dark.svg",
        "text": project,
        "alt_text": "",  # the name stands beside it
    },
    "footer_content_items": ["extra-footer.html"],
    "extra_footer": "<p>Text CC BY 4.0, code MIT, data as licensed by their owners.</p>",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "navbar_persistent": [],  # the bar above the page has the search
    "article_header_start": ["toggle-primary-sidebar.html", "progress.html"],
    "toc_title": "On this page",
    "show_toc_level": 2,  # one that unfolds while its page scrolls moves all below it
    "back_to_top_button": False,
    "collapse_navbar": True,  # the pages of the library are listed beside themselves only
}


# To look for garbage among the trees of all pages takes a tenth of a build; to leave it there, 200
# megabytes.
gc.disable()

# One formatter for all blocks of code: each would read the colours of the whole style again.
PygmentsBridge.html_formatter = staticmethod(cache(code_lines.LineFormatter))


class _English(SearchEnglish):
    """English for the search, each word stemmed once: the pages share most of their words."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self.stem = cache(super().stem)


def _draw_formula(tex: str, where: Any, *, block: bool) -> str:
    try:
        return formulas.draw(tex, block=block)
    except MathError as problem:
        logging.getLogger(__name__).warning(f"{problem} in {tex}", location=where)
        return html.escape(tex)


def _write_formula(self: Any, node: Any) -> None:
    block = isinstance(node, nodes.math_block)
    self.body.append(_draw_formula(node.astext(), node, block=block))
    raise nodes.SkipNode


# As the output of a cell has them for a notebook, which draws them by itself.
_WRITTEN = re.compile(r'<(div|span) class="math">\\[\[(](.*?)\\[\])]</\1>')


def _place_explorables(app: Any, docname: str, source: list[str]) -> None:
    # A page of plain text names an explorable in a comment, which every other reader of the
    # file leaves out, and gets its picture and numbers as they stand at the start.
    for name, explorable in REGISTRY.items():
        if (comment := f"<!-- explorable: {name} -->") in source[0]:
            source[0] = source[0].replace(comment, explorable.static_html())


def _place_count(app: Any, docname: str, source: list[str]) -> None:
    # In the same way, what became of the numbers that the source documents print.
    if (comment := "<!-- ledger -->") in source[0]:
        source[0] = source[0].replace(comment, summarize_counts())


def _place_conformance(app: Any, docname: str, source: list[str]) -> None:
    # And which reading of a metric each library was seen to compute.
    if (comment := "<!-- conformance -->") in source[0]:
        source[0] = source[0].replace(comment, readings.table(ROOT / "dev" / "conformance"))


def _draw_ahead(app: Any) -> None:
    # All that the pages pick from without a kernel.
    drawn.write(Path(app.config.drawn_ahead), Path(app.outdir) / "_static", drawn.digest())


def _write_fronts(app: Any) -> None:
    # What draws explorables and cards in notebooks draws them in the pages.
    folder = Path(app.outdir) / "_static" / "front"
    folder.mkdir(parents=True, exist_ok=True)
    modules = {
        explorable_front.EXPLORABLE: explorable_front.STYLE,
        card_front.CARD: card_front.STYLE,
    }
    for module, style in modules.items():
        (folder / module.name).write_text(as_script(module), encoding="utf-8")
        (folder / style.name).write_text(read_style(style), encoding="utf-8")


def _finish_page(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    body = context["body"] = _WRITTEN.sub(
        lambda found: _draw_formula(html.unescape(found[2]), name, block=found[1] == "div"),
        context.get("body", ""),
    )
    if name in in_page.OF_ENGINES:
        context["lite"] = ""
    # The browser has an arrow of its own for what unfolds.
    body = body.replace(ARROW, "")
    # And a script that moves figures.
    body = body.replace(" Run this cell in Jupyter to interact with the figure.", "")
    # What folds code is named by the word on it.
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    body = context["body"] = in_page.mark(name, addresses.name_cards(inline_pictures(body)))
    first = re.search(r"<p>(.*?)</p>", body, re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]+>", "", first[1])) if first else project
    context["described"] = " ".join(words.split())
    machine_texts.remember(app, name, context.get("title", name), context["described"])
    terms = ROOT / "chapters" / "glossary.md"
    if body and terms.exists():
        context["body"] = body = glossary.explain_links(body, glossary.terms(terms))
    if name.startswith(f"{api.FOLDER}/"):
        context["body"] = api.break_names(api.plain_arguments(body))
        if name != api.INDEX:
            context["toc"] = api.names_on(name) or context["toc"]
    elif body and api.INDEX in app.env.found_docs:
        bare = not name.startswith("solutions/")
        context["body"] = api.link_names(body, context["pathto"], bare=bare)
    context["body"] = wide_tables.lay_out(context["body"])


def _name_toggles(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    # The theme shows a mere arrow, of which a screen reader has nothing to say.
    contents = context["generate_toctree_html"]

    def name_toggles(**options: Any) -> str:
        named = str(contents(**options)).replace("<summary>", '<summary aria-label="Pages below">')
        return front.mark_short_path(api.break_names(named), name)

    context["generate_toctree_html"] = name_toggles


def _lay_out_page(app: Any, pagename: str, *_: Any) -> None:
    # How a sheet of paper is laid out can be said for whole pages only, and the layout of the
    # front page must be known before its text.
    if pagename == "chapters/cheat_sheet":
        app.add_css_file("sheet.css")
    if pagename == app.config.root_doc:
        app.add_css_file("home.css")
    if pagename == "chapters/hand_in":
        # After the scripts of every page, which have 800.
        app.add_js_file("handed_answers.js", priority=890, loading_method="defer")
        app.add_js_file("hand_in.js", priority=900, loading_method="defer")


def drop_icon_fonts(app: Any, problem: Exception | None) -> None:
    """Take the icon fonts, 115 kB for a page, out of the theme's styles.

    `book.css` draws the icons that are used. Without this a browser loads a font for them now and
    then, if it lays out a page before that sheet has come.
    """
    if problem is None:
        for sheet in Path(app.outdir).glob("_static/styles/*.css"):
            styles = sheet.read_text(encoding="utf-8")
            without = re.sub(r"@font-face\{[^}]*Font Awesome[^}]*\}", "", styles)
            if without != styles:
                sheet.write_text(without, encoding="utf-8")


def setup(app: Any) -> None:
    """Connect what has no setting of its own."""
    # Where drawings are kept from one build to the next.
    app.add_config_value("drawn_ahead", str(BOOK / "_build" / "drawn"), "")
    # Pages hold drawings by the library: when it changes, all of them are read again.
    app.add_config_value("made_with", drawn.digest(), "env")
    app.connect("config-inited", api.list_pages, priority=901)  # the contents are read at 900
    app.connect("builder-inited", api.write_pages)
    app.connect("autodoc-process-docstring", api.write_docstring)
    app.connect("autodoc-process-signature", api.mend_signature)
    app.connect("object-description-transform", api.mend_property)
    app.connect("env-updated", api.forget_files)
    app.connect("missing-reference", api.resolve_type)
    app.add_search_language(_English)
    app.add_html_math_renderer("mathml", (_write_formula, None), (_write_formula, None))
    app.add_role("public", api.PublicName())
    app.add_transform(api.PlainQuotes)
    app.connect("builder-inited", _draw_ahead)
    app.connect("builder-inited", _write_fronts)
    app.connect("builder-inited", in_page.on_build)
    app.connect("source-read", in_page.place_cells)
    app.connect("source-read", _place_explorables)
    app.connect("source-read", _place_count)
    app.connect("source-read", _place_conformance)
    app.connect("source-read", architecture.place)
    app.connect("source-read", front.place)
    app.connect("builder-inited", front.on_build)
    app.connect("source-read", licences.place)
    app.connect("source-read", data_sets.place)
    app.connect("source-read", own_numbers.place)
    app.connect("builder-inited", licences.write)
    app.connect("build-finished", licences.check)
    app.connect("build-finished", drop_icon_fonts)
    app.connect("build-finished", addresses.on_finished)
    app.connect("build-finished", search_index.on_finished)
    app.connect("build-finished", embeds.on_finished)
    app.connect("builder-inited", machine_texts.on_build)
    app.connect("build-finished", machine_texts.on_finished)
    # The theme drops what is empty in its bars at 500.
    app.connect("html-page-context", page_facts.write, priority=400)
    app.connect("doctree-read", page_facts.arrange)
    app.connect("html-page-context", _finish_page)
    app.connect("html-page-context", _lay_out_page)
    app.connect("html-page-context", _name_toggles, priority=900)  # the theme's come at 500
