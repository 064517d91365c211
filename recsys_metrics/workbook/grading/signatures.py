"""What only the instructor can compute: a student's numbers, and whose notebook it is.

The exercises are public and so is the way a variant is drawn. What is drawn depends on a seed
made with the course's key, and the key never leaves the course's folder.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

MOST_RELEASES = 20
"""As often can an assignment of one name be released."""


def create_key() -> str:
    """Return a key for a new course."""
    return secrets.token_hex(32)


def derive_seed(key: str, assignment: str, student: str, exercise: str) -> str:
    """Return what a student's variant of an exercise is drawn from."""
    return _signed(key, "variant", assignment, student, exercise)


def choose_seed(
    key: str, assignment: str, student: str, exercise: str, seeds: Sequence[str]
) -> str:
    """Return which of some public variants a student answers where no other can be drawn."""
    drawn = _signed(key, "page", assignment, student, exercise)
    return seeds[int(drawn, 16) % len(seeds)]


def sign_notebook(key: str, assignment: str, student: str, release: int = 1) -> str:
    """Return what says that a notebook was released to a student.

    Parameters
    ----------
    key, assignment, student : str
    release : int
        2 for the release after one that was taken back.
    """
    again = [f"release {release}"] if release > 1 else []
    return _signed(key, "notebook", assignment, student, *again)


def find_release(key: str, assignment: str, student: str, tag: str) -> int:
    """Return with which release a notebook's signature agrees; 0 if with none."""
    for release in range(1, MOST_RELEASES + 1):
        signed = sign_notebook(key, assignment, student, release)
        if hmac.compare_digest(signed.encode(), tag.encode()):
            return release
    return 0


def _signed(key: str, *parts: str) -> str:
    # The parts hold no line break, so that no two lists of them read the same.
    message = "\n".join(parts).encode()
    return hmac.new(bytes.fromhex(key), message, hashlib.sha256).hexdigest()[:32]
