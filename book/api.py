"""The pages of the library: what is public, from each package's own list, in its own docstrings.

A public name is one that stands in `__all__` of `recsys_metrics` or of a public module below it.
A page is written for each module and for each function before the texts are read; autodoc fills
in the classes. In the other pages a mention or a call of a public name leads to its entry.
"""

from __future__ import annotations

import ast
import html
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import function_pages
from docutils import nodes
from jinja2 import FileSystemLoader, Template
from jinja2.sandbox import SandboxedEnvironment
from named_types import OF_VALUES, named_types, parameters, short_types
from numpydoc import docscrape, docscrape_sphinx
from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxSmartQuotes, SphinxTransform
from sphinx.util.docutils import SphinxRole
from sphinx_external_toc.api import Document, FileItem, SiteMap, TocTree

import recsys_metrics

FOLDER = "api"
INDEX = f"{FOLDER}/index"
_TOP = recsys_metrics.__name__

# What is public


@dataclass(frozen=True)
class Entry:
    """A public name, in the module that documents it.

    Attributes
    ----------
    module, name : str
        The deepest public module that lists the name, and the name.
    thing : object
        What it names.
    """

    module: str
    name: str
    thing: Any

    @property
    def full(self) -> str:
        """The name after its module's; the anchor of its entry too."""
        return f"{self.module}.{self.name}"

    @property
    def has_page(self) -> bool:
        """Whether it is a function, which has a page of its own."""
        return inspect.isroutine(self.thing)


@cache
def modules() -> Mapping[str, ModuleType]:
    """Return the public modules by their full names, a package before what it holds.

    >>> [name for name in modules() if "protocol" in name][:2]
    ['recsys_metrics.protocol', 'recsys_metrics.protocol.candidates']
    """

    def below(module: ModuleType) -> Iterator[tuple[str, ModuleType]]:
        yield module.__name__, module
        for name in module.__all__:
            if inspect.ismodule(child := getattr(module, name)):
                yield from below(child)

    return dict(below(recsys_metrics))


@cache
def entries() -> Mapping[str, Entry]:
    """Return every public name by each full name that it can be imported by.

    >>> entries()["recsys_metrics.ndcg"].full
    'recsys_metrics.ranking.ndcg'
    """
    homes: dict[tuple[str, int], Entry] = {}
    by_name: dict[str, Entry] = {}
    for module in sorted(modules(), key=lambda name: -name.count(".")):
        for name in modules()[module].__all__:
            thing = getattr(modules()[module], name)
            if not inspect.ismodule(thing):
                entry = Entry(module, name, thing)
                by_name[entry.full] = homes.setdefault((name, id(thing)), entry)
    return by_name


def of_module(module: str) -> list[Entry]:
    """Return the names that a module documents, in the order of its list."""
    listed = (entries().get(f"{module}.{name}") for name in modules()[module].__all__)
    return [entry for entry in listed if entry is not None and entry.module == module]


def members(thing: type) -> list[str]:
    """Return the documented methods and properties of a class, those of our bases included."""
    kinds = (property, classmethod, staticmethod)
    names = {
        name: None
        for owner in thing.__mro__
        if owner.__module__.startswith(_TOP)
        for name, member in vars(owner).items()
        if not name.startswith("_")
        and (isinstance(member, kinds) or callable(member) or hasattr(member, "attrname"))
        and inspect.getdoc(member)
    }
    return list(names)


@cache
def _by_short_name() -> Mapping[str, str]:
    """Return the full name for each short one that means one thing only."""
    full: dict[str, set[str]] = {}
    for entry in entries().values():
        full.setdefault(entry.name, set()).add(entry.full)
    for module in modules():
        full.setdefault(module.rpartition(".")[2], set()).add(module)
    return {short: min(names) for short, names in full.items() if len(names) == 1}


