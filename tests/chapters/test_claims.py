"""Claims about real data refer to printed comparisons that support them: see `claim_guard`."""

from __future__ import annotations

from dataclasses import replace

import nbformat
import pytest

from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.experiments.comparison_table import Comparisons, ValueComparison
from tests.chapters.claim_guard import (
    CHAPTERS,
    CLAIM,
    EXERCISES,
    WORKBOOK,
    Printed,
    digest,
    find_faults,
    is_claim,
    objection,
    read_cells,
    read_line,
    read_module,
    read_places,
    read_printed,
    read_source,
    split,
)

PRINTED = {path.stem: read_printed(read_cells(path)) for path in CHAPTERS}
HINT = "print the comparison with workbook.compare_values, and refer to it: see claim_guard.py"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_claims_of_chapters_are_supported(path):
    wrong, missing = find_faults(read_places(read_cells(path)), PRINTED, path.stem)
    assert wrong == []
    assert missing == [], HINT


def test_claims_of_exercises_and_figures_are_supported():
    wrong, missing = [], []
    for path in EXERCISES:
        found = find_faults([read_module(path)], PRINTED, "")
        wrong += found[0]
        missing += found[1]
    assert wrong == []
    assert missing == [], HINT


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_reversed_or_wide_results_contradict_the_claims(path):
    printed = PRINTED[path.stem]
    found = printed.comparisons
    turned = [replace(one, names=one.names[::-1]) for one in found]
    wide = [replace(one, interval=replace(one.interval, low=-9.0, high=9.0)) for one in found]
    references = [
        claim
        for place in read_places(read_cells(path))
        for _, claims in place.references
        for claim in claims.split("; ")
    ]
    for claim in references:
        match = CLAIM.fullmatch(claim)
        assert objection(claim, PRINTED[match["chapter"] or path.stem]) is None
        if match["sign"] == ">" and not match["table"] and not match["chapter"]:
            assert objection(claim, Printed(turned, [])) is not None
            assert objection(claim, Printed(wide, [])) is not None


# What a reference may say -----------------------------------------------------------------------

DETECTED = "EASE - item kNN (ndcg@10): 0.019 [0.001, 0.036], p = 0.037: CI excludes 0"
UNDONE = DETECTED.replace(": CI", ", Holm = 0.073: CI") + ", corrected p ≥ 0.05"
OPEN = "EASE - item kNN (ndcg@10): 0.019 [-0.001, 0.039], p = 0.060: CI includes 0"
EXACT = "EASE - item kNN (ndcg@10): 0.019 [-0.001, 0.039], p = 0.012: CI includes 0"


def printed(output: str) -> Printed:
    """Return what a chapter with this output prints."""
    return read_printed(cells_of("", output))


def cells_of(sentence: str, output: str):
    """Return a chapter with a sentence about real data, and an output."""
    shown = nbformat.v4.new_output("stream", name="stdout", text=output)
    return [
        nbformat.v4.new_markdown_cell("## On MovieLens"),
        nbformat.v4.new_code_cell("data = movielens_experiment()\nshow(data)", outputs=[shown]),
        nbformat.v4.new_markdown_cell(sentence),
    ]


COLUMNS = "At 10     EASE  item kNN\ncoverage  0.09  0.07"
ROWS = "Model     coverage\nEASE      0.09\nitem kNN  0.07"


