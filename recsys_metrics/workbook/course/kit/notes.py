"""Notes for those who help students: each named mistake, and what to ask back."""

from __future__ import annotations

from collections.abc import Sequence

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises import PARTS
from recsys_metrics.workbook.exercises.base import Exercise, render_text
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
h2 { margin-top: 2.5em }
h3 { margin: 1.6em 0 .2em; font-size: 1.05rem }
dt { font-weight: bold; margin-top: .7em }
dd { margin: 0 0 0 1.2em }
dd p { margin: .1em 0 }
.ask { font-style: italic }
@media print { body { font-size: 9.5pt; line-height: 1.35; max-width: none; margin: 0; padding: 0 }
  dl { columns: 2; column-gap: 2em; margin-top: 0 } dl > div, dt { break-inside: avoid }
  h2, h3, dt { break-after: avoid } dt { margin-top: 0; padding-top: .7em } }
@page { size: A4; margin: 1.5cm }
"""


def notes_page(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return the notes as a page.

    Parameters
    ----------
    title : str
    parts : sequence of (str, str)
        Name of a part in `PARTS`, and its title.
    """
    body = [
        f"<h1>{escape_html(title)}</h1>",
        "<p>What a student did who gives one of the wrong answers that have a name, on the numbers "
        "of the workbook, and a question that lets them find it. Ask before you tell.</p>",
    ]
    for stem, heading in parts:
        told = [_exercise(one) for one in PARTS[stem] if one.mistakes]
        if told:
            body += [f"<h2>{escape_html(heading)}</h2>", *told]
    return render_page(title, "\n".join(body), style=_STYLE)


def _exercise(one: Exercise) -> str:
    rows = []
    for mistake in one.mistakes:
        cause, hint = (render_text(text, one.inputs) for text in (mistake.cause, mistake.hint))
        rows.append(
            f"<div><dt>{markup.render_inline(mistake.name)}</dt><dd>{markup.render_block(cause)}"
            f"<div class='ask'>{markup.render_block(hint)}</div></dd></div>"
        )
    name = f"{escape_html(one.title)} <code>{one.id}</code>"
    return f"<section><h3>{name}</h3><dl>{''.join(rows)}</dl></section>"
