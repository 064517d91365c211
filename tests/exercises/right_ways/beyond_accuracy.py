"""Right answers to the exercises of beyond accuracy that ask for a function."""

from __future__ import annotations

RIGHT_WAYS: dict[str, list] = {}
