"""The other project whose import is `recsys_metrics`: `recsys-metrics` on PyPI.

Where both are installed, one has written its `__init__.py` over that of the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import recsys_metrics
from recsys_metrics._core.package_names import DISTRIBUTION

_NAMESAKE = "recsys-metrics"
# Importing importlib.metadata would take longer than all else that `--version` does.
_RECORDS = f"{_NAMESAKE.replace('-', '[-_.]')}-*-info"


def name_conflict_warning() -> str:
    """Return what to do where the other project is installed too, or nothing.

    Raises
    ------
    SystemExit
        If what is imported as `recsys_metrics` is theirs.
    """
    records = (record for entry in sys.path for record in Path(entry).glob(_RECORDS))
    record = next(records, None)
    ours = "judge" in vars(recsys_metrics)
    if record is None and ours:
        return ""
    version = record.stem[len(_NAMESAKE) + 1 :].partition("-")[0] if record else ""
    name = f"{_NAMESAKE} {version}".rstrip()
    sentence = (
        f"{name} {'is' if record else 'was'} installed here, too. It is another project with the "
        "same import, recsys_metrics, so each overwrites files of the other. Remove both, "
        f"`pip uninstall {_NAMESAKE} {DISTRIBUTION}`, and install {DISTRIBUTION} again; if you "
        "need both, keep each in an environment of its own"
    )
    if not ours:
        sys.exit(f"{DISTRIBUTION}: {sentence}")
    return sentence
