"""Wrong functions made from right ones: one thing changed at one place."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

SIGNS: dict[type[ast.AST], list[Any]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult, ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
SWAPS = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum"}
SWAPS |= {"maximum": "minimum", "log2": "log", "floor": "ceil", "abs": "float", "append": "remove"}


def list_changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Return what may stand in the place of a node, with a word for it."""
    match node:
        case ast.BinOp(left, sign, right):
            for other in SIGNS.get(type(sign), ()):
                yield f"{other.__name__}", ast.BinOp(left, other(), right)
        case ast.AugAssign(target, sign, value):
            for other in SIGNS.get(type(sign), ()):
                yield f"{other.__name__}=", ast.AugAssign(target, other(), value)
        case ast.BoolOp(sign, values):
            for other in SIGNS.get(type(sign), ()):
                yield f"{other.__name__}", ast.BoolOp(other(), values)
        case ast.Compare(left, [sign], [right]):
            for other in SIGNS.get(type(sign), ()):
                yield f"{other.__name__}", ast.Compare(left, [other()], [right])
        case ast.Constant(bool(value)):
            yield "not", ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            for step in (-1, 1):
                yield f"constant {value + step}", ast.Constant(value + step)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield "sign dropped", operand
    yield from _branches(node)
    yield from _calls(node)
    yield from _places(node)


def _branches(node: ast.AST) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.IfExp(_, body, other):
            yield "always", body
            yield "never", other
        case ast.If(_, body, other):
            yield "guard always", body
            yield "guard left out", other or ast.Pass()
        case ast.comprehension(target, items, [_, *_], is_async):
            yield "filter left out", ast.comprehension(target, items, [], is_async)


def _calls(node: ast.AST) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.Call(ast.Name(name), arguments, keywords) if name in SWAPS:
            yield SWAPS[name], ast.Call(ast.Name(SWAPS[name], ast.Load()), arguments, keywords)
        case ast.Call(ast.Attribute(owner, name), arguments, keywords) if name in SWAPS:
            other = ast.Attribute(owner, SWAPS[name], ast.Load())
            yield SWAPS[name], ast.Call(other, arguments, keywords)
    match node:
        case ast.Call(ast.Name("min" | "max" as name), [items], []):
            place = 0 if name == "min" else -1
            for word, at in ((f"place {place}", place), ("other end", -1 - place)):
                yield f"{word} for {name}", ast.Subscript(items, ast.Constant(at), ast.Load())
        case ast.Call(ast.Name("sorted"), [items], _):
            yield "unsorted", ast.Call(ast.Name("list", ast.Load()), [items], [])
            yield (
                "sorted the other way",
                ast.Subscript(
                    copy.deepcopy(node), ast.Slice(None, None, ast.Constant(-1)), ast.Load()
                ),
            )
        case ast.Call(ast.Name("reversed"), [items], []):
            yield "not reversed", items
        case ast.Call(ast.Name("set" | "abs" | "round" as name), [items, *_], []):
            yield f"{name} left out", items


def _places(node: ast.AST) -> Iterator[tuple[str, Any]]:
    match node:
        case ast.Subscript(items, ast.Slice(None, ast.expr() as last, None), ast.Load()):
            from_end = ast.Slice(ast.UnaryOp(ast.USub(), last), None, None)
            yield "k from the end", ast.Subscript(items, from_end, ast.Load())
            back = ast.Subscript(items, ast.Slice(None, None, ast.Constant(-1)), ast.Load())
            yield "reversed", ast.Subscript(back, ast.Slice(None, last, None), ast.Load())
            yield "uncut", items
            after = ast.Slice(last, None, None)
            yield "what comes after", ast.Subscript(items, after, ast.Load())
        case ast.For(target, items, body, orelse):
            listed = ast.Call(ast.Name("list", ast.Load()), [items], [])
            other_way = ast.Call(ast.Name("reversed", ast.Load()), [listed], [])
            yield "backwards", ast.For(target, other_way, body, orelse)
        case ast.Subscript(items, ast.expr() as place, ast.Load()) if not isinstance(
            place, ast.Slice | ast.Tuple
        ):
            for sign in (ast.Sub(), ast.Add()):
                moved = ast.BinOp(place, sign, ast.Constant(1))
                yield f"place {type(sign).__name__} 1", ast.Subscript(items, moved, ast.Load())


def create_mutants(function: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return wrong functions, each with its name: where it was changed and into what.

    Parameters
    ----------
    function : callable
        Defined in a module, without a function around it.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    for place, node in enumerate(ast.walk(tree)):
        for number, (word, _) in enumerate(list_changes(node)):
            copied = copy.deepcopy(tree)
            target = list(ast.walk(copied))[place]
            instead = list(list_changes(target))[number][1]
            line = ast.unparse(node).splitlines()[0] if hasattr(node, "lineno") else "for"
            changed = ast.fix_missing_locations(
                ast.Module([_Replace(target, instead).visit(copied)], [])
            )
            scope = dict(function.__globals__)
            try:
                exec(compile(changed, "<mutant>", "exec"), scope)
            except SyntaxError:
                continue
            yield f"{function.__name__}: {line} -> {word}", scope[tree.name]


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, instead: Any) -> None:
        self.node, self.instead = node, instead

    def visit(self, node: ast.AST) -> Any:
        return self.instead if node is self.node else self.generic_visit(node)
