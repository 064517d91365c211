"""Puts `_toc.yml` beside the chapters in a wheel; hatch's `sources` can only move folders.

An editable install needs no copy: there the chapters and the contents are those of the clone.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface[Any]):
    """Adds a file to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say where the file goes, before anything is built."""
        if version == "standard":
            build_data["force_include"]["_toc.yml"] = "recsys_metrics/workbook/notebooks/_toc.yml"
