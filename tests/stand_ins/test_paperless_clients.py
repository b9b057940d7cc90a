"""Clients that others wrote: curl, and pypaperless."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypaperless
import pytest
from pypaperless.models.classifiers import TagHelper

from tests.stand_ins.bench import USERS
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Options, ServerVersion
from tests.stand_ins.papers import letter

Start = Callable[[Options], HttpServer]
DRAFT = {"color": "#00ff00", "is_inbox_tag": False, "is_insensitive": True, "match": "", "matching_algorithm": 0}
# What pypaperless asks for by itself is older than version 3 knows.
NINE = {"headers": {"Accept": "application/json; version=9"}}


def curl(*arguments: str) -> str:
    program = shutil.which("curl")
    assert program, "curl is not installed"
    command = [program, "--silent", "--show-error", "--max-time", "20", "-H", "Authorization: Token alice-token"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True, timeout=30).stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_pypaperless_creates_and_lists_tags(version: ServerVersion, paperless: Start) -> None:
    server = paperless(Options(version, USERS))

    async def work() -> list[str | None]:
        api = pypaperless.Paperless(server.url, "alice-token", request_args=NINE)
        try:
            tags = TagHelper(api)
            for name in ("one", "two"):
                await tags.draft(name=name, **DRAFT).save()
            return [tag.name async for tag in tags]
        finally:
            await api.close()

    assert asyncio.run(work()) == ["one", "two"]


@pytest.mark.parametrize("version", VERSIONS)
def test_curl_uploads_and_finds_a_document(version: ServerVersion, paperless: Start, tmp_path: Path) -> None:
    server = paperless(Options(version, USERS))
    file = tmp_path / "c.pdf"
    file.write_bytes(letter("curl") + b"%" + b"x" * 2_000_000)
    tag = json.loads(curl("-d", "name=Org", f"{server.url}/api/tags/"))["id"]
    form = ("-F", f"document=@{file}", "-F", "title=Curl sample", "-F", "created=2024-02-03", "-F", f"tags={tag}")

    task = json.loads(curl(*form, f"{server.url}/api/documents/post_document/"))
    found = json.loads(curl(f"{server.url}/api/documents/?tags__id__all={tag}"))

    assert len(task) == 36
    assert [row["title"] for row in found["results"]] == ["Curl sample"]


def test_curl_orders_a_fault(paperless: Start) -> None:
    server = paperless(Options(users=USERS))

    curl("-X", "POST", "-d", '{"kind": "error", "status": 502}', f"{server.url}/stand-in/faults")
    status = curl("-o", "/dev/null", "-w", "%{http_code}", f"{server.url}/api/tags/")
    curl("-X", "DELETE", f"{server.url}/stand-in/faults")
    afterwards = curl("-o", "/dev/null", "-w", "%{http_code}", f"{server.url}/api/tags/")

    assert (status, afterwards) == ("502", "200")
