"""Which rows of a roster the students of a learning system's table are.

What tells a student is, from the strongest on: the e-mail address; the number in the learning
system, with a name that may be the same, since two systems may have one number for two people; the
id, with such a name; the name alone, if it is that of one row and of one student of the table.
Where that is not certain nobody is added, and a sentence says who could be whom.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from recsys_metrics.workbook.course.course_folder import ROSTER, Student

# How these letters are written where there are none of them, beside the letter without its mark.
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})


@dataclass
class RosterMatches:
    """Who of a table is in a roster.

    Attributes
    ----------
    rows : dict of str to Student
        What the table knows of a row, by the row's id in small letters.
    known : list of str
        Ids of the rows of students whom the table lists.
    new : list of Student
        Whom no row names.
    doubts : list of str
        Sentences about students of whom it is not certain which row is theirs.
    """

    rows: dict[str, Student] = field(default_factory=dict)
    known: list[str] = field(default_factory=list)
    new: list[Student] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Match:
    """The row of a student, or why that is not certain; neither for a new student."""

    row: Student | None = None
    doubt: str = ""


def match_students(students: Iterable[Student], roster: Sequence[Student]) -> RosterMatches:
    """Return which rows of a roster the students of a table have, and who has none.

    Parameters
    ----------
    students : iterable of Student
        A student who is there twice with the same e-mail address or number counts once.
    roster : sequence of Student
    """
    listed = _without_repeated(students)
    matches = [_match_account(one, roster) for one in listed]
    taken = [one.row for one in matches]
    left = [row for row in roster if row not in taken]
    rest = [
        one for one, match in zip(listed, matches, strict=True) if not (match.row or match.doubt)
    ]
    found = RosterMatches()
    matches = [
        match if match.row or match.doubt else _match_name(one, rest, left, roster)
        for one, match in zip(listed, matches, strict=True)
    ]
    owners = Counter(match.row.id for match in matches if match.row)
    for one, match in zip(listed, matches, strict=True):
        row, doubt = match.row, match.doubt
        if row is not None and owners[row.id] > 1:
            doubt = doubt or f"{_named(one)} is one of several in the table who could be {row.id}"
        if row is not None:
            found.known.append(row.id)
        if doubt:
            found.doubts.append(doubt)
        elif row is None:
            found.new.append(one)
        else:
            found.rows[row.id.casefold()] = one
    return found


def complete_name(row: Student, one: Student) -> Student:
    """Return what a table knows of a student, with the names that a row lacks and no others.

    A table may have the full name alone, of which only a guess says where the last name begins. So
    of a row that has one name, the words that it has are not repeated in the other.

    >>> complete_name(Student("su", "Suharto"), Student("su", "", "Suharto")).last_name
    ''
    >>> complete_name(Student("a", "", "de Vries"), Student("a", "Anna de", "Vries")).first_name
    'Anna'
    """
    if not row.first_name and not row.last_name:
        return one
    first, last = one.first_name, one.last_name
    if _shares_word(first, row.last_name):
        first = _remove_words(one.name, row.last_name)
    if _shares_word(last, row.first_name):
        last = _remove_words(one.name, row.first_name)
    return replace(one, first_name=first, last_name=last)


def _shares_word(one: str, other: str) -> bool:
    return any({*a} & {*b} for a in _spell(one) for b in _spell(other))


def _remove_words(name: str, known: str) -> str:
    """Return a name without what it begins or ends with; empty if it does neither.

    >>> _remove_words("Anna de Vries", "de Vries"), _remove_words("Anna de Vries", "Vries de Wit")
    ('Anna', '')
    """
    words = name.split()
    for n in range(1, len(words) + 1):
        for start, rest in ((words[:n], words[n:]), (words[-n:], words[:-n])):
            if _is_one_name(" ".join(start), known):
                return " ".join(rest)
    return ""


def _without_repeated(students: Iterable[Student]) -> list[Student]:
    listed: list[Student] = []
    for one in students:
        # Of two rows with a name alone nobody knows whether they are one student.
        if one not in listed or not (one.email or one.lms_id):
            listed.append(one)
    return listed


def _match_account(one: Student, roster: Sequence[Student]) -> _Match:
    """Return the row that has the e-mail address or the number of a student."""
    by_email = [row for row in roster if _fold(row.email) == _fold(one.email) != ""]
    by_number = [row for row in roster if _fold(one.lms_id) in map(_fold, row.lms_ids)]
    rows = {row.id: row for row in (*by_email, *by_number)}
    if len(rows) > 1:
        says = f"{_named(one)} in the table has the e-mail address of {by_email[0].id}"
        return _Match(doubt=f"{says} and the number of {by_number[0].id} of {ROSTER}")
    for row in rows.values():
        if row not in by_email and not _may_be_one(one, row):
            return _Match(row, f"{row.id} with the number {one.lms_id} is {_say_both(row, one)}")
        return _Match(row)
    return _Match()


def _match_name(
    one: Student, rest: Sequence[Student], left: Sequence[Student], roster: Sequence[Student]
) -> _Match:
    """Return the row that has the name of a student.

    Parameters
    ----------
    one : Student
    rest : sequence of Student
        The students of the table whose account no row has.
    left : sequence of Student
        The rows whose account no student of the table has.
    roster : sequence of Student
    """
    namesakes = [row for row in left if _is_one_name(one.name, row.name)]
    free = [row for row in namesakes if not (one.email and row.email)]
    own = next((row for row in roster if _fold(row.id) == _fold(one.id) != ""), None)
    if own in left and own is not None and _may_be_one(one, own) and not (one.email and own.email):
        return _Match(own)
    same = sum(_is_one_name(one.name, other.name) for other in rest)
    if len(free) == 1 and same == 1:
        return _Match(free[0])
    could_be = free or namesakes
    more = "" if free or not namesakes else ", with another e-mail address"
    if not could_be and own is None:
        could_be = [row for row in left if row.name and not row.email and _may_be_one(one, row)]
    if could_be and one.name:
        who = " or ".join(row.id for row in could_be)
        return _Match(doubt=f"{_named(one)} in the table could be {who} of {ROSTER}{more}")
    if own is not None:
        return _Match(own, f"{own.id} is {_say_both(own, one)}")
    return _Match()


def _say_both(row: Student, one: Student) -> str:
    if row.name == one.name:
        return f"{row.name} ({row.email}) in {ROSTER}, and {one.name} ({one.email}) in the table"
    return f"{row.name} in {ROSTER}, and {one.name} in the table"


def _named(one: Student) -> str:
    return one.name or one.email or one.lms_id


def _fold(text: str) -> str:
    # Systems differ in how they write an accent.
    return unicodedata.normalize("NFC", text).casefold()


@cache
def _spell(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a name in small letters and without accents, in each way to write them.

    >>> _spell("Müller, José")
    (('jose', 'muller'), ('jose', 'mueller'))
    """
    folded = _fold(name)
    ways = (folded.replace("ø", "o"), folded.translate(_WRITTEN_OUT))
    plain = (unicodedata.normalize("NFKD", way) for way in ways)
    letters = ("".join(sign for sign in way if not unicodedata.combining(sign)) for way in plain)
    return tuple(tuple(sorted(re.findall(r"\w+", way))) for way in letters)


def _is_one_name(one: str, other: str) -> bool:
    """Whether two names are the same, whatever the order, case and accents of their words."""
    return bool(one and other and {*_spell(one)} & {*_spell(other)})


def _may_be_one(one: Student, other: Student) -> bool:
    """Whether two names may be of one student: of one there is none, or words or initials fit.

    >>> _may_be_one(Student("a", "A.", "Lee"), Student("b", "Ann", "Lee"))
    True
    >>> _may_be_one(Student("a", "Ann", "May"), Student("b", "Ann", "Lee"))
    False
    """
    if not (one.name and other.name):
        return True
    return any(
        _words_fit(*sorted((a, b), key=len)) for a in _spell(one.name) for b in _spell(other.name)
    )


def _words_fit(fewer: Sequence[str], more: Sequence[str]) -> bool:
    left = [*more]
    initials = []
    for word in fewer:
        if word in left:
            left.remove(word)
        else:
            initials.append(word)
    for word in initials:
        fits = [other for other in left if 1 in (len(word), len(other)) and word[0] == other[0]]
        if not fits:
            return False
        left.remove(fits[0])
    return len(initials) < len(fewer)
