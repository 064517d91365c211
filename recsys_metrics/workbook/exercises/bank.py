"""Exercises that are declared as data: `SUBJECT/THEME.yaml`, with code of the same name beside it.

A file holds exercises by their names. `schema.json` describes each field. What is drawn or computed
is a name in `THEME.py`, and so is a text that follows from the inputs: `{python: name}`. The words
of mistakes that several exercises have are in `shared_mistakes.yaml`. A wheel has a copy of each
file in JSON, which any Python reads without a library.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from inspect import signature
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from recsys_metrics.workbook.exercises.base import Exercise, Inputs, Mistake, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict

Entry = Mapping[str, Any]

KINDS: dict[str, type[Exercise]] = {
    "choice": Choice,
    "function": Function,
    "numbers": Numbers,
    "order": Order,
    "prediction": Predict,
    "text": Text,
}
# What is taken over as it is, and what may name something in Python instead.
_PLAIN = (
    *("title", "minutes", "points", "same_for_all", "function", "template", "template_answer"),
    *("asks", "ordered", "code"),
)
_TEXTS = ("prompt", "insight", "model", "observed")
_LISTS_OF_TEXTS = ("hints", "criteria")
_NAMED_TEXTS = ("options", "lines", "reasons", "beliefs")
_WORDS = ("name", "cause", "hint")
_FROM_PYTHON = ("solve", "draw", "picture", "cases")


class BankError(ValueError):
    """An exercise's entry that cannot be read, with its file, its name and its line.

    Parameters
    ----------
    message : str
    path : tuple of str
        The keys within the entry that lead to what is wrong.
    value : str
        A value of the entry that is wrong, wherever it stands.
    """

    def __init__(self, message: str, path: tuple[str, ...] = (), value: str = "") -> None:
        super().__init__(message)
        self.path, self.value = path, value


class Subject(Mapping[str, Exercise]):
    """The exercises of a subject by their names in Python, each made when it is first asked for.

    Parameters
    ----------
    package : str
        The package whose folder holds the files.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._entries = cache(self._read)
        self._built = cache(self._build)

    def __getitem__(self, name: str) -> Exercise:
        return self._built(name)

    def __contains__(self, name: object) -> bool:
        return name in self._entries()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    @property
    def parts(self) -> dict[str, tuple[Exercise, ...]]:
        """The exercises of each part, in the order of its text."""
        parts: dict[str, tuple[Exercise, ...]] = {}
        for name, (_, entry) in self._entries().items():
            parts[entry["part"]] = (*parts.get(entry["part"], ()), self[name])
        return parts

    def _build(self, name: str) -> Exercise:
        theme, entry = self._entries()[name]
        subject = self._package.rpartition(".")[2]
        return build(entry, f"{subject}.{name}", f"{self._package}.{theme}")

    def _read(self) -> dict[str, tuple[str, Entry]]:
        """Return the file and the entry of each exercise, by position."""
        placed: dict[float, tuple[str, str, Entry]] = {}
        found = _read_files(files(self._package))
        for theme, entries in found.items():
            for name, entry in entries.items():
                place = entry["position"]
                if place in placed:
                    raise BankError(
                        f"{name} in {theme}.yaml and {placed[place][0]} in {placed[place][1]}.yaml "
                        f"both have position {place:g}; give one of them another position"
                    )
                if name in found:
                    raise BankError(
                        f"{name} in {theme}.yaml has the name of a file; rename one of them"
                    )
                placed[place] = name, theme, entry
        return {name: (theme, entry) for _, (name, theme, entry) in sorted(placed.items())}


@cache
def open_subject(package: str) -> Subject:
    """Return the exercises of a subject's package."""
    return Subject(package)


def _read_files(folder: Traversable) -> dict[str, dict[str, Entry]]:
    """Return the entries of each file of a folder; its copy in JSON is read where there is one."""
    names = (file.name.rpartition(".") for file in folder.iterdir())
    return {
        theme: _read_file(folder, theme)
        for theme in {theme for theme, _, kind in names if kind in {"json", "yaml"}}
    }


def _read_file(folder: Traversable, theme: str) -> dict[str, Entry]:
    copy, file = folder / f"{theme}.json", folder / f"{theme}.yaml"
    if copy.is_file():
        entries: dict[str, Entry] = json.loads(copy.read_text(encoding="utf-8"))
        return entries
    return read_yaml(file.read_text(encoding="utf-8"), file.name)


