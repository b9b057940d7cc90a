"""Each package, unpacked into an empty folder with only its own requirements installed, starts and answers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from scripts.packaging.build import ROOT, build
from shared.adapters.ed25519 import generate

FUNCTIONS = sorted(main.parent.name for main in ROOT.glob("functions/*/main.py"))
NOWHERE = "http://127.0.0.1:9"
# Right in form; behind none of these addresses is anybody, which a function must survive to say so.
ENVIRONMENT = {
    "ARCHIVER_DRAIN_URL": NOWHERE,
    "AUDIT_CALLBACK_URL": NOWHERE,
    "AWS_ACCESS_KEY_ID": "id",
    "AWS_S3_ARCHIVE_BUCKET": "queue",
    "AWS_S3_DLQ_BUCKET": "dlq",
    "AWS_S3_ENDPOINT": NOWHERE,
    "AWS_SECRET_ACCESS_KEY": "secret",
    "DATABASE_URL": "postgresql://user:password@127.0.0.1:9/archivolt",
    "INTERNAL_API_KEY": "sixteen characters or more",
    "PAPERLESS_API_TOKEN": "token",
    "PAPERLESS_URL": NOWHERE,
}


def uv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", *arguments, "--quiet"], check=True)


@contextmanager
def served(folder: Path, python: Path, entry_point: str) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [python.with_name("functions-framework"), "--target", entry_point, "--host", "127.0.0.1", "--port", str(port)],
        cwd=folder,
        env={"PATH": os.defpath, **ENVIRONMENT, "RECEIPT_SIGNING_KEY": generate()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def first_answer(url: str, seconds: float = 30) -> httpx.Response:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return httpx.get(url, timeout=20)
        except httpx.ConnectError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_package_starts_alone_and_answers(name: str, tmp_path: Path) -> None:
    (package,) = build(ROOT, tmp_path / "dist", [name])
    folder, python = tmp_path / "unpacked", tmp_path / "venv" / "bin" / "python"
    with ZipFile(package.file) as archive:
        archive.extractall(folder)
    uv("venv", "--python", sys.executable, str(tmp_path / "venv"))
    uv("pip", "sync", "--require-hashes", "--python", str(python), str(folder / "requirements.txt"))
    facts = json.loads((ROOT / "functions" / name / "function.json").read_text())

    with served(folder, python, facts["entryPoint"]) as url:
        answer = first_answer(f"{url}/healthz")
        stranger = httpx.post(f"{url}{facts.get('schedule', {}).get('path', '/v1/archive')}", timeout=20)

    assert answer.status_code in {200, 503}, answer.text
    assert stranger.status_code == 401, stranger.text