@pytest.mark.parametrize(
    ("claim", "output", "said"),
    [
        ("EASE > item kNN (ndcg@10)", DETECTED, None),
        ("EASE > item kNN by 0.0005 (ndcg@10)", DETECTED, None),
        ("EASE > item kNN by 0.01 (ndcg@10)", DETECTED, "0.001 to 0.036, does not show it"),
        ("item kNN > EASE (ndcg@10)", DETECTED, "EASE is above item kNN"),
        ("EASE > item kNN (ndcg@10)", UNDONE, "the (corrected) p-value does not agree"),
        ("EASE > item kNN (ndcg@10)", OPEN, "does not show it"),
        ("EASE ~ item kNN (ndcg@10)", UNDONE, None),
        ("EASE ~ item kNN (ndcg@10)", DETECTED, "only the correction undoes"),
        ("item kNN ? EASE (ndcg@10)", OPEN, None),
        ("item kNN ? EASE (ndcg@10)", DETECTED, "item kNN and EASE differ"),
        ("item kNN ? EASE (ndcg@10)", EXACT, "item kNN and EASE differ"),
        ("EASE = item kNN within 0.04 (ndcg@10)", OPEN, None),
        ("EASE = item kNN within 0.03 (ndcg@10)", OPEN, "may differ by more than 0.03"),
        ("EASE > item kNN (recall@10)", DETECTED, "no output compares EASE and item kNN"),
        ("EASE leads", DETECTED, "is none of 'A > B"),
        (
            "table: EASE > item kNN (coverage)",
            "At 10     EASE   item kNN\ncoverage  0.09   0.07",
            None,
        ),
        (
            "table: EASE > item kNN by 0.1 (coverage)",
            "At 10  EASE  item kNN\ncoverage  0.09  0.07",
            "the table has",
        ),
        ("table: EASE > item kNN (coverage)", COLUMNS, None),
        ("table: EASE > item kNN by 0.1 (coverage)", COLUMNS, "the table has EASE: 0.09"),
        ("table: EASE > item kNN (coverage)", ROWS, None),
        ("table: item kNN > EASE (coverage)", ROWS, "the table has item kNN: 0.07"),
        ("table: EASE > item kNN (Gini)", ROWS, "no table"),
        (
            "EASE ? production baseline (ndcg@10)",
            "EASE against production baseline\n\n"
            "Metric   EASE   today  Gain    95% CI           p (Holm)  Users up / down / equal\n"
            "ndcg@10  0.151  0.140  +0.012  [-0.015, 0.038]  1.000     61 / 42 / 42",
            None,
        ),
        (
            "production baseline > EASE (diversity@10, new)",
            "EASE against production baseline by group\n\n"
            "Metric, group      Users  EASE   production baseline  Gain    95% CI          p\n"
            "diversity@10, new  51     0.802  0.905                -0.103  [-0.13, -0.08]  0.001",
            None,
        ),
        (
            "many > few (ndcg@10)",
            "By films known\n\n"
            "Metric   few (73)              many (72)             Gap\n"
            "ndcg@10  0.144 [0.103, 0.194]  0.159 [0.118, 0.208]  0.015 [-0.050, 0.079]",
            "does not show it",
        ),
    ],
)
def test_a_reference_is_compared_with_what_is_printed(claim, output, said):
    found = objection(claim, printed(output))
    assert (found is None) is (said is None)
    assert said is None or said in found


@pytest.mark.parametrize(
    "output",
    [DETECTED, f"At 10  two\nndcg   {DETECTED}", f"[{DETECTED}]", f"[{DETECTED}, {OPEN}]"],
    ids=["line", "table", "list of one", "list of two"],
)
def test_comparisons_are_read_from_all_kinds_of_outputs(output):
    assert len(printed(output).comparisons) == output.count("EASE - item kNN")


def test_two_comparisons_of_one_name_must_agree():
    assert "does not show" in objection("EASE > item kNN (ndcg@10)", printed(f"{DETECTED}\n{OPEN}"))


def test_printed_comparisons_can_be_read_back():
    for names, measure in [(("EASE", "film and habit, by lot"), "NDCG@10"), (("0.4", "0"), "")]:
        for low, high in [(0.001, 0.036), (-0.2, 0.1), (1e-6, 1.0), (-3.0, -2.0)]:
            for p in (0.001, 0.2):
                interval = Interval((low + high) / 2, low, high, 0.95, 90)
                one = ValueComparison(names, interval, p, "", measure)
                for shown in Comparisons([one]) + Comparisons([one, one]):
                    (found,) = read_line(repr(shown))
                    assert (found.names, found.measure) == (names, measure)
                    assert found.detected is shown.detected


