"""Kernels of notebooks under test, forked from a process that has imported what all of them need.

A kernel's start and the imports of its first cell take longer than most notebooks; each notebook
still has a process and a namespace of its own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
from importlib.metadata import EntryPoint
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

NAME = "forked"
IMPORTED = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "ipykernel.debugger",
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipywidgets",
    "markdown_it",
    "matplotlib.pyplot",
    "matplotlib_inline.backend_inline",
    "numpy",
    "scipy.stats",
    "recsys_metrics",
    "recsys_metrics.workbook.exercises",
    "recsys_metrics.workbook.explorables",
    "recsys_metrics.workbook.experiments.recommendation_cache",
    "recsys_metrics.workbook.charts",
)

WHILE_IMPORTING = {
    # Matplotlib reads it when it is imported; a kernel sets it when it starts.
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # The debugger of a kernel has no breakpoints to miss.
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


def start(process: BaseProcess) -> None:
    """Start a process; the first starts the server, which imports."""
    os.environ.update(WHILE_IMPORTING)
    try:
        process.start()
    finally:
        for name in WHILE_IMPORTING:
            del os.environ[name]


def become_kernel(file: str, folder: str, environment: dict[str, str]) -> None:
    """Be the kernel that a connection file describes."""
    from ipykernel.kernelapp import IPKernelApp

    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    # Nobody's daemon: a cell may start processes, as it may for a reader.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # As `python -m ipykernel_launcher` has it; and whoever is orphaned ends.
    IPKernelApp.launch_instance(["-f", file], parent_handle=os.getppid())


class _AsPopen:
    """A process as Jupyter looks at one."""

    stdin = stdout = stderr = None

    def __init__(self, process: BaseProcess) -> None:
        self._process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def terminate(self) -> None:
        self._process.terminate()


class Forked(LocalProvisioner):
    """Starts a kernel by forking."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(IMPORTED))
        folder = str(options.get("cwd") or Path.cwd())
        arguments = (self.parent.connection_file, folder, options["env"])
        process = context.Process(target=become_kernel, args=arguments, daemon=True)
        await asyncio.to_thread(start, process)
        self.process = _AsPopen(process)
        self.pid, self.pgid, self.cwd = process.pid, None, folder
        return self.connection_info


def manager(
    home: Path, *, kernel_name: str, kernel_spec_manager: KernelSpecManager
) -> KernelManager:
    """Return the manager of a kernel that talks through files of its own.

    A port that is free when it is looked up may be another worker's by the time a kernel takes
    it; the notebook then waits for a kernel that has ended.
    """
    entry = EntryPoint(NAME, f"{__name__}:{Forked.__name__}", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.instance().provisioners[NAME] = entry
    folder = tempfile.mkdtemp(prefix="kernel-", dir=home)
    kernel = KernelManager(
        transport="ipc",
        connection_file=f"{folder}/kernel.json",
        kernel_name=kernel_name,
        kernel_spec_manager=kernel_spec_manager,
    )
    kernel.kernel_spec.metadata["kernel_provisioner"] = {"provisioner_name": NAME}
    return kernel
