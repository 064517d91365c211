"""A picture that follows the reader's theme and says in words what it shows."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """An SVG drawing with the text that stands for it.

    It shows itself as inline SVG, so that text and axes drawn in `currentColor` take the colour
    of the page, light or dark, in Jupyter and in the book.

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

    def _repr_html_(self) -> str:
        label = html.escape(self.alt, quote=True)
        opening = f'<svg role="img" aria-label="{label}" style="max-width:100%;height:auto" '
        return re.sub(r"<svg\s", lambda _: opening, self.svg.strip(), count=1)

    def image(self) -> str:
        """Return it as an image of its own, which stands where inline SVG is taken out.

        Such an image knows no colour of the page: its text is dark, or light where the page (or
        the reader's system) says that it is dark.
        """
        ink = (
            "<style>svg{color:#1f2937}@media(prefers-color-scheme:dark){svg{color:#e5e7eb}}</style>"
        )
        svg = re.sub(r"<svg\b[^>]*>", lambda tag: tag[0] + ink, self.svg.strip(), count=1)
        data = base64.b64encode(svg.encode()).decode()
        label = html.escape(self.alt, quote=True)
        return f'<img alt="{label}" src="data:image/svg+xml;base64,{data}">'

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"
