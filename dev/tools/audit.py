"""Look at what requirements.lock pins: under which licences, and with which known holes.

    python dev/tools/audit.py               both
    python dev/tools/audit.py --licences    only what needs no network

A licence is what the package itself declares. One that is in neither of the lists below stops the
audit, until somebody has read it and put it there.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from email.message import Message
from importlib import metadata
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
ACCEPTED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
# What packages without an expression call these.
NAMES = {
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# What declares nothing, or something that has to be read, and what was read.
READ = {
    "axe-playwright-python": "MIT, in its file LICENSE; tests only",
    "docutils": "public domain and BSD; under the GPL is a mode for Emacs, which is not installed",
    "pkginfo": "MIT, in its file LICENSE.txt",
    "protobuf": "BSD-3-Clause, in its file LICENSE, which it calls 3-Clause BSD License",
}


def main() -> int:
    """Print what is wrong and return whether anything is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--licences", action="store_true", help="ask no service for known holes")
    only_licences = parser.parse_args().licences
    pins = pinned(LOCK.read_text(encoding="utf-8"))
    installed, absent = {}, []
    for name in pins:
        try:
            installed[name] = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            absent.append(name)
    faults = list(unread(installed))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"licences of {len(installed)} packages: {len(faults)} to be read")
    if absent:
        print(f"not for this system, and not looked at: {', '.join(absent)}")
    return bool(faults) | (0 if only_licences else holes())


def pinned(lock: str) -> list[str]:
    """Return the names of the packages that a lock pins."""
    return re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE)


def declared(about: Message) -> str:
    """Return what a package says that it is under, in SPDX's words where that can be told."""
    if expression := about.get("License-Expression"):
        return str(expression)
    kinds = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", [])
             if line.startswith("License :: ")]  # fmt: skip
    words = kinds or [str(about.get("License", "")).strip().partition("\n")[0]]
    return " AND ".join(NAMES.get(word, word) for word in words)


def accepted(expression: str) -> bool:
    """Whether all that an expression asks for at once is accepted."""
    parts = (part.strip(" ()") for part in expression.split(" AND "))
    return all(any(one in ACCEPTED for one in part.split(" OR ")) for part in parts)


def unread(packages: Mapping[str, Message]) -> Iterator[str]:
    """Yield the packages whose licence nobody has read, and what was read of none."""
    for name, about in packages.items():
        if name not in READ and not accepted(declared(about)):
            declaration = declared(about) or "declares no licence"
            yield f"{name}: {declaration}; read it, see dev/tools/audit.py"
    for name in sorted(set(READ) - set(packages)):
        yield f"{name} was read and is not installed"


def holes() -> int:
    """Ask the database of known holes, and return whether any package has one or is not in it."""
    home = ROOT / "build" / "audit"
    environments.create(home)
    environments.install(environments.program(home, "python"), "pip-audit")
    command = [environments.program(home, "pip-audit"), "--strict", "--progress-spinner", "off"]
    command += ["--disable-pip", "--require-hashes", "--requirement", str(LOCK)]
    return int(subprocess.run(command, check=False).returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
