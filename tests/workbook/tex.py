r"""The value of a formula as it is printed: a reader of the TeX that the docstrings use.

A formula is ``name = value`` and, after ``\qquad``, what its letters stand for. Every other letter
is looked up in what is given. Sums, products, largest values and sets run over ``i = 1`` to a
bound, ``i \le K``, ``j < i``, ``i \in L``, or, as ``\sum_i``, over what is given as ``of i``.
Brackets around a statement are 1 if it is true and 0 if not. Bars are the size of a set, and the
absolute value of a number. What follows a factor of 0 is not looked at, and 0 / 0 is 0.
"""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Scope = Mapping[str, Any]


class Ranks(tuple[Any, ...]):
    """What stands at each rank, counted from 1; None above and below."""

    def at(self, rank: int) -> Any:
        return self[rank - 1] if 1 <= rank <= len(self) else None


# What only moves or sizes what is around it.
_IDLE = {r"\,", r"\;", r"\:", r"\!", r"\ ", r"\textstyle", r"\displaystyle", r"\left", r"\right"}
_IDLE |= {f"\\{size}{side}" for size in ("big", "Big") for side in ("", "l", "r")}
_TOKEN = re.compile(r"\\text\{[^}]*\}|\\[a-zA-Z]+|\\[{},;:! ]|\d+(?:\.\d+)?|\S")
_ACCENTS = {r"\hat", r"\bar", r"\tilde"}
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    r"\le": lambda a, b: bool(a <= b),
    r"\ge": lambda a, b: bool(a >= b),
    r"\in": lambda a, b: a in b,
    r"\notin": lambda a, b: a not in b,
}
_SETS: dict[str, Callable[[Any, Any], Any]] = {
    r"\cap": lambda a, b: set(a) & set(b),
    r"\cup": lambda a, b: set(a) | set(b),
    r"\setminus": lambda a, b: set(a) - set(b),
}
_OVER: dict[str, Callable[[list[Any]], Any]] = {
    r"\sum": math.fsum,
    r"\prod": math.prod,
    r"\bigcup": lambda sets: set().union(*sets),
    r"\max": lambda values: max(values, default=-math.inf),
    r"\min": lambda values: min(values, default=math.inf),
    r"\text{median}": statistics.median,
    r"\text{mean}": statistics.fmean,
    r"\text{std}": statistics.pstdev,
}
_LOGARITHMS = {r"\log", r"\ln", r"\exp"}
_CLOSING = {"", "}", ")", "]", r"\}", ",", ":", r"\mid", "+", "-", "/", *_RELATIONS, *_SETS}


def tokens(text: str) -> list[str]:
    r"""Return what a formula is written with, without what only moves it.

    >>> tokens(r"\bigl( x_i \, - \mathrm{P@}K \bigr)")
    ['(', 'x', '_', 'i', '-', '\\text{P@}', 'K', ')']
    """
    text = re.sub(r"\\(?:mathrm|operatorname)\{", r"\\text{", text).replace(r"\lvert", "|")
    return [part for part in _TOKEN.findall(text) if part not in _IDLE]


@cache
def statements(text: str) -> list[tuple[str, str]]:
    r"""Return each ``name = value`` of a formula, the metric's own first.

    >>> statements(r"\mathrm{NE} = a / b, \qquad b = 2")
    [('\\mathrm{NE}', 'a / b'), ('b', '2')]
    """
    parts = (part.strip().rstrip(",").partition("=") for part in text.split(r"\qquad"))
    return [(name.strip(), value.strip()) for name, _, value in parts]


def evaluate(text: str, given: Scope) -> Any:
    r"""Return the value of a formula for what is given.

    >>> evaluate(r"m = \frac{1}{n} \sum_{i=1}^{n} x_i", {"n": 2, "x": Ranks([3, 5])})
    4.0
    """
    (_, value), *rest = statements(text)
    scope = dict(given)
    for name, meaning in rest:
        scope[base(read(name))] = Explained(read(name), read(meaning), scope)
    return read(value).of(scope)


