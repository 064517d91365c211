"""A sum, a fraction or a root that was typed as text, worked out without running it.

The grammar is that of a pocket calculator, and the page's script has the same one
(`book/_static/reading.js`); a table of vectors holds the two equal::

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("+" | "-") signed | power
    power   = atom (("**" | "^") signed)?
    atom    = number | name "(" sum ")" | "√" atom | "(" sum ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3}(?![0-9.]))?"
_TOKEN = re.compile(rf"\s*({DECIMAL}|\*\*|[a-z]+[0-9]*|[-+*/^()√])")

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "abs": abs,
}
"""What may stand before a bracket; `log` is the natural one, as in Python."""


class NotAnExpressionError(ValueError):
    """The text is no expression of this grammar."""


def evaluate(text: str) -> float:
    """Return the value of an expression.

    Parameters
    ----------
    text : str

    Returns
    -------
    float

    Raises
    ------
    NotAnExpressionError
        If the text is none.
    ZeroDivisionError
        If it divides by 0.
    ArithmeticError
        If it takes the root or the logarithm of what has none.

    Examples
    --------
    >>> evaluate("(1/2 + 2/3 + 3/5) / 4"), evaluate("sqrt(1.5)"), evaluate("-2^2")
    (0.44166666666666665, 1.224744871391589, -4.0)
    """
    return _Parser(text).whole()


class _Parser:
    """Reads tokens from the left, one function for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._tokens = _split(text)
        self._place = 0

    def whole(self) -> float:
        value = self._sum()
        if self._next():
            raise NotAnExpressionError(f"{self._next()!r} is left over")
        return value

    def _next(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        """Return the next token and go on if it is one of these, else nothing."""
        token = self._next()
        if token not in wanted:
            return ""
        self._place += 1
        return token

    def _sum(self) -> float:
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            value = value + other if sign == "+" else value - other
        return value

    def _product(self) -> float:
        value = self._signed()
        while sign := self._take("*", "/"):
            other = self._signed()
            value = value * other if sign == "*" else value / other
        return value

    def _signed(self) -> float:
        if sign := self._take("+", "-"):
            value = self._signed()
            return -value if sign == "-" else value
        return self._power()

    def _power(self) -> float:
        base = self._atom()
        if not self._take("**", "^"):
            return base
        exponent = self._signed()
        if base < 0 and not exponent.is_integer():
            raise ArithmeticError("a root of a negative number")
        try:
            return float(base**exponent)
        except OverflowError:
            return -math.inf if base < 0 and exponent % 2 else math.inf

    def _atom(self) -> float:
        if self._take("("):
            return self._bracketed()
        if self._take("√"):
            return _apply(math.sqrt, self._atom())
        token = self._next()
        self._place += 1
        if token in FUNCTIONS and self._take("("):
            return _apply(FUNCTIONS[token], self._bracketed())
        if not token or not re.fullmatch(DECIMAL, token):
            raise NotAnExpressionError(f"{token!r} is no number")
        return float(token)

    def _bracketed(self) -> float:
        value = self._sum()
        if not self._take(")"):
            raise NotAnExpressionError("a bracket stays open")
        return value


def _split(text: str) -> list[str]:
    tokens, place = [], 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if not found:
            raise NotAnExpressionError(f"{text[place:]!r} is no part of an expression")
        tokens.append(found[1])
        place = found.end()
    return tokens


def _apply(function: Callable[[float], float], value: float) -> float:
    try:
        return float(function(value))
    except OverflowError:
        return math.inf
    except ValueError:
        raise ArithmeticError(f"{value} has none") from None
