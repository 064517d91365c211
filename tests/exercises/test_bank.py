"""Exercises as data: what a file may hold, what is wrong with it and where, and how it is read."""

import json
import re
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from recsys_metrics.workbook.common.markup import strip_markup
from recsys_metrics.workbook.exercises import SUBJECTS, bank
from recsys_metrics.workbook.exercises.bank import (
    BankError,
    as_json,
    build,
    read_shared_mistakes,
    read_yaml,
    translate,
)
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.schema_faults import find_schema_fault

FOLDER = Path(str(files("recsys_metrics.workbook.exercises")))
FILES = sorted(FOLDER.glob("*/*.yaml"))
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))

MEAN = """
mean_stars:
  kind: numbers
  title: Mean
  part: 01_rating
  position: 1
  minutes: 1
  prompt: The stars are {stars}.
  asks: {mean: the mean, twice: twice the mean}
  inputs: {stars: [1, 2, 6]}
  draw: draw
  hints: [Add them up.]
  solution:
    - text: Add them up, and divide by how many there are.
      code: |
        total = sum(stars)
        mean = total / len(stars)
        twice = 2 * mean
  mistakes:
    not-divided:
      swap: {total / len(stars): total}
      cause: The sum was not divided.
      hint: How many stars are there?
    exchanged:
      name: mean and twice the mean exchanged
      swap: {mean: twice, twice: mean, 2 * mean: twice / 2}
      cause: They have changed places.
      hint: Which is larger?
"""


# Each letter stands for nine of the letter before.
NESTED = [(i, "abcdefghij"[i], "abcdefghij"[i + 1]) for i in range(9)]


def entry(**changed):
    (declared,) = read_yaml(MEAN, "mean.yaml").values()
    return {**declared, "draw": "len", **changed}


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(bank, "_import", lambda module: __import__("builtins"))
    return lambda **changed: build(entry(**changed), "rating.mean_stars", "stars")


def test_an_answer_is_that_of_the_worked_solution(made):
    exercise = made()
    assert exercise.answer == {"mean": 3, "twice": 6}
    assert exercise.id == "rating.mean_stars"
    assert exercise.walkthrough()[1][1].startswith("total = sum(stars)")


def test_a_mistake_is_an_edit_of_the_solution_and_carries_on(made):
    exercise = made()
    not_divided, exchanged = exercise.mistakes
    assert exercise.wrong_answers(not_divided) == {"mean": 9, "twice": 18}
    assert not_divided.name == "not divided"
    assert exchanged.name == "mean and twice the mean exchanged"
    assert "Not yet: not divided" in repr(exercise.check(9, 18))


def test_two_texts_of_a_swap_change_places_at_once(made):
    swap = {"total": "len(stars)", "len(stars)": "total"}
    mistake = {"swap": swap, "cause": "c", "hint": "h"}
    with pytest.raises(BankError, match=r"is no Python: 'len\(stars\) = 9'"):
        made(
            mistakes={"a": mistake},
            solution=[{"text": "t", "code": "total = 9\nmean = total / len(stars)\ntwice = mean"}],
        )
    exercise = made(
        mistakes={"a": {**mistake, "swap": {"9": "3", "len(stars)": "9"}}},
        solution=[{"text": "t", "code": "mean = 9 / len(stars)\ntwice = mean"}],
    )
    assert exercise.wrong_answers(exercise.mistakes[0]) == {"mean": 1 / 3, "twice": 1 / 3}


SHARED = {"shared": "median-for-mean", "swap": {"total / len(stars)": "2"}}


def test_a_shared_mistake_has_its_words_from_the_shared_file(made):
    (shared,) = made(mistakes={"a": SHARED}).mistakes
    assert shared.shared
    words = read_shared_mistakes()["median-for-mean"]
    assert {**words} == {"name": shared.name, "cause": shared.cause, "hint": shared.hint}
    (own,) = made(mistakes={"a": {**SHARED, "hint": "Which star is in the middle?"}}).mistakes
    assert (own.cause, own.hint) == (shared.cause, "Which star is in the middle?")


