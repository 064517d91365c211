"""What a wheel has besides: each file of exercises in JSON, which any Python reads, and fast."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BankHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the copies outside of the source tree, and names them to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add a copy for each file; an editable installation reads the files themselves."""
        if version == "editable":
            return
        root = Path(self.root)
        self.copies = copies = Path(tempfile.mkdtemp())
        for file in sorted((root / "recsys_metrics/workbook/exercises").rglob("*.yaml")):
            inside = file.relative_to(root).with_suffix(".json")
            copy = copies / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            entries = yaml.safe_load(file.read_text(encoding="utf-8"))
            copy.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
            build_data["force_include"][str(copy)] = inside.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        if version != "editable":
            shutil.rmtree(self.copies)
