"""The programs that look for mistakes: tflint from the machine, checkov from a lock of its own."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.terraform_checks.errors import CannotCheckError

TFLINT_VARIABLE = "TFLINT"


def tflint() -> str:
    found = shutil.which("tflint") or os.environ.get(TFLINT_VARIABLE, "")
    if not found or not os.access(found, os.X_OK):
        raise CannotCheckError(f"tflint is neither on the PATH nor where {TFLINT_VARIABLE} says")
    return found


def checkov(repository: Path) -> str:
    """Its 96 packages live apart from ours, with which they disagree about versions."""
    lock = repository / "terraform" / "checkov.lock"
    folder = repository / ".local" / "checkov"
    stamp, wanted = folder / "lock.sha256", hashlib.sha256(lock.read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        folder.parent.mkdir(exist_ok=True)
        _uv("venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        _uv(
            *("pip", "sync", "--quiet", "--require-hashes", "--compile-bytecode"),
            *("--python", str(folder / "bin" / "python"), str(lock)),
        )
        stamp.write_text(wanted)
    return str(folder / "bin" / "checkov")


def _uv(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotCheckError(f"checkov cannot be installed: {done.stderr.strip()}")