def test_each_way_of_a_mistake_is_suspected(made):
    ways = {"swap": [{"total / len(stars)": "2"}, {"total / len(stars)": "total / 2"}]}
    for words, tier in (({"cause": "c", "hint": "h"}, 0), ({"shared": "median-for-mean"}, 1)):
        exercise = made(mistakes={"a": {**ways, **words}})
        (mistake,) = exercise.mistakes
        of_a = [one for one in exercise.suspects if one.id == "a"]
        assert [one.values["mean"] for one in of_a] == [2, 4.5]
        assert exercise.wrong_answers_by_way(mistake) == [one.values for one in of_a]
        assert [one.tier for one in of_a] == [tier, tier]
        for mean in (2, 4.5):
            assert exercise.check(mean, 2 * mean).mistake == "a"


def test_a_shared_mistake_comes_after_those_of_the_exercise(made):
    own = {"swap": SHARED["swap"], "cause": "c", "hint": "h"}
    exercise = made(mistakes={"a": SHARED, "b": own})
    assert [one.id for one in exercise.mistakes] == ["b", "a"]
    assert [one.id for one in exercise.own_mistakes] == ["b"]
    result = exercise.check(2, 4)
    assert result.mistake == "b"
    # Both lead to this value, so neither is claimed.
    assert result.parts[0].pitfall == ""
    assert "Or perhaps" in result.message


def test_two_ways_of_one_mistake_with_the_same_value_are_one_cause(made):
    ways = [{"total / len(stars)": "2"}, {"total / len(stars)": "min(2, total)"}]
    result = made(mistakes={"a": {"swap": ways, "cause": "Two.", "hint": "h"}}).check(2, 4)
    assert result.mistake == "a"
    # One digit is not enough to be sure.
    assert result.parts[0].pitfall == ""
    assert result.message.count("Two.") == 1
    assert "More than one mistake" not in result.message


def test_a_shared_mistake_need_not_be_told_apart(made):
    right = {"shared": "sum-for-mean", "swap": {"total / len(stars)": "3"}}
    own = {"swap": SHARED["swap"], "cause": "c", "hint": "h"}
    assert made(mistakes={"a": SHARED, "b": own, "c": right}).indistinguishable_mistakes() == []
    own_right = {"swap": [SHARED["swap"], right["swap"]], "cause": "c", "hint": "h"}
    assert made(mistakes={"a": own_right, "b": own}).indistinguishable_mistakes() == [
        ("a",),
        ("a", "b"),
    ]


def test_every_shared_mistake_is_used():
    used = {
        one["shared"]
        for file in FILES
        for entry in entries_of(file).values()
        for one in entry.get("mistakes", {}).values()
        if "shared" in one
    }
    assert used == set(read_shared_mistakes())


