"""What a page says of itself before its script runs: how long it takes and what it counts.

Both are written when the page is built, so that nothing moves when a script adds what is done.
"""

from __future__ import annotations

import re
from typing import Any

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


def name_minutes(body: str, exercises: int) -> str:
    """Return a page's body with its minutes and exercises in one line.

    >>> name_minutes("<p><strong>About 55 minutes.</strong></p>", 8)
    '<p class="page-facts">55 min · 8 exercises</p>'
    >>> name_minutes("<p><strong>About 5 minutes.</strong></p>", 1)
    '<p class="page-facts">5 min · 1 exercise</p>'
    """
    counted = f"{exercises} exercise{'' if exercises == 1 else 's'}"
    return _MINUTES.sub(rf'<p class="page-facts">\1 min · {counted}</p>', body)
