"""No answer stands printed above its exercise.

Each subject is read as its reader reads it, part by part, down to an exercise: the prose, and what
the cells put out (numbers, tables, titles and alternative texts of figures). How the search
decides:

- A value is *telling* if three digits are needed to write it: a count of 100 or more, or a number
  from 0.1 on that is no simple fraction (denominator up to 10). To find a telling value anywhere
  above, with all its three decimals, is no chance.
- Any other value, such as 0.75 or 2/3, is looked for from where the text works on the exercise's
  own numbers: all its lists of three or more stand in code above. It is then looked for in
  figures, as a fraction and in words. Whole numbers stay out: a 3 stands in any text.
- Of a choice, the text of what is right must not stand above; of an order, its lines in one cell;
  of a guess, neither what came out nor one of the options as an example.

A function and a free text have no value that could stand anywhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from dev.tools import minutes
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises import choosing as choosing_ex
from recsys_metrics.workbook.exercises import ranking as ranking_ex
from recsys_metrics.workbook.exercises import rating as rating_ex
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(path for path in (ROOT / "chapters").glob("[0-9]*.ipynb"))

# What stands above by chance, or on purpose, and why that tells nobody an answer.
EXCEPTIONS: dict[tuple[str, str], str] = {}

# What is still to be mended. The list may only get shorter.
TO_BE_MENDED: dict[tuple[str, str], str] = {}


# What a reader has seen --------------------------------------------------------------------------


@dataclass
class Seen:
    """What one cell shows its reader, and the lists that its code writes out."""

    text: str
    code: str
    lists: list[tuple[object, ...]]


def collect_visible(cell: nbformat.NotebookNode) -> Seen:
    if cell.cell_type == "markdown":
        return Seen(re.sub(r"<!--.*?-->", "", cell.source, flags=re.DOTALL), "", [])
    parts = []
    # Cards and feedback show what is asked, not what is right.
    for output in cell.get("outputs", []) if not cell.source.startswith("ex.") else []:
        data = output.get("data", {})
        page = inline_pictures("".join(data.get("text/html", ""))) + "".join(
            data.get("image/svg+xml", "")
        )
        parts += re.findall(r'(?:aria-label|alt|title)="([^"]*)"', page)
        parts.append(re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL))
        parts += ["".join(data.get("text/plain", "")), "".join(output.get("text", ""))]
    return Seen("\n".join(parts), cell.source, list(written_out(cell.source)))


def written_out(source: str) -> Iterator[tuple[object, ...]]:
    """Yield the lists, sets and tuples of constants in some code, and words taken by letter."""
    code = "\n".join(line for line in source.splitlines() if not line.startswith("%"))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            try:
                values = ast.literal_eval(node)
            except ValueError:
                inner = node.elts[0] if getattr(node, "elts", None) else None
                if isinstance(inner, ast.Starred) and isinstance(inner.value, ast.Constant):
                    yield tuple(str(inner.value.value))
                continue
            # The order of a set changes from run to run.
            yield tuple(in_order(values) if isinstance(values, set) else values)
            if isinstance(values, dict):
                yield tuple(values.values())
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"list", "set"}:
            yield from (tuple(str(one.value)) for one in node.args if isinstance(one, ast.Constant))


# What would tell an answer -----------------------------------------------------------------------

WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
SHARES = {
    2: ("half", "halves"),
    3: ("third", "thirds"),
    4: ("quarter", "quarters"),
    5: ("fifth", "fifths"),
    6: ("sixth", "sixths"),
    7: ("seventh", "sevenths"),
    8: ("eighth", "eighths"),
    9: ("ninth", "ninths"),
    10: ("tenth", "tenths"),
}


def is_simple(value: float) -> Fraction:
    return Fraction(value).limit_denominator(10)


def is_telling(value: float) -> bool:
    if value == round(value):
        return abs(value) >= 100
    three_digits = abs(value) >= 0.1 and abs(100 * value - round(100 * value)) > 1e-9
    return three_digits and abs(is_simple(value) - value) > 1e-9


def has_value(text: str, value: float) -> bool:
    """Whether a number in a text is this value, to all the digits it has, three at least."""
    for sign, written in re.findall(
        r"(?<![\w.])([-−]?)(\d[\d,]*(?:\.\d+)?|\.\d+)(?![\w]|\.\d)", text
    ):
        places = len(written.partition(".")[2])
        number = float(written.replace(",", "")) * (-1 if sign else 1)
        if abs(number - value) <= (0.5000001 * 10**-places if places >= 3 else 1e-9):
            return True
    return False


def has_text(text: str, value: float) -> bool:
    """Whether a text has a simple fraction, in figures or in words."""
    part = is_simple(value)
    over, under = part.numerator, part.denominator
    if abs(part - value) > 1e-9 or not 0 < over < under <= 10:
        return False
    one, many = SHARES[under]
    forms = [rf"\b{over} ?/ ?{under}\b", rf"\b{over} of {under}\b"]
    forms += [
        rf"\b{WORDS[over]} of {WORDS[under]}\b",
        rf"\b{WORDS[over]} {many if over > 1 else one}\b",
    ]
    forms += [rf"\b(?:a|one) {one}\b"] if over == 1 else []
    return any(re.search(form, text, re.IGNORECASE) for form in forms)


def find_answer(exercise: object, above: list[Seen]) -> str:
    """Return what of an exercise's answer stands above it, or nothing."""
    if isinstance(exercise, Numbers):
        return _value(exercise, above)
    text = " ".join(" ".join(one.text for one in above).split()).lower()
    if isinstance(exercise, Choice):
        for key in exercise.accepted_answers:
            option = (
                " ".join(markup.strip_markup(exercise.option_list.texts[key]).split())
                .lower()
                .rstrip(".")
            )
            # A word or two, such as RMSE, stand in any text.
            if len(option.split()) >= 4 and option in text:
                return f"the option {option!r}"
    if isinstance(exercise, Order):
        for order in exercise.accepted_answers:
            lines = [
                "".join(exercise.option_list.texts[exercise.option_list.find_key(letter)].split())
                for letter in order
            ]
            for one in above:
                code = "".join(one.code.split())
                if all(line in code for line in lines):
                    return "its lines, in one cell"
    if isinstance(exercise, Predict):
        out = markup.strip_markup(render_text(exercise.observed, exercise.inputs)).lower()
        for sentence in re.split(r"(?<=[.?!])\s+", " ".join(out.split())):
            if len(sentence.split()) >= 4 and sentence in text:
                return f"what came out: {sentence!r}"
        for key in exercise.options:
            if re.search(rf"""guess=["']{key}["']""", " ".join(o.text + o.code for o in above)):
                return f"the option {key!r} as an example"
    return ""


