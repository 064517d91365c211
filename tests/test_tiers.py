"""The sample of the large sweeps and its rest: every test is in exactly one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import tiers
from tests.book.test_walks_in_book import ALL, SIZES
from tests.tiers import another_program

ROOT = Path(__file__).resolve().parents[1]
# Old packages warn of one another, which is no matter here.
PYTEST = (sys.executable, "-m", "pytest", "-o", "filterwarnings=error:::recsys_metrics")


def item(test, mark=None, file="tests/test_it.py", own_markers=(), **params):
    """Return what `split` reads of a collected test."""
    name = f"{file}::{test}[{'-'.join(map(str, params.values()))}]"
    return SimpleNamespace(
        nodeid=name,
        callspec=SimpleNamespace(params=params),
        path=Path(file),
        own_markers=own_markers,
        get_closest_marker=lambda _: mark,
    )


def sweep(parameter, **options):
    return pytest.mark.sweep(parameter, **options).mark


PAGES = "abcdefgh"


def pages(test, **options):
    mark = sweep("page", **options)
    return [item(test, mark, page=page) for page in PAGES]


def sample_pages(items, seed=0):
    return [one.callspec.params["page"] for one in tiers.split(items, seed)[0]]


def test_a_sample_has_the_fixed_cases_and_keep_others():
    sample = sample_pages(pages("test_a", keep=2, always=["b", "not here"]))
    assert "b" in sample
    assert len(sample) == 3


def test_tests_without_a_marker_belong_to_the_sample():
    items = [item("test_a", n=n) for n in range(5)]
    assert tiers.split(items, 0) == (items, [])


def test_all_tests_of_a_file_sample_the_same_cases():
    one, other = pages("test_a", keep=3), pages("test_b", keep=3)
    sample = sample_pages([*one, *other])
    assert sample[:3] == sample[3:]


def test_each_test_has_a_case_in_the_sample():
    many = pages("test_a", keep=1)
    few = [item("test_b", sweep("page", keep=1), page="z")]
    for seed in range(20):
        assert "z" in sample_pages([*many, *few], seed)


def test_a_test_of_all_notebooks_is_sampled_by_notebook():
    mark = sweep(tiers.NOTEBOOK, keep=3)
    names = ("every cell again", "ties")
    items = [
        SimpleNamespace(
            nodeid=f"chapters/{n}.ipynb::{name}",
            name=name,
            path=Path(f"chapters/{n}.ipynb"),
            own_markers=(),
            get_closest_marker=lambda _: mark,
        )
        for n in range(20)
        for name in names
    ]
    sample, _ = tiers.split(items, 2)
    assert len(sample) == 3 * len(names)
    assert len({one.path for one in sample}) == 3


def test_the_each_option_samples_per_value():
    mark = sweep("part", keep=1, each="engine")
    items = [item("test_a", mark, engine=e, part=p) for e in "xyz" for p in range(4)]
    sample, rest = tiers.split(items, 7)
    assert [one.callspec.params["engine"] for one in sample] == ["x", "y", "z"]
    assert len(rest) == 9


def test_a_pool_is_sampled_across_files():
    mark = tiers.in_a_lab.mark
    items = [item("test_a", mark, f"tests/test_{n}.py", [mark], n=n) for n in range(6)]
    sample, rest = tiers.split(items, 5)
    assert (len(sample), len(rest)) == (1, 5)


def test_a_parameter_value_may_belong_to_a_pool():
    mark = sweep("engine", keep=1, always=["x"], pools={"slow": tiers.on_spark})
    items = [
        item("test_a", mark, f"tests/test_{n}.py", [mark], engine=engine)
        for n in range(5)
        for engine in ("x", "y", "z", "slow")
    ]
    sample, rest = tiers.split(items, 3)
    engines = [one.callspec.params["engine"] for one in sample]
    assert engines.count("x") == 5
    assert engines.count("y") + engines.count("z") == 5
    assert engines.count("slow") == 3
    assert len(sample) + len(rest) == len(items)


def test_a_file_with_a_module_marker_is_one_case():
    files = [f"tests/test_{n}.py" for n in range(6)]
    items = [item(test, tiers.in_a_lab.mark, file) for file in files for test in ("a", "b")]
    sample, _ = tiers.split(items, 5)
    assert len({tiers.file_of(one) for one in sample}) == 1
    assert len(sample) == 2


def test_a_sweep_with_keep_0_belongs_to_the_rest():
    assert sample_pages(pages("test_a", keep=0)) == []
    assert sample_pages(pages("test_a", keep=0, always=["c"])) == ["c"]


def test_different_seeds_draw_different_samples():
    items = pages("test_a", keep=2)
    assert sample_pages(items, 3) == sample_pages(items, 3)
    samples = {tuple(sample_pages(items, seed)) for seed in range(30)}
    assert {page for sample in samples for page in sample} == set(PAGES)


@given(seed=st.integers(0, tiers.N_SEEDS), keep=st.integers(0, 12), data=st.data())
def test_every_test_is_in_the_sample_or_in_the_rest(seed, keep, data):
    always = data.draw(st.sets(st.sampled_from(PAGES)))
    items = [
        *pages("test_a", keep=keep, always=always),
        *pages("test_b", keep=keep, always=always),
        *(item("test_c", n=n) for n in range(3)),
    ]
    sample, rest = tiers.split(items, seed)
    assert sorted(one.nodeid for one in sample + rest) == sorted(one.nodeid for one in items)


def test_a_marker_with_an_unknown_parameter_raises():
    with pytest.raises(pytest.UsageError, match=r"over 'page', but its parameters are n\. Name"):
        tiers.split([item("test_a", sweep("page", keep=1), n=1)], 0)


def test_two_different_markers_for_one_parameter_raise():
    with pytest.raises(pytest.UsageError, match="another `keep` or `always` than a test before it"):
        tiers.split([*pages("test_a", keep=1), *pages("test_b", keep=2)], 0)


def collected(*options):
    """Return the tests that a run would take."""
    command = [*PYTEST, "--collect-only", "-q", "-p", "no:nbval", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line], done.stderr


@another_program
@pytest.mark.slow
def test_sample_and_rest_together_run_each_test_once():
    file = "tests/book/test_walks_in_book.py"
    sample, _ = collected("--sweeps", "sample", "--sweep-seed", "4", file)
    rest, _ = collected("--sweeps", "rest", "--sweep-seed", "4", file)
    cases = [name for name in sample + rest if "[" in name]
    assert len(cases) == len(set(cases)) == len(SIZES) * len(ALL)
    assert sample
    # A test that is named is run, whatever the sample is, and so is one that `-k` asks for.
    assert collected("--sweeps", "sample", "--sweep-seed", "4", rest[0])[0] == rest[:1]
    word = rest[0].partition("[")[2][:-1]
    assert rest[0] in collected("--sweeps", "sample", "--sweep-seed", "4", file, "-k", word)[0]


@another_program
@pytest.mark.slow
def test_all_workers_draw_the_same_sample_when_no_seed_is_given():
    place = ("-p", "no:nbval", "tests/workbook/test_code_check.py")
    command = [*PYTEST, "-q", "-n", "2", "--sweeps", "sample", *place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Workers that collect different tests are an error of pytest-xdist.
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cases were left out" in done.stdout


@pytest.mark.slow
def test_the_rest_without_a_seed_raises():
    _, said = collected("--sweeps", "rest", "tests/test_tiers.py")
    assert "--sweeps rest needs the --sweep-seed of the sample before it" in said
