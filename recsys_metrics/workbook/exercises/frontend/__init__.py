"""The card's module and its style, for notebooks and for the pages of the book."""

from __future__ import annotations

from pathlib import Path

CARD = Path(__file__).with_name("card.js")
STYLE = Path(__file__).with_name("card.css")