def find(text: str, module: str = _TOP) -> str | None:
    """Return the full name under which the pages have what a text names, if it names one.

    Parameters
    ----------
    text : str
        A name with or without modules before it, or a public member of a class.
    module : str
        Where the text stands: the names there are meant first.

    >>> find("dcg"), find("significance.adjust"), find("ranking.gain.dcg")
    ('recsys_metrics.ranking.dcg', 'recsys_metrics.protocol.significance.adjust', None)
    >>> find("Judged.from_gains")
    'recsys_metrics.ranking.Judged.from_gains'
    >>> find("evaluate"), find("evaluate", "recsys_metrics.frames")
    ('recsys_metrics.evaluate', 'recsys_metrics.frames.evaluate')
    """
    for full in (f"{module}.{text}", f"{_TOP}.{text}", text):
        if full in entries():
            return entries()[full].full
        if full in modules():
            return full
    owner, dot, name = text.rpartition(".")
    if not dot:
        return _by_short_name().get(text)
    home = find(owner, module)
    if home in modules():
        entry = entries().get(f"{home}.{name}")
        return entry and entry.full
    known = home in entries() and inspect.isclass(thing := entries()[home].thing)
    return f"{home}.{name}" if known and name in members(thing) else None


def page_of(full: str) -> str:
    """Return the page that has an entry, without its suffix.

    >>> page_of("recsys_metrics.protocol.online.ab_test"), page_of("recsys_metrics")
    ('api/protocol.online.ab_test', 'api/recsys_metrics')
    >>> page_of("recsys_metrics.ranking.Judged.from_gains")
    'api/ranking'
    """
    while full not in modules() and not (full in entries() and entries()[full].has_page):
        full = full.rpartition(".")[0]
    return f"{FOLDER}/{full.removeprefix(f'{_TOP}.')}"


def address_of(full: str, pathto: Callable[[str], str]) -> str:
    """Return the address of an entry; that of a function is the beginning of its page."""
    page = pathto(page_of(full))
    if full in entries() and entries()[full].has_page:
        return page
    return f"{page}#module-{full}" if full in modules() else f"{page}#{full}"


def _told(entry: Entry) -> list[str]:
    """Return the lines written below a value, whose type's docstring is about something else."""
    package = entry.module
    for name in sorted(sys.modules):
        if name == package or name.startswith(f"{package}."):
            told = ModuleAnalyzer.for_module(name).find_attr_docs().get(("", entry.name))
            if told and getattr(sys.modules[name], entry.name, None) is entry.thing:
                return told
    raise ValueError(
        f"{entry.full} is public and has no docstring: write one below the line that defines it"
    )


def doc_of(entry: Entry) -> str:
    """Return what the library says of a name."""
    if inspect.isclass(entry.thing) or inspect.isroutine(entry.thing):
        return inspect.getdoc(entry.thing) or ""
    return "\n".join(_told(entry)).strip()


# What the docstring of every public module says, in one of these sentences.
STABLE = "Stable: names and meanings stay from now on, and the changelog announces any change."
MAY_CHANGE = "May change: names and meanings are not settled."


def promise(module: str) -> str:
    """Return the paragraph of a module's docstring that says what is promised of it.

    >>> promise("recsys_metrics.rating") == STABLE
    True
    """
    paragraphs = re.split(r"\n\s*\n", inspect.getdoc(modules()[module]) or "")
    texts = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return next((text for text in texts if text.startswith((STABLE, MAY_CHANGE))), "")


# The pages


def in_order(chapters: list[str]) -> list[str]:
    """Return the public modules: all of it, the subjects in the order of the chapters, the rest.

    Parameters
    ----------
    chapters : list of str
        Pages of the book; `chapters/02_ranking` is about the module `ranking`.
    """
    subjects = [re.sub(r"^.*/\d+_", "", page) for page in chapters]

    def place(module: str) -> tuple[int, int]:
        subject = module.removeprefix(_TOP).removeprefix(".").partition(".")[0]
        known = subjects.index(subject) if subject in subjects else len(subjects)
        return (known if subject else -1), list(modules()).index(module)

    return sorted(modules(), key=place)


def _in_order_of(site: SiteMap) -> list[str]:
    return in_order([page for tree in site.root.subtrees for page in tree.files()])


def _heading(text: str, sign: str) -> str:
    return f"{text}\n{sign * len(text)}\n\n"


def _directive(entry: Entry) -> str:
    if inspect.isclass(entry.thing):
        kind = "exception" if issubclass(entry.thing, BaseException) else "class"
        listed = ", ".join(members(entry.thing))
        options = f"   :members: {listed}\n" if listed else ""
    else:
        kind, options = "data", "   :no-value:\n"
    # The book has no index, and the search knows the names.
    return f".. auto{kind}:: {entry.full}\n   :no-index-entry:\n{options}\n"


