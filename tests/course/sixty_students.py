"""Sixty students, and what each hands in: right, wrong, broken, odd, late, copied, hostile."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime
from fractions import Fraction

from recsys_metrics.workbook.course import course_folder
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.questions import format_grade_id
from tests.course.simulated_people import add_code, cell_of, write_answer

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
HEAD = "def my_average_precision(recommended, relevant, k):\n"
WALK = """\
    found = total = 0
    for rank, item in enumerate(recommended[:k], 1):
        if item in relevant:
            found += 1
            total += found / rank
"""
# Functions that are wrong, and the mistake each is to be told.
FUNCTIONS = {
    "by_hits": (HEAD + WALK + "    return total / found if found else 0.0", "hits-divisor"),
    "by_k": (HEAD + WALK + "    return total / k", "k-denominator"),
    "no_cut": (
        HEAD + WALK.replace("[:k]", "") + "    return total / len(relevant) if relevant else 0.0",
        "no-cut",
    ),
    "no_return": (HEAD + WALK + "    total / len(relevant)", None),
    "changes": (
        HEAD + "    recommended.append(None)\n" + WALK
        + "    return total / len(relevant) if relevant else 0.0",
        None,
    ),
    "endless": (HEAD + "    while True: pass", None),
}  # fmt: skip


NASTY = "\ud800<b>\x1b[31m\x00\x9b\u202e\u2066"
IN_TIME = datetime(2020, 5, 1, 10, tzinfo=UTC).timestamp()
DEADLINE = """
[deadlines.ps1]
due = 2020-05-01T12:00:00Z
late_percent = 10
[deadlines.ps1.extensions]
extended = 2020-05-08T12:00:00Z
"""
LATE = {"late": "2020-05-02T15:00:00Z", "extended": "2020-05-02T15:00:00Z"}
# First name, last name, e-mail and lms_id of those whom a learning system calls by them.
WHO = {
    "moodle": "Mona,Moodle,,",
    "moodle_flat": ",,,71",
    "canvas": "Ça,Nvas,,",
    "canvas_again": ",,,99",
    "victim": "Vic,Tim,,",
    "malory": "Malory,Ory,,",
    "twin": "Twin,Same,,",
}
PLACES = {
    "moodle": "Mona Moodle_1001_assignsubmission_file/Notebook (3).ipynb",
    "moodle_flat": "Another Name_71_assignsubmission_file_victim.ipynb",
    "canvas": "nvasça_LATE_98_4710_right-1.ipynb",
    "canvas_again": "againcara_99_4712_ps1-1.ipynb",
    "victim": "Vic Tim_1002_assignsubmission_file/ps1.ipynb",
}


def _surrogate(at, name, book):
    cell_of(book, format_grade_id(CHOOSE))["source"] = r"choice = '\ud800<b>'"
    return OUT_OF[CHOOSE]


def _nasty(at, name, book):
    add_code(book, f"x = '{NASTY}'", before="ranking-e4")
    cell_of(book, "ranking-explain_ideal")["source"] = f"Because {NASTY} it is."


def _raises(at, name, book):
    add_code(book, r"raise ValueError('\ud800\x1b[31m\u202e')", before="ranking-e4")


def _bare(at, name, book):
    book["metadata"] = {}
    cells = [{key: one[key] for key in ("cell_type", "source")} for one in book["cells"]]
    book["cells"][:] = cells


def _odd_metadata(at, name, book):
    book["metadata"]["kernelspec"] = [NASTY]
    for odd in (5, [], "x", None, {"nbgrader": 1, "recsys_metrics": {"question": ["a"]}}):
        cell = {"cell_type": "markdown", "source": NASTY, "metadata": odd, "id": odd}
        book["cells"].insert(0, cell)


def _big_output(at, name, book):
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 800_000}
    cell_of(book, "ranking-e4")["outputs"] = [output]


def _other_kernel(at, name, book):
    book["metadata"]["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}


def _forged(at, name, book):
    book["metadata"]["recsys_metrics"]["student"] = "right"


def _exits(at, name, book):
    add_code(book, "import os\nos._exit(0)", before="ranking-e4")
    return ALL


ODD = {
    "surrogate": _surrogate,
    "nasty": _nasty,
    "raises": _raises,
    "bare": _bare,
    "odd_metadata": _odd_metadata,
    "big_output": _big_output,
    "other_kernel": _other_kernel,
    "forged": _forged,
    "exits": _exits,
}
BROKEN = {
    "deep": lambda book: b'{"cells": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "no_json": lambda book: b"\x80\x81 no json",
    "utf16": lambda book: json.dumps(book).encode("utf-16"),
    "a_list": lambda book: b"[1, 2]",
    "many_cells": lambda book: {"cells": [{"cell_type": "raw", "source": ""}] * 6_000},
    "huge_outputs": lambda book: {**book, "outputs": ["x" * 1_500_000]},
    "a_folder": lambda book: book,
    "a_link": lambda book: book,
    "a_pipe": lambda book: book,
    "a_socket": lambda book: book,
    "picture": lambda book: book,
}


def _folder(file):
    (file / "empty").mkdir(parents=True)


def _socket(file):
    os.mknod(file, stat.S_IFSOCK | 0o600)


SPECIAL = {
    "a_folder": _folder,
    "a_link": lambda file: file.symlink_to("/etc/passwd"),
    "a_pipe": lambda file: os.mkfifo(file),
    "a_socket": _socket,
    "picture": lambda file: file.with_suffix(".png").write_bytes(b"PNG"),
}


class Class:
    """Who hands in what, and what it is to bring: None where it cannot be graded."""

    def __init__(self, desk):
        mistakes = [m.id for m in REGISTRY[AP].mistakes][:5]
        self.mistakes = {f"ap_{i}": name for i, name in enumerate(mistakes)}
        self.names = [
            *("right", "partly", "wrong", "untouched", "cell_gone", "stray_cells"),
            *FORMS, *self.mistakes, *FUNCTIONS,
            *("empty", "cut_off", "huge", "missing", "renamed", "copied", "unsigned", "hostile"),
            *ODD, *BROKEN, *PLACES, *LATE, "nameless", "malory", "twin",
        ]  # fmt: skip
        self.at = desk(self.names, EXERCISES, seconds=25, cell_seconds=5, memory_mb=900,
                       notebook_mb=1)  # fmt: skip
        self.expected: dict[str, float | None] = {}
        for name in self.names:
            self.expected[name] = self.hand_in(name)
        self.write_roster()
        self.set_times()

    def write_roster(self):
        rows = [f"{name},{WHO.get(name, ',,,')}\n" for name in self.names]
        text = f"{','.join(course_folder.COLUMNS)}\n{''.join(rows)}"
        (self.at.course.root / course_folder.ROSTER).write_text(text)

    def set_times(self):
        """Let all be in time but two, of whom the learning system says when."""
        for file in self.at.downloads.rglob("*"):
            if not file.is_symlink():
                os.utime(file, (IN_TIME, IN_TIME))
        times = "".join(f"{name},{when}\n" for name, when in LATE.items())
        self.at.course.root.with_name("times.csv").write_text(f"id,submitted\n{times}")
        settings = self.at.course.root / course_folder.SETTINGS
        settings.write_text(settings.read_text() + DEADLINE)
        self.at.course = course_folder.read(self.at.course.root)

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
            cell_of(book, "ranking-e5")["source"] = write_answer(at.asked(name)[NDCG], answer)
            points -= OUT_OF[NDCG] / len(answer)
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
        elif name in ODD:
            points -= ODD[name](at, name, book) or 0
        elif name in BROKEN:
            book, points = BROKEN[name](book), points if name == "utf16" else None
        elif name in LATE:
            points = points * 0.8 if name == "late" else points
        if name in PLACES:
            self.hand_in_elsewhere(name, book)
        elif name in {"nameless", "malory", "twin"}:
            points = None
            self.hand_in_for_a_person(name, book)
        elif name in SPECIAL:
            points = None
            SPECIAL[name](at.downloads / "downloads" / f"{name}_ps1.ipynb")
        else:
            at.put(file, book)
        return points

    def hand_in_elsewhere(self, name, book):
        """Hand in where a learning system puts it."""
        self.at.put(f"downloads/{PLACES[name]}", book)
        if name == "canvas_again":
            wrong = self.at.answered(name, {AP: "ap = 7"})
            self.at.put("downloads/againcara_99_4711_ps1.ipynb", wrong)

    def hand_in_for_a_person(self, name, book):
        """Hand in what no program should decide on."""
        if name == "nameless":
            self.at.put("downloads/final.ipynb", {**book, "metadata": {}})
        elif name == "malory":
            stolen = self.at.answered("victim", {AP: "ap = 99"})
            self.at.put("downloads/Malory Ory_1003_assignsubmission_file/ps1.ipynb", stolen)
        else:
            for number, answer in ((5, "ap = 1"), (6, "ap = 2")):
                place = f"downloads/Twin Same_{number}_assignsubmission_file/ps1.ipynb"
                self.at.put(place, self.at.answered(name, {AP: answer}))

    def mistake(self, name, cell):
        """Answer as somebody who makes a mistake, and return what it costs."""
        question = self.at.asked(name)[AP]
        exercise = question.exercise
        assert isinstance(exercise, Numbers)
        made = next(m for m in exercise.mistakes if m.id == self.mistakes[name])
        cell["source"] = write_answer(question, exercise.wrong_answers(made))
        return OUT_OF[AP]


def _nonsense(at, name):
    yield "ap = 7"
    yield "\n".join(f"{one} = None" for one in at.asked(name)[NDCG].names)
    yield "my_average_precision = 0.5"
    yield "order = {1, 2}"
    yield "choice = object()"
    yield "*Your answer.*"
