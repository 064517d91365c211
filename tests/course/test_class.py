"""A class of thirty: released, handed in, collected, graded and exported in one run."""

from __future__ import annotations

import csv
import json
import time
from fractions import Fraction

import numpy as np
import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.numbers import Numbers
from tests.course.people import NAME, add_code, cell_of, written

AP, NDCG, WRITE, ORDER, CHOOSE, WORDS = EXERCISES = [
    "ranking.e4",
    "ranking.e5",
    "ranking.write_average_precision",
    "ranking.order_average_precision",
    "ranking.e9a" if "ranking.e9a" in REGISTRY else "ranking.comparable",
    "ranking.explain_ideal",
]
OUT_OF = {one: REGISTRY[one].points for one in EXERCISES}
ALL = sum(OUT_OF.values()) - OUT_OF[WORDS]

# Right values of AP in other forms, as a student writes them.
FORMS = {
    "rounded": lambda value: f"ap = {round(value, 3)}",
    "fraction": lambda value: f"from fractions import Fraction\nap = {Fraction(value)!r}",
    "numpy": lambda value: f"import numpy as np\nap = np.float32({value!r})",
    "text": lambda value: f'ap = "{value:.4f}"',
    "array": lambda value: f"import numpy\nap = numpy.array({value!r})",
}
HEAD = "def my_average_precision(served, relevant, k):\n"
WALK = """\
    found = total = 0
    for rank, item in enumerate(served[:k], 1):
        if item in relevant:
            found += 1
            total += found / rank
"""
# Functions that are wrong, and the mistake each is to be told.
FUNCTIONS = {
    "by_hits": (HEAD + WALK + "    return total / found if found else 0.0", "hits-divisor"),
    "by_k": (HEAD + WALK + "    return total / k", "k-divisor"),
    "no_cut": (
        HEAD + WALK.replace("[:k]", "") + "    return total / len(relevant) if relevant else 0.0",
        "no-cut",
    ),
    "no_return": (HEAD + WALK + "    total / len(relevant)", None),
    "changes": (
        HEAD + "    served.append(None)\n" + WALK
        + "    return total / len(relevant) if relevant else 0.0",
        None,
    ),
    "endless": (HEAD + "    while True: pass", None),
}  # fmt: skip


class Class:
    """Who hands in what, and what it is to bring: None where it cannot be graded."""

    def __init__(self, desk):
        mistakes = [m.id for m in REGISTRY[AP].misconceptions][:5]
        self.mistakes = {f"ap_{i}": name for i, name in enumerate(mistakes)}
        self.names = [
            *("right", "partly", "wrong", "untouched", "cell_gone", "stray_cells"),
            *FORMS, *self.mistakes, *FUNCTIONS,
            *("empty", "cut_off", "huge", "missing", "renamed", "copied", "unsigned", "hostile"),
        ]  # fmt: skip
        self.at = desk(self.names, EXERCISES, seconds=25, cell_seconds=5, memory_mb=900,
                       notebook_mb=1)  # fmt: skip
        self.expected: dict[str, float | None] = {}
        for name in self.names:
            self.expected[name] = self.hand_in(name)

    def hand_in(self, name):
        at = self.at
        book = at.answered(name)
        file, points = f"downloads/{name}_ps1.ipynb", float(ALL)
        cell = cell_of(book, "ranking-e4")
        if name in FORMS:
            cell["source"] = FORMS[name](at.asked(name)[AP].exercise.answer["ap"])
        elif name in self.mistakes:
            points -= self.mistake(name, cell)
        elif name in FUNCTIONS:
            source, _ = FUNCTIONS[name]
            cell_of(book, "ranking-write_average_precision")["source"] = source
            points -= OUT_OF[WRITE]
        elif name == "partly":
            exercise = at.asked(name)[NDCG].exercise
            answer = {**exercise.answer, "idcg": 99.0}
            cell_of(book, "ranking-e5")["source"] = written(at.asked(name)[NDCG], answer)
            points -= round(OUT_OF[NDCG] / len(answer), 2)
        elif name == "wrong":
            book = at.answered(name, dict(zip(EXERCISES, _nonsense(at, name), strict=True)))
            points = 0
        elif name == "untouched":
            book, points = at.opened(name), 0
        elif name == "cell_gone":
            book["cells"].remove(cell)
            points -= OUT_OF[AP]
        elif name == "stray_cells":
            cell["source"] = "1 / 0"
            add_code(book, "%precision 2\nap = 1\nraise SystemExit", before="ranking-e4")
            place = book["cells"].index(cell) + 1
            book["cells"].insert(place, {**cell, "metadata": {}, "id": "x",
                                         "source": at.right(name, AP)})  # fmt: skip
        elif name == "empty":
            book, points = b"", None
        elif name == "cut_off":
            book, points = json.dumps(book).encode()[:-4000], None
        elif name == "huge":
            book["metadata"]["padding"] = "x" * 1_500_000
            points = None
        elif name == "missing":
            return None
        elif name == "renamed":
            file = "downloads/Notebook (3).ipynb"
        elif name == "copied":
            book, points = at.answered("right"), None
        elif name == "unsigned":
            book["metadata"] = {}
            for one in book["cells"]:
                one.pop("id", None)
                one["metadata"].pop("recsys_metrics", None)
        elif name == "hostile":
            add_code(book, "import os\nos.fork()\nos.kill(1, 9)", before="ranking-e4")
        at.put(file, book)
        return points

    def mistake(self, name, cell):
        """Answer as somebody who makes a mistake, and return what it costs."""
        question = self.at.asked(name)[AP]
        exercise = question.exercise
        assert isinstance(exercise, Numbers)
        made = next(m for m in exercise.misconceptions if m.id == self.mistakes[name])
        cell["source"] = written(question, exercise.wrong_answers(made))
        return OUT_OF[AP]


