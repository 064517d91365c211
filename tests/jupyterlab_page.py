"""A notebook of ours in JupyterLab, as the command line starts it, in a real browser."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager

import nbformat


def write_notebook(path, cells):
    """Write a notebook of cells of code."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": kernel},
    )
    nbformat.write(notebook, path)


@contextmanager
def recommended(folder, cells, **variables):
    """Serve a notebook of these cells and yield the address of its page."""
    write_notebook(folder / "mine.ipynb", cells)
    # A port of its own: another test watches the ports that are taken by default.
    with socket.socket() as door:
        door.bind(("localhost", 0))
        port = door.getsockname()[1]
    command = [sys.executable, "-m", "recsys_metrics.cli", "lab", str(folder), "--no-browser"]
    server = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **variables},
    )
    try:
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = server.stdout.readline()
            assert line, f"the lab ended before it said where it is:\n{said}"
            said += line
        yield re.sub(r"/lab/tree/[^?]*", "/lab/tree/mine.ipynb", found[0])
    finally:
        server.terminate()
        server.wait(30)


def listen(page):
    """Return a list to which comes what a page says on its console and what it does not get."""
    heard = []

    def note(*words):
        heard.append(" ".join(map(str, words))[:500])

    page.on(
        "console", lambda said: said.type in {"error", "warning"} and note(said.type, said.text)
    )
    page.on("pageerror", lambda error: note("thrown", error))
    page.on("requestfailed", lambda asked: note("no answer", asked.url, asked.failure))
    page.on("response", lambda got: got.status >= 400 and note(got.status, got.url))
    page.on("websocket", lambda one: one.on("close", lambda _: note("channel closed", one.url)))
    return heard


def idle(page):
    """Return the sign that the kernel waits for something to do."""
    return page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first


def wait_for_kernel(page):
    """Wait until there is a kernel: the sign of an idle one is there before any.

    What is run before is run nowhere, or JupyterLab asks which kernel instead.
    """
    name = page.locator(".jp-Toolbar-kernelName")
    # In a narrow toolbar the name is in a menu that is closed.
    name.filter(has_text="Python").first.wait_for(state="attached", timeout=120_000)
    idle(page).wait_for(state="attached", timeout=120_000)


def run_all(page, ready, heard):
    """Run the notebook, again if need be, until something of it is there; else say what was heard.

    Asked to run before the kernel is ready, JupyterLab asks which kernel instead, or runs nothing.
    """
    from playwright.sync_api import TimeoutError as TimedOutError

    choice = page.locator(".jp-Dialog button.jp-mod-accept")
    for attempt in range(4):
        if attempt:
            page.reload()
            page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        try:
            wait_for_kernel(page)
            page.get_by_role("menuitem", name="Run", exact=True).click(timeout=3000)
            page.get_by_role("menuitem", name="Run All Cells", exact=True).click(timeout=3000)
            ready.or_(choice).first.wait_for(timeout=60_000)
        except TimedOutError:
            continue
        if not choice.count():
            return
    raise AssertionError(
        f"the notebook was run, and what it should show did not come.\n{state(page)}\n"
        + "\n".join(["the page said:", *(heard[-60:] or ["nothing"])])
    )


def state(page):
    """Return what a reader of a failure wants to know: the kernel, its dialogs, its outputs."""
    kernel = page.locator(".jp-Notebook-ExecutionIndicator").evaluate_all(
        "signs => signs.map(sign => sign.dataset.status)"
    )
    prompts = page.locator(".jp-InputPrompt").all_inner_texts()
    parts = [f"kernel: {kernel}", f"prompts: {prompts}"]
    for title, where in (("dialog", ".jp-Dialog"), ("output", ".jp-OutputArea-child")):
        whole = page.locator(where).evaluate_all("parts => parts.map(part => part.outerHTML)")
        parts += [f"{title}: {html[:1500]}" for html in whole]
    return "\n".join(parts)
