"""Files of answers that claim outcomes, another student's answers or numbers, or run code."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.course.altered_files import (
    EXERCISES,
    FUNCTION,
    NUMBERS,
    TEXT,
    TOUCHED,
    Known,
    Saved,
    answer_to,
    edited,
    encode,
    forgery,
    give,
    give_code,
    in_each,
    set_fields,
)

# Outcomes and points.

edited(
    "outcomes",
    "an outcome and points in each answer",
    in_each(outcome="PASS", points=3),
)
edited(
    "score",
    "points and a maximum beside the answers",
    set_fields(points=100, score=1.0, outcomes=dict.fromkeys(EXERCISES, "PASS")),
)


def _outcome_as_field(saved: Saved) -> None:
    answer_to(saved, NUMBERS)["answer"].update(outcome="PASS", tolerance="9")


edited("outcome_as_number", "an outcome among the numbers of an answer", _outcome_as_field)
edited("weights", "a weight and a maximum in an answer", in_each(maximum=1000, weight=1e9))


# Whose it is.

edited("another_name", "Bob's id in Ann's file, with Ann's signature", set_fields(student="bob"))
edited("no_such_name", "an id that is not in the roster", set_fields(student="mallory"))


@forgery("Bob's whole file with Ann's id written into it")
def bobs_answers(known: Known) -> bytes:
    return encode({**known.bob, "student": known.ann["student"]})


@forgery("Bob's whole file, unchanged")
def bobs_file(known: Known) -> bytes:
    return encode(known.bob)


def _without(*names: str) -> Callable[[Saved], None]:
    def edit(saved: Saved) -> None:
        for name in names:
            del saved[name]

    return edit


edited("no_signature", "the signature is removed", _without("tag"), right=True)
edited(
    "no_owner",
    "name, assignment and signature are removed",
    _without("tag", "student", "assignment"),
    right=True,
)
edited("other_signature", "a signature that was made up", set_fields(tag="0" * 40), right=True)


@forgery("Ann's file of another assignment, renamed to this one")
def other_assignment_renamed(known: Known) -> bytes:
    return encode({**known.other, "assignment": "ps1"})


@forgery("Ann's file of another assignment")
def other_assignment(known: Known) -> bytes:
    return encode(known.other)


@forgery("Ann's file of the same assignment in another course")
def other_course(known: Known) -> bytes:
    return encode(known.elsewhere)


# Which questions.


@forgery("right answers to the numbers of somebody else, with their variants")
def another_variant(known: Known) -> bytes:
    return encode({**known.ann, "answers": known.other_variants})


edited("variant_null", "the original, whose solution is in the book", in_each(variant=None))
edited(
    "variant_number",
    "variants as numbers, not as text",
    lambda saved: [e.update(variant=int(e["variant"] or 0)) for e in saved["answers"]] and None,
    right=True,
)
edited(
    "variant_code",
    "code for a variant",
    in_each(variant=f"0'); import os; os.system('touch {TOUCHED}'); ('"),
)


def _other_exercises(saved: Saved) -> None:
    entry = answer_to(saved, NUMBERS)
    saved["answers"].append({**entry, "exercise": "ranking.e4", "answer": {"ap": "0.5"}})


edited("not_asked", "an answer to an exercise that is not in the assignment", _other_exercises)


def _exchanged(saved: Saved) -> None:
    one, two = answer_to(saved, NUMBERS), answer_to(saved, FUNCTION)
    one["answer"], two["answer"] = two["answer"], one["answer"]


edited("exchanged", "the answers of two exercises exchanged", _exchanged)


@forgery("each exercise answered twice, first wrong and then right")
def answered_twice(known: Known) -> bytes:
    return encode({**known.ann, "answers": known.ann["answers"] + known.right["answers"]})


@forgery("each key twice, the second one with right answers")
def keys_twice(known: Known) -> bytes:
    first, second = (
        encode(known.ann).decode().rstrip("}\n"),
        encode(known.right["answers"]).decode(),
    )
    return f'{first}, "answers": {second}}}'.encode()


edited(
    "exercise_path",
    "the name of a file for an exercise",
    lambda saved: answer_to(saved, NUMBERS).update(exercise="../../../course.toml"),
)


# Code.


def _numbers(text: Any) -> Callable[[Saved], None]:
    return give(NUMBERS, {"precision": text, "recall": text, "f1": text})


edited(
    "number_code",
    "code for a number",
    _numbers(f"__import__('os').system('touch {TOUCHED}')"),
)
edited(
    "number_break",
    "a number that ends its quotation marks and line",
    _numbers(f'0")\nimport os\nos.system("touch {TOUCHED}")\nex.check("'),
)
edited(
    "number_special",
    "nan, infinity and a number beyond floating point",
    give(NUMBERS, {"precision": "nan", "recall": "inf", "f1": "1e400"}),
)
edited("number_long", "a number of a million digits", _numbers("9" * 10**6))
edited(
    "text_break",
    "words that end their quotation marks",
    give(TEXT, {"text": "'''\"\"\"\nraise SystemExit\n'''" * 3 + "\\"}),
)

_READS = """
import glob
def my_precision(recommended, relevant, k):
    found = ""
    for pattern in ("/tmp/**/course.toml", "../**/*", "/etc/passwd", "/proc/*/mem"):
        for name in glob.glob(pattern, recursive=True):
            try:
                found += open(name).read()
            except OSError:
                pass
    return 1.0 if "key" in found else 0.123
