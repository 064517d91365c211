"""The cheat sheet: every card in one row, its value computed by the call that the row shows."""

from __future__ import annotations

import html
from typing import Any

from recsys_metrics.workbook.cards import CARDS, card_functions
from recsys_metrics.workbook.cards.metric_catalog import NOTHING
from recsys_metrics.workbook.common.tables import Table, format_value


class CheatSheet(Table):
    """A table of metrics that prints: what is asked, and the call under the formula in words."""

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top;padding:0.15em 0.4em;line-height:1.25"
        code = "font-size:0.9em;padding:0;background:none;overflow-wrap:anywhere"
        widths = {
            "Metric": 18,
            "Question, formula, call": 46,
            "Range": 12,
            "State": 14,
            "Value": 10,
        }
        head = "".join(
            f'<th scope="col" style="{cell};width:{width}%">{text}</th>'
            for text, width in widths.items()
        )
        body = ""
        for row in self.rows:
            name, question, words, span, what, call = (html.escape(text) for text in row[:-1])
            # A long call breaks behind these, not within a word.
            call = call.replace("(", "(<wbr>").replace("_", "_<wbr>")
            body += (
                f'<tr><th scope="row" style="{cell}"><strong>{name}</strong></th>'
                f'<td style="{cell}"><div class="asks">{question}</div>'
                f'{words}<br><code style="{code}">{call}</code></td>'
                f'<td style="{cell}">{span}</td><td style="{cell}">{what or NOTHING}</td>'
                f'<td style="{cell};text-align:right">{format_value(row[-1])}</td></tr>'
            )
        return (
            # On paper the code that makes the tables would take more space than they do.
            "<style>.sheet{font-size:0.85em;width:100%;table-layout:fixed}"
            "@media print{.cell_input,.cell details{display:none!important}"
            ".sheet{font-size:7pt!important}}</style>"
            '<table class="sheet">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def cheat_sheet(subject: str, **names: Any) -> CheatSheet:
    """Return the cards of a subject as rows, each with the value of its call.

    Parameters
    ----------
    subject : str
        One of the six subjects; its functions are known to the calls.
    **names
        The data of the example, as the calls name them.

    Raises
    ------
    KeyError
        If there is no such subject.
    NameError
        If a call names something that was not given.

    Examples
    --------
    >>> from recsys_metrics.workbook.cards.cheat_sheet import cheat_sheet
    >>> cheat_sheet("rating", actual=[5, 2], predicted=[4, 2]).rows[0][2:]
    ('mean of |error|', '≥ 0', 'per user', 'mae(actual, predicted)', 0.5)
    """
    cards = [card for card in CARDS.values() if card.subject == subject]
    if not cards:
        subjects = ", ".join(dict.fromkeys(card.subject for card in CARDS.values()))
        raise KeyError(f"there is no subject {subject!r}; there are {subjects}")
    known = {**card_functions(subject), **names}
    # The calls are this package's own; that they are text is what keeps the value in step with
    # what is shown of how to get it.
    rows = [
        (c.title, c.question, c.words, c.range, c.state, c.call, eval(c.call, known)) for c in cards
    ]
    return CheatSheet(["Metric", "Question", "In words", "Range", "State", "Call", "Value"], rows)
