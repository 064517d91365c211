"""Which of the project's Python files depends on which, name by name.

`from recsys_metrics import ndcg` depends on the file that defines `ndcg`, and not on all that the
package imports: a package that only passes names on is looked through. A module that is used as a
whole (`dir(ranking)`, `from ranking import *`) stands for everything that it imports.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# What a package itself defines has this after the name of the package.
OWN = ":own"
# Folders of packages and of single modules; the second are imported by their names alone.
PACKAGES = ("recsys_metrics", "tests", "dev", "recsys_workbook_content")
FOLDERS = ("dev/tools", "book")


@dataclass
class Source:
    """What a file imports and defines.

    Attributes
    ----------
    path : Path
    package : str
        The package that a relative import starts from.
    defined : set of str
        Names that the file itself defines at its top.
    bound : dict
        The module, and the name in it if it is not the module itself, behind each imported name.
    stars : list of str
        Modules all of whose names are taken.
    attributes : dict
        For each imported name what is read of it, `ranking.ndcg` of `rm` for `rm.ranking.ndcg`;
        nothing where it is used bare.
    texts : set of str
        String constants.
    """

    path: Path
    package: str
    defined: set[str] = field(default_factory=set)
    bound: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    attributes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: set[str] = field(default_factory=set)


def parse(path: Path, package: str, text: str | None = None) -> Source:
    """Return what a file imports and defines; `text` stands for a file that is no Python."""
    source = Source(path, package)
    try:
        tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    except (SyntaxError, UnicodeDecodeError):
        return source  # Python says so when a test imports it
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            source.defined.add(node.name)
        else:
            source.defined |= {
                name.id
                for name in ast.walk(node)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds `a`, and reads `b` of it.
                top = alias.name.partition(".")[0]
                source.bound[alias.asname or top] = (alias.name if alias.asname else top, None)
                if not alias.asname and "." in alias.name:
                    source.bound[alias.name] = (alias.name, None)
                    source.attributes[alias.name].add("")
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, package)
            for alias in node.names:
                if alias.name == "*":
                    source.stars.append(module)
                else:
                    source.bound[alias.asname or alias.name] = (module, alias.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            source.texts.add(node.value)
    _note_uses(nodes, source)
    return source


def absolute(node: ast.ImportFrom, package: str) -> str:
    """Return the module of an import without leading dots."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _note_uses(nodes: list[ast.AST], source: Source) -> None:
    """Note what is read of each imported name."""
    inside = set()
    # From the outermost attribute inwards: `a.b.c` is one use of `a`, and not two.
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in inside:
            parts, value = [node.attr], node.value
            while isinstance(value, ast.Attribute):
                inside.add(id(value))
                parts.append(value.attr)
                value = value.value
            if isinstance(value, ast.Name):
                inside.add(id(value))
                if value.id in source.bound:
                    source.attributes[value.id].add(".".join(reversed(parts)))
        elif isinstance(node, ast.Name) and id(node) not in inside and node.id in source.bound:
            source.attributes[node.id].add("")


