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


def kept(items, seed=0):
    return [one.callspec.params["page"] for one in tiers.split(items, seed)[0]]


def test_a_sample_has_what_is_always_kept_and_so_many_others():
    sample = kept(pages("test_a", keep=2, always=["b", "not here"]))
    assert "b" in sample
    assert len(sample) == 3


def test_tests_without_a_marker_belong_to_the_sample():
    items = [item("test_a", n=n) for n in range(5)]
    assert tiers.split(items, 0) == (items, [])


def test_all_tests_of_a_file_keep_the_same_cases():
    one, other = pages("test_a", keep=3), pages("test_b", keep=3)
    sample = kept([*one, *other])
    assert sample[:3] == sample[3:]


def test_each_test_keeps_a_case():
    many = pages("test_a", keep=1)
    few = [item("test_b", sweep("page", keep=1), page="z")]
    for seed in range(20):
        assert "z" in kept([*many, *few], seed)


def test_a_test_that_each_notebook_has_is_one_test():
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


def test_each_value_of_another_parameter_keeps_so_many():
    mark = sweep("part", keep=1, each="engine")
    items = [item("test_a", mark, engine=e, part=p) for e in "xyz" for p in range(4)]
    sample, rest = tiers.split(items, 7)
    assert [one.callspec.params["engine"] for one in sample] == ["x", "y", "z"]
    assert len(rest) == 9


def test_a_pool_keeps_so_many_of_its_tests_whichever_file_they_are_in():
    mark = tiers.in_a_lab.mark
    items = [item("test_a", mark, f"tests/test_{n}.py", [mark], n=n) for n in range(6)]
    sample, rest = tiers.split(items, 5)
    assert (len(sample), len(rest)) == (1, 5)


def test_a_value_of_a_parameter_may_belong_to_a_pool():
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


def test_a_file_that_is_marked_as_a_whole_is_one_case_of_its_pool():
    files = [f"tests/test_{n}.py" for n in range(6)]
    items = [item(test, tiers.in_a_lab.mark, file) for file in files for test in ("a", "b")]
    sample, _ = tiers.split(items, 5)
    assert len({tiers.file_of(one) for one in sample}) == 1
    assert len(sample) == 2


def test_a_sweep_may_be_left_to_the_rest():
    assert kept(pages("test_a", keep=0)) == []
    assert kept(pages("test_a", keep=0, always=["c"])) == ["c"]


def test_another_seed_draws_another_sample():
    items = pages("test_a", keep=2)
    assert kept(items, 3) == kept(items, 3)
    samples = {tuple(kept(items, seed)) for seed in range(30)}
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


def test_a_marker_that_names_no_parameter_is_an_error():
    with pytest.raises(pytest.UsageError, match=r"over 'page', but its parameters are n\. Name"):
        tiers.split([item("test_a", sweep("page", keep=1), n=1)], 0)


def test_two_markers_for_one_parameter_of_a_file_are_an_error():
    with pytest.raises(pytest.UsageError, match="another `keep` or `always` than a test before it"):
        tiers.split([*pages("test_a", keep=1), *pages("test_b", keep=2)], 0)


def collected(*options):
    """Return the tests that a run would take."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:nbval", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line], done.stderr


@another_program
@pytest.mark.slow
def test_a_run_of_the_sample_and_one_of_the_rest_run_each_test_once():
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
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--sweeps", "sample", *place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Workers that collect different tests are an error of pytest-xdist.
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cases were left out" in done.stdout


@pytest.mark.slow
def test_the_rest_of_an_unknown_sample_is_an_error():
    _, said = collected("--sweeps", "rest", "tests/test_tiers.py")
    assert "--sweeps rest needs the --sweep-seed of the sample before it" in said
