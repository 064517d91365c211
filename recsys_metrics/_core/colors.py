"""The Okabe-Ito palette, which readers with any colour vision can distinguish.

Fills and lines take these; text and axes take the reader's theme (`currentColor`).
"""

from __future__ import annotations

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY = "#56B4E9"
PURPLE = "#CC79A7"
GREY = "#6B7280"

# Models keep their colour through a chapter.
CYCLE = (GREY, ORANGE, SKY, BLUE, GREEN, VERMILION, PURPLE)
