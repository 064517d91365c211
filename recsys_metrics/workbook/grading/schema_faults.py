"""What is wrong with the fields of an exercise file, in words for its author.

`schema.json` decides what a file may hold. Its validator speaks of schemas, types and properties;
here each of its faults is said in the words of the guide: which field, what it holds, what belongs
there. What a schema cannot see, such as a mistake that picks an option which is not there, is
looked for as well.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from recsys_metrics._core import console
from recsys_metrics.workbook.exercises.arithmetic_mistakes import SWAPPED
from recsys_metrics.workbook.exercises.bank import find_typographic_quotes
from recsys_metrics.workbook.grading.hidden_signs import describe_hidden_sign
from recsys_metrics.workbook.grading.yaml_faults import describe_left_margin, has_other_blanks

_TYPES = {
    "array": "a list, with each entry on a line of its own after `- `",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "fields, each on a line of its own as `name: value`",
    "string": "text",
}
_SWAP = "text of the solution and what replaces it, `{old text: new text}`"
# How each kind of exercise may say in which way a mistake is made.
_WAYS = {
    "choice": ("picks", "picks_exactly", "function"),
    "function": ("swap", "fill", "function"),
    "numbers": ("swap", "function"),
    "order": ("order", "orders", "function"),
}
_LONGEST = 60
# What YAML reads as true or false where a word may be meant.
_BOOLEANS = {True: ("yes", "on", "true"), False: ("no", "off", "false")}


@dataclass(frozen=True)
class SchemaFault:
    """A field that is not as it should be.

    Parameters
    ----------
    path : tuple of str
        The keys and places that lead to it.
    message : str
        Begins with where it is.
    """

    path: tuple[str, ...]
    message: str


@cache
def read_schema() -> dict[str, Any]:
    """Return the schema of exercise files."""
    file = files("recsys_metrics.workbook.exercises").joinpath("schema.json")
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


def find_schema_fault(entries: Mapping[Any, Any]) -> SchemaFault | None:
    """Return the fault of entries that explains most, or None if they are as the schema has them.

    Parameters
    ----------
    entries : mapping
        Exercises by their names, as they were read from YAML.
    """
    if fault := next(_find_keys_that_are_no_text(entries, ()), None):
        return fault
    if fault := next(_find_hidden_signs(entries, ()), None):
        return fault
    if fault := next(_find_misplaced(entries), None):
        return fault
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match
    except ModuleNotFoundError:
        return None  # a reader's environment; the instructor's has it
    # The validator goes through the fields in the order of a set.
    errors = sorted(
        Draft202012Validator(read_schema()).iter_errors(entries),
        key=lambda one: _find_place(entries, [*one.absolute_path]),
    )
    if not errors:
        return next((fault for one in entries.items() for fault in _find_loose_ends(*one)), None)
    # A misspelt field is missing under its right name, too, and a kind decides what is missing.
    for is_telling in (_is_no_exercise, _is_misspelt, _is_about_kind):
        if telling := [one for one in errors if is_telling(one)]:
            return _describe(telling[0])
    return _describe(_unwrap(best_match(errors, key=_depth)))


def _depth(error: Any) -> Any:
    """Prefer the fault at the outermost place, and of several there the first in the file."""
    return -len(error.absolute_path)


def _find_place(node: Any, path: Sequence[Any]) -> list[int]:
    """Return a path as places, so that what comes first in the file is the least."""
    places = []
    for key in path:
        places.append(key if isinstance(node, list) else [*node].index(key))
        node = node[key]
    return places


def _unwrap(error: Any) -> Any:
    """Return the alternative's own error where `best_match` went into an alternative."""
    while error.parent is not None and error.parent.validator in {"anyOf", "oneOf"}:
        error = error.parent
    return error


def _find_keys_that_are_no_text(node: Any, path: tuple[str, ...]) -> Iterator[SchemaFault]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            # What a swap replaces may be a number.
            if not isinstance(key, str) and "swap" not in path:
                yield _key_that_is_no_text(key, path)
            yield from _find_keys_that_are_no_text(value, (*path, str(key)))
    elif isinstance(node, list):
        for place, value in enumerate(node):
            yield from _find_keys_that_are_no_text(value, (*path, str(place)))