def letters(text: str) -> list[str]:
    r"""Return what a formula leaves for the reader to know, in its order.

    >>> letters(r"\mathrm{P@}K = \frac{|R \cap L_{\le K}|}{K}")
    ['R', 'L', 'K']
    >>> letters(r"m = \frac{1}{n} \sum_{j=1}^{n} x_j, \qquad x_j = y_j^2")
    ['n', 'y']
    """
    asked: dict[str, None] = {}
    own: set[str] = set()
    for place, (name, value) in enumerate(statements(text)):
        explained = read(name)
        own.add(base(explained))
        # "NDCG at K" says of which K; "x at i" is said of any i.
        indices = {part.base for part in _walk(explained) if isinstance(part, Name) and place}
        asked |= dict.fromkeys(n for n in _free(read(value)) if n not in indices)
    return [name for name in asked if name not in own]


def base(explained: Node) -> str:
    """Return the letter or the word that a formula explains."""
    while not isinstance(explained, Name):
        explained = next(_children(explained))
    return explained.base


# What a formula is made of


class Node:
    """A part of a formula, which has a value in a scope."""

    def of(self, scope: Scope) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Node):
    value: float

    def of(self, scope: Scope) -> Any:
        return self.value


@dataclass(frozen=True)
class Name(Node):
    """A letter, with the index or the label under it."""

    base: str
    index: tuple[Node, ...] = ()
    label: str = ""

    def of(self, scope: Scope) -> Any:
        whole = f"{self.base}_{self.label}"
        if self.label and whole in scope:
            return scope[whole]
        if self.base not in scope:
            raise LookupError(f"the formula does not say what {whole if self.label else self} is")
        value = scope[self.base]
        if self.label == r"\le":
            return Ranks(value[: int(self.index[0].of(scope))])
        if self.label.startswith("("):
            return sorted(value)[self.index[0].of(scope) - 1]
        return _at(value, [part.of(scope) for part in self.index], scope)

    def __str__(self) -> str:
        return self.base


def _at(value: Any, index: list[Any], scope: Scope) -> Any:
    if isinstance(value, Explained):
        return value.at(index, scope)
    if not index:
        return value[None] if isinstance(value, Mapping) and None in value else value
    if isinstance(value, Ranks):
        return value.at(*index)
    if isinstance(value, Mapping):
        return value[index[0] if len(index) == 1 else tuple(index)]
    return value(*index)


@dataclass(frozen=True)
class Explained:
    """A letter that the formula itself explains."""

    name: Any
    meaning: Node
    scope: Scope

    def at(self, index: list[Any], scope: Scope) -> Any:
        names = self.name.arguments if isinstance(self.name, Call) else self.name.index
        bound = {part.base: value for part, value in zip(names, index, strict=True)}
        return self.meaning.of({**scope, **bound})


@dataclass(frozen=True)
class Call(Node):
    """A function of what stands in parentheses, or a product with it; then to a power."""

    name: Name
    arguments: tuple[Node, ...]
    exponent: Node = Number(1)

    def of(self, scope: Scope) -> Any:
        function = scope.get(self.name.base)
        values = [part.of(scope) for part in self.arguments]
        power = self.exponent.of(scope)
        if isinstance(function, Explained) and not self.name.index:
            return function.at(values, scope) ** power
        known = self.name.of(scope)
        return known(*values) ** power if callable(known) else known * values[0] ** power


@dataclass(frozen=True)
class Product(Node):
    factors: tuple[tuple[str, Node], ...]

    def of(self, scope: Scope) -> Any:
        value: Any = 1
        for sign, factor in self.factors:
            if isinstance(value, int | float) and value == 0:
                return 0.0
            other = factor.of(scope)
            value = value / other if sign == "/" else value * other if value != 1 else other
        return value


