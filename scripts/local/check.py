"""The command scripts/check: layout, style, types and import rules, all of them even if one fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import NoReturn

from scripts.local.console_output import say
from scripts.local.functions import ROOT

# Not functions: each main.py has the same module name, so each is checked by itself.
PACKAGES = ("shared", "scripts", "tests")


def checks() -> dict[str, list[str]]:
    types = [sys.executable, "-m", "mypy", "--strict"]
    return {
        "style": [sys.executable, "-m", "ruff", "check", "."],
        "layout": [sys.executable, "-m", "ruff", "format", "--check", "."],
        "types": [*types, *PACKAGES],
        **{f"types of {main.parent.name}": [*types, str(main)] for main in sorted(ROOT.glob("functions/*/main.py"))},
        "imports": [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
    }


def main() -> NoReturn:
    os.chdir(ROOT)
    failed = [name for name, command in checks().items() if not passes(name, command)]
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    sys.exit(1 if failed else 0)


def passes(name: str, command: list[str]) -> bool:
    began = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    good = result.returncode == 0
    say(f"{'ok    ' if good else 'failed'} {name:<24} {time.monotonic() - began:5.1f} s")
    if not good:
        say(result.stdout)
    return good
