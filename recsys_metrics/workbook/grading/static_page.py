"""A page of the course that loads nothing and runs nothing."""

from __future__ import annotations

from recsys_metrics.workbook.common import markup

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'{pictures}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 54em; margin: 2em auto; padding: 0 1em }}
th, td {{ text-align: left; vertical-align: top }}
table {{ border-collapse: collapse }}
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def render_page(title: str, body: str, *, style: str = "", images: bool = False) -> str:
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
    """
    pictures = "; img-src data:" if images else ""
    return _PAGE.format(title=markup.escape(title), body=body, style=style, pictures=pictures)
