"""The command as a program that is forked from a process which has imported what it builds on.

To import packages of others, and the exercises, is most of what a call of the command takes. What
is the command's own each call imports for itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORTED = (
    "jinja2",
    "markdown_it",
    "nbformat",
    "nbgrader.api",
    "numpy",
    "typer",
    "recsys_metrics.workbook.exercises",
)
# Hands its files, arguments, folder and variables over, and ends as the command does.
CLIENT = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    socket.send_fds(server, [b"."], [0, 1, 2])
    asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    server.sendall(asked.encode(errors="surrogateescape") + b"\\n")
    sys.exit(int(server.recv(8) or 1))
"""


@contextmanager
def program(script: Path) -> Iterator[None]:
    """Make a program of the command, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as door:
        path, client = f"{folder}/door", Path(folder, "client.py")
        client.write_text(CLIENT.format(path=path), encoding="utf-8")
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{client}" "$@"\n')
        script.chmod(0o755)
        door.bind(path)
        door.listen()
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.forked_command", str(door.fileno())],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=[door.fileno()],
        )
        door.close()  # who asks a server that has ended is refused
        try:
            yield
        finally:
            server.terminate()
            server.wait(30)


def serve(door: socket.socket) -> None:
    """Fork a command for each who asks, one after another."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    while True:
        asker, _ = door.accept()
        with asker:
            _, files, _, _ = socket.recv_fds(asker, 1, 3)
            arguments, folder, environment = json.loads(asker.makefile("rb").readline())
            child = os.fork()
            if not child:
                door.close()
                run(asker, files, arguments, folder, environment)
            for file in files:
                os.close(file)
            _, status = os.waitpid(child, 0)
            asker.sendall(str(os.waitstatus_to_exitcode(status) & 0xFF).encode())


def run(
    asker: socket.socket,
    files: list[int],
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
) -> None:
    """Be the command, to its end."""
    asker.close()
    for to, file in enumerate(files):
        os.dup2(file, to)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [str(ROOT), *(place for place in sys.path if place not in ("", str(ROOT)))]
    sys.argv[1:] = arguments
    from recsys_metrics.cli import main

    main(arguments)
    sys.exit()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
