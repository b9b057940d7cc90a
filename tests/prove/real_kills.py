"""Crash points with nothing simulated: a real process, real parts, a real SIGKILL at every effect."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

import httpx

from scripts.local.addresses import DLQ_BUCKET, QUEUE_BUCKET, Stack
from scripts.local.functions import ROOT
from scripts.local.receipts import holds
from scripts.local.stack import Options, running
from tests.prove.effects import Side
from tests.prove.report import Proof
from tests.prove.site import Letter


def run(proof: Proof, *, stride: int = 1) -> None:
    with tempfile.TemporaryDirectory() as folder, running(Options(data=Path(folder))) as stack:
        effects = int(_victim(stack, f"calm {uuid4().hex}", 0, Side.BEFORE, 0).stdout)
        points = [(number, side) for number in range(1, effects + 1) for side in Side][::stride]
        for number, side in points:
            _try(proof, stack, number, side)
    proof.count("points with a real SIGKILL", len(points))
    proof.say(f"real processes: {effects} effects, {len(points)} points, each killed by SIGKILL")


def _try(proof: Proof, stack: Stack, point: int, side: Side) -> None:
    name, where = f"victim {uuid4().hex}", f"SIGKILL {side} effect {point}"
    killed = _victim(stack, name, point, side, 0)
    proof.check(killed.returncode == -signal.SIGKILL, f"{where}: it was not killed but ended with {killed.returncode}")
    revived = _victim(stack, name, 0, Side.BEFORE, 10)
    proof.check(revived.returncode == 0, f"{where}: the next process failed: {revived.stderr[-300:]}")
    letter = Letter(name, name, name)
    job = httpx.get(
        f"{stack.url}/archive-write/v1/archive/{letter.key.job_id}",
        headers={"X-Internal-Api-Key": stack.internal_api_key},
        trust_env=False,
    ).json()
    proof.check(job.get("status") == "archived" and not job.get("queued"), f"{where}: {job}")
    receipts = [document["receipt"] for document in job.get("documents", [])]
    genuine = [each is not None and holds(each, stack.receipt_public_keys()) for each in receipts]
    proof.check(genuine and all(genuine), f"{where}: receipts {genuine}")
    proof.check(_copies(stack, letter) == 1, f"{where}: {_copies(stack, letter)} copies")


def _victim(stack: Stack, name: str, point: int, side: Side, minutes: int) -> subprocess.CompletedProcess[str]:
    when = {"point": point, "side": side, "minutes": minutes}
    asked = {"name": name, "queue": QUEUE_BUCKET, "dead": DLQ_BUCKET} | when
    return subprocess.run(
        [sys.executable, "-m", "tests.prove.victim", json.dumps(asked)],
        env={"PATH": os.environ["PATH"], **stack.environment()},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _copies(stack: Stack, letter: Letter) -> int:
    answer = httpx.get(
        f"{stack.paperless.url}/api/documents/",
        params={"checksum__iexact": letter.key.sha256, "fields": "id"},
        headers={"Authorization": f"Token {stack.paperless.token}", "Accept": "application/json; version=9"},
        trust_env=False,
    )
    return int(answer.json()["count"])
