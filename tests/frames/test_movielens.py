"""On real lists, with every convention, the engines and the arrays agree."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import frames
from recsys_metrics.workbook import keep_liked, movielens_experiment
from tests.frames.engines import in_duckdb, in_polars, in_spark
from tests.frames.test_equal_to_arrays import TEXTS
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
AT_TEN = [text for text in TEXTS if text.endswith("@10") and "max_grade=3" not in text]


@pytest.fixture(scope="module")
def films():
    """Return the lists of item kNN and the held-out films that were liked, with their stars."""
    data = movielens_experiment()
    columns = {
        "user": np.repeat(data.users, 10),
        "item": data.lists()["item kNN"].ravel(),
        "rank": np.tile(np.arange(1, 11), len(data.users)),
    }
    liked = keep_liked(data.hidden)
    wanted = {"user": liked.user, "item": liked.item, "grade": liked.rating}
    return pl.DataFrame(columns).filter(pl.col("item") >= 0), pl.DataFrame(wanted)


@pytest.mark.sweep("engine", keep=1, always=[in_polars], pools={in_spark: on_spark})
@pytest.mark.parametrize("engine", [in_polars, in_duckdb, in_spark], ids=lambda e: e.__name__)
def test_three_engines_and_arrays_agree_on_movielens(films, engine):
    shown, wanted = films
    lists = {user[0]: rows.sort("rank")["item"].to_list() for user, rows in shown.group_by("user")}
    truth = {
        user[0]: dict(zip(rows["item"].to_list(), rows["grade"].to_list(), strict=True))
        for user, rows in wanted.group_by("user")
    }
    # Spark plans for longer than it computes: every fifth of the conventions.
    asked = [t.replace("=4.5", "=5") for t in AT_TEN][:: 5 if engine is in_spark else 1]
    arrays = rm.evaluate(lists, truth, asked)
    found = frames.evaluate(engine(shown.to_dict()), engine(wanted.to_dict()), asked)
    for made, result in arrays.results.items():
        assert found.results[made].n == result.n
        np.testing.assert_allclose(found.results[made].value, result.mean, rtol=0, atol=1e-12)
