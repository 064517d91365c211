"""A page of the course that loads nothing, and runs nothing but a script of its own."""

from __future__ import annotations

import base64
import hashlib

from recsys_metrics.workbook.grading.escaped_html import escape_html

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'{allowed}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 54em; margin: 2em auto; padding: 0 1em }}
th, td {{ text-align: left; vertical-align: top }}
table {{ border-collapse: collapse }}
h1, h2, h3 {{ overflow-wrap: anywhere }}
.scroll, pre {{ overflow-x: auto }}
.unfold {{ display: none }}
{style}</style>
</head>
<body>
<main>
{body}
</main>
{script}</body>
</html>
"""


def render_page(
    title: str, body: str, *, style: str = "", images: bool = False, script: str = ""
) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        Not yet escaped.
    body : str
        HTML.
    style : str
        CSS beyond what all pages have.
    images : bool
        Whether it may hold pictures that are written into it.
    script : str
        JavaScript of ours; no other runs, and it can send nothing anywhere.
    """
    allowed = "; img-src data:" if images else ""
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        allowed += f"; script-src 'sha256-{digest}'; form-action 'none'"
        script = f"<script>{script}</script>\n"
    return _PAGE.format(
        title=escape_html(title), body=body, style=style, allowed=allowed, script=script
    )
