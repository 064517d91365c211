"""Due dates: who is late, what that costs, and that the arithmetic is said wherever it counts."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.workbook.course import (
    class_report,
    course_folder,
    deadlines,
    lms,
    page_writing,
    provenance,
    times,
)
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.course.provenance import Origin
from recsys_metrics.workbook.course.totals import totals_of
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import NAME, write_answer
from tests.course.test_gradebook import enter_score

DUE = datetime(2026, 11, 20, 12, tzinfo=UTC)
EXERCISE = "ranking.e4"  # 2 points
THREE = "rating.ratio"  # 2 points for three numbers


def after(**span):
    return DUE + timedelta(**span)


@pytest.mark.parametrize(
    ("settings", "when", "percent", "says"),
    [
        ({}, after(), None, ""),
        ({}, after(days=-3), None, ""),
        ({}, after(minutes=1), 0, "handed in 1 minute late, which costs nothing"),
        ({"percent": 10}, after(minutes=1), 10,
         "handed in 1 minute late: 10% for 1 day begun, so 8 points count as 7.2"),
        ({"percent": 10}, after(days=1), 10,
         "handed in 1 day late: 10% for 1 day begun, so 8 points count as 7.2"),
        ({"percent": 10}, after(days=1, hours=3), 20,
         "handed in 1 day 3 hours late: 10% for each of 2 days begun makes 20%, "
         "so 8 points count as 6.4"),
        ({"percent": 2.5, "unit": "hour"}, after(hours=3, minutes=5), 10,
         "handed in 3 hours 5 minutes late: 2.5% for each of 4 hours begun makes 10%, "
         "so 8 points count as 7.2"),
        ({"percent": 30, "at_most": 50}, after(days=9), 50,
         "handed in 9 days late: 30% for each of 9 days begun makes 270%, at most 50%, "
         "so 8 points count as 4"),
        ({"percent": 10, "grace": timedelta(minutes=15)}, after(minutes=15), None, ""),
        # Who is later than the grace is late from the due date on.
        ({"percent": 10, "grace": timedelta(minutes=15)}, after(minutes=16), 10,
         "handed in 16 minutes late: 10% for 1 day begun, so 8 points count as 7.2"),
        ({"percent": 10, "extensions": {"ann": after(days=7)}}, after(days=7), None, ""),
        ({"percent": 10, "extensions": {"ann": after(days=7)}}, after(days=8), 10,
         "handed in 1 day late: 10% for 1 day begun, so 8 points count as 7.2"),
        ({"percent": 10, "extensions": {"bob": after(days=7)}}, after(hours=1), 10,
         "handed in 1 hour late: 10% for 1 day begun, so 8 points count as 7.2"),
    ],
)  # fmt: skip
def test_deductions_computed_by_hand(settings, when, percent, says):
    late = Deadline(DUE, **settings).late("ann", when)
    assert (late and late.percent) == percent
    assert ("" if late is None else late.said(8)) == says


def test_a_deadline_of_0_percent_deducts_nothing():
    late = Deadline(DUE, percent=0).late("ann", after(seconds=1))
    assert late.points(1.375) == 1.375


@given(
    st.floats(0, 100), st.floats(0, 100), st.sampled_from(["hour", "day"]),
    st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 50),
)  # fmt: skip
def test_later_submissions_never_get_more_points_nor_negative_points(
    rate, most, unit, one, two, reached
):
    deadline = Deadline(DUE, percent=rate, unit=unit, at_most=most)
    earlier, later = (
        deadline.late("ann", after(seconds=seconds)) for seconds in sorted([one, two])
    )
    counted = [reached if late is None else late.points(reached) for late in (earlier, later)]
    assert 0 <= counted[1] <= counted[0] + 1e-9
    assert counted[1] >= round(reached * (1 - most / 100), 2) - 0.011


SETTINGS = """
[deadlines.ps1]
due = 2026-11-20T13:00:00+01:00
grace_minutes = 10
late_percent = 10
late_per = "hour"
late_at_most = 60
[deadlines.ps1.extensions]
"d.e@f.org" = 2026-11-27T12:00:00Z
"""


def write_course(tmp_path, text, head=""):
    course = course_folder.create(tmp_path / "c", "c")
    file = course.root / course_folder.SETTINGS
    file.write_text(f"{head}\n{file.read_text()}{text}")
    return course_folder.read(course.root)


def test_deadline_settings_are_parsed(tmp_path):
    assert write_course(tmp_path, SETTINGS).deadlines == {
        "ps1": Deadline(
            DUE, timedelta(minutes=10), 10, "hour", 60,
            {"d.e@f.org": datetime(2026, 11, 27, 12, tzinfo=UTC)},
        )
    }  # fmt: skip


def test_a_new_course_has_an_example_and_no_deadline(tmp_path):
    course = course_folder.create(tmp_path / "c", "c")
    text = (course.root / course_folder.SETTINGS).read_text()
    shown = text[text.index("# [deadlines.ps1]") :].replace("# ", "", 1).replace("\n# ", "\n")
    assert course_folder.read(course.root).deadlines == {}
    assert (
        deadlines.read(course_folder.tomllib.loads(shown)["deadlines"], None)["ps1"].percent == 10
    )


def test_times_without_a_zone_use_the_zone_of_the_course(tmp_path):
    text = "[deadlines.ps1]\ndue = 2026-11-20T13:00:00\n"
    course = write_course(tmp_path, text, 'time_zone = "Europe/Berlin"')
    assert course.deadlines["ps1"].due == DUE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[deadlines.ps1]\n", r"\[deadlines.ps1\] has no `due`; write `due = 2026"),
        ("[deadlines.ps1]\ndue = 2026-11-20\n", "due is datetime.date.*; write a date and a time"),
        ("[deadlines.ps1]\ndue = 2026-11-20T12:00:00\n", "in no time zone; write its distance"),
        (
            "[deadlines.ps1]\ndue = 2026-11-20T12:00:00Z\nlate = 1\n",
            r"has no setting `late`; did you mean `late_per`\?",
        ),
        ("[deadlines.ps1]\ndue = 2026-11-20T12:00:00Z\nlate_per = 'week'\n", 'is "hour" or "day"'),
        ("[deadlines.ps1]\ndue = 2026-11-20T12:00:00Z\nlate_percent = 110\n", "from 0 to 100"),
        ("[deadlines.ps1]\ndue = 2026-11-20T12:00:00Z\ngrace_minutes = -1\n", "from 0 to 527,040"),
    ],
)
def test_invalid_settings_raise(text, says, tmp_path):
    with pytest.raises(GradingError, match=rf"course\.toml, line \d+: .*{says}"):
        write_course(tmp_path, text)


DUE_TOML = "due = 2026-11-20T12:00:00Z\n"
EXTENSIONS = f"[deadlines.ps1]\n{DUE_TOML}[deadlines.ps1.extensions]\n"


@pytest.mark.parametrize(
    ("head", "text", "where", "says"),
    [
        ("", f"[deadline.ps1]\n{DUE_TOML}", "[deadline.ps1]",
         "there is no setting [deadline]; did you mean `deadlines`?"),
        ("", f"[Deadlines.ps1]\n{DUE_TOML}", "[Deadlines.ps1]",
         "there is no setting [Deadlines]; did you mean `deadlines`?"),
        ("", f"[[deadlines.ps1]]\n{DUE_TOML}", "[[deadlines.ps1]]",
         "deadlines.ps1 is no table; write [deadlines.ps1] with `due = …` below it"),
        ("", f"[deadlines]\n{DUE_TOML}", "due = ",
         "deadlines.due is no table; write [deadlines.ps1] above it"),
        ("", f"[ps1]\n{DUE_TOML}", "[ps1]",
         "there is no setting [ps1]; write [deadlines.ps1] for the deadline"),
        ("", f"[ps1.deadlines]\n{DUE_TOML}", "[ps1.deadlines]",
         "there is no setting [ps1]; there are name, key, time_zone, limits, deadlines"),
        ("", "[grades]\n", "[grades]",
         "there is no setting [grades]; there are name, key, time_zone, limits, deadlines"),
        ("", "[limit]\nseconds = 1\n", "[limit]",
         "there is no setting [limit]; did you mean `limits`?"),
        ("time_zon = 'Europe/Berlin'", "", "time_zon ",
         "there is no setting `time_zon`; did you mean `time_zone`?"),
        ("timezone = 'Europe/Berlin'", "", "timezone ",
         "there is no setting `timezone`; did you mean `time_zone`?"),
        ("Time_Zone = 'Europe/Berlin'", "", "Time_Zone ",
         "there is no setting `Time_Zone`; did you mean `time_zone`?"),
        ("late_percent = 10", "", "late_percent ",
         "there is no setting `late_percent`; it is about an assignment; write [deadlines.ps1]"),
        ("memory_mb = 900", "", "memory_mb = 900",
         "there is no setting `memory_mb`; it is a limit, which is written below [limits]"),
        ("", "time_zone = 'UTC'\n", "time_zone = 'UTC'",
         "there is no limit called `time_zone`; if `time_zone` is meant, write it above [limits]"),
        ("", "second = 3\n", "second = 3",
         "there is no limit called `second`; did you mean `seconds`?"),
        ("'a.b' = 3", "", "'a.b'", 'there is no setting `"a.b"`; there are name, key'),
        ("text = \"\"\"\ntime_zon\n\"\"\"\ntime_zon = 3", "", "text = ",
         "there is no setting `text`; there are"),
        ("", f"[deadlines.ps1]\n{DUE_TOML}[deadlines.ps1.extension]\nann = 2026-11-27T12:00:00Z",
         "[deadlines.ps1.extension]", "has no setting `extension`; did you mean `extensions`?"),
        ("", f"{EXTENSIONS}ann = 2026-11-27T12:00:00Z\nbob = 2026-11-28\n", "bob = ",
         "deadlines.ps1.extensions.bob is datetime.date(2026, 11, 28); write a date and a time"),
        ("", f"{EXTENSIONS}ann.lee = 2026-11-27T12:00:00Z\n", "ann.lee",
         '[deadlines.ps1.extensions] has `ann.lee` without quotation marks, and TOML reads a dot'),
        ("", f"{EXTENSIONS}ann.b.lee = 2026-11-27T12:00:00Z\n", "ann.b.lee",
         'another table; write "ann.b.lee" = …'),
        ("", f"{EXTENSIONS}[deadlines.ps1.extensions.ann]\nlee = 2026-11-27T12:00:00Z\n", "lee =",
         'write "ann.lee" = …'),
        ("", f"{EXTENSIONS}[deadlines.ps1.extensions.ann]\n", "[deadlines.ps1.extensions.ann]",
         "is a table; write ann = 2026-11-27T23:59:00Z below [deadlines.ps1.extensions]"),
        ("", "deadline = {ps1 = {due = 2026-11-20T12:00:00Z}}\n", "deadline = ",
         "there is no limit called `deadline`; if `deadlines` is meant, write it above"),
    ],
)  # fmt: skip
def test_a_name_that_nothing_reads_is_refused_with_its_line(head, text, where, says, tmp_path):
    with pytest.raises(GradingError) as refused:
        write_course(tmp_path, text, head)
    lines = (tmp_path / "c" / course_folder.SETTINGS).read_text().splitlines()
    (line,) = (number for number, one in enumerate(lines, 1) if one.startswith(where))
    assert f"course.toml, line {line}: " in str(refused.value)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ann@uni.org = 2026-11-27T12:00:00Z", 'the name in quotation marks: "ann@uni.org" = …'),
        ("ångström = 2026-11-27T12:00:00Z", 'the name in quotation marks: "ångström" = …'),
        ("ann lee = 2026-11-27T12:00:00Z", 'the name in quotation marks: "ann lee" = …'),
        (
            "ann = 2026-11-27T12:00:00Z\nann.lee = 2026-11-27T12:00:00Z",
            'the name in quotation marks: "ann.lee" = …',
        ),
        ("[deadlines.übung1]", 'the name in quotation marks: "übung1"'),
        ("[deadlines.problem set]", 'the name in quotation marks: "problem set"'),
        ("[deadlines.ps1.extensions.ann@x]", 'the name in quotation marks: "ann@x"'),
        ("ann: 2026-11-27T12:00:00Z", "write ann = …, with = in place of the colon"),
        ("ann = 27.11.2026 12:00", "write a date and a time as 2026-11-20T23:59:00+01:00, and"),
        ("ann = 11/27/2026", "write a date and a time as 2026-11-20T23:59:00+01:00, and"),
        ("ann = day  # so", 'put the text in quotation marks: "day"'),
        ("ann = “day”", 'put the text in quotation marks: "day"'),
        ("ann =", "write a value for ann behind the ="),
    ],
)
def test_a_line_that_toml_does_not_take_gets_the_cure(line, says, tmp_path):
    with pytest.raises(GradingError) as refused:
        write_course(tmp_path, f"{EXTENSIONS}{line}\n")
    assert "course.toml cannot be read: " in str(refused.value)
    assert (
        str(refused.value)
        .partition("; ")[2]
        .removeprefix("put ")
        .startswith(says.removeprefix("put "))
    )


def test_a_course_name_that_is_no_text_raises(tmp_path):
    course = course_folder.create(tmp_path / "c", "c")
    file = course.root / course_folder.SETTINGS
    file.write_text(file.read_text().replace('name = "c"', "name = [1]"))
    with pytest.raises(
        GradingError, match=r"line 3: `name` is \[1\]; write the name of the course"
    ):
        course_folder.read(course.root)


@pytest.mark.parametrize("zone", ["Z", "+01:00", ""])
def test_an_extension_before_the_deadline_raises(zone, tmp_path):
    text = (
        "[deadlines.ps1]\ndue = 2026-11-20T13:00:00+02:00\n[deadlines.ps1.extensions]\n"
        f"ann = 2026-11-27T12:00:00Z\nbob = 2026-11-20T10:59:59{zone}\n"
    )
    says = (
        r"deadlines.ps1.extensions.bob is 2026-11-20 10:59:59.*, and the assignment is due at "
        r"2026-11-20 13:00:00\+02:00: an .* Correct the date of one of them, or remove the ext"
    )
    with pytest.raises(GradingError, match=says):
        write_course(tmp_path, text, 'time_zone = "Europe/Helsinki"')


def test_a_mistyped_extension_is_said_before_anybody_has_a_grade(desk):
    at = desk(["ann"], [EXERCISE])
    for name, due in ((NAME, Deadline(DUE, extensions={"Ann": DUE})), ("PS1", Deadline(DUE))):
        again = replace(at, course=replace(at.course, deadlines={name: due}))
        for use in (again.export, lambda one=again: totals_of(one.course, one.assignment)):
            with pytest.raises(GradingError, match=r"extension for 'Ann'.*'ann'|deadlines\.PS1"):
                use()


def test_an_unknown_time_zone_raises(tmp_path):
    with pytest.raises(GradingError, match="`time_zone` is 'Mars', which is not known here"):
        write_course(tmp_path, "", 'time_zone = "Mars"')


@pytest.fixture(scope="module")
def late_submissions(desk):
    """Three who hand in right answers: in time, late, and late with an extension."""
    at = desk(["ann", "bob", "cy"], [EXERCISE])
    due = Deadline(DUE, percent=10, extensions={"cy": after(days=7)})
    at.course = replace(at.course, deadlines={NAME: due})
    origins = {}
    for student, when in {"ann": DUE, "bob": after(days=1, hours=3), "cy": after(days=2)}.items():
        at.hand_in(student, at.answered(student))
        origins[student] = Origin("x", "x", when=when, time_from="the learning system")
    provenance.save(at.course, NAME, origins)
    return at, at.grade(sandboxed=False)


SAID = (
    "anded in 1 day 3 hours late: 10% for each of 2 days begun makes 20%, so 2 points count as 1.6"
)


def test_late_deductions_apply_in_grade_export_feedback_and_nbgrader(late_submissions):
    at, graded = late_submissions
    assert {name: one.points for name, one in graded.items()} == {"ann": 2, "bob": 1.6, "cy": 2}
    rows = {row["id"]: row for row in csv.DictReader(at.export().open())}
    assert {name: row[NAME] for name, row in rows.items()} == {"ann": "2", "bob": "1.6", "cy": "2"}
    assert rows["bob"][f"{NAME} note"] == f"h{SAID}"
    assert f"H{SAID}." in at.page("bob")
    assert "<strong>1.6 of 2 points</strong>, 2 before what lateness costs" in at.page("bob")
    assert "late" not in at.page("ann") + at.page("cy")
    from nbgrader.api import Gradebook

    book = Gradebook(f"sqlite:///{at.course.gradebook}")
    found = {
        one.student.id: one.late_submission_penalty for one in book.assignment_submissions(NAME)
    }
    book.close()
    assert found == pytest.approx({"ann": 0, "bob": 0.4, "cy": 0})


def test_a_share_of_points_is_rounded_once_after_lateness_and_scaling(desk, tmp_path):
    """One of three numbers is right: 2/3 of a point, 19/30 after 5%, and 31.67 out of 100."""
    at = desk(["ann"], [THREE])
    at.course = replace(at.course, deadlines={NAME: Deadline(DUE, percent=5)})
    question = at.asked("ann")[THREE]
    right = question.exercise.answer
    first = next(iter(right))
    wrong = {**dict.fromkeys(right, 77.0), first: right[first]}
    at.hand_in("ann", at.answered("ann", {THREE: write_answer(question, wrong)}))
    late = Origin("x", "x", when=after(hours=1), time_from="the learning system")
    provenance.save(at.course, NAME, {"ann": late})
    points = at.grade(sandboxed=False)["ann"].points
    assert points == pytest.approx(19 / 30)
    assert class_report.of_class(at.course, at.assignment).points == [points]
    totals = totals_of(at.course, at.assignment)
    assert totals["ann"].points == points
    assert next(csv.DictReader(at.export().open()))[NAME] == "0.633333"
    said = "<strong>0.63 of 2 points</strong>, 0.67 before what lateness costs"
    assert said in at.page("ann")
    sheet = tmp_path / "sheet.csv"
    head = "Identifier,Full name,Email address,Grade,Maximum grade"
    sheet.write_text(f"{head}\nParticipant 1,ann,,,100.00\n")
    done = lms.filled(at.course, NAME, sheet, {"ann": points}, out_of=2, scale=True)
    assert next(csv.DictReader(done.text.splitlines()))["Grade"] == "31.666667"


def test_the_source_of_a_late_time_is_reported(late_submissions):
    at, graded = late_submissions
    assert graded["bob"].notes == []
    found = provenance.read(at.course, NAME)
    provenance.save(at.course, NAME, {**found, "bob": replace(found["bob"], time_from="the file")})
    again = at.grade("bob", sandboxed=False)["bob"]
    provenance.save(at.course, NAME, found)
    assert again.notes == ["its time is the file's, no learning system's"]


def test_grades_are_not_exported_without_the_time_that_lateness_is_counted_from(late_submissions):
    at, _ = late_submissions
    report = at.course.report(NAME)
    content = report.read_bytes()
    report.unlink()
    with pytest.raises(GradingError, match=r"does not say when .* handed in, .* grade ps1 again"):
        at.export()
    report.write_bytes(content)
    assert at.export().exists()


def test_a_later_extension_applies_immediately(late_submissions):
    at, _ = late_submissions
    due = replace(at.course.deadlines[NAME], extensions={"bob": after(days=2)})
    again = replace(at, course=replace(at.course, deadlines={NAME: due}))
    rows = {row["id"]: row[NAME] for row in csv.DictReader(again.export().open())}
    assert rows == {"ann": "2", "bob": "2", "cy": "1.6"}


def test_an_extension_for_an_unknown_student_raises(late_submissions):
    at, _ = late_submissions
    due = Deadline(DUE, extensions={"anne": DUE})
    again = replace(at, course=replace(at.course, deadlines={NAME: due}))
    says = (
        r"course.toml has an extension for 'anne', to whom ps1 was not released. Did you mean "
        r"'ann'\? Correct the id below \[deadlines.ps1.extensions\], or remove the line"
    )

    def write_pages():
        page_writing.write_all(again.course, again.assignment)

    for use in (lambda: again.grade(sandboxed=False), again.export, write_pages):
        with pytest.raises(GradingError, match=says):
            use()
    (said,) = again.assignment.list_unknown_extensions(again.course)
    assert re.fullmatch(says, said)


def test_time_across_daylight_saving_is_that_of_a_watch():
    berlin = ZoneInfo("Europe/Berlin")
    deadline = Deadline(
        datetime(2026, 3, 29, 1, 59, tzinfo=berlin), percent=10, grace=timedelta(minutes=15)
    )
    assert deadline.late("ann", datetime(2026, 3, 29, 3, 1, tzinfo=berlin)) is None
    assert deadline.late("ann", datetime(2026, 3, 29, 3, 30, tzinfo=berlin)).by == timedelta(
        minutes=31
    )


@pytest.mark.parametrize(
    ("when", "says"),
    [
        (datetime(2026, 10, 25, 2, 30), r"show that time twice .*02:30:00\+02:00 or .*\+01:00"),
        (datetime(2026, 3, 29, 2, 30), r"show that time never .*02:30:00\+01:00 or .*\+02:00"),
        (datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-5))), "in no year from"),
    ],
)
@pytest.mark.parametrize("of", ["due", "extension"])
def test_a_time_that_no_clock_shows_once_raises(when, says, of):
    table = {"due": DUE, "extensions": {"ann": when}} if of == "extension" else {"due": when}
    with pytest.raises(ValueError, match=says):
        deadlines.read({"ps1": table}, "Europe/Berlin")


def test_a_deadline_under_a_name_in_other_letters_raises(late_submissions):
    at, _ = late_submissions
    again = replace(at, course=replace(at.course, deadlines={NAME.upper(): Deadline(DUE)}))
    with pytest.raises(GradingError, match=r"course.toml has \[deadlines.PS1\], and the assig"):
        again.grade(sandboxed=False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2026-10-25T02:30:00", "show that time twice"),
        ("2026-03-29T02:30:00", "show that time never"),
        ('"Sunday, 25 October 2026, 2:30 AM"', "show that time twice"),
        ('"Friday, 20 November 2026, 13:30 PM"', "the hour 13, and with AM or PM an hour is 1 to"),
        ('"Friday, 20 November 2026, 0:30 PM"', "the hour 0, and with AM or PM an hour is 1 to 12"),
        ('"Monday, 20 November 2026, 1:30 PM"', "is no Monday: 2026-11-20 is a Friday; correct"),
        ("2026-11-20+01:00", "01:00 may be its distance from UTC or the time of day; write the t"),
        ("2026-11-20-05:00", "2026-11-20T05:00 or 2026-11-20T00:00-05:00"),
        ("2026-11-20\u221205", "2026-11-20T05:00 or 2026-11-20T00:00-05:00"),
        ("2026-W47-5+0100", "2026-11-20T01:00 or 2026-11-20T00:00[+]01:00"),
        ("0001-01-01T00:00", "in no year from"),
    ],
)
def test_a_time_handed_in_that_no_clock_shows_once_raises(text, says, tmp_path):
    course = replace(course_folder.create(tmp_path / "c", "c"), time_zone="Europe/Berlin")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"id,submitted\nann,{text}\n")
    with pytest.raises(GradingError, match=says):
        times.read(course, sheet)


def test_a_deadline_of_no_assignment_is_said(tmp_path):
    course = write_course(tmp_path, "[deadlines.ps9]\ndue = 2026-11-20T23:59:00+01:00\n")
    (says,) = course.list_unknown_deadlines()
    assert says == (
        "course.toml has [deadlines.ps9], and no assignment of this name was released; there are: "
        "none yet. Correct the name or remove the table, unless you will release it"
    )


def test_a_table_of_times_counts_that_is_collected_after_the_grading(desk, tmp_path):
    at = desk(["ann", "bob"], [EXERCISE])
    at.course = replace(at.course, deadlines={NAME: Deadline(DUE, percent=10)})
    for student in ("ann", "bob"):
        file = at.put(f"{student}.ipynb", at.answered(student))
        os.utime(file, (DUE.timestamp(), DUE.timestamp()))
    at.collect()
    at.grade(sandboxed=False)
    assert [row[NAME] for row in csv.DictReader(at.export().open())] == ["2", "2"]
    sheet = tmp_path / "times.csv"
    sheet.write_text(f"id,submitted\nbob,{after(days=1, hours=3).isoformat()}\n")
    at.collect(worksheet=times.read(at.course, sheet))
    ann, bob = csv.DictReader(at.export().open())
    assert (ann[NAME], ann[f"{NAME} note"]) == ("2", "")
    assert (bob[NAME], bob[f"{NAME} note"]) == ("1.6", f"h{SAID}")
    page_writing.write_all(at.course, at.assignment)
    assert f"H{SAID}." in at.page("bob")
    assert class_report.of_class(at.course, at.assignment).points == [2, 1.6]
    assert nbgrader_lateness(at, "bob") == (pytest.approx(0.4), after(days=1, hours=3))
    # Another notebook is not the one that was graded: its time is not that of the grade.
    at.put("bob.ipynb", at.answered("bob", {EXERCISE: "0"}))
    at.collect()
    ann, bob = csv.DictReader(at.export().open())
    assert bob[NAME] == "2"
    assert bob[f"{NAME} note"] == "handed in again since it was graded; grade ps1 again"
    assert ann[f"{NAME} note"] == ""


def nbgrader_lateness(at, student):
    """Return what nbgrader has of a student: what lateness costs, and the time."""
    from nbgrader.api import Gradebook

    book = Gradebook(f"sqlite:///{at.course.gradebook}")
    found = book.find_submission(NAME, student)
    when = found.timestamp and found.timestamp.replace(tzinfo=UTC)
    lateness = found.late_submission_penalty, when
    book.close()
    return lateness


def test_a_newer_notebook_that_was_put_there_by_hand_has_its_own_time(desk):
    """10% of 2 points for each day begun: 0 of the one collected in time, 0.4 of the newer one."""
    at = desk(["bob"], [EXERCISE])
    at.course = replace(at.course, deadlines={NAME: Deadline(DUE, percent=10)})
    file = at.put("bob.ipynb", at.answered("bob", {EXERCISE: "ap = 7"}))
    os.utime(file, (DUE.timestamp(), DUE.timestamp()))
    at.collect()
    at.grade(sandboxed=False)
    assert nbgrader_lateness(at, "bob") == (0, DUE)
    at.hand_in("bob", at.answered("bob"))
    newer, submitted = after(days=1, hours=3), at.course.notebook("submitted", "bob", NAME)
    os.utime(submitted, (newer.timestamp(), newer.timestamp()))
    graded = at.grade(sandboxed=False)["bob"]
    assert (graded.handed_in, graded.points) == (newer, 1.6)
    assert nbgrader_lateness(at, "bob") == (pytest.approx(0.4), newer)
    assert submitted.with_name("timestamp.txt").read_text().startswith("2026-11-21 15:00:00")
    assert next(csv.DictReader(at.export().open()))[NAME] == "1.6"
    # Graded once more it is the same.
    assert at.grade(sandboxed=False)["bob"].handed_in == newer


def test_points_of_a_person_change_what_lateness_costs_in_nbgrader(late_submissions):
    at, _ = late_submissions
    enter_score(at, "bob", EXERCISE, 1)
    page_writing.write_all(at.course, at.assignment)
    assert nbgrader_lateness(at, "bob")[0] == pytest.approx(0.2)
    enter_score(at, "bob", EXERCISE, 2)
