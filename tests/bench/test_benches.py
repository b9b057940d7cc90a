"""Each bench runs in its quick form and prints its figures; what they are is for a quiet machine to say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {"name", "ok", "ours", "floor", "ratio", "goal", "unit"}


def bench(name: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, str(ROOT / "scripts" / "bench"), name, "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("name", "further"),
    [
        ("cold-start", {"hello", "over_hello"}),
        ("archive-write", {"resident_mb", "growth", "large_document_adds_mb"}),
        ("drain", {"over_careless", "worker_busy"}),
        ("queue-scale", {"sizes", "small_organization_delivered"}),
        ("dlq", {"list_call_ms", "resident_mb", "growth"}),
    ],
)
def test_a_bench_prints_its_figures_and_exits_by_them(name: str, further: set[str]) -> None:
    code, said = bench(name)

    assert said.keys() >= FIELDS | further
    assert said["name"] == name
    assert (code == 0) is said["ok"]