@cache
def read_shared_mistakes() -> dict[str, Entry]:
    """Return the name, cause and hint of each mistake that several exercises have, by id."""
    return _read_file(files(__package__), "shared_mistakes")


def _words(key: str, one: Entry) -> Entry:
    """Return the name, cause and hint of a mistake; what it says itself goes before what it shares.

    Raises
    ------
    BankError
        If it shares the words of a mistake that `shared_mistakes.yaml` has not.
    """
    if "shared" not in one:
        return {"name": key.replace("-", " "), **one}
    known, wanted = read_shared_mistakes(), one["shared"]
    if wanted not in known:
        near = difflib.get_close_matches(wanted, known, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise BankError(
            f"the mistake {key!r} shares {wanted!r}, which is not in shared_mistakes.yaml{guess}",
            ("mistakes", key, "shared"),
        )
    return {**known[wanted], **one}


def read_yaml(text: str, file: str) -> dict[str, Entry]:
    """Return the entries of a text in YAML.

    Raises
    ------
    BankError
        If it is no YAML, or has a key twice; with the line.
    """
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            for place, key in enumerate(keys):
                if key in keys[:place]:
                    line = node.value[place][0].start_mark.line + 1
                    raise BankError(f"{file}, line {line}: {key!r} stands there a second time")
            made: dict[Any, Any] = super().construct_mapping(node, deep)
            return made

    try:
        entries: dict[str, Entry] = yaml.load(text, Loader) or {}
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or problem
        raise BankError(f"{file}{line}: this is no YAML: {what}") from None
    return entries


def find_line(
    text: str, path: Sequence[str], *, containing: str = "", exactly: bool = False
) -> int:
    """Return the line on which something stands in a text in YAML.

    Parameters
    ----------
    text : str
    path : sequence of str
        The keys and places that lead to it. Where one is not there, it is the line of those before.
    containing : str
        Text of a value at or below that place, which is looked for there.
    exactly : bool
        Return 0 where the path does not lead to the end.
    """
    import yaml

    node, line = yaml.compose(text), 1
    for key in path:
        found = None
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == key), None)
        elif isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value):
            found = node.value[int(key)], node.value[int(key)]
        if found is None:
            if exactly:
                return 0
            break
        line, node = found[0].start_mark.line + 1, found[1]
    if containing:
        first = node.start_mark.line if node else 0
        for number, each in enumerate(text.splitlines()[first:], first + 1):
            if containing in each:
                return number
    return line


def as_json(file: Path) -> bytes:
    """Return the copy in JSON of a file in YAML, for a place without a reader of YAML."""
    entries = read_yaml(file.read_text(encoding="utf-8"), file.name)
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()


# An exercise --------------------------------------------------------------------------------------


def build(entry: Entry, name: str, module: str | ModuleType) -> Exercise:
    """Return the exercise that an entry declares.

    Parameters
    ----------
    entry : mapping
        As `schema.json` describes it.
    name : str
        Subject and name in Python, ``ranking.two_areas``.
    module : str or module
        Where the names in Python are looked up; a name is imported if the entry names one.

    Raises
    ------
    BankError
        If the entry names something that is not there, or swaps what is not in its solution.
    """
    return _Reader(entry, name, module).exercise()


def translate(entry: Entry, into: Callable[[str], str]) -> Entry:
    """Return an entry with each of its texts in another language.

    Names, numbers and code stay as they are, and so does a text that a function in Python makes.

    Parameters
    ----------
    entry : mapping
    into : callable
        From a text to the same text in the other language, with the same inputs in braces.
    """

    def text(given: Any) -> Any:
        if isinstance(given, str):
            return into(given)
        if isinstance(given, Mapping):
            is_python = set(given) == {"python"}
            return given if is_python else {key: text(each) for key, each in given.items()}
        return [*map(text, given)]

    made = dict(entry)
    plain = {"lines"} if entry.get("code") else set()
    for key in {"title", "asks", *_TEXTS, *_LISTS_OF_TEXTS, *_NAMED_TEXTS} & set(entry) - plain:
        made[key] = text(entry[key])
    if "solution" in entry:
        made["solution"] = [{**one, "text": text(one["text"])} for one in entry["solution"]]
    if "mistakes" in entry:
        made["mistakes"] = {
            key: {**one, **{part: text(_words(key, one)[part]) for part in _WORDS}}
            for key, one in entry["mistakes"].items()
        }
    return made


