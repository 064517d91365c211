"""Which calls of the system a submission cannot make: a filter for the kernel to hold it to.

Bubblewrap takes away what there is to reach; the filter takes away the ways to make more of it. A
submission has threads, and no second process: so a fork bomb never begins, and one process is all
there is to limit and to end. Memory that no process holds would be counted by nobody: so there is
none to ask for.
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

_IDENTIFIERS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
# Calls have had the same number on every architecture since 2019; the kernel's headers say so.
_CLONE3 = 435

# Refused to everybody: the name, and its number for x86-64 and for the generic table of aarch64.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # Another process, and another view of the system.
    "fork": (57, None),
    "vfork": (58, None),
    "unshare": (272, 97),
    "setns": (308, 268),
    # A look into one.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # Memory that belongs to no process, or that a pipe keeps when the process has let go of it.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    # A namespace holds the internet's addresses; those of a virtual machine's host, it does not.
    "socket": (41, 198),
    # Another file system.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    # What a kernel has had its bugs in, and what is the whole machine's.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
}


def compile_filter(machine: str | None = None) -> bytes | None:
    """Return the filter, compiled.

    Parameters
    ----------
    machine : str, optional
        Kind of processor; this one's by default.

    Returns
    -------
    bytes or None
        None for a processor whose calls are not listed here.
    """
    kind = machine or platform.machine()
    if kind not in _IDENTIFIERS:
        return None
    return b"".join(_instructions(_IDENTIFIERS[kind], _CLONE[kind], _refused(kind)))


def _refused(machine: str) -> list[int]:
    place = list(_IDENTIFIERS).index(machine)
    return [number for row in REFUSED.values() if (number := row[place]) is not None]


def _instructions(architecture: int, clone: int, refused: list[int]) -> Iterator[bytes]:
    yield _one(_LOAD, _ARCHITECTURE)
    yield _one(_EQUAL, architecture, then=1)
    yield _one(_RETURN, _KILL)
    yield _one(_LOAD, _NUMBER)
    yield _one(_AT_LEAST, _X32, otherwise=1)
    yield _fail(errno.ENOSYS)
    for number in refused:
        yield _one(_EQUAL, number, otherwise=1)
        yield _fail(errno.EPERM)
    # The flags of clone3 cannot be looked at; the C library then tries clone.
    yield _one(_EQUAL, _CLONE3, otherwise=1)
    yield _fail(errno.ENOSYS)
    yield _one(_EQUAL, clone, otherwise=3)
    yield _one(_LOAD, _FIRST_ARGUMENT)
    yield _one(_ANY_BIT, _THREAD, then=1)
    yield _fail(errno.EPERM)
    yield _one(_RETURN, _ALLOW)


def _one(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _fail(error: int) -> bytes:
    return _one(_RETURN, _FAIL | error)
