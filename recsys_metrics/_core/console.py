"""Print untrusted text safely to a terminal or a file.

What somebody names a file, a group or a user may hold signs that move a terminal's cursor, turn
the direction of reading, or are no text at all and cannot be written. They are shown, not obeyed.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO, cast

# Joiners are invisible and belong to Persian, to Indian scripts and to emoji.
_JOINERS = "\u200c\u200d"
_LONG_WORD = re.compile(r"\S{300,}")


def for_terminal(text: str, keep: str = "\n") -> str:
    r"""Return text with each sign a terminal would obey written out.

    Parameters
    ----------
    text : str
    keep : str
        Signs that stay as they are.

    Examples
    --------
    >>> for_terminal("a\x1b[31mred\u202e")
    'a\\x1b[31mred\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign in keep or is_plain(sign) else sign.encode("unicode_escape").decode()
        for sign in text
    )


def one_line(text: str) -> str:
    r"""Return a name as it stands in a table: line ends are written out as well.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> one_line("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    return for_terminal(text, keep="")


def printable(text: str, most: int = 200) -> str:
    r"""Return one line of text, not longer than is good for a message.

    Parameters
    ----------
    text : str
    most : int
        How many signs.

    Examples
    --------
    >>> printable("two\nlines")
    'two\\nlines'
    """
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def shorten_words(text: str) -> str:
    """Return a message in which what is long without a blank has its beginning and end alone.

    Nobody reads thousands of signs that an option or a cell of a file has; a path is shorter.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> len(shorten_words("--at " + "9" * 5000 + " is no time"))
    137
    """
    return _LONG_WORD.sub(lambda found: f"{found[0][:100]}…{found[0][-20:]}", text)


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "student"), count(2, "student")
    ('1 student', '2 students')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def say(text: object, file: TextIO | None = None) -> None:
    """Print text that may hold what others wrote.

    If the reader has gone, as `head` does, nothing is printed and the work goes on.

    Parameters
    ----------
    text
    file : text stream, optional
        Standard output by default.
    """
    stream = sys.stdout if file is None else file
    with _output_faults(stream):
        print(_for_stream(for_terminal(str(text)), stream), file=stream, flush=True)


@contextmanager
def guard_output() -> Iterator[None]:
    """Explain what keeps standard output from being written, whatever prints: a help page, too.

    Python itself would report a reader that has gone as an error, or a full disk with a traceback.
    """
    if sys.stdout is None:  # closed before the program began
        yield
        return
    before = sys.stdout
    output = _GuardedOutput(before)
    sys.stdout = cast(TextIO, output)
    try:
        yield
    finally:
        sys.stdout = before
        with suppress(ValueError):  # closed since
            output.flush()


class _GuardedOutput:
    """A stream whose faults `_output_faults` explains."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _output_faults(self._stream):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with _output_faults(self._stream):
            self._stream.flush()


@contextmanager
def _output_faults(stream: TextIO) -> Iterator[None]:
    """End the program with a sentence if a stream cannot be written; go on if its reader has gone.

    What the stream still holds is dropped, so that the fault is not met a second time.
    """
    try:
        yield
    except BrokenPipeError:
        _discard(stream)
    except OSError as problem:
        # On first use: whoever imports the library to compute needs no name of its command.
        from recsys_metrics._core.package_names import COMMAND

        _discard(stream)
        sys.exit(f"{COMMAND}: the output cannot be written: {problem.strerror}")


def _discard(stream: TextIO) -> None:
    """Let all that is written to a stream disappear, what it still holds included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _for_stream(text: str, stream: TextIO) -> str:
    """Return text with the signs that a stream's encoding lacks as JSON and Python write them."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(sign if sign.encode(encoding, "ignore") else _escaped(sign) for sign in text)
    return text


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def is_plain(sign: str) -> bool:
    """Whether a sign is one to be read, a space included, and no order to a terminal."""
    return sign.isprintable() or sign in _JOINERS or unicodedata.category(sign) == "Zs"


def fail(command: str, problem: object, code: int = 1, *, keep: str = "") -> NoReturn:
    """End the program with what went wrong, in one line that no terminal obeys.

    Parameters
    ----------
    command : str
    problem
        The names in it may hold line ends, which would begin a line of their own.
    code : int
        The exit code.
    keep : str
        Signs that stay as they are, where a problem has lines.
    """
    from recsys_metrics._core.package_names import COMMAND

    message = shorten_words(for_terminal(f"{COMMAND} {command}: {problem}", keep))
    if code == 1:
        sys.exit(message)
    print(message, file=sys.stderr)
    sys.exit(code)
