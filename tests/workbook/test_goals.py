"""What is to be found by moving an explorable: it can be found, it is not there at the start."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.goals import Goal, render_goals
from recsys_metrics.workbook.explorables.precomputed import precompute_states
from recsys_metrics.workbook.explorables.widget import create_widget

GOALS = [(x, place) for x in REGISTRY.values() for place in range(len(x.goals))]
NAMES = [f"{explorable.id}#{place + 1}" for explorable, place in GOALS]


def test_every_explorable_has_a_goal():
    assert all(explorable.goals for explorable in REGISTRY.values())
    texts = [explorable.goals[place].text for explorable, place in GOALS]
    assert len(set(texts)) == len(texts)


@pytest.fixture(scope="module")
def places():
    """Return, for each explorable, how many of its states reach each goal."""
    found = {}
    for name, explorable in REGISTRY.items():
        counts = [0] * len(explorable.goals)
        for state in explorable.states():
            for place in explorable.goals_met(state, explorable.compute(state)):
                counts[place] += 1
        found[name] = counts
    return found


@pytest.mark.sweep("explorable", keep=8)
@pytest.mark.parametrize(("explorable", "place"), GOALS, ids=NAMES)
def test_every_goal_is_reachable_and_not_met_at_the_start(explorable, place, places):
    goal = explorable.goals[place]
    assert goal.text.endswith(".")
    assert goal.explanation.endswith(".")
    assert place not in explorable.goals_met(explorable.start, explorable.compute(explorable.start))
    assert 0 < places[explorable.id][place] <= explorable.n_states / 2


def test_precomputed_states_have_the_same_goals():
    explorable = REGISTRY["protocol.peeking"]
    table = precompute_states(explorable)
    texts = [goal["text"] for goal in table["facts"]["goals"]]
    assert texts == [goal.text for goal in explorable.goals]
    for goal in table["goals"]:
        assert goal["shown"] == [False, True]


def test_reached_goals_are_explained():
    goals = (
        Goal("Find <A>.", lambda s, n: True, "It is B."),
        Goal("Find C.", lambda s, n: True, ""),
    )
    assert render_goals(goals, {0}) == (
        '<ul class="explorable-goals" aria-label="To find"><li><strong>✓ Found.</strong> '
        "Find &lt;A&gt;. It is B.</li><li>Find C.</li></ul>"
    )
    assert render_goals(()) == ""


@pytest.fixture
def progress_file(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))


def test_the_widget_records_reached_goals(progress_file):
    explorable = REGISTRY["protocol.peeking"]
    form = create_widget(explorable)
    assert form.found == []
    form.move({"looks": 50, "rule": "peeking"})
    form.reset()
    assert form.found == [0]
    assert progress.load_goals("protocol.peeking") == {0}
    assert create_widget(explorable).found == [0]
    form.move({"looks": 50, "rule": "peeking"})
    (event,) = progress.load_history()
    assert (event.exercise, event.what, event.number) == ("protocol.peeking", "goal", 1)
    assert progress.summarize_history([event]) == {}
    assert progress.schedule_reviews([event]) == {}


def test_with_progress_off_goals_are_not_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, "off")
    form = create_widget(REGISTRY["protocol.peeking"])
    form.move({"looks": 50, "rule": "peeking"})
    assert form.found == [0]
    assert progress.load_goals("protocol.peeking") == set()
