"""Arrays of any library as numpy arrays; a mask is refused, because nothing would read it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from io import IOBase
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import (
    describe_no_real_numbers,
    is_missing,
    refuse_sparse,
)
from recsys_metrics._core.sorted_arrays import factorize

# Up to here floats tell whole numbers apart.
_EXACT = 2.0**53

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
IntArray = NDArray[np.integer[Any]]
"""Whole numbers of any width: items, or codes; what indexes or counts is an `IndexArray`."""
MatchedValues = ArrayLike | Mapping[Any, Any]
"""Values in an order that others share, or keyed, by the user for instance."""

# Up to here floats tell whole numbers apart.
_LAST_EXACT = 2**53


def as_array(values: Any, name: str = "", *, fill: str = "-1") -> Any:
    """Return anything that holds an array as numpy sees it, without a copy where that is possible.

    Parameters
    ----------
    values
        An array, a tensor of torch, JAX or another library, a column of a frame, nested lists, or
        a `scipy.sparse` matrix, which stays as it is.
    name : str
        What an error calls it; by default its type.
    fill : str
        What an error proposes to put in place of masked entries.

    Returns
    -------
    numpy.ndarray or scipy.sparse matrix
        Over the same memory where `__array__` or DLPack allow it.

    Raises
    ------
    TypeError
        If it holds no array that the processor can read, or is a masked array.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics import convert
    >>> scores = np.array([[0.1, 0.9]])
    >>> np.shares_memory(convert.as_array(scores), scores)
    True
    """
    refuse_mask(values, name, fill=fill)
    refuse_mapping(values, name or "this")
    if isinstance(values, np.ndarray) or hasattr(values, "tocsr"):
        return values if hasattr(values, "tocsr") else np.asarray(values)
    # A tensor that learns, or lies on another device, hands out its numbers only after these.
    # An open file has a `detach` of its own.
    learns = hasattr(values, "detach") and not isinstance(values, IOBase)
    tensor = values.detach() if learns else values
    tensor = tensor.cpu() if hasattr(tensor, "cpu") else tensor
    try:
        if hasattr(tensor, "__dlpack__") and not hasattr(tensor, "__array__"):
            return np.from_dlpack(tensor)
        array = _as_numpy(tensor)
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        raise TypeError(
            f"{name or type(values).__name__} cannot be read as an array ({problem}); "
            f"{_cure(values)}"
        ) from None
    if array.dtype == object and array.ndim == 0:
        raise TypeError(f"{name or type(values).__name__} is no array; got {values!r:.60}")
    return array


def _as_numpy(values: Any) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except Exception as problem:
        # Whole numbers of 128 bits, which numpy has as Python's.
        if not (type(problem).__module__.startswith("polars") and hasattr(values, "to_list")):
            raise
        return np.asarray(values.to_list())


def as_labels(values: Any, name: str, *, fill: str = "-1") -> Any:
    """Return labels, of users or groups for instance, as an array.

    Raises
    ------
    TypeError
        As `as_array`; also if a label is a list, and for a list in which labels of several types
        would become one label: 1 and "1", which numpy makes text, 1 and True, or whole numbers
        that no float tells apart.
    """
    refuse_sparse(name, values)
    labels = as_array(values, name, fill=fill)
    if labels.dtype.kind == "O":
        _refuse_collections(labels, name)
    if not isinstance(values, list | tuple) or labels.ndim != 1:
        return labels
    refuse_mixed_kinds(values, name)
    types = {*map(type, values)}
    if labels.dtype.kind in "SU" and len(types) > 1 and any(map(is_missing, values)):
        return np.asarray(values, dtype=object)  # where NaN is none, and not the text "nan"
    if labels.dtype.kind == "f" and any(issubclass(each, int | np.integer) for each in types):
        large = [each for each in values if isinstance(each, int | np.integer)]
        if odd := next((each for each in large if abs(int(each)) > _LAST_EXACT), None):
            raise TypeError(
                f"{name} has the whole number {odd!r:.40}, which no float tells from the next; "
                "turn all into text"
            )
    return labels


def _refuse_collections(labels: NDArray[Any], name: str) -> None:
    """Raise TypeError if a label is a list or another collection that cannot be compared."""
    for each in labels.flat:
        if isinstance(each, list | dict | set | np.ndarray):
            raise TypeError(
                f"{name} has {each!r:.60}, a {type(each).__name__}, which is no label; give one "
                "text or number each"
            )


def refuse_mixed_kinds(values: Collection[Any], name: str) -> None:
    """Raise TypeError if text, bytes, booleans and numbers stand beside each other."""
    if len({*map(type, values)}) < 2:
        return
    first: dict[str, Any] = {}
    for each in values:
        kind = _kind_of_label(type(each))
        if kind and kind not in first and not is_missing(each):
            first[kind] = each
    if len(first) > 1:
        one, other = [*first.values()][:2]
        raise TypeError(
            f"{name} must be of one kind that can be sorted, all text or all numbers; got "
            f"{one!r:.60} and {other!r:.60}"
        )


def _kind_of_label(kind: type) -> str:
    """Return which kind of label a type is, nothing for one that is like no other."""
    if issubclass(kind, bool | np.bool_):
        return "booleans"
    if issubclass(kind, Number | np.number):
        return "numbers"
    return next((each.__name__ for each in (str, bytes) if issubclass(kind, each)), "")


def _cure(values: Any) -> str:
    """Return what to do with an array or a tensor that numpy cannot hold."""
    kind = str(getattr(values, "dtype", ""))
    if "bfloat16" in kind or "float8" in kind:
        return f"numpy has no {kind.rpartition('.')[2]}, so pass .float() of it"
    if "sparse" in str(getattr(values, "layout", "")) or getattr(values, "is_sparse", False):
        return "it is sparse: pass .to_dense() of it, or a scipy.sparse.csr_array"
    if isinstance(values, list | tuple):
        return "its rows differ in length: pad them, or pass one row at a time"
    return "pass an array of numpy"


def shape_of(given: Any, name: str) -> tuple[int, ...]:
    """Return the shape of an argument; raise with its name where rows differ in length."""
    try:
        return np.shape(given)
    except ValueError:
        raise ValueError(f"{name} has rows that differ in length; give one row") from None


def refuse_mapping(given: Any, name: str) -> None:
    """Raise if an array is needed and a mapping is given, whose order says nothing."""
    if not isinstance(given, Mapping):
        return
    first = next(iter(given.items()), None)
    entry = "" if first is None else f", {first[0]!r:.40}: {first[1]!r:.40} for one"
    cure = "give its values, list(….values()), in one order for all arrays"
    if first is not None and isinstance(first[1], Mapping | Collection) and not _is_text(first[1]):
        cure = (
            "recsys_metrics.evaluate takes mappings from user to recommendations and to relevant "
            "items; here give a row per user, in one order for all arrays"
        )
    raise TypeError(f"{name} must be an array or a list, and is a mapping{entry}: {cure}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)


def as_numbers(given: Any, name: str, *, what: str = "numbers") -> FloatArray:
    """Return numbers as floats, of whatever shape; `what` says what they should be."""
    refuse_mask(given, name, fill="numpy.nan")
    refuse_mapping(given, name)
    if is_array(given):
        given = as_array(given, name)
    text: list[Any] = []
    others = ""
    try:
        found = given if isinstance(given, np.ndarray) else np.asarray(given)
        if others := describe_no_real_numbers(found):
            raise TypeError
        # Numpy reads text as Python does, "1_0" as 10, and nobody has said that it is a number.
        if text := _first_text(found):
            raise TypeError
        with np.errstate(over="ignore"):
            numbers = np.asarray(found, dtype=np.float64)
        if found.dtype.itemsize > numbers.itemsize and (np.isinf(numbers) & ~np.isinf(found)).any():
            raise OverflowError
        return numbers
    # RuntimeError: what an object raises that cannot give its array.
    except (TypeError, ValueError, RuntimeError):
        if others:
            raise TypeError(f"{name} must be {what}; got {others}") from None
        if text:
            raise TypeError(
                f"{name} must be {what}; got {text[0]!r:.60}, a text. Turn texts into numbers, "
                "float(…)"
            ) from None
        rows = given if isinstance(given, list | tuple) else ()
        lengths = {len(row) if isinstance(row, list | tuple) else 0 for row in rows}
        more = "; its rows differ in length, so pad them or pass one row at a time"
        cure = more if len(lengths) > 1 else ""
        raise TypeError(f"{name} must be {what}; got {given!r:.80}{cure}") from None
    except OverflowError:
        raise ValueError(f"{name} must be {what}; one of them is too large for a float") from None


def _first_text(given: NDArray[Any]) -> list[Any]:
    """Return the first text of an array, alone in a list; nothing if there is none."""
    if given.dtype.kind in "biuf":
        return []
    values = given.ravel()
    return [*islice((each for each in values.tolist() if isinstance(each, str | bytes)), 1)]


def as_scores(given: Any, name: str, *, what: str = "numbers") -> FloatArray:
    """Return scores as floats; `what` says what they should be.

    Raises
    ------
    ValueError
        If numbers have so many digits that different ones would be equal: whole numbers, floats
        of more than 64 bits, decimals or fractions.
    """
    numbers = as_numbers(given, name, what=what)
    refuse_equal_floats(given, numbers, name)
    largest = np.fmax.reduce(np.abs(numbers), axis=None, initial=0.0)
    if largest >= _EXACT and _loses_digits(given, numbers):
        raise ValueError(
            f"{name} contains whole numbers with more digits than a float stores, so that "
            f"different "
            "ones would be equal; subtract the smallest from all, or divide them"
        )
    return numbers


def refuse_equal_floats(given: Any, numbers: FloatArray, name: str, verb: str = "has") -> None:
    """Raise if two different numbers are one as a float, so that they would be ties."""
    exact = as_array(given) if is_array(given) else np.asarray(given)
    wide = exact.dtype.kind == "f" and exact.dtype.itemsize > numbers.itemsize
    if not (wide or exact.dtype.kind == "O") or np.shape(exact) != numbers.shape:
        return
    flat, floats = exact.ravel(), numbers.ravel()
    # Next to each other in order, so that each float is compared with one before it.
    order = np.lexsort((flat, floats)) if wide else np.argsort(floats, kind="stable")
    entries = flat[order] if wide else [flat[at] for at in order.tolist()]
    same = np.flatnonzero(floats[order][1:] == floats[order][:-1]).tolist()
    odd = next((at for at in same if entries[at] != entries[at + 1]), None)
    if odd is not None:
        one, other = entries[odd], entries[odd + 1]
        raise ValueError(
            f"{name} {verb} {one!s:.60} and {other!s:.60}, two different numbers that are one as a "
            f"float of 64 bits, so that they would be tied. If they are equal, round them, "
            f"float(…); if not, subtract the smallest from all, or give ranks as whole numbers"
        )


def as_columns_of_scores(columns: Mapping[str, Any]) -> list[FloatArray]:
    """Return columns whose scores are compared with each other as floats, each as `as_scores`."""
    numbers = [as_scores(column, name) for name, column in columns.items()]
    exact = [np.asarray(as_array(each) if is_array(each) else each) for each in columns.values()]
    if any(each.dtype.kind == "O" or each.dtype.itemsize > 8 for each in exact):
        flat = np.concatenate([each.ravel().astype(object) for each in exact])
        floats = np.concatenate([each.ravel() for each in numbers])
        refuse_equal_floats(flat, floats, " and ".join(columns), "have")
    return numbers


def _loses_digits(given: Any, numbers: FloatArray) -> bool:
    """Whether a whole number is another one as a float."""
    whole = as_array(given) if is_array(given) else np.array(given, dtype=object)
    if whole.dtype.kind in "iu":
        # A float that rounds up to beyond the last whole number is another one, too.
        with np.errstate(invalid="ignore"):
            return bool((numbers.astype(whole.dtype) != whole).any())
    if whole.dtype.kind != "O":
        return False
    # A list of whole numbers and floats, or of whole numbers beyond 63 bits.
    pairs = zip(whole.ravel().tolist(), numbers.ravel().tolist(), strict=True)
    return any(isinstance(one, int | np.integer) and int(one) != number for one, number in pairs)


def as_doubles(numbers: NDArray[Any]) -> FloatArray:
    """Return numbers with 64 bits: 0.7 with 32 bits as 0.7, and not a little less."""
    if numbers.dtype.kind != "f" or numbers.dtype.itemsize >= 8:
        return np.asarray(numbers, dtype=np.float64)
    different, places = factorize(numbers)
    exact = np.array([float(str(each)) for each in different], dtype=np.float64)
    doubles: FloatArray = exact[places]
    return doubles


def as_read_only(given: Any) -> FloatArray:
    """Return numbers in a row as floats that nobody writes to."""
    values: FloatArray = np.asarray(given, dtype=np.float64).reshape(-1)
    values.flags.writeable = False
    return values


def refuse_mask(given: Any, name: str = "", *, fill: str = "-1") -> None:
    """Raise if something is a masked array, whatever its mask holds."""
    if isinstance(given, np.ma.MaskedArray):
        what = name or "this"
        raise TypeError(
            f"{what} is a masked array: are its masked entries missing, or values like the "
            f"others? A mask is not read, so fill them, {name or 'array'}.filled({fill}), or pass "
            f"the values under the mask as well, {name or 'array'}.data"
        )


def is_array(given: Any) -> bool:
    """Whether something is an array or a tensor with at least one axis; a number is none."""
    if isinstance(given, np.ndarray | memoryview):
        return given.ndim > 0
    return (
        not isinstance(given, str | bytes | np.generic)
        and (hasattr(given, "__array__") or hasattr(given, "__dlpack__"))
        and len(getattr(given, "shape", ())) > 0
    )
