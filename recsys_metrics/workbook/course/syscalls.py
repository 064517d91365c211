"""Which calls of the system a submission cannot make: a filter for the kernel to hold it to.

Bubblewrap takes away what there is to reach; the filter takes away the ways to make more of it. A
submission has threads, and no second process: so a fork bomb never begins, and one process is all
there is to limit and to end.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator

# Offsets in the kernel's `struct seccomp_data`.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
# Instructions of the kernel's filter language: load, jump if equal / at least / any bit, return.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_THREAD = 0x00010000
# Numbers from here on are those of another way to call x86-64.
_X32 = 0x40000000

_ARCHITECTURES = {
    "x86_64": (
        0xC000003E,
        {"clone": 56, "fork": 57, "vfork": 58, "ptrace": 101, "mount": 165, "add_key": 248,
         "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298, "setns": 308,
         "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321, "userfaultfd": 323,
         "io_uring_setup": 425, "clone3": 435},
    ),
    "aarch64": (
        0xC00000B7,
        {"clone": 220, "ptrace": 117, "mount": 40, "add_key": 217, "request_key": 218,
         "keyctl": 219, "unshare": 97, "perf_event_open": 241, "setns": 268,
         "process_vm_readv": 270, "process_vm_writev": 271, "bpf": 280, "userfaultfd": 282,
         "io_uring_setup": 425, "clone3": 435},
    ),
}  # fmt: skip


def program(machine: str | None = None) -> bytes | None:
    """Return the filter, compiled.

    Parameters
    ----------
    machine : str, optional
        Kind of processor; this one's by default.

    Returns
    -------
    bytes or None
        None for a processor whose calls are not listed here; processes are then only counted.
    """
    found = _ARCHITECTURES.get(machine or platform.machine())
    if found is None:
        return None
    architecture, numbers = found
    return b"".join(_instructions(architecture, numbers))


def _instructions(architecture: int, numbers: dict[str, int]) -> Iterator[bytes]:
    yield _one(_LOAD, _ARCHITECTURE)
    yield _one(_EQUAL, architecture, then=1)
    yield _one(_RETURN, _KILL)
    yield _one(_LOAD, _NUMBER)
    yield _one(_AT_LEAST, _X32, otherwise=1)
    yield _fail(errno.ENOSYS)
    for name, number in numbers.items():
        if name in {"clone", "clone3"}:
            continue
        yield _one(_EQUAL, number, otherwise=1)
        yield _fail(errno.EPERM)
    # The flags of clone3 cannot be looked at; the C library then tries clone.
    yield _one(_EQUAL, numbers["clone3"], otherwise=1)
    yield _fail(errno.ENOSYS)
    yield _one(_EQUAL, numbers["clone"], otherwise=3)
    yield _one(_LOAD, _FIRST_ARGUMENT)
    yield _one(_ANY_BIT, _THREAD, then=1)
    yield _fail(errno.EPERM)
    yield _one(_RETURN, _ALLOW)


def _one(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _fail(error: int) -> bytes:
    return _one(_RETURN, _FAIL | error)