def _value(exercise: Numbers, above: list[Seen]) -> str:
    own = [value for value in exercise.inputs.values() if is_list(value)]
    # On real data there are settings, and no numbers of its own to work on.
    since = max((first_with(value, above) for value in own), default=len(above))
    for name, value in exercise.answer.items():
        given = exercise.inputs.values()
        if any(not is_list(one) and one == value for one in given):
            continue
        for number, one in enumerate(above):
            if is_telling(value) and has_value(one.text, value):
                return f"{name} = {value:g}"
            here = number >= since and value != round(value)
            if here and (has_value(one.text, value) or has_text(one.text, value)):
                return f"{name} = {value:g}, of the same numbers"
    return ""


def is_list(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and len(value) >= 3


def in_order(values: Iterable[object]) -> list[object]:
    return sorted(values, key=str)


def first_with(values: object, above: list[Seen]) -> int:
    """Return the number of the first cell that writes these values out."""
    sort = sorted if isinstance(values, set) else list
    for number, one in enumerate(above):
        for written in one.lists:
            alike = len(written) == len(values) and {*map(type, written)} == {*map(type, values)}
            same = alike and sort(written) == sort(values)
            if same or (alike and list(written) == in_order(values)):
                return number
    return len(above)


def every_exercise(path: Path) -> Iterator[tuple[object, list[Seen]]]:
    """Yield each exercise of a part with what stands above its card, in earlier parts too."""
    stems = next(stems for stems in minutes.subjects() if path.stem in stems)
    earlier = [path.with_stem(stem) for stem in stems[: stems.index(path.stem)]]
    read = [
        collect_visible(cell) for one in earlier for cell in nbformat.read(one, as_version=4).cells
    ]
    by_name = {exercise.python_name: exercise for exercise in PARTS[path.stem]}
    cells = nbformat.read(path, as_version=4).cells
    above = [*read, *map(collect_visible, cells)]
    for number, cell in enumerate(cells, len(read)):
        card = re.fullmatch(r"ex\.(\w+)", cell.source.strip())
        if card:
            # An example of how to answer a guess may come before the card or right after it.
            last = number + 3 if isinstance(by_name[card[1]], Predict) else number
            yield by_name[card[1]], above[:last]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_answer_is_printed_above_its_exercise(path):
    told = {
        (path.stem, e.id): what
        for e, above in every_exercise(path)
        if (what := find_answer(e, above))
    }
    known = {key for key in (*EXCEPTIONS, *TO_BE_MENDED) if key[0] == path.stem}
    assert {key: what for key, what in told.items() if key not in known} == {}
    assert known - set(told) == set(), "these no longer stand above; take them off the list"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_card_is_searched(path):
    assert [exercise for exercise, _ in every_exercise(path)] == list(PARTS[path.stem])


# The search itself ------------------------------------------------------------------------------


def cells(*sources: str, out: str = "", html: str = "") -> list[Seen]:
    code = new_code_cell("\n".join(sources))
    code.outputs = [new_output("execute_result", {"text/plain": out, "text/html": html})]
    return [collect_visible(code)]


def test_an_unusual_answer_is_detected_in_outputs_tables_titles_and_prose():
    e5 = ranking_ex.ndcg_from_scratch
    for value in ("0.593", "(1.518, 2.562)", "0.5925"):
        assert find_answer(e5, cells("x", out=value))
    assert find_answer(e5, cells("x", html="<table><td>0.593</td></table>"))
    assert find_answer(e5, cells("x", html='<svg aria-label="NDCG is 0.593 here"></svg>'))
    assert find_answer(e5, [collect_visible(new_markdown_cell("It is 0.593."))])
    for other in ("0.594", "10.593", "0.59", "0.5931"):
        assert not find_answer(e5, cells("x", out=other))


def test_a_common_answer_is_detected_only_next_to_the_same_inputs():
    e2 = ranking_ex.precision_recall_f1
    same = 'recommended, wanted = list("ABCDE"), {"B", "C", "E", "G"}'
    assert not find_answer(e2, cells("x = [1, 2, 3]", out="0.600"))
    assert find_answer(e2, cells(same, out="0.600"))
    assert find_answer(
        e2, [*cells(same), collect_visible(new_markdown_cell("So three of five are good."))]
    )
    assert find_answer(e2, [*cells(same), collect_visible(new_markdown_cell("It is two thirds."))])
    assert not find_answer(
        e2, [collect_visible(new_markdown_cell("It is two thirds.")), *cells(same)]
    )
    own = rating_ex.own_mean
    assert find_answer(own, cells("np.array([5, 4, 5, 3, 4])", out="0.640"))


def test_answers_of_choices_orders_and_predictions_are_detected():
    why = choosing_ex.which_task
    right = why.option_list.texts[next(iter(why.accepted_answers))]
    assert find_answer(why, [collect_visible(new_markdown_cell(f"Take this: {right}"))])
    lines = rating_ex.order_rmse
    texts = [
        lines.option_list.texts[lines.option_list.find_key(a)]
        for a in next(iter(lines.accepted_answers))
    ]
    assert find_answer(lines, [Seen("", "\n".join(texts), [])])
    assert not find_answer(lines, [Seen("", "\n".join(texts[1:]), [])])
    guess = ranking_ex.first_guess
    assert find_answer(
        guess, [collect_visible(new_markdown_cell('Write `check(guess="recall")`.'))]
    )
    assert find_answer(
        guess,
        [
            collect_visible(
                new_markdown_cell("For this list, recall was the highest and NDCG the lowest.")
            )
        ],
    )
    assert not find_answer(guess, [collect_visible(new_markdown_cell("Recall is a share."))])
