"""The types in a signature: by name where they have one, and what each name stands for."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

# As autodoc writes them, for a reader or with the mark of a link.
_ARRAY = re.compile(
    r"(~numpy\.)?ndarray\[tuple\[(?:~typing\.)?Any, \.\.\.\], (?:~numpy\.)?dtype\["
    r"((?:[^\[\]]|\[[^\[\]]*\])+)\]\]"
)
_ARRAY_LIKE = stringify_annotation(ArrayLike, mode="smart")
# Stands for a float or an array, which the section on what is returned says in words.
OF_VALUES = re.compile(r"\[~?(?:\w+\.)*Values\]")
_WITH_DOMAIN = re.compile(r"~typing\.Annotated\[([^,\[\]]+), ~[\w.]+\.Domain\(.*?\)\]")


def short_types(text: str) -> str:
    """Return a signature with its types as the source has them.

    >>> short_types("(a: ndarray[tuple[Any, ...], dtype[integer[Any]]] | None)")
    '(a: NDArray[integer[Any]] | None)'
    """
    text = OF_VALUES.sub("", text)
    text = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)
    text = _WITH_DOMAIN.sub(r"\1", text.replace(_ARRAY_LIKE, "ArrayLike"))
    return _ARRAY.sub(
        lambda found: f"{'~numpy.typing.' if found[1] else ''}NDArray[{found[2]}]", text
    )


def _members(type_: Any) -> Iterator[Any]:
    if get_origin(type_) in {Union, UnionType}:
        for member in get_args(type_):
            yield from _members(member)
    else:
        yield type_


def _annotations(thing: Any) -> dict[str, Any]:
    """Return the annotation of each parameter as the source has it."""
    return {
        name: parameter.annotation
        for name, parameter in inspect.signature(thing).parameters.items()
        if isinstance(parameter.annotation, str)
    }


def _evaluate(annotation: str, thing: Any) -> Any:
    try:
        return eval(annotation, inspect.unwrap(thing).__globals__)
    except (NameError, TypeError):
        return None


def choices(thing: Any) -> dict[str, tuple[str, ...]]:
    """Return the words that each parameter can be, for those that are conventions.

    >>> import recsys_metrics
    >>> choices(recsys_metrics.ndcg)["discount"]
    ('log2', 'log2-from-2', 'none')
    """
    words = {}
    for name, annotation in _annotations(thing).items():
        for member in _members(_evaluate(annotation, thing)):
            if get_origin(member) is Literal:
                words[name] = tuple(value for value in get_args(member) if isinstance(value, str))
    return {name: values for name, values in words.items() if len(values) > 1}


_NAMED = re.compile(r"\b[A-Z]\w+")
# These are known from numpy and from typing, or stand for what is said elsewhere.
_KNOWN = {"Any", "None", "ArrayLike", "NDArray", "Literal", "Values", "True", "False"}


@cache
def named_types(thing: Any) -> dict[str, str]:
    """Return what each name in a signature stands for that is no class.

    >>> import recsys_metrics
    >>> named_types(recsys_metrics.rank_biased_precision)["Patience"]
    'float, above 0 and below 1: the probability of reading on'
    """
    held = inspect.unwrap(thing).__globals__
    texts: dict[str, str] = {}
    for annotation in _annotations(thing).values():
        for name in _NAMED.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", annotation)):
            type_ = held.get(name)
            if name in _KNOWN or name in texts or type_ is None:
                continue
            if not inspect.isclass(type_) or get_origin(type_) is not None:
                texts[name] = _describe(type_)
    return texts


def _describe(type_: Any) -> str:
    if get_origin(type_) is Annotated:
        kind, domain = get_args(type_)
        return (
            f"{stringify_annotation(kind, 'smart')}, {_bounds(domain)}: {domain.meaning.strip(',')}"
        )
    parts = []
    for member in _members(type_):
        if get_origin(member) is Literal:
            parts += [f'"{value}"' for value in get_args(member)]
    text = short_types(stringify_annotation(type_, "smart"))
    own = [part for part in _split(text) if not part.startswith(("'", '"', "Literal["))]
    return " | ".join([*parts, *own]).replace("~", "")


def _split(text: str) -> list[str]:
    """Return the members of a union that a text writes out, as they are outside of brackets."""
    parts, depth = [""], 0
    for piece in re.split(r"( \| |[\[\]])", text):
        depth += {"[": 1, "]": -1}.get(piece, 0)
        if piece == " | " and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [re.sub(r"~(?:\w+\.)*", "", part) for part in parts]


def _bounds(domain: Any) -> str:
    ends = [
        f"above {domain.above:g}" if domain.above > -math.inf else "",
        f"{domain.least:g} or more" if domain.least > -math.inf else "",
        f"below {domain.below:g}" if domain.below < math.inf else "",
        f"{domain.most:g} at most" if domain.most < math.inf else "",
    ]
    return " and ".join(filter(None, ends)) or "any number"


def signature(thing: Any) -> str:
    """Return the parameters with the names of their types, as the source has them.

    >>> class Shelf:
    ...     def fill(self, items: Items, *, at: int = 0) -> bool: ...
    >>> signature(Shelf.fill)
    '(items: Items, *, at: int = 0) -> bool'
    """
    returns = inspect.signature(thing).return_annotation
    text = "" if returns in {inspect.Signature.empty, "Any", "Values", "None"} else f" -> {returns}"
    return f"({parameters(thing)}){text}"


def parameters(thing: Any) -> str:
    """Return what stands between the brackets of a signature; of a method without its object."""
    parts, keyword_only = [], False
    for at, parameter in enumerate(inspect.signature(thing).parameters.values()):
        if at == 0 and parameter.name in {"self", "cls"}:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = stars.get(parameter.kind, "") + parameter.name
        keyword_only |= parameter.kind is parameter.VAR_POSITIONAL
        annotation = re.sub(r"\[Values\]", "", str(parameter.annotation))
        typed = parameter.annotation is not parameter.empty
        if typed:
            text += f": {annotation}"
        if parameter.default is not parameter.empty:
            default = repr(parameter.default)
            shown = default if not default.startswith("<") else "..."
            text += f" = {shown}" if typed else f"={shown}"
        parts.append(text)
    return ", ".join(parts)
