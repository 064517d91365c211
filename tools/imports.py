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

# Folders of packages and of single modules; the second are imported by their names alone.
PACKAGES = ("recsys_metrics", "tests", "benchmarks", "conformance", "recsys_workbook_content")
FOLDERS = ("tools", "book")


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
        For each imported name the attributes that are read of it; None where it is used bare.
    texts : set of str
        String constants.
    """

    path: Path
    package: str
    defined: set[str] = field(default_factory=set)
    bound: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    attributes: dict[str, set[str | None]] = field(default_factory=lambda: defaultdict(set))
    texts: set[str] = field(default_factory=set)


def parse(path: Path, package: str, text: str | None = None) -> Source:
    """Return what a file imports and defines; `text` stands for a file that is no Python."""
    source = Source(path, package)
    try:
        tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    except SyntaxError:
        return source  # its tests say so
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            source.defined.add(node.name)
        else:
            source.defined |= {
                name.id
                for name in ast.walk(node)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds `a`, and reads `b` of it.
                top = alias.name.partition(".")[0]
                source.bound[alias.asname or top] = (alias.name if alias.asname else top, None)
                if not alias.asname and "." in alias.name:
                    source.bound[alias.name] = (alias.name, None)
                    source.attributes[alias.name].add(None)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, package)
            for alias in node.names:
                if alias.name == "*":
                    source.stars.append(module)
                else:
                    source.bound[alias.asname or alias.name] = (module, alias.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            source.texts.add(node.value)
    _note_uses(tree, source)
    return source


def absolute(node: ast.ImportFrom, package: str) -> str:
    """Return the module of an import without leading dots."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _note_uses(tree: ast.AST, source: Source) -> None:
    """Note which attributes are read of each imported name, and where it is used bare."""
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            inside.add(id(node.value))
            if node.value.id in source.bound:
                source.attributes[node.value.id].add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and id(node) not in inside and node.id in source.bound:
            source.attributes[node.id].add(None)


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
            parts = path.relative_to(root).with_suffix("").parts
            parts = parts[1:] if parts[0] in FOLDERS else parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            package = name if is_package else name.rpartition(".")[0]
            self.sources[name] = parse(path, package)
        for path, text in (others or {}).items():
            self.sources[str(path.relative_to(root))] = parse(path, "", text)

    def _files(self) -> Iterator[Path]:
        for folder in (*PACKAGES, *FOLDERS):
            for path in sorted((self.root / folder).rglob("*.py")):
                if not {"_build", "node_modules", "__pycache__"} & set(path.parts):
                    yield path

    def resolve(
        self, module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> str:
        """Return the module that defines a name of a module, or that is this name."""
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
            return module
        # Names that a package imports when they are first asked for.
        if name in source.texts and "__getattr__" in source.defined:
            for text in sorted(source.texts):
                if self.defines(f"{module}.{text}", name):
                    return self.resolve(f"{module}.{text}", name, seen)
        for star in source.stars:
            if self.defines(star, name):
                return self.resolve(star, name, seen)
        return module

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
        """The modules that each module depends on."""
        return {name: set(self._of(name)) & set(self.sources) for name in self.sources}

    def _of(self, name: str) -> Iterator[str]:
        source = self.sources[name]
        yield from source.stars
        for local, (module, own) in source.bound.items():
            target = module if own is None else self.resolve(module, own)
            is_module = own is None or target == f"{module}.{own}"
            uses = source.attributes.get(local, {None})
            # A package that passes names on, and does not use them itself.
            if source.path.name == "__init__.py" and local not in source.attributes:
                yield target
            elif is_module:
                yield from (target if one is None else self._member(target, one) for one in uses)
            else:
                yield target
        # Modules that are imported by their names.
        yield from (text for text in source.texts if "." in text and text in self.sources)

    def _member(self, module: str, name: str) -> str:
        return self.resolve(module, name)

    def affected(self, changed: Iterable[str]) -> dict[str, int]:
        """Return the modules that depend on changed ones, and how many imports lie between."""
        users = defaultdict(set)
        for name, needs in self.dependencies.items():
            for one in needs:
                users[one].add(name)
        distance = dict.fromkeys(changed, 0)
        queue = deque(distance)
        while queue:
            name = queue.popleft()
            # A package that only passes a name on is no step of its own.
            step = int(self.sources[name].path.name != "__init__.py") if name in self.sources else 1
            for user in users[name]:
                if user not in distance or distance[name] + step < distance[user]:
                    distance[user] = distance[name] + step
                    (queue.append if step else queue.appendleft)(user)
        return distance
