"""An exam: questions from variants of exercises, whose wrong options are mistakes with a name."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from recsys_metrics.workbook.course.reasons import has_unit_range
from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises import answers as numbers
from recsys_metrics.workbook.exercises.base import Exercise, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.grading.limits import GradingError

FEWEST_OPTIONS = 3
_MOST_OPTIONS = 5
# Words of questions about what no paper has.
_NOT_ON_PAPER = ("notebook", "`load_", "The diagram shows")
# So many draws without other numbers are no chance any more.
_REDRAWS = 200


@dataclass(frozen=True)
class Option:
    """Something to choose.

    Attributes
    ----------
    text : str
        In markdown.
    right : bool
    why : str
        For a wrong one: the mistake that leads there, and what to ask oneself. In markdown.
    """

    text: str
    right: bool
    why: str = ""


@dataclass(frozen=True)
class ExamQuestion:
    """A question with its key.

    Attributes
    ----------
    exercise, seed : str
        Of which variant. The seed gives the key, so it is written into no file.
    title : str
    text : str
        What is given and asked, in markdown.
    options : tuple of Option
        One of them is right.
    value : float or None
        What is right, where a number is asked for.
    steps : int
        Of the worked solution: its difficulty is estimated from them.
    points : int
    """

    exercise: str
    seed: str
    title: str
    text: str
    options: tuple[Option, ...]
    value: float | None
    steps: int
    points: int

    @property
    def key(self) -> str:
        """The letter of the right option."""
        (at,) = [at for at, option in enumerate(self.options) if option.right]
        return letter(at)

    @property
    def content(self) -> tuple[str, frozenset[str]]:
        """What a student reads, whatever the order of the options."""
        return self.text, frozenset(option.text for option in self.options)

    @property
    def difficulty(self) -> str:
        """An estimate: nobody has answered it yet.

        >>> [ExamQuestion("", "", "", "", (), None, steps, 1).difficulty for steps in (1, 3, 5)]
        ['easy', 'middling', 'hard']
        """
        return "easy" if self.steps <= 2 else "middling" if self.steps == 3 else "hard"


def letter(at: int) -> str:
    """Return what stands before an option: a, b, …"""
    return "abcdefghijklmnopqrstuvwxyz"[at]


def draw(
    count: int, *, seed: str, versions: int = 1, parts: Sequence[str] = tuple(PARTS)
) -> list[list[ExamQuestion]]:
    """Draw the versions of an exam.

    Parameters
    ----------
    count : int
        How many questions.
    seed : str
        The same seed gives the same exam.
    versions : int
        All of them ask the same exercises, each with other numbers as far as the exercise has
        enough variants. The order of the questions and of the options of each is drawn
        independently, so that the letters of one version say nothing about those of another.
    parts : sequence of str
        Names of `PARTS` to take exercises from; they take turns, so that each gives about as
        many.

    Returns
    -------
    list of list of ExamQuestion
        The questions of each version.

    Raises
    ------
    GradingError
        If the parts have fewer exercises that can be asked on paper.
    """
    rng = _generator(seed)
    rows = [
        [held[at] for at in rng.permutation(len(held))]
        for held in ([one for one in PARTS[part] if can_be_asked(one)] for part in parts)
        if held
    ]
    turns = list(_in_turns([rows[at] for at in rng.permutation(len(rows))]))
    if count > len(turns):
        raise GradingError(
            f"{count} questions were requested, and these parts have {len(turns)} exercises that "
            "can be asked on paper"
        )
    chosen = {exercise.id for exercise in turns[:count]}
    every = [exercise for held in PARTS.values() for exercise in held if exercise.id in chosen]
    names = [f"{seed}/{letter(at)}" for at in range(versions)]
    drawn = {exercise.id: _draw_apart(exercise, names) for exercise in every}
    return [
        [
            drawn[every[place].id][at]
            for place in _generator(f"{name} order").permutation(len(every))
        ]
        for at, name in enumerate(names)
    ]


def _draw_apart(exercise: Exercise, seeds: Iterable[str]) -> list[ExamQuestion]:
    """Return a variant for each seed, drawn again until it is not one of those before it."""
    found: list[ExamQuestion] = []
    redraws = _REDRAWS
    for seed in seeds:
        taken = {one.content for one in found}
        first = new = question(exercise, seed)
        for turn in range(redraws):
            if new.content not in taken:
                break
            new = question(exercise, f"{seed}/{turn}")
        if new.content in taken:
            # There are no more variants, so that the next seeds have none either.
            new, redraws = first, 0
        found.append(new)
    return found


def find_repeated(versions: Sequence[Sequence[ExamQuestion]]) -> dict[str, list[list[str]]]:
    """Return the questions that several versions ask with the same numbers.

    Returns
    -------
    dict
        The id of an exercise to groups of questions that are the same: `["A5", "C1"]`.
    """
    places: dict[str, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for at, asked in enumerate(versions):
        for number, one in enumerate(asked, 1):
            places[one.exercise][one.content].append(f"{letter(at).upper()}{number}")
    repeated = {
        exercise: [where for where in groups.values() if len(where) > 1]
        for exercise, groups in places.items()
    }
    return {exercise: groups for exercise, groups in repeated.items() if groups}


def _in_turns(rows: Iterable[Sequence[Exercise]]) -> Iterator[Exercise]:
    rows = list(rows)
    for at in range(max(map(len, rows), default=0)):
        yield from (row[at] for row in rows if at < len(row))


def can_be_asked(exercise: Exercise) -> bool:
    """Return whether an exercise can be asked on paper: with other numbers, no data and no picture.

    >>> from recsys_metrics.workbook.exercises import ranking
    >>> can_be_asked(ranking.average_precision_of_list), can_be_asked(ranking.write_ndcg)
    (True, False)
    """
    if not exercise.points or exercise.same_for_all:
        return False
    if any(words in exercise.question for words in _NOT_ON_PAPER):
        return False
    if isinstance(exercise, Choice):
        return not exercise.chooses_all and len(exercise.accepted_answers) == 1
    return isinstance(exercise, Numbers) and len(_wrong_values(exercise)[1]) >= FEWEST_OPTIONS - 1


def question(exercise: Exercise, seed: str) -> ExamQuestion:
    """Return a variant of an exercise as a question.

    Parameters
    ----------
    exercise : Exercise
        One that can be asked.
    seed : str

    Returns
    -------
    Question
    """
    variant = exercise.variant(seed)
    value = None
    if isinstance(variant, Choice):
        text, options = variant.question, _of_choice(variant)
    elif isinstance(variant, Numbers):
        name, wrong = _wrong_values(variant)
        value = variant.answer[name]
        label = next(field.label for field in variant.fields if field.name == name)
        asks = f"Give this number, to three decimals: **{label}**."
        if len(variant.asks) > 1:
            asks = f"Give one of these numbers only, to three decimals: **{label}**."
        text = f"{variant.question}\n\n{asks}"
        options = _write_alike([(value, ""), *wrong[: _MOST_OPTIONS - 1]])
    else:
        raise GradingError(f"{exercise.id} has no options, so it is no question for an exam")
    return ExamQuestion(
        exercise.id,
        seed,
        variant.title,
        text,
        # Sorted numbers would keep the right one at its place among its mistakes in all versions.
        tuple(options[at] for at in _generator(f"{seed} {exercise.id}").permutation(len(options))),
        value,
        len(variant.steps),
        variant.points,
    )


def _of_choice(variant: Choice) -> list[Option]:
    why = {
        answer["choice"]: _why(variant, mistake)
        for mistake in variant.own_mistakes
        for answer in variant.wrong_answers(mistake)
    }
    right = variant.accepted_answers
    shown = variant.option_list
    return [
        Option(shown.texts[key], key in right, "" if key in right else why.get(key, ""))
        for key in shown.keys
    ]


def _write_alike(values: Sequence[tuple[float, str]]) -> list[Option]:
    """Return numbers as options, the first as the right one, all with the same decimals.

    Where a wrong number is round more often than the right one, the decimals would give it away.

    >>> [option.text for option in _write_alike([(0.5, ""), (7 / 12, "why")])]
    ['0.500', '0.583']
    """
    is_whole = all(value == round(value) for value, _ in values)
    places = 0 if is_whole else numbers.PLACES
    return [Option(f"{value:.{places}f}", not at, why) for at, (value, why) in enumerate(values)]


def _wrong_values(variant: Numbers) -> tuple[str, list[tuple[float, str]]]:
    """Return which number tells the most mistakes apart, and for each what it leads to, and why."""
    found: dict[str, list[tuple[float, str]]] = {}
    labels = {asked.name: asked.label for asked in variant.fields}
    for name, value in variant.answer.items():
        # Who sees an AUC of 6 knows that it is wrong without computing anything.
        bounded = has_unit_range(labels[name])
        seen = {numbers.format_value(value)}
        found[name] = []
        for mistake in variant.own_mistakes:
            wrong = variant.wrong_answers(mistake)[name]
            said = numbers.format_value(wrong)
            if said not in seen and said != "nan" and (0 <= wrong <= 1 or not bounded):
                seen.add(said)
                found[name].append((wrong, _why(variant, mistake)))
    # Of two that tell as many apart the later one, which takes more to find.
    name = max(reversed(found), key=lambda each: len(found[each]))
    return name, found[name]


def _why(variant: Choice | Numbers, mistake: object) -> str:
    known = next(one for one in variant.mistakes if one is mistake)
    cause, hint = (render_text(text, variant.inputs) for text in (known.cause, known.hint))
    return f"*{known.name}*: {cause} {hint}"


def _generator(seed: str) -> np.random.Generator:
    digest = hashlib.sha256(f"exam/{seed}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
