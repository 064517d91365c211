"""Exam, plan and notes: made from the workbook's own exercises and parts, with nothing typed."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import nbformat
import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.content import find_source
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.course.kit import exam, moodle, notes, paper, qti, slides, syllabus
from recsys_metrics.workbook.exercises import PARTS, REGISTRY
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import list_parts

ASKED = [one for one in REGISTRY.values() if exam.can_be_asked(one)]
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


@pytest.fixture(scope="module")
def spring_exam():
    return exam.draw(12, seed="spring")


# The questions ----------------------------------------------------------------------------------


def test_many_exercises_can_be_exam_questions():
    assert len(ASKED) >= 60
    assert {one.id.partition(".")[0] for one in ASKED} >= {
        *("rating", "ranking", "beyond_accuracy", "protocol", "calibration", "bias", "choosing")
    }


@pytest.mark.parametrize("exercise", ASKED, ids=lambda one: one.id)
@pytest.mark.parametrize("seed", ["a", "b"])
def test_each_exam_question_has_one_correct_option_and_explained_distractors(exercise, seed):
    asked = exam.question(exercise, seed)
    texts = [option.text for option in asked.options]
    assert len(set(texts)) == len(texts) >= 2
    assert [option.right for option in asked.options].count(True) == 1
    assert asked.key == "abcdefgh"[[option.right for option in asked.options].index(True)]
    variant = exercise.variant(seed)
    if not isinstance(variant, Numbers):
        for option, key in zip(asked.options, variant.option_list.keys, strict=True):
            assert (variant.check(key).outcome is Outcome.PASS) == option.right
        return
    assert len(texts) >= exam.FEWEST_OPTIONS
    assert texts == sorted(texts, key=float)
    (name,) = {
        n for n, v in variant.answer.items() if v == asked.value and n in requested_names(asked)
    }
    for option in asked.options:
        (part,) = [p for p in variant.check(**{name: option.text}).parts if p.name == name]
        assert (part.outcome is Outcome.PASS) == option.right
        assert bool(option.why) != option.right


def requested_names(asked):
    """Return the names of a variant's numbers whose label the question asks for."""
    variant = REGISTRY[asked.exercise].variant(asked.seed)
    return {field.name for field in variant.fields if f"**{field.label}**" in asked.text}


def test_a_seed_reproduces_the_exam_and_versions_have_other_numbers(spring_exam):
    assert exam.draw(12, seed="spring") == spring_exam
    other = exam.draw(12, seed="spring", version="b")
    assert [one.exercise for one in other] == [one.exercise for one in spring_exam]
    same = [one.options == two.options for one, two in zip(spring_exam, other, strict=True)]
    assert sum(same) <= 1
    assert exam.draw(12, seed="autumn") != spring_exam


def test_questions_alternate_between_parts_and_too_many_raise(spring_exam):
    of_two = exam.draw(4, seed="s", parts=["02_ranking", "01_rating"])
    stems = [next(stem for stem in PARTS if REGISTRY[q.exercise] in PARTS[stem]) for q in of_two]
    assert stems == ["01_rating"] * 2 + ["02_ranking"] * 2
    with pytest.raises(GradingError, match=r"500 questions .* these parts have \d+ exercises"):
        exam.draw(500, seed="s")
    assert list_parts(["rating"]) == ["01_rating", "01_rating_guess", "01_rating_movielens"]
    assert list_parts([]) == list(PARTS)


# The forms --------------------------------------------------------------------------------------


def test_the_answer_key_explains_mistakes_and_the_paper_does_not(spring_exam):
    plain, key = (paper.exam_page("Exam", spring_exam, key=with_key) for with_key in (False, True))
    for one in spring_exam:
        assert markup.render_block(one.text) in plain
        assert one.exercise not in plain
        assert f"<strong>{one.key}</strong>. <code>{one.exercise}</code>" in key
        for option in one.options:
            if option.why:
                assert markup.render_block(option.why) in key
                assert markup.render_block(option.why) not in plain
    assert 'class="right"' not in plain
    assert key.count('class="right"') == len(spring_exam)
    assert paper.answer_row(spring_exam[:2]) == f"1 {spring_exam[0].key}, 2 {spring_exam[1].key}"


