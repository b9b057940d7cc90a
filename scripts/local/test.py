"""The command scripts/test: pytest over everything, on two processes unless told otherwise."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import pytest

from scripts.local.functions import ROOT

# Arguments that name their own number of processes, or that want to see one process at work.
ONE_PROCESS = ("-n", "--numprocesses", "--pdb", "--trace", "--collect-only", "--co", "-s")


def main() -> NoReturn:
    os.chdir(ROOT)
    sys.exit(pytest.main(pytest_arguments(sys.argv[1:])))


def pytest_arguments(given: list[str]) -> list[str]:
    single = any(word.startswith(ONE_PROCESS) or "::" in word for word in given)
    return given if single else ["-n", "2", "--dist", "worksteal", *given]
