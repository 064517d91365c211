"""Which single change would make a learner's function right.

A mistake of writing is in the text of a function, not in its values: `** 1 / 2` for `** (1 / 2)`, a
`return` inside the loop, ranks that begin at 0. Each rule here undoes one of them at one place. A
mistake is named only where the function passes every case without it, so that none is named by
chance.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

# A function longer than this is a program, and no mistake in it is found by trying.
_MOST = 2_000
# One who writes a sign for another does so wherever it comes.
_PLACES = 6


@dataclass(frozen=True)
class CodeMistake:
    """What was probably written by mistake.

    Parameters
    ----------
    id : str
    name : str
    cause, hint : str
        In markdown.
    is_observation : bool
        Whether it says which change makes all cases right, and no more: that this was meant is not
        known.
    """

    id: str
    name: str
    cause: str
    hint: str
    is_observation: bool = False


@dataclass(frozen=True)
class _Change:
    """A mistake and what stands in the place of a node without it."""

    mistake: CodeMistake
    instead: ast.AST | list[ast.stmt]


_Rule = Callable[[ast.AST, Sequence[str]], Iterator[_Change]]
"""A node and the names of parameters and variables to what may be changed there."""

# A variable that is set to the value of one of these is a count.
_COUNTS = {"len", "int", "index", "count"}


def find_repair(
    function: Callable[..., Any],
    passes: Callable[[Callable[..., Any]], bool],
    given: Collection[str] = (),
) -> CodeMistake | None:
    """Return the mistake without which a function passes.

    Parameters
    ----------
    function : callable
        A learner's, with a source that can be read; of any other nothing is known.
    passes : callable
        Whether a function is right on every case.
    given : collection of str
        Lines of the function that the exercise wrote, which hold no mistake.

    Returns
    -------
    CodeMistake or None
    """
    tree = _tree(function)
    if tree is None:
        return None
    lines = inspect.getsource(function).splitlines()
    untouched = {number for number, line in enumerate(lines, 1) if line.strip() in given}
    for mistake, changed in _changed(tree, untouched):
        made = _compiled(changed, function)
        if made is not None and passes(made):
            return mistake
    return None


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """Return the function's own definition, or nothing where it has none to be read."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    first = tree.body[0] if tree.body else None
    if not isinstance(first, ast.FunctionDef) or first.decorator_list:
        return None
    return first if sum(1 for _ in ast.walk(first)) <= _MOST else None