def test_moodle_export_has_feedback_for_each_wrong_option(spring_exam):
    root = ET.fromstring(moodle.to_moodle("Spring/1", spring_exam))
    assert root.findtext("question[@type='category']/category/text") == "$course$/top/Spring//1"
    found = root.findall("question[@type='multichoice']")
    assert len(found) == len(spring_exam)
    for element, one in zip(found, spring_exam, strict=True):
        fractions = [answer.get("fraction") for answer in element.findall("answer")]
        assert fractions == ["100" if option.right else "0" for option in one.options]
        assert element.findtext("single") == "true"
        for answer, option in zip(element.findall("answer"), one.options, strict=True):
            assert answer.findtext("text") == markup.render_block(option.text).strip()
            assert bool(answer.findtext("feedback/text")) == bool(option.why)


def test_moodle_export_can_use_numerical_questions(spring_exam):
    root = ET.fromstring(moodle.to_moodle("Spring", spring_exam, typed=True))
    typed = [one for one in spring_exam if one.value is not None]
    found = root.findall("question[@type='numerical']")
    assert len(found) == len(typed) > 0
    for element, one in zip(found, typed, strict=True):
        (right,) = [a for a in element.findall("answer") if a.get("fraction") == "100"]
        tolerance = float(right.findtext("tolerance"))
        assert abs(float(right.findtext("text")) - one.value) <= tolerance / 2
        wrong = [a for a in element.findall("answer") if a.get("fraction") == "0"]
        # No mistake's number is within what passes for right.
        assert all(
            abs(float(a.findtext("text")) - float(right.findtext("text"))) > tolerance - 1e-12
            for a in wrong
        )
        assert all(a.findtext("feedback/text") for a in wrong)


def test_the_qti_package_has_one_item_per_question():
    """Its files were held to the schemas of QTI 2.1, too, whose licence keeps them out of here."""
    every = exam.draw(len(ASKED), seed="all")
    packed = zipfile.ZipFile(io.BytesIO(qti.to_qti("Exam", every)))
    manifest = ET.fromstring(packed.read("imsmanifest.xml"))
    resources = {r.get("identifier"): r.get("href") for r in manifest.iter(f"{CP}resource")}
    assert set(resources.values()) | {"imsmanifest.xml"} == set(packed.namelist())
    wanted = {d.get("identifierref") for d in manifest.iter(f"{CP}dependency")}
    assert wanted == set(resources) - {"test"}
    test = ET.fromstring(packed.read("test.xml"))
    references = [r.get("href") for r in test.iter(f"{QTI}assessmentItemRef")]
    assert len(references) == len(every)
    for file, one in zip(references, every, strict=True):
        item = ET.fromstring(packed.read(file))
        assert item.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value") == one.key
        choices = [c.get("identifier") for c in item.iter(f"{QTI}simpleChoice")]
        assert choices == list("abcdefgh"[: len(one.options)])
        # What the body may hold directly: blocks, and no text of its own.
        assert not (item.find(f"{QTI}itemBody").text or "").strip()
    assert qti.to_qti("Exam", every[:3]) == qti.to_qti("Exam", every[:3])


# Plan and notes ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parts():
    source = find_source()
    return syllabus.parts_of(source.root / "chapters", source.toc())


def test_the_syllabus_has_every_part_once_with_its_outcomes(parts):
    assert [part.stem for part in parts] == list(PARTS)
    weeks = syllabus.weeks_of(parts, 6)
    assert list(itertools.chain.from_iterable(weeks)) == parts
    text = syllabus.as_markdown("A course", weeks)
    for part in parts:
        source = Path(find_source().root, "chapters", f"{part.stem}.md").read_text("utf-8")
        assert f"**About {part.minutes} minutes.**" in source
        assert f"### {part.title}\n\nAbout {part.minutes} minutes." in text
        assert len(part.outcomes) >= 2
        for outcome in part.outcomes:
            assert outcome in source
            assert f"- {outcome}\n" in text
    assert text.count("## Week ") == 6


@pytest.mark.parametrize("weeks", [1, 2, 3, 4, 5])
def test_the_syllabus_minimises_the_heaviest_week(parts, weeks):
    few = parts[:8]
    loads = [part.minutes for part in few]
    lightest = min(
        max(sum(loads[a:b]) for a, b in zip((0, *cuts), (*cuts, len(loads)), strict=True))
        for cuts in itertools.combinations(range(1, len(loads)), weeks - 1)
    )
    found = syllabus.weeks_of(few, weeks)
    assert max(sum(part.minutes for part in week) for week in found) == lightest
    assert all(found)


