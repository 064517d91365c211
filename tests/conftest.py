"""What all tests share: a home of nobody, one order, one real browser."""

from __future__ import annotations

import functools
import gc
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from filelock import FileLock

from tests import examples, tiers

ROOT = Path(__file__).resolve().parents[1]

# A test may open a notebook as a learner does; what it answers there is nobody's progress.
os.environ["RECSYS_METRICS_PROGRESS"] = "off"
# Hundreds of processes are started: what one has compiled serves the others.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Most of what Spark is asked here is over before a second compiler would have paid, and before it
# has paid to verify what a compiler wrote.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+IgnoreUnrecognizedVMOptions"
JAVA += " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
os.environ.setdefault("JAVA_TOOL_OPTIONS", JAVA)
os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "tests" / "frames" / "spark"))

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("no clock", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("no clock")

# The home of a whole run, whichever worker asks; who starts the run also ends it.
_HOME = "RECSYS_METRICS_TEST_HOME"
_STARTED_HERE = _HOME not in os.environ
if _STARTED_HERE:
    os.environ[_HOME] = tempfile.mkdtemp(prefix="recsys-workbook-home-")
    os.environ["HOME"] = os.environ[_HOME]
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        os.environ.pop(f"XDG_{name}_HOME", None)
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        os.environ.pop(name, None)
    # Finding the fonts takes matplotlib seconds; what it found serves the next run, too.
    os.environ["MPLCONFIGDIR"] = str(ROOT / ".pytest_cache" / "matplotlib")
    # So does what baselines have ranked: named by all that it comes from, their code as well.
    os.environ["RECSYS_METRICS_CACHE"] = str(ROOT / ".pytest_cache" / "kept")


LEFT_OUT = pytest.StashKey[int]()

# The files that take longest, longest first: whatever is left then is short, and no worker ends on
# a long one while the others wait.
LONGEST = (
    "tests/book/test_every_page.py",
    "tests/frames/test_equal_to_arrays.py",
    "tests/course/test_hostile_corpus.py",
    "tests/exercises/test_variants.py",
    "tests/book/test_explorables_in_book.py",
    "tests/book/test_cards_in_book.py",
    "tests/book/test_cells_in_book.py",
    "tests/course/test_capstone.py",
    "tests/test_lite.py",
    "tests/test_lab.py",
    "tests/book/test_book.py",
    "tests/course/test_guide.py",
    "tests/book/test_jupyter_front_ends.py",
    "tests/course/test_hostile_submissions.py",
    "tests/book/test_upload_evaluation_in_book.py",
    "tests/book/test_code_in_book.py",
    "tests/test_untrusted_workbooks.py",
    "tests/frames/test_installed_command.py",
    "tests/exercises/test_checking.py",
    "tests/course/test_class_workflow.py",
    "chapters/04_protocol_live.ipynb",
    "tests/frames/test_spark_submit.py",
    "chapters/06_bias_lab.ipynb",
    "tests/workbook/test_in_jupyterlab.py",
    "tests/independent/test_movielens.py",
    "chapters/04_protocol.ipynb",
    "tests/test_wheel.py",
    "tests/exercises/test_exercise_rules.py",
    "tests/ranking/test_identities.py",
    "chapters/03_beyond_accuracy_movielens.ipynb",
    "chapters/recipes.ipynb",
    "tests/protocol/test_paired_tests.py",
    "tests/book/test_answer_reading_in_book.py",
    "tests/book/test_progress_in_book.py",
    "tests/course/test_locks.py",
    "tests/workbook/test_simulator.py",
    "chapters/00_three_questions.ipynb",
    "tests/evaluation/test_evaluation.py",
    "chapters/04_protocol_movielens.ipynb",
    "tests/test_architecture.py",
)
# Files that run one after another in one worker, since they share what is slow to start: a Spark
# takes as long to start, and to answer for the first time, as all but one of these files.
TOGETHER = {
    **dict.fromkeys(
        [
            f"tests/frames/test_{name}.py"
            for name in (
                *(
                    "equal_to_arrays",
                    "command",
                    "movielens",
                    "invalid_files",
                    "invalid_tables",
                    "off_policy",
                ),
                "report",
            )
        ],
        "on one Spark",
    ),
}

# Files whose tests go to whichever worker is free: each takes long and sets up nothing of its own.
APART = frozenset({"tests/book/test_cells_in_book.py"})

# What `make test-quick` leaves out: what starts a browser, a lab, Spark, other programs or a
# kernel, and what asks a library for seconds. The rest is units and doctests.
NOT_QUICK = (
    "tests/book",
    "tests/chapters",
    "tests/course",
    "tests/frames",
    "tests/independent",
    "tests/source_checks",
    "tests/peers",
    "tests/workbook",
    "tests/notebooks.py",
    "tests/evaluation/test_movielens.py",
    "tests/exercises/test_checking.py",
    "tests/exercises/test_wrong_functions.py",
    "tests/exercises/test_natural_answers.py",
    "tests/exercises/test_cards.py",
    "tests/workbook/test_progress.py",
    "tests/exercises/test_solutions.py",
    "tests/exercises/test_variants.py",
    "tests/protocol/test_paired_tests.py",
    "tests/ranking/test_scikit_learn_and_trec_eval.py",
    "tests/test_benchmarks.py",
    "tests/test_architecture.py",
    "tests/test_changed_tool.py",
    "tests/test_cli.py",
    "tests/test_package_name.py",
    "tests/test_lab.py",
    "tests/test_lite.py",
    "tests/test_lock.py",
    "tests/test_readme.py",
    "tests/test_untrusted_workbooks.py",
    "tests/test_style_tool.py",
    "tests/test_wheel.py",
)

# What imports modules that Windows lacks. Grading needs a sandbox, which needs Linux.
NOT_ON_WINDOWS = (
    "recsys_metrics/workbook/checking/score.py",
    "recsys_metrics/workbook/course",
    "recsys_metrics/workbook/grading",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is not quick where that is asked for."""
    left_out = config.getoption("--quick") and any(
        collection_path == config.rootpath / place for place in NOT_QUICK
    )
    return True if left_out else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what `make test-quick` and a test of the order ask for."""
    parser.addoption(
        "--quick", action="store_true", help="leave out what starts a browser, a lab, Spark, …"
    )
    parser.addoption(
        "--brief",
        action="store_true",
        help="leave out what is marked slow, and ask properties about few examples",
    )
    parser.addoption(
        "--shuffle-files", type=int, metavar="SEED", help="run the files in a random order"
    )
    parser.addoption(
        "--sweeps",
        choices=["all", "sample", "rest"],
        default="all",
        help="run all cases of the large sweeps, a random sample, or the rest of that sample",
    )
    parser.addoption(
        "--selection", type=Path, metavar="FILE", help="run what dev/tools/changed.py has chosen"
    )
    parser.addoption(
        "--sweep-seed",
        type=int,
        metavar="SEED",
        help="draw the sample of the sweeps with this seed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed of a sample; give notebooks kernels that start quickly and share no port."""
    config.addinivalue_line("markers", tiers.MARKER)
    if is_sampled(config) and config.option.sweep_seed is None:
        if config.option.sweeps == "rest":
            raise pytest.UsageError(
                "--sweeps rest needs the --sweep-seed of the sample before it: "
                "make test-rest SEED=7, with the seed that make test printed"
            )
        # A worker gets the arguments of the command and not what was drawn: it is told below.
        told = getattr(config, "workerinput", {})
        config.option.sweep_seed = told.get("sweep_seed", tiers.draw_seed())
    if config.getoption("--brief"):
        examples.be_brief()
    if os.name == "nt":
        config.option.ignore = [
            *(config.option.ignore or ()),
            *(str(ROOT / place) for place in NOT_ON_WINDOWS),
        ]
    if config.getoption("--nbval", default=False):
        import nbval.kernel

        from tests import kernels, notebooks

        config.pluginmanager.register(notebooks.InPlaceOfNbval())
        nbval.kernel.KernelManager = functools.partial(kernels.manager, Path(os.environ[_HOME]))


def selection(config: pytest.Config) -> tiers.Selection | None:
    """Return what `dev/tools/changed.py` has chosen, if it has started the run."""
    path = config.getoption("--selection")
    return tiers.Selection.read(path) if path else None


def is_sampled(config: pytest.Config) -> bool:
    """Return whether a run takes some cases of the sweeps: with `-k` it takes all that match."""
    return config.option.sweeps != "all" and not config.option.keyword


def pytest_report_header(config: pytest.Config) -> str | None:
    """Print the seed before the run, so that a run that was cut short can be repeated, too."""
    if not is_sampled(config):
        return None
    return f"sweeps: {config.option.sweeps}, seed {config.option.sweep_seed}"


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if _STARTED_HERE:
        shutil.rmtree(os.environ[_HOME], ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage, and leave what was collected out of later looks.

    Ten thousand tests are millions of objects; some libraries ask for a full look in each call.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first; `make test` tells xdist to keep the order."""
    if config.getoption("--brief"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
    chosen = selection(config)
    if chosen:
        config.hook.pytest_deselected(items=[item for item in items if not chosen.takes(item)])
        items[:] = filter(chosen.takes, items)
    if is_sampled(config):
        named = tuple(place for place in config.args if "::" in place)
        whole = chosen.whole if chosen else ()
        in_any_case = [
            item for item in items if tiers.file_of(item) in whole or item.nodeid.startswith(named)
        ]
        drawn = set(map(id, in_any_case))
        others = [item for item in items if id(item) not in drawn]
        sample, rest = tiers.split(others, config.option.sweep_seed)
        sample += in_any_case
        if config.option.sweeps == "rest":
            sample, rest = rest, sample
        items[:] = sample
        config.hook.pytest_deselected(items=rest)
        if hasattr(config, "workeroutput"):
            config.workeroutput["left_out"] = len(rest)
        config.stash[LEFT_OUT] = len(rest)
    place = {config.rootpath / file: at for at, file in enumerate(LONGEST)}
    if (seed := config.getoption("--shuffle-files")) is not None:
        files = sorted({item.path for item in items})
        random.Random(seed).shuffle(files)
        place = {file: at for at, file in enumerate(files)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker the seed, so that all of them draw the same sample."""
    node.workerinput["sweep_seed"] = node.config.option.sweep_seed


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a worker how many tests the sample left out; it is the same for all."""
    if (left_out := getattr(node, "workeroutput", {}).get("left_out")) is not None:
        node.config.stash[LEFT_OUT] = left_out


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what a sample left out and the tables that tests have made on any worker."""
    if is_sampled(config):
        terminalreporter.write_line(tiers.summary(config, config.stash.get(LEFT_OUT, 0)))
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get(
        "failed", []
    ):
        for name, value in getattr(report, "user_properties", []):
            if name == "table":
                terminalreporter.section(report.nodeid.partition("::")[2])
                terminalreporter.write_line(value)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole files to the workers, and files that share something to one of them."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return nodeid if file in APART else TOGETHER.get(file, file)

    return ByFile(config, log)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the whole run, whichever worker asks."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


def make_once(out: Path, make: Callable[[Path], object]) -> Path:
    """Make a file or a folder unless another worker has, waiting while it does."""
    done = out.with_name(f"{out.name}.done")
    with FileLock(out.with_name(f"{out.name}.lock")):
        if not done.exists():
            make(out)
            done.touch()
    return out


@pytest.fixture
def run_cli(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Call the command line in this process, which has imported it; return what a call leaves."""

    def run(*arguments: str, cwd: Path = ROOT, **variables: str) -> Any:
        from recsys_metrics.cli import main

        for name, value in {"COLUMNS": "100", **variables}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        ended = ""
        code = 0
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            ended = f"{end.code}\n" if isinstance(end.code, str) else ""
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, shown.out, shown.err + ended)

    return run


def chromium() -> str:
    """Return the path of a Chromium, or skip and say what was looked for."""
    # The first has no window to draw: a page costs it half as much.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    for name in (*names, "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    pytest.skip(f"no browser: none of {', '.join(names)} is on the PATH")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium that finds no host but this one."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    nowhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
    with api.sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=path, args=["--no-sandbox", nowhere])
        yield window
        window.close()
