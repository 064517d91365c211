"""Two reports compared within groups of users: gains, corrected p-values, and the sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from recsys_metrics import evaluate
from recsys_metrics.protocol.significance import adjust

MEASURES = ["hit_rate@1", "ndcg@2", "coverage@2"]
GROUPS = ["light"] * 30 + ["heavy"] * 30


def reports(users=None, **options):
    truth = [{"A"}] * 60
    old = [["B", "C"]] * 30 + [["A", "B"]] * 30
    new = [["A", "B"]] * 50 + [["B", "A"]] * 10
    if users is not None:
        truth, old, new = ({u: v[i] for i, u in enumerate(users)} for v in (truth, old, new))
    return (
        evaluate(new, truth, MEASURES, catalog=4, name="new", **options),
        evaluate(old, truth, MEASURES, catalog=4, name="old"),
    )


def compared(groups=GROUPS, **options):
    new, old = reports()
    return new.compare(old).by(groups, **options)


def test_gains_of_the_hand_computed_case():
    found = compared()
    assert found.sizes == {"heavy": 30, "light": 30}
    light, heavy = found["hit_rate@1"]["light"], found["hit_rate@1"]["heavy"]
    assert (light.new, light.old, light.gain) == (1, 0, 1)
    assert (light.better, light.worse, light.equal) == (30, 0, 0)
    assert heavy.gain == pytest.approx(-1 / 3)
    assert (heavy.better, heavy.worse, heavy.equal) == (0, 10, 20)
    # McNemar's exact test of 10 changes in one direction, and of 30.
    assert (heavy.p_value, light.p_value) == (pytest.approx(2**-9), pytest.approx(2**-29))


def test_a_group_is_compared_as_a_report_of_its_users_is():
    truth, rng = [{"A", "B"}] * 80, np.random.default_rng(0)
    lists = [[rng.permutation(list("ABCD")).tolist() for _ in truth] for _ in range(2)]
    groups = rng.choice(["x", "y", "z"], len(truth))
    new, old = (evaluate(one, truth, ["ndcg@2", "recall@2"]) for one in lists)
    found = new.compare(old).by(groups)
    for group in "xyz":
        rows = np.flatnonzero(groups == group)
        alone = [
            evaluate([one[i] for i in rows], [truth[i] for i in rows], ["ndcg@2", "recall@2"])
            for one in lists
        ]
        for measure, difference in alone[0].compare(alone[1]).items():
            ours = found[measure][group]
            assert ours.gain == pytest.approx(difference.gain)
            assert ours.p_value == pytest.approx(difference.p_value)
            assert tuple(ours.interval) == pytest.approx(tuple(difference.interval))


def test_p_values_are_corrected_for_all_groups_and_metrics():
    found = compared()
    assert [*found] == ["hit_rate@1", "ndcg@2"]  # coverage is of all lists together
    flat = [d for groups in found.values() for d in groups.values()]
    assert [d.p_adjusted for d in flat] == pytest.approx(adjust([d.p_value for d in flat]))
    fewer = compared(measures=["hit_rate@1"], correction="bonferroni")
    assert fewer["hit_rate@1"]["heavy"].p_adjusted == pytest.approx(2 * 2**-9)


def test_the_sentence_says_which_groups_gain_and_lose():
    found = compared(measures=["hit_rate@1"])
    assert found.better("hit_rate@1") == ["light"]
    assert found.worse("hit_rate@1") == ["heavy"]
    assert "By hit_rate@1, new is better in light and worse in heavy." in found.to_markdown()
    few = compared([f"{i // 2}" for i in range(60)], measures=["hit_rate@1"])
    assert "no difference detected in any of 30 groups" in few.to_markdown()


def test_groups_by_name_mapping_and_table():
    users = [f"u{i}" for i in range(60)]
    by_user = dict(zip(users, GROUPS, strict=True))
    new, old = reports(users, groups={"activity": by_user})
    comparison = new.compare(old)
    table = pd.DataFrame({"user": users, "group": GROUPS})
    expected = compared().columns()
    for groups in ("activity", by_user, table, GROUPS):
        assert comparison.by(groups).columns() == expected
    with pytest.raises(ValueError, match="there is no grouping 'age'; evaluate was given 'act"):
        comparison.by("age")
    with pytest.raises(ValueError, match="not all reports have catalog_coverage@2"):
        comparison.by("activity", measures=["coverage@2"])


def test_named_groups_follow_the_users_that_both_reports_have():
    users = [f"u{i}" for i in range(60)]
    new, _ = reports(users, groups={"activity": dict(zip(users, GROUPS, strict=True))})
    fewer = users[10:]
    old = evaluate({u: ["B", "C"] for u in fewer}, {u: {"A"} for u in fewer}, MEASURES, catalog=4)
    found = new.compare(old, users="shared").by("activity")
    assert found.sizes == {"heavy": 30, "light": 20}


def test_frames_have_a_row_for_each_metric_and_group():
    found = compared()
    frame = found.to_frame(backend="polars")
    assert frame.columns[:5] == ["measure", "group", "users", "new", "old"]
    assert frame["group"].to_list() == ["heavy", "light"] * 2
    new, old = reports()
    assert new.compare(old).to_frame(backend="pandas")["measure"].tolist() == [
        "hit_rate@1",
        "ndcg@2",
        "coverage@2",
    ]
    by_group = new.by(GROUPS).to_frame(backend="polars")
    assert by_group.filter(pl.col("measure") == "hit_rate@1")["value"].to_list() == [2 / 3, 1]


def test_the_picture_has_a_row_for_each_group():
    axes = compared().plot("hit_rate@1")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["heavy (30)", "light (30)"]
    assert "better in light and worse in heavy" in axes.get_title(loc="left")


def test_a_metric_without_a_better_side_has_no_sentence():
    lists = [["A", "B"]] * 30
    report = evaluate(lists, [{"A"}] * 30, ["self_information@2"], history=[{"A"}, {"B"}] * 15)
    found = report.compare(report).by(["x", "y"] * 15)
    assert found.better("self_information@2") == []
    assert "self_information" in found.to_html()