def test_the_shared_mistakes_fit_their_schema_and_their_copy_in_json():
    jsonschema = pytest.importorskip("jsonschema")
    file = FOLDER / "shared_mistakes.yaml"
    schema = {"$ref": "#/$defs/shared_mistakes", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(entries_of(file))
    assert json.loads(as_json(file)) == entries_of(file) == read_shared_mistakes()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"draw": "no_such"}, r"rating\.mean_stars: 'no_such' is not in stars\.py"),
        (
            {"mistakes": {"a": {"swap": {"tot": "1"}, "cause": "c", "hint": "h"}}},
            r"rating\.mean_stars: the mistake 'a' swaps 'tot', which is not in the solution; "
            "did you mean 'total'",
        ),
        ({"follows": {"mean": "total /"}}, "how 'mean' follows from other answers is no Python"),
        (
            {"mistakes": {"a": {**SHARED, "shared": "median-of-mean"}}},
            r"rating\.mean_stars: the mistake 'a' shares 'median-of-mean', which is not in "
            r"shared_mistakes\.yaml; did you mean 'median-for-mean'",
        ),
    ],
)
def test_a_name_or_a_text_that_is_not_there_is_an_error(made, changed, says):
    with pytest.raises(BankError, match=says):
        made(**changed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: {b: 1}\nc: {d: 1}\na: {e: 2}\n", r"x\.yaml, line 3: a: 'a' is given a second time"),
        ("a:\n  b: 1\n  b: 2\n", r"x\.yaml, line 3: a: 'b' is given a second time"),
        (
            "a:\n  b: 'open\n",
            r"x\.yaml, line 2: a: this is not valid YAML: .*end of stream; the quotation mark is "
            "not closed",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_its_line(text, says):
    with pytest.raises(BankError, match=says):
        read_yaml(text, "x.yaml")


def test_two_exercises_at_one_position_are_an_error(monkeypatch):
    two = {"a": entry(), "b": entry()}
    monkeypatch.setattr(bank, "_read_files", lambda folder: {"stars": two})
    monkeypatch.setattr(bank, "files", lambda package: None)
    with pytest.raises(
        BankError, match=r"b in stars\.yaml and a in stars\.yaml both have position"
    ):
        len(bank.Subject("x.rating"))
    monkeypatch.setattr(bank, "_read_files", lambda folder: {"stars": {"stars": entry()}})
    with pytest.raises(BankError, match="has the name of a file"):
        len(bank.Subject("x.rating"))
    unplaced = {key: value for key, value in entry().items() if key != "position"}
    monkeypatch.setattr(bank, "_read_files", lambda folder: {"stars": {"a": unplaced}})
    with pytest.raises(BankError, match=r"a in stars\.yaml has no position"):
        len(bank.Subject("x.rating"))


def test_an_error_in_the_bank_has_its_file_and_line(monkeypatch, tmp_path):
    text = yaml.safe_dump({"a": entry() | {"draw": "no_such"}}, sort_keys=False)
    (tmp_path / "stars.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(bank, "files", lambda package: tmp_path)
    monkeypatch.setattr(bank, "_import", lambda module: SimpleNamespace(solve=sum))
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "no_such" in each)
    with pytest.raises(BankError, match=rf"^stars\.yaml, line {line}: rating\.a: 'no_such' is not"):
        bank.Subject("x.rating")["a"]


def test_each_exercise_belongs_to_a_chapter():
    chapters = {file.stem for file in (Path(__file__).parents[2] / "chapters").glob("0*.md")}
    assert {
        one["part"] for file in FILES for one in yaml.safe_load(file.read_text("utf-8")).values()
    } <= chapters


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_each_file_fits_the_schema_and_its_copy_in_json(file):
    pytest.importorskip("jsonschema")
    entries = read_yaml(file.read_text(encoding="utf-8"), file.name)
    assert find_schema_fault(entries) is None
    assert json.loads(as_json(file)) == entries


def test_the_schema_describes_each_field():
    def fields(node):
        if isinstance(node, dict):
            for key, value in node.get("properties", {}).items():
                if not {"const", "enum"} & set(value) or "description" in value:
                    yield key, value
            for value in node.values():
                yield from fields(value)
        elif isinstance(node, list):
            for value in node:
                yield from fields(value)

    described = {
        **SCHEMA["$defs"]["exercise"]["properties"],
        **SCHEMA["$defs"]["mistake"]["properties"],
    }
    assert len(described) > 35
    for name, field in described.items():
        assert name == "kind" or field["description"].endswith("."), name


def test_all_exercises_are_data():
    declared = {
        f"{file.parent.name}.{one.get('id', name)}"
        for file in FILES
        for name, one in yaml.safe_load(file.read_text(encoding="utf-8")).items()
    }
    assert declared == {one.id for exercises in SUBJECTS.values() for one in exercises}
    for file in FOLDER.glob("*/*.py"):
        made = re.search(
            r"\b(Numbers|Function|Choice|Order|Predict|Text)\(", file.read_text("utf-8")
        )
        assert not made, file


def marked(text):
    """Return a text in a language that nobody speaks: each line between marks."""
    return "\n".join(f"«{line}»" if line.strip() else line for line in text.splitlines())


@pytest.mark.parametrize("name", ["ranking.two_areas", "rating.ratio", "bias.which_parity"])
def test_an_exercise_can_be_shown_in_another_language(name):
    subject, _, own = name.partition(".")
    (file,) = [each for each in FILES if each.parent.name == subject and own in entries_of(each)]
    entry = entries_of(file)[own]
    package = f"recsys_metrics.workbook.exercises.{subject}.{file.stem}"
    ours, theirs = (build(each, name, package) for each in (entry, translate(entry, marked)))
    assert theirs.answer == ours.answer
    assert theirs.title == f"«{ours.title}»"
    assert render_text(theirs.hints[0], theirs.inputs).startswith("«")
    assert "«" in repr(theirs.hint(1))
    assert theirs.question.count("«") == sum(map(bool, map(str.strip, ours.question.splitlines())))
    for one in theirs.mistakes:
        assert "«" in one.name
        wrong = theirs.wrong_answers(one)
        # Of a choice there are several ways to make a mistake, or none.
        for answer in [wrong] if isinstance(ours, Numbers) else wrong:
            message = theirs.check(**answer).message
            assert strip_markup(render_text(one.cause, theirs.inputs)) in strip_markup(message)
            assert "«" in message
    solved = theirs.check(**theirs.answer)
    assert solved.outcome == "PASS"
    assert "«" in solved.message
    assert all(
        step.code == other.code for step, other in zip(theirs.steps, ours.steps, strict=True)
    )


def entries_of(file):
    return read_yaml(file.read_text(encoding="utf-8"), file.name)


def test_aliases_of_aliases_are_refused_before_they_grow():
    rows = ["x: &a [1, 1]", *(f"y{i}: &{b} [{', '.join(['*' + a] * 9)}]" for i, a, b in NESTED)]
    with pytest.raises(BankError, match=r"x\.yaml, line 2: y0: \*a represents a value above"):
        read_yaml("\n".join(rows), "x.yaml")


# What is typed behind `x: `, as what YAML reads it, and how the number is written if it is one.
MISREAD = [
    ("0100", "the number 64, in base 8", "write 64 or 100 for the number"),
    ("-007", "the number -7, in base 8", "write -7 for the number"),
    ("1:30", "the number 90, in base 60", "write 90 for the number"),
    ("-1:30.5", "the number -90.5, in base 60", "write -90.5 for the number"),
    ("0x1F", "the number 31, in base 16", "write 31 for the number"),
    ("0b11", "the number 3, in base 2", "write 3 for the number"),
    ("1_000", "the number 1000", "write 1000 for the number"),
    ("1_0.5", "the number 10.5", "write 10.5 for the number"),
    ("yes", "`true`", "write `true`, if that is meant"),
    ("OFF", "`false`", "write `false`, if that is meant"),
    ("~", "nothing", "leave it out, if nothing is meant"),
    ("Null", "nothing", "leave it out, if nothing is meant"),
    ("2024-01-05", "a date and not as text", ""),
    ("2024-01-05 10:00:00", "a date and a time and not as text", ""),
    ("1e3", "text and not as a number", "write 1000 for the number"),
    ("1.5e3", "text and not as a number", "write 1500 for the number"),
    ("1e999", "text and not as a number", "write a number that a float holds"),
    ("-.5", "text and not as a number", "write -0.5 for the number"),
    ("08", "text and not as a number", "write 8 for the number"),
    ("0o17", "text and not as a number", "write 15 for the number"),
    (".inf", "no finite number", "write a finite number"),
    ("1.0e+999", "infinity, since it is larger than any float", "write another"),
    (
        "0.30000000000000000004",
        "0.3, since a float holds no more digits",
        "write 0.3",
    ),
    ("=", "a mark of its own", ""),
    ("<<", "a command to merge fields", "write the fields themselves"),
]


@pytest.mark.parametrize(("typed", "reading", "cure"), MISREAD, ids=[one[0] for one in MISREAD])
@pytest.mark.parametrize("layout", ["    x: {}", "    x: [1, {}]", "    x:\n    - 1\n    - {}"])
def test_what_yaml_reads_otherwise_is_refused(typed, reading, cure, layout):
    text = f"one:\n  kind: numbers\n  inputs:\n{layout.format(typed)}\n"
    line, entry = (6, ", entry 2") if "-" in layout else (4, ", entry 2" if "[" in layout else "")
    quoted = f'put it in quotation marks to keep it as text: "{typed}"'
    with pytest.raises(BankError) as raised:
        read_yaml(text, "x.yaml")
    assert str(raised.value) == (
        f"x.yaml, line {line}: one, inputs, x{entry}: YAML reads `{typed}` as {reading}; "
        f"{cure}{', or ' if cure else ''}{quoted}"
    )
    quotes = text.replace(typed, f'"{typed}"')
    read = read_yaml(quotes, "x.yaml")["one"]["inputs"]["x"]
    assert read == (typed if not entry else [1, typed])


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        *(("100", 100), ("-5", -5), ("+5", 5), ("0", 0), ("1.50", 1.5), (".5", 0.5)),
        *(("1.0e+3", 1000.0), ("true", True), ("null", None), ("1,400", "1,400"), ("9" * 300, ...)),
        *(("1.2.3", "1.2.3"), ("a#b", "a#b"), ("R&D", "R&D"), ("A* search", "A* search")),
    ],
)
def test_what_yaml_reads_as_it_is_typed_is_read(typed, value):
    read = read_yaml(f"one:\n  inputs:\n    x: {typed}\n", "x.yaml")["one"]["inputs"]["x"]
    assert read == (int(typed) if value is ... else value)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("&Co and friends", r"line 3: one: YAML reads `&Co` as the name of a value.* quotation"),
        ("!important note", r"line 3: one: YAML reads `!important` as a tag.* in quotation marks"),
        ("! note", r"line 3: one: YAML reads `!` as a tag.* put the whole text in quotation marks"),
        ("!!binary YQ==", r"line 3: one: YAML reads `!!binary` as a tag"),
        ("[&-a 1, *-a]", r"line 3: one: \*-a represents a value above"),
        (
            "Rank # 1",
            r"line 3: one, title: YAML reads `# 1` as a comment, and the text",
        ),
        ("[" * 100_000, r"line 3: one: values within values, 50 deep and more"),
        ("[" * 60 + "]" * 60, r"line 3: one: values within values, 50 deep and more"),
        (
            "9" * 5_000,
            r"line 3: one, title: YAML reads `9{39}…` as a number of 5,000 digits",
        ),
    ],
    ids=range(9),
)
def test_text_that_yaml_would_cut_or_cannot_hold_is_refused(typed, says):
    with pytest.raises(BankError, match=rf"^x\.yaml, {says}"):
        read_yaml(f"one:\n  kind: text\n  title: {typed}\n", "x.yaml")