def module_name(file: str) -> str:
    """Return the module that a Python file of the checkout is, whether or not it is there.

    >>> module_name("recsys_metrics/ranking/__init__.py"), module_name("dev/tools/changed.py")
    ('recsys_metrics.ranking', 'changed')
    """
    for folder in FOLDERS:
        file = file.removeprefix(f"{folder}/")
    parts = Path(file).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Graph:
    """The files of a checkout and what they depend on.

    Parameters
    ----------
    root : Path
        The checkout.
    others : dict, optional
        Code of files that are no Python, such as the cells of a notebook, by their path.
    """

    def __init__(self, root: Path, others: dict[Path, str] | None = None) -> None:
        self.root = root
        self.sources: dict[str, Source] = {}
        for path in self._files():
            name = module_name(path.relative_to(root).as_posix())
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            self.sources[name] = parse(path, package)
        for path, text in (others or {}).items():
            self.sources[str(path.relative_to(root))] = parse(path, "", text)

    def _files(self) -> Iterator[Path]:
        for folder in (*PACKAGES, "book"):
            for path in sorted((self.root / folder).rglob("*.py")):
                if not {"_build", "node_modules", "__pycache__"} & set(path.parts):
                    yield path

    def resolve(
        self, module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> str:
        """Return the module that defines a name of a module, or that is this name."""
        if module.replace(".", "/") in FOLDERS and name in self.sources:
            return name
        if (inside := f"{module}.{name}") in self.sources:
            return inside
        source = self.sources.get(module)
        if source is None or (module, name) in seen:
            return module
        seen |= {(module, name)}
        if name in source.bound:
            origin, own = source.bound[name]
            return origin if own is None else self.resolve(origin, own, seen)
        if name in source.defined:
            return self.own(module)
        # Names that a package imports when they are first asked for.
        if name in source.texts and "__getattr__" in source.defined:
            for text in sorted(source.texts):
                if self.defines(f"{module}.{text}", name):
                    return self.resolve(f"{module}.{text}", name, seen)
        for star in source.stars:
            if self.defines(star, name):
                return self.resolve(star, name, seen)
        return module

    def own(self, module: str) -> str:
        """Return the name of what a module itself defines, without what a package passes on."""
        return f"{module}{OWN}" if self.sources[module].path.name == "__init__.py" else module

    def defines(self, module: str, name: str) -> bool:
        """Return whether a module has a name of its own or passes it on."""
        source = self.sources.get(module)
        return source is not None and (
            name in source.defined
            or name in source.bound
            or any(self.defines(star, name) for star in source.stars)
        )

    @cached_property
    def dependencies(self) -> dict[str, set[str]]:
        """The modules that each module depends on; of a package also what it itself defines."""
        found = {name: set(self._of(name)) for name in self.sources}
        for name in [name for name in self.sources if self.own(name) != name]:
            found[self.own(name)] = set(self._of(name, passed_on=False))
            found[name].add(self.own(name))
        # A module that was deleted is still what others import.
        ours = tuple(f"{package}." for package in PACKAGES)
        return {
            name: {need for need in needs if need in found or need.startswith(ours)}
            for name, needs in found.items()
        }

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """The modules that depend on each module."""
        found: dict[str, set[str]] = defaultdict(set)
        for name, needs in self.dependencies.items():
            for one in needs:
                found[one].add(name)
        return found

    def _of(self, name: str, *, passed_on: bool = True) -> Iterator[str]:
        source = self.sources[name]
        yield from source.stars if passed_on else ()
        for local, (module, own) in source.bound.items():
            target = module if own is None else self.resolve(module, own)
            is_module = own is None or target == f"{module}.{own}"
            # A package that passes names on, and does not use them itself.
            if source.path.name == "__init__.py" and local not in source.attributes:
                yield from [target] if passed_on else ()
            elif is_module:
                yield from (self._member(target, use) for use in source.attributes.get(local, {""}))
            else:
                yield target
        # Modules that are imported by their names.
        yield from (text for text in source.texts if "." in text and text in self.sources)

    def _member(self, module: str, use: str) -> str:
        """Return the module that defines what is read of a module, such as `ranking.ndcg`."""
        first, _, rest = use.partition(".")
        found = self.resolve(module, first) if first else module
        # What follows belongs to the thing, unless the thing is a module.
        is_module = found.rpartition(".")[2] == first and found != module
        return self._member(found, rest) if rest and is_module else found

    def affected(self, changed: Iterable[str]) -> dict[str, int]:
        """Return the modules that depend on changed ones, and how many imports lie between."""
        changed = list(changed)
        distance = dict.fromkeys([*changed, *map(self.own, filter(self.sources.get, changed))], 0)
        queue = deque(distance)
        while queue:
            name = queue.popleft()
            # A package that passes a name on, or puts it into a table, is no step of its own.
            module = name.removesuffix(OWN)
            step = int(module not in self.sources or self.own(module) == module)
            for user in self.users.get(name, ()):
                if user not in distance or distance[name] + step < distance[user]:
                    distance[user] = distance[name] + step
                    (queue.append if step else queue.appendleft)(user)
        return distance