def module_page(module: str) -> str:
    """Return the page of a module: what it is about, its functions, then each class and value."""
    title = _heading(module.removeprefix(f"{_TOP}."), "=")
    functions = _questions([entry for entry in of_module(module) if entry.has_page])
    others = "".join(_directive(entry) for entry in of_module(module) if not entry.has_page)
    begin = f"{title}.. automodule:: {module}\n\n.. currentmodule:: {module}\n\n"
    return begin + functions + others + function_pages.types_list(types_on(page_of(module)))


def _questions(listed: list[Entry]) -> str:
    rows = "".join(
        f"   * - :py:obj:`{entry.name}`\n     - {question(entry.full)}\n" for entry in listed
    )
    return f".. list-table::\n   :class: names\n\n{rows}\n" if rows else ""


def function_page(entry: Entry, uses: Mapping[str, list[tuple[str, str]]], source: str) -> str:
    """Return the page of a function.

    Parameters
    ----------
    entry : Entry
    uses : dict
        Title and name of the pages of the book that call a function, by its full name.
    source : str
        What a file of the source is put behind to see it; empty where it has no address.
    """
    return function_pages.page(
        entry,
        find=find_function,
        template=_sections(),
        uses=uses.get(entry.full, []),
        source=source,
    )


@cache
def functions() -> Mapping[str, Entry]:
    """Return each function by its page."""
    return {page_of(one.full): one for one in entries().values() if one.has_page}


@cache
def types_on(page: str) -> Mapping[str, str]:
    """Return what each name of a type in a page's signatures stands for.

    Raises
    ------
    ValueError
        If two methods on the page call different types by one name.

    >>> types_on("api/evaluation")["Uncertainty"]
    '"interval" | "standard error" | "none"'
    """
    if page in functions():
        return named_types(functions()[page].thing)
    found: dict[str, str] = {}
    for entry in (one for name in modules() if page_of(name) == page for one in of_module(name)):
        for name in members(entry.thing) if inspect.isclass(entry.thing) else ():
            method = getattr(entry.thing, name)
            is_called = inspect.isfunction(method) or inspect.ismethod(method)
            for type_, says in (named_types(method) if is_called else {}).items():
                if found.setdefault(type_, says) != says:
                    raise ValueError(f"{page} has two types {type_}: rename the one of {name}")
    return found


def find_function(text: str, module: str) -> Any:
    """Return the function that a text names, if it names one."""
    full = find(text, module)
    return entries()[full].thing if full in entries() and entries()[full].has_page else None


def called_in(text: str) -> list[str]:
    r"""Return the full names of the functions that the cells of a text call, each once.

    >>> called_in("```{code-cell}\nimport recsys_metrics as rm\nrm.ndcg(a)\n```")
    ['recsys_metrics.ranking.ndcg']
    """
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names = imported(cells)
    found: dict[str, None] = {}
    for chain in re.findall(r"(?<![\w.])([A-Za-z_][\w.]*)\(", "\n".join(cells)):
        first, dot, rest = chain.partition(".")
        full = find(f"{names[first]}{dot}{rest}") if first in names else None
        if full in entries() and entries()[full].has_page:
            found[full] = None
    return list(found)


