"""Exercises that are declared as data: `SUBJECT/THEME.yaml`, with code of the same name beside it.

A file holds exercises by their names. `schema.json` describes each field. What is drawn or computed
is a name in `THEME.py`, and so is a text that follows from the inputs: `{python: name}`. The words
of mistakes that several exercises have are in `shared_mistakes.yaml`. A wheel has a copy of each
file in JSON, which any Python reads without a library.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import json
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
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
from recsys_metrics.workbook.exercises.function import (
    Function,
    TemplateError,
    check_template,
    make_completer,
)
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.yaml_readings import (
    find_misread_structure,
    find_misread_value,
    keep_swaps_as_typed,
)

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
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign)
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


class MissingNameError(BankError):
    """A name in an entry that is not in the Python beside the file.

    Its `value` is the name.
    """


class MissingAnswerError(NameError):
    """A solution that ends without one of the answers.

    Parameters
    ----------
    message : str
    path : tuple of str
        The keys within the entry that lead to the answer.
    """

    def __init__(self, message: str, path: tuple[str, ...]) -> None:
        super().__init__(message)
        self.path = path


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

    def find(self, own: str) -> Exercise:
        """Return the exercise whose id is the subject, a dot and `own`; no other one is made."""
        for name, (_, entry) in self._entries().items():
            if entry.get("id", name) == own:
                return self[name]
        raise KeyError(own)

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
        try:
            return build(
                entry, f"{subject}.{name}", f"{self._package}.{theme}", compile_mistakes=False
            )
        except BankError as problem:
            file = files(self._package) / f"{theme}.yaml"
            line = locate_problem(file.read_text(encoding="utf-8"), name, problem)
            raise BankError(f"{file.name}, line {line}: {problem}") from None

    def _read(self) -> dict[str, tuple[str, Entry]]:
        """Return the file and the entry of each exercise, by position."""
        placed: dict[float, tuple[str, str, Entry]] = {}
        found = _read_files(files(self._package))
        for theme, entries in found.items():
            for name, entry in entries.items():
                for field in ("part", "position"):
                    if field not in entry:
                        raise BankError(f"{name} in {theme}.yaml has no {field}; give it one")
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
        If it is not valid YAML, has a key twice, or a value that YAML reads otherwise than it is
        typed; with the line.
    """
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            made: dict[Any, Any] = super().construct_mapping(node, deep)
            if len(made) < len(node.value):
                keys = [self.construct_object(key, deep=True) for key, _ in node.value]
                place, key = next((at, one) for at, one in enumerate(keys) if one in keys[:at])
                first, again = (
                    node.value[at][0].start_mark.line + 1 for at in (keys.index(key), place)
                )
                raise BankError(
                    f"{file}, line {again}: {name_exercise(text, again)}{key!r} is given a "
                    f"second time; the first is in line {first}. Rename one of them, or delete it."
                )
            return made

    try:
        if misread := find_misread_structure(text, Loader):
            named = name_exercise(text, misread.line)
            raise BankError(f"{file}, line {misread.line}: {named}{misread}")
        root = yaml.compose(text, Loader)
        if root is None:
            return {}
        keep_swaps_as_typed(root)
        if misread := find_misread_value(root, text):
            raise BankError(f"{file}, line {misread.line}: {misread}")
        entries: dict[str, Entry] = _construct(root, Loader) or {}
    except yaml.YAMLError as problem:
        what = str(getattr(problem, "problem", None) or problem)
        mark = getattr(problem, "problem_mark", None)
        if mark is None:
            raise BankError(f"{file}: this is not valid YAML: {what}") from None
        line = mark.line + 1
        begun = getattr(problem, "context_mark", None)
        if opened := _find_open_quote(text, line, begun.line + 1 if begun else line):
            line, guess = (
                opened,
                "; the quotation mark is not closed; put one at the end of the text",
            )
        elif begun is not None and "expected ':'" in what:
            # What has no colon is read as a key until the next line shows that it is none.
            line, guess = begun.line + 1, _explain_missing_colon(text, begun.line + 1)
        else:
            guess = ""
        where = f"{file}, line {line}: {name_exercise(text, line)}"
        raise BankError(f"{where}this is not valid YAML: {what}{guess}") from None
    return entries


