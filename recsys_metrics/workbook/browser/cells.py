"""Cells of a chapter run on a page of the book, with the outputs that a notebook would show.

The page has a Python of its own, without IPython but for its printer, a module that stands alone:
numbers, lists and dictionaries read as in a notebook.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics.workbook.browser.code_check import run_source
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.exercises.error_messages import explain_error
from recsys_metrics.workbook.exercises.function import describe_location
from recsys_metrics.workbook.exercises.result import Line

# What a chapter says to its notebook; a page follows the one it knows.
_MAGIC = re.compile(r"^%(\w+)(?: +(\S.*?))? *$", re.MULTILINE)
_CALLED = "_a_magic_of_the_notebook"
# The lines of a picture, beside the words for them.
_DRAWING = re.compile(r'(?<= src=")data:image/svg\+xml[^"]*')
# As notebooks break lines.
_WIDTH = 79


@dataclass
class Output:
    """One output of a cell.

    Attributes
    ----------
    kind : {"stdout", "stderr", "html", "plain"}
    text : str
    """

    kind: str
    text: str


def render_outputs(saved: Iterable[Mapping[str, Any]]) -> list[Output]:
    """Return the outputs of a saved notebook's cell as a page shows them.

    Parameters
    ----------
    saved : iterable of mapping
        As the format of notebooks has them.

    Raises
    ------
    ValueError
        If a page does not know what one of them is.
    """
    found = []
    for one in saved:
        data = {key: "".join(text) for key, text in one.get("data", {}).items()}
        if one["output_type"] == "stream":
            found.append(Output(one["name"], "".join(one["text"])))
        elif "text/html" in data or "text/plain" in data:
            kind = "html" if "text/html" in data else "plain"
            found.append(Output(kind, data[f"text/{kind}"]))
        else:
            raise ValueError(f"a page cannot show an output of the type {one['output_type']!r}")
    return found


def hash_outputs(outputs: Iterable[Output], *, drawn: bool = True) -> str:
    """Return a name for what a cell shows: two cells that show the same have the same.

    Parameters
    ----------
    outputs : iterable of Output
    drawn : bool
        Whether the lines of its pictures count, or only what these are said to show.

    Examples
    --------
    >>> hash_outputs([Output("plain", "0.6")]) == hash_outputs([Output("plain", "0.6")])
    True
    """
    texts = [[one.kind, one.text.rstrip("\n")] for one in outputs]
    if not drawn:
        texts = [[kind, _DRAWING.sub("", text)] for kind, text in texts]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


_SHOWN: ContextVar[list[Output] | None] = ContextVar("_SHOWN", default=None)


def display(*values: Any) -> None:
    """Show values below the cell that runs, each as if it were the cell's last line.

    Parameters
    ----------
    *values : object
    """
    shown = _SHOWN.get()
    for value in values:
        if shown is None:
            print(value)
        else:
            shown.append(_create_output(value))


@dataclass
class Session:
    """What the cells of a page have defined.

    Attributes
    ----------
    names : dict
    """

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def __post_init__(self) -> None:
        np.set_printoptions(precision=8)
        self._format = "%r"
        self.names[_CALLED] = self._magic

    def run(self, source: str, name: str) -> str:
        """Run a cell.

        Parameters
        ----------
        source : str
        name : str
            What errors call it.

        Returns
        -------
        str
            JSON with `outputs` in HTML, their `digest`, the one without drawings (`said`), whether
            it has `raised`, and in `missing` what it asked for that the page has not loaded.
        """
        outputs: list[Output] = []
        told = _SHOWN.set(outputs)
        printing = _PRINTING.set(self._format)
        raised: list[Line] = []
        missing = ""
        try:
            out, err = _Stream("stdout", outputs), _Stream("stderr", outputs)
            with redirect_stdout(out), redirect_stderr(err):
                value = self._value(source, name)
            if value is not None:
                _PRINTING.set(self._format)
                outputs.append(_create_output(value))
                self.names["_"] = value
        except BaseException as error:
            missing = _find_missing(error)
            raised = [Line("Raised", describe_location(error, name), verbatim=True)]
            if words := explain_error(error):
                raised.append(Line("In words", words))
        finally:
            _SHOWN.reset(told)
            _PRINTING.reset(printing)
        boxes = [_render_output(one) for one in outputs]
        if raised:
            lines = "".join(line.as_html() for line in raised)
            boxes.append(f'<div class="output cell-raised">{lines}</div>')
        answer = {"outputs": boxes, "raised": bool(raised), "missing": missing}
        names = {"digest": hash_outputs(outputs), "said": hash_outputs(outputs, drawn=False)}
        return json.dumps({**answer, **names})

    def _value(self, source: str, name: str) -> Any:
        value = run_source(_MAGIC.sub(_format_call, source), self.names, name)
        return None if source.rstrip().endswith(";") else value

    def _magic(self, name: str, argument: str) -> None:
        if name != "precision" or not (argument or "0").isdigit():
            raise ValueError(
                f"a page does not know %{name} {argument}".rstrip()
                + "; it follows %precision with a number of digits, and a notebook the others"
            )
        self._format = f"%.{argument}f" if argument else "%r"
        _PRINTING.set(self._format)
        np.set_printoptions(precision=int(argument or 8))


def must_run(source: str) -> bool:
    """Whether what a cell defines may be needed further down, so that it has to run.

    Examples
    --------
    >>> must_run("card('precision')"), must_run("picture = 1")
    (False, True)
    """
    tree = ast.parse(_MAGIC.sub(_format_call, source))
    return any(not isinstance(one, ast.Expr) for one in tree.body) or _CALLED in ast.dump(tree)


def _format_call(magic: re.Match[str]) -> str:
    return f"{_CALLED}({magic[1]!r}, {magic[2] or ''!r})"


def _find_missing(error: BaseException | None) -> str:
    """Return the package, or the file of data, that an error says is not there."""
    while error is not None:
        if isinstance(error, ImportError) and error.name:
            package = error.name.partition(".")[0]
            # Data that this Python cannot unpack come unpacked.
            data = Path(error.path or "").name.removesuffix(".npz.xz")
            return data if package == "lzma" and data else package
        error = error.__cause__ or error.__context__
    return ""


class _Stream(io.TextIOBase):
    """What is printed, among a cell's outputs in its order."""

    def __init__(self, kind: str, outputs: list[Output]) -> None:
        self.kind, self.outputs = kind, outputs

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.outputs and self.outputs[-1].kind == self.kind:
            self.outputs[-1].text += text
        elif text:
            self.outputs.append(Output(self.kind, text))
        return len(text)


