"""The book, built once, served on loopback, seen by a browser that reaches nothing else."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.book import sampler
from tests.conftest import made_once

ROOT = Path(__file__).resolve().parents[2]


# Fonts are there and formulas are drawn.
SETTLED = "async () => { await document.fonts.ready; await window.MathJax?.startup?.promise }"


# All that wakes when it comes near is awake: the page is walked down and up again.
AWAKE = """async () => {
    const asleep = '[data-explorable]:not([data-alive]), [data-exercise]:not([data-alive])';
    for (let left = 200; left && document.querySelector(asleep); left--) {
        document.querySelector(asleep).scrollIntoView();
        await new Promise(done => setTimeout(done, 20));
    }
    scrollTo(0, 0);
    return [...document.querySelectorAll(asleep)].map(e => ({...e.dataset}));
}"""


@dataclass(frozen=True)
class Site:
    """A built book and where it is served."""

    folder: Path
    address: str
    seconds: float


def sphinx(tree: Path, out: Path, kept: Path) -> float:
    """Build the book of a tree as `make book` does and return the seconds it took.

    Parameters
    ----------
    tree, out : Path
    kept : Path
        Folder of what was drawn ahead by an earlier build, or will be by this one.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    settings = ["-D", f"drawn_ahead={kept}", "-d", f"{out}-doctrees", "-c", str(tree / "book")]
    done = subprocess.run(
        [*command, *settings, str(tree), str(out)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"the book does not build without a warning:\n{done.stderr}"
    return time.perf_counter() - started


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None: ...


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback and yield its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def kept(pytestconfig: pytest.Config) -> Path:
    """Where all builds keep what they have drawn, from run to run: its name says from what."""
    return Path(pytestconfig.cache.mkdir("drawn"))


def built_once(tree: Path, out: Path, kept: Path) -> float:
    """Build a book unless another worker has, and return the seconds it took."""
    took = out.with_suffix(".seconds")
    made_once(took, lambda _: took.write_text(str(sphinx(tree, out, kept)), encoding="ascii"))
    return float(took.read_text(encoding="ascii"))


@pytest.fixture(scope="session")
def book(shared: Path, kept: Path) -> Iterator[Site]:
    """The real book."""
    out = shared / "book"
    seconds = built_once(ROOT, out, kept)
    with served(out) as address:
        yield Site(out, address, seconds)


@pytest.fixture(scope="session")
def sampler_tree(shared: Path) -> Path:
    """The sources of pages with one of everything, all explorables and all exercises."""
    return made_once(shared / "sampler", sampler.write)


@pytest.fixture(scope="session")
def sampled(sampler_tree: Path, shared: Path, kept: Path) -> Iterator[Site]:
    """A book of these pages."""
    out = shared / "sampled"
    seconds = built_once(sampler_tree, out, kept)
    with served(out) as address:
        yield Site(out, address, seconds)


@pytest.fixture(scope="session")
def drawn_ahead(sampled: Site) -> Path:
    """The folder of what was drawn ahead."""
    return sampled.folder / "_static"


@dataclass
class View:
    """An open page, and what went wrong on it."""

    page: Any
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def wake(self) -> None:
        """Bring everything on the page to life."""
        assert self.page.evaluate(AWAKE) == []


@contextmanager
def looking(browser: Any) -> Iterator[Callable[..., View]]:
    """Open pages of a site; every request to another host is noted, and finds none."""
    contexts = []

    def open_page(
        site: Site,
        path: str,
        *,
        theme: str = "light",
        width: int = 1280,
        until: str = "load",
        heard: Callable[[Any], None] | None = None,
        **options: Any,
    ) -> View:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            permissions=["clipboard-read"],
            reduced_motion="reduce",  # what is measured has come to rest
            **options,
        )
        contexts.append(context)
        view = View(context.new_page())

        def note(request: Any) -> None:
            if not request.url.startswith((f"{site.address}/", "data:", "blob:")):
                view.outside.append(request.url)

        view.page.on("request", note)
        # The theme keeps the reader's choice here; set before the page's first script runs.
        context.add_init_script(
            f"if (!localStorage.mode) {{localStorage.mode = localStorage.theme = '{theme}'}}"
        )
        view.page.on("pageerror", lambda error: view.errors.append(str(error)))
        view.page.on("console", lambda said: said.type == "error" and view.errors.append(said.text))
        view.page.on(
            "response",
            lambda got: got.status >= 400 and view.errors.append(f"{got.status} {got.url}"),
        )
        if heard:
            view.page.on("response", heard)
        view.page.goto(f"{site.address}/{path}", wait_until=until)
        if options.get("java_script_enabled", True):
            view.page.evaluate(SETTLED)
        return view

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., View]]:
    """Open pages for one test."""
    with looking(browser) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def look_on(browser: Any) -> Iterator[Callable[..., View]]:
    """Open pages that the tests of a module share."""
    with looking(browser) as open_page:
        yield open_page
