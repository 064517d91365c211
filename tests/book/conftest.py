"""The book, built once, recommended on loopback, seen by a browser that reaches nothing else."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.book import sampler
from tests.conftest import make_once

ROOT = Path(__file__).resolve().parents[2]


# An address of the project, for the book of a few pages. The real book has whatever is set.
SOURCE = "https://github.com/us/workbook"
SETTLED = "async () => { await document.fonts.ready }"


# Remembers what waits to come near the window, so that all of it can be told at once that it has.
REMEMBER_WAITING = """(() => {
    const waiting = new Map();
    window.IntersectionObserver = class extends IntersectionObserver {
        constructor(call, options) {
            super(call, options);
            waiting.set(this, [call, new Set()]);
        }
        observe(element) {
            waiting.get(this)[1].add(element);
            super.observe(element);
        }
        disconnect() {
            waiting.get(this)[1].clear();
            super.disconnect();
        }
    };
    window.bringNear = selector => {
        for (const [observer, [call, elements]] of waiting)
            for (const target of [...elements])
                if (target.matches(selector)) call([{ target, isIntersecting: true }], observer);
    };
})()"""

# All that wakes when it comes near is awake. A walk down the page has it laid out at every step;
# that things wake on such a walk is a test of its own.
AWAKE = """async patience => {
    const things = '[data-explorable], [data-exercise]';
    const asleep = () =>
        [...document.querySelectorAll(things)].filter(e => !('alive' in e.dataset));
    bringNear(things);
    for (let left = patience; left && asleep().length; left--)
        await new Promise(done => setTimeout(done, 50));
    return asleep().map(e => ({...e.dataset}));
}"""


@dataclass(frozen=True)
class Site:
    """A built book and where it is recommended."""

    folder: Path
    address: str
    seconds: float


def sphinx(tree: Path, out: Path, kept: Path, source: str = "") -> float:
    """Build the book of a tree as `make book` does and return the seconds it took.

    Parameters
    ----------
    tree, out : Path
    kept : Path
        Folder of what was drawn ahead by an earlier build, or will be by this one.
    source : str
        Address of the project's repository, in place of the one that is set.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    settings = ["-D", f"drawn_ahead={kept}", "-d", f"{out}-doctrees", "-c", str(tree / "book")]
    done = subprocess.run(
        [*command, *settings, str(tree), str(out)],
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'dev' / 'tools'}",
            **({"PROJECT_ADDRESS": source} if source else {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"the book does not build without a warning:\n{done.stderr}"
    return time.perf_counter() - started


def precompute_states(kept: Path, out: Path) -> None:
    """Draw what all books show: two that are built at once would both do it."""
    call = f"import drawn; drawn.write(*map(drawn.Path, {[str(kept), str(out)]}), drawn.digest())"
    paths = [ROOT, ROOT / "book", ROOT / "dev" / "tools"]
    subprocess.run(
        [sys.executable, "-c", call],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        check=True,
    )


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        # A built book does not change: no file is asked for twice.
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, *args: Any) -> None: ...


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
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
def precomputed_cache(pytestconfig: pytest.Config) -> Path:
    """Where all builds keep what they have drawn, from run to run: its name says from what."""
    return Path(pytestconfig.cache.mkdir("drawn"))


def build_once(tree: Path, out: Path, kept: Path, source: str = "") -> float:
    """Build a book unless another worker has, and return the seconds it took."""
    took = out.with_suffix(".seconds")
    make_once(out.with_name("drawn"), lambda _: precompute_states(kept, out.with_name("drawn")))
    make_once(
        took, lambda _: took.write_text(str(sphinx(tree, out, kept, source)), encoding="ascii")
    )
    return float(took.read_text(encoding="ascii"))


@pytest.fixture(scope="session")
def book(shared: Path, precomputed_cache: Path) -> Iterator[Site]:
    """The real book."""
    out = shared / "book"
    seconds = build_once(ROOT, out, precomputed_cache)
    with serve_folder(out) as address:
        yield Site(out, address, seconds)


@pytest.fixture(scope="session")
def sample_sources(shared: Path) -> Path:
    """The sources of pages with one of everything, all explorables and all exercises."""
    return make_once(shared / "sampler", sampler.write)


@pytest.fixture(scope="session")
def sample_site(sample_sources: Path, shared: Path, precomputed_cache: Path) -> Iterator[Site]:
    """A book of these pages, of a project that has an address."""
    out = shared / "sampled"
    seconds = build_once(sample_sources, out, precomputed_cache, SOURCE)
    with serve_folder(out) as address:
        yield Site(out, address, seconds)


@pytest.fixture(scope="session")
def precomputed_folder(sample_site: Site) -> Path:
    """The folder of what was drawn ahead."""
    return sample_site.folder / "_static"


@dataclass
class View:
    """An open page, and what went wrong on it."""

    page: Any
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def wake(self, patience: int = 600) -> None:
        """Bring everything on the page to life, looking at most so many times whether it is."""
        assert self.page.evaluate(AWAKE, patience) == []


def press_progress(page: Any, name: str) -> None:
    """Press a button of the menu in the top bar, which a problem has opened perhaps."""
    if page.locator("#progress-menu").is_hidden():
        page.locator(".progress-line > button").click()
    page.locator("#progress-menu").get_by_role("button", name=name, exact=True).click()


class Tabs:
    """Tabs that are used again: nothing is remembered but the files and what was compiled of them.

    Each has a storage of its own. A new tab costs as much as a page does.
    """

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: dict[str, list[Any]] = {}

    def take(self, theme: str, width: int, **options: Any) -> Any:
        """Return an empty tab for a theme; one with options of its own is new."""
        size = {"width": width, "height": 800}
        if not options and self._free.get(theme):
            page = self._free[theme].pop()
            page.set_viewport_size(size)
            return page
        context = self._browser.new_context(
            viewport=size,
            permissions=["clipboard-read"],
            reduced_motion="reduce",  # what is measured has come to rest
            **{"service_workers": "block", **options},
        )
        # The theme keeps the reader's choice here; set before the page's first script runs.
        context.add_init_script(
            f"if (!localStorage.mode) {{localStorage.mode = localStorage.theme = '{theme}'}}"
        )
        context.add_init_script(REMEMBER_WAITING)
        return context.new_page()

    def give_back(self, page: Any, site: Site, theme: str, **options: Any) -> None:
        """Empty a tab, or close it if it has been elsewhere."""
        if options or page.is_closed() or not page.url.startswith(f"{site.address}/"):
            page.context.close()
            return
        page.evaluate(FORGET)
        page.goto("about:blank")
        self._free.setdefault(theme, []).append(page)


# When the page is left, since a script of the theme keeps something at that very moment.
FORGET = """() => addEventListener("pagehide", () => {
    localStorage.clear();
    sessionStorage.clear();
})"""


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Tabs:
    """The tabs of all tests."""
    return Tabs(browser)


@contextmanager
def open_views(tabs: Tabs) -> Iterator[Callable[..., View]]:
    """Open pages of a site; every request to another host is noted, and finds none."""
    leave = ExitStack()

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
        view = View(tabs.take(theme, width, **options))
        leave.callback(tabs.give_back, view.page, site, theme, **options)

        def on(event: str, call: Callable[[Any], object]) -> None:
            view.page.on(event, call)
            leave.callback(view.page.remove_listener, event, call)

        def note(request: Any) -> None:
            if not request.url.startswith((f"{site.address}/", "data:", "blob:")):
                view.outside.append(request.url)

        on("request", note)
        on("pageerror", lambda error: view.errors.append(str(error)))
        on("console", lambda said: said.type == "error" and view.errors.append(said.text))
        on(
            "response",
            lambda got: got.status >= 400 and view.errors.append(f"{got.status} {got.url}"),
        )
        if heard:
            on("response", heard)
        view.page.goto(f"{site.address}/{path}", wait_until=until)
        # Over the page, each frame would ask what is under it.
        view.page.mouse.move(-1, -1)
        if options.get("java_script_enabled", True):
            view.page.evaluate(SETTLED)
        return view

    with leave:
        yield open_page


@pytest.fixture
def open_view(tabs: Tabs) -> Iterator[Callable[..., View]]:
    """Open pages for one test."""
    with open_views(tabs) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def open_shared_view(tabs: Tabs) -> Iterator[Callable[..., View]]:
    """Open pages that the tests of a module share."""
    with open_views(tabs) as open_page:
        yield open_page
