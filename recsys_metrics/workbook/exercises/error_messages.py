"""What Python's errors mean, in plain words, for those that beginners meet.

Only the error is looked at, and the names that were known where it was raised. What is not among
these kinds gets no words: better none than wrong ones.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from types import FrameType

Words = Callable[[re.Match[str], BaseException], str]

_ARTICLE = {"int": "a whole number", "float": "a number", "str": "a text", "NoneType": "None"}
_NOTHING = (
    "Something is `None`: a function that ends without `return` gives it, and so do `.sort()`, "
    "`.append()` and `.update()`, which change what they are called on."
)
_LONGEST = 60


def explain_error(error: BaseException) -> str:
    """Return what an error means and what to look at, or nothing where it is none of the usual.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        In markdown.

    Examples
    --------
    >>> try:
    ...     [1, 2, 3][3]
    ... except IndexError as error:
    ...     print(explain_error(error))
    There is no such place. Places are counted from 0, so that the last of five is 4.
    """
    try:
        message = str(error)
    except Exception:
        return ""  # a learner's own exception may be unable to say anything
    for kinds, pattern, words in _MEANINGS:
        if isinstance(error, kinds) and (found := re.search(pattern, message)):
            return words(found, error) if callable(words) else words
    return ""


def _unknown(found: re.Match[str], error: BaseException) -> str:
    name = found[1]
    near = get_close_matches(name, _known(error), n=1, cutoff=0.7)
    if near:
        return f"Nothing is called `{name}` here. Is `{near[0]}` meant?"
    return (
        f"Nothing is called `{name}` here. Is it made further up, and written so? A text is in "
        f'quotes: `"{name}"`.'
    )


def _no_attribute(found: re.Match[str], error: BaseException) -> str:
    kind, name = found[1], found[2]
    if kind == "NoneType":
        return _NOTHING
    near = get_close_matches(name, dir(getattr(error, "obj", None)), n=1, cutoff=0.7)
    meant = f" Is `.{near[0]}` meant?" if near else ""
    return f"{_a(kind).capitalize()} has no `.{name}`.{meant}"


def _operands(found: re.Match[str], error: BaseException) -> str:
    sign, one, other = found[1], found[2], found[3]
    if "NoneType" in (one, other):
        return _NOTHING
    made = " `float(…)` makes a number of a text." if "str" in (one, other) else ""
    lists = "list" in (one, other)
    made = made or (" A sum over a list is `sum(…)`, or an array: `np.array(…)`." if lists else "")
    return f"`{sign}` cannot be used between {_a(one)} and {_a(other)}.{made}"


def _not_called(found: re.Match[str], error: BaseException) -> str:
    kind = found[1]
    if kind == "NoneType":
        return _NOTHING
    return (
        f"{_a(kind).capitalize()} is called like a function. Is a `*` missing before the bracket, "
        "or has a function's name been given to a value? Square brackets take an entry."
    )


def _key(found: re.Match[str], error: BaseException) -> str:
    key = repr(error.args[0])[:_LONGEST] if error.args else found[0]
    return f"There is no entry {key}. `.get({key}, 0)` gives 0 where there is none."


def _module(found: re.Match[str], error: BaseException) -> str:
    return f"The package `{found[1]}` is not installed here, or its name is written otherwise."


def _syntax(found: re.Match[str], error: BaseException) -> str:
    for pattern, words in _SYNTAX:
        if match := re.search(pattern, found[0]):
            return match.expand(words)
    return "Python cannot read this line. Look for a bracket, a quote, a comma or a colon."


def _a(kind: str) -> str:
    return _ARTICLE.get(kind, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}")


def _known(error: BaseException) -> Iterator[str]:
    """Yield the names that were known where an error was raised."""
    trace, frame = error.__traceback__, None
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
    if isinstance(frame, FrameType):
        yield from frame.f_locals
        yield from (name for name in frame.f_globals if not name.startswith("_"))
    yield from (name for name in dir(builtins) if name.islower())


_SYNTAX = (
    (r"'(.)' was never closed", r"The bracket `\1` is opened and never closed."),
    (r"unmatched '(.)'", r"The bracket `\1` closes nothing that was opened."),
    (r"expected ':'", "A colon is missing at the end: after `if`, `for`, `while` and `def (…)`."),
    (r"unterminated .*string", "A quote is opened and never closed."),
    (r"cannot assign|Maybe you meant '=='", "`=` gives a name; two of them, `==`, compare."),
    (
        r"expected an indented block",
        "The lines of a block are indented further than its beginning.",
    ),
    (r"incomplete input", "Something is opened and never closed: a bracket, a quote, or a block."),
    (r"unindent|unexpected indent", "The lines of one block begin at the same place."),
    (r"inconsistent use of tabs", "This line begins with tabs, others with spaces. Take spaces."),
    (r"'return' outside", "`return` is outside of any function. Move it to the right."),
    (r"forgot a comma", "Between two values a comma or a sign is missing."),
)
_MEANINGS: tuple[tuple[type[BaseException], str, str | Words], ...] = (
    (
        UnboundLocalError,
        r"'(\w+)'",
        lambda found, _: (
            f"This function sets `{found[1]}` somewhere, so that it is a name of its own, and here "
            "it has no value yet. Set it before the first use."
        ),
    ),
    (NameError, r"name '(\w+)' is not defined", _unknown),
    (ModuleNotFoundError, r"No module named '([\w.]+)'", _module),
    (
        ImportError,
        r"cannot import name '(\w+)' from '([\w.]+)'",
        lambda found, _: f"`{found[2]}` has no `{found[1]}`: is it written so, in this version?",
    ),
    (AttributeError, r"'(\w+)' object has no attribute '(\w+)'", _no_attribute),
    (
        IndexError,
        r"index out of range|out of bounds",
        ("There is no such place. Places are counted from 0, so that the last of five is 4."),
    ),
    (KeyError, r".*", _key),
    (
        ZeroDivisionError,
        r".*",
        (
            "Something is divided by 0. What is empty, or nothing, in this case? Say first what "
            "comes back then."
        ),
    ),
    (RecursionError, r".*", "The function calls itself and never ends."),
    (TypeError, r"'NoneType' object is not (?:iterable|subscriptable|callable)", _NOTHING),
    (TypeError, r"'(\w+)' object is not callable", _not_called),
    (
        TypeError,
        r"'(\w+)' object is not (?:subscriptable|iterable)",
        lambda found, _: f"{_a(found[1]).capitalize()} has no entries: it is one thing.",
    ),
    (
        TypeError,
        r"unsupported operand type\(s\) for ([^:]+): '([\w.]+)' and '([\w.]+)'",
        _operands,
    ),
    (
        TypeError,
        r"'([<>]=?)' not supported between instances of '([\w.]+)' and '([\w.]+)'",
        _operands,
    ),
    (
        TypeError,
        r"can only concatenate (\w+)",
        (
            "`+` puts two texts or two lists together, or adds two numbers; here one is of another "
            "kind. `str(…)` makes a text of a number."
        ),
    ),
    (
        TypeError,
        r"unhashable type: '(\w+)'",
        (
            "A list, a set or a dictionary cannot be an entry of a set, nor a key. Take what is "
            "in it, or a tuple."
        ),
    ),
    (
        TypeError,
        r"cannot be interpreted as an integer|indices must be integers",
        (
            "A whole number is required. `//` divides into one, `int(…)` makes one, and `range` "
            "counts with one."
        ),
    ),
    (
        TypeError,
        r"missing \d+ required positional argument",
        ("The call leaves out something that the function asks for."),
    ),
    (
        TypeError,
        r"takes \S+ positional arguments? but \d+ (?:was|were) given",
        ("The call hands over more than the function takes."),
    ),
    (
        TypeError,
        r"object of type '(int|float|NoneType)' has no len",
        ("Only a collection has a length: a list, a set, a text."),
    ),
    (
        ValueError,
        r"truth value of an array",
        (
            "An array of many truth values was used as a single one. Take `.any()` or "
            "`.all()`, or `&` for "
            "`and`."
        ),
    ),
    (
        ValueError,
        r"(?:not enough|too many) values to unpack",
        ("There are more values than names on the other side of `=` or `for`, or fewer."),
    ),
    (
        ValueError,
        r"could not convert string|invalid literal for",
        ("This text is no number."),
    ),
    (
        ValueError,
        r"arg is an empty sequence|iterable argument is empty|zero-size array",
        (
            "The largest or smallest of no values does not exist. Say first what comes back for an "
            "empty list."
        ),
    ),
    (
        ValueError,
        r"could not be broadcast together|inhomogeneous",
        ("These two are not equally long, so that they cannot be put side by side."),
    ),
    (
        ValueError,
        r"math domain error|expected a positive input",
        ("A logarithm or a root of such a number is not defined: is a rank counted from 0?"),
    ),
    (SyntaxError, r"[\s\S]*", _syntax),
)
