"""The page to come back to: written from the history, and never over a file of the reader's."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta

import nbformat
import pytest
import yaml
from nbformat.v4 import new_notebook

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.common.content import ContentSource, find_source
from recsys_metrics.workbook.common.state_file import Record
from recsys_metrics.workbook.exercises import PARTS, REGISTRY
from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES
from recsys_metrics.workbook.lab import home, server
from recsys_metrics.workbook.progress import Event
from recsys_metrics.workbook.progress.review_questions import read_questions

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECONDS = itertools.count()
TOC = {
    "root": "chapters/index",
    "parts": [
        {
            "caption": "Chapters",
            "chapters": [
                {"file": "chapters/00_three_questions", "title": "0. The three questions"},
                {
                    "file": "chapters/02_ranking",
                    "title": "2. Ranking",
                    "sections": [
                        {"file": "chapters/02_ranking_averages", "title": "Average precision"},
                        {"file": "chapters/02_ranking_gains", "title": "Gains"},
                    ],
                },
            ],
        },
        {"caption": "To look up", "chapters": [{"file": "chapters/glossary"}, {"glob": "api/*"}]},
        {"caption": "Solutions", "chapters": [{"file": "solutions/02_ranking", "title": "S 2"}]},
    ],
}
STEMS = ["00_three_questions", "02_ranking", "02_ranking_averages", "02_ranking_gains"]


@pytest.fixture
def folder(tmp_path):
    """A workbook of four parts."""
    for name in [*(f"chapters/{stem}" for stem in STEMS), "solutions/02_ranking"]:
        file = tmp_path / f"{name}.ipynb"
        file.parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(), file)
        file.with_suffix(".md").write_text("# A part\n\n**About 55 minutes.** Some words.\n")
    return tmp_path


def check(key, day=0, outcome="PASS", mistake=None):
    when = (NOW + timedelta(days=day, seconds=next(SECONDS))).isoformat()
    return Event(
        id=when,
        when=when,
        exercise=key,
        seed=REGISTRY[key].seed,
        outcome=outcome,
        mistake=mistake,
        content=progress.hash_content(REGISTRY[key]),
    )


def mark(question, day, outcome):
    when = (NOW + timedelta(days=day, seconds=next(SECONDS))).isoformat()
    return Event(id=when, when=when, exercise=question, outcome=outcome)


def cells(folder, events):
    assert home.write_home(folder, TOC, events, now=NOW)
    notebook = nbformat.read(folder / home.PAGE, as_version=4)
    nbformat.validate(notebook)
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def list_tiles(parts):
    """Return the lines of each tile."""
    return [
        tile.partition(":::\n")[0].removesuffix("\n:::").splitlines()
        for tile in parts.split(":::{card} ")[1:]
    ]


def test_a_returning_reader_sees_due_exercises_next_part_and_mistakes(folder):
    events = [
        check("ranking.e2", -30),
        check("ranking.e4", -3, "WRONG", mistake="hits-divisor"),
        check("ranking.e4", -2, "WRONG", mistake="hits-divisor"),
    ]
    (_, today), (_, imported), (_, card), (_, parts), (_, mistakes) = cells(folder, events)
    minutes = REGISTRY["ranking.e2"].minutes
    assert f"**Today:** one due, about {['no', 'one', 'two', 'three', 'four'][minutes]} " in today
    averages = "[2. Ranking: Average precision](chapters/02_ranking_averages.ipynb)"
    assert f"**Not right yet:** {averages}, *Average precision*." in today
    following = [e.id for stem in STEMS for e in PARTS[stem]]
    after = REGISTRY[following[following.index("ranking.e4") + 1]]
    part = next(stem for stem in STEMS if after in PARTS[stem])
    assert f"(chapters/{part}.ipynb), *{after.title}*" in today
    assert "**Continue:** [2. Ranking: " in today
    # The card that is due is another variant than the one that was passed.
    known = {}
    exec(imported, known)
    shown = eval(card, known)
    assert (shown.id, shown.seed) == ("ranking.e2", "1")
    tiles = list_tiles(parts)
    assert [tile[1] for tile in tiles] == [f":link: chapters/{stem}.ipynb" for stem in STEMS]
    n = len(PARTS["02_ranking"])
    assert tiles[1] == [
        "2. Ranking",
        ":link: chapters/02_ranking.ipynb",
        f"55 minutes · 1 of {n} passed",
        "",
        f"●{'○' * (n - 1)}",
    ]
    assert mistakes.splitlines()[-1] == f"- *hits divisor*, twice, last in {averages}"


def test_a_new_reader_sees_where_to_begin(folder):
    (_, today), (_, parts) = cells(folder, [])
    assert "**Today:** nothing is due." in today
    assert "**Begin:** [0. The three questions](chapters/00_three_questions.ipynb)" in today
    assert "●" not in parts


def test_reference_pages_are_linked(folder):
    assert "To look up" not in cells(folder, [])[-1][1]
    (folder / "chapters" / "errata.md").write_text("---\na: 1\n---\n\n# What is wrong\n\n## B\n")
    (folder / "chapters" / "errata.ipynb").touch()
    (folder / "chapters" / "glossary.md").write_text("# Terms\n")
    names = ("chapters/errata", "chapters/glossary", "chapters/gone", "api/index")
    toc = {"parts": [{"chapters": [{"file": name} for name in names]}]}
    assert home.write_home(folder, toc, [], now=NOW)
    *_, parts = nbformat.read(folder / home.PAGE, as_version=4).cells
    assert parts.source.splitlines()[-1] == (
        "To look up: [What is wrong](chapters/errata.ipynb) · [Terms](chapters/glossary.md)."
    )


def test_reached_goals_are_counted(folder):
    events = [check("rating.e1")]
    assert "Goals found" not in cells(folder, events)[0][1]
    found = Event("g", NOW.isoformat(), "protocol.peeking", what="goal", number=1)
    gone = Event("h", NOW.isoformat(), "no.such", what="goal", number=1)
    every = sum(len(one.goals) for one in EXPLORABLES.values())
    again = Event("i", NOW.isoformat(), "protocol.peeking", what="goal", number=1)
    said = cells(folder, [*events, found, gone, again])[0][1]
    assert f"**Goals found** by moving pictures: 1 of {every}." in said
    assert "Guesses made" not in said
    guess = Event("j", NOW.isoformat(), "protocol.peeking", what="guess", answer="rise")
    asked = sum(one.guess is not None for one in EXPLORABLES.values())
    said = cells(folder, [*events, found, guess])[0][1]
    assert f"**Guesses made** before the first move: 1 of {asked}." in said


def test_the_most_overdue_exercises_are_listed(folder):
    keys = [key for key, one in REGISTRY.items() if progress.schedule_reviews([check(key, -300)])]
    events = sorted(
        (check(key, -300 + number) for number, key in enumerate(keys)), key=lambda e: e.when
    )
    shown = cells(folder, events)
    n = len(keys)
    assert n > 10
    assert f"**Today:** {n} due, the ten longest due below" in shown[0][1]
    assert [source for kind, source in shown if kind == "code"][1:] == [
        f'REGISTRY["{key}"].variant("1")' for key in keys[:10]
    ]


def test_the_page_is_reproducible_and_replaces_an_older_one(folder):
    events = [check("ranking.e2", -30)]
    cells(folder, events)
    first = (folder / home.PAGE).read_bytes()
    cells(folder, events)
    assert (folder / home.PAGE).read_bytes() == first
    cells(folder, [])
    assert (folder / home.PAGE).read_bytes() != first


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"metadata": {}, "cells": []}'])
def test_a_file_of_the_user_is_not_overwritten(folder, content):
    (folder / home.PAGE).write_text(content)
    assert not home.write_home(folder, TOC, [], now=NOW)
    assert (folder / home.PAGE).read_text() == content


def test_a_symbolic_link_is_not_followed(folder, tmp_path):
    cells(folder, [])
    elsewhere = tmp_path / "elsewhere.ipynb"
    (folder / home.PAGE).rename(elsewhere)
    before = elsewhere.read_bytes()
    (folder / home.PAGE).symlink_to(elsewhere)
    assert not home.write_home(folder, TOC, [check("ranking.e2", -30)], now=NOW)
    assert elsewhere.read_bytes() == before


def test_every_part_is_listed_with_its_minutes(tmp_path):
    source = find_source()
    for stem in PARTS:
        link = tmp_path / "chapters" / f"{stem}.ipynb"
        link.parent.mkdir(exist_ok=True)
        link.write_text("{}")
        text = (source.root / "chapters" / f"{stem}.md").read_text(encoding="utf-8")
        link.with_suffix(".md").write_text(text, encoding="utf-8")
    assert home.write_home(tmp_path, source.toc(), [], now=NOW)
    page = nbformat.read(tmp_path / home.PAGE, as_version=4).cells[-1].source
    tiles = list_tiles(page)
    assert [tile[1] for tile in tiles] == [f":link: chapters/{stem}.ipynb" for stem in PARTS]
    assert all(tile[2].split(" minutes · ")[0].isdigit() for tile in tiles)


def test_the_lab_opens_the_home_page_first(folder, tmp_path, monkeypatch):
    """And leaves a clone's own folder as it is."""
    (folder / "_toc.yml").write_text(yaml.safe_dump(TOC))
    file = tmp_path / "progress.json"
    monkeypatch.setenv(progress.VARIABLE, str(file))
    opened = []
    monkeypatch.setattr(server, "serve_lab", lambda one: opened.append(one.page))
    mine = tmp_path / "mine"

    def run(where, checkout=False):
        server.run_lab(
            ContentSource(folder, checkout), where, port=None, opened=True, browser=False
        )
        return opened[-1]

    assert run(mine) == home.PAGE
    assert "**Begin:**" in (mine / home.PAGE).read_text(encoding="utf-8")
    file.write_bytes(progress.format_history([check("ranking.e2", -30)]))
    assert run(mine) == home.PAGE
    assert "ranking.e2" in (mine / home.PAGE).read_text(encoding="utf-8")
    assert home.PAGE not in Record.for_folder(mine).read().laid
    (mine / home.PAGE).write_text(json.dumps({"metadata": {}, "cells": []}))
    assert run(mine) == "chapters/00_three_questions.ipynb"
    assert run(folder, checkout=True) == "chapters/00_three_questions.ipynb"
    assert not (folder / home.PAGE).exists()


def test_recall_questions_are_due_by_part(folder):
    first, second, third, *_ = (one.id for one in read_questions("02_ranking"))
    (other, *_) = (one.id for one in read_questions("02_ranking_gains"))
    events = [
        mark(first, -40, "PASS"),
        mark(second, -2, "WRONG"),
        mark(third, 0, "PASS"),
        mark(other, -1, "WRONG"),
        mark("recall.02_ranking.of_another_edition", -40, "WRONG"),
    ]
    (_, said), *_ = cells(folder, events)
    assert "nothing is due" not in said
    assert (
        "**From memory:** three questions due, about three minutes: "
        "[2. Ranking](chapters/02_ranking.ipynb#Recall), two; "
        "[2. Ranking: Gains](chapters/02_ranking_gains.ipynb#Recall), one."
    ) in said
