"""A concept inventory: 25 questions before and after a course, whose wrong options are mistakes.

The same questions are asked twice, in another order. What a class has learned is the normalised
gain of Hake: of what could have been gained, the fraction that was. Nothing is sent anywhere: the
test is a page that saves a file, and the files are read from two folders.
"""

from __future__ import annotations

import html
import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np

from recsys_metrics._core import console
from recsys_metrics.workbook.course.course_folder import read_bounded
from recsys_metrics.workbook.course.item_statistics import (
    ClassEstimate,
    estimate_difficulty,
    estimate_discrimination,
)
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.static_page import render_page
from recsys_metrics.workbook.grading.strict_json import check_keys, is_moment, read_strictly, shown

Form = Literal["before", "after"]
FORMAT = "recsys-workbook inventory"
VERSION = 1
SUBJECTS = {
    "rating": "Rating prediction",
    "ranking": "Ranking",
    "beyond_accuracy": "Beyond accuracy",
    "protocol": "Evaluation protocol",
    "calibration": "Calibration",
    "bias": "Bias",
}
_SHAPE = {
    "format": str,
    "version": int,
    "form": str,
    "code": str,
    "saved": str,
    "answers": dict,
}
_RESAMPLES = 10_000
_LONGEST_CODE = 40
_MOST_MISTAKES = 10
_STYLE = """\
h2 { font-size: 1.2rem; margin-top: 2em }
fieldset { border: 1px solid #8888; border-radius: .4em; margin: 1.2em 0; padding: .6em 1em 1em }
legend { font-weight: 600; padding: 0 .4em }
.option { display: flex; gap: .6em; padding: .45em .2em; cursor: pointer }
.option input { flex: none; width: 1.1em; height: 1.1em; margin-top: .2em }
button { font: inherit; padding: .5em 1.2em }
input[type=text] { font: inherit; padding: .3em .5em; max-width: 100% }
th, td { padding: .25em 1em .25em 0 }
th[scope=row] { font-weight: normal }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.scroll { overflow-x: auto }
"""
_SCRIPT = """\
const form = document.querySelector("form");
const said = document.querySelector("[role=status]");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const code = form.elements.code.value.trim();
  if (!code) {
    said.textContent = "Write your code name first: the same before and after the course.";
    form.elements.code.focus();
    return;
  }
  const answers = {};
  for (const one of form.querySelectorAll("input:checked")) answers[one.name] = one.value;
  const about = { format: FORMAT, version: VERSION, form: form.dataset.form, code };
  const content = { ...about, saved: new Date().toISOString(), answers };
  const link = document.createElement("a");
  link.download = `inventory-${form.dataset.form}.json`;
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 1)]));
  link.click();
  URL.revokeObjectURL(link.href);
  const all = form.querySelectorAll("fieldset").length;
  const given = Object.keys(answers).length;
  said.textContent = `Saved ${link.download} with ${given} of ${all} answers.`;
});
"""


@dataclass(frozen=True)
class InventoryQuestion:
    """A question of the inventory.

    Attributes
    ----------
    id, subject, text : str
    options : tuple of str
        The right one first.
    mistakes : tuple of str
        The exercise and the mistake of each wrong option, as in ``"ranking.e2 hits-divisor"``.
    """

    id: str
    subject: str
    text: str
    options: tuple[str, ...]
    mistakes: tuple[str, ...]

    def order(self, form: Form) -> list[int]:
        """Return the places of the options in the order in which a form shows them."""
        rng = np.random.default_rng([*f"{self.id} {form}".encode()])
        return [int(place) for place in rng.permutation(len(self.options))]

    def mistake_of(self, option: int) -> str:
        """Return the mistake of an option; empty for the right one."""
        return "" if option == 0 else self.mistakes[option - 1]


