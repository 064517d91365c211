"""A workbook that somebody sent: opening it runs nothing of theirs and trusts nothing of theirs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.tiers import in_a_lab

pytest.importorskip("jupytext", reason="jupytext is not installed")

import nbformat
from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)

from recsys_metrics import __version__
from recsys_metrics.workbook.charts.ranked_lists import ranked_list
from recsys_metrics.workbook.common.content import ContentSource
from recsys_metrics.workbook.common.state_file import VARIABLE
from recsys_metrics.workbook.lab.user_edits import fingerprint
from tests.conftest import chromium
from tests.jupyterlab_page import wait_for_kernel
from tests.test_lab import ROOT, RUN, Running, write_pair

pytestmark = in_a_lab

# What a program that starts in a folder, or in one of its own there, may take for settings.
SETTINGS = (
    "custom/custom.js",
    "ipython_config.py",
    "ipython_kernel_config.py",
    "jupyter_config.py",
    "jupyter_lab_config.py",
    "jupyter_notebook_config.py",
    "jupyter_server_config.py",
    "jupytext.py",
    "nbgrader_config.py",
    "profile_default/ipython_kernel_config.py",
    "profile_default/startup/00-first.py",
    ".jupytext.py",
)
# What Python may import while a server or a kernel starts, from the library and from packages.
MODULES = (
    "ast.py",
    "comm.py",
    "debugpy.py",
    "ipykernel.py",
    "ipykernel_launcher.py",
    "IPython.py",
    "ipywidgets.py",
    "jedi.py",
    "json.py",
    "jupyter_server.py",
    "jupyterlab.py",
    "matplotlib_inline.py",
    "numpy.py",
    "psutil.py",
    "recsys_metrics.py",
    "sitecustomize.py",
    "tornado.py",
    "traitlets.py",
    "usercustomize.py",
    "zmq.py",
)
# Words that a page might take for script, and what each would note that it ran.
WORDS = {
    "script": "<script>RAN</script>",
    "picture": '<img src="nowhere.png" onerror="RAN">',
    "vector": '<svg onload="RAN"></svg>',
    "details": '<details open ontoggle="RAN">x</details>',
    "frame": '<iframe srcdoc="<script>RAN</script>"></iframe>',
    "link": "[press](javascript:RAN)",
    "entity": "[press](&#106;avascript:RAN)",
    "control": "[press](java&#9;script:RAN)",
    "angles": "<javascript:RAN>",
    "anchor": '<a href="javascript:RAN">press</a>',
    "raw": '```{raw} html\n<img src="nowhere.png" onerror="RAN">\n```',
    "directive": "```{iframe} javascript:RAN\n```",
    "figure": "```{figure} javascript:RAN\nA figure\n```",
    "card": ":::{card} A card\n:link: javascript:RAN\npress\n:::",
    "button": "{button}`press <javascript:RAN>`",
    "formula": "$\\href{javascript:RAN}{press}$",
    "drawing": '```{mermaid}\nflowchart LR\n  A[press]\n  click A href "javascript:RAN"\n```',
}
OUTPUTS = {
    "html": '<p>of a stranger</p><img src="nowhere.png" onerror="RAN">',
    "html-script": "<p>of a stranger</p><script>RAN</script>",
    "markdown": "[press](javascript:RAN) <img src='nowhere.png' onerror='RAN'>",
}


def note_script_run(name: str, words: str) -> str:
    """Return words that note their name where they are taken for script."""
    return words.replace("RAN", f"void(top.ran=[top.ran]+'-{name}')")


# Presses all that leads somewhere.
PRESS = """() => [...document.querySelectorAll('.jp-NotebookPanel [href]')].map(one => {
    one.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
    return one.getAttribute('href');
})"""


@dataclass(frozen=True)
class Sent:
    """A folder that somebody sent, and where their programs would leave a mark."""

    source: ContentSource
    folder: Path
    marks: Path
    environment: dict[str, str]


def leave_mark(marks: Path, name: str) -> str:
    """Return a program that leaves a mark and then does nothing else."""
    return f"open({str(marks / name.replace('/', '-'))!r}, 'w').close()\n"


def plant(folder: Path, marks: Path) -> None:
    """Put into a folder all that a program might run on its own account."""
    earlier = folder / ".recsys-metrics" / "jupyter"
    places = (folder, folder / "chapters", earlier, folder / ".jupyter", folder / ".ipython")
    for place in places:
        for name in (*SETTINGS, *MODULES):
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            label = f"{place.relative_to(folder)}-{name}"
            path.write_text(
                leave_mark(marks, label) if name.endswith(".py") else "window.ran = 'js'"
            )
    server = {"ServerApp": {"token": "", "password": "", "allow_origin": "*", "ip": "0.0.0.0"}}
    for name in ("jupyter_server_config.json", "jupyter_lab_config.json"):
        for place in places:
            (place / name).write_text(json.dumps(server))


def strange_notebook(path: Path) -> None:
    """Write a notebook with outputs and words that are scripts."""
    shown = [
        new_output("display_data", {f"text/{name.split('-')[0]}": note_script_run(name, words)})
        for name, words in OUTPUTS.items()
    ]
    shown.append(
        new_output("display_data", {"application/javascript": note_script_run("javascript", "RAN")})
    )
    drawn = ranked_list(list("ABCDE"), {"B": 1}, k=3)._repr_html_()
    shown.append(new_output("display_data", {"text/html": drawn}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        new_code_cell("1 + 1", outputs=shown, metadata={"trusted": True}),
        new_markdown_cell("# From a stranger"),
        # A cell of its own for each, so that what one breaks hides no other.
        *(new_markdown_cell(note_script_run(name, words)) for name, words in WORDS.items()),
        new_markdown_cell("# The end"),
    ]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel, "trusted": True})
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def bad_workbook(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """A workbook in which a stranger left a trap in every place that was ever read."""
    base = tmp_path_factory.mktemp("strangers")
    source = ContentSource(base / "shipped", checkout=False)
    for name in ("chapters/01_first", "chapters/02_second"):
        write_pair(source.root, name)
    (source.root / "_toc.yml").write_text(
        "root: chapters/index\nchapters: [{file: chapters/01_first}, {file: chapters/02_second}]\n"
    )
    folder, marks = base / "sent", base / "marks"
    marks.mkdir()
    shutil.copytree(source.root / "chapters", folder / "chapters")
    plant(folder, marks)
    (folder / "chapters" / "helpers.py").write_text("mine = 'a module of mine'\n")
    strange_notebook(folder / "chapters" / "extra.ipynb")
    strange_notebook(folder / "chapters" / "01_first.ipynb")
    laid = {
        name: fingerprint(name, (folder / name).read_bytes())
        for name in ("chapters/extra.ipynb", "chapters/01_first.ipynb")
    }
    # The record of the first version, which named what may be trusted and what may be replaced.
    manifest = {"version": "0.1.0", "laid": laid, "offered": laid}
    (folder / ".recsys-metrics" / "manifest.json").write_text(json.dumps(manifest))
    home = base / "home"
    home.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")},
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "PYTHONPATH": str(ROOT),
        VARIABLE: str(base / "remembered"),
    }
    return Sent(source, folder, marks, environment)


@pytest.fixture(scope="module")
def running(bad_workbook: Sent) -> Iterator[Running]:
    """A JupyterLab on that folder, started from within it."""
    process = subprocess.Popen(
        # As the installed program is started: not from what lies in the current folder.
        [sys.executable, "-P", "-c", RUN, str(bad_workbook.source.root), str(bad_workbook.folder)],
        cwd=bad_workbook.folder,
        env=bad_workbook.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    greeting = ""
    for line in process.stdout:
        greeting += line
        if "Ctrl-C" in line:
            break
    yield Running(process, greeting)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def ask(running: Running, path: str, **content: Any) -> Any:
    """Ask the server for something, or to save something."""
    address, _, token = running.url.partition("/lab/tree/")
    request = Request(
        f"{address}/{path}",
        data=json.dumps(content).encode() if content else None,
        headers={
            "Authorization": f"token {token.partition('token=')[2]}",
            "Content-Type": "application/json",
        },
        method="PUT" if content else "GET",
    )
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)


def trusted(running: Running, name: str) -> bool:
    """Whether JupyterLab shows all outputs of a notebook."""
    content = ask(running, f"api/contents/{name}?content=1")["content"]
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    return all(cell["metadata"].get("trusted") for cell in code)


def test_unexpected_files_are_reported(running, bad_workbook):
    said = running.greeting
    assert "kept: chapters/01_first; the newer version is next to it" in said
    assert "Nothing is remembered of this folder here" in said
    assert (
        f"{bad_workbook.folder / '.recsys-metrics'} came with an earlier version or with the folder"
        in said
    )


def test_only_shipped_notebooks_are_trusted(running):
    assert trusted(running, "chapters/02_second.ipynb")
    assert not trusted(running, "chapters/extra.ipynb")
    assert not trusted(running, "chapters/01_first.ipynb")
    assert trusted(running, f"chapters/01_first.new-{__version__}.ipynb")


def test_the_server_ignores_settings_in_the_folder(running, bad_workbook):
    assert running.url.startswith("http://localhost:")
    with pytest.raises(OSError, match="403"):
        urlopen(running.url.partition("/lab/tree/")[0] + "/api/contents", timeout=60)
    # What nbgrader adds to a server reads nbgrader_config.py of the current folder.
    with pytest.raises(OSError, match="404"):
        ask(running, "formgrader/api/status")


def test_opening_and_saving_is_not_an_edit(running, bad_workbook):
    name = "chapters/02_second"
    for suffix in (".ipynb", ".md"):
        model = ask(running, f"api/contents/{name}{suffix}?content=1&type=notebook")
        ask(
            running,
            f"api/contents/{name}{suffix}",
            type="notebook",
            format="json",
            content=model["content"],
        )
    for suffix in (".ipynb", ".md"):
        saved = (bad_workbook.folder / f"{name}{suffix}").read_bytes()
        shipped = (bad_workbook.source.root / f"{name}{suffix}").read_bytes()
        assert fingerprint(f"{name}{suffix}", saved) == fingerprint(f"{name}{suffix}", shipped)


def look_around(running: Running, path: str) -> dict[str, Any]:
    """Open what the stranger sent, press each link, run a cell; say what was seen."""
    from playwright.sync_api import sync_playwright

    seen: dict[str, Any] = {"ran": [], "links": []}
    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = window.new_page(viewport={"width": 1200, "height": 6000})
        page.set_default_timeout(30_000)
        for name in ("01_first.ipynb", "extra.ipynb"):
            page.goto(running.url.replace("home.ipynb", f"chapters/{name}"))
            # What was open before comes back first, and has the same words in it.
            page.locator(".lm-DockPanel .lm-TabBar-tab.lm-mod-current", has_text=name).wait_for()
            shown = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
            shown.locator("h1", has_text="From a stranger").wait_for()
            shown.locator("h1", has_text="The end").wait_for()
            shown.get_by_text("of a stranger").first.wait_for()
            # A kernel starts with the notebook; what it would run has run when it is idle.
            wait_for_kernel(shown)
            seen["links"] += page.evaluate(PRESS)
            # A script that a press starts has run by the time another one is answered.
            page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
            seen["ran"].append(page.evaluate("window.ran ?? null"))
        # Ours shows what it draws, words and all, where nothing is trusted.
        seen["drawn"] = page.evaluate(
            """[...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) img')]
               .filter(one => one.alt.startsWith('The list')).map(one => one.naturalWidth)"""
        )
        cell = shown.locator(".jp-CodeCell .cm-content").first
        cell.click()
        page.keyboard.press("Control+A")
        page.keyboard.type("import numpy, helpers; print(numpy.__file__, helpers.mine)")
        page.keyboard.press("Shift+Enter")
        printed = shown.locator(".jp-OutputArea-output", has_text="a module of mine")
        printed.wait_for()
        seen["printed"] = printed.inner_text()
        window.close()
    return seen


@pytest.mark.browser
def test_opening_runs_no_code_in_page_or_kernel(running, bad_workbook):
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    # In a thread, because another test of this process may hold a browser of its own.
    with ThreadPoolExecutor(1) as pool:
        seen = pool.submit(look_around, running, path).result()
    assert seen["ran"] == [None, None]
    assert len(seen["drawn"]) == 1
    assert seen["drawn"][0] > 100
    # An installed package is found before a stranger's file, and a module of one's own is found.
    import numpy

    assert seen["printed"].split()[0] == numpy.__file__
    assert sorted(mark.name for mark in bad_workbook.marks.iterdir()) == []


def test_no_untrusted_code_ran_and_nothing_was_written(running, bad_workbook):
    """Last in this file, when all that the others did has been done."""
    assert sorted(mark.name for mark in bad_workbook.marks.iterdir()) == []
    assert not (bad_workbook.folder / ".recsys-metrics" / "jupyter" / "trust").exists()
    remembered = Path(bad_workbook.environment[VARIABLE])
    (record,) = remembered.iterdir()
    assert {"manifest.json", "jupyter", "jupyter.log"} <= {path.name for path in record.iterdir()}
    assert record.stat().st_mode & 0o077 == 0
