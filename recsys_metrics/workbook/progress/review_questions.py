"""Recall questions of a part in a notebook: how it was, marked by the reader, who alone can tell.

The questions stand in the part's text, each open to its answer. The book's pages mark the same
questions; both write into the learner's history, by an id that changes with the words.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.content import find_source
from recsys_metrics.workbook.common.disclosure import ARROW
from recsys_metrics.workbook.common.interactive import create_bundle

# What a mark says of a question, as the book's pages say it.
MARKS = {"PASS": "✓ I knew it", "PART": "◐ I knew a part", "WRONG": "○ I did not know it"}
# What it takes to say an answer to oneself, and to compare it.
RECALL_MINUTES = 1
_ASKED = re.compile(rf"<summary>(?:{ARROW})?(.*?)</summary>", re.DOTALL)
_BEGINS = 9


@dataclass(frozen=True)
class ReviewQuestion:
    """A recall question of a part.

    Attributes
    ----------
    part, asked : str
        Where it stands, and its words.
    """

    part: str
    text: str

    @property
    def id(self) -> str:
        """A name that changes with the words: a question that reads otherwise is another one."""
        digest = 0x811C9DC5  # FNV-1a
        for byte in self.text.encode():
            digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
        return f"recall.{self.part}.{digest:x}"

    @property
    def beginning(self) -> str:
        """Its first words."""
        words = self.text.split()
        return " ".join(words[:_BEGINS]) + (" …" if len(words) > _BEGINS else "")


def read_questions(part: str) -> list[ReviewQuestion]:
    """Return the recall questions of a part, in their order.

    Parameters
    ----------
    part : str
        Name of its file, ``02_ranking`` say.

    Raises
    ------
    FileNotFoundError
        If there is no such part.
    """
    text = (find_source().root / "chapters" / f"{part}.md").read_text(encoding="utf-8")
    section = text.partition("\n## Recall\n")[2].partition("\n## ")[0]
    return [ReviewQuestion(part, html.unescape(one).strip()) for one in _ASKED.findall(section)]


@dataclass(frozen=True)
class ReviewQuestions:
    """The recall questions of a part, and where the reader says how each was.

    Attributes
    ----------
    questions : tuple of Question
    """

    questions: tuple[ReviewQuestion, ...]

    def widget(self) -> Any:
        """Return the live form for Jupyter.

        Raises
        ------
        ImportError
            Without ipywidgets.
        """
        import ipywidgets as widgets

        known = progress.load_summary() if progress.is_recording() else {}
        rows = [widgets.HTML("<strong>How was it?</strong> Your mark is noted.")]
        for one in self.questions:
            mark = widgets.ToggleButtons(
                options=[(label, outcome) for outcome, label in MARKS.items()],
                value=known[one.id].outcome if one.id in known else None,
                tooltips=[f"{label}: {one.beginning}" for label in MARKS.values()],
                style={"button_width": "auto"},
            )
            mark.observe(partial(_noted, one), names="value")
            rows += [widgets.HTML(markup.escape(one.beginning)), mark]
        return widgets.VBox(rows)

    def _repr_html_(self) -> str:
        return "<p><small>Run this cell in Jupyter to mark how each question was.</small></p>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return create_bundle(self, self.widget)

    def __repr__(self) -> str:
        return f"{len(self.questions)} recall questions"


def _noted(question: ReviewQuestion, change: Any) -> None:
    if change["new"]:
        progress.record_review(question.id, change["new"])


def review_questions(part: str) -> ReviewQuestions:
    """Return what a part's reader marks its recall questions with.

    Parameters
    ----------
    part : str
        Name of its file, ``02_ranking`` say.

    Raises
    ------
    FileNotFoundError
        If there is no such part.
    """
    return ReviewQuestions(tuple(read_questions(part)))