def _construct(root: Any, loader: Any) -> Any:
    """Return the values of what a text was composed to."""
    reader = loader("")
    try:
        return reader.construct_document(root)
    finally:
        reader.dispose()


def _explain_missing_colon(text: str, line: int) -> str:
    given = text.splitlines()[line - 1].strip().removeprefix("- ")
    name, rest = re.split("[: ] *", f"{given} ", maxsplit=1)
    rest = rest.strip()
    shown = f"`{name}: {rest[:20]}{'…' if len(rest) > 20 else ''}`" if rest else f"`{name}: …`"
    return f"; a colon and a blank are missing after the name of the field: {shown}"


def name_exercise(text: str, line: int) -> str:
    """Return the exercise that a line belongs to, `two_weeks: `, or nothing."""
    above = re.findall(r"^(\w[\w-]*):", "\n".join(text.splitlines()[:line]), re.MULTILINE)
    return f"{above[-1]}: " if above else ""


def _find_open_quote(text: str, until: int, begun: int) -> int:
    """Return the line that opens the quotation mark that is not closed, or 0.

    The fault is noticed at a later mark, so each line that may be meant is tried: the one after
    which the text can be read further, were its quotation mark closed.
    """
    lines = text.splitlines()
    candidates = []
    for number, line in enumerate(lines[:until], 1):
        # Not an apostrophe within a word: a text begins where nothing, a dash or a colon stands.
        begins = re.search(r"""(?:^\s*(?:- +)?|[:,{\[] *)(["'])((?:(?!\1).)*)$""", line)
        if begins and (begins[1] == "'" or line.replace('\\"', "").count('"') % 2):
            candidates.append((number, begins[1]))
    for number, mark in candidates:
        line = lines[number - 1]
        for at in {len(line), len(line.rstrip("]} "))}:
            closed = f"{line[:at]}{mark}{line[at:]}"
            changed = [*lines[: number - 1], closed, *lines[number:]]
            if _reads_until("\n".join(changed)) > until:
                return number
    return next((number for number, _ in candidates if number == begun), 0)


def _reads_until(text: str) -> float:
    """Return the line that is not valid YAML."""
    import yaml

    try:
        # Events, and no values: these would be nested as deep as the text.
        for _ in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        return mark.line + 1 if mark else 0
    return float("inf")


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

    # As the file was read: what the parser in C accepts, the one in Python may not.
    node, line = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), 1
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
            if containing in each and not each.lstrip().startswith("#"):
                return number
    return line


def locate_problem(text: str, name: str, problem: BankError) -> int:
    """Return the line of what is wrong with an exercise in a text in YAML."""
    return find_line(text, (name, *problem.path), containing=problem.value)


def as_json(file: Path) -> bytes:
    """Return the copy in JSON of a file in YAML, for a place without a reader of YAML."""
    entries = read_yaml(file.read_text(encoding="utf-8"), file.name)
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()


# An exercise --------------------------------------------------------------------------------------