@cache
def load_questions() -> tuple[InventoryQuestion, ...]:
    """Return the questions, by subject."""
    text = (files(__package__) / "inventory" / "questions.toml").read_text(encoding="utf-8")
    return tuple(
        InventoryQuestion(
            one["id"],
            one["subject"],
            one["text"],
            (one["right"]["text"], *(wrong["text"] for wrong in one["wrong"])),
            tuple(wrong["mistake"] for wrong in one["wrong"]),
        )
        for one in tomllib.loads(text)["question"]
    )


def _list_in_order(form: Form) -> list[InventoryQuestion]:
    questions = load_questions()
    places = np.random.default_rng([*form.encode()]).permutation(len(questions))
    return [questions[place] for place in places.tolist()]


def write_test(form: Form) -> str:
    """Return the page of the test, which does not know the right options.

    Parameters
    ----------
    form : {"before", "after"}
        Whether it is taken before or after the course. The order of questions and options differs.
    """
    title = f"What do you know about evaluation? ({form} the course)"
    fields = []
    for number, question in enumerate(_list_in_order(form), 1):
        options = "".join(
            f'<label class="option"><input type="radio" name="{question.id}" value="{letter}">'
            f"<span>{escape_html(question.options[place])}</span></label>"
            for letter, place in zip("abcd", question.order(form), strict=True)
        )
        fields.append(
            f"<fieldset><legend>{number}</legend><p>{escape_html(question.text)}</p>"
            f"{options}</fieldset>"
        )
    body = (
        f"<h1>{escape_html(title)}</h1>"
        f"<p>There are {len(fields)} questions, for about half an hour. Leave out what you do not "
        "know, and do not look anything up. Nothing is graded and nothing is sent anywhere: the "
        "page saves a file, which you hand in.</p>"
        f'<form data-form="{form}"><p><label>Your code name, the same before and after the course: '
        f'<input type="text" name="code" maxlength="{_LONGEST_CODE}" autocomplete="off"></label>'
        f"</p>{''.join(fields)}"
        '<p><button type="submit">Save my answers</button></p><p role="status"></p></form>'
    )
    about = f"const FORMAT = {json.dumps(FORMAT)};\nconst VERSION = {VERSION};\n"
    return render_page(title, body, style=_STYLE, script=about + _SCRIPT)


@dataclass(frozen=True)
class TestPaper:
    """What one person answered.

    Attributes
    ----------
    code : str
    options : mapping
        The place of the option that was chosen, by question; 0 is the right one.
    """

    __test__ = False

    code: str
    options: Mapping[str, int]

    @property
    def score(self) -> float:
        """The fraction of all questions that are right; one left out is not."""
        return sum(option == 0 for option in self.options.values()) / len(load_questions())


def parse_paper(content: bytes, form: Form) -> TestPaper:
    """Read a file that the page of the test saved.

    Parameters
    ----------
    content : bytes
    form : {"before", "after"}

    Raises
    ------
    GradingError
        If it is anything else; the message goes on from "it".
    """
    raw = read_strictly(content)
    check_keys(raw, _SHAPE, "it")
    if raw["format"] != FORMAT or raw["version"] != VERSION:
        raise GradingError(f"it was not saved by this test, but is {shown(raw['format'])}")
    if raw["form"] != form:
        raise GradingError(f"it is of the test {shown(raw['form'])} the course, not {form!r}")
    code = " ".join(raw["code"].split()).casefold()
    if not code or len(code) > _LONGEST_CODE:
        raise GradingError(
            f"it has the code name {shown(raw['code'])}, which is not one of 1 to 40 letters"
        )
    if not is_moment(raw["saved"]):
        raise GradingError(f"it was saved at {shown(raw['saved'])}, which is no time")
    questions = {one.id: one for one in load_questions()}
    options: dict[str, int] = {}
    for name, letter in raw["answers"].items():
        if name not in questions:
            raise GradingError(f"it answers {shown(name)}, which is not asked")
        if not isinstance(letter, str) or letter not in {"a", "b", "c", "d"}:
            raise GradingError(f"it has {shown(letter)} as the answer to {name}")
        options[name] = questions[name].order(form)["abcd".index(letter)]
    return TestPaper(code, options)


