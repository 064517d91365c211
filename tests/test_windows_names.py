"""Names that Windows cannot give a file, by the rules of "Naming Files, Paths, and Namespaces"."""

from __future__ import annotations

import pytest

from recsys_metrics._core.windows_names import find_fault_of_name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        *((name, "keeps the name for a device") for name in ("con", "NUL", "aux.csv", "Com1.a.b")),
        *((name, "keeps the name for a device") for name in ("lpt²", "prn ", "con .txt", "CONIN$")),
        *((name, "drops a dot or blank") for name in ("ann.", "ann ", "a.b..")),
        *((f"a{sign}b", f"has no {sign} in names") for sign in '<>:"/\\|?*'),
        ("a\nb", r"has no '\n' in names"),
    ],
)
def test_a_name_that_windows_cannot_hold_has_a_fault(name, says):
    assert says in find_fault_of_name(name)


@pytest.mark.parametrize(
    "name",
    ["ps1", "console", "com", "com10", "com1x.csv", "my.con", "a b", ".a", "é", "lpt", "auxiliary"],
)
def test_other_names_have_none(name):
    assert find_fault_of_name(name) == ""
