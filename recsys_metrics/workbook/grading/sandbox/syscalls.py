"""Which calls of the system a submission can make: a filter for the kernel to hold it to.

Bubblewrap takes away what there is to reach; the filter takes away the ways to make more of it.
It lists what Python with numpy, pandas, matplotlib and threads needs. Any other call is refused,
and so is each that a later kernel adds. A submission has threads, and no second process: so a fork
bomb never begins, and one process is all there is to limit and to end. No call in the list makes
the kernel keep memory that neither the process nor the number of its open files limits: there is
no queue of file events, no timer, no lock on a file or a part of it, no memory that is shared with
nobody, no second table of open files, and no pipe can grow.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator, Mapping, Sequence

# Offsets in the kernel's `struct seccomp_data`; of an argument, the lower half.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24, 32, 40)
# Instructions of the kernel's filter language: load, and, jump if equal / at least, return.
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
# Of clone: a thread, which shares the table of open files with all others.
_THREAD = 0x00010000 | 0x00000400
# Of mmap: memory that is shared and of no file. What is unmapped of it is held on, by nobody.
_SHARED_ANONYMOUS = 0x01 | 0x20
# Numbers from here on are those of another way to call x86-64.
_X32 = 0x40000000
# Calls from here on have the same number on every architecture. The C library knows what to do
# without each of them where a kernel has it not, and not where it is forbidden.
_NEWER = 424

_IDENTIFIERS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# A call, and its number for x86-64 and for the generic table of aarch64.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # Memory of the process itself.
    "brk": (12, 214),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "msync": (26, 227),
    # Open, read and write files.
    "open": (2, None),
    "openat": (257, 56),
    "creat": (85, None),
    "close": (3, 57),
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "lseek": (8, 62),
    "ftruncate": (77, 46),
    "truncate": (76, 45),
    "fallocate": (285, 47),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "fadvise64": (221, 223),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "umask": (95, 166),
    "pipe": (22, None),
    "pipe2": (293, 59),
    # Look at files and folders, and change them.
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    # Wait for pipes. A pair of sockets is what an event loop of Python wakes up by.
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "socketpair": (53, 199),
    "getsockname": (51, 204),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    # Threads, and their signals.
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "gettid": (186, 178),
    "tgkill": (234, 131),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    "kill": (62, 129),
    # Time.
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "alarm": (37, None),
    "getrusage": (98, 165),
    # Who this is and what there is.
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    "getrlimit": (97, 163),
    "getpriority": (140, 141),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    "arch_prctl": (158, None),
    # The runner begins, becomes an ordinary user, and ends.
    "execve": (59, 221),
    "setgroups": (116, 159),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

# Calls that are allowed for some values of an argument: which argument, and the values.
_COMMANDS: dict[str, tuple[tuple[int, int], int, Mapping[str, int]]] = {
    # No lock on a part of a file, of which there may be any number, and no larger pipe.
    "fcntl": (
        (72, 25),
        1,
        {
            "F_DUPFD": 0,
            "F_GETFD": 1,
            "F_SETFD": 2,
            "F_GETFL": 3,
            "F_SETFL": 4,
            "F_DUPFD_CLOEXEC": 1030,
            "F_GETPIPE_SZ": 1032,
        },
    ),
    # Not into a table of open files of its own.
    "close_range": ((436, 436), 2, {"no flag": 0, "CLOSE_RANGE_CLOEXEC": 4}),
    "ioctl": (
        (16, 29),
        1,
        {
            "TCGETS": 0x5401,
            "TIOCGWINSZ": 0x5413,
            "FIONREAD": 0x541B,
            "FIONBIO": 0x5421,
            "FIONCLEX": 0x5450,
            "FIOCLEX": 0x5451,
        },
    ),
    "prctl": (
        (157, 167),
        0,
        {
            "PR_SET_NAME": 15,
            "PR_GET_NAME": 16,
            "PR_GET_NO_NEW_PRIVS": 39,
            "PR_SET_VMA": 0x53564D41,
        },
    ),
}
# A new thread is allowed, and no new process.
_CLONE = (56, 220)
_MMAP = (9, 222)


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
    return b"".join(_instructions(_IDENTIFIERS[kind], list(_IDENTIFIERS).index(kind)))


def _instructions(architecture: int, place: int) -> Iterator[bytes]:
    yield _one(_LOAD, _ARCHITECTURE)
    yield _one(_EQUAL, architecture, then=1)
    yield _one(_RETURN, _KILL)
    yield _one(_LOAD, _NUMBER)
    yield _one(_AT_LEAST, _X32, otherwise=1)
    yield _fail(errno.ENOSYS)
    for row in ALLOWED.values():
        if (number := row[place]) is not None:
            yield _one(_EQUAL, number, otherwise=1)
            yield _one(_RETURN, _ALLOW)
    for numbers, argument, values in _COMMANDS.values():
        yield from _only(numbers[place], argument, [*values.values()])
    yield _one(_EQUAL, _MMAP[place], otherwise=5)
    yield _one(_LOAD, _ARGUMENTS[3])
    yield _one(_AND, _SHARED_ANONYMOUS)
    yield _one(_EQUAL, _SHARED_ANONYMOUS, otherwise=1)
    yield _fail(errno.EPERM)
    yield _one(_RETURN, _ALLOW)
    yield _one(_EQUAL, _CLONE[place], otherwise=4)
    yield _one(_LOAD, _ARGUMENTS[0])
    yield _one(_AND, _THREAD)
    yield _one(_EQUAL, _THREAD, otherwise=1)
    yield _one(_RETURN, _ALLOW)
    # Of a clone that was refused, its flags were loaded last.
    yield _one(_LOAD, _NUMBER)
    yield _one(_AT_LEAST, _NEWER, otherwise=1)
    yield _fail(errno.ENOSYS)
    yield _fail(errno.EPERM)


def _only(number: int, argument: int, values: Sequence[int]) -> Iterator[bytes]:
    """Yield what allows a call for some values of an argument, and refuses it for all others."""
    yield _one(_EQUAL, number, otherwise=2 * len(values) + 2)
    yield _one(_LOAD, _ARGUMENTS[argument])
    for value in values:
        yield _one(_EQUAL, value, otherwise=1)
        yield _one(_RETURN, _ALLOW)
    yield _fail(errno.EPERM)


def _one(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _fail(error: int) -> bytes:
    return _one(_RETURN, _FAIL | error)