class _Reader:
    def __init__(self, entry: Entry, name: str, module: str | ModuleType) -> None:
        self.entry, self.name, self.module = entry, name, module
        self.kind = KINDS[entry["kind"]]

    def exercise(self) -> Exercise:
        entry, (subject, _, attribute) = self.entry, self.name.partition(".")
        values: dict[str, Any] = {key: entry[key] for key in _PLAIN if key in entry}
        values |= {key: self.text(entry[key]) for key in _TEXTS if key in entry}
        for key in _LISTS_OF_TEXTS:
            if key in entry:
                values[key] = tuple(map(self.text, entry[key]))
        for key in _NAMED_TEXTS:
            if key in entry:
                given = entry[key]
                values[key] = (
                    self.find(given["python"])
                    if set(given) == {"python"}
                    else {one: self.text(each) for one, each in given.items()}
                )
        values |= {key: self.find(entry[key]) for key in _FROM_PYTHON if key in entry}
        if "inputs" in entry:
            values["inputs"] = self.data(entry["inputs"])
        if "answer" in entry:
            right = _selection(entry["answer"], self.kind)
            values["solve"] = lambda inputs: right
        elif self.kind is Numbers and "solve" not in entry:
            values["solve"] = self.run(self.code)
        if "follows" in entry:
            values["follows"] = {
                key: _formula(each) if isinstance(each, str) else self.find(each["python"])
                for key, each in entry["follows"].items()
            }
        if "solution" in entry:
            values["steps"] = tuple(
                Step(self.text(one["text"]), one.get("code", "").rstrip("\n"))
                for one in entry["solution"]
            )
        if "mistakes" in entry:
            made = [self.mistake(key, one, values) for key, one in entry["mistakes"].items()]
            # One of the exercise's own is suspected before one that is shared.
            values["mistakes"] = tuple(sorted(made, key=attrgetter("shared")))
        own = entry.get("id", attribute)
        values["attribute"] = "" if own == attribute else attribute
        return self.kind(id=f"{subject}.{own}", **values)

    # Values -------------------------------------------------------------------------------------

    def text(self, given: Any) -> Any:
        """Return a text, or the function of the inputs that makes it."""
        return given if isinstance(given, str) else self.find(given["python"])

    def data(self, given: Any) -> Any:
        """Return what is given as data: `{set: [A, B]}` is a set, `{python: name}` a value."""
        if isinstance(given, Mapping):
            if set(given) == {"python"}:
                return self.find(given["python"])
            if set(given) == {"set"}:
                return set(given["set"])
            return {key: self.data(each) for key, each in given.items()}
        return [*map(self.data, given)] if isinstance(given, list) else given

    def find(self, name: str) -> Any:
        """Return what has a name in the module beside the file."""
        module = _import(self.module) if isinstance(self.module, str) else self.module
        try:
            return attrgetter(name)(module)
        except AttributeError:
            of = self.module
            last = of.rpartition(".")[2] if isinstance(of, str) else Path(str(of.__file__)).stem
            theme = f"{last}.py"
            raise BankError(f"{self.name}: {name!r} is not in {theme}", value=name) from None

    @property
    def code(self) -> str:
        """The code of the worked solution."""
        return "\n".join(one.get("code", "") for one in self.entry["solution"])

    # Mistakes -----------------------------------------------------------------------------------

    def mistake(self, key: str, one: Entry, values: Mapping[str, Any]) -> Mistake:
        wrong, *others = self.ways(key, one, values)
        try:
            words = _words(key, one)
        except BankError as problem:
            raise BankError(f"{self.name}: {problem}", problem.path) from None
        return Mistake(
            id=key,
            name=words["name"],
            wrong_answer=wrong,
            variants=tuple(others),
            cause=self.text(words["cause"]),
            hint=self.text(words["hint"]),
            ambiguous_with=tuple(one.get("ambiguous_with", ())),
            shared="shared" in one,
        )

    def ways(self, key: str, one: Entry, values: Mapping[str, Any]) -> list[Callable[..., Any]]:
        """Return each way in which a mistake is made."""
        if "function" in one:
            return [*map(self.find, [one["function"], *one.get("variants", ())])]
        if "fill" in one:
            fill = one["fill"]
            parameters = ", ".join(signature(values["solve"]).parameters)
            of = make_completer(parameters, values["template"])
            return [*map(of, [fill] if isinstance(fill, str) else fill)]
        if "swap" in one:
            swaps = one["swap"] if isinstance(one["swap"], list) else [one["swap"]]
            try:
                return [self.run(self.swapped(key, swap)) for swap in swaps]
            except BankError as problem:
                raise BankError(str(problem), ("mistakes", key, "swap")) from None
        if "picks" in one:
            return [_pick(one["picks"], values["solve"])]
        for form in ("picks_exactly", "order", "orders"):
            if form in one:
                chosen = _selection(one[form], self.kind, exactly=form == "picks_exactly")
                return [partial(_always, chosen)]
        return [partial(_always, None)]

    def swapped(self, key: str, swap: Mapping[str, Any]) -> str:
        """Return the code of the solution with other text in the place of some."""
        texts = {str(old): str(new) for old, new in swap.items()}
        for old in texts:
            if not re.search(_whole(old), self.code):
                raise BankError(
                    f"{self.name}: the mistake {key!r} swaps {old!r}, which is not in the solution",
                    ("mistakes", key, "swap"),
                )
        # All at once, so that two can change places.
        pattern = "|".join(map(_whole, sorted(texts, key=len, reverse=True)))
        return re.sub(pattern, lambda found: texts[found[0]], self.code)

    def run(self, code: str) -> Callable[..., Any]:
        """Return what code gives: a function it defines, or the answers it ends with."""
        try:
            compiled = compile(code, self.name, "exec")
        except SyntaxError as problem:
            raise BankError(
                f"{self.name}: the code of the solution, or what a swap makes of it, is no Python: "
                f"{(problem.text or '').strip()!r}",
                ("solution",),
            ) from None
        if self.kind is Function:
            scope: dict[str, Any] = {}
            exec(_definitions(code), scope)
            try:
                defined: Callable[..., Any] = scope[self.entry["function"]]
            except KeyError:
                raise BankError(
                    f"{self.name}: the code of the solution defines no {self.entry['function']}",
                    ("solution",),
                ) from None
            return defined

        def answers(inputs: Inputs) -> dict[str, Any]:
            names = dict(inputs)
            exec(compiled, names)
            missing = [name for name in self.entry["asks"] if name not in names]
            if missing:
                raise NameError(f"the worked solution leaves no value in {missing[0]}")
            return {name: names[name] for name in self.entry["asks"]}

        return answers