# Which sentences need one -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "Popularity is ahead of item kNN by recall; a few users decide it.",
        "One line of care takes the simplest model past item kNN, and close to EASE.",
        "EASE outperforms item kNN on every metric.",
        "Each step of knowledge helps, but item kNN and EASE overlap: the gain is significant.",
        "No difference between the two lists was found for any user.",
        "Platt scaling leaves the ECE lower than isotonic regression does.",
        "These users prefer diverse lists.",
        "Popularity is the most diverse of the three.",
        "This proves that the correction works.",
        # Equality, also of what a figure shows, and claims that do not name both sides.
        "Then item kNN and EASE, which are level in this figure, as their intervals overlap.",
        "Up to three slots for the tail, people are recommended as well as before.",
        "Twelve times the attention for the tail, and users pay nothing for it.",
        "It is a tenth below what Thompson sampling earned, so learning has paid off.",
        # Three that outsiders planted and an earlier guard did not find.
        "Nobody digs out a loved film sooner than EASE, which outdoes item kNN here as well.",
        "A single slot for the tail is free of charge: the lists lose nothing by it.",
        "The third place is looked at exactly as often as the first.",
        # Comparatives and superlatives by their form, with ordinary nouns only.
        "Critics of old dramas get fresher lists.",
        "The gentlest policy pleases the pickiest viewers.",
        "The newer estimator is a good deal steadier.",
        "Those in the first group find films far quicker.",
        # Verbs and idioms that compare.
        "The new map surpasses the old one.",
        "Item kNN trails throughout, and EASE tops each row.",
        "For people with short histories the recommender is second to none.",
        "The first group enjoys the lion's share of the hits.",
        "Women prefer the lists with many genres.",
        # Equality, and what costs nothing.
        "Readers of dramas are served every bit as well as fans of action.",
        "The two are neck and neck.",
        "Giving half a list to the tail comes at no cost to the users.",
        "The recommender keeps its accuracy with two slots for the tail.",
        "Most users would not notice the switch.",
        # What a thing does beyond its definition.
        "Popularity suffices for newcomers.",
        "Platt's curve hugs the diagonal.",
        "Recall for the second group collapses.",
        "The estimate hits the truth whatever the log.",
        # Neither a comparative nor a name.
        "The tail can be had on the cheap.",
        "Novelty comes at the expense of accuracy.",
        "The sampled ranking gets the order right.",
        "Half a list for the tail, and the NDCG does not move.",
        "The three campaigns tell the same story.",
        "The recommender's accuracy survives the third slot.",
        # Limited to what is shown, and yet said of all or of another place.
        "In this table nobody is served worse by the new list.",
        "Here, too, the head is ahead of the tail.",
        "In this sample EASE always finds the rarer films.",
        "None of the lists gains from more slots.",
        # After what is to be done or supposed, and a noun that looks like an order.
        "Take EASE: it beats item kNN for everyone.",
        "If one slot goes to the tail, users pay nothing.",
        "Now the lists keep pace with popularity.",
        "Rank 3 is looked at as often as rank 1.",
        # All systems of a kind, and a cause of what a table describes.
        "Whatever model learns from likes leaves the tail a tenth of the attention.",
        "Whoever learns from clicks leaves the tail to itself.",
        "EASE is immune to this leak.",
        "In this table the second list has a higher recall because of the newcomers.",
        "The reason is that EASE learns which films go together.",
        "In this table the first slot is free.",
        "Both genres stand out so far in this table that other users would show the same.",
    ],
)
def test_a_claim_without_a_reference_is_found(sentence):
    cells = cells_of(sentence, DETECTED)
    wrong, missing = find_faults(read_places(cells), {"x": read_printed(cells)}, "x")
    assert wrong == []
    assert len(missing) == len([part for part in split(sentence) if is_claim(part)]) >= 1


