"""Every public reader of arrays refuses a masked one and names the argument.

The calls are those of each docstring's example, once for each array in it, which is then masked;
an optional array that the example leaves out is put in.
"""

from __future__ import annotations

import contextlib
import dataclasses
import doctest
import functools
import inspect

import numpy as np
import pytest

from recsys_metrics import Judged, evaluate
from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics.baselines import Popularity
from recsys_metrics.bias.fairness import restrict_relevant
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import candidates, online
from recsys_metrics.protocol.significance import tukey_hsd
from tests.public import modules, path

# What these read are frames and files; measures read what a call hands them.
ELSEWHERE = {"frames", "datasets", "peers"}
NO_ARRAYS = {"bounds", "ks", "measures", "other", "reports", "source", "statistic"}
# With the example's other arguments these are not read, or not together; see below.
NOT_READ = {
    ("ab_test", "control_per"),
    ("ab_test", "treatment_per"),
    ("bounce_rate", "users"),
    ("conversion_rate", "users"),
    ("correction_table", "prior"),
    ("equivalence_test", "control_per"),
    ("equivalence_test", "treatment_per"),
    ("evaluate", "history_rows"),
    ("Folds.__init__", "fold"),
    ("group_sequential_test", "control_per"),
    ("group_sequential_test", "treatment_per"),
    ("non_inferiority_test", "control_per"),
    ("non_inferiority_test", "treatment_per"),
    ("rolling_splits", "at"),
    ("sampled_ranks", "item_counts"),
    ("sequential_test", "control_per"),
    ("sequential_test", "treatment_per"),
}
# What an error calls it, where that is not the argument's name.
CALLED = {
    ("as_array", "values"): "this",
    ("Report.by", "groups"): "the grouping 'group'",
    ("Comparison.by", "groups"): "the grouping 'group'",
}


def readers():
    """Yield each public function or method with the place where it can be replaced."""
    met = set()
    for module in modules():
        if path(module) in ELSEWHERE:
            continue
        for name in module.__all__:
            value = getattr(module, name)
            if not callable(value) or not value.__module__.startswith("recsys_metrics."):
                continue
            if id(value) in met or getattr(value, "_is_protocol", False):
                continue
            met.add(id(value))
            if inspect.isfunction(value):
                yield pytest.param(module, name, value, value.__doc__, id=name)
            elif inspect.isclass(value):
                for own, method in inspect.getmembers(value, inspect.isfunction):
                    is_built = own == "__init__" and not dataclasses.is_dataclass(value)
                    if is_built or not own.startswith("_"):
                        example = f"{value.__doc__}\n\n{method.__doc__}"
                        yield pytest.param(value, own, method, example, id=f"{name}.{own}")


def first_call(owner, name, function, example, patch):
    """Return the arguments of the first call of a function in an example."""
    calls = []

    @functools.wraps(function)
    def record(*args, **kwargs):
        calls.append(inspect.signature(function).bind(*args, **kwargs))
        return function(*args, **kwargs)

    patch.setattr(owner, name, record)
    test = doctest.DocTestParser().get_doctest(example, {}, name, None, 0)
    with contextlib.redirect_stdout(None):
        doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
    patch.undo()
    return calls[0] if calls else None


def arrays_in(call, function):
    """Return a masked array in place of each array of a call, and of each that could be there."""
    masked = {}
    for name, value in call.arguments.items():
        if isinstance(value, list | tuple | range | np.ndarray) and name not in NO_ARRAYS:
            with contextlib.suppress(ValueError):  # rows of several lengths
                if np.size(value) and np.asarray(value).dtype != object:
                    masked[name] = mask_first(value)
    n = next((len(array) for array in masked.values()), 3)
    for name, parameter in inspect.signature(function).parameters.items():
        is_array = "Array" in str(parameter.annotation) and name not in NO_ARRAYS
        if is_array and name not in call.arguments:
            masked[name] = mask_first(np.ones(n))
    return masked


def mask_first(values):
    array = np.ma.array(values)
    array[(0,) * array.ndim] = np.ma.masked
    return array


@pytest.mark.parametrize(("owner", "name", "function", "example"), [*readers()])
def test_a_masked_array_raises_with_the_name_of_its_argument(
    owner, name, function, example, monkeypatch
):
    call = first_call(owner, name, function, example or "", monkeypatch)
    if call is None:
        return
    for argument, masked in arrays_in(call, function).items():
        if (function.__qualname__, argument) in NOT_READ:
            continue
        given = inspect.BoundArguments(call.signature, {**call.arguments, argument: masked})
        called = CALLED.get((function.__qualname__, argument), argument)
        with pytest.raises(TypeError, match=rf"\b{called}(\[.*\])? is a masked array"):
            function(*given.args, **given.kwargs)


ONES = mask_first([1, 1, 1, 1])
HALVES = mask_first([0.5, 0.5, 0.5, 0.5])
TRAINING = Interactions([0, 1, 2, 3], [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        (
            "control_per",
            lambda: online.ab_test(
                [1, 2, 3, 4], [1, 2, 3, 5], control_per=ONES, treatment_per=[1] * 4
            ),
        ),
        (
            "treatment_per",
            lambda: online.sequential_test(
                [1] * 4, [2] * 4, control_per=[1] * 4, treatment_per=ONES, expected_gain=1
            ),
        ),
        ("users", lambda: online.bounce_rate([1, 2, 1, 1], users=ONES, by="users")),
        ("users", lambda: online.conversion_rate([1, 0, 1, 1], users=ONES)),
        (
            "prior",
            lambda: candidates.correction_table(
                4, 2, "ndcg", k=2, method="bias-variance", prior=ONES
            ),
        ),
        (
            "history_rows",
            lambda: evaluate(
                [[0]] * 4, [[1]] * 4, ["novelty@1"], history=TRAINING, history_rows=ONES
            ),
        ),
        ("item_counts", lambda: beyond.average_popularity([0, 1], ONES)),
        ("features", lambda: beyond.intra_list_diversity([0, 1], features=HALVES[:, None])),
        ("similarity", lambda: beyond.intra_list_diversity([0, 1], similarity=HALVES[:, None])),
        ("clicks", lambda: online.click_through_rate(ONES, [1] * 4)),
        (r"values\['b'\]", lambda: tukey_hsd({"a": [0.5] * 4, "b": HALVES})),
        ("strata", lambda: restrict_relevant([{0}], ONES, 1)),
        ("gains", lambda: Judged.from_gains(ONES)),
        ("user", lambda: Interactions(ONES, [1, 2, 3, 4])),
        ("rating", lambda: Interactions([0, 1, 1, 0], [1, 2, 3, 4], rating=HALVES)),
        ("rows", lambda: TRAINING.take(ONES)),
        ("users", lambda: TRAINING.of_users(ONES)),
        ("users", lambda: Popularity().fit(TRAINING).scores(ONES)),
        (
            "item_counts",
            lambda: candidates.sampled_ranks(
                [0.1, 0.9, 0.4, 0.8], [1], n_samples=2, weights="popularity", item_counts=ONES
            ),
        ),
    ],
)
def test_masked_arrays_for_other_arguments_raise(argument, call):
    with pytest.raises(TypeError, match=f"{argument} is a masked array"):
        call()


def test_the_examples_cover_the_expected_functions():
    # So that a walk that finds nothing does not pass.
    names = {parameters.id for parameters in readers()}
    assert {"judge", "ips", "brier_score", "PlattScaling.fit"} <= names
    assert len(names) > 150