def _find_hidden_signs(node: Any, path: tuple[str, ...]) -> Iterator[SchemaFault]:
    """Yield each key and each text with a sign that a terminal or a page would obey."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if isinstance(key, str) and (says := describe_hidden_sign(key)):
                shown = console.printable(key, _LONGEST)
                yield _fault(path, f"the name `{shown}` {says}", at=[*path, key])
            yield from _find_hidden_signs(value, (*path, str(key)))
    elif isinstance(node, list):
        for place, value in enumerate(node):
            yield from _find_hidden_signs(value, (*path, str(place)))
    elif isinstance(node, str) and (says := describe_hidden_sign(node)):
        yield _fault(path, says)


def _find_misplaced(entries: Mapping[Any, Any]) -> Iterator[SchemaFault]:
    """Yield what stands where the names of exercises belong, and names that stand elsewhere."""
    fields, has_exercise = list_fields(), True
    for key, value in entries.items():
        is_exercise = isinstance(value, Mapping) and "kind" in value
        if has_other_blanks(key):
            says = "the line is indented with no-break spaces; delete them and type blanks"
            yield SchemaFault((key,), says)
        # Below a name without fields, all of them are to be indented, which is said there.
        elif key in fields and not is_exercise and has_exercise:
            yield SchemaFault((key,), describe_left_margin(key))
        elif (
            isinstance(value, Mapping)
            and not is_exercise
            and any(isinstance(one, Mapping) and "kind" in one for one in value.values())
        ):
            says = (
                f"`{key}:` is no exercise, and the exercises are indented below it; delete this "
                "line and move the names to the left margin, with their fields below them"
            )
            yield SchemaFault((key,), says)
        has_exercise = value is not None and (has_exercise or key not in fields)


def list_fields() -> list[str]:
    """Return the names of the fields of an exercise."""
    return [*read_schema()["$defs"]["exercise"]["properties"]]


def _is_no_exercise(error: Any) -> bool:
    return error.validator == "type" and len(error.absolute_path) == 1


def _is_misspelt(error: Any) -> bool:
    return error.validator == "additionalProperties" and any(
        _nearest(key, error.schema.get("properties", ())) for key in _extra(error)
    )


def _is_about_kind(error: Any) -> bool:
    path = [*error.absolute_path]
    missing = error.validator == "required" and len(path) == 1 and "kind" not in error.instance
    return path[1:] == ["kind"] or (missing and "kind" in error.validator_value)


# What a schema cannot see ------------------------------------------------------------------------


def _find_loose_ends(name: str, entry: Mapping[str, Any]) -> Iterator[SchemaFault]:
    """Yield what an entry names and does not have."""
    mistakes, kind = entry.get("mistakes", {}), entry["kind"]
    yield from _find_unknown_follows(name, entry)
    keys = _listed(entry.get("options" if kind == "choice" else "lines"))
    for key in _named_keys(entry.get("answer", ())):
        yield from _unknown_key(key, keys, [name, "answer"], "is right")
    for mistake, one in mistakes.items():
        path = [name, "mistakes", mistake]
        ways = _WAYS.get(kind, ())
        if ways and not {*ways} & {*one}:
            listed = " or ".join(f"`{way}`" for way in ways if way not in {"orders"})
            yield _fault(path, f"nothing says how this mistake is made; give it {listed}")
        if len(given := [way for way in ("swap", "fill", "picks", "function") if way in one]) > 1:
            both = " and ".join(f"`{way}`" for way in given)
            says = f"has {both}, each of which says how the mistake is made; leave one out"
            yield _fault([*path, given[1]], says)
        if "fill" in one and "template" not in entry:
            yield _fault(
                [*path, "fill"],
                "fills a gap, and the exercise has no `template` with a gap; give the mistake a "
                "`swap`, or the exercise a `template`",
            )
        if mistake in one.get("ambiguous_with", ()):
            says = "names the mistake itself; name the other one, which leads to the same answer"
            yield _fault([*path, "ambiguous_with"], says)
        for other in one.get("ambiguous_with", ()):
            if other not in {*mistakes, SWAPPED}:
                near = _nearest(other, mistakes)
                guess = f"; did you mean {near!r}?" if near else ""
                says = f"no mistake of this exercise has the id {other!r}{guess}"
                yield _fault([*path, "ambiguous_with"], says)
        for way in ("picks", "picks_exactly", "order", "orders"):
            for key in _named_keys(one.get(way, ())):
                yield from _unknown_key(key, keys, [*path, way], "is picked")


def _find_unknown_follows(name: str, entry: Mapping[str, Any]) -> Iterator[SchemaFault]:
    asks = entry.get("asks", {})
    code = "\n".join(str(step.get("code", "")) for step in entry.get("solution", ()))
    names = set(re.findall(r"\w+", code))
    for key in entry.get("follows", {}):
        if key not in asks:
            near = _nearest(key, asks)
            if near and key in names and near not in names:
                says = f"nothing in the solution leaves `{near}`; did you mean `{key}`?"
                yield _fault([name, "asks", near], says)
            guess = f"did you mean `{near}`?" if near else f"they are {', '.join(asks)}"
            yield _fault([name, "follows", key], f"`{key}` is no name in `asks`; {guess}")


def _listed(texts: Any) -> list[str]:
    """Return the short words of options or lines; none where a function makes them."""
    return [] if not isinstance(texts, Mapping) or set(texts) == {"python"} else [*texts]


def _named_keys(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    else:
        for one in given.get("all", ()) if isinstance(given, Mapping) else given:
            yield from _named_keys(one)


def _unknown_key(
    key: str, keys: Sequence[str], path: list[str], what: str
) -> Iterator[SchemaFault]:
    # The lines of an order may be named by one letter each.
    if keys and key not in keys and not all(letter in keys for letter in key):
        yield _fault(path, f"{key!r} {what}, and there are only {', '.join(keys)}")


# Where, and what --------------------------------------------------------------------------------


def _where(path: Sequence[str]) -> str:
    """Return a place in words: ``two_weeks, mistakes, upside-down``."""
    return ", ".join(f"entry {int(key) + 1}" if key.isdigit() else key for key in path)


def _fault(path: Sequence[str], says: str, *, at: Sequence[str] | None = None) -> SchemaFault:
    where = _where(path)
    return SchemaFault(tuple(path if at is None else at), f"{where}: {says}" if where else says)


def _value(value: Any) -> str:
    """Return what stands there, named by its kind."""
    text = str(value)
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {shown}"
    if isinstance(value, str):
        return f"the text {shown!r}"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Mapping):
        return f"a field {next(iter(value), '')!r} with a value of its own"
    return shown


def _nearest(word: str, known: Any) -> str:
    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")


def _extra(error: Any) -> list[str]:
    return [key for key in error.instance if key not in error.schema.get("properties", ())]


def _meaning(schema: Any) -> str:
    """Return what a schema says of a field, without its last stop."""
    return str(schema.get("description", "")).removesuffix(".") if schema else ""


def _key_that_is_no_text(key: Any, path: tuple[str, ...]) -> SchemaFault:
    if isinstance(key, bool):
        written = ", ".join(f"`{one}`" for one in _BOOLEANS[key])
        says = f"YAML reads the words {written} as {str(key).lower()}"
        return _fault(path, f"{says}, so none of them can be a name; put it in quotation marks")
    return _fault(path, f"the name {key} is no text; put it in quotation marks")


# Each of the validator's faults -----------------------------------------------------------------


def _describe(error: Any) -> SchemaFault:
    path = [str(key) for key in error.absolute_path]
    meant = _meaning(error.schema) if isinstance(error.schema, dict) else ""
    if error.instance is None and error.validator in {"type", "anyOf"}:
        return _fault(path, f"has nothing in it{_belongs(path, meant)}")
    describe = _DESCRIBED.get(error.validator, _describe_anything)
    return describe(error, path, meant)


def _belongs(path: Sequence[str], meant: str) -> str:
    if len(path) == 1:
        return "; write the fields of the exercise below its name, each indented by two blanks"
    if path[-1] == "swap":
        meant = _SWAP
    return _told(meant) or "; fill it in, or leave it out"


def _told(meant: str) -> str:
    """Return what belongs in a field; a description begins a sentence in the schema."""
    return f". What belongs there: {meant[0].lower()}{meant[1:]}" if meant else ""


def _describe_extra(error: Any, path: list[str], meant: str) -> SchemaFault:
    known = error.schema.get("properties", {})
    key = next((one for one in _extra(error) if _nearest(one, known)), _extra(error)[0])
    near = _nearest(key, known)
    says = f"there is no field `{key}`"
    says += f"; did you mean `{near}`?" if near else f"; the fields are {', '.join(sorted(known))}"
    return _fault(path, says, at=[*path, key])


def _describe_missing(error: Any, path: list[str], meant: str) -> SchemaFault:
    missing = next(key for key in error.validator_value if key not in error.instance)
    if error.validator_value == ["python"]:
        return _fault(path, "a name in Python is written `{python: name}`")
    defs = read_schema()["$defs"]
    of_exercise = len(path) == 1
    fields = error.schema.get("properties") or defs["exercise"]["properties"]
    field = (fields if of_exercise or missing in fields else defs["mistake"]["properties"]).get(
        missing, {}
    )
    says = f"`{missing}` is missing"
    kind = error.instance.get("kind") if of_exercise else None
    if kind and missing not in defs["exercise"]["required"]:
        says += f", which an exercise of the kind {kind} needs"
    kinds = [one for one in defs["exercise"]["properties"]["kind"]["enum"] if one != "prediction"]
    meaning = f"one of {', '.join(kinds)}" if missing == "kind" else _meaning(field)
    return _fault(path, says + _told(meaning))


def _describe_type(error: Any, path: list[str], meant: str) -> SchemaFault:
    allowed = error.validator_value
    names = [allowed] if isinstance(allowed, str) else allowed
    says = (
        f"should be {' or '.join(_TYPES[name] for name in names)}, and is {_value(error.instance)}"
    )
    text = isinstance(error.instance, str)
    if names == ["string"] and isinstance(value := error.instance, Mapping) and "python" in value:
        says += f"; write the name alone: `{path[-1]}: {value['python']}`"
    elif names == ["string"] and isinstance(error.instance, int | float):
        says += "; put it in quotation marks to make it text"
    elif names == ["object"] and isinstance(error.instance, list):
        says += "; delete the dashes"
    elif names == ["integer"] and text and error.instance.isdigit():
        says += "; leave the quotation marks out"
    return _fault(path, says + _told(meant))


def _describe_alternatives(error: Any, path: list[str], meant: str) -> SchemaFault:
    defs, value = read_schema()["$defs"], error.instance
    if error.schema == defs["text"]:
        return _fault(path, _no_text(value))
    if error.schema == defs["texts"]:
        for key, one in value.items() if isinstance(value, Mapping) and len(value) > 1 else ():
            if not isinstance(one, str | Mapping):
                return _fault([*path, str(key)], _no_text(one))
        says = (
            "should have two entries or more, each a short word and its text, `new: The new list.`"
        )
        return _fault(path, f"{says}, and is {_entries(value)}")
    if "fill" in path[-2:] and isinstance(value, int | float):
        says = f'is {_value(value)}; put it in quotation marks: `fill: "{value}"`'
        return _fault(path, f"{says}{_told(meant)}")
    if path and "swap" in path[-2:] and (cure := _explain_cut_swap(value)):
        return _fault(path, cure)
    if path and path[-1] == "swap":
        return _fault(path, f"should be {_SWAP}, and is {_value(value)}")
    return _fault(path, f"is {_value(value)}{_told(meant)}")


def _explain_cut_swap(value: Any) -> str:
    """Return what to do about a swap whose text ends at a comma, or nothing."""
    if not isinstance(value, Mapping) or not any(one is None for one in value.values()):
        return ""
    old, new = "", ""
    for key, each in value.items():
        if each is None and old:
            new = f"{new}, {key}"
        elif not old:
            old, new = str(key), str(each)
    if quotes := find_typographic_quotes(new):
        return f"cannot be read as one text: {new}{quotes}"
    mark = "'" if '"' in new else '"'
    return (
        f"the comma in {new!r} ends the text; put it in quotation marks: "
        f"`swap: {{{old}: {mark}{new}{mark}}}`"
    )


def _entries(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{len(value)} entr{'y' if len(value) == 1 else 'ies'} long"
    return _value(value)


def _no_text(value: Any) -> str:
    if isinstance(value, Mapping) and len(value) == 1:
        (key,) = value
        if _nearest(str(key), ["python"]):
            return f"there is no field `{key}`; did you mean `{{python: {value[key]}}}`?"
        return (
            f"should be text. The colon after {str(key)[:_LONGEST]!r} makes a field of it: put the "
            "whole text in quotation marks"
        )
    if value == "":
        return "has no text in it"
    if isinstance(value, bool):
        written = ", ".join(f"`{one}`" for one in _BOOLEANS[value])
        says = f"should be text, and YAML reads the words {written} as {str(value).lower()}"
        return f"{says}; put it in quotation marks"
    if isinstance(value, int | float):
        return f"should be text, and is {_value(value)}; put it in quotation marks"
    return f"should be text, and is {_value(value)}"


def _describe_one_of(error: Any, path: list[str], meant: str) -> SchemaFault:
    names = [one["required"][0] for one in error.validator_value if "required" in one]
    given = [name for name in names if name in error.instance]
    listed = " or ".join(f"`{name}`" for name in names)
    if given:
        return _fault(path, f"has both {listed.replace(' or ', ' and ')}; leave one out")
    says = f"{listed} is missing, which says what is right"
    return _fault(path, f"{says}: the name of a function in Python, or the right key")


def _describe_least(error: Any, path: list[str], meant: str) -> SchemaFault:
    return _fault(path, f"is {error.instance}, and should be {error.validator_value} or more")


def _describe_few(error: Any, path: list[str], meant: str) -> SchemaFault:
    if isinstance(error.instance, str):
        return _fault(path, f"has no text in it{_told(meant)}")
    least = error.validator_value
    return _fault(
        path, f"has {len(error.instance)} entries, and needs {least} or more{_told(meant)}"
    )


def _describe_choice(error: Any, path: list[str], meant: str) -> SchemaFault:
    # A course grades, and a prediction is neither right nor wrong.
    known = [one for one in error.validator_value if one != "prediction"]
    near = _nearest(str(error.instance), known)
    says = f"is {error.instance!r}"
    says += f"; did you mean {near!r}? It" if near else ", and"
    return _fault(path, f"{says} should be one of {', '.join(known)}")


def _describe_name(error: Any, path: list[str], meant: str) -> SchemaFault:
    name, pattern = str(error.instance), str(error.validator_value)
    is_key, is_id = "propertyNames" in error.absolute_schema_path, "(-" in pattern
    plain = re.sub(r"[^a-z0-9]+", "-" if is_id else "_", name.lower()).strip("-_")
    rule = (
        "small letters, digits and hyphens"
        if is_id
        else (
            "letters, digits and underscores"
            if "A-Z" in pattern
            else "small letters, digits and underscores, with a letter first"
        )
    )
    says = f"{name!r} cannot be a name there; use {rule}"
    if re.fullmatch(pattern, plain) and plain != name:
        says += f", as in {plain}"
    return _fault(path, says, at=[*path, name] if is_key else path)


def _describe_anything(error: Any, path: list[str], meant: str) -> SchemaFault:
    return _fault(path, f"is {_value(error.instance)}{_told(meant)}")


_DESCRIBED: dict[str, Callable[[Any, list[str], str], SchemaFault]] = {
    "additionalProperties": _describe_extra,
    "anyOf": _describe_alternatives,
    "enum": _describe_choice,
    "minItems": _describe_few,
    "minLength": _describe_few,
    "minProperties": _describe_few,
    "minimum": _describe_least,
    "oneOf": _describe_one_of,
    "pattern": _describe_name,
    "required": _describe_missing,
    "type": _describe_type,
}
