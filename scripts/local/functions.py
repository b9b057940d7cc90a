"""Serves all functions on one port, in a process of their own that sees only the variables given to it.

The server is gunicorn with one worker and threads, which is what functions-framework runs in production: requests
are parsed, streamed and put on threads as they will be there, and it comes with the framework.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local import ports, processes

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "functions"
FOLDER_VARIABLE = "LOCAL_FUNCTIONS_FOLDER"  # read by function_app.py in the process that serves
THREADS = 16
SECONDS_PER_REQUEST = 330  # above the 300 s a function may take


@dataclass(slots=True)
class Functions:
    """The started server of all functions."""

    child: processes.Child
    url: str

    def wait_ready(self, seconds: float = 30.0) -> float:
        return processes.wait_until(self.child, lambda: ports.answers_http(self.url), seconds)

    def stop(self) -> None:
        self.child.stop()


def launch(
    listener: socket.socket, env: dict[str, str], *, log: Path, folder: Path = FOLDER, keep_open: Sequence[int] = ()
) -> Functions:
    """Serve the functions in that folder; they see the variables given here and no other of this machine."""
    port = listener.getsockname()[1]
    command = [
        *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--workers", "1", "--threads", str(THREADS)),
        *("--bind", f"fd://{listener.fileno()}", "--timeout", str(SECONDS_PER_REQUEST), "--graceful-timeout", "5"),
        *("--no-control-socket", "--log-level", "warning", "scripts.local.function_app:application()"),
    ]
    program = processes.Program(
        name="The functions",
        command=command,
        log=log,
        env={"PATH": os.environ.get("PATH", os.defpath), FOLDER_VARIABLE: str(folder), **env},
        cwd=ROOT,
        orphan_signal=signal.SIGTERM,  # gunicorn ends its worker, which would hold the port a moment longer
        keep_open=(*keep_open, listener.fileno()),
    )
    with listener:  # the child's alone from here: if it ends, callers are refused instead of left waiting
        return Functions(processes.start(program), f"http://{ports.HOST}:{port}")