@dataclass(frozen=True)
class Quotient(Node):
    above: Node
    below: Node

    def of(self, scope: Scope) -> Any:
        above = self.above.of(scope)
        return above / self.below.of(scope) if above else 0.0


@dataclass(frozen=True)
class Sum(Node):
    terms: tuple[tuple[str, Node], ...]

    def of(self, scope: Scope) -> Any:
        values = [(sign, term.of(scope)) for sign, term in self.terms]
        if len(values) == 1 and values[0][0] == "+":
            return values[0][1]
        return math.fsum(-value if sign == "-" else value for sign, value in values)


@dataclass(frozen=True)
class Relation(Node):
    """A statement, or several that hold together."""

    left: Node
    sign: str
    right: Node

    def of(self, scope: Scope) -> Any:
        apply = {**_RELATIONS, **_SETS}[self.sign]
        return apply(self.left.of(scope), self.right.of(scope))


@dataclass(frozen=True)
class Power(Node):
    base: Node
    exponent: Node

    def of(self, scope: Scope) -> Any:
        return self.base.of(scope) ** self.exponent.of(scope)


@dataclass(frozen=True)
class Bars(Node):
    inside: Node

    def of(self, scope: Scope) -> Any:
        value = self.inside.of(scope)
        return abs(value) if isinstance(value, int | float) else len(value)


@dataclass(frozen=True)
class Truth(Node):
    statements: tuple[Node, ...]

    def of(self, scope: Scope) -> Any:
        return int(all(part.of(scope) for part in self.statements))


@dataclass(frozen=True)
class Function(Node):
    name: str
    arguments: tuple[Node, ...]
    base: Node | None = None

    def of(self, scope: Scope) -> Any:
        values = [part.of(scope) for part in self.arguments]
        if self.name == r"\exp":
            return math.exp(*values)
        if self.name in _LOGARITHMS:
            base = self.base.of(scope) if self.base else math.e
            return math.log2(*values) if base == 2 else math.log(*values) / math.log(base)
        return math.sqrt(*values) if self.name == r"\sqrt" else _OVER[self.name](values)


@dataclass(frozen=True)
class Over(Node):
    """A sum, a product, a largest value: of something, for each of many."""

    name: str
    clauses: tuple[Node, ...]
    last: Node | None
    inside: Node

    def of(self, scope: Scope) -> Any:
        inner = _each(self.clauses, scope, self.last)
        return _OVER[self.name]([self.inside.of(each) for each in inner])


@dataclass(frozen=True)
class Those(Node):
    """The set of those for which something holds."""

    clauses: tuple[Node, ...]

    def of(self, scope: Scope) -> Any:
        first = self.clauses[0]
        named = first.arguments if isinstance(first, Function) else (_left(first),)
        each = _each(self.clauses, scope)
        if len(named) == 1:
            return {named[0].of(one) for one in each}
        return {tuple(part.of(one) for part in named) for one in each}


@dataclass(frozen=True)
class Smallest(Node):
    """The smallest or largest of a set of numbers."""

    name: str
    those: Those

    def of(self, scope: Scope) -> Any:
        return _OVER[self.name](list(self.those.of(scope)))


def _left(clause: Node) -> Name:
    name = clause.left if isinstance(clause, Relation) else clause
    assert isinstance(name, Name), clause
    return name


def _each(clauses: tuple[Node, ...], scope: Scope, last: Node | None = None) -> Iterator[Scope]:
    """Yield the scope for each that the first clause runs over, if the other clauses hold."""
    first, rest = clauses[0], clauses[1:]
    values: Iterable[tuple[Any, ...]]
    if isinstance(first, Function):  # (j, i)
        names = [_left(part).base for part in first.arguments]
        values = itertools.product(*(scope[f"of {name}"] for name in names))
    else:
        names = [_left(first).base]
        values = ((value,) for value in _domain(first, scope, last))
        if isinstance(first, Relation) and first.sign == "<" and _unbound(first.right, scope):
            names.append(_left(first.right).base)
            values = itertools.combinations(scope[f"of {names[0]}"], 2)
    for several in values:
        inner = {**scope, **dict(zip(names, several, strict=True))}
        if all(part.of(inner) for part in rest):
            yield inner


