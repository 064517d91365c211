"""Every point of the source documents is covered by a section that says so, and has prose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CHAPTERS = HERE.parents[1] / "chapters"
TAG = re.compile(r"<!-- covers:([^>]*)-->")


def points():
    """Return the ids of the list, with what each stands for."""
    lines = (HERE / "coverage.txt").read_text(encoding="utf-8").splitlines()
    return {line.split(" | ", 1)[0]: line for line in lines if line.strip()}


def level(section):
    return len(section) - len(section.lstrip("#"))


def tagged():
    """Return the sections that hold a tag: page, heading, what is between them, ids, the text."""
    found = []
    for page in sorted(CHAPTERS.glob("*.md")):
        text = re.sub(r"^(```+).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        parts = re.split(r"^(?=#{1,6} )", text, flags=re.MULTILINE)[1:]
        for place, section in enumerate(parts):
            heading, _, body = section.partition("\n")
            # What stands under a heading goes on through the smaller headings below it.
            end = next(
                (i for i, part in enumerate(parts) if i > place and level(part) <= level(section)),
                len(parts),
            )
            whole = TAG.sub("", "\n".join([body, *parts[place + 1 : end]]))
            found += [
                (page.stem, heading, body[: tag.start()], tag[1].split(), whole)
                for tag in TAG.finditer(body)
            ]
    return found


SECTIONS = tagged()


def test_the_list_of_points_is_complete():
    assert len(points()) == 245


def test_every_point_is_covered_by_a_section():
    covered = {name for *_, ids, _ in SECTIONS for name in ids}
    missing = [line for name, line in points().items() if name not in covered]
    assert missing == []


@pytest.mark.parametrize(
    "section", SECTIONS, ids=[f"{page}: {heading.lstrip('# ')}" for page, heading, *_ in SECTIONS]
)
def test_a_coverage_tag_follows_its_heading_and_names_points(section):
    _, heading, before, ids, rest = section
    assert heading.startswith("#")
    assert TAG.sub("", before).strip() == ""
    assert ids
    assert [name for name in ids if name not in points()] == []
    assert len(set(ids)) == len(ids)
    assert len(re.findall(r"\w+", rest)) >= 12, "there is no text under the heading"


METRICS = [name for name, line in points().items() if line.split(" | ")[2] == "M"]
# Further concepts with a formula, and the section of a part that shows it.
FORMULAS = {
    "standard error": ("04_protocol_evidence", "### Standard error and t interval over seeds"),
    "t interval": ("04_protocol_evidence", "### Standard error and t interval over seeds"),
    "paired": ("04_protocol_evidence", "### Paired tests"),
    "bootstrap": ("04_protocol_evidence", "### The bootstrap over users"),
    "delta method": ("04_protocol_live", "### The delta method by hand"),
    "CUPED": ("04_protocol_live", "## Variance reduction with CUPED"),
    "sampled rank": ("04_protocol", "## Candidates: full or sampled ranking"),
    "Expected calibration error": ("05_calibration", "### Expected calibration error"),
    "Platt scaling": ("05_calibration_maps", "### A line on the log-odds scale"),
    "Kullback-Leibler": ("03_beyond_accuracy", "### Calibrated recommendations"),
    "MMR": ("03_beyond_accuracy_movielens", "## Re-ranking"),
    "IPS": ("06_bias_off_policy", "### Off-policy evaluation: IPS and SNIPS"),
    "SNIPS": ("06_bias_off_policy", "### Off-policy evaluation: IPS and SNIPS"),
    "doubly robust": ("06_bias_off_policy", "### Direct method and doubly robust estimate"),
    "effective sample size": (
        "06_bias_off_policy",
        "### Variance, clipping and effective sample size",
    ),
}


def sections_of(page):
    text = (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")
    text = re.sub(r"^(```+).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"^(?=#{1,6} )", text, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part for part in parts}


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_of_the_sources_has_its_formula_displayed(name):
    assert any("$$" in whole for *_, ids, whole in SECTIONS if name in ids), points()[name]


@pytest.mark.parametrize("term", FORMULAS)
def test_further_concepts_have_their_formula_displayed(term):
    page, heading = FORMULAS[term]
    section = sections_of(page)[heading]
    assert term.lower() in section.lower()
    assert "$$" in section