def _nonsense(at, name):
    yield "ap = 7"
    yield "\n".join(f"{one} = None" for one in at.asked(name)[NDCG].names)
    yield "my_average_precision = 0.5"
    yield "order = {1, 2}"
    yield "choice = object()"
    yield "*Your answer.*"


@pytest.fixture(scope="module")
def class_(desk, sandbox):
    who = Class(desk)
    collected = who.at.collect()
    begun = time.monotonic()
    graded = who.at.grade(jobs=2)
    return who, collected, graded, time.monotonic() - begun


def test_there_are_thirty(class_):
    who, *_ = class_
    assert len(who.names) == 30


def test_every_grade_is_the_one_expected(class_):
    who, _, graded, _ = class_
    got = {name: one.points for name, one in graded.items()}
    assert got == pytest.approx(who.expected)


def test_every_export_has_these_grades(class_):
    who, *_ = class_
    rows = list(csv.DictReader(who.at.export().open()))
    got = {row["id"]: float(row[NAME]) if row[NAME] else None for row in rows}
    assert got == pytest.approx(who.expected)
    assert {row[f"{NAME} maximum"] for row in rows} == {str(sum(OUT_OF.values()))}
    notes = {row["id"]: row[f"{NAME} note"] for row in rows}
    assert notes["empty"] == "it is empty"
    assert notes["cut_off"].startswith("it is damaged or cut off")
    assert notes["missing"] == notes["huge"] == notes["copied"] == "nothing was handed in"
    assert notes["right"] == ""


def test_each_mistake_is_named(class_):
    who, *_ = class_
    rows = list(csv.DictReader(who.at.export(questions=True).open()))
    told = {(row["id"], row["question"]): row["misconception"] for row in rows}
    for name, mistake in who.mistakes.items():
        assert told[name, AP] == mistake
        pitfall = next(m.name for m in REGISTRY[AP].misconceptions if m.id == mistake)
        assert pitfall in who.at.page(name)
    for name, (_, mistake) in FUNCTIONS.items():
        assert told[name, WRITE] == (mistake or "")
    assert "Did you forget <code>return</code>" in who.at.page("no_return")
    assert "belongs to the caller" in who.at.page("changes")
    assert "did not finish in time" in who.at.page("endless")
    assert all(len(row) == 11 for row in rows)


def test_collecting_names_what_does_not_fit(class_):
    _, collected, *_ = class_
    said = {what.rpartition("/")[2]: says for what, says in collected.problems}
    assert said == {
        "empty_ps1.ipynb": "is taken as it is, but it is empty",
        "cut_off_ps1.ipynb": said["cut_off_ps1.ipynb"],
        "huge_ps1.ipynb": "is not taken: it is larger than 1 MB",
        "copied_ps1.ipynb": "is the notebook of right, handed in as copied's; it is not taken",
    }
    assert "damaged or cut off" in said["cut_off_ps1.ipynb"]
    assert sorted(collected.missing) == ["copied", "huge", "missing"]
    assert "renamed" in collected.new


def test_grading_names_what_is_worth_knowing(class_):
    _, _, graded, _ = class_
    assert graded["cell_gone"].notes == ["the cell of question 1 is missing"]
    assert graded["unsigned"].notes == ["its signature is lost; it was graded by where it lay"]
    assert graded["renamed"].notes == []
    assert graded["missing"].problem == "nothing was handed in"


def test_words_are_left_to_a_person(class_):
    _, _, graded, _ = class_
    assert graded["right"].waiting == 1
    assert graded["untouched"].waiting == graded["wrong"].waiting == 0
    assert graded["empty"].waiting == 0


def test_grading_again_gives_the_same(class_):
    who, _, graded, _ = class_
    some = ["right", "partly", "by_hits", "ap_0"]
    before = {name: who.at.page(name) for name in some}
    report = json.loads(who.at.course.report(NAME).read_text())
    table = who.at.export().read_text()
    again = who.at.grade(*some, jobs=2)
    assert {name: one.points for name, one in again.items()} == {
        name: graded[name].points for name in some
    }
    assert {name: who.at.page(name) for name in some} == before
    assert who.at.export().read_text() == table
    after = json.loads(who.at.course.report(NAME).read_text())
    for one in (*report["students"].values(), *after["students"].values()):
        one.pop("seconds")
    assert after == report


def test_what_a_submission_takes_is_told(class_, capsys):
    *_, graded, seconds = class_
    times = [one.seconds for one in graded.values() if one.seconds]
    with capsys.disabled():
        print(
            f"\n{len(times)} submissions graded in {seconds:.1f} s; each took "
            f"{np.median(times):.1f} s in the sandbox (median), {max(times):.1f} s at most"
        )
    assert len(times) == 25