def build(
    entry: Entry, name: str, module: str | ModuleType, *, compile_mistakes: bool = True
) -> Exercise:
    """Return the exercise that an entry declares.

    Parameters
    ----------
    entry : mapping
        As `schema.json` describes it.
    name : str
        Subject and name in Python, ``ranking.two_areas``.
    module : str or module
        Where the names in Python are looked up; a name is imported if the entry names one.
    compile_mistakes : bool
        Whether the swaps of mistakes are compiled now, so that one that is no Python is an error;
        otherwise each is compiled when its mistake is first looked for.

    Raises
    ------
    BankError
        If the entry names something that is not there, or swaps what is not in its solution.
    """
    return _Reader(entry, name, module, compile_mistakes=compile_mistakes).exercise()


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
    def __init__(
        self, entry: Entry, name: str, module: str | ModuleType, *, compile_mistakes: bool
    ) -> None:
        self.entry, self.name, self.module = entry, name, module
        self.compile_mistakes = compile_mistakes
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
        if self.kind is Function:
            self.check_function(values)
        if "answer" in entry:
            right = _selection(entry["answer"], self.kind)
            values["solve"] = lambda inputs: right
        elif self.kind is Numbers and "solve" not in entry:
            values["solve"] = self.run(self.code)
        if "follows" in entry:
            values["follows"] = {
                key: self.formula(key, each) if isinstance(each, str) else self.find(each["python"])
                for key, each in entry["follows"].items()
            }
        if "identifiers" in entry:
            values["identifiers"] = tuple(entry["identifiers"])
        if "solution" in entry:
            values["steps"] = tuple(
                Step(self.text(one["text"]), one.get("code", "").rstrip("\n"))
                for one in entry["solution"]
            )
        if "mistakes" in entry:
            made = [self.mistake(key, one, values) for key, one in entry["mistakes"].items()]
            # One of the exercise's own is suspected before one that is shared.
            values["mistakes"] = tuple(sorted(made, key=attrgetter("shared")))
        self.check_fields(values)
        own = entry.get("id", attribute)
        values["attribute"] = "" if own == attribute else attribute
        try:
            return self.kind(id=f"{subject}.{own}", **values)
        except TemplateError as problem:
            raise BankError(str(problem), problem.path) from None

    def check_fields(self, values: Mapping[str, Any]) -> None:
        """Raise BankError if a field belongs to exercises of another kind."""
        written = {"steps": "solution"}
        known = {kind: {one.name for one in fields(of)} for kind, of in KINDS.items()}
        kind = self.entry["kind"]
        for name in [one for one in values if one not in known[kind]]:
            field = written.get(name, name)
            owners = " and ".join(one for one, names in known.items() if name in names)
            raise BankError(
                f"{self.name}: `{field}` is a field of the kind {owners}, and not of {kind}; "
                "leave it out, or change `kind`",
                (field,),
            )

    def check_function(self, values: Mapping[str, Any]) -> None:
        """Raise BankError unless the template and the solution have the function asked for."""
        self.check_function_name(values["solve"])
        if not {"template", "template_answer"} & set(self.entry):
            return
        parameters = ", ".join(signature(values["solve"]).parameters)
        texts = (self.entry.get(key, "") for key in ("template", "template_answer"))
        try:
            check_template(f"def {self.entry['function']}({parameters})", *texts)
        except TemplateError as problem:
            says = f"{self.name}: {', '.join(problem.path)}: {problem}"
            raise BankError(says, problem.path) from None

    def check_function_name(self, solve: Any) -> None:
        """Raise BankError if the solution gives the function another name than `function`."""
        asked = str(self.entry["function"])
        try:
            tree = ast.parse(self.code)
        except SyntaxError as problem:
            line = (problem.text or "").strip()
            says = f"{self.name}: the solution is no Python: {line!r} ({problem.msg})"
            raise BankError(says, ("solution",), line) from None
        if asked in _find_names(tree):
            return
        defined = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        if "template" in self.entry:
            # The template makes the function, so another one in the solution may be a helper.
            asked_parameters = [*signature(solve).parameters] if callable(solve) else []
            defined = [
                one
                for one in defined
                if [each.arg for each in one.args.args] == asked_parameters
                or difflib.get_close_matches(asked, [one.name], cutoff=0.7)
            ]
            others, verb = _find_unknown_calls(tree), "calls"
            if asked in others:
                return
        else:
            others, verb = [], "defines"
        if defined:
            others, verb = [one.name for one in defined], "defines"
        if others:
            name = next(iter(difflib.get_close_matches(asked, others, n=1)), others[-1])
            says = f"`{asked}`, and the solution {verb} `{name}`; did you mean that?"
        elif "template" not in self.entry:
            says = f"the solution defines no `{asked}`; end it with `def {asked}(...):`"
        else:
            return
        raise BankError(f"{self.name}: function: {says}", ("function",))

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
            path = next(_locate_name(self.entry, name), ())
            raise MissingNameError(f"{self.name}: {name!r} is not in {theme}", path, name) from None

    def formula(self, key: str, source: str) -> Callable[[Mapping[str, float]], float]:
        """Return how an answer follows from others."""
        try:
            return _formula(source)
        except SyntaxError:
            says = f"{self.name}: how {key!r} follows from other answers is no Python: {source!r}"
            raise BankError(says, ("follows", key)) from None

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
            texts = [fill] if isinstance(fill, str) else fill
            return [self.filled(key, each, of) for each in texts]
        if "swap" in one:
            swaps = one["swap"] if isinstance(one["swap"], list) else [one["swap"]]
            return [self.swap(key, one) for one in swaps]
        if "picks" in one:
            return [_pick(one["picks"], values["solve"])]
        for form in ("picks_exactly", "order", "orders"):
            if form in one:
                chosen = _selection(one[form], self.kind, exactly=form == "picks_exactly")
                return [partial(_always, chosen)]
        return [partial(_always, None)]

    def filled(
        self, key: str, text: str, of: Callable[[str], Callable[..., Any]]
    ) -> Callable[..., Any]:
        """Return the function of the template with its gap filled."""
        try:
            return of(text)
        except SyntaxError as problem:
            cure = find_typographic_quotes(text) or (
                f" ({problem.msg}); write the expression alone that replaces `...`"
            )
            raise BankError(
                f"{self.name}: the mistake {key!r} fills the gap with {text!r}, which is no "
                f"Python there{cure}",
                ("mistakes", key, "fill"),
            ) from None

    def swap(self, key: str, swap: Mapping[str, Any]) -> Callable[..., Any]:
        """Return what the solution gives with other text in the place of some."""
        compiled = cache(lambda: self.run(self.swapped(key, swap), mistake=key))
        return compiled() if self.compile_mistakes else lambda *given: compiled()(*given)

    def swapped(self, key: str, swap: Mapping[str, Any]) -> str:
        """Return the code of the solution with other text in the place of some."""
        texts = {str(old): str(new) for old, new in swap.items()}
        for old in texts:
            if not any(_find_whole(old, self.code)):
                raise BankError(
                    f"{self.name}: the mistake {key!r} swaps {old!r}, which is not in the "
                    f"solution{_find_similar_code(old, self.code)}",
                    ("mistakes", key, "swap"),
                    old,
                )
        return swap_code(self.code, texts)

    def run(self, code: str, *, mistake: str = "") -> Callable[..., Any]:
        """Return what code gives: a function it defines, or the answers it ends with."""
        path = ("mistakes", mistake, "swap") if mistake else ("solution",)
        of = f"the solution with the swap of {mistake!r}" if mistake else "the solution"
        try:
            tree = ast.parse(code, self.name)
            if self.kind is Function:
                # Without the lines that show its use.
                tree.body = [one for one in tree.body if isinstance(one, _DEFINITIONS)]
            compiled = compile(tree, self.name, "exec")
        except SyntaxError as problem:
            line = (problem.text or "").strip()
            cure = find_typographic_quotes(line) or f" ({problem.msg})"
            raise BankError(
                f"{self.name}: {of} is no Python: {line!r}{cure}", path, "" if mistake else line
            ) from None
        if self.kind is Function:
            scope: dict[str, Any] = {}
            exec(compiled, scope)
            try:
                defined: Callable[..., Any] = scope[self.entry["function"]]
            except KeyError:
                raise BankError(
                    f"{self.name}: {of} defines no {self.entry['function']}", path
                ) from None
            return defined

        def answers(inputs: Inputs) -> dict[str, Any]:
            names = dict(inputs)
            try:
                exec(compiled, names)
            except Exception as problem:
                problem.add_note(f"in {of}: {_find_source(problem, self.name, code)}")
                raise
            missing = [name for name in self.entry["asks"] if name not in names]
            if missing:
                near = difflib.get_close_matches(missing[0], names.keys() - inputs.keys(), n=1)
                known = [key for key in names if key not in inputs and key != "__builtins__"]
                guess = (
                    f"; did you mean {near[0]!r}, which it leaves?"
                    if near
                    else f"; it leaves {', '.join(known) or 'no name'}"
                )
                raise MissingAnswerError(
                    f"{of.replace('the solution', 'the worked solution', 1)} leaves no value in "
                    f"{missing[0]}{guess}",
                    ("asks", missing[0]) if near and not mistake else path,
                )
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