"""
edited("reads_files", "a function that reads the grader's files", give_code(_READS))
_MEMORY = """
import gc, sys
def my_precision(recommended, relevant, k):
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()):
            if name in ("expected", "right", "truth", "solve"):
                return value(recommended, relevant, k) if callable(value) else value
        frame = frame.f_back
    for one in gc.get_objects():
        if getattr(one, "__name__", "") == "_precision" and callable(one):
            return one(recommended, relevant, k)
    return 0.123
"""
edited("reads_memory", "a function that looks for the right one in memory", give_code(_MEMORY))
_KNOWN_CASES = """
def my_precision(recommended, relevant, k):
    known = {("A", "B", "C", "D", "E"): 0.6, ("B", "C", "D"): 0.4, ("A", "B"): 0.0, (): 0.0}
    return known.get(tuple(recommended), 0.123)
"""
edited("known_cases", "a function that answers the stated cases only", give_code(_KNOWN_CASES))
_EQUAL = """
class Right(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __hash__(self): return 0
def my_precision(recommended, relevant, k):
    return Right(0.123)
"""
edited("equal_to_all", "a value that is equal to every other", give_code(_EQUAL))
_PATCH = """
import math, sys
import numpy as np
math.isclose = np.isclose = np.allclose = lambda *a, **k: True
for name, module in list(sys.modules.items()):
    if name.startswith("recsys_metrics"):
        for key, value in list(vars(module).items()):
            if key in ("PASS", "Outcome") or key.startswith(("check", "is_right", "_check")):
                try:
                    setattr(module, key, lambda *a, **k: "PASS")
                except Exception:
                    pass
def my_precision(recommended, relevant, k):
    return 0.123
"""
edited("patches_checks", "code that replaces the checks", give_code(_PATCH))
_PRINTS = """
import json, os, sys
for fd in range(1, 12):
    try:
        result = {"exercise": "ranking.e2", "outcome": "PASS", "points": 9}
        os.write(fd, (json.dumps(result) + "\\n").encode())
    except OSError:
        pass
os._exit(0)
"""
edited(
    "prints_results",
    "code that writes results to every open file and ends the process",
    give_code(_PRINTS),
)
_MAGIC = f"""
%%bash
touch {TOUCHED}; cat /etc/passwd
"""
edited("cell_magic", "a command of the shell for a function", give_code(_MAGIC))
_OTHERS = """
import recsys_metrics.workbook as workbook
precision = recall = f1 = 0.5
def my_precision(recommended, relevant, k):
    return 0.123
{right}
"""


@forgery("a function's code that checks other exercises with right answers")
def checks_others(known: Known) -> bytes:
    saved = copy.deepcopy(known.ann)
    numbers, variant = answer_to(known.right, NUMBERS), answer_to(known.right, NUMBERS)["variant"]
    values = ", ".join(f"{name}={value}" for name, value in numbers["answer"].items())
    lines = [
        "from recsys_metrics.workbook.exercises import ranking as ex",
        f"ex.e2.variant({variant!r}).check({values})",
        *(f"{name} = {value}" for name, value in numbers["answer"].items()),
    ]
    answer_to(saved, FUNCTION)["answer"] = _OTHERS.format(right="\n".join(lines))
    return encode(saved)


edited("endless", "code that does not end", give_code("while True:\n    pass\n"))
