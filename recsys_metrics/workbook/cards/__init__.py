"""A card for each metric: its question, formula and symbols, its user model, and when to choose it.

Each fact has one place. The docstring of the function has the question, the formula and its
symbols. Its row in ``recsys_metrics/data/metrics.csv`` has the usual names and the texts of the
card, from which the cheat sheet is made as well. Names in other libraries come from
`recsys_metrics.peers`.
"""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from recsys_metrics.peers import LIBRARIES, read_metric_catalog
from recsys_metrics.peers._data import read_rows
from recsys_metrics.ranking import Judged
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.disclosure import ARROW

_MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "protocol": ("protocol.significance", "protocol.candidates", "protocol.online"),
        "bias": ("bias.off_policy", "bias.fairness"),
    }
)
_FORMULA = re.compile(r"^\.\. math::((?:.*\n)(?:[ ]+\S.*\n)*)", re.MULTILINE)
_SYMBOLS = re.compile(r"^where (:math:`(?:.+\n)+)", re.MULTILINE)
_ROLE = re.compile(r":math:`([^`]+)`")


def card_functions(subject: str) -> dict[str, Any]:
    """Return what the calls of a subject's cards can name."""
    known: dict[str, Any] = {}
    for module in _MODULES.get(subject, (subject,)):
        known |= vars(import_module(f"recsys_metrics.{module}"))
    return known


@dataclass(frozen=True)
class Card:
    """What to know about a metric before relying on it.

    Attributes
    ----------
    subject, title : str
        One of the six subjects, and the metric's usual short name.
    words : str
        The formula in words.
    range : str
        The lowest and the highest value.
    state : str
        The conventions to state with a value, because libraries differ in them.
    call : str
        How to compute it, on the example of the cheat sheet.
    user_model : str
        The user behaviour that the metric assumes.
    misleads_when, choose_when : str
        When its value misleads, and when to choose it.
    """

    subject: str
    title: str
    words: str
    range: str
    state: str
    call: str
    user_model: str
    misleads_when: str
    choose_when: str

    @property
    def key(self) -> str:
        """The name of the function."""
        return self.call.partition("(")[0]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function that computes it."""
        function: Callable[..., Any] = card_functions(self.subject)[self.key]
        return function

    @property
    def question(self) -> str:
        """The question that it answers: the first sentence of its function's help."""
        return " ".join(_help(self.function).partition("\n\n")[0].split())

    @property
    def formula(self) -> str:
        """The formula in its function's help, in TeX; empty where words say it better."""
        written = _FORMULA.search(_help(self.function) + "\n")
        return " ".join(written[1].split()) if written else ""

    @property
    def symbols(self) -> list[tuple[str, str]]:
        """The symbols of the formula and what each means, from the sentence below the formula."""
        written = _SYMBOLS.search(_help(self.function) + "\n") if self.formula else None
        if written is None:
            return []
        sentence = _ROLE.sub(r"$\1$", " ".join(written[1].split()).removesuffix("."))
        parts = (part.split("$ is ", 1) for part in sentence.split("; $"))
        return [(symbol.removeprefix("$"), meaning) for symbol, meaning in parts]

    @property
    def elsewhere(self) -> str:
        """The names of the same values in other libraries, or else which of them have it."""
        plain = re.compile(rf"{re.escape(self._path)}\([^()=]*\)")
        by_name: dict[str, list[str]] = {}
        for library in LIBRARIES.values():
            for name, measure in library.measures.items():
                if measure.text == self.key or plain.fullmatch(measure.call):
                    by_name.setdefault(name, []).append(library.title)
        if not by_name:
            ours = self._path.removeprefix("recsys_metrics.")
            known = [entry for entry in read_metric_catalog() if ours in entry.ours]
            return _titles(title for entry in known for title in entry.libraries)
        return ", ".join(f"`{name}` ({_titles(titles)})" for name, titles in by_name.items())

    @property
    def conventions(self) -> str:
        """What other libraries compute under such a name that is not the same."""
        by_text: dict[str, list[str]] = {}
        for library in LIBRARIES.values():
            for measure in library.measures.values():
                if measure.metric == self.key != measure.text:
                    asked = measure.text.removeprefix(f"{self.key}(").removesuffix(")")
                    by_text.setdefault(asked, []).append(library.title)
        return "; ".join(f"`{text}` in {_titles(titles)}" for text, titles in by_text.items())

    @property
    def _path(self) -> str:
        modules = self.function.__module__.split(".")
        public = [part for part in modules if not part.startswith("_") and part != "ranking"]
        return ".".join([*public, self.key])

    @property
    def picture(self) -> str:
        """A list of five with the value for a single hit at each rank; not of every metric."""
        if "(judged, k=5" not in self.call:
            return ""
        alone = Judged.from_gains(np.eye(5))
        worth = eval(self.call, {**card_functions(self.subject), "judged": alone})
        says = ", ".join(f"{value:.2f}" for value in worth)
        return ranked_list(
            "MNOPQ",
            dict.fromkeys("OQT", 1),
            bars=worth.tolist(),
            below="value for a single hit at each rank",
            alt=f"A list with hits at ranks 3 and 5. The value for a single hit, by rank: {says}.",
        )._repr_html_()

    def _repr_html_(self) -> str:
        asks = html.escape(self.question)
        parts = [
            f'<summary style="cursor:pointer">{ARROW}'
            f"<strong>{html.escape(self.title)}</strong> {asks}</summary>"
        ]
        if self.formula:
            parts.append(f'<div class="math">\\[{html.escape(self.formula)}\\]</div>')
        if self.symbols:
            words = (f"${symbol}$ is {meaning}" for symbol, meaning in self.symbols)
            parts.append(f"<p>{_render_text('; '.join(words))}.</p>")
        rows = {
            "In words": self.words,
            "Range": self.range.replace("–", ""),
            "In code": f"`{self.call}`",
            "User model": self.user_model,
            "Misleads when": self.misleads_when,
            "Choose it when": self.choose_when,
            "State with it": self.state,
            "Other libraries": self.elsewhere,
            "Different conventions": self.conventions,
        }
        cell = "text-align:left;vertical-align:top"
        body = "".join(
            f'<tr><th scope="row" style="{cell};white-space:nowrap">{head}</th>'
            f'<td style="{cell}">{_render_text(text)}</td></tr>'
            for head, text in rows.items()
            if text
        )
        parts += [self.picture, f"<table><tbody>{body}</tbody></table>"]
        return f'<details class="metric-card">{"".join(parts)}</details>'

    def __repr__(self) -> str:
        return f"{self.title}: {self.question} {self.words}, {self.range}"


