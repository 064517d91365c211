"""An exam as Moodle XML: Moodle's importer is the contract, for it publishes no schema."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.kit.exam import ExamQuestion


def to_moodle(category: str, questions: Sequence[ExamQuestion]) -> bytes:
    """Return questions as a file that Moodle's question bank imports.

    Parameters
    ----------
    category : str
        Of the question bank; below the course's own.
    questions : sequence of Question
    """
    quiz = ET.Element("quiz")
    top = ET.SubElement(quiz, "question", type="category")
    _text(ET.SubElement(top, "category"), f"$course$/top/{category.replace('/', '//')}")
    for one in questions:
        _question(quiz, one)
    ET.indent(quiz)
    return bytes(ET.tostring(quiz, encoding="utf-8", xml_declaration=True))


def _question(quiz: ET.Element, one: ExamQuestion) -> None:
    element = ET.SubElement(quiz, "question", type="multichoice")
    _text(ET.SubElement(element, "name"), f"{one.title} ({one.exercise})")
    _html(element, "questiontext", one.text)
    _html(element, "generalfeedback", "")
    ET.SubElement(element, "defaultgrade").text = str(one.points)
    ET.SubElement(element, "penalty").text = "0.3333333"
    ET.SubElement(element, "hidden").text = "0"
    ET.SubElement(element, "single").text = "true"
    # The order was drawn, and the letters are those of the printed key.
    ET.SubElement(element, "shuffleanswers").text = "false"
    ET.SubElement(element, "answernumbering").text = "abc"
    for option in one.options:
        answer = ET.SubElement(element, "answer", fraction="100" if option.right else "0")
        answer.set("format", "html")
        _text(answer, markup.render_block(option.text).strip())
        _html(answer, "feedback", option.why)
    tags = ET.SubElement(element, "tags")
    for tag in (one.exercise.partition(".")[0], one.difficulty):
        _text(ET.SubElement(tags, "tag"), tag)


def _text(element: ET.Element, text: str) -> None:
    ET.SubElement(element, "text").text = text


def _html(parent: ET.Element, name: str, markdown: str) -> None:
    element = ET.SubElement(parent, name, format="html")
    _text(element, markup.render_block(markdown).strip() if markdown else "")
