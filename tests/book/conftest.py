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

ROOT = Path(__file__).resolve().parents[2]


# Fonts are there and formulas are drawn.
SETTLED = "async () => { await document.fonts.ready; await window.MathJax?.startup?.promise }"


@dataclass(frozen=True)
class Site:
    """A built book and where it is served."""

    folder: Path
    address: str
    seconds: float


def sphinx(tree: Path, out: Path) -> float:
    """Build the book of a tree as `make book` does and return the seconds it took."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    places = ["-d", f"{out}-doctrees", "-c", str(tree / "book"), str(tree), str(out)]
    done = subprocess.run(
        [*command, *places],
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
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The real book."""
    out = tmp_path_factory.mktemp("book") / "html"
    seconds = sphinx(ROOT, out)
    with served(out) as address:
        yield Site(out, address, seconds)


@pytest.fixture(scope="session")
def sampler_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the page with one of everything."""
    tree = tmp_path_factory.mktemp("sampler") / "tree"
    tree.mkdir()
    sampler.write(tree)
    return tree


@pytest.fixture(scope="session")
def sampled(sampler_tree: Path) -> Iterator[Site]:
    """A book of the page with one of everything."""
    out = sampler_tree.parent / "html"
    seconds = sphinx(sampler_tree, out)
    with served(out) as address:
        yield Site(out, address, seconds)


@dataclass
class View:
    """An open page, and what went wrong on it."""

    page: Any
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., View]]:
    """Open pages of a site; every request to another host is refused and noted."""
    contexts = []

    def open_page(
        site: Site, path: str, *, theme: str = "light", width: int = 1280, until: str = "load"
    ) -> View:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            permissions=["clipboard-read"],
            reduced_motion="reduce",  # what is measured has come to rest
        )
        contexts.append(context)
        view = View(context.new_page())

        def guard(route: Any) -> None:
            if route.request.url.startswith(f"{site.address}/"):
                route.continue_()
            else:
                view.outside.append(route.request.url)
                route.abort()

        context.route("**/*", guard)
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
        view.page.goto(f"{site.address}/{path}", wait_until=until)
        view.page.evaluate(SETTLED)
        return view

    yield open_page
    for context in contexts:
        context.close()
