"""How many examples a property is asked about."""

from __future__ import annotations

import hypothesis

# `make test-quick` asks about fewer; `make test` about all.
WHERE_BRIEF = 12
_most: int | None = None


def be_brief() -> None:
    """Ask about few examples from here on; a module of tests that is imported before asks all."""
    global _most
    _most = WHERE_BRIEF
    hypothesis.settings.register_profile(
        "brief", hypothesis.settings.get_profile("no clock"), max_examples=WHERE_BRIEF
    )
    hypothesis.settings.load_profile("brief")


def examples(number: int) -> hypothesis.settings:
    """Return the settings of a property that is asked about so many examples."""
    return hypothesis.settings(max_examples=number if _most is None else min(number, _most))
