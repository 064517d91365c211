"""The course's folder, laid out as nbgrader lays it out, with its settings and its roster."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from recsys_metrics._core import console, csv_injection, toml_lines
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics._core.windows_names import find_fault_of_name
from recsys_metrics.workbook.course import deadlines, nbgrader_settings, text_tables
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.course.setting_names import (
    SettingError,
    explain_syntax,
    find_unknown,
    join_keys,
)
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.escaped_markdown import escape_markdown
from recsys_metrics.workbook.grading.limits import GradingError, Limits

SETTINGS = "course.toml"
ROSTER = "roster.csv"
GRADEBOOK = "gradebook.db"
COLUMNS = ("id", "first_name", "last_name", "email", "lms_id")
FOLDERS = ("source", "release", "submitted", "autograded", "feedback")

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_KEY = re.compile(r"[0-9a-f]{64}")
# How alike two names are if one is taken for the other, misspelt.
_ALIKE = 0.75
_TOP = ("name", "key", "time_zone", "limits", "deadlines")
_LIMITS = tuple(one.name for one in fields(Limits))


@dataclass(frozen=True)
class Student:
    """A row of the roster.

    Attributes
    ----------
    id : str
        Names the student's folders.
    first_name, last_name, email : str
    lms_id : str
        What the learning system calls the student in its downloads; several with | between them.
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""

    @property
    def lms_ids(self) -> list[str]:
        """Return each name of the student in the learning system."""
        return [one.strip() for one in self.lms_id.split("|") if one.strip()]

    @property
    def name(self) -> str:
        """First and last name; empty if the roster has none."""
        return f"{self.first_name} {self.last_name}".strip()


@dataclass(frozen=True)
class Course:
    """A course's folder and what its settings say.

    Attributes
    ----------
    root : Path
    name : str
    key : str
        Whoever has it can compute every student's numbers.
    limits : Limits
    deadlines : mapping
        By assignment; one that is not there is never late.
    time_zone : str or None
        Of times that name none.
    """

    root: Path
    name: str
    key: str
    limits: Limits = field(default_factory=Limits)
    deadlines: Mapping[str, Deadline] = field(default_factory=dict)
    time_zone: str | None = None

    def deadline_of(self, assignment: str) -> Deadline | None:
        """Return when an assignment is due.

        Raises
        ------
        GradingError
            If only a name in other letters has a deadline.
        """
        if assignment not in self.deadlines:
            for name in self.deadlines:
                if name.casefold() == assignment.casefold():
                    raise GradingError(
                        f"course.toml has [deadlines.{name}], and the assignment is called "
                        f"{assignment}; write the one as the other"
                    )
        return self.deadlines.get(assignment)

    def list_unknown_deadlines(self) -> list[str]:
        """Say which deadlines are of no assignment that was released: a name may be mistyped."""
        released = self.assignments()
        return [
            f"{SETTINGS} has [deadlines.{console.printable(name)}], and no assignment of this name "
            f"was released; there are: {', '.join(released) or 'none yet'}. Correct the name or "
            "remove the table, unless you will release it"
            for name in self.deadlines
            if name not in released
        ]

    @property
    def gradebook(self) -> Path:
        """Nbgrader's database."""
        return self.root / GRADEBOOK

    def manifest(self, assignment: str) -> Path:
        """Return where the description of an assignment is kept."""
        return self.root / "assignments" / f"{assignment}.json"

    def own_exercises(self, assignment: str) -> Path:
        """Return the folder of an assignment's exercises that no package holds."""
        return self.root / "assignments" / f"{assignment}_exercises"

    def report(self, assignment: str) -> Path:
        """Return where the outcomes of the last grading are kept."""
        return self.root / "assignments" / f"{assignment}.graded.json"

    def notebook(self, step: str, student: str, assignment: str) -> Path:
        """Return where a student's notebook is at a step: "release", "submitted" …"""
        return self.root / step / student / assignment / f"{assignment}.ipynb"

    def collected(self, assignment: str) -> Path:
        """Return where it is kept which submission came from where, and when."""
        return self.root / "assignments" / f"{assignment}.collected.json"

    def requests(self, assignment: str) -> Path:
        """Return where requests to look at a grade again are kept."""
        return self.root / "assignments" / f"{assignment}.requests.json"

    def to_decide(self, student: str, assignment: str) -> Path:
        """Return where notebooks are kept that a person has to assign to somebody."""
        return self.root / "to_decide" / student / assignment

    def earlier(self, student: str, assignment: str) -> Path:
        """Return where what a student handed in before is kept."""
        return self.root / "submitted_earlier" / student / assignment

    def feedback(self, student: str, assignment: str) -> Path:
        """Return where a student's page is."""
        return self.root / "feedback" / student / f"{assignment}.html"

    def assignments(self) -> list[str]:
        """Return the names of what was released, in alphabetical order."""
        found = (self.root / "assignments").glob("*.json")
        return sorted(file.stem for file in found if "." not in file.stem)


