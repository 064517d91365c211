"""A page for each interactive figure, which another site can show in a frame."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.explorables import REGISTRY

FOLDER = "explorables"
_SCRIPTS = ("book.js", "front/explorable.js", "progress.js", "explorables.js", "embed.js")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{question}</title>
<link rel="stylesheet" href="../_static/front/explorable.css">
<link rel="stylesheet" href="../_static/embed.css">
{scripts}
</head>
<body>
<main>
{figure}
</main>
<p class="embed-foot"><a href="{source}" target="_top">{title}</a></p>
</body>
</html>
"""


def pages_of(folder: Path) -> dict[str, str]:
    """Return the first page of a built site that has each figure, by the figure's id."""
    found: dict[str, str] = {}
    for page in sorted((folder / "chapters").glob("*.html")):
        for name in re.findall(r'data-explorable="([\w.]+)"', page.read_text(encoding="utf-8")):
            found.setdefault(name, f"chapters/{page.name}")
    return found


def on_finished(app: Any, problem: Exception | None) -> None:
    """Write the pages."""
    if problem or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    (folder / FOLDER).mkdir(exist_ok=True)
    scripts = "\n".join(f'<script defer src="../_static/{name}"></script>' for name in _SCRIPTS)
    pages = pages_of(folder)
    for name, explorable in REGISTRY.items():
        page = pages.get(name, "index.html")
        words = _PAGE.format(
            question=html.escape(explorable.question),
            scripts=scripts,
            figure=inline_pictures(explorable.static_html()),
            source=f"../{page}",
            title=html.escape(app.config.project),
        )
        (folder / FOLDER / f"{name}.html").write_text(words, encoding="utf-8")
