"""Install both packages from an index, as a new user would, and print a number.

    python dev/tools/rehearse.py --number 7                   version 1.2.3.dev7 from the test index
    python dev/tools/rehearse.py --number 7 --index URL       from another index

The workflow `rehearsal.yml` runs it after it has published. Only the project's own two packages
come from that index; whatever they depend on comes from the usual one, since anybody may upload a
package of any name to a test index.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST_INDEX = "https://test.pypi.org/simple/"
PACKAGES = ("recsys-workbook-content", "recsys-workbook")
EXTRAS = "chapters,frames"
# An index shows a new file with a delay.
TRIES, PAUSE = 20, 15


def main() -> int:
    """Install, run the example, and return whether a number was printed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, required=True, help="of the development version")
    parser.add_argument("--index", default=TEST_INDEX, metavar="URL")
    parser.add_argument("--tries", type=int, default=TRIES, help=f"one every {PAUSE} seconds")
    options = parser.parse_args()
    version = f"{base_version()}.dev{options.number}"
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        programs = Path(folder, "env", "bin")
        pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        pip += ["install", "--no-cache-dir"]
        ours = [f"{name}=={version}" for name in PACKAGES]
        if not tried([*pip, "--no-deps", "--index-url", options.index, *ours], options.tries):
            print(f"{' and '.join(ours)} cannot be had from {options.index}", file=sys.stderr)
            return 1
        subprocess.run([*pip, f"{PACKAGES[1]}[{EXTRAS}]=={version}"], check=True)
        command = str(programs / PACKAGES[1])
        print(output(command, "--version", folder=folder), end="")
        program, *words = (
            output(command, "evaluate", "--example", folder=folder).splitlines()[-1].split()
        )
        report = output(str(programs / program), *words, folder=folder)
    number = re.search(r"^ndcg +\d\.\d{3}.*$", report, re.MULTILINE)
    print(number[0] if number else f"no number in\n{report}")
    return number is None


def base_version() -> str:
    """Return the version of this clone, which the development version goes before."""
    text = (ROOT / "recsys_metrics" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)[0]


def tried(command: list[str], tries: int) -> bool:
    """Run a command until it succeeds, at most so many times, and return whether it did."""
    for left in reversed(range(tries)):
        if subprocess.run(command, check=False).returncode == 0:
            return True
        if left:
            print(f"· not there yet; {left} more tries", flush=True)
            time.sleep(PAUSE)
    return False


def output(*command: str, folder: str) -> str:
    """Return what a program prints in another folder."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
