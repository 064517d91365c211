"""Whether data are as a JSON schema has it: what of JSON Schema the library's own schemas use.

The library needs NumPy and SciPy alone, so no reader of schemas can be asked. A schema with another
keyword is an error, so that none is passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_KNOWN = {
    *("$schema", "title", "description", "type", "properties", "required", "additionalProperties"),
    *("items", "minItems", "maxItems", "minimum", "maximum", "enum", "const", "pattern", "anyOf"),
}


def find_faults(data: Any, schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield what is not as a schema has it: the field, what stands there, and what should."""
    unknown = set(schema) - _KNOWN
    if unknown:
        raise NotImplementedError(f"a schema has {sorted(unknown)[0]!r}, which is not read here")
    where, said = path or "the document", f"{data!r:.60}"
    kinds = schema.get("type")
    if kinds is not None and not _has_type(data, kinds):
        names = kinds if isinstance(kinds, str) else " or ".join(kinds)
        yield f"{where} is {said}, and should be of type {names}"
        return
    if isinstance(data, float) and not math.isfinite(data):
        yield f"{where} is {said}, which no number of JSON is"
        return
    # Where nothing else is said, a whole number has 64 bits with a sign.
    if isinstance(data, int) and not -(2**63) <= data <= schema.get("maximum", 2**63 - 1):
        yield f"{where} is {said}, and is too large"
        return
    if "const" in schema and data != schema["const"]:
        yield f"{where} is {said}, and should be {schema['const']!r}"
    if "enum" in schema and data not in schema["enum"]:
        yield f"{where} is {said}, and should be one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(data, str) and "pattern" in schema and not re.search(schema["pattern"], data):
        yield f"{where} is {said}, and should match {schema['pattern']}"
    if "minimum" in schema and isinstance(data, int | float) and data < schema["minimum"]:
        yield f"{where} is {said}, and should be {schema['minimum']} or more"
    if "anyOf" in schema and all(any(find_faults(data, one, path)) for one in schema["anyOf"]):
        yield f"{where} is {said}, which is not one of the allowed values"
    if isinstance(data, dict):
        yield from _faults_of_object(data, schema, path)
    if isinstance(data, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(data))
        if not least <= len(data) <= most:
            yield f"{where} has {len(data)} entries"
        for number, each in enumerate(data):
            yield from find_faults(each, schema.get("items", {}), f"{path}[{number}]")


def _has_type(data: Any, kinds: str | list[str]) -> bool:
    allowed = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(data, bool):
        return "boolean" in allowed
    return any(isinstance(data, _TYPES[kind]) for kind in allowed)


def _faults_of_object(
    data: Mapping[str, Any], schema: Mapping[str, Any], path: str
) -> Iterator[str]:
    known, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name in schema.get("required", ()):
        if name not in data:
            yield f"{path or 'the document'} has no {name!r}"
    for name, each in data.items():
        inside = f"{path}.{name}" if path else name
        if name in known:
            yield from find_faults(each, known[name], inside)
        elif rest is False:
            yield f"{inside} is no field of such a document"
        else:
            yield from find_faults(each, rest, inside)
