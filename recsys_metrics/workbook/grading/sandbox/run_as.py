"""Who a submission is run as: never as root, and for the kernel as little as for itself.

An ordinary user's sandbox lies in a user namespace, and what runs there can do no more than the
user. Root's would be root to every file that does not know of namespaces, those of the kernel
first of all: so there the submission gets a user of its own, whom nothing belongs to.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics.workbook.grading.limits import GradingError

# systemd's table of user ids has none for these, and 16 bits hold them.
_UNUSED = range(60706, 61184)
# Numbers in the kernel's list of capabilities.
_NEEDED = {"CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
_SYS_ADMIN = 21
_INSIDE = "65534"


@dataclass(frozen=True)
class Account:
    """A user to run submissions as.

    Attributes
    ----------
    uid : int
        As the kernel sees it, outside of any namespace made here.
    bubblewrap : tuple of str
        What bubblewrap is told about it.
    before : int or None
        The user to become before bubblewrap is started.
    inside : int or None
        The user to become in the sandbox, before anything of the submission is there.
    """

    uid: int
    bubblewrap: tuple[str, ...]
    before: int | None = None
    inside: int | None = None


def choose_account() -> Account:
    """Return who submissions are run as here.

    Raises
    ------
    GradingError
        If there is nobody but root.
    """
    namespace = ("--unshare-user", "--uid", _INSIDE, "--gid", _INSIDE, "--cap-drop", "ALL")
    if os.geteuid() != 0 or _is_root_in_name():
        return Account(os.geteuid(), namespace)
    held = int(_status("self")["CapEff"], 16)
    missing = [name for name, number in _NEEDED.items() if not held >> number & 1]
    if missing:
        raise GradingError(
            f"you are root without {', '.join(missing)}, so a submission could not be run as "
            "another user and ended; grade as an ordinary user, or give the container these "
            "capabilities"
        )
    uid = _unused()
    if not held >> _SYS_ADMIN & 1:
        return Account(uid, namespace, before=uid)
    # Bubblewrap needs root to show what only root can reach; of it nothing is left but to become
    # somebody else.
    drop = ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    return Account(uid, drop, inside=uid)


def explain_doubt(pid: int, account: Account) -> str:
    """Return why a process in a sandbox is not who it should be; empty if it is.

    Parameters
    ----------
    pid : int
    account : Account
    """
    status = _status(str(pid))
    uids = {int(uid) for uid in status["Uid"].split()}
    if uids != {account.uid}:
        return f"it runs as user {min(uids)} and not as {account.uid}"
    # Inheritable ones are none to whom the kernel lets gain nothing, which is asked next.
    if any(int(status[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")):
        return "it has kept capabilities"
    if status.get("NoNewPrivs") != "1":
        return "it can gain privileges"
    if status.get("Seccomp") != "2":
        return "the kernel does not filter its system calls"
    return ""


def _status(pid: str) -> Mapping[str, str]:
    lines = Path("/proc", pid, "status").read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _id_map() -> list[tuple[int, int, int]]:
    """Return which users there are: first, first outside of this namespace, how many."""
    lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    rows = [tuple(map(int, line.split())) for line in lines]
    return [(row[0], row[1], row[2]) for row in rows]


def _is_root_in_name() -> bool:
    """Whether root here is an ordinary user outside, and the only one there is."""
    mapped = _id_map()
    return len(mapped) == 1 and mapped[0][2] == 1 and mapped[0][1] != 0


def _unused() -> int:
    """Return a user id that is nobody's."""
    mapped = _id_map()
    for uid in _UNUSED:
        if any(first <= uid < first + count for first, _, count in mapped):
            try:
                pwd.getpwuid(uid)
            except KeyError:
                return uid
    raise GradingError(
        f"you are root, and there is no user id to run a submission as: none of {_UNUSED[0]} to "
        f"{_UNUSED[-1]} is free and mapped in /proc/self/uid_map; grade as an ordinary user"
    )
