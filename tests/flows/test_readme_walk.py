"""The walk of the README, typed as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripts.local import schedules
from scripts.local.function_facts import read_all
from scripts.local.functions import ROOT
from scripts.local.sample_documents import pdf
from scripts.local.stack import Options, running
from scripts.local.whereabouts import announced


def walk() -> str:
    """Every shell block between the two marks, one after the other, as one script."""
    marked = (ROOT / "README.md").read_text().split("<!-- walk: begin -->")[1].split("<!-- walk: end -->")[0]
    return "\n".join(re.findall(r"```sh\n(.*?)```", marked, re.DOTALL))


def test_the_walk_of_the_readme_works_as_written(tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(pdf("A letter to archive"))
    data = tmp_path / ".local"
    commands = ("where", "archive", "sql", "verify_receipt")
    (tmp_path / "scripts").mkdir()
    for name in commands:
        extra = "" if name == "verify_receipt" else f" --data {data}"
        shim = tmp_path / "scripts" / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/scripts/{name}" "$@"{extra}\n')
        shim.chmod(0o755)

    with (
        running(Options(data=data)) as stack,
        announced(stack),
        schedules.firing(read_all(ROOT / "functions"), stack.url, stack.internal_api_key),
    ):
        walked = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", walk()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert walked.returncode == 0, walked.stdout + walked.stderr
    assert '"status":"pending"' in walked.stdout
    assert "archived" in walked.stdout
    assert "genuine: document 7c9e6679-7425-40de-944b-e07fc1f90ae7" in walked.stderr
