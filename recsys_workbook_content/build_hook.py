"""Adds chapters, solutions and `_toc.yml` to what is built, and addresses to its metadata.

In a clone the files lie next to this folder, where the book and the notebooks are made from them;
in an sdist they lie in it, and the addresses are in the sdist's own metadata.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class AddressesHook(MetadataHookInterface):
    """Gives the package the addresses of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them, if this is a clone and the project has an address."""
        names = Path(self.root).parent / "recsys_metrics" / "_core" / "package_names.py"
        if names.is_file():
            told = runpy.run_path(str(names))
            metadata["urls"] = told["project_urls"](told["ADDRESS"])


class ContentHook(BuildHookInterface[Any]):
    """Adds files to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say where each file goes: to its name in the root of what is built."""
        here = Path(self.root)
        source = here if (here / "_toc.yml").is_file() else here.parent
        files = [source / "_toc.yml"]
        for folder in ("chapters", "solutions"):
            files += (source / folder).rglob("*")
        for file in files:
            name = file.relative_to(source)
            if file.is_file() and not any(part.startswith((".", "__")) for part in name.parts):
                build_data["force_include"][str(file)] = name.as_posix()
