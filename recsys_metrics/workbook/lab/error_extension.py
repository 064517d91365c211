"""An extension for kernels of the workbook: an error in a cell is told in plain words, too.

The trace stays as it is; the words stand below it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from recsys_metrics.workbook.common.markup import strip_markup
from recsys_metrics.workbook.exercises.error_messages import explain_error


def load_ipython_extension(shell: Any) -> None:
    """Tell errors in words from now on, unless somebody else already handles them."""
    if not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _tell)


def unload_ipython_extension(shell: Any) -> None:
    """Leave errors to IPython again."""
    shell.set_custom_exc((), None)


def _tell(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    if issubclass(kind, SyntaxError):
        shell.showsyntaxerror()
    else:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if words := explain_error(error):
        print(f"In words: {strip_markup(words)}")
