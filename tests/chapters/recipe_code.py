"""The lines of a recipe, to be run with the package that it is about."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np

import recsys_metrics as rm
from recsys_metrics.datasets import simulate_shop_log
from recsys_metrics.protocol import temporal_split

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
_CODE = re.compile(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_recipe(words: str, page: str = "recipes") -> str:
    """Return the code that a page shows under the heading with these words."""
    text = (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")
    parts = re.split(r"^##+ ", text, flags=re.MULTILINE)
    (part,) = [part for part in parts if words in part.partition("\n")[0]]
    (code,) = [code for code in _CODE.findall(part) if ":tags:" not in code]
    return code


def run_recipe(words: str, known: dict[str, Any], page: str = "recipes") -> Any:
    """Run the code and return what its last line is, as a notebook shows it."""
    tree = ast.parse(read_recipe(words, page))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, words, "exec"), known)
    return eval(compile(ast.Expression(last.value), words, "eval"), known)


def prepare_log() -> dict[str, Any]:
    """Return what the page of the log has computed before it evaluates models."""
    log = simulate_shop_log(seed=2)
    clicks, customers, skus = log.clicks()
    past, test = temporal_split(clicks, at=np.datetime64("2025-02-24"))
    again = np.asarray(past.matrix()[test.user, test.item]).ravel() > 0
    test = test.take(~again)
    ids, users = np.array(skus), np.unique(test.user)
    relevant: dict[str, set[str]] = {}
    for user, item in zip(test.user, test.item, strict=True):
        relevant.setdefault(customers[user], set()).add(ids[item])
    return {
        **{"np": np, "rm": rm, "log": log, "past": past, "test": test, "customers": customers},
        **{"ids": ids, "users": users, "names": np.array(customers)[users]},
        **{"relevant": relevant, "recommended": {}},
    }
