"""What `make audit` says of the packages that are pinned; what asks a network is not tested."""

from __future__ import annotations

from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def audit(monkeypatch):
    """The tool."""
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import audit

    return audit


def about(**says: str) -> Message:
    message = Message()
    for name, value in says.items():
        message[name.replace("_", "-")] = value
    return message


@pytest.mark.parametrize(
    ("says", "declared"),
    [
        ({"License_Expression": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"Classifier": "License :: OSI Approved :: BSD License", "License": "x"}, "BSD-3-Clause"),
        ({"License": "Apache License, Version 2.0\n\nwith its text"}, "Apache-2.0"),
        ({"Classifier": "Typing :: Typed"}, ""),
    ],
)
def test_declared_licences_are_parsed(audit, says, declared):
    assert audit.declared(about(**says)) == declared


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND (GPL-3.0-only OR BSD-3-Clause)", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("Commercial", False),
        ("", False),
    ],
)
def test_licence_expressions_are_evaluated(audit, expression, accepted):
    assert audit.accepted(expression) is accepted


def test_unreviewed_licences_are_reported(audit):
    packages = {name: about() for name in audit.READ}
    packages["free"] = about(License_Expression="MIT")
    assert list(audit.unread(packages)) == []
    packages["strict"] = about(License_Expression="AGPL-3.0-only")
    packages["silent"] = about()
    strict, silent = audit.unread(packages)
    assert strict.startswith("strict: AGPL-3.0-only; read it")
    assert silent.startswith("silent: declares no licence; read it")
    del packages["strict"], packages["silent"], packages["docutils"]
    assert list(audit.unread(packages)) == ["docutils was read and is not installed"]


def test_pinned_packages_are_read_from_the_lock_file(audit):
    lock = "numpy==2.0 \\\n    --hash=sha256:0\n# a==1\nuv==0.5 ; sys_platform == 'linux'\n"
    assert audit.pinned(lock) == ["numpy", "uv"]
