"""An exam as a QTI 2.1 package, which most learning platforms import."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course.kit.exam import ExamQuestion, letter

_ITEM = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_MATCH = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"
_ITEM_XSD = "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"
# A package of the same questions is the same file, whenever it was made.
_MOMENT = (2000, 1, 1, 0, 0, 0)


def to_qti(title: str, questions: Sequence[ExamQuestion]) -> bytes:
    """Return questions as a package of QTI 2.1: one item a file, a test, and a manifest.

    Parameters
    ----------
    title : str
    questions : sequence of Question

    Returns
    -------
    bytes
        Of a zip archive.
    """
    files = {f"items/q{at}.xml": item(at, one) for at, one in enumerate(questions, 1)}
    files["test.xml"] = _test(title, questions)
    files["imsmanifest.xml"] = _manifest(questions)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content)
    return packed.getvalue()


def item(at: int, one: ExamQuestion) -> bytes:
    """Return a question as an item of QTI.

    Parameters
    ----------
    at : int
        Its number, from 1.
    one : Question
    """
    root = ET.Element(
        "assessmentItem",
        {
            "xmlns": _ITEM,
            "xmlns:xsi": _INSTANCE,
            "xsi:schemaLocation": f"{_ITEM} {_ITEM_XSD}",
            "identifier": f"q{at}",
            "title": markup.strip_markup(one.title),
            "adaptive": "false",
            "timeDependent": "false",
        },
    )
    declared = ET.SubElement(
        root,
        "responseDeclaration",
        identifier="RESPONSE",
        cardinality="single",
        baseType="identifier",
    )
    ET.SubElement(ET.SubElement(declared, "correctResponse"), "value").text = one.key
    ET.SubElement(
        root, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float"
    )
    body = ET.SubElement(root, "itemBody")
    for element in _blocks(one.text):
        body.append(element)
    choices = ET.SubElement(
        body,
        "choiceInteraction",
        responseIdentifier="RESPONSE",
        shuffle="false",
        maxChoices="1",
    )
    for place, option in enumerate(one.options):
        choice = ET.SubElement(choices, "simpleChoice", identifier=letter(place))
        for element in _blocks(option.text):
            choice.append(element)
    ET.SubElement(root, "responseProcessing", template=_MATCH)
    return _written(root)


def _test(title: str, questions: Sequence[ExamQuestion]) -> bytes:
    root = ET.Element(
        "assessmentTest",
        {
            "xmlns": _ITEM,
            "xmlns:xsi": _INSTANCE,
            "xsi:schemaLocation": f"{_ITEM} {_ITEM_XSD}",
            "identifier": "test",
            "title": title,
        },
    )
    part = ET.SubElement(
        root,
        "testPart",
        identifier="part",
        navigationMode="nonlinear",
        submissionMode="simultaneous",
    )
    section = ET.SubElement(
        part, "assessmentSection", identifier="section", title=title, visible="true"
    )
    for at, one in enumerate(questions, 1):
        reference = ET.SubElement(
            section, "assessmentItemRef", identifier=f"q{at}", href=f"items/q{at}.xml"
        )
        ET.SubElement(reference, "weight", identifier="points", value=f"{one.points}")
    return _written(root)


def _manifest(questions: Sequence[ExamQuestion]) -> bytes:
    root = ET.Element("manifest", {"xmlns": _PACKAGE, "identifier": "manifest"})
    about = ET.SubElement(root, "metadata")
    ET.SubElement(about, "schema").text = "QTIv2.1 Package"
    ET.SubElement(about, "schemaversion").text = "1.0.0"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    names = [f"q{at}" for at in range(1, len(questions) + 1)]
    test = _resource(resources, "test", "imsqti_test_xmlv2p1", "test.xml")
    for name in names:
        ET.SubElement(test, "dependency", identifierref=name)
    for name in names:
        _resource(resources, name, "imsqti_item_xmlv2p1", f"items/{name}.xml")
    return _written(root)


def _resource(parent: ET.Element, name: str, kind: str, file: str) -> ET.Element:
    element = ET.SubElement(parent, "resource", identifier=name, type=kind, href=file)
    ET.SubElement(element, "file", href=file)
    return element


def _blocks(markdown: str) -> list[ET.Element]:
    """Return markdown as elements; ours has none that QTI does not know."""
    html = markup.render_block(markdown)
    return list(ET.fromstring(f"<div>{html}</div>"))


def _written(root: ET.Element) -> bytes:
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))