def test_a_syllabus_with_empty_weeks_raises(parts):
    for weeks in (0, len(parts) + 1):
        with pytest.raises(GradingError, match=f"fill 1 to {len(parts)} weeks, and not {weeks}"):
            syllabus.weeks_of(parts, weeks)


def test_a_part_without_minutes_raises(tmp_path):
    toc = {"parts": [{"chapters": [{"file": "chapters/01_rating", "title": "Rating"}]}]}
    with pytest.raises(GradingError, match=r"01_rating\.md is missing or does not say"):
        syllabus.parts_of(tmp_path, toc)


def test_the_notes_list_every_mistake_with_its_hint():
    page = notes.notes_page("Notes", [(stem, stem) for stem in PARTS])
    for exercise in REGISTRY.values():
        assert (f"<code>{exercise.id}</code>" in page) == bool(exercise.mistakes)
        for mistake in exercise.mistakes:
            assert f"<dt>{markup.render_inline(mistake.name)}</dt>" in page
    some = notes.notes_page("Notes", [("01_rating", "Rating")])
    assert "ranking.e4" not in some


# Slides -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", PARTS)
def test_slides_have_the_pictures_and_the_summary_of_a_part(stem):
    notebook = nbformat.read(find_source().root / "chapters" / f"{stem}.ipynb", 4)
    found = slides.slides_of(notebook, PARTS[stem])
    pictures = [
        page
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if (page := inline_pictures(output.get("data", {}).get("text/html", ""))).startswith(
            "<svg role="
        )
    ]
    shown = [one.shown for one in found if one.shown.lstrip().startswith("<svg")]
    assert shown == pictures
    assert shown[0] == found[0].shown  # it opens with its picture, under its title
    assert found[0].title == syllabus_title(notebook)
    assert found[-1].title == "Summary"
    assert [one.title for one in found].count("Predict first") <= 1
    for one in found:
        if one.shown.lstrip().startswith("<svg"):
            alt = re.search(r'aria-label="([^"]*)"', one.shown)[1].replace("&#x27;", "'")
            assert f"Shown: {alt}" in one.notes
    page = slides.slides_page("A part", found)
    assert page.count("<section>") == len(found)
    assert not re.search(r"(?:src|href)=[\"'](?!#)", page)  # nothing is loaded from elsewhere


def syllabus_title(notebook):
    return re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)[1]


def test_slides_show_predictions_without_the_answer():
    notebook = nbformat.read(find_source().root / "chapters" / "06_bias.ipynb", 4)
    (asked,) = [
        one for one in slides.slides_of(notebook, PARTS["06_bias"]) if one.title == "Predict first"
    ]
    guess = REGISTRY["bias.first_guess"]
    assert markup.render_block(guess.question) in asked.shown
    assert asked.shown.count("<li>") == len(guess.options)
    assert guess.observed[:30] not in asked.shown + " ".join(asked.notes)


def test_the_commands_never_overwrite_files(run_cli, tmp_path):
    done = run_cli("course", "exam", "mid", "--seed", "s", "--questions", "3", cwd=tmp_path)
    assert done.returncode == 0
    names = {"mid.html", "mid-key.html", "mid-moodle.xml", "mid-qti.zip"}
    assert {file.name for file in (tmp_path / "mid").iterdir()} == names
    assert "3 questions; 1 " in done.stdout
    again = run_cli("course", "exam", "mid", "--seed", "s", cwd=tmp_path)
    assert again.returncode != 0
    assert "mid is there; give a folder that is not" in again.stderr
    assert "say --seed WORDS" in run_cli("course", "exam", "other", cwd=tmp_path).stderr
    assert run_cli("course", "slides", "decks", "01_rating_guess", cwd=tmp_path).returncode == 0
    assert [file.name for file in (tmp_path / "decks").iterdir()] == ["01_rating_guess.html"]
    assert "decks is there" in run_cli("course", "slides", "decks", cwd=tmp_path).stderr
    for command, file in (("syllabus", "plan.md"), ("notes", "notes.html")):
        assert run_cli("course", command, file, cwd=tmp_path).returncode == 0
        kept = (tmp_path / file).read_bytes()
        refused = run_cli("course", command, file, cwd=tmp_path)
        assert f"{file} is there; give another name" in refused.stderr
        assert (tmp_path / file).read_bytes() == kept
