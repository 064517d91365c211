"""Charts of chapter 05: predicted probabilities against outcomes, on a square from 0 to 1.

The squares are drawn by hand, not by matplotlib.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.calibration import ReliabilityCurve
from recsys_metrics.workbook.charts import protocol
from recsys_metrics.workbook.charts.chart import THEME, sketch, to_picture
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture

_TICKS: Mapping[float, str] = {tick / 5: f"{tick / 5:g}" for tick in range(6)}
_LOOKS = ((BLUE, "circle"), (ORANGE, "square"))


@dataclass
class Square:
    """A drawing whose axes both run from 0 to 1.

    Parameters
    ----------
    x_label, y_label : str
        Names of the axes.
    title : str
        The finding; none where the finding is the reader's to make.
    wide, tall : int
        Size of the square in pixels.
    below : int
        Space under the axis, for what else is drawn there.
    """

    x_label: str
    y_label: str
    title: str = ""
    wide: int = 372
    tall: int = 270
    below: int = 0
    _parts: list[str] = field(default_factory=list)

    left = 60
    right = 16

    @property
    def top(self) -> int:
        """Where the square begins."""
        return 16 + 22 * len(self._lines) if self.title else 10

    @property
    def _lines(self) -> list[str]:
        """The title, in lines no longer than the drawing is wide."""
        return svg.break_lines(self.title, svg.TITLE - 3)

    def x(self, value: float) -> float:
        """Return the place of a value on the horizontal axis."""
        return self.left + value * self.wide

    def y(self, value: float) -> float:
        """Return the place of a value on the vertical axis."""
        return self.top + (1.0 - value) * self.tall

    def line(
        self,
        xs: Iterable[float],
        ys: Iterable[float],
        colour: str = "currentColor",
        *,
        width: float = 2.0,
        dash: str = "",
    ) -> None:
        """Draw a line through points."""
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        style = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" '
            f'stroke-width="{width:g}"{style}/>'
        )

    def upright(
        self,
        xs: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        colour: str = "currentColor",
        *,
        width: float = 2.0,
        shift: float = 0.0,
    ) -> None:
        """Draw upright lines, each from its low to its high end."""
        ends = zip(np.ravel(xs), np.ravel(low), np.ravel(high), strict=True)
        path = "".join(
            f"M{self.x(float(x)) + shift:.1f} {self.y(float(a)):.1f}V{self.y(float(b)):.1f}"
            for x, a, b in ends
        )
        self._parts.append(
            f'<path d="{path}" stroke="{colour}" stroke-width="{width:g}" fill="none"/>'
        )

    def dots(
        self,
        xs: ArrayLike,
        ys: ArrayLike,
        colour: str,
        *,
        mark: str = "circle",
        size: float = 4.0,
        shift: float = 0.0,
    ) -> None:
        """Draw a mark at each point: a circle or a square."""
        marks = []
        for x, y in zip(np.ravel(xs), np.ravel(ys), strict=True):
            across, up = self.x(float(x)) + shift, self.y(float(y))
            marks.append(
                f'<circle cx="{across:.1f}" cy="{up:.1f}" r="{size:g}"/>'
                if mark == "circle"
                else f'<rect x="{across - size:.1f}" y="{up - size:.1f}" '
                f'width="{2 * size:g}" height="{2 * size:g}"/>'
            )
        self._parts.append(f'<g fill="{colour}">{"".join(marks)}</g>')

    def bars_below(self, left: ArrayLike, right: ArrayLike, heights: ArrayLike, label: str) -> None:
        """Draw bars under the axis that hang from one line, the tallest filling the height."""
        tall = np.ravel(heights).astype(float)
        floor, height = self._floor + self.below - 6, self.below - 30
        path = ""
        for a, b, h in zip(np.ravel(left), np.ravel(right), tall / tall.max(), strict=True):
            x0, x1 = self.x(float(a)), self.x(float(b))
            gap = 0.5 if x1 - x0 > 3 else 0.0
            path += f"M{x0 + gap:.1f} {floor}V{floor - h * height:.1f}H{x1 - gap:.1f}V{floor}Z"
        self._parts.append(f'<path d="{path}" fill="currentColor" opacity="0.45"/>')
        self.words(self.left, floor - height - 8, label)

    def words(
        self,
        across: float,
        down: float,
        text: str,
        *,
        size: int = svg.LETTERS,
        anchor: str = "start",
    ) -> None:
        """Write a text at a place in pixels."""
        self._parts.append(
            f'<text x="{across:.1f}" y="{down:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="currentColor">{html.escape(text)}</text>'
        )

    def key(self, names: Sequence[str], looks: Sequence[tuple[str, str]]) -> None:
        """Name the marks, in the corner above the diagonal."""
        for row, (name, (colour, mark)) in enumerate(zip(names, looks, strict=True)):
            up = self._row(row)
            self.dots([0.045], [up], colour, mark=mark)
            self.words(self.x(0.045) + 12, self.y(up) + 6, name)

    def key_of_lines(self, names: Sequence[str], looks: Sequence[tuple[str, str]]) -> None:
        """Name the lines by a piece of each, colour and dashes, in the same corner."""
        for row, (name, (colour, dash)) in enumerate(zip(names, looks, strict=True)):
            up = self._row(row)
            self.line([0.025, 0.11], [up, up], colour, width=2.4, dash=dash)
            self.words(self.x(0.11) + 8, self.y(up) + 6, name)

    def _row(self, row: int) -> float:
        """Return how high the key names something."""
        return 0.93 - row * 25 / self.tall

    @property
    def _floor(self) -> float:
        """Lower end of what stands on the horizontal axis: its ticks and its name."""
        return self.top + self.tall + 50

    def picture(self, alt: str) -> Picture:
        """Return the drawing with its axes."""
        base, far = self.y(0), self.x(1)
        axes = [
            f'<path d="M{self.left} {self.top}V{base:g}H{far:g}" fill="none" '
            'stroke="currentColor"/>',
            f'<g font-size="{svg.LETTERS}" fill="currentColor">',
        ]
        axes += [
            f'<text x="{self.x(at):g}" y="{base + 20:g}" text-anchor="middle">{text}</text>'
            for at, text in _TICKS.items()
        ]
        axes += [
            f'<text x="{self.left - 7}" y="{self.y(at) + 6:g}" text-anchor="end">{text}</text>'
            for at, text in _TICKS.items()
        ]
        middle = self.y(0.5)
        axes.append(
            f'<text x="{self.x(0.5):g}" '
            f'y="{base + 42:g}" text-anchor="middle">{html.escape(self.x_label)}</text>'
            f'<text transform="translate(16 {middle:g}) rotate(-90)" text-anchor="middle">'
            f"{html.escape(self.y_label)}</text></g>"
        )
        axes += [
            protocol.text(0, 17 + 22 * row, line, anchor="start", size=svg.LETTERS, bold=True)
            for row, line in enumerate(self._lines)
        ]
        width = self.x(1) + self.right
        height = self._floor + self.below
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" font-family="system-ui, sans-serif">'
            + "".join(axes + self._parts)
            + "</svg>",
            alt,
        )


def draw_curve(
    square: Square, curve: ReliabilityCurve, colour: str, mark: str, shift: float = 0.0
) -> None:
    """Draw the bins of a reliability curve with their intervals."""
    small = len(curve) > 25
    square.upright(
        curve.predicted, curve.lower, curve.upper, colour, width=1.5 if small else 2.5, shift=shift
    )
    size = 2.6 if small else 4.5
    square.dots(curve.predicted, curve.observed, colour, mark=mark, size=size, shift=shift)


def reliability_diagram(
    curves: ReliabilityCurve | Mapping[str, ReliabilityCurve], *, title: str, alt: str
) -> Picture:
    """Draw the observed rate against the predicted probability, bin by bin, with intervals.

    Parameters
    ----------
    curves : ReliabilityCurve or mapping
        One curve, drawn with the number of events in its bins; or two by name.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    alone = isinstance(curves, ReliabilityCurve)
    square = Square("mean predicted probability", "observed rate", title)
    square.below = 78 if alone else 0
    square.line([0, 1], [0, 1], dash="5 4", width=1.2)
    square.words(square.x(0.95) - 6, square.y(0.95), "calibrated", anchor="end")
    if isinstance(curves, ReliabilityCurve):
        draw_curve(square, curves, *_LOOKS[0])
        square.bars_below(curves.left, curves.right, curves.count, "events in each bin")
    else:
        if len(curves) > len(_LOOKS):
            raise ValueError(f"two curves can be distinguished in one square; got {len(curves)}")
        for place, (curve, look) in enumerate(zip(curves.values(), _LOOKS, strict=False)):
            draw_curve(square, curve, *look, shift=4.0 * place - 2.0)
        square.key(list(curves), _LOOKS[: len(curves)])
    return square.picture(alt)