def _unbound(node: Node, scope: Scope) -> bool:
    return isinstance(node, Name) and node.base not in scope


def _domain(clause: Node, scope: Scope, last: Node | None) -> Iterable[Any]:
    if isinstance(clause, Name):
        return scope[f"of {clause.base}"]  # type: ignore[no-any-return]
    assert isinstance(clause, Relation), clause
    if clause.sign == "<" and _unbound(clause.right, scope):
        return ()
    bound = clause.right.of(scope)
    if last is not None:
        return range(int(bound), int(last.of(scope)) + 1)
    if clause.sign == r"\in":
        return bound  # type: ignore[no-any-return]
    if clause.sign == r"\notin":
        return [one for one in scope[f"of {_left(clause).base}"] if one not in bound]
    return range(1, int(bound) + (clause.sign == r"\le"))


# How it is read


@cache
def read(text: str) -> Node:
    """Return what a value says."""
    reader = _Reader(tokens(text))
    whole = reader.relation()
    if reader.next:
        raise ValueError(f"{reader.next!r} follows what was understood of {text!r}")
    return whole


class _Reader:
    """Reads from left to right; each method takes what it is named after."""

    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.place = 0
        self.bars = 0  # how many are open since the last bracket

    @property
    def next(self) -> str:
        return self.parts[self.place] if self.place < len(self.parts) else ""

    def take(self, expected: str = "") -> str:
        part = self.next
        if not part or (expected and part != expected):
            raise ValueError(f"expected {expected or 'more'}, not {part!r}: {self.parts}")
        self.place += 1
        return part

    def inside(self, end: str) -> tuple[Node, ...]:
        """Take what stands between brackets, the opening one taken already."""
        outer, self.bars = self.bars, 0
        parts = [self.relation()]
        while self.next in {",", ":", r"\mid"}:
            self.take()
            parts.append(self.relation())
        self.take(end)
        self.bars = outer
        return tuple(parts)

    def group(self) -> tuple[Node, ...]:
        """Take an argument of a command: in braces, or a single digit or letter."""
        if self.next == "{":
            self.take()
            return self.inside("}")
        if len(self.next) > 1 and self.next.isdigit():
            digit, self.parts[self.place] = self.next[0], self.next[1:]
            return (Number(int(digit)),)
        part = self.take()
        if part.isdigit():
            return (Number(int(part)),)
        return (Name(f"{part} {self.take()}" if part in _ACCENTS else part),)

    def relation(self) -> Node:
        left = self.sum()
        if self.next in _RELATIONS:
            sign = self.take()
            return Relation(left, sign, self.sum())
        return left

    def sum(self) -> Node:
        terms = [(self.take() if self.next in {"+", "-"} else "+", self.product())]
        while self.next in {"+", "-", *_SETS}:
            sign = self.take()
            if sign in _SETS:
                terms = [("+", Relation(Sum(tuple(terms)), sign, self.product()))]
            else:
                terms.append((sign, self.product()))
        return terms[0][1] if len(terms) == 1 and terms[0][0] == "+" else Sum(tuple(terms))

    def product(self) -> Node:
        if self.next == "-":
            self.take()
            return Sum((("-", self.product()),))
        factors = [("*", self.power())]
        while True:
            if self.next in {"/", r"\cdot"}:
                factors.append(("/" if self.take() == "/" else "*", self.power()))
            elif self.next in _CLOSING or (self.next == "|" and self.bars):
                break
            else:
                factors.append(("*", self.power()))
        return factors[0][1] if len(factors) == 1 else Product(tuple(factors))

    def power(self) -> Node:
        base = self.atom()
        while self.next == "^":
            self.take()
            base = Power(base, self.group()[0])
        return base

    def atom(self) -> Node:
        part = self.take()
        if part[0].isdigit():
            return Number(float(part) if "." in part else int(part))
        if part in {"(", "{"}:
            parts = self.inside(")" if part == "(" else "}")
            return parts[0] if len(parts) == 1 else Function("tuple", parts)
        if part == "[":
            return Truth(self.inside("]"))
        if part == r"\{":
            return Those(self.inside(r"\}"))
        if part == "|":
            self.bars += 1
            inside = self.relation()
            self.take("|")
            self.bars -= 1
            return Bars(inside)
        if part in {r"\frac", r"\tfrac"}:
            (above,), (below,) = self.group(), self.group()
            return Quotient(above, below)
        if part == r"\sqrt":
            return Function(part, self.group())
        if part in _LOGARITHMS:
            return self.logarithm(part)
        if part in _OVER:
            return self.over(part)
        return self.name(part)

    def logarithm(self, part: str) -> Node:
        base = None
        if self.next == "_":
            self.take()
            (base,) = self.group()
        return Function(part, (self.power(),), base)

    def over(self, part: str) -> Node:
        clauses: tuple[Node, ...] = ()
        last = None
        while self.next in {"_", "^"}:
            if self.take() == "_":
                clauses = self.group()
            else:
                (last,) = self.group()
        if clauses:
            return Over(part, clauses, last, self.product())
        if self.next == r"\{":
            those = self.atom()
            assert isinstance(those, Those)
            return Smallest(part, those)
        self.take("(")
        return Function(part, self.inside(")"))

    def name(self, part: str) -> Node:
        if part in _ACCENTS:
            part = f"{part} {self.take()}"
        if not re.fullmatch(r"[A-Za-z]|\\[a-zA-Z]+( [A-Za-z])?|\\text\{[^}]*\}", part):
            raise ValueError(f"{part!r} is no letter: {self.parts}")
        if self.next == "^" and self.parts[self.place + 1] == "*":
            self.place += 2
            part += "^*"
        if part.endswith("@}"):
            return Call(Name(part), (self.power(),))
        index: tuple[Node, ...] = ()
        label = ""
        if self.next == "_":
            self.take()
            start = self.place
            index, label = self.index()
            written = "".join(self.parts[start : self.place])
            label = label or written.removeprefix("{").removesuffix("}")
        name = Name(part, index, label)
        if self.next == "(":
            self.take()
            arguments = self.inside(")")
            if self.next != "^":
                return Call(name, arguments)
            self.take()
            return Call(name, arguments, self.group()[0])
        return name

    def index(self) -> tuple[tuple[Node, ...], str]:
        """Take what stands below a letter: an index, the last of ranks, a place, a word."""
        if self.next != "{":
            return self.group(), ""
        self.take()
        if self.next == r"\le":
            self.take()
            return self.inside("}"), r"\le"
        if self.next == "(":
            self.take()
            ordered = self.inside(")")
            self.take("}")
            return ordered, "("
        if self.next in {r"\max", r"\min"}:
            label = self.take()
            self.take("}")
            return (), label
        return self.inside("}"), ""


def _children(node: Node) -> Iterator[Node]:
    for value in vars(node).values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, tuple):
                part = part[-1]
            if isinstance(part, Node):
                yield part


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in _children(node):
        yield from _walk(child)


def _free(node: Node) -> list[str]:
    """Return the letters that a part uses and does not bind, in its order."""
    names = [part for child in _children(node) for part in _free(child)]
    if isinstance(node, Name):
        return names if node.base.startswith(r"\text") else [node.base, *names]
    if isinstance(node, Over | Those):
        first = node.clauses[0]
        several = first.arguments if isinstance(first, Function) else (_left(first),)
        bound = {_left(part).base for part in several}
        if isinstance(first, Relation) and first.sign == "<" and isinstance(first.right, Name):
            bound.add(first.right.base)
        return [name for name in names if name not in bound]
    return names