@cache
def _import(module: str) -> ModuleType:
    try:
        return import_module(module)
    except SystemExit:
        raise ImportError(
            f"{module} ends the program while it is read (sys.exit); take that line out"
        ) from None


def _whole(text: str) -> str:
    """Return a pattern of a text that is no part of a longer name."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) else ""
    return f"{before}{re.escape(text)}{after}"


def _definitions(code: str) -> str:
    """Return the imports and functions of a solution, without the lines that show its use."""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign)
    tree = ast.parse(code)
    tree.body = [one for one in tree.body if isinstance(one, kept)]
    return ast.unparse(tree)


def _formula(source: str) -> Callable[[Mapping[str, float]], float]:
    compiled = compile(source, source, "eval")

    def follows(own: Mapping[str, float]) -> float:
        try:
            # A page traces it with names in the place of numbers, so what it gives stays as it is.
            found: float = eval(compiled, {}, {**own})
        except NameError as missing:
            raise KeyError(missing.name) from None
        return found

    return follows


def _selection(given: Any, kind: type[Exercise], *, exactly: bool = False) -> Any:
    """Return options or lines as `Choice` and `Order` take them."""
    if isinstance(given, Mapping):
        return frozenset(given["all"])
    if isinstance(given, str):
        return given
    if exactly:
        return frozenset(given)
    if kind is Order and given and not isinstance(given[0], str):
        return [tuple(one) for one in given]
    return tuple(given)


def _always(chosen: Any, inputs: Inputs) -> Any:
    return chosen


def _pick(given: str | Sequence[str], solve: Callable[[Inputs], Any]) -> Callable[[Inputs], Any]:
    """Return the mistake of choosing an option, which cannot be made where it is right."""
    if not isinstance(given, str):
        picked = tuple(given)
        return lambda inputs: picked

    def pick(inputs: Inputs) -> str | None:
        right = solve(inputs)
        return None if given in ({right} if isinstance(right, str) else right) else given

    return pick
