"""A few words for the learner, in a box."""

from __future__ import annotations

from dataclasses import dataclass

from recsys_metrics._core.colors import GREY
from recsys_metrics.workbook.common import markup


@dataclass(frozen=True, repr=False)
class Note:
    """A few words for the learner, shown in a notebook.

    Parameters
    ----------
    title : str
    text : str
        In markdown.
    look_back : str
        The id of the exercise whose guess it is about; empty for any other note.
    """

    title: str
    text: str
    look_back: str = ""

    def __repr__(self) -> str:
        return f"{self.title}: {markup.strip_markup(self.text)}"

    def _repr_html_(self) -> str:
        body = f'<p style="margin:.2em 0"><strong>{markup.escape(self.title)}</strong></p>'
        body += markup.render_block(self.text)
        return markup.render_box(body, edge=GREY, label=self.title, look_back=self.look_back)
