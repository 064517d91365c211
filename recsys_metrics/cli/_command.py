"""A command that takes each option once, where it has one value."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand


class StrictCommand(TyperCommand):
    """A command that refuses a second value of an option, of which the last would count."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and raise if an option of one value is given twice."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        for option, times in Counter(order).items():
            several = getattr(option, "multiple", True) or getattr(option, "is_flag", False)
            if times > 1 and option.param_type_name == "option" and not several:
                raise typer.BadParameter(
                    f"it is given {times} times; give it once", param_hint=f"'{option.opts[-1]}'"
                )
        return super().parse_args(ctx, args)