def create(root: Path, name: str) -> Course:
    """Make the folder of a new course.

    Parameters
    ----------
    root : Path
        A folder that does not exist, or is empty.
    name : str

    Raises
    ------
    GradingError
        If there is something already.
    """
    try:
        f"{root}{name}".encode()
    except UnicodeEncodeError:
        raise GradingError(
            f"{console.printable(str(root))}: the name is not UTF-8; give another"
        ) from None
    if root.is_symlink() or (root.exists() and not root.is_dir()):
        raise GradingError(f"{root} is there already, and is no folder; give another name")
    if root.is_dir() and any(root.iterdir()):
        raise GradingError(
            f"{root} is not empty, and nothing is overwritten; give a folder that does not exist"
        )
    course = Course(root, name, signatures.create_key())
    try:
        for folder in (*FOLDERS, "assignments"):
            (root / folder).mkdir(parents=True)
        write_privately(root / SETTINGS, _settings(course))
        (root / ROSTER).write_text(f"{','.join(COLUMNS)}\n", encoding="utf-8")
        (root / nbgrader_settings.FILE).write_text(nbgrader_settings.render(name), encoding="utf-8")
        (root / "README.md").write_text(_readme(name), encoding="utf-8")
    except OSError as problem:
        raise GradingError(f"{root} cannot be written: {problem.strerror}") from None
    return course


