"""jurity: its names, and what it gave for the small example.

Asked for one user at a time on random lists, 2.1.0 gave other values for some of them than for the
same user asked for in a process of its own, with pandas 2.0 and 2.3; so its values are compared on
the small example only.
"""

from __future__ import annotations

import pytest

from tests.peers.cases import are_known

recommenders = pytest.importorskip("jurity.recommenders", reason="jurity is not installed")
pandas = pytest.importorskip("pandas")

LISTS = {"A": [1, 2, 3, 4, 6], "B": [1, 2, 3], "C": [1]}
TRUTHS = {"A": [1, 3, 5, 7], "B": [2], "C": [1, 2]}
VALUES = {
    "Precision": (2 / 3, 1 / 3, 1),
    "Recall": (1 / 2, 1, 1 / 2),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore")
def test_values_of_the_small_example_agree(name):
    for user, value in zip(LISTS, VALUES[name], strict=True):
        row, wanted = LISTS[user], TRUTHS[user]
        recommended = pandas.DataFrame(
            {"user_id": 1, "item_id": row, "clicks": range(len(row), 0, -1)}
        )
        clicked = pandas.DataFrame({"user_id": 1, "item_id": wanted, "clicks": 1})
        found = getattr(recommenders, name)("clicks", k=3).get_score(clicked, recommended)
        assert found == pytest.approx(value)


def test_public_names_are_in_the_table():
    names = [
        name
        for name in dir(recommenders)
        if name != "NamedTuple" and isinstance(getattr(recommenders, name), type)
    ]
    groups = ("BinaryRecoMetrics", "CombinedMetrics", "DiversityRecoMetrics", "RankingRecoMetrics")
    left_out = dict.fromkeys(groups, "names for several of its measures together")
    are_known("jurity", names, left_out)
