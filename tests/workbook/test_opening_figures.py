"""Pictures of chapters 04 to 07: what is drawn is what was counted, in letters a phone can show."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import nbformat
import numpy as np
import pytest

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.calibration import reliability_curve
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import candidates, leave_last_n_out
from recsys_metrics.protocol.significance import Interval, minimum_detectable_effect
from recsys_metrics.workbook import charts
from recsys_metrics.workbook.charts import bias, calibration, protocol, samples
from recsys_metrics.workbook.charts.beyond_accuracy import shares_before_after, trade_off
from recsys_metrics.workbook.common.picture import Picture, inline_pictures
from recsys_metrics.workbook.experiments import scale
from recsys_metrics.workbook.opening_figures import OPENINGS, draw_opening
from tests.svg_text import SMALLEST, smallest_letter

ALT = "What stands in the picture, in a sentence."
TITLE = "Something is larger than something else, by little but clearly"
LABELS = {"title": TITLE, "alt": ALT}

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def histogram() -> Picture:
    return samples.marked_histogram(
        [0.1, 0.1, 0.2, 0.6, 0.7],
        bins=np.linspace(0, 1, 11),
        inside=(0.0, 0.5),
        outside="far off",
        marks={"first": 0.1, "second": 0.3},
        x_label="value",
        y_label="draws",
        **LABELS,
    )


def scatter() -> Picture:
    pairs = np.array([[0, 0], [0, 0], [0.5, 0.4], [0.2, 0.7], [0.2, 0.2001]])
    return samples.paired_values(*pairs.T, names=("one", "other"), **LABELS)


def sizes() -> Picture:
    return samples.minimum_detectable_effect(
        lambda n: minimum_detectable_effect(sd=0.1, n=n),
        [10, 100, 1000],
        marks={"found": 0.02},
        here=100,
        y_label="smallest gain",
        **LABELS,
    )


def systems() -> Picture:
    values = {"old": [0.1, 0.2, 0.4], "new": [0.2, 0.2, 0.5]}
    shares = {"old": 0.25, "new": 0.5}
    return samples.accuracy_and_share(values, shares, labels=("NDCG@10", "coverage"), **LABELS)


def watched() -> Picture:
    groups = {"old": [1, 2, 30.0], "new": [1, 3, 200.0]}
    return samples.heavy_tails(groups, x_label="minutes", **LABELS)


def opinions() -> Picture:
    return bias.observed_share([1, 2, 3], [10, 10, 20], [1, 2, 12], x_label="stars", **LABELS)


def weights() -> Picture:
    return bias.inverse_propensity_weights(
        {"A": 0.8, "B": 0.2}, title="One of two counts more", alt=ALT
    )


def four_cases() -> Picture:
    cells = {
        (f"chances {p}", f"model {q}"): {"IPS": 0.5 if p == "right" else 0.3, "direct": 0.5}
        for p in ("right", "wrong")
        for q in ("right", "wrong")
    }
    return bias.estimates_by_case(cells, 0.5, label="clicks", **LABELS)


def ranks() -> Picture:
    curves = {"true looks": [1, 0.5], "click rates": [1, 0.3], "model": [1, 0.49]}
    return bias.examination_by_rank([1, 2], curves, **LABELS)


def descent() -> Picture:
    across, upwards = np.linspace(-1, 1, 9), np.linspace(-1, 1, 7)
    heights = upwards[:, None] ** 2 + across**2
    paths = {"long": [(1, 1), (0.5, 0.5), (0, 0)], "short": [(1, 1), (0, 0)]}
    return calibration.loss_contours(heights, across, upwards, paths, labels=("a", "b"), **LABELS)


def seeds() -> Picture:
    return samples.paired_lines([1, 2], [1.5, 1.8], names=("old", "new"), y_label="NDCG", **LABELS)


def people() -> Picture:
    return samples.sorted_gains([0.1, 0, 0, -0.2, 0.3, 0], y_label="gain", **LABELS)


def panels() -> Picture:
    two = {"A": 20_000, "B": 3}, {"A": 0.25, "B": 1}
    return samples.paired_bars(*two, labels=("rounds", "share"), **LABELS)


def rates() -> Picture:
    return samples.relative_changes({"up": 0.25, "down": -0.5}, label="change", **LABELS)


def happened() -> Picture:
    told = {0.8: [1, 1, 0], 0.2: [0, 1, 0]}
    return calibration.outcomes_by_prediction(told, title="What came?", alt=ALT)


def logs() -> Picture:
    return bias.estimates_by_log([0.1, 0.3, 0.2], 0.2, y_label="estimate", **LABELS)


def items() -> Picture:
    return bias.exposure_shares([0.1, 0.6, 0.3], y_label="share", **LABELS)


def curves() -> Picture:
    series = {"stopped at any look": [0.1, 0.2], "planned": [0.1, 0.2], "one": [0.1, 0.19]}
    return charts.lines([1, 10], series, powers=True, x_label="looks", y_label="share", **LABELS)


def lengths() -> Picture:
    return charts.bars({"old": 0.25, "new": 1.5}, label="share", **LABELS)


def means() -> Picture:
    values = {"old": [0.1, 0.2, 0.4], "new": [0.2, np.nan, 0.5]}
    return charts.intervals(values, label="NDCG@10", **LABELS)


def bins() -> Picture:
    return charts.histogram([0.1, 0.2, np.nan], bins=[0, 0.5, 1], x_label="value", **LABELS)


def trade() -> Picture:
    accuracy = {"old": [0.1, 0.2, 0.4], "new": [0.2, 0.2, 0.5]}
    shares = {"old": 0.25, "new": 0.5}
    return trade_off(accuracy, shares, x_label="NDCG@10", y_label="coverage", **LABELS)


def mixture() -> Picture:
    two = ["Drama", "Comedy"], [0.5, 0.3], [0.2, 0.4]
    return shares_before_after(
        *two, labels=("catalogue", "shown"), x_label="share of films", **LABELS
    )


def growth() -> Picture:
    costs = {"arrays": {1_000: 0.5, 1_000_000: 4.0}, "polars": {1_000: 0.7, 1_000_000: 20.0}}
    return scale.draw_growth(costs, y_label="seconds", **LABELS)


def powers() -> Picture:
    return bias.clicks_against_impressions([1, 4, 0, 16], [10, 20, 5, 40], 0.5, **LABELS)


def drawn() -> Picture:
    return protocol.negative_samples(3, 6, 2, **LABELS)


def gains() -> Picture:
    found = {"up": Interval(0.02, 0.01, 0.03, level=0.95, n=9)}
    return protocol.effect_intervals(found, label="gain of one over the other, " * 3, **LABELS)


def looking() -> Picture:
    band = np.array([-1.0, -0.5]), np.array([1.0, 0.5])
    return protocol.interim_analyses(
        [10, 20], [0.1, 0.2], {"one look": band, "any look": band}, **LABELS
    )


def splits() -> Picture:
    log = Interactions([0, 0, 1, 1], [0, 1, 0, 1], timestamp=[1, 3, 2, 4])
    return protocol.split_timelines(
        {"Last of each": leave_last_n_out(log)}, ["Ann", "Bob"], alt=ALT
    )


def estimates() -> Picture:
    values = {"IPS": [0.1, 0.2, 0.6], "clipped": [0.1, 0.1, 0.2]}
    return bias.stacked_histograms(values, 0.3, label="clicks", mark_label="truth", **LABELS)


def coverages() -> Picture:
    return bias.coverage_curves({"gentle": ([10, 100], [0.7, 0.9])}, **LABELS)


def beside() -> Picture:
    return bias.estimates_with_truth({"all": (2.0, 1.0, 3.0, 2.5)}, label="clicks", **LABELS)


def kept_promises() -> Picture:
    said, happened = np.linspace(0.05, 0.95, 40), np.arange(40) % 3 == 0
    return calibration.reliability_diagram(reliability_curve(happened, said, n_bins=4), **LABELS)


def maps() -> Picture:
    x = np.linspace(0, 1, 5)
    series = {"smooth": x, "in steps": x.round()}
    return calibration.calibration_maps(x, series, x_label="score", y_label="chance", **LABELS)


PICTURES: list[Callable[[], Picture]] = [
    *(histogram, scatter, sizes, watched, opinions, weights, four_cases, ranks, descent),
    *(powers, lengths, curves, means, bins, trade, mixture, growth),
    *(seeds, people, panels, rates, happened, logs, items),
    *(kept_promises, maps),
    *(systems, drawn, gains, looking, splits, estimates, coverages, beside),
]


@cache
def markup(draw: Callable[[], Picture]) -> str:
    return draw().svg


def words(svg: str) -> list[str]:
    return [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"<text.*?</text>", svg, re.S)]


@pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
def test_text_is_legible_on_a_phone_and_follows_the_theme(draw):
    svg = markup(draw)
    assert smallest_letter(svg) >= SMALLEST
    assert "#010203" not in svg
    assert "currentColor" in svg


def test_titles_are_wrapped_to_fit():
    written = words(markup(histogram))
    assert TITLE not in written
    first = next(line for line in written if TITLE.startswith(line.strip()) and len(line) > 9)
    assert len(first) <= 46


def test_a_histogram_is_hatched_outside():
    svg = markup(histogram)
    assert svg.count("<pattern") == 1
    assert "value (hatched: far off)" in words(svg)
    assert {"first", "second"} <= set(words(svg))


def test_users_are_counted_before_points_are_rounded():
    assert {"2 users above", "1 below", "2 equal"} <= set(words(markup(scatter)))


def test_the_marker_states_the_minimum_detectable_effect():
    # For many users 2.8 standard errors; for a hundred, Student's t asks for a little more.
    assert "100 users: 0.028" in words(markup(sizes))


def test_medians_and_means_of_both_groups_are_labelled():
    expected = {"median 2.0", "mean 11.0", "median 3.0", "mean 68.0"}
    assert expected <= set(words(markup(watched)))


def test_both_means_of_the_ratings_are_labelled():
    assert {"all people: 2.25", "people who rated: 2.73"} <= set(words(markup(opinions)))


def test_areas_are_proportional_to_the_inverse_propensity():
    svg = markup(weights)
    (a, unit), (b, same) = (
        (float(whole) ** 2, float(click) ** 2)
        for whole, click in re.findall(r'width="([\d.]+)"[^>]*dasharray.*?width="([\d.]+)"', svg)
    )
    assert unit == same
    assert a / unit == pytest.approx(1.25, rel=0.01)
    assert b / unit == pytest.approx(5, rel=0.01)
    assert {"weight of a click 1.25", "weight of a click 5"} <= set(words(svg))


def test_estimates_that_miss_the_truth_are_crossed():
    svg = markup(four_cases)
    # IPS in the lower row, beside a wrong model and a right one.
    assert len(re.findall(rf"<use [^>]*fill: {VERMILION}", svg, re.IGNORECASE)) == 2
    assert len(re.findall(rf"<use [^>]*fill: {GREEN}", svg, re.IGNORECASE)) == 6
    assert {"model right", "model wrong", "IPS", "direct"} <= set(words(svg))


@pytest.mark.parametrize(("rank", "n_items", "n_samples"), [(3, 6, 2), (1, 4, 2), (5, 5, 3)])
def test_sampled_ranks_match_the_library(rank, n_items, n_samples):
    svg = protocol.negative_samples(rank, n_items, n_samples, **LABELS).svg
    chances = candidates.sampled_rank_distribution(rank, n_items, n_samples)
    n = len(list(combinations(range(n_items - 1), n_samples)))
    found = [words(svg).count(f"rank {at} of {n_samples + 1}") for at in range(1, len(chances) + 1)]
    np.testing.assert_allclose(np.divide(found, n), chances, atol=1e-12)


def test_a_descent_path_has_all_its_steps():
    svg = markup(descent)
    in_the_key = 1
    for colour, steps in ((ORANGE, 3), (BLUE, 2)):
        marks = re.findall(rf"<use [^>]*fill: {colour}", svg, re.IGNORECASE)
        assert len(marks) - in_the_key == steps
    assert {"long", "short", "a", "b"} <= set(words(svg))


def test_users_are_counted_by_sign_of_their_difference():
    assert {"1 lose", "3 unchanged", "2 gain", "6 users, sorted by gain"} <= set(
        words(markup(people))
    )


def test_bars_are_labelled_with_their_values():
    assert {"20,000", "3", "0.25", "1"} <= set(words(markup(panels)))
    assert {"+25%", "−50%"} <= set(words(markup(rates)))


def test_observed_events_are_filled():
    svg = markup(happened)
    assert svg.count("<circle") == 6
    assert len(re.findall(rf'<circle[^>]*fill="{BLUE}"', svg)) == 3


@pytest.mark.parametrize("part", OPENINGS)
def test_the_opening_picture_precedes_the_outcomes(part):
    notebook = nbformat.read(CHAPTERS / f"{part}.ipynb", as_version=4)
    # What installs in Colab is folded, and no part of the page.
    cells = [one for one in notebook.cells if "remove-cell" not in one.metadata.get("tags", [])]
    title, picture, opening, *_ = cells
    assert title.cell_type == "markdown"
    assert picture.source.endswith(f'draw_opening("{part}")')
    assert "remove-input" in picture.metadata.tags
    # Nothing but a story stands between the picture and the question; the outcomes are folded.
    assert opening.source.index("<details>") < opening.source.index("\nAfter this part you can ")
    assert smallest_letter(inline_pictures(picture.outputs[0].data["text/html"])) >= SMALLEST


def test_a_part_without_an_opening_raises():
    with pytest.raises(KeyError, match="'09_part' opens with no picture; those that do are 00_"):
        draw_opening("09_part")


def test_labels_of_lines_that_end_together_do_not_overlap():
    svg = markup(curves)
    heights = {
        name: float(re.search(rf'y="([\d.]+)"[^>]*>{name}<', svg)[1]) for name in ("planned", "one")
    }
    assert abs(heights["planned"] - heights["one"]) >= SMALLEST


def test_a_million_is_written_in_full_digits():
    assert "1,000,000" in words(markup(growth))


def test_the_power_law_line_passes_through_its_items():
    svg = markup(powers)
    marks = [
        (float(x), float(y))
        for x, y in re.findall(
            rf'<use [^>]*x="([\d.]+)" y="([\d.]+)" style="fill: {BLUE}', svg, re.I
        )
    ]
    line = re.search(rf'<path d="([^"]*)"[^>]*stroke: {ORANGE}', svg, re.IGNORECASE)[1]
    ends = [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([\d.]+) ([\d.]+)", line)]
    assert len(marks) == 3
    np.testing.assert_allclose([ends[0], ends[-1]], [marks[0], marks[-1]], atol=0.1)