def read_papers(folder: Path, form: Form) -> tuple[dict[str, TestPaper], list[tuple[str, str]]]:
    """Return the papers of a folder by code name, and what is wrong with the other files.

    Parameters
    ----------
    folder : Path
    form : {"before", "after"}

    Raises
    ------
    GradingError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise GradingError(f"{folder} is no folder; name the one with the files of {form}")
    found: dict[str, list[TestPaper]] = {}
    problems = []
    for path in sorted(folder.rglob("*.json")):
        name = console.printable(str(path.relative_to(folder)))
        try:
            paper = parse_paper(read_bounded(path, 1), form)
        except (GradingError, OSError) as problem:
            cure = "ask for the file as the page saved it"
            problems.append((name, f"is left out: {problem}; {cure}"))
            continue
        found.setdefault(paper.code, []).append(paper)
    for code, papers in found.items():
        if len(papers) > 1:
            says = f"is the code name of {len(papers)} files, and all of them are left out"
            problems.append((shown(code), says))
    return {code: papers[0] for code, papers in found.items() if len(papers) == 1}, problems


def normalised_gain(
    before: Sequence[float], after: Sequence[float], *, seed: int = 0
) -> ClassEstimate:
    r"""Return the normalised gain of a class, with its 95% confidence interval.

    .. math::

        g = \frac{\bar y - \bar x}{1 - \bar x}

    where :math:`\bar x` and :math:`\bar y` are the mean fractions of right answers before and
    after. The interval is the percentile interval over 10,000 resamples of students.

    Parameters
    ----------
    before, after : sequence of float, shape (n_students,)
        The fraction of right answers of each student.
    seed : int

    Returns
    -------
    ClassEstimate
        NaN with fewer than two students, or if all was right before; without an interval if all
        students have the same answers.

    References
    ----------
    Hake, R. R. (1998). Interactive-engagement versus traditional methods. *American Journal of
    Physics*, 66(1), 64–74.

    Examples
    --------
    >>> normalised_gain([0.2, 0.4], [0.6, 0.8]).value
    0.571...
    """
    x, y = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if x.size < 2 or x.mean() >= 1:
        return ClassEstimate(np.nan, np.nan, np.nan, x.size)
    drawn = np.random.default_rng(seed).integers(x.size, size=(_RESAMPLES, x.size))
    low_x, high_y = x[drawn].mean(axis=1), y[drawn].mean(axis=1)
    left = low_x < 1
    gains = (high_y[left] - low_x[left]) / (1 - low_x[left])
    low, high = np.quantile(gains, [0.025, 0.975])
    if low == high:
        low = high = np.nan
    gain = (y.mean() - x.mean()) / (1 - x.mean())
    return ClassEstimate(float(gain), float(low), float(high), x.size)


@dataclass(frozen=True)
class InventoryReport:
    """What a class knew before and after a course.

    Attributes
    ----------
    before, after : list of TestPaper
        Of those who took both, in the same order.
    unmatched : int
        Papers of those who took one of the two.
    problems : list of (str, str)
        Files that were left out, and why.
    """

    before: list[TestPaper]
    after: list[TestPaper]
    unmatched: int
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def gain(self) -> ClassEstimate:
        """The normalised gain of the class."""
        return self.gain_of(None)

    def gain_of(self, subject: str | None) -> ClassEstimate:
        """Return the normalised gain on the questions of a subject, or on all."""
        asked = [one.id for one in load_questions() if subject in (None, one.subject)]
        before, after = (
            [sum(paper.options.get(name) == 0 for name in asked) / len(asked) for paper in papers]
            for papers in (self.before, self.after)
        )
        return normalised_gain(before, after)

    def count_mistakes(self) -> list[tuple[str, int, int]]:
        """Return each mistake with how many made it before and after, the most frequent first."""
        counts = []
        for papers in (self.before, self.after):
            chosen: Counter[str] = Counter()
            for paper in papers:
                for question in load_questions():
                    if paper.options.get(question.id):
                        chosen[question.mistake_of(paper.options[question.id])] += 1
            counts.append(chosen)
        first, second = counts
        every = sorted(first | second, key=lambda one: (-first[one], -second[one], one))
        return [(one, first[one], second[one]) for one in every]


def compare(before: Path, after: Path) -> InventoryReport:
    """Return what changed between the papers of two folders.

    Parameters
    ----------
    before, after : Path

    Raises
    ------
    GradingError
        If nobody has a paper in both.
    """
    first, problems = read_papers(before, "before")
    second, more = read_papers(after, "after")
    both = sorted(first.keys() & second.keys())
    if not both:
        raise GradingError(
            f"no code name is in both folders ({len(first)} papers before, {len(second)} after); "
            "without it nobody's gain is known"
        )
    return InventoryReport(
        [first[code] for code in both],
        [second[code] for code in both],
        len(first) + len(second) - 2 * len(both),
        [*problems, *more],
    )


def page(report: InventoryReport) -> str:
    """Return a report as a page, without a code name."""
    n = len(report.before)
    title = "Concept inventory"
    scores = [estimate_difficulty([one.score for one in papers]) for papers in
              (report.before, report.after)]  # fmt: skip
    gain = report.gain
    left = f" {report.unmatched} papers of one test alone are left out." if report.unmatched else ""
    body = (
        f"<h1>{title}</h1>"
        f"<p>{n} students took the test before and after the course.{left} They answered "
        f"{scores[0].value:.0%} of the questions correctly before and {scores[1].value:.0%} after. "
        f"The normalised gain is <strong>{gain.value:.2f}</strong> ({gain.precision}): of what was "
        "not known before, this fraction is known now. "
        "There is no group without the course, so the gain may have other causes as well.</p>"
        f"<h2>By subject</h2>{_subjects(report)}"
        f"<h2>Mistakes</h2><p>How many students chose the option of each mistake.</p>"
        f"{_mistakes(report)}<h2>Question by question</h2>{_questions(report)}"
    )
    return render_page(title, body, style=_STYLE)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first, *others = heads
    head = f"<th scope='col'>{first}</th>" + "".join(
        f"<th scope='col' class='number'>{one}</th>" for one in others
    )
    body = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th>"
        + "".join(f"<td class='number'>{html.escape(one)}</td>" for one in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        "</div>"
    )


def _share(papers: Sequence[TestPaper], asked: Sequence[str]) -> str:
    right = [paper.options.get(name) == 0 for paper in papers for name in asked]
    return f"{np.mean(right):.0%}"


def _subjects(report: InventoryReport) -> str:
    rows = []
    for subject, name in SUBJECTS.items():
        asked = [one.id for one in load_questions() if one.subject == subject]
        shares = (_share(papers, asked) for papers in (report.before, report.after))
        rows.append([name, str(len(asked)), *shares, str(report.gain_of(subject))])
    heads = ("Subject", "Questions", "Before", "After", "Normalised gain [95% CI]")
    return _table(heads, rows)


def _mistakes(report: InventoryReport) -> str:
    rows = [
        [_name_mistake(one), str(before), str(after)]
        for one, before, after in report.count_mistakes()[:_MOST_MISTAKES]
    ]
    return _table(("Mistake", "Before", "After"), rows) if rows else "<p>None was made.</p>"


def _name_mistake(named: str) -> str:
    exercise, _, mistake = named.partition(" ")
    asked = REGISTRY[exercise]
    found = next(one for one in asked.mistakes if one.id == mistake)
    return f"{render_text(found.name, asked.inputs)} ({exercise})"


def _questions(report: InventoryReport) -> str:
    rows = []
    for question in load_questions():
        right = [float(paper.options.get(question.id) == 0) for paper in report.after]
        rest = [
            paper.score * len(load_questions()) - own
            for paper, own in zip(report.after, right, strict=True)
        ]
        shares = (_share(papers, [question.id]) for papers in (report.before, report.after))
        rows.append([question.text, *shares, str(estimate_discrimination(right, rest))])
    return _table(("Question", "Before", "After", "Discrimination after [95% CI]"), rows)