def _create_output(value: Any) -> Output:
    """Return what a notebook shows of a value."""
    if not isinstance(value, type):
        if hasattr(value, "_repr_mimebundle_"):
            bundle = value._repr_mimebundle_()
            found = (bundle[0] if isinstance(bundle, tuple) else bundle) or {}
            if html := found.get("text/html"):
                return Output("html", html)
        if hasattr(value, "_repr_html_") and (html := value._repr_html_()):
            return Output("html", html)
    return Output("plain", _pretty(value))


_PRINTING: ContextVar[str] = ContextVar("_PRINTING", default="%r")


def _pretty(value: Any) -> str:
    # Of IPython a page has no more than this module.
    from IPython.lib import pretty

    stream = io.StringIO()
    numbers = dict.fromkeys((float, np.float64), _print_number)
    printers = {**pretty._type_pprinters, **numbers}
    printer = pretty.RepresentationPrinter(stream, False, _WIDTH, "\n", type_pprinters=printers)
    printer.pretty(value)
    printer.flush()
    return stream.getvalue()


def _print_number(number: float, printer: Any, cycle: bool) -> None:
    printer.text(_PRINTING.get() % number)


def _render_output(one: Output) -> str:
    """Return an output in the elements and classes of the book's own pages."""
    if one.kind == "html":
        return f'<div class="output text_html">{inline_pictures(one.text)}</div>'
    kind = {"stdout": "stream", "stderr": "stderr", "plain": "text_plain"}[one.kind]
    text = markup.escape(one.text.rstrip("\n"))
    return (
        f'<div class="output {kind} highlight-myst-ansi notranslate"><div class="highlight">'
        f"<pre><span></span>{text}\n</pre></div>\n</div>"
    )
