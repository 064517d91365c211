"""A name on its way out still works, says at its user's line what to write, and goes in time."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import types

import pytest

import recsys_metrics
from recsys_metrics import _deprecated


@pytest.fixture
def leaving(monkeypatch):
    """What these tests deprecate is not deprecated."""
    monkeypatch.setattr(_deprecated, "LEAVING", [])
    return _deprecated.LEAVING


def parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def late(leaving, version):
    return [name for name, until in leaving if parts(until) <= parts(version)]


def test_a_name_that_was_to_go_by_now_is_gone():
    for module in pkgutil.walk_packages(recsys_metrics.__path__, "recsys_metrics."):
        if not module.name.startswith(("recsys_metrics.workbook", "recsys_metrics.cli")):
            importlib.import_module(module.name)
    assert late(_deprecated.LEAVING, recsys_metrics.__version__) == []


@pytest.fixture
def module(monkeypatch, leaving):
    """A module whose `old` is `new` now."""
    made = types.ModuleType("a_module")
    made.new = object()
    made.__getattr__ = _deprecated.renamed("a_module", {"old": ("new", "0.3.0")})
    monkeypatch.setitem(sys.modules, "a_module", made)
    return made


def test_a_name_that_was_changed_gives_the_new_thing_and_says_so_where_it_was_used(module):
    with pytest.warns(
        DeprecationWarning, match=r"a_module\.old is called new now; .* in 0\.3\.0"
    ) as w:
        found = module.old
    assert found is module.new
    assert w[0].filename == __file__
    assert module.new is found
    with pytest.raises(AttributeError, match="module 'a_module' has no attribute 'other'"):
        module.other  # noqa: B018
    assert not hasattr(module, "other")


def test_what_is_deprecated_is_known(module, leaving):
    assert leaving == [("a_module.old", "0.3.0")]
    assert late(leaving, "0.2.9") == []
    assert late(leaving, "0.3.0") == late(leaving, "0.10.0") == ["a_module.old"]


def test_a_parameter_is_taken_by_its_earlier_name(leaving):
    @_deprecated.parameter("cutoff", "k", "0.3.0")
    def first(items: list[int], k: int = 1) -> list[int]:
        """Return the first items."""
        return items[:k]

    assert first([1, 2, 3], k=2) == first([1, 2, 3], 2) == [1, 2]
    with pytest.warns(DeprecationWarning, match=r"first\(cutoff=…\) is first\(k=…\) now") as w:
        assert first([1, 2, 3], cutoff=2) == [1, 2]
    assert w[0].filename == __file__
    with pytest.raises(TypeError, match="got 'k' and 'cutoff', its earlier name; give 'k' alone"):
        first([1], k=1, cutoff=1)
    assert first.__doc__ == "Return the first items."


def test_the_new_way_warns_of_nothing(recwarn, module):
    _ = module.new
    assert list(recwarn) == []


def test_every_public_module_says_what_stays():
    """A reader of its docstring knows whether to build on it."""
    public = ["recsys_metrics", *(f"recsys_metrics.{name}" for name in recsys_metrics._MODULES)]
    public += ["recsys_metrics.ranking", "recsys_metrics.workbook"]
    silent = [
        name
        for name in public
        if not any(
            line.startswith(("Stable: ", "May change: "))
            for line in (importlib.import_module(name).__doc__ or "").splitlines()
        )
    ]
    assert silent == []
