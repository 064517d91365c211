"""Charts of chapter 01: what an error weighs, and predictions beside ratings."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, ORANGE, SKY, VERMILION
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.rating import mae, rmse
from recsys_metrics.workbook.charts.board import WIDE, axes, board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture

_STARS = range(1, 6)
# A letter of a film's name, and so many of them in a line; and the space after each film.
_LETTER, _LINE, _GAP, _TALLEST = 9.6, 10, 14, 140


def rating_errors(
    rated: ArrayLike, predicted: ArrayLike, *, title: str, alt: str, names: Sequence[str] = ()
) -> Picture:
    """Draw each film as a row: what was predicted, what was given, and the error between them.

    Parameters
    ----------
    rated, predicted : array of float
        Stars of the same films.
    title, alt : str
        The finding, and the finding for those who do not see it.
    names : sequence of str
        Of the films; numbers by default.

    Returns
    -------
    Picture
    """
    stars, guesses = (np.asarray(of, dtype=np.float64) for of in (rated, predicted))
    named = [textwrap.shorten(name, 24, placeholder="…") for name in names]
    # Half a star is left of the first tick, and must not lie on the names.
    low = min(_STARS[0], float(stars.min()), float(guesses.min()))
    left = max(90, 9.6 * max(map(len, named), default=0)) + 20
    x = Scale(low, _STARS[-1], left, WIDE - 70)
    parts: list[str] = []
    # As many decimals as the longest error has, two at most, so that they can be compared.
    written = (f"{error:.2f}".rstrip("0") for error in guesses - stars)
    digits = max((len(text.partition(".")[2]) for text in written), default=0)
    for row, (given, guess) in enumerate(zip(stars, guesses, strict=True)):
        y = 16 + 30 * row
        name = named[row] if named else f"film {row + 1}"
        error = f"{guess - given:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
        error = error if guess != given else "0"
        parts += [
            svg.text(0, y + 6, name),
            svg.stroke([(x(guess), y), (x(given), y)], VERMILION),
            svg.dot(x(given), y, BLUE, size=8),
            svg.dot(x(guess), y, size=8),
            svg.text(WIDE, y + 6, error, anchor="end"),
        ]
    floor = 16 + 30 * len(stars)
    parts.append(svg.line(x.start - 12, floor, x.end + 12, floor))
    parts += [svg.text(x(star), floor + 20, str(star), anchor="middle") for star in _STARS]
    parts.append(svg.text(0, floor + 20, "stars"))
    parts.append(svg.text(WIDE, floor + 20, "error", anchor="end"))
    parts += [
        svg.dot(118, floor + 40, BLUE, size=8),
        svg.text(133, floor + 46, "given"),
        svg.dot(211, floor + 40, size=8),
        svg.text(226, floor + 46, "predicted"),
    ]
    return board(title, floor + 54, parts, alt)


def squared_errors(
    errors: Mapping[str, ArrayLike], *, title: str, alt: str, names: Sequence[str] = ()
) -> Picture:
    """Draw each error as a line, and what it weighs when it is squared as a square on that line.

    Parameters
    ----------
    errors : mapping
        Name of each model and its errors, one a film; not all of them 0.
    title, alt : str
        The finding, and the finding for those who do not see it.
    names : sequence of str
        Of the films, the same ones for each model; numbers by default.

    Returns
    -------
    Picture
    """
    sizes = {name: np.abs(np.asarray(of, dtype=np.float64)) for name, of in errors.items()}
    most = max(map(len, sizes.values()))
    called = [svg.break_lines(name, _LINE) for name in names]
    called = called or [[f"film {film}"] for film in range(1, most + 1)]
    lines = max(map(len, called))
    star = _TALLEST / max(of.max() for of in sizes.values())
    while max(_columns(of, star, called).sum() for of in sizes.values()) > WIDE + _GAP:
        star *= 0.95
    parts: list[str] = []
    floor = 0.0
    for name, of in sizes.items():
        parts.append(svg.text(0, floor + 17, name))
        areas = [f"{size**2:.3g}" for size in of]
        # What does not fit into a small square stands on it.
        inside = [star * size > _LETTER * len(area) for size, area in zip(of, areas, strict=True)]
        tall = (star * size + 20 * (not fits) for size, fits in zip(of, inside, strict=True))
        floor += 28 + max(tall)
        columns = _columns(of, star, called)
        for film, (size, end) in enumerate(zip(of, columns.cumsum(), strict=True)):
            side = star * size
            middle = end - _GAP - (columns[film] - _GAP) / 2
            if size:
                area, fits = areas[film], inside[film]
                base, ink = (side / 2 - 6, "#000000") if fits else (side + 5, "")
                parts += [
                    svg.box(middle - side / 2, floor - side, side, side, ORANGE),
                    svg.text(middle, floor - base, area, anchor="middle", ink=ink),
                    svg.stroke([(middle - side / 2, floor), (middle + side / 2, floor)], BLUE),
                ]
            else:
                parts.append(svg.text(middle, floor, "0", anchor="middle"))
            parts += [
                svg.text(middle, floor + 20 + 19 * line, words, anchor="middle")
                for line, words in enumerate(called[film])
            ]
        floor += 19 * (lines - 1)
        zeros = np.zeros(len(of))
        parts += [
            svg.text(0, floor + 44, f"mean length, MAE {mae(zeros, of):.2f}"),
            svg.text(0, floor + 65, f"side of the mean square, RMSE {rmse(zeros, of):.2f}"),
        ]
        floor += 84
    return board(title, floor - 8, parts, alt)


def _columns(sizes: FloatArray, star: float, called: Sequence[Sequence[str]]) -> FloatArray:
    """Return how wide the column of each film is, which holds its name, with the space after it."""
    letters = [max(map(len, words)) for words in called[: len(sizes)]]
    return np.maximum(sizes * star, _LETTER * np.array(letters)) + _GAP


def predictions_by_rating(
    rated: ArrayLike, predicted: ArrayLike, *, title: str, alt: str
) -> Picture:
    """Draw where the predictions lie for each rating that was given, against what was given.

    The dark box holds the middle half of the predictions, the light one eight in ten, and the dot
    is the median.

    Parameters
    ----------
    rated, predicted : array of float
        Of the same films, in stars.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    stars, guesses = (np.asarray(of, dtype=np.float64) for of in (rated, predicted))
    levels = distinct(stars)
    top = max(5.0, float(levels[-1]))
    x, y = Scale(0, top + 0.3, 36, 470), Scale(0, top + 0.3, 300, 26)
    parts = []
    for level in levels:
        ends = np.quantile(guesses[stars == level], [0.1, 0.25, 0.5, 0.75, 0.9])
        low, first, middle, third, high = (y(float(end)) for end in ends)
        at = x(float(level))
        parts += [
            svg.box(at - 14, high, 28, low - high, SKY),
            svg.box(at - 14, third, 28, first - third, BLUE),
            f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="5" fill="#ffffff"/>',
        ]
    parts.append(svg.line(x(0), y(0), x(top), y(top), wide=1.5, dashed=True))
    parts.append(svg.text(x(top) - 6, y(top) - 6, "exact", anchor="end"))
    ticks = {float(n): str(n) for n in range(1, int(top) + 1)}
    parts += axes(
        x, y, x_ticks=ticks, y_ticks=ticks, x_label="stars given", y_label="stars predicted"
    )
    return board(title, 350, parts, alt)
