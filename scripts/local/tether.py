"""Runs a command that ends when the process which started it ends, however that happens.

usage: tether.py signal|pipe PARENT_PID SIGNAL COMMAND...

`signal` asks the Linux kernel to send SIGNAL at the parent's death and then becomes COMMAND. `pipe` is for other
systems: it stays beside COMMAND and sends SIGNAL when standard input, a pipe held by the parent, closes.
Standard library only, as it runs without site-packages.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from types import FrameType

PR_SET_PDEATHSIG = 1
SECONDS_TO_LEAVE = 5.0


def become(command: list[str], parent: int, number: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        sys.exit(f"prctl failed: {os.strerror(ctypes.get_errno())}")
    # The parent may have died before the kernel was asked; nobody would send the signal then.
    if os.getppid() != parent:
        sys.exit("the parent is gone")
    os.execvp(command[0], command)


def stand_beside(command: list[str], number: int) -> int:
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)  # what we were to keep open

    def forward(received: int, _frame: FrameType | None) -> None:
        process.send_signal(received)

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        process.send_signal(number)
        try:
            process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            process.kill()

    for received in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        signal.signal(received, forward)
    threading.Thread(target=end_with_parent, daemon=True).start()
    return process.wait()


if __name__ == "__main__":
    tie, parent, number, *command = sys.argv[1:]
    if tie == "signal":
        become(command, int(parent), int(number))
    sys.exit(stand_beside(command, int(number)))