def _locate_name(node: Any, name: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the fields of an entry that name something in Python."""
    pairs = node.items() if isinstance(node, Mapping) else enumerate(node)
    for key, value in pairs:
        here = (*path, str(key))
        # Outside of a mistake, `function` is the name that a learner gives.
        names_python = key in {*_FROM_PYTHON, "python"} or (key == "function" and path)
        if value == name and (names_python or path[-1:] == ("variants",)):
            yield here
        elif isinstance(value, Mapping | list):
            yield from _locate_name(value, name, here)


def _find_source(problem: Exception, name: str, code: str) -> str:
    """Return the line of a solution that raised an exception."""
    places = traceback.extract_tb(problem.__traceback__)
    numbers = [at.lineno for at in places if at.filename == name and at.lineno]
    return code.splitlines()[numbers[-1] - 1].strip() if numbers else ""


def find_typographic_quotes(text: str) -> str:
    """Return what to do about quotation marks that are no Python, or nothing.

    >>> find_typographic_quotes("“1.0”")
    '; “ and ” are typographic quotation marks: type straight quotation marks'
    """
    marks = [*dict.fromkeys(re.findall("[“”„‟‘’‚«»]", text))]
    if not marks:
        return ""
    are = "are typographic quotation marks" if len(marks) > 1 else "is a typographic quotation mark"
    return f"; {' and '.join(marks)} {are}: type straight quotation marks"


def _find_names(tree: ast.Module) -> set[str]:
    """Return the names that a solution defines, imports or sets at its left margin."""
    names = set[str]()
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            names.add(one.name)
        elif isinstance(one, ast.Import | ast.ImportFrom):
            names |= {each.asname or each.name for each in one.names}
        elif isinstance(one, ast.Assign):
            names |= {each.id for each in one.targets if isinstance(each, ast.Name)}
    return names


def _find_unknown_calls(tree: ast.Module) -> list[str]:
    """Return the names that are called in a solution and that nothing in it defines."""
    known = {*vars(builtins), *_find_names(tree)}
    known |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    names = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    known |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
    called = [one.func for one in ast.walk(tree) if isinstance(one, ast.Call)]
    return [one.id for one in called if isinstance(one, ast.Name) and one.id not in known]


def _find_similar_code(text: str, code: str) -> str:
    """Return what to say of text that is not in the code of a solution."""
    try:
        nodes = [*ast.walk(ast.parse(code))]
    except SyntaxError:
        return ""
    parts = (ast.get_source_segment(code, one) for one in nodes if isinstance(one, ast.expr))
    # A part of the text is no other way to write it.
    others = {part for part in parts if part and part not in text}
    near = difflib.get_close_matches(text, others, n=1, cutoff=0.5)
    guess = f"did you mean {near[0]!r}?" if near else "copy text from the `code` of its steps"
    return f"; {guess}"


def _find_whole(text: str, code: str) -> Iterator[slice]:
    """Yield where a text stands that is no part of a longer name."""
    at = code.find(text)
    while at >= 0:
        end = at + len(text)
        if not (_is_one_name(code[at - 1 : at + 1]) or _is_one_name(code[end - 1 : end + 1])):
            yield slice(at, end)
        at = code.find(text, at + 1)


def _is_one_name(pair: str) -> bool:
    return len(pair) == 2 and all(each.isalnum() or each == "_" for each in pair)


def swap_code(code: str, swap: Mapping[str, str]) -> str:
    """Return code with other text in the place of some, as a mistake's `swap` declares it.

    All is replaced at once, so that two texts can change places, and never a part of a longer name.

    >>> swap_code("hits / k + kept", {"k": "n", "hits": "k"})
    'k / n + kept'
    """
    places = [(at.start, -at.stop, old) for old in swap for at in _find_whole(old, code)]
    parts, done = [], 0
    for start, end, old in sorted(places):
        if start >= done:
            parts += [code[done:start], swap[old]]
            done = -end
    return "".join([*parts, code[done:]])


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
