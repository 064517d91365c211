"""Pictures drawn by hand show what the library computes, legibly and within their sheet."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics import rating
from recsys_metrics.workbook.charts import catalogue as of_catalogues
from recsys_metrics.workbook.charts import ranking as of_lists
from recsys_metrics.workbook.charts import rating as of_stars
from recsys_metrics.workbook.charts.board import LETTERS, WIDE
from tests.svg_text import SMALLEST, smallest_letter

ALT = "What the picture shows, in a sentence."
SAYS = {"title": "A finding", "alt": ALT}


def texts(picture) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.svg)


def boxes(picture, fill) -> list[tuple[float, float]]:
    """Return width and height of the rectangles of a colour."""
    found = re.findall(rf'<rect [^>]*width="([\d.]+)" height="([\d.]+)" fill="{fill}"', picture.svg)
    return [(float(wide), float(tall)) for wide, tall in found]


AUDIENCE = dict(zip("ABCDEFGHIJ", [80, 60, 40, 20, 10, 6, 5, 4, 2, 1], strict=True))
SAME = {user: ["A", "B", "C"] for user in ("ann", "bob", "cem", "dan")}
OWN = {"ann": [*"AFC"], "bob": [*"BGD"], "cem": [*"AHE"], "dan": [*"BIJ"]}

PICTURES = {
    "errors": of_stars.rating_errors([5, 2, 3, 3], [4, 2, 5, 3], **SAYS),
    "squares": of_stars.squared_errors({"one": [1, 1, 1, 1], "other": [0, 0, 0, 4]}, **SAYS),
    "against": of_stars.predictions_by_rating([1, 1, 2, 5], [3, 3.5, 3, 4], **SAYS),
    "stairs": of_lists.precision_recall_steps([0, 0, 1, 0, 1, 0], 5, **SAYS),
    "gains": of_lists.dcg_contributions([3, 0, 1, 0, 2], **SAYS),
    "bar": of_lists.score_threshold([1, 1, 0, 1, 0, 0, 0, 0], 2, 10, **SAYS),
    "lists": of_lists.user_lists({"one": [0, 3.0], "two": [0, 0]}, **SAYS),
    "shelf": of_catalogues.catalog_coverage({"same": SAME, "own": OWN}, [*AUDIENCE], **SAYS),
    "tail": of_catalogues.long_tail(AUDIENCE, {"same": SAME, "own": OWN}, **SAYS),
    "lorenz": of_catalogues.lorenz_curves({"five": [8, 2, 0, 0, 0]}, 10, **SAYS),
    "bits": of_catalogues.self_information_curve(AUDIENCE, 100, **SAYS),
    "scores": of_catalogues.user_scores({"one": ([0, 1, 1, 9], [9, 1])}, **SAYS),
    "ideals": of_lists.ideal_lists({"recommended": [0, 1], "ideal": [1, 1]}, 2, **SAYS),
}


@pytest.mark.parametrize("name", PICTURES)
def test_charts_are_legible_on_a_phone_and_inside_their_frame(name):
    svg = PICTURES[name].svg
    assert f'font-size="{LETTERS}"' in svg
    assert smallest_letter(svg) >= SMALLEST
    assert 'font-size="' not in svg.replace(f'font-size="{LETTERS}"', "", 1)
    for x, words in re.findall(r'<text x="(-?[\d.]+)" y="[^"]*">([^<]*)</text>', svg):
        assert float(x) >= 0
        assert float(x) + 0.56 * LETTERS * len(html.unescape(words)) <= WIDE + 8, words


def test_squares_have_the_side_length_of_the_error():
    sides = boxes(PICTURES["squares"], of_stars.ORANGE)
    assert sides == [(pytest.approx(wide),) * 2 for wide, _ in sides]
    assert [side / sides[0][0] for side, _ in sides] == pytest.approx([1, 1, 1, 1, 4], rel=0.01)
    says = " ".join(texts(PICTURES["squares"]))
    for errors in ([1, 1, 1, 1], [0, 0, 0, 4]):
        assert f"{rating.mae([0] * 4, errors):.2f}" in says
        assert f"{rating.rmse([0] * 4, errors):.2f}" in says


def test_many_films_make_smaller_squares():
    many = of_stars.squared_errors({"one": [3, 2, 4, 2, 3]}, **SAYS)
    assert sum(side for side, _ in boxes(many, of_stars.ORANGE)) <= WIDE


def test_squares_are_labelled_with_their_films():
    names = ["The Third Man", "Predator", "Umberto D.", "RoboCop", "Vertigo"]
    errors = {"mean": [1.6, 1.4, 0.6, 2.4, 1.6], "model": [0.8, 0.8, 0.5, 0.5, 0.3]}
    says = texts(of_stars.squared_errors(errors, names=names, **SAYS))
    for word in ["The Third", "Man", "Predator", "Umberto D.", "RoboCop", "Vertigo"]:
        assert says.count(word) == 2
    assert not [word for word in says if word.startswith("film")]


def test_errors_are_written_with_their_signs():
    says = texts(PICTURES["errors"])
    assert [word for word in says if word in {"−1", "0", "+2"}] == ["−1", "0", "+2", "0"]


def test_boxes_show_quantiles_of_predictions():
    guesses = np.linspace(2, 4, 101)
    picture = of_stars.predictions_by_rating([3] * 101, guesses, **SAYS)
    (_, light), (_, dark) = (boxes(picture, ink)[0] for ink in (of_stars.SKY, of_stars.BLUE))
    assert light / dark == pytest.approx(0.8 / 0.5, rel=0.01)


@pytest.mark.parametrize(
    ("hits", "n_relevant"), [([0, 0, 1, 0, 1, 0], 5), ([1, 0, 1], 2), ([1, 1, 1], 3), ([0, 0], 1)]
)
def test_the_area_of_the_stairs_is_average_precision(hits, n_relevant):
    picture = of_lists.precision_recall_steps(hits, n_relevant, **SAYS)
    value = rm.average_precision(rm.Judged.from_gains(hits, ideal=[1] * n_relevant))
    steps = boxes(picture, of_lists.BLUE)[sum(hits) :]  # after the slots
    # The square is 416 by 218, and steps stand two pixels apart.
    area = sum((wide + 2) * tall for wide, tall in steps) / (416 * 218)
    assert area == pytest.approx(value, abs=2e-3)
    assert f"area: {value:.3f}" in texts(picture)
    assert ("missed: adds 0" in texts(picture)) == (sum(hits) < n_relevant)


def test_interpolated_stairs_have_the_interpolated_area():
    picture = of_lists.precision_recall_steps([1, 0, 0, 1, 1, 0], 3, lifted=True, **SAYS)
    ((points,),) = [re.findall(r'points="([^"]*)"', picture.svg)]
    heights = {round((330 - float(point.split(",")[1])) / 218, 2) for point in points.split()}
    assert heights == {1.0, 0.6}


def test_filled_bars_sum_to_the_dcg():
    picture = PICTURES["gains"]
    judged = rm.Judged.from_gains([3, 0, 1, 0, 2])
    tall = [height for _, height in boxes(picture, of_lists.BLUE)]
    point = 150 / 7
    assert sum(tall[:3]) / point == pytest.approx(rm.dcg(judged), abs=0.02)
    assert sum(tall[3:]) / point == pytest.approx(rm.dcg(judged, gain="exponential"), abs=0.02)


def test_each_ideal_gives_the_ndcg_of_the_library():
    hits = [0, 0, 1, 0, 1, 0]
    judged = rm.Judged.from_gains(hits, ideal=[1] * 5)
    rows = {"recommended": hits, "own": sorted(hits)[::-1], "all": [1] * 5 + [0]}
    says = texts(of_lists.ideal_lists(rows, 6, **SAYS))
    for name, ideal in (("own", "list"), ("all", "all")):
        (line,) = (words for words in says if words.startswith(f"{name}: "))
        assert line.endswith(f"NDCG {rm.ndcg(judged, 6, ideal=ideal):.3f}")


def test_a_catalogue_chart_has_a_box_per_impression():
    picture = PICTURES["shelf"]
    assert len(boxes(picture, of_catalogues.BLUE)) == 12 + 12
    assert picture.svg.count("stroke-dasharray") == 7
    assert {"same: 3 films recommended", "own: 10 films recommended"} <= set(texts(picture))


def test_head_and_tail_shares_equal_the_library():
    says = texts(PICTURES["tail"])
    # A fifth of 228 is 45.6, and A alone was met by eighty.
    assert {"head: 1", "tail: 9 films"} <= set(says)
    for name, lists in (("same", SAME), ("own", OWN)):
        share = beyond.long_tail_share(lists, AUDIENCE, of="interactions").mean()
        assert f"{name}: {100 * share:.0f}% from the tail" in says


def test_tail_charts_with_names_and_numbers_are_equal():
    counts = np.array([*AUDIENCE.values()])
    own = np.array([["ABCDEFGHIJ".index(film) for film in films] for films in OWN.values()])
    rows = [
        [
            boxes(of_catalogues.long_tail(audience, {"own": lists}, **SAYS), fill)
            for fill in (of_catalogues.ORANGE, of_catalogues.GREY)
        ]
        for audience, lists in ((AUDIENCE, OWN), (counts, own))
    ]
    assert rows[0] == rows[1]
    # Each film has the colour of its side of the cut, as in the row of all people.
    head, tail = rows[0]
    assert (len(head), len(tail)) == (1, 9)


def curves(picture) -> list[np.ndarray]:
    found = re.findall(r'<polyline points="([^"]*)"', picture.svg)
    return [np.array([point.split(",") for point in line.split()], float) for line in found]


def test_the_area_between_lorenz_curves_is_gini():
    even, five = (
        np.column_stack([(line[:, 0] - 44) / 406, (300 - line[:, 1]) / 270])
        for line in curves(PICTURES["lorenz"])
    )
    for (x, y), index in ((even.T, 0), (five.T, 0.72)):
        area = (np.diff(x) * (y[1:] + y[:-1]) / 2).sum()
        assert 1 - 2 * area == pytest.approx(index, abs=5e-3)
    # Ten places for twenty items: half of them must stay out.
    half = of_catalogues.lorenz_curves({"ten": [1] * 10 + [0] * 10}, 10, **SAYS)
    assert np.array_equal(*curves(half))
    assert "most even: Gini 0.500" in texts(half)


def test_self_information_points_lie_on_the_curve():
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', PICTURES["bits"].svg)
    bits = [(240 - float(y)) / 210 * 7 for _, y in dots]
    expected = beyond.self_information([[film] for film in AUDIENCE], AUDIENCE, 100)
    assert bits == pytest.approx(expected, abs=0.01)


def test_scores_of_a_list_are_marked_once():
    picture = of_catalogues.user_scores({"one": ([0, 1, 1, 9, 9], [9, 9, 1])}, **SAYS)
    marks = curves(picture)
    assert [round(float(line[0, 0])) for line in marks] == [56, 476]
    assert "one: 0 to 9" in texts(picture)


@pytest.mark.parametrize("times", [1, 10])
def test_threshold_points_lie_on_the_curves(times):
    hits, above = [1, 0, 1, 1, 0, 0], 4
    picture = of_lists.score_threshold(hits, above, times, **SAYS)
    _, roc, tradeoff = curves(picture)
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="8"', picture.svg)
    (x_roc, y_roc), (x_pr, y_pr) = ((float(x), float(y)) for x, y in dots)
    recall, others = 1.0, 1 / 3
    precision = 3 / (3 + times)
    assert ((x_roc - 36) / 176, (326 - y_roc) / 176) == pytest.approx((others, recall), abs=1e-3)
    assert ((x_pr - 286) / 176, (326 - y_pr) / 176) == pytest.approx((recall, precision), abs=1e-3)
    for line, dot in ((roc, (x_roc, y_roc)), (tradeoff, (x_pr, y_pr))):
        assert np.abs(line - dot).max(axis=1).min() < 0.11
    area = (np.diff(roc[:, 0]) * (326 - (roc[1:, 1] + roc[:-1, 1]) / 2)).sum() / 176**2
    labels = of_lists.repeat_negatives(hits, times).gains.ravel()
    assert area == pytest.approx(rm.roc_auc(labels, -np.arange(labels.size)), abs=1e-3)


def test_each_list_states_its_number_of_hits():
    assert {"one: 1 hit", "two: 0 hits"} <= set(texts(PICTURES["lists"]))


def test_long_titles_are_truncated_and_small_squares_labelled_above():
    picture = of_stars.rating_errors([5], [4], names=["A film with a very long name"], **SAYS)
    assert any(words.endswith("…") and len(words) <= 24 for words in texts(picture))
    small = of_stars.squared_errors({"one": [0.1, 4]}, **SAYS)
    assert [words for words in texts(small) if words in {"0.01", "16"}] == ["0.01", "16"]
    assert small.svg.count('fill="#000000"') == 1


def test_held_out_items_are_filled_where_recommended():
    heard = {"ann": [4, 1, 7], "cem": [6, 1, 8]}
    picture = of_lists.leave_one_out(heard, {"ann": [7, 3, 5], "cem": [2, 7, 3]}, **SAYS)
    assert boxes(picture, of_lists.BLUE) == [(34, 34)]
    assert picture.svg.count("stroke-dasharray") == 2


def test_larger_values_have_darker_tiles():
    picture = of_catalogues.heatmap([[0, 6, 8], [6, 0, 2], [8, 2, 0]], "ABC", **SAYS)
    depths = [float(depth) for depth in re.findall(r'opacity="([\d.]+)"', picture.svg)]
    assert depths == [0.8, 1.0, 0.8, 0.4, 1.0, 0.4]
    # White letters stand on dark tiles alone.
    assert picture.svg.count('fill="#ffffff"') == 4