class Symbol(NamedTuple):
    """A symbol of the formulas, what it means, and the subjects in which it means that."""

    symbol: str
    meaning: str
    subjects: tuple[str, ...]


def _render_text(text: str) -> str:
    """Return words as HTML: `code`, and formulas between dollars as every notebook draws them."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\$([^$]+)\$", r'<span class="math">\\(\1\\)</span>', text)


def _titles(titles: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(titles))


def _help(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function)
    if text is None:
        raise LookupError(
            f"{function.__name__} has no docstring, which contains its question and formula; start "
            "Python without -OO"
        )
    return text


def _subject(path: str) -> str:
    """Return the subject of a function by its path; the names of ranking stand without it."""
    return path.partition(".")[0] if "." in path else "ranking"


_TEXTS = tuple(field.name for field in fields(Card) if field.name != "subject")


def _cards() -> Iterator[Card]:
    for row in read_rows("metrics"):
        if row["call"]:
            function = row["call"].partition("(")[0]
            path = next(path for path in row["functions"].split() if path.endswith(function))
            yield Card(_subject(path), **{text: row[text] for text in _TEXTS})


CARDS: Mapping[str, Card] = MappingProxyType({card.key: card for card in _cards()})
"""The card of each metric, by the name of its function."""


class SymbolTable(tuple[Symbol, ...]):
    """The symbols of the formulas as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        cell = "text-align:left"
        heads = ("Symbol", "Meaning", "Used in")
        head = "".join(f'<th scope="col" style="{cell}">{text}</th>' for text in heads)
        body = ""
        for row in self:
            subjects = ", ".join(row.subjects).replace("_", " ")
            body += (
                f'<tr><th scope="row" style="{cell}">{_render_text(f"${row.symbol}$")}</th>'
                f'<td style="{cell}">{_render_text(row.meaning)}</td>'
                f'<td style="{cell}">{subjects}</td></tr>'
            )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        # Side by side where there is room, as on paper.
        style = (
            "<style>.symbols{columns:24em 2}@media print{.symbols{columns:3}"
            ".symbols table{font-size:6.5pt!important;line-height:1.2}}</style>"
        )
        return f'{style}<div class="symbols">{table}</div>'

    def __repr__(self) -> str:
        return "\n".join(f"{row.symbol}: {row.meaning}" for row in self)


def symbol_table() -> SymbolTable:
    """Return the symbols of all formulas, each with its meaning and the subjects that use it.

    Returns
    -------
    SymbolTable
        In the order in which the formulas use them. A symbol with two meanings has two rows.

    Examples
    --------
    >>> from recsys_metrics.workbook.cards import symbol_table
    >>> next(row.meaning for row in symbol_table() if row.symbol == "K")
    'the cut-off, the number of ranks that count'
    """
    subjects: dict[tuple[str, str], dict[str, None]] = {}
    for each in CARDS.values():
        for explained in each.symbols:
            subjects.setdefault(explained, {})[each.subject] = None
    return SymbolTable(Symbol(*explained, tuple(used)) for explained, used in subjects.items())


def card(metric: str) -> Card:
    r"""Return the card of a metric.

    Parameters
    ----------
    metric : str
        The name of its function.

    Returns
    -------
    Card
        It shows itself, folded, in a notebook and in the book.

    Raises
    ------
    KeyError
        If no metric has this name.

    Examples
    --------
    >>> from recsys_metrics.workbook.cards import card
    >>> card("precision")
    precision: Of the items recommended, what fraction is relevant? hits / K, 0 to 1
    >>> print(card("precision").formula)
    \mathrm{P@}K = \frac{|R \cap L_{\le K}|}{K}
    """
    if metric not in CARDS:
        near = get_close_matches(metric, CARDS, n=3, cutoff=0.4) or ["ndcg", "recall"]
        raise KeyError(f"there is no card of {metric!r}; there is one of {', '.join(near)}")
    return CARDS[metric]