def read(root: Path) -> Course:
    """Return the course whose folder this is.

    Raises
    ------
    GradingError
        If it is none, or its settings make no sense.
    """
    file = root / SETTINGS
    text_tables.refuse_device(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise GradingError(
            f"{root} contains no {SETTINGS}, so it is no course; make one with "
            f"`{COMMAND} course new NAME`, or go to its folder or name it by --course"
        ) from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise GradingError(
            f"{file}, line {line}: not UTF-8; save the file in that encoding"
        ) from None
    except OSError as problem:
        raise GradingError(f"{file} cannot be read: {problem.strerror or problem}") from None
    given = _parse_settings(file, text)
    try:
        return _read_settings(root, given)
    except SettingError as problem:
        at = toml_lines.find_line(text, problem.path)
        place = f"{file}, line {at}" if at else f"{file}"
        raise GradingError(f"{place}: {problem}") from None


def _parse_settings(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as problem:
        # A number of more than 4,300 digits is no error of TOML's.
        says = str(problem).partition(";")[0]
        at = re.search(r"at line (\d+)", says)
        lines = text.splitlines() or [""]
        line = lines[int(at[1]) - 1 if at else -1] if "at " in says else ""
        raise GradingError(f"{file} cannot be read: {says}{explain_syntax(line)}") from None
    except RecursionError:
        raise GradingError(f"{file} cannot be read: it is nested too deep") from None


def _read_settings(root: Path, given: Mapping[str, Any]) -> Course:
    _refuse_unknown_settings(given)
    key = given.get("key")
    if not (isinstance(key, str) and _KEY.fullmatch(key)):
        raise SettingError(
            "`key` is not the 64 hexadecimal digits it was made with; take them from a "
            "backup, for without them no student's numbers can be computed again",
            ["key"],
        )
    zone = given.get("time_zone")
    try:
        if zone is not None:
            ZoneInfo(zone)
    except (ValueError, TypeError, OSError, KeyError):
        raise SettingError(
            f'`time_zone` is {zone!r:.60}, which is not known here; write "Europe/Berlin", say',
            ["time_zone"],
        ) from None
    name = given.get("name", root.name)
    if not isinstance(name, str):
        raise SettingError(
            f"`name` is {name!r:.60}; write the name of the course in quotation marks", ["name"]
        )
    due = deadlines.read(given.get("deadlines", {}), zone)
    return Course(root, name, key, _limits(given.get("limits", {})), due, zone)


def _refuse_unknown_settings(given: Mapping[str, Any]) -> None:
    """Raise SettingError for a name that nothing reads: what it sets would be without effect."""
    unknown = find_unknown(given, _TOP)
    if unknown is None:
        return
    name, guess = unknown
    shown = f"[{join_keys([name])}]" if isinstance(given[name], dict) else f"`{join_keys([name])}`"
    if name in _LIMITS:
        guess = "it is a limit, which is written below [limits]"
    elif name in deadlines.SETTINGS:
        guess = "it is about an assignment; write [deadlines.ps1] above it, with its name"
    elif isinstance(given[name], dict) and "due" in given[name]:
        guess = f"write [deadlines.{join_keys([name])}] for the deadline of an assignment"
    raise SettingError(f"there is no setting {shown}; {guess}", [name])


def roster(file: Path) -> list[Student]:
    """Return the students that a table lists.

    Parameters
    ----------
    file : Path
        A CSV file with a column `id`, and perhaps `first_name`, `last_name`, `email` and
        `lms_id`; commas or semicolons between them.

    Raises
    ------
    GradingError
        If it cannot be read, names a student twice, gives two students one e-mail address or one
        `lms_id`, or has an id that cannot name a folder.
    """
    text = text_tables.read_text(file, "the roster")
    head = text.partition("\n")[0]
    delimiter = text_tables.find_delimiter(text)
    (_, first), *rows = text_tables.read_rows(file, text) or [(1, [])]
    columns = [name.strip().lower() for name in first]
    text_tables.refuse_repeated_columns(file, columns)
    if "id" not in columns:
        raise GradingError(
            f"{file} has no column `id`; its first line is "
            f"{console.printable(head.strip())!r} and should be "
            f"{','.join(COLUMNS)!r}"
        )
    _refuse_similar_columns(file, columns)
    students: dict[str, Student] = {}
    ids: dict[str, tuple[str, int]] = {}
    owners: dict[str, str] = {}
    emails: dict[str, tuple[str, int]] = {}
    for line, cells in rows:
        text_tables.refuse_more_cells(f"{file}, line {line}", columns, cells, delimiter=delimiter)
        row = dict(zip(columns, cells, strict=False))
        values = {
            name: csv_injection.plain(console.for_terminal(row.get(name, "").strip(), ""))
            for name in COLUMNS
        }
        if not any(values.values()):
            continue
        where = f"{file}, line {line}"
        if fault := find_fault_of_id(values["id"]):
            raise GradingError(f"{where}: the id {values['id']!r} {fault}")
        other, at = ids.setdefault(values["id"].casefold(), (values["id"], line))
        if at != line:
            raise GradingError(f"{where}: {_explain_equal_ids(values['id'], other, at)}")
        student = Student(**values)
        if email := unicodedata.normalize("NFC", student.email.casefold()):
            owner, at = emails.setdefault(email, (student.id, line))
            if owner != student.id:
                raise GradingError(
                    f"{where}: the e-mail address {student.email!r} is that of {owner} in line "
                    f"{at} too; correct one of them, or leave it empty where it is not known"
                )
        for number in student.lms_ids:
            # Systems differ in how they write an accent.
            owner = owners.setdefault(unicodedata.normalize("NFC", number.casefold()), student.id)
            if owner != student.id:
                raise GradingError(
                    f"{where}: the lms_id {number!r} is that of {owner} too; give each student "
                    "another"
                )
        students[student.id.casefold()] = student
    for number, owner in owners.items():
        # Numbers of a system are never taken for ids, and may be equal by chance.
        if not number.isdecimal() and students.get(number, students[owner.casefold()]).id != owner:
            raise GradingError(
                f"{file}: the lms_id {number!r} of {owner} is the id of another student, so a file "
                "of that name could be of both; correct one of them"
            )
    if not students:
        raise GradingError(f"{file} lists no students; write one a line below its first line")
    return list(students.values())


def _explain_equal_ids(student: str, other: str, line: int) -> str:
    """Say that an id names the same folder as one in an earlier line, and what to do."""
    if student == other:
        fault = f"is in line {line} too; if these are two students, give one of them another id,"
    else:
        fault = (
            f"differs from {other!r} in line {line} only in capital letters, which do not "
            "distinguish folders on Windows and macOS; if these are two students, choose another "
            "id for one of them,"
        )
    return f"the id {student!r} {fault} and if they are one student, remove one of the lines"


def _refuse_similar_columns(file: Path, columns: Sequence[str]) -> None:
    """Raise GradingError for `first name` in place of `first_name`: it would not be read."""
    wanted = {re.sub(r"[^a-z]", "", name): name for name in COLUMNS if name not in columns}
    for name in columns:
        near = difflib.get_close_matches(re.sub(r"[^a-z]", "", name), wanted, n=1, cutoff=0.85)
        if name not in COLUMNS and near:
            raise GradingError(
                f"{file} has the column {console.printable(name, 60)!r}, which is not read; "
                f"rename it to {wanted[near[0]]!r}, or to something else"
            )


def find_fault_of_id(student: str) -> str:
    """Return why a student's id cannot name the student's folders; empty if it can."""
    if not _ID.fullmatch(student):
        return (
            "cannot name a folder; use letters, digits and . _ @ - (64 at most, a letter or digit "
            "first), and write what the learning system calls the student into the column lms_id"
        )
    fault = find_fault_of_name(student)
    return f"names no folder on Windows, {fault}; give the student another" if fault else ""


def enrolled(course: Course) -> list[Student]:
    """Return the students of the course's own roster; none if nobody was written into it."""
    file = course.root / ROSTER
    text_tables.refuse_device(file)
    try:
        is_written = len(file.read_text(encoding="utf-8-sig").split("\n", 1)[-1].strip()) > 0
    except (OSError, UnicodeDecodeError):
        is_written = file.exists()
    return roster(file) if is_written else []


def list_left(course: Course, students: Iterable[str]) -> list[str]:
    """Return the students who are no longer in the course's roster; nobody while it lists no one.

    Who is written into the roster again is back, with all that was handed in and given.
    """
    there = {one.id for one in enrolled(course)}
    return [one for one in students if one not in there] if there else []


def check_name(name: str, what: str = "an assignment") -> str:
    """Return the name of an assignment, or of what else, if it can name files and rows."""
    if not _NAME.fullmatch(name) or name.endswith("graded"):
        raise GradingError(
            f"{name!r} cannot name {what}; use letters, digits, - and _ (64 at most)"
        )
    if fault := find_fault_of_name(name):
        raise GradingError(f"{name!r} cannot name {what} on Windows, {fault}; give another name")
    return name


def refuse_other_case(name: str, others: Iterable[str]) -> None:
    """Raise GradingError if a name differs in upper and lower case alone from one that is there.

    Where a file system does not tell them apart, the files of one would replace the other's.
    """
    for other in others:
        if other != name and other.casefold() == name.casefold():
            raise GradingError(
                f"there is {other!r} already, and some file systems do not tell {name!r} from it; "
                "write it alike, or give another name"
            )


def write_privately(file: Path, text: str) -> None:
    """Write a new file that nobody else on the machine may read."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)


def read_bounded(file: Path, megabytes: float) -> bytes:
    """Return what a file holds that somebody else has made.

    Raises
    ------
    GradingError
        If it is a link, no file, or larger than that.
    """
    limit = int(megabytes * 1_000_000)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if file.is_symlink():
        raise GradingError("it is a symbolic link, which is never followed")
    if not file.is_file():
        raise GradingError("there is no such file" if not file.exists() else "it is no plain file")
    try:
        with open(os.open(file, flags), "rb") as stream:  # noqa: PTH123
            content = stream.read(limit + 1)
    except OSError as problem:
        raise GradingError(f"it cannot be read: {problem.strerror}") from None
    if len(content) > limit:
        raise GradingError(
            f"it is larger than {megabytes:g} MB; clear the outputs of all cells and save it again"
        )
    return content


def file_time(file: Path) -> datetime:
    """Return when a file was changed last.

    Raises
    ------
    GradingError
        If the time that the file system has is no date, as an archive may set it.
    """
    changed = file.stat().st_mtime
    try:
        return datetime.fromtimestamp(changed, UTC)
    except (ValueError, OverflowError, OSError):
        raise GradingError(
            f"its time, {changed:.0f} seconds after 1970, is no date; give the file another, "
            "with `touch` for instance"
        ) from None


# Programs write these beside a notebook, with its name and a later time: macOS what its files carry
# besides their content, Jupyter its checkpoints, Office programs who has a file open, shared disks
# what was deleted.
_LEFT_OUT_FOLDERS = {
    *("__macosx", "__pycache__", "node_modules", "lost+found"),
    *("@eadir", "#recycle", "$recycle.bin", "system volume information"),
}
_LEFT_OUT_FILES = {"thumbs.db", "desktop.ini", "icon\r", ".ds_store", ".localized"}
_LEFT_OUT_STARTS = ("._", "~$")


def is_left_out(name: str, *, is_folder: bool) -> bool:
    """Whether no student hands in a file or a folder of this name: a program wrote it."""
    if is_folder:
        return name.startswith(".") or name.lower() in _LEFT_OUT_FOLDERS
    return name.startswith(_LEFT_OUT_STARTS) or name.lower() in _LEFT_OUT_FILES


def is_notebook(name: str) -> bool:
    """Whether a file has the name of a notebook."""
    return name.lower().endswith(".ipynb")


def is_copy(name: str) -> bool:
    """Whether a notebook has the name of a copy that a program keeps, or no notebook's name."""
    return name.startswith(".") or not is_notebook(name) or "-checkpoint." in name


# In seconds, megabytes or processes: more than any machine has.
_LARGEST_LIMIT = 10**6
_LEAST_MEMORY = 200


def _limits(table: Any) -> Limits:
    if not isinstance(table, dict):
        raise SettingError(
            "`limits` is no table; write [limits] and below it `seconds = …`", ["limits"]
        )
    if unknown := find_unknown(table, _LIMITS):
        name, guess = unknown
        if top := difflib.get_close_matches(name, _TOP, 1, _ALIKE):
            guess = (
                f"if `{top[0]}` is meant, write it above [limits], since what is below is a limit"
            )
        says = f"there is no limit called `{join_keys([name])}`; {guess}"
        raise SettingError(says, ["limits", name])
    for name, value in table.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not 1 <= value <= _LARGEST_LIMIT:
            raise SettingError(
                f"the limit `{name}` is {value!r:.40}; give a whole number from 1 to "
                f"{_LARGEST_LIMIT:,}",
                ["limits", name],
            )
        if name == "memory_mb" and value < _LEAST_MEMORY:
            raise SettingError(
                f"the limit `memory_mb` is {value}; Python with numpy takes more than that "
                f"before the first cell runs, so give {_LEAST_MEMORY} or more",
                ["limits", name],
            )
    return Limits(**table)


def _settings(course: Course) -> str:
    explained: dict[str, Callable[[Limits], str]] = {
        "seconds": lambda limits: f"seconds = {limits.seconds}  # a submission, by the clock",
        "cell_seconds": lambda limits: f"cell_seconds = {limits.cell_seconds}  # one of its cells",
        "memory_mb": lambda limits: f"memory_mb = {limits.memory_mb}",
        "processes": lambda limits: f"processes = {limits.processes}",
        "notebook_mb": lambda limits: f"notebook_mb = {limits.notebook_mb}  # the file handed in",
    }
    rows = "\n".join(line(course.limits) for line in explained.values())
    # Text of JSON is text of TOML, but for one sign that TOML has escaped.
    name = json.dumps(course.name, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"""\
# The settings of the course. Keep this file to yourself, and keep a copy of it:
# anyone who has the key can compute every student's numbers, and without it nobody can.
name = {name}
key = "{course.key}"
# time_zone = "Europe/Berlin"  # of times below that name none

[limits]
{rows}

# When an assignment is due. Without this nothing is late.
# [deadlines.ps1]
# due = 2026-11-20T23:59:00+01:00
# grace_minutes = 15    # so much later is not late
# late_percent = 10     # of the points reached, for each day begun
# late_per = "day"      # or "hour"
# late_at_most = 50
# [deadlines.ps1.extensions]
# ann = 2026-11-27T23:59:00+01:00
"""


def _readme(name: str) -> str:
    return f"""\
# {escape_markdown(name)}

Keep this folder to yourself: `{SETTINGS}` contains the key that every student's numbers come from.

1. Write your students into `{ROSTER}`, one a line: {", ".join(COLUMNS)}.
2. `{COMMAND} course release ps1 02_ranking` writes a notebook for each of them into
   `release`. With `--for` and Moodle's grading worksheet it also writes one archive that Moodle
   distributes, and a table for a mail merge.
3. `{COMMAND} course collect ps1 DOWNLOADS` takes what your learning platform gives you, a
   zip or a folder. What only you can assign to a student is in `to_decide`.
4. `{COMMAND} course grade ps1` runs each submission in a sandbox. What needs your eyes is
   marked in nbgrader (`jupyter lab`, then *Nbgrader*, *Formgrader*).
5. `{COMMAND} course feedback ps1 feedback.zip` writes the students' pages, with the points
   and comments that you gave, and `{COMMAND} course export grades.csv` the table of grades.

A step can be run again at any time; nothing of yours is overwritten.
"""