def _compiled(tree: ast.FunctionDef, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the changed function with the names that the learner's own one sees."""
    ast.fix_missing_locations(tree)
    cells: dict[str, CellType] = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    try:
        code = _code_of(compile(_enclosed(tree, list(cells)), "<repaired>", "exec"), tree.name)
        return FunctionType(
            code,
            function.__globals__,
            tree.name,
            function.__defaults__,
            tuple(cells[name] for name in code.co_freevars),
        )
    except (SyntaxError, ValueError, KeyError, RecursionError, StopIteration):
        return None


def _enclosed(tree: ast.FunctionDef, free: list[str]) -> ast.Module:
    """Return a module in which the function's free names are those of a function around it."""
    module = ast.parse(f"def _around({', '.join(free)}): ...")
    around = module.body[0]
    assert isinstance(around, ast.FunctionDef)
    around.body = [tree]
    return ast.fix_missing_locations(module)


def _code_of(module: CodeType, name: str) -> CodeType:
    """Return the code of the function that stands within another one of a module."""
    around = next(code for code in module.co_consts if isinstance(code, CodeType))
    return next(
        code for code in around.co_consts if isinstance(code, CodeType) and code.co_name == name
    )


def _changed(
    tree: ast.FunctionDef, untouched: Collection[int]
) -> Iterator[tuple[CodeMistake, ast.FunctionDef]]:
    """Return the function with one mistake undone, for each rule and each place."""
    nodes = list(ast.walk(tree))
    names = [argument.arg for argument in tree.args.args]
    names += sorted({n.id for n in nodes if isinstance(n, ast.Name) and type(n.ctx) is ast.Store})
    counted = [name for name in names if name in _find_counted(nodes)]
    for rule in _RULES:
        for place, node in enumerate(nodes):
            if getattr(node, "lineno", 0) in untouched:
                continue
            for change in rule(node, counted if rule is _shifted else names):
                copied = copy.deepcopy(tree)
                yield (
                    change.mistake,
                    _replaced(copied, list(ast.walk(copied))[place], change.instead),
                )
        if rule in _EVERYWHERE and not untouched:
            yield from _undone_everywhere(tree, rule)


def _find_counted(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names of ranks, places and counts: one more or one less is a mistake of counting.

    A name that holds a probability or a rating can repair a function by chance if it is moved by 1.
    """
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.For(target, source) | ast.comprehension(target, source):
                found |= _counted_by_loop(target, source)
            case ast.Assign([ast.Name(name)], ast.Constant(int())):
                found.add(name)
            case ast.Assign([ast.Name(name)], ast.Call(function)) if _called(function) in _COUNTS:
                found.add(name)
            case ast.AugAssign(ast.Name(name), _, ast.Constant(int())):
                found.add(name)
    return found


def _counted_by_loop(target: ast.expr, source: ast.expr) -> set[str]:
    match target, source:
        case ast.Name(name), ast.Call(ast.Name("range")):
            return {name}
        case ast.Tuple([ast.Name(name), *_]), ast.Call(ast.Name("enumerate")):
            return {name}
        # A list of ranks is called so.
        case ast.Name(name), ast.Name(many) if "rank" in many or "place" in many:
            return {name}
    return set()


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def _undone_everywhere(
    tree: ast.FunctionDef, rule: _Rule
) -> Iterator[tuple[CodeMistake, ast.FunctionDef]]:
    """Return the function without a mistake that was made at several places, if it was."""
    changed, mistakes = copy.deepcopy(tree), list[CodeMistake]()
    while len(mistakes) < _PLACES:
        found = next(
            ((node, change) for node in ast.walk(changed) for change in rule(node, ())), None
        )
        if not found:
            break
        mistakes.append(found[1].mistake)
        changed = _replaced(changed, found[0], found[1].instead)
    if len(mistakes) > 1:
        yield mistakes[0], changed


def _replaced(
    tree: ast.FunctionDef, node: ast.AST, instead: ast.AST | list[ast.stmt]
) -> ast.FunctionDef:
    class Replace(ast.NodeTransformer):
        def visit(self, visited: ast.AST) -> Any:
            return instead if visited is node else self.generic_visit(visited)

    changed = Replace().visit(tree)
    assert isinstance(changed, ast.FunctionDef)
    return changed


# The rules --------------------------------------------------------------------------------------


def _shown(node: ast.AST) -> str:
    """Return a node as code, short enough for a sentence."""
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 60 else f"{text[:59]}…"


def _power_first(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.BinOp(ast.BinOp(base, ast.Pow(), over), ast.Div(), under):
            mistake = CodeMistake(
                "power-before-division",
                "power before division",
                f"`... ** {_shown(over)} / {_shown(under)}` raises to the power first and divides "
                "then.",
                f"Where do brackets belong, so that {_shown(over)}/{_shown(under)} is the power?",
            )
            yield _Change(mistake, ast.BinOp(base, ast.Pow(), ast.BinOp(over, ast.Div(), under)))


def _caret(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.BinOp(base, ast.BitXor(), power):
            mistake = CodeMistake(
                "caret-for-power",
                "caret for power",
                f"`{_shown(node)}` compares bits: in Python `^` is no power.",
                "Which sign raises to a power?",
            )
            yield _Change(mistake, ast.BinOp(base, ast.Pow(), power))
            # A caret binds less than a sum does.
            match base:
                case ast.BinOp(left, sign, right):
                    raised = ast.BinOp(right, ast.Pow(), power)
                    yield _Change(mistake, ast.BinOp(left, sign, raised))


def _floor_division(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.BinOp(over, ast.FloorDiv(), under):
            mistake = CodeMistake(
                "floor-division",
                "integer division",
                f"`{_shown(node)}` drops what follows the decimal point.",
                "Which sign divides and keeps the fraction?",
            )
            yield _Change(mistake, ast.BinOp(over, ast.Div(), under))


def _return_in_loop(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    if not isinstance(node, ast.For | ast.While) or len(node.body) < 2:
        return
    last = node.body[-1]
    if isinstance(last, ast.Return):
        shorter = copy.copy(node)
        shorter.body = node.body[:-1]
        mistake = CodeMistake(
            "return-in-loop",
            "return inside the loop",
            f"`{_shown(last)}` stands inside the loop, and ends it in the first round.",
            "How far should it be indented?",
        )
        yield _Change(mistake, [shorter, last])


_ARRAYS = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum"}


def _least_for_most(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.Call(ast.Name("max" | "min" as name), arguments, keywords):
            other = "min" if name == "max" else "max"
            found = {"max": "largest", "min": "smallest"}
            mistake = CodeMistake(
                f"{name}-for-{other}",
                f"{name} for {other}",
                f"`{_shown(node)}` takes the {found[name]} where the {found[other]} is meant.",
                "Try it with two numbers: which of them should come out?",
            )
            yield _Change(mistake, ast.Call(ast.Name(other, ast.Load()), arguments, keywords))
        case ast.Call(ast.Attribute(owner, name), arguments, keywords) if name in _ARRAYS:
            other = _ARRAYS[name]
            mistake = CodeMistake(
                f"{name[:3]}-for-{other[:3]}",
                f"{name[:3]} for {other[:3]}",
                f"`{_shown(node)}` takes the wrong end.",
                "Try it with two numbers: which of them should come out?",
            )
            swapped = ast.Attribute(owner, other, ast.Load())
            yield _Change(mistake, ast.Call(swapped, arguments, keywords))


def _first_rank(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.Call(ast.Name("enumerate"), [items], []):
            mistake = CodeMistake(
                "ranks-from-0",
                "ranks from 0",
                f"`{_shown(node)}` counts from 0.",
                "Which rank does the first item have?",
            )
            one = ast.Constant(1)
            yield _Change(mistake, ast.Call(ast.Name("enumerate", ast.Load()), [items, one], []))


def _off_by_one(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        # The digits that a call of round keeps are no rank.
        case ast.Call(ast.Name("round"), [value, _], []):
            mistake = CodeMistake(
                "rounded",
                "rounded result",
                f"`{_shown(node)}` drops digits.",
                "How many digits does the function need to return?",
            )
            yield _Change(mistake, value)
        case ast.Constant(int(number)) if not isinstance(number, bool) and abs(number) <= 9:
            for other in (number - 1, number + 1):
                mistake = CodeMistake(
                    "off-by-one",
                    "off by one",
                    f"With the {number} in line {node.lineno} one "
                    f"{'smaller' if other < number else 'larger'}, all cases are right.",
                    "What does that number mean? Go through the line with one case by hand.",
                    is_observation=True,
                )
                yield _Change(mistake, ast.Constant(other))
        case ast.Call(ast.Name("range"), [*firsts, last], []):
            mistake = CodeMistake(
                "last-left-out",
                "last one left out",
                f"`{_shown(node)}` ends one before its last argument.",
                "Which is the last number that it gives?",
            )
            after = ast.BinOp(last, ast.Add(), ast.Constant(1))
            yield _Change(
                mistake, ast.Call(ast.Name("range", ast.Load()), [*firsts, after], keywords=[])
            )


_EDGES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def _edge(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.Compare(left, [sign], [right]) if type(sign) in _EDGES:
            mistake = CodeMistake(
                "wrong-edge",
                "equal or not",
                f"With equal values decided the other way in `{_shown(node)}`, all cases are "
                "right.",
                "What should happen where both are equal?",
                is_observation=True,
            )
            yield _Change(mistake, ast.Compare(left, [_EDGES[type(sign)]()], [right]))


def _other_denominator(node: ast.AST, names: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.BinOp(over, ast.Div(), under):
            for denominator in _denominators(names):
                if ast.dump(denominator) != ast.dump(under):
                    mistake = CodeMistake(
                        "other-denominator",
                        "another denominator",
                        f"With another denominator in `{_shown(node)}`, all cases are right.",
                        "Of how many is it a share, or a mean?",
                        is_observation=True,
                    )
                    yield _Change(mistake, ast.BinOp(over, ast.Div(), denominator))


def _not_divided(node: ast.AST, names: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.Return(ast.expr() as value):
            for denominator in _denominators(names):
                mistake = CodeMistake(
                    "not-divided",
                    "sum for mean",
                    f"`{_shown(node)}` gives a sum that is not divided.",
                    "Is the result a mean or a share, and of how many values?",
                )
                yield _Change(mistake, ast.Return(ast.BinOp(value, ast.Div(), denominator)))
                match value:
                    case ast.Call(function, [inner], []):
                        mean = ast.BinOp(inner, ast.Div(), denominator)
                        yield _Change(mistake, ast.Return(ast.Call(function, [mean], [])))
                    case ast.BinOp(inner, ast.Pow(), power):
                        mean = ast.BinOp(inner, ast.Div(), denominator)
                        yield _Change(mistake, ast.Return(ast.BinOp(mean, ast.Pow(), power)))


def _denominators(names: Sequence[str]) -> Iterator[ast.expr]:
    for name in names:
        read = ast.Name(name, ast.Load())
        yield read
        yield ast.Call(ast.Name("len", ast.Load()), [read], [])


def _order(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    match node:
        case ast.Call(ast.Name("sorted"), [items], keywords):
            others = [keyword for keyword in keywords if keyword.arg != "reverse"]
            falls = len(others) < len(keywords)
            mistake = CodeMistake(
                "sorted-the-wrong-way",
                "sorted the wrong way",
                f"`{_shown(node)}` has the {'largest' if falls else 'smallest'} first.",
                "Which one should come first?",
            )
            reverse = [] if falls else [ast.keyword("reverse", ast.Constant(True))]
            turned = ast.Call(ast.Name("sorted", ast.Load()), [items], [*others, *reverse])
            yield _Change(mistake, turned)


_OPPOSITES: dict[type[ast.AST], Callable[[], Any]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def _opposite_in_words(node: ast.AST) -> str:
    what = {ast.Div: "a product", ast.Mult: "a quotient", ast.Sub: "a sum", ast.Add: "a difference"}
    match node:
        case ast.BinOp(_, sign, _) if type(sign) in what:
            return f"With {what[type(sign)]} in place of `{_shown(node)}`, all cases are right."
        case ast.expr():
            return f"With the opposite of `{_shown(node)}`, all cases are right."
    return ""


def _opposite(node: ast.AST, _: Sequence[str]) -> Iterator[_Change]:
    mistake = CodeMistake(
        "opposite-sign",
        "another operation",
        _opposite_in_words(node),
        "Work it out with the numbers of one case: is it the value that you expect?",
        is_observation=True,
    )
    match node:
        case ast.BinOp(left, sign, right) if type(sign) in _OPPOSITES:
            yield _Change(mistake, ast.BinOp(left, _OPPOSITES[type(sign)](), right))
        case ast.Compare(left, [sign], [right]) if type(sign) in _OPPOSITES:
            yield _Change(mistake, ast.Compare(left, [_OPPOSITES[type(sign)]()], [right]))


def _shifted(node: ast.AST, names: Sequence[str]) -> Iterator[_Change]:
    """Ranks that should be one more where nothing says so: a bare index in a formula.

    Only names of ranks and counts come here.
    """
    match node:
        case ast.Name(name, ast.Load()) if name in names:
            for sign, size in ((ast.Add(), "larger"), (ast.Sub(), "smaller")):
                mistake = CodeMistake(
                    "off-by-one",
                    "off by one",
                    f"With `{name}` in line {node.lineno} one {size}, all cases are right.",
                    f"Which value has `{name}` in the first round, and which should it have?",
                    is_observation=True,
                )
                read = ast.Name(name, ast.Load())
                yield _Change(mistake, ast.BinOp(read, sign, ast.Constant(1)))


# Undone, these are gone: the place is no longer one of the rule's.
_EVERYWHERE = (_power_first, _caret, _floor_division)
# What is most particular comes first.
_RULES: tuple[_Rule, ...] = (
    _power_first,
    _caret,
    _floor_division,
    _return_in_loop,
    _least_for_most,
    _first_rank,
    _off_by_one,
    _edge,
    _not_divided,
    _other_denominator,
    _order,
    _opposite,
    _shifted,
)
