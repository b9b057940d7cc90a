"""The stand-in against what real servers answered, step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stand_ins.bench import USERS
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Options, ServerVersion

VARIABLE = "PAPERLESS_CONFORMANCE"


@pytest.fixture
def suite() -> Path:
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} is not set: it names the folder with `conform` and the recordings")
    if not (Path(folder) / "conform").is_file():
        pytest.skip(f"{VARIABLE} is {folder}, where there is no `conform`")
    return Path(folder)


@pytest.mark.parametrize("kept", ["in memory", "on disk"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_recorded_step_is_answered_the_same(
    version: ServerVersion,
    kept: str,
    suite: Path,
    tmp_path: Path,
    paperless: Callable[[Options], HttpServer],
) -> None:
    data = tmp_path / "data" if kept == "on disk" else None
    server = paperless(Options(version, USERS, data=data))
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps({user.name: user.token for user in USERS}))
    recording = suite / "recordings" / f"{version}.json"
    command = [sys.executable, str(suite / "conform"), "check", "--url", server.url, "--tokens", str(tokens)]

    check = subprocess.run(
        [*command, "--against", str(recording)], capture_output=True, text=True, timeout=300, check=False
    )

    assert check.returncode == 0, check.stdout
    assert check.stdout.splitlines()[-1].endswith(" passed, 0 failed")