@pytest.mark.parametrize(
    "sentence",
    [
        "Is EASE better than item kNN?",
        "Compare EASE with item kNN over the same users.",
        "In this figure EASE is above item kNN.",
        "The lists of EASE are made from the history of each user.",
        "> **Pitfall.** EASE is better than item kNN.",
        "In this figure the third place is looked at less often than the first.",
        "Of these users 61 find more with the new list.",
        "Some lists end between equal scores; the lower film number goes first.",
        "Four stars or more count as relevant, and more than ten films are left for each user.",
        "Most users rated one or two films.",
        "The head is the most popular films until they hold a fifth of all ratings.",
        "The ten best films that the user has not seen are the list.",
        "Chance chose the users, and it chose the films as well.",
        "Remember the question: whether EASE is ahead of popularity at all.",
        "That two intervals overlap does not mean that the lists are equal.",
        "However, the other users were never asked, and the answer is on another page.",
        "No training event is later than a test event.",
        "EASE has a penalty, item kNN has a number of neighbours, and popularity counts likes.",
        "The random policy shows each item with one and the same probability.",
    ],
)
def test_what_is_no_claim_needs_no_reference(sentence):
    cells = cells_of(sentence, DETECTED)
    assert find_faults(read_places(cells), {"x": read_printed(cells)}, "x") == ([], [])


def test_a_changed_sentence_loses_its_reference():
    sentence = "EASE has a higher NDCG@10 than item kNN."
    reference = f"<!-- claim {digest(sentence)}: EASE > item kNN (ndcg@10) -->"

    def faults(text):
        cells = cells_of(text, DETECTED)
        return find_faults(read_places(cells), {"x": read_printed(cells)}, "x")

    assert faults(f"{sentence} {reference}") == ([], [])
    wrong, missing = faults(f"EASE has a much higher NDCG@10 than item kNN. {reference}")
    assert "belongs to no sentence here" in wrong[0]
    assert len(missing) == 1


def test_titles_and_alternative_texts_make_claims():
    cells = [
        nbformat.v4.new_markdown_cell("## On MovieLens"),
        nbformat.v4.new_code_cell(
            "data = load_movielens()\n"
            "plot(data, title='EASE wins', alt='A line. '\n    'Item kNN is far worse than EASE.')"
        ),
        nbformat.v4.new_markdown_cell("### More words\nEASE is better.\n## By hand\nEASE wins."),
        nbformat.v4.new_code_cell("rows = [2]\nrows"),
    ]
    _, missing = find_faults(read_places(cells), {}, "x")
    said = [line.split(": ", 1)[1].rsplit("  [", 1)[0] for line in missing]
    assert said == ["EASE wins", "Item kNN is far worse than EASE.", "EASE is better."]


def test_what_opens_and_closes_a_chapter_is_about_its_data():
    texts = ["# Films\n{}", "## By hand\n{}", "## Summary\n{}", "## Recall\n{}", "## Next\n{}"]
    on_data, by_hand = "data = load_movielens()\ndata", "rows = [2]\nrows"

    def missing(sentence, code):
        cells = [nbformat.v4.new_markdown_cell(text.format(sentence)) for text in texts]
        cells[1:1] = [nbformat.v4.new_markdown_cell("## On films"), nbformat.v4.new_code_cell(code)]
        cells += [nbformat.v4.new_markdown_cell("## More"), nbformat.v4.new_code_cell(by_hand)]
        return len(find_faults(read_places(cells), {}, "x")[1])

    assert missing("EASE wins.", on_data) == 3
    assert missing("EASE wins.", by_hand) == 0
    # Where few sections are about data, what names no system may be about the others.
    assert missing("The longer list is better.", on_data) == 0


def test_alternative_texts_and_answers_are_read_with_ordinary_nouns_too():
    cells = [
        nbformat.v4.new_markdown_cell("## On MovieLens"),
        nbformat.v4.new_code_cell(
            "data = load_movielens()\n"
            "plot(data, title='Films by year', alt='Two rows. The tail is served just as gladly.')"
        ),
    ]
    _, missing = find_faults(read_places(cells), {}, "x")
    assert ["The tail is served just as gladly." in line for line in missing] == [True]

    module = WORKBOOK / "exercises" / "rating" / "movielens.py"
    source = module.read_text("utf-8")
    for planted, found in [
        ("insight='A list for everybody outshines the rest.'", 1),
        ("observed='Yes: the larger group pays no price.'", 1),
        ("prompt='Does the larger group pay a price?'", 0),
        ("hints=['The larger group comes first.']", 0),
        ("hints=['EASE outshines the rest.']", 1),
    ]:
        text = f"{source}\nplanted = Numbers({planted})\n"
        _, missing = find_faults([read_source(text, "planted")], PRINTED, "")
        assert len(missing) == found, planted
