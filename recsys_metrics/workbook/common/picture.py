"""A picture that follows the reader's theme and says in words what it shows."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass

_SVG = "http://www.w3.org/2000/svg"
_DATA = "data:image/svg+xml;base64,"
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72}
_FITS = "max-width:100%;height:auto"
# An image knows no colour of the page. It has a ground of its own, so that its ink can be read on
# any page; where the page says whether it is light or dark, and most do, nobody sees the ground.
_INK = (
    "<style>svg{color:#1f2937;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{color:#e5e7eb;background:#111}}</style>"
)
_IMAGE = re.compile(rf'<img alt="([^"]*)" [^>]*?src="{re.escape(_DATA)}([\w+/=]+)">')


@dataclass(frozen=True)
class Picture:
    """An SVG drawing with the text that stands for it.

    It shows itself as an image with that text, which a notebook that is not trusted, and a site
    that shows notebooks, keep: both take SVG out of a page and leave its letters. `inline` is for
    pages of our own, where text and axes drawn in `currentColor` take the colour of the page.

    Parameters
    ----------
    svg : str
        Markup from ``<svg`` to ``</svg>``.
    alt : str
        The finding in words, for readers who do not see the picture.
    """

    svg: str
    alt: str

    def __post_init__(self) -> None:
        if not self.svg.lstrip().startswith("<svg"):
            raise ValueError(f"svg must start with <svg, got {self.svg[:20]!r}")
        if len(self.alt) < 20:
            raise ValueError(f"alt must state the finding in a sentence, got {self.alt!r}")

    def inline(self) -> str:
        """Return it as a part of the page, whose colour its text and axes take."""
        label = html.escape(self.alt, quote=True)
        # Where it may be less high than it is wide, it begins where the text does.
        fits = f'preserveAspectRatio="xMinYMid" style="{_FITS}"'
        return _first_tag(self.svg, f'role="img" aria-label="{label}" {fits}')

    def _repr_html_(self) -> str:
        label = html.escape(self.alt, quote=True)
        first = self.svg.strip().partition(">")[0]
        size = "".join(
            f'{name}="{round(float(number) * _PIXELS[unit])}" '
            for name, number, unit in re.findall(r'\b(width|height)="([\d.]+)(px|pt|)"', first)
        )
        svg = self.svg.strip()
        if "xmlns=" not in svg.partition(">")[0]:
            svg = _first_tag(svg, f'xmlns="{_SVG}"')
        svg = svg.replace(">", f">{_INK}", 1)
        data = base64.b64encode(svg.encode()).decode()
        return f'<img alt="{label}" {size}style="{_FITS}" src="{_DATA}{data}">'

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"


def inline_pictures(page: str) -> str:
    """Return a page with each picture's image made a part of the page again.

    >>> shown = Picture('<svg xmlns="http://www.w3.org/2000/svg"/>', "A drawing of nothing much.")
    >>> inline_pictures(f"<p>{shown._repr_html_()}</p>") == f"<p>{shown.inline()}</p>"
    True
    """

    def back(image: re.Match[str]) -> str:
        svg = base64.b64decode(image[2]).decode().replace(_INK, "", 1)
        return Picture(svg, html.unescape(image[1])).inline()

    return _IMAGE.sub(back, page)


def _first_tag(svg: str, more: str) -> str:
    """Return a drawing with more attributes in its first tag."""
    return re.sub(r"<svg\s", lambda _: f"<svg {more} ", svg.strip(), count=1)
