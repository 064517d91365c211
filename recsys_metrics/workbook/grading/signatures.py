"""What only the instructor can compute: a student's numbers, and whose notebook it is.

The exercises are public and so is the way a variant is drawn. What is drawn depends on a seed
made with the course's key, and the key never leaves the course's folder.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence


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


def sign_notebook(key: str, assignment: str, student: str) -> str:
    """Return what says that a notebook was released to a student."""
    return _signed(key, "notebook", assignment, student)


def is_signed(key: str, assignment: str, student: str, tag: str) -> bool:
    """Whether a notebook's signature is the one it was released with."""
    return hmac.compare_digest(sign_notebook(key, assignment, student).encode(), tag.encode())


def _signed(key: str, *parts: str) -> str:
    # The parts hold no line break, so that no two lists of them read the same.
    message = "\n".join(parts).encode()
    return hmac.new(bytes.fromhex(key), message, hashlib.sha256).hexdigest()[:32]