def calibration_maps(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    alt: str,
) -> Picture:
    """Draw maps from a score to a probability, with the diagonal that changes nothing.

    Parameters
    ----------
    x : array of float
        Scores from 0 to 1.
    series : mapping
        Name of each map and its probabilities; two at most.
    title, x_label, y_label, alt : str
        The finding, the names of the axes, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    square = Square(x_label, y_label, title)
    square.line([0, 1], [0, 1], dash="5 4", width=1.2)
    looks = ((BLUE, ""), (ORANGE, "9 4"))
    for (colour, dash), values in zip(looks, series.values(), strict=False):
        square.line(np.ravel(x), np.ravel(values), colour, width=2.4, dash=dash)
    square.key_of_lines(list(series), looks[: len(series)])
    return square.picture(alt)


def loss_contours(
    heights: ArrayLike,
    across: ArrayLike,
    upwards: ArrayLike,
    paths: Mapping[str, ArrayLike],
    *,
    labels: tuple[str, str],
    title: str,
    alt: str,
) -> Picture:
    """Draw a loss over two parameters as lines of one height, and the paths that go down.

    Parameters
    ----------
    heights : array of float of shape (n_upwards, n_across)
        The loss at each place.
    across, upwards : array of float
        The places along both axes.
    paths : mapping
        Name of each path and its points, of shape (n_steps, 2); two at most.
    labels : tuple of str
        Names of the two parameters.
    title, alt : str
        The finding, and the finding for those who do not see it.

    Returns
    -------
    Picture
    """
    loss = np.asarray(heights, dtype=np.float64)
    # Lines lie closer near the bottom, where the paths end.
    levels = loss.min() + (loss.max() - loss.min()) * np.linspace(0.03, 1, 12) ** 2
    with sketch(title, 4.2) as (figure, axes):
        axes.contour(
            np.asarray(across), np.asarray(upwards), loss, levels, colors=THEME, linewidths=0.6
        )
        for (name, path), colour, mark in zip(
            paths.items(), (ORANGE, BLUE), ("o", "s"), strict=False
        ):
            points = np.asarray(path, dtype=np.float64)
            axes.plot(*points.T, "-", color=colour, linewidth=1.6)
            axes.plot(*points.T, mark, color=colour, markersize=6, label=name)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
    return to_picture(figure, alt)


def outcomes_by_prediction(
    outcomes: Mapping[float, Sequence[int]], *, title: str, alt: str
) -> Picture:
    """Draw events as dots, a row for each probability they were told: filled if they happened.

    Parameters
    ----------
    outcomes : mapping
        Each predicted probability, and 1 or 0 for each event that has it.
    title, alt : str
        The finding or the question, and what is seen for those who do not see it.

    Returns
    -------
    Picture
    """
    parts, top = protocol.heading(title)
    for row, (chance, happened) in enumerate(outcomes.items()):
        y = top + 30 + 52 * row
        parts.append(
            protocol.text(0, y + 6, f"predicted {chance:g}", anchor="start", size=svg.LETTERS)
        )
        parts += [
            f'<circle cx="{142 + 46 * place}" cy="{y}" r="16" stroke="currentColor" '
            f'fill="{BLUE if one else "none"}"/>'
            for place, one in enumerate(happened)
        ]
    y = top + 30 + 52 * len(outcomes)
    words = "filled: clicked"
    parts.append(protocol.text(130, y, words, anchor="start", size=svg.LETTERS))
    return protocol.picture(svg.WIDE, y + 16, parts, alt)