def uses_in(root: Path, pages: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Return which pages call each function, in their order: the title and the name of each."""
    uses: dict[str, list[tuple[str, str]]] = {}
    for page in pages:
        path = root / f"{page}.md"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        for full in called_in(text):
            uses.setdefault(full, []).append((title[1] if title else page, page))
    return uses


def index_page(ordered: list[str]) -> str:
    """Return the page that names everything, a line each."""
    text = _heading("API", "=") + (
        "Every public name of the library, with the question it answers.\n\n"
        f"{promise(_TOP)} So it is with each module below that says nothing else.\n\n"
    )
    for module in ordered:
        first, *_ = (inspect.getdoc(modules()[module]) or "").splitlines()
        short = module.removeprefix(f"{_TOP}.")
        text += _heading(f":doc:`{short} </{page_of(module)}>`", "-")
        besides = "" if module == _TOP else promise(module).removeprefix(STABLE).strip()
        text += f".. currentmodule:: {module}\n\n{first}\n\n{besides}\n\n"
        text += _questions(of_module(module))
    return text


def names_on(page: str) -> str | None:
    """Return the contents of a module's page: its classes, as Sphinx lists headings.

    Sphinx could list them itself, in the contents of the whole book, which it copies for every
    page: that takes a fifth of the time of a build.
    """
    module = next((name for name in modules() if page_of(name) == page), None)
    if module is None:
        return None
    items = "".join(
        f'<li><a class="reference internal" href="#{entry.full}"><code>'
        f"{entry.name.replace('_', '_<wbr>')}</code></a></li>"
        for entry in of_module(module)
        if not entry.has_page
    )
    below = f"<ul>{items}</ul>" if items else ""
    return f'<ul><li><a class="reference internal" href="#">{module}</a>{below}</li></ul>'


def list_pages(app: Any, config: Any) -> None:
    """Put the modules below the page of the library in the table of contents, if that has one."""
    site = config.external_site_map
    if INDEX not in site:
        return
    (tree,) = site[INDEX].subtrees
    tree.items = [FileItem(page_of(module)) for module in _in_order_of(site)]
    for module in _in_order_of(site):
        below = [FileItem(page_of(one.full)) for one in of_module(module) if one.has_page]
        site[page_of(module)] = Document(page_of(module), [TocTree(below)] if below else [])
        for item in below:
            site[item] = Document(item)


def write_pages(app: Any) -> None:
    """Write the pages that are listed, and remove those of names that are gone."""
    site = app.config.external_site_map
    if INDEX not in site:
        return
    ordered = _in_order_of(site)
    uses = uses_in(
        Path(app.srcdir), [page for tree in site.root.subtrees for page in _below(site, tree)]
    )
    source = app.config.html_context["source"]
    pages = {page_of(module): module_page(module) for module in ordered}
    pages |= {page: function_page(one, uses, source) for page, one in functions().items()}
    pages[INDEX] = index_page(ordered)
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if f"{FOLDER}/{old.stem}" not in pages:
            old.unlink()
    for page, text in pages.items():
        path = Path(app.srcdir) / f"{page}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _below(site: SiteMap, tree: TocTree) -> Iterator[str]:
    for page in tree.files():
        yield page
        for subtree in site[page].subtrees if page in site else []:
            yield from _below(site, subtree)


# What autodoc reads

_RULE = r"=+(?: +=+)+"
_FILES = re.compile(rf"^{_RULE}\nfile .*\n{_RULE}\n(?:.*\n)*?{_RULE}\n*", re.MULTILINE)


@cache
def _sections() -> Template:
    """Return the order in which numpydoc writes the sections of a docstring.

    As an extension of Sphinx it compiles this anew for each docstring, twice, which takes longer
    than all else that it does.
    """
    folder = Path(docscrape_sphinx.__file__).parent / "templates"
    environment = SandboxedEnvironment(loader=FileSystemLoader(folder))
    return environment.get_template("numpydoc_docstring.rst")


def write_docstring(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Write a docstring for Sphinx: its sections in the order of numpydoc.

    Left out is which file of a package holds what: that is for readers of the source.
    """
    text = "\n".join(lines)
    if what == "module":
        text = _FILES.sub("", f"{text}\n")
    elif what == "data" and name in entries():
        text = doc_of(entries()[name])
    else:
        text = str(
            docscrape.get_doc_object(
                thing,
                what,
                text,
                config={"template": _sections(), "show_class_members": False},
                class_doc=docscrape_sphinx.SphinxClassDoc,
                func_doc=docscrape_sphinx.SphinxFunctionDoc,
                obj_doc=docscrape_sphinx.SphinxObjDoc,
            )
        )
    lines[:] = text.split("\n")


def mend_signature(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str
) -> tuple[str, str] | None:
    """Shorten the types; leave out what nobody calls, and a type that says nothing."""
    if signature is None:
        return None
    if getattr(thing, "__module__", "").startswith(_TOP):
        # Overloads are for type checkers: a reader gets the one signature that holds them all.
        analyzer = ModuleAnalyzer.for_module(thing.__module__)
        analyzer.analyze()
        analyzer.overloads.clear()
    if what in {"class", "exception"} and "\nParameters\n" not in (inspect.getdoc(thing) or ""):
        return "", ""
    if what == "method":
        signature = f"({parameters(thing)})"
    says_nothing = returns in {None, "", "Any", "~typing.Any"} or OF_VALUES.search(f"[{returns}]")
    return short_types(signature), "" if says_nothing else short_types(returns)


def _shown(node: nodes.Node) -> str:
    """Return what a type shows once its links are resolved; until then it holds both names."""
    if isinstance(node, addnodes.pending_xref_condition) and node["condition"] != "resolved":
        return ""
    return "".join(map(_shown, node.children)) if node.children else node.astext()


def mend_property(app: Any, domain: str, kind: str, content: nodes.Element) -> None:
    """Shorten the type of a property in the same way; autodoc asks nobody about it."""
    if kind != "property":
        return
    for type_ in list(content.parent.findall(addnodes.desc_annotation)):
        text = _shown(type_)
        if text == ": Any":
            type_.parent.remove(type_)
        elif text != (short := short_types(text)):
            type_[:] = [nodes.Text(short)]


def forget_files(app: Any, env: Any) -> None:
    """Have no name lead to the file that defines it: that file is private."""
    objects = env.domains.python_domain.objects
    for name in [name for name, known in objects.items() if known.aliased]:
        del objects[name]


class PlainQuotes(SphinxTransform):
    """Leave the quotes of these pages as they are: a word in them is an argument."""

    default_priority = SphinxSmartQuotes.default_priority - 1

    def apply(self, **kwargs: Any) -> None:
        """Say so where the transform asks first."""
        if self.env.docname.startswith(f"{FOLDER}/"):
            self.document.settings.smart_quotes = False


class PublicName(SphinxRole):
    """Words in single backticks: code, and a link where they name something public."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the words as code."""
        code = nodes.literal(self.rawtext, self.text)
        module = self.env.ref_context.get("py:module") or _TOP
        full = find(self.text, module)
        if full is None and (owner := self.env.ref_context.get("py:class")):
            full = find(f"{owner}.{self.text}", module)
        if full is None:
            return [code], []
        link = addnodes.pending_xref(
            self.rawtext, code, refdomain="py", reftype="obj", reftarget=full, refwarn=True
        )
        return [link], []


def resolve_type(app: Any, env: Any, node: Any, contents: Any) -> nodes.reference | None:
    """Lead from a type in a signature, which names the file that defines it, to its entry."""
    if node.get("refdomain") != "py":
        return None
    full = find(node["reftarget"].rpartition(".")[2], node.get("py:module") or _TOP)
    if full is None or full in modules():
        name = node["reftarget"].rpartition(".")[2]
        if full is None and name in types_on(node["refdoc"]):
            return nodes.reference("", "", contents, internal=True, refuri=f"#type-{name}")
        return None
    domain = env.domains.python_domain
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", full, node, contents)


_WORD = re.compile(r'<span class="pre">([^<]*)</span>')
_ARGUMENTS = re.compile(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>")
# To a function on the page that is its own.
_OWN_PLACE = re.compile(r'(href="[\w./]*?([\w.]+)\.html)#recsys_metrics\.\2"')


_NAME = re.compile(r"(?<=>)[a-z0-9.]+(?:_[a-z0-9.]+)+(?=</a>|<a class=\"headerlink\")")


def break_names(contents: str) -> str:
    """Return links and headings in which a long name may end a line after an underscore.

    >>> break_names('<a href="ranking.hit_rate.html">hit_rate</a>')
    '<a href="ranking.hit_rate.html">hit_<wbr>rate</a>'
    >>> break_names('<h1>hit_rate<a class="headerlink" href="#hit-rate">#</a></h1>')
    '<h1>hit_<wbr>rate<a class="headerlink" href="#hit-rate">#</a></h1>'
    """
    return _NAME.sub(lambda name: name[0].replace("_", "_<wbr>"), contents)


def plain_arguments(body: str) -> str:
    r"""Return a page whose signatures hold no lists of descriptions that describe no term.

    Nor does it mark each word that no line may break, a tenth of its weight: our style sheet says
    where lines break.

    A link to a function leads to the beginning of its page, where the question is.

    >>> plain_arguments("<dl>\n<dd>k,</dd>\n</dl>")
    '<span class="sig-lines">\n<span class="sig-line">k,</span>\n</span>'
    """
    return _ARGUMENTS.sub(
        lambda found: (
            '<span class="sig-lines">\n'
            + found[1].replace("<dd>", '<span class="sig-line">').replace("</dd>", "</span>")
            + "</span>"
        ),
        _OWN_PLACE.sub(r'\1"', _WORD.sub(r"\1", body)),
    )


# Links from the other pages

_CELL = re.compile(r'(?<=<div class="cell_input docutils container">).*?</pre>', re.DOTALL)
_DOT = '<span class="o">.</span>'
_PART = r'<span class="n">\w+(?:<wbr>)?</span>'
_CHAIN = re.compile(
    rf'(?<!{re.escape(_DOT)}){_PART}(?:{re.escape(_DOT)}{_PART})*(?P<call><span class="p">\()?'
)
# In the text, and in a table that a cell shows.
_CODE = re.compile(
    r'(?P<linked><a [^>]*>)?(?P<tag><code class="docutils literal notranslate">)'
    r'(?P<words>(?:<span class="pre">[^<]*</span>\s*)+)</code>'
    r'|(?P<style><code style="[^"]*">)(?P<name>(?:[\w.]|<wbr>)+)(?=\(|</code>)'
)


_ENTRY = re.compile(r"(<li>.*?</li>)", re.DOTALL)


def _plain(marked: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", marked))


def imported(cells: list[str]) -> dict[str, str]:
    r"""Return what the imports of a page's cells bring, from the name there to the full one.

    >>> imported(["import numpy as np\nimport recsys_metrics as rm", "from math import pi"])
    {'rm': 'recsys_metrics'}
    """
    names: dict[str, str] = {}
    for cell in cells:
        try:
            tree = ast.parse("\n".join(re.sub(r"^[%!].*", "", line) for line in cell.split("\n")))
        except SyntaxError:  # a cell that shows an error
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                here = {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
                names |= here
    return {name: full for name, full in names.items() if full.split(".")[0] == _TOP}


@cache
def question(full: str) -> str:
    """Return the first sentence on what stands under a full name.

    >>> question("recsys_metrics.ranking.dcg")
    'How much gain does the list contain, with a discount for lower ranks?'
    """
    if full in modules():
        text = inspect.getdoc(modules()[full])
    elif full in entries():
        text = doc_of(entries()[full])
    else:
        owner, _, member = full.rpartition(".")
        text = inspect.getdoc(inspect.getattr_static(entries()[owner].thing, member))
    paragraph = " ".join((text or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.?])\s", paragraph)[0]


def link_names(body: str, pathto: Callable[[str], str], *, bare: bool) -> str:
    """Return a page's HTML in which the first mention of a public name leads to its entry.

    The first in the text and in tables, and the first in the code of cells.

    Parameters
    ----------
    body : str
    pathto : callable
        Gives the address of a page, from this one.
    bare : bool
        Whether a word without a module names something that the page does not import; in
        solutions such a word is an answer, and what a list holds are options.
    """
    cells = [_plain(cell) for cell in _CELL.findall(body)]
    names = imported(cells)
    linked: set[str] = set()

    def meant(text: str) -> str | None:
        first, dot, rest = text.partition(".")
        if first in names:
            return find(f"{names[first]}{dot}{rest}")
        return find(text) if bare or dot else None

    def link(full: str, shown: str, classes: str = "") -> str:
        linked.add(full)
        says = html.escape(question(full), quote=True)
        # Whoever clicks on the library looks for one of its names.
        address = pathto(INDEX) if full == _TOP else address_of(full, pathto)
        return f'<a class="reference internal{classes}" href="{address}" title="{says}">{shown}</a>'

    def of_text(found: re.Match[str]) -> str:
        shown = found["words"] or found["name"]
        full = meant(_plain(shown).partition("(")[0].strip())
        if found["linked"] or full is None or full in linked:
            return found[0]
        if found["tag"]:
            return link(full, found[0])
        return found["style"] + link(full, shown)

    pieces = [body] if bare else _ENTRY.split(body)
    pieces[::2] = [_CODE.sub(of_text, piece) for piece in pieces[::2]]
    body = "".join(pieces)
    linked.clear()

    def of_call(found: re.Match[str]) -> str:
        chain = found[0].removesuffix(found["call"] or "")
        parts = _plain(chain).split(".")
        if parts[0] not in names or (len(parts) == 1 and not found["call"]):
            return found[0]
        # What a call returns has attributes of its own.
        for end in range(len(parts), 0, -1):
            full = meant(".".join(parts[:end]))
            if full is not None:
                break
        else:
            return found[0]
        if full in modules() or full in linked:
            return found[0]
        shown = _DOT.join(chain.split(_DOT)[:end])
        return link(full, shown, " api-call") + found[0].removeprefix(shown)

    return _CELL.sub(lambda cell: _CHAIN.sub(of_call, cell[0]), body)