def test_an_open_quotation_mark_above_deep_brackets_is_named():
    text = f'one:\n  title: "open\n  prompt: a\n  inputs: {{x: {"[" * 100_000}\n'
    with pytest.raises(BankError, match=r"x\.yaml, line \d: one: "):
        read_yaml(text, "x.yaml")


def test_the_texts_of_a_swap_stay_as_they_are_typed():
    swap = "{0.50: 0100, True: no, 1_000: null, n: 1:30}"
    text = f"one:\n  mistakes:\n    m:\n      swap: {swap}\n"
    read = read_yaml(text, "x.yaml")["one"]["mistakes"]["m"]["swap"]
    assert read == {"0.50": "0100", "True": "no", "1_000": "null", "n": "1:30"}


def test_a_field_for_true_and_false_takes_their_other_words():
    assert read_yaml("one:\n  same_for_all: yes\n", "x.yaml") == {"one": {"same_for_all": True}}


@pytest.mark.parametrize("subject", sorted({file.parent.name for file in FILES}))
def test_the_swaps_of_the_bank_are_python_though_they_are_compiled_when_needed(subject):
    package = f"recsys_metrics.workbook.exercises.{subject}"
    for name, (theme, declared) in bank.open_subject(package)._entries().items():
        build(declared, f"{subject}.{name}", f"{package}.{theme}")


def test_a_swap_that_is_compiled_later_is_the_same_mistake(made):
    now, later = (
        build(entry(), "rating.mean_stars", "stars", compile_mistakes=each)
        for each in (True, False)
    )
    assert [*map(now.wrong_answers, now.mistakes)] == [*map(later.wrong_answers, later.mistakes)]
