"""What a page says of itself before its script runs: how long it takes and what it counts.

Both are written when the page is built, so that nothing moves when a script adds what is done.
What a part needs and teaches folds beside them, and what it imports below its first question, so
that nothing stands between the opening picture and the question.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import minutes
from docutils import nodes

_MINUTES = re.compile(r"<p><strong>About (\d+) minutes\.</strong></p>")
_CARD = re.compile(r'data-exercise="([^"]+)"')
# A figure with goals to find or a guess to make.
_COUNTED = "data-goals="


def write(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Give the template the number of exercises if the page counts anything; name its minutes."""
    body = context.get("body", "")
    exercises = len(set(_CARD.findall(body)))
    if exercises or _COUNTED in body or name == app.config.root_doc:
        context["exercises"] = exercises
    if body:
        context["body"] = name_minutes(body, exercises)
    for side in ("prev", "next"):
        if beside := context.get(side):
            context[f"{side}_title"] = shorten_beside(beside["title"], context["title"])


def shorten_beside(title: str, here: str) -> str:
    """Return the title of the page before or after this one, without a subject that both have.

    >>> shorten_beside("Ranking: average precision", "Ranking: precision and recall")
    'Average precision'
    >>> shorten_beside("Ranking: precision and recall", "Rating prediction: a case study")
    'Ranking: precision and recall'
    """
    return minutes.short(title) if title.partition(":")[0] == here.partition(":")[0] else title


def name_minutes(body: str, exercises: int) -> str:
    """Return a page's body with its minutes and exercises in one line.

    >>> name_minutes("<p><strong>About 55 minutes.</strong></p>", 8)
    '<p class="page-facts">55 min · 8 exercises</p>'
    >>> name_minutes("<p><strong>About 5 minutes.</strong></p>", 1)
    '<p class="page-facts">5 min · 1 exercise</p>'
    """
    counted = f"{exercises} exercise{'' if exercises == 1 else 's'}"
    return _MINUTES.sub(rf'<p class="page-facts">\1 min · {counted}</p>', body)


def arrange(app: Any, doctree: nodes.document) -> None:
    """Leave nothing between the opening picture of a part and its first question."""
    asked = next((one for one in doctree.findall(nodes.section) if _asks(one)), None)
    if asked is None:
        return
    # The card says that it asks for a prediction; the heading stays for the outline.
    asked[0]["classes"].append("visually-hidden")
    opening = list(takewhile(lambda one: one is not asked, asked.parent.children))
    imports = next((one for one in opening if "tag_hide-input" in one.get("classes", ())), None)
    if imports is not None:
        asked.parent.remove(imports)
        asked.append(imports)
    first = next((at for at, one in enumerate(opening) if _is_raw(one, "<details>")), None)
    takes = next((one for one in opening if _TAKES.fullmatch(one.astext())), None)
    if first is None or takes is None:
        return
    last = next(at for at in range(first, len(opening)) if _is_raw(opening[at], "</details>"))
    fold = opening[first : last + 1]
    for one in fold:
        asked.parent.remove(one)
    at = asked.parent.index(takes) + 1
    asked.parent.children[at:at] = fold


_TAKES = re.compile(r"About \d+ minutes\.")


def _asks(section: nodes.section) -> bool:
    return "predict-first" in section["ids"]


def _is_raw(node: nodes.Node, start: str) -> bool:
    return isinstance(node, nodes.raw) and node.astext().startswith(start)
