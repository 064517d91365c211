"""A card per metric: what it asks, its formula, whom it imagines, when it lies, when to take it.

Each fact has one place. Question and formula are those of the function's docstring, its names in
other libraries those of `recsys_metrics.peers`, its letters those of ``letters.csv``; the rest
stands in ``cards.csv``, which also makes the cheat sheet.
"""

from __future__ import annotations

import csv
import html
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from recsys_metrics.peers import LIBRARIES, field
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
_LETTER = re.compile(r"(?:\\(?:hat|bar|tilde) )?(?:\\[a-zA-Z]+|[A-Za-z])(?:\^\*)?")
_WORD = re.compile(r"\\(?:mathrm|operatorname|text)\{[^}]*\}")


def functions(subject: str) -> dict[str, Any]:
    """Return what the calls of a subject's cards can name."""
    known: dict[str, Any] = {}
    for module in _MODULES.get(subject, (subject,)):
        known |= vars(import_module(f"recsys_metrics.{module}"))
    return known


@dataclass(frozen=True)
class Card:
    """What there is to know about a metric before it is believed.

    Attributes
    ----------
    subject, name : str
        One of the six, and what the field calls the metric.
    words : str
        Its formula in words.
    range : str
        From where to where it goes.
    say : str
        What to say with a value, because people choose differently.
    call : str
        How to compute it, on the example of the cheat sheet.
    reader : str
        The user that it imagines: who stops where.
    lies, take : str
        When its value misleads, and when to choose it.
    """

    subject: str
    name: str
    words: str
    range: str
    say: str
    call: str
    reader: str
    lies: str
    take: str

    @property
    def key(self) -> str:
        """The name of the function."""
        return self.call.partition("(")[0]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function that computes it."""
        function: Callable[..., Any] = functions(self.subject)[self.key]
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
    def letters(self) -> list[tuple[str, str]]:
        """The letters of the formula as they are shown, and what each stands for."""
        used = _LETTER.findall(_WORD.sub(" ", self.formula))
        return [
            (letter.shown, letter.words)
            for letter in LETTERS
            if letter.letter in used
            and (not letter.subjects or self.subject in letter.subjects.split())
        ]

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
            return _titles(t for entry in field() if ours in entry.ours for t in entry.libraries)
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
        """A list of five, and what one hit is worth at each of its ranks; not of every metric."""
        if "(judged, k=5" not in self.call:
            return ""
        alone = Judged.from_gains(np.eye(5))
        worth = eval(self.call, {**functions(self.subject), "judged": alone})
        says = ", ".join(f"{value:.2f}" for value in worth)
        return ranked_list(
            "MNOPQ",
            dict.fromkeys("OQT", 1),
            bars=worth.tolist(),
            below="worth of a hit at each rank, were it the only one",
            alt=f"A list with hits at ranks 3 and 5. One hit alone is worth, by rank: {says}.",
        )._repr_html_()

    def _repr_html_(self) -> str:
        asks = html.escape(self.question)
        parts = [
            f'<summary style="cursor:pointer">{ARROW}'
            f"<strong>{html.escape(self.name)}</strong> {asks}</summary>"
        ]
        if self.formula:
            parts.append(f'<div class="math">\\[{html.escape(self.formula)}\\]</div>')
        if self.letters:
            words = (f"${shown}$ is {words}" for shown, words in self.letters)
            parts.append(f"<p>{_marked('; '.join(words))}.</p>")
        rows = {
            "In words": self.words,
            "Range": self.range.replace("–", ""),
            "In code": f"`{self.call}`",
            "Imagines": self.reader,
            "Lies when": self.lies,
            "Take it when": self.take,
            "Say with it": self.say,
            "Elsewhere": self.elsewhere,
            "Not the same": self.conventions,
        }
        cell = "text-align:left;vertical-align:top"
        body = "".join(
            f'<tr><th scope="row" style="{cell};white-space:nowrap">{head}</th>'
            f'<td style="{cell}">{_marked(text)}</td></tr>'
            for head, text in rows.items()
            if text
        )
        parts += [self.picture, f"<table><tbody>{body}</tbody></table>"]
        return f'<details class="metric-card">{"".join(parts)}</details>'

    def __repr__(self) -> str:
        return f"{self.name}: {self.question} {self.words}, {self.range}"


class Letter(NamedTuple):
    """A letter of the formulas: as TeX writes it, as it is shown, and what it stands for."""

    letter: str
    shown: str
    words: str
    subjects: str


def _marked(text: str) -> str:
    """Return words as HTML: `code`, and formulas between dollars as every notebook draws them."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\$([^$]+)\$", r'<span class="math">\\(\1\\)</span>', text)


def _titles(titles: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(titles))


def _help(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function)
    if text is None:
        raise LookupError(
            f"{function.__name__} has no docstring, which holds its question and formula; start "
            "Python without -OO"
        )
    return text


def _rows(name: str) -> list[dict[str, str]]:
    path = files("recsys_metrics.workbook.cards").joinpath(f"{name}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


LETTERS = tuple(Letter(**row) for row in _rows("letters"))
CARDS: Mapping[str, Card] = MappingProxyType(
    {card.key: card for card in (Card(**row) for row in _rows("cards"))}
)


class LetterTable(tuple[Letter, ...]):
    """What every letter of the formulas stands for, as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        cell = "text-align:left"
        heads = ("Letter", "What it is", "Only in")
        head = "".join(f'<th scope="col" style="{cell}">{text}</th>' for text in heads)
        body = ""
        for row in self:
            letter, only = _marked(f"${row.shown}$"), row.subjects.replace("_", " ")
            body += (
                f'<tr><th scope="row" style="{cell}">{letter}</th>'
                f'<td style="{cell}">{_marked(row.words)}</td><td style="{cell}">{only}</td></tr>'
            )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return "\n".join(f"{letter.shown}: {letter.words}" for letter in self)


def letters() -> LetterTable:
    """Return the letters of all formulas, with what each stands for.

    Examples
    --------
    >>> from recsys_metrics.workbook.cards import letters
    >>> letters()[0].words
    'the cut-off, how many ranks count'
    """
    return LetterTable(LETTERS)


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
    precision: Of the items served, what share is relevant? hits / K, 0 to 1
    >>> print(card("precision").formula)
    \mathrm{P@}K = \frac{|R \cap L_{\le K}|}{K}
    """
    if metric not in CARDS:
        near = get_close_matches(metric, CARDS, n=3, cutoff=0.4) or ["ndcg", "recall"]
        raise KeyError(f"there is no card of {metric!r}; there is one of {', '.join(near)}")
    return CARDS[metric]
