"""The page that a marker reads: what was computed again, what was found, the rubric, the report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.capstone import rubric
from recsys_metrics.workbook.course.capstone.expected_numbers import EVIDENCE
from recsys_metrics.workbook.course.capstone.marking import Checked, Marked
from recsys_metrics.workbook.course.capstone.scenario import FAULTS
from recsys_metrics.workbook.course.feedback import cut_words, inert
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.static_page import render_page

STYLE = """\
th, td { padding: .2em 1.2em .2em 0 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
h2 { font-size: 1.15rem; margin-top: 2em }
.wide { overflow-x: auto }
.report { border-left: 3px solid #6B7280; padding-left: 1em }
.report h1, .report h2, .report h3 { font-size: 1.05rem; margin: 1em 0 .3em }
li.proposed { font-weight: 600 }
ol { padding-left: 1.6em }
"""
_TRUTH = {
    "gain": "clicks per person that b truly adds, over the two weeks",
    "gain_light": "the same, light visitors",
    "gain_usual": "usual visitors",
    "gain_heavy": "heavy visitors",
    "feed_today": "clicks per slate of the feed's log, truly",
    "feed_b": "clicks per slate under b, truly",
}


def page(title: str, marked: Marked, truth: Mapping[str, float], why: Mapping[str, str]) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        What stands for the student.
    marked : Marked
    truth : mapping of str to float
        What nobody could see who wrote the report.
    why : mapping of str to str
        Of a report with levels: by criterion, the level and why. Else empty.
    """
    report = marked.report
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>Decision: <strong>{escape_html(report.decision or 'none')}</strong>. "
        f"{report.words} words, {len(marked.numbers)} numbers cited.</p>",
        *(f"<p>{escape_html(note)}</p>" for note in marked.notes),
        "<h2>The report</h2>",
        f'<div class="report">{markup.render_block(inert(cut_words(report.text)))}</div>',
        "<h2>What is wrong with the data</h2>",
        table(["Fault", "What it is", "In the report", "Shown by"], of_faults(marked), numbers=()),
        "<h2>Numbers</h2>",
        table(["Name", "Cited", "Recomputed", ""], map(of_number, marked.numbers)),
        "<h2>The test</h2>",
        f"<p>{escape_html(of_test(marked))}</p>",
        "<details><summary>The truth, for after the levels</summary>",
        "<p>The people are simulated, so it is known. It is not shown to those who write "
        "a report.</p>",
        of_truth(truth),
        "</details>",
        "<h2>The rubric</h2>",
        *_of_rubric(marked, why),
    ]
    return render_page(title, "\n".join(parts), style=STYLE)


def of_truth(truth: Mapping[str, float]) -> str:
    """Return a table of what really happens."""
    rows = ([_TRUTH[name], _number(value)] for name, value in truth.items())
    return table(["", ""], rows, numbers=[1])


def table(head: list[str], rows: Iterator[list[str]], *, numbers: Collection[int] = (1, 2)) -> str:
    """Return a table that scrolls sideways where it is too wide; columns of numbers are marked."""
    titles = "".join(f"<th scope='col'>{escape_html(one)}</th>" for one in head)
    head_row = f"<tr>{titles}</tr>" if any(head) else ""
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{' class=number' if place in numbers else ''}>{escape_html(cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table>{head_row}{body}</table></div>'


def of_faults(marked: Marked) -> Iterator[list[str]]:
    """Yield a row for each fault that is there or is claimed."""
    for name, claim in marked.faults.items():
        about = FAULTS.get(name, "there is no such fault")
        yield [name, about, claim.value, EVIDENCE.get(name, "")]


def of_number(one: Checked) -> list[str]:
    """Return the row of a cited number."""
    word = "right" if one.is_right else f"not right{': ' + one.why if one.why else ''}"
    return [one.cited.name, one.cited.text, _number(one.right), word]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def of_test(marked: Marked) -> str:
    """Say what the frozen test said, and by which plan it was opened."""
    opened = marked.opened
    if opened is None:
        return "It has not been opened."
    numbers = opened.numbers
    reached = "lies above" if opened.holds else "does not lie above"
    return (
        f"Opened once, on {opened.when}, by {opened.measure} and a margin of {opened.margin:g}. "
        f"a {numbers['test_a']:.4f}, b {numbers['test_b']:.4f}; the gain is "
        f"{numbers['test_gain']:.4f}, 95 % from {numbers['test_gain_low']:.4f} to "
        f"{numbers['test_gain_high']:.4f}, which {reached} the margin."
    )


def _of_rubric(marked: Marked, why: Mapping[str, str]) -> Iterator[str]:
    proposed, counted = marked.proposed(), marked.counted()
    for one in rubric.criteria():
        found = proposed.get(one.id)
        yield f"<h3>{escape_html(one.title)}</h3><p>{escape_html(one.look)}</p><ol start='0'>"
        for level, anchor in enumerate(one.levels):
            is_found = level == found
            mark = " class=proposed" if is_found else ""
            by = "counted by the machine" if one.id in counted else "at least, and left to you"
            yield f"<li{mark}>{escape_html(anchor)}{f' ({by})' if is_found else ''}</li>"
        yield "</ol>"
        if one.id in why:
            yield f"<p><strong>{escape_html(why[one.id])}</strong></p>"
        elif one.id == "test" and one.id not in counted:
            yield (
                "<p>Whether the conclusion follows the plan, you see in the report: give 2 or 3. "
                "The cell in the table of levels is empty.</p>"
            )
