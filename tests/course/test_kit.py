"""Exam, plan and notes: made from the workbook's own exercises and parts, with nothing typed."""

from __future__ import annotations

import html
import io
import itertools
import re
import zipfile
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import nbformat
import pytest

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.content import find_source
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.course.kit import exam, moodle, notes, paper, qti, slides, syllabus
from recsys_metrics.workbook.course.reasons import has_unit_range
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
    (version,) = exam.draw(12, seed="spring")
    return version


# The questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", ASKED, ids=lambda one: one.id)
def test_an_exam_question_is_answered_by_what_is_on_the_paper(exercise):
    right = {}
    for seed in range(10):
        asked = exam.question(exercise, str(seed))
        (option,) = [one.text for one in asked.options if one.right]
        assert right.setdefault(asked.content, option) == option


def test_many_exercises_can_be_exam_questions():
    assert len(ASKED) >= 60
    assert {one.id.partition(".")[0] for one in ASKED} >= {
        *(
            "rating",
            "ranking",
            "beyond_accuracy",
            "protocol",
            "calibration",
            "bias",
            "choosing",
            "judges",
        )
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
        keys = {text: key for key, text in variant.option_list.texts.items()}
        assert set(texts) == set(keys)
        for option in asked.options:
            assert (variant.check(keys[option.text]).outcome is Outcome.PASS) == option.right
        return
    assert len(texts) >= exam.FEWEST_OPTIONS
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
    # With another version or without, the first one is the same.
    first, other = exam.draw(12, seed="spring", versions=2)
    assert first == spring_exam
    versions = [{one.exercise: one.content for one in each} for each in (spring_exam, other)]
    assert versions[0].keys() == versions[1].keys()
    assert [*versions[0]] != [*versions[1]]
    assert not any(versions[0][one] == versions[1][one] for one in versions[0])
    assert exam.draw(12, seed="autumn") != [spring_exam]


def test_a_variant_that_another_version_has_is_drawn_again():
    # By these seeds alone, A and C would have the same numbers in one question.
    areas = REGISTRY["ranking.two_areas"]
    first, third = (exam.question(areas, f"nur ich weiß/{letter}") for letter in "ac")
    assert first.content == third.content
    versions = exam.draw(10, seed="nur ich weiß", versions=3)
    assert exam.find_repeated(versions) == {}
    for exercise in {one.exercise for one in versions[0]}:
        asked = [one for version in versions for one in version if one.exercise == exercise]
        assert len({one.content for one in asked}) == 3
    assert exam.draw(10, seed="nur ich weiß", versions=2) == versions[:2]


def test_questions_of_too_few_variants_are_named(run_cli, tmp_path):
    options = ("--seed", "s", "--versions", "26", "--questions", "3")
    done = run_cli("course", "kit", "exam", "mid", "06_bias", *options, cwd=tmp_path)
    versions = exam.draw(3, seed="s", versions=26, parts=["06_bias"])
    repeated = exam.find_repeated(versions)
    assert repeated
    said = " ".join(done.stdout.split())
    for exercise, groups in repeated.items():
        for places in groups:
            same = [versions[ord(one[0]) - ord("A")][int(one[1:]) - 1] for one in places]
            assert {one.exercise for one in same} == {exercise}
            assert len({one.content for one in same}) == 1
            assert " = ".join(places) in said
        assert f"as {exercise} has too few variants:" in said


def test_the_letters_of_one_version_say_nothing_about_those_of_another():
    equal, expected, variance = 0, 0.0, 0.0
    for at in range(25):
        versions = exam.draw(10, seed=f"exam {at}", versions=3)
        for one, two in itertools.combinations(versions, 2):
            for mine, theirs in zip(one, two, strict=True):
                # A letter of 5 and one of 3 agree in 1 of 5 cases if both are drawn at random.
                chance = 1 / max(len(mine.options), len(theirs.options))
                equal += mine.key == theirs.key
                expected += chance
                variance += chance * (1 - chance)
    # Three standard deviations; sorted numbers gave 65% of equal letters in place of 26%.
    assert abs(equal - expected) < 3 * variance**0.5, (equal, expected)
    assert expected < 0.3 * 750


def test_no_file_of_an_exam_contains_the_seed(run_cli, tmp_path):
    seed = "K decides & wins"
    options = ("--questions", "12", "--versions", "2", "--seed", seed)
    assert run_cli("course", "kit", "exam", "mid", *options, cwd=tmp_path).returncode == 0
    told = []
    for file in (tmp_path / "mid").iterdir():
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as packed:
                told += [packed.read(name).decode() for name in packed.namelist()]
        else:
            told.append(file.read_text("utf-8"))
    assert len(told) > 6
    assert not [text for text in told if seed in text or markup.escape(seed) in text]


def test_questions_alternate_between_parts_and_too_many_raise(spring_exam):
    (of_two,) = exam.draw(4, seed="s", parts=["02_ranking", "01_rating"])
    stems = [next(stem for stem in PARTS if REGISTRY[q.exercise] in PARTS[stem]) for q in of_two]
    assert sorted(stems) == ["01_rating"] * 2 + ["02_ranking"] * 2
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


def test_an_option_that_no_share_can_have_is_none():
    for exercise in ASKED:
        one = exam.question(exercise, "a")
        label = next(
            (
                f.label
                for f in REGISTRY[one.exercise].variant("a").fields
                if f"**{f.label}**" in one.text
            ),
            "",
        )
        if one.value is not None and has_unit_range(label):
            assert all(0 <= float(option.text) <= 1 for option in one.options), one.exercise


def test_a_question_with_several_numbers_says_that_one_is_asked():
    for exercise in ASKED:
        if isinstance(exercise, Numbers):
            text = exam.question(exercise, "a").text
            assert ("Give one of these numbers only" in text) == (len(exercise.asks) > 1)


@pytest.mark.browser
def test_the_paper_has_lines_for_the_student_and_fits_its_pages(spring_exam, browser):
    plain = paper.exam_page("Exam", spring_exam, key=False, course="Recsys", minutes=60)
    for line in ("Name:", "Student number:", "Date:", "Signature:"):
        assert f"<span>{line}</span>" in plain
    assert f"{sum(one.points for one in spring_exam)} points, 60 minutes" in plain
    dated = paper.exam_page("Exam", spring_exam, key=False, date="18 December 2026")
    assert "18 December 2026" in dated
    assert "<span>Date:</span>" not in dated

    page = browser.new_page(viewport={"width": 658, "height": 980})  # A4 without its margins
    page.set_content(plain)
    page.emulate_media(media="print")
    height = page.evaluate("document.documentElement.scrollHeight")
    wide = page.evaluate("document.documentElement.scrollWidth")
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    assert wide <= 658
    pages = len(re.findall(rb"/Type /Page\b", printed))
    # No page is left half empty by a question that does not fit.
    assert pages <= height / 980 + 1
    assert pages <= 5


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


def test_an_importer_reads_every_moodle_question():
    """moodle-xml-parser makes the questions of a quiz from the file, as Moodle's import does."""
    parser = pytest.importorskip("moodle_xml_parser.parser", reason="moodle-xml-parser is missing")
    (every,) = exam.draw(len(ASKED), seed="all")
    found = parser.parse_bytes(moodle.to_moodle("Exam", every))
    assert found["cloze"] == []
    assert len(found["multichoice"]) == len(every)
    for read, one in zip(found["multichoice"], every, strict=True):
        assert read.name.startswith(one.title)
        assert read.default_grade == one.points
        assert read.single
        assert not read.shuffle_answers
        assert read.text_pre_parse == html.unescape(markup.render_block(one.text).strip())
        assert [option.score_fraction for option in read.options] == [
            100.0 if option.right else 0.0 for option in one.options
        ]
        for option, asked in zip(read.options, one.options, strict=True):
            assert option.answer == html.unescape(markup.render_block(asked.text).strip())
            assert bool(option.feedback) == bool(asked.why)


def test_an_importer_reads_the_whole_qti_package(tmp_path):
    """citolab-qti-convert reads a package of QTI 2.x and makes one of QTI 3 of it."""
    qti_convert = pytest.importorskip("qti_convert", reason="citolab-qti-convert is missing")
    (every,) = exam.draw(len(ASKED), seed="all")
    package = tmp_path / "exam.zip"
    package.write_bytes(qti.to_qti("Exam", every))
    qti_convert.upgrade_package(package, tmp_path / "new.zip")
    packed = zipfile.ZipFile(tmp_path / "new.zip")
    names = {f"items/q{at}.xml": one for at, one in enumerate(every, 1)}
    assert set(names) | {"test.xml", "imsmanifest.xml"} <= set(packed.namelist())
    space = {"q": "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"}
    for name, one in names.items():
        item = ET.fromstring(packed.read(name))
        assert item.tag == f"{{{space['q']}}}qti-assessment-item"
        right = item.findtext(".//q:qti-correct-response/q:qti-value", namespaces=space)
        assert right == one.key
        choices = item.findall(".//q:qti-simple-choice", space)
        assert len(choices) == len(one.options)
        for choice, option in zip(choices, one.options, strict=True):
            text = " ".join("".join(choice.itertext()).split())
            assert text == plain_text(option.text)
    test = ET.fromstring(packed.read("test.xml"))
    assert len(test.findall(".//q:qti-assessment-item-ref", space)) == len(every)


def plain_text(markdown):
    element = ET.fromstring(f"<div>{markup.render_block(markdown)}</div>")
    return " ".join("".join(element.itertext()).split())


def test_the_qti_package_has_one_item_per_question():
    """Its files were held to the schemas of QTI 2.1, too, whose licence keeps them out of here."""
    (every,) = exam.draw(len(ASKED), seed="all")
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


def test_the_name_of_a_course_stays_as_it_is_typed(parts):
    names = ("Vorlesung: A & B", "R&D (2026) – C++", "*A* <b> [x](y) &amp; `c` $d$")
    for name in names:
        head = syllabus.as_markdown(name, syllabus.weeks_of(parts[:1], 1)).partition("\n")[0]
        assert html.unescape(markup.render_block(head)) == f"<h1>{name}</h1>\n"
    assert head != f"# {names[-1]}"
    head = syllabus.as_markdown(names[0], syllabus.weeks_of(parts[:1], 1)).partition("\n")[0]
    assert head == f"# {names[0]}"


def test_a_syllabus_with_empty_weeks_raises(parts):
    for weeks in (0, len(parts) + 1):
        with pytest.raises(GradingError, match=f"fill 1 to {len(parts)} weeks, and not {weeks}"):
            syllabus.weeks_of(parts, weeks)


def test_a_part_without_minutes_raises(tmp_path):
    toc = {"parts": [{"chapters": [{"file": "chapters/01_rating", "title": "Rating"}]}]}
    with pytest.raises(GradingError, match=r"01_rating\.md is missing or does not say"):
        syllabus.parts_of(tmp_path, toc)


def test_a_course_has_dates_and_skips_a_week():
    days = syllabus.mondays(date(2026, 12, 7), 3, [date(2026, 12, 25), date(2026, 12, 22)])
    assert [str(day) for day in days] == ["2026-12-07", "2026-12-14", "2026-12-28"]
    for other in (date(2026, 12, 1), date(2027, 3, 1)):
        with pytest.raises(GradingError, match=f"{other} lies in no week between"):
            syllabus.mondays(date(2026, 12, 7), 3, [other])


def test_the_syllabus_command_takes_parts_and_dates(run_cli, tmp_path):
    done = run_cli(
        *("course", "kit", "syllabus", "plan.md", "ranking", "--weeks", "2"),
        *("--start", "2026-12-14", "--skip", "2026-12-25"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "plan.md").read_text()
    assert "| 1 | 14 December 2026 |" in text
    assert "## Week 2, from 28 December 2026" in text
    assert "Rating" not in text.split("## Week 1")[0].partition("| Week")[2]
    refused = run_cli("course", "kit", "syllabus", "b.md", "--skip", "2026-12-25", cwd=tmp_path)
    assert "--skip needs the day on which the course begins" in refused.stderr


@pytest.mark.parametrize("exercise", ASKED, ids=lambda exercise: exercise.id)
def test_the_numbers_of_a_question_have_equal_decimals(exercise):
    for seed in ("one", "two"):
        asked = exam.question(exercise, seed)
        if asked.value is None:
            continue
        decimals = {len(option.text.partition(".")[2]) for option in asked.options}
        assert decimals in ({0}, {3}), [option.text for option in asked.options]
        assert not [option.text for option in asked.options if "e" in option.text]


def test_the_notes_list_every_mistake_with_its_hint():
    page = notes.notes_page("Notes", [(stem, stem) for stem in PARTS])
    for exercise in REGISTRY.values():
        assert (f"<code>{exercise.id}</code>" in page) == bool(exercise.mistakes)
        for mistake in exercise.mistakes:
            assert f"<dt>{markup.render_inline(mistake.name)}</dt>" in page
    some = notes.notes_page("Notes", [("01_rating", "Rating")])
    assert "ranking.e4" not in some


@pytest.mark.browser
def test_the_notes_fill_the_sheets_that_they_are_printed_on(browser):
    page = browser.new_page(viewport={"width": 680, "height": 1009})  # A4 without its margins
    page.set_content(notes.notes_page("Notes", [(stem, stem) for stem in PARTS]))
    page.emulate_media(media="print")
    height = page.evaluate("document.documentElement.scrollHeight")
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    assert len(re.findall(rb"/Type /Page\b", printed)) <= 1.1 * height / 1009


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
    formulas = re.findall(
        r"^\$\$.+?\$\$", "\n\n".join(written_cells(notebook)), re.MULTILINE | re.DOTALL
    )
    assert [text for one in found for text in one.argument if text.startswith("$$")] == formulas
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
    # Each formula is drawn, and none is left as it was typed.
    assert page.count('display="block"') >= len(formulas)
    assert "$" not in re.sub(r"<(svg|code|pre)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"(?:src|href)=[\"'](?!#)", page)  # nothing is loaded from elsewhere


def written_cells(notebook):
    """Return the text of a part up to its summary, without what a reader has to open."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield re.sub(r"<details>.*?</details>", "", cell.source, flags=re.DOTALL)
            if re.search(r"^#+ Summary$", cell.source, re.MULTILINE):
                return


@pytest.mark.parametrize("stem", PARTS)
def test_slides_argue_in_few_words(stem):
    notebook = nbformat.read(find_source().root / "chapters" / f"{stem}.ipynb", 4)
    found = slides.slides_of(notebook, PARTS[stem])
    titles = [one.title for one in found]
    assert len(set(titles)) >= len(titles) - titles.count(f"{titles[-2]} (continued)") - 8
    for one in found[1:]:
        assert one.argument or one.shown, one.title
        words = [text for text in one.argument if not text.startswith(("$$", "|"))]
        if one.title not in {"Summary", "Predict first"}:
            assert sum(len(text.split()) for text in words) <= 130, one.title
        # Nothing on a slide speaks of cells and fields that are not there.
        assert not re.search(r"\bthe (next )?cells?\b|the cell below", " ".join(words)), one.title


def shown_tables(slide):
    return "<table" in slide.shown or any(text.startswith("|") for text in slide.argument)


@pytest.mark.parametrize("stem", PARTS)
def test_slides_show_no_tag_and_point_at_nothing_that_is_missing(stem):
    notebook = nbformat.read(find_source().root / "chapters" / f"{stem}.ipynb", 4)
    found = slides.slides_of(notebook, PARTS[stem])
    page = re.sub(
        r"<(svg|style)\b.*?</\1>", "", slides.slides_page("A part", found), flags=re.DOTALL
    )
    assert not re.search(r"&lt;/?[a-z][^&]*&gt;", page)
    for one in found:
        words = " ".join(text for text in one.argument if not text.startswith(("$$", "|")))
        if not shown_tables(one):
            pointer = r"(?i)\b(?:the|this|next|following) (?:next )?tables?\b"
            assert not re.search(pointer, words), one.title
            pointer = r"(?i)\bthe (?:first|second|last|other) (?:two )?(?:rows?|columns?)\b"
            assert not re.search(pointer, words), one.title
        if not one.shown.lstrip().startswith("<svg"):
            pointer = r"(?i)\b(?:the|this|these|next|following) (?:\w+ )?(?:figures?|panels?)\b"
            assert not re.search(pointer, words), one.title
        # That of the slide is below the words, and so are not those before it.
        assert not re.search(r"\b[Ii]n (?:this|these|the) (?:last )?figures?\b", words), one.title
        assert not re.search(r"(?i)\bprint(?:s|ed)\b|both results|the output\b", words), one.title


@pytest.mark.parametrize(
    ("stem", "title", "words"),
    [
        ("02_ranking_pairs", "Choosing a metric", "how early are all hits?"),
        ("04_protocol_people", "Choosing a test or an interval", "Mann–Whitney"),
        ("06_bias_open_bandit", "Where propensities come from", "disagreeing rankers"),
    ],
)
def test_a_table_that_words_point_at_is_shown(stem, title, words):
    notebook = nbformat.read(find_source().root / "chapters" / f"{stem}.ipynb", 4)
    (slide,) = (one for one in slides.slides_of(notebook, PARTS[stem]) if one.title == title)
    assert "The table lists" in slide.argument[0]
    assert words in slide.shown + "".join(slide.argument)


@pytest.mark.browser
@pytest.mark.parametrize(
    "stem",
    ["02_ranking", "02_ranking_pairs", "04_protocol_evidence", "04_protocol_people", "06_bias_lab"],
)
def test_each_slide_fits_a_screen_and_a_sheet(stem, browser):
    notebook = nbformat.read(find_source().root / "chapters" / f"{stem}.ipynb", 4)
    found = slides.slides_of(notebook, PARTS[stem])
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_content(slides.slides_page("A part", found))
    heights = page.evaluate(
        "[...document.querySelectorAll('section')].map(s => s.getBoundingClientRect().height)"
    )
    wide = page.evaluate("document.documentElement.scrollWidth")
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    assert len(heights) == len(found)
    assert max(heights) <= 1.03 * 720
    assert wide <= 1280
    assert len(re.findall(rb"/Type /Page\b", printed)) == len(found)


def test_a_definition_stands_above_its_formula_and_the_result_below():
    notebook = nbformat.read(find_source().root / "chapters" / "02_ranking.ipynb", 4)
    found = {one.title: one for one in slides.slides_of(notebook, PARTS["02_ranking"])}
    argument = found["Precision at K"].argument
    assert "**Precision at K** is the fraction" in argument[0]
    assert argument[1].startswith(r"$$\mathrm{P@}K")
    assert argument[2].startswith(r"where $\mathrm{rel}_i$ is 1")
    assert "P@6 = 2/6" in argument[3]
    assert "Pitfall: short list" in found


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
    done = run_cli("course", "kit", "exam", "mid", "--seed", "s", "--questions", "3", cwd=tmp_path)
    assert done.returncode == 0
    names = {"mid.html", "mid-key.html", "mid-moodle.xml", "mid-qti.zip"}
    assert {file.name for file in (tmp_path / "mid").iterdir()} == names
    assert "3 questions; 1 " in done.stdout
    again = run_cli("course", "kit", "exam", "mid", "--seed", "s", cwd=tmp_path)
    assert again.returncode != 0
    assert "mid is there; give a folder that is not" in again.stderr
    assert "say --seed WORDS" in run_cli("course", "kit", "exam", "other", cwd=tmp_path).stderr
    assert (
        run_cli("course", "kit", "slides", "decks", "01_rating_guess", cwd=tmp_path).returncode == 0
    )
    assert [file.name for file in (tmp_path / "decks").iterdir()] == ["01_rating_guess.html"]
    assert "decks is there" in run_cli("course", "kit", "slides", "decks", cwd=tmp_path).stderr
    for command, file in (("syllabus", "plan.md"), ("notes", "notes.html")):
        assert run_cli("course", "kit", command, file, cwd=tmp_path).returncode == 0
        kept = (tmp_path / file).read_bytes()
        refused = run_cli("course", "kit", command, file, cwd=tmp_path)
        assert f"{file} is there; give another name" in refused.stderr
        assert (tmp_path / file).read_bytes() == kept
