"""A document's whole way, over HTTP, through all three functions served as in production."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mypy_boto3_s3 import S3Client

from scripts.local import functions, ports
from scripts.local.databases import PostgresAccess
from scripts.local.functions import Functions
from scripts.local.seaweedfs import S3Access
from shared.adapters.ed25519 import verify
from shared.domain.receipt import Signature, canonical
from tests.conftest import ready
from tests.functions.conftest import Site, new_site
from tests.functions.sending import AUTH, KEY, fields, some_letter
from tests.stand_ins.paperless.options import VERSIONS

ON_THE_WAY = ("archive-write", "archiver-drain", "audit-callback")
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Walk:
    """All functions behind one port."""

    site: Site
    client: httpx.Client

    def drain(self) -> dict[str, Any]:
        answer = self.client.post("/archiver-drain/", json={"budgetSeconds": 60})
        report: dict[str, Any] = answer.raise_for_status().json()
        return report

    def job(self, job_id: str) -> dict[str, Any]:
        job: dict[str, Any] = self.client.get(f"/archive-write/v1/archive/{job_id}").raise_for_status().json()
        return job

    def receipt_is_good(self, receipt: dict[str, Any]) -> bool:
        payload = {name: value for name, value in receipt.items() if name != "signature"}
        signature = Signature(receipt["signature"]["keyId"], receipt["signature"]["value"])
        return verify(canonical(payload), signature, self.site.public_keys)


@pytest.fixture(scope="module", params=VERSIONS)
def walk(
    request: pytest.FixtureRequest, session_folder: Path, postgres: PostgresAccess, s3: S3Access, s3_client: S3Client
) -> Iterator[Walk]:
    with new_site(postgres, s3, s3_client, request.param) as site:
        listener = ports.listen(0)
        callback = f"http://127.0.0.1:{listener.getsockname()[1]}/audit-callback"
        env = {**site.env, "AUDIT_CALLBACK_URL": callback}
        with (
            ready(session_folder, lambda folder: serve(folder, listener, env)) as served,
            httpx.Client(base_url=served.url, headers=AUTH, timeout=60, trust_env=False) as client,
        ):
            yield Walk(site, client)


def serve(folder: Path, listener: socket.socket, env: dict[str, str]) -> Functions:
    """The functions of the archive path, and no other."""
    for name in ON_THE_WAY:
        (folder / name).symlink_to(functions.FOLDER / name)
    return functions.launch(listener, env, log=folder / "log", folder=folder)


def curl(url: str, file: Path, given: dict[str, str], **headers: str) -> tuple[int, dict[str, Any]]:
    """What a person would type."""
    parts = [part for name, value in given.items() for part in ("-F", f"{name}={value}")]
    said = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    command = ["curl", "-sS", "--noproxy", "*", "-w", "\n%{http_code}", "-H", f"X-Internal-Api-Key: {KEY}", *said]
    done = subprocess.run(
        [*command, *parts, "-F", f"document=@{file}", url], capture_output=True, text=True, timeout=60, check=True
    )
    body, _, status = done.stdout.rpartition("\n")
    return int(status), json.loads(body)


def test_a_document_is_taken_delivered_proven_and_recognised_when_it_comes_again(walk: Walk, tmp_path: Path) -> None:
    content = some_letter()
    file, url = tmp_path / "invoice.pdf", f"{walk.client.base_url}/archive-write/v1/archive"
    file.write_bytes(content)
    given = fields(content, invoiceNumber="F-17")

    status, accepted = curl(url, file, given, traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
    report = walk.drain()
    job = walk.job(accepted["jobId"])
    again_status, again = curl(url, file, given)

    assert (status, accepted["status"], accepted["audit"]) == (202, "pending", "recorded")
    assert (report["archived"], report["stoppedBecause"]) == (1, "queue_empty")
    assert (job["status"], job["queued"]) == ("archived", False)
    [document] = job["documents"]
    assert document["bilkoDocumentId"] == given["bilkoDocumentId"]
    assert document["paperlessUrl"].startswith(walk.site.env["PAPERLESS_URL"])
    assert walk.receipt_is_good(document["receipt"])
    assert (document["receipt"]["sha256"], document["receipt"]["jobId"]) == (given["sha256"], accepted["jobId"])
    assert (again_status, again["status"]) == (200, "archived")
    assert (again["paperlessUrl"], again["receipt"]) == (document["paperlessUrl"], document["receipt"])
    assert walk.site.queued() == []


def test_a_receipt_that_was_changed_does_not_hold(walk: Walk) -> None:
    content = some_letter()
    given = fields(content)
    sent = walk.client.post("/archive-write/v1/archive", data=given, files={"document": ("a.pdf", content)})
    walk.drain()
    receipt = walk.job(sent.json()["jobId"])["documents"][0]["receipt"]

    changed = [walk.receipt_is_good({**receipt, name: "other"}) for name in receipt if name != "signature"]

    assert walk.receipt_is_good(receipt)
    assert changed == [False] * (len(receipt) - 1)


def test_a_pdf_of_33_megabytes_goes_by_a_presigned_address(walk: Walk) -> None:
    organization = str(uuid4())
    content = some_letter()
    # Bytes after the last %%EOF of one PDF and before that of the next are simply never looked at.
    content += b"\n%" + b"x" * (33 * MEGABYTE) + b"\n" + content
    given = {**fields(content), "organizationId": organization}
    asked = {"organizationId": organization, "size": len(content)}

    offer = walk.client.post("/archive-write/v1/archive/uploads", json=asked)
    address = offer.json()
    request = urllib.request.Request(address["url"], data=content, headers=address["headers"], method="PUT")
    with urllib.request.urlopen(request, timeout=60) as put:
        stored = put.status
    accepted = walk.client.post("/archive-write/v1/archive", json={**given, "uploadId": address["uploadId"]})
    report = walk.drain()

    job = walk.job(accepted.json()["jobId"])
    assert (offer.status_code, stored, accepted.status_code, report["archived"]) == (201, 200, 202, 1)
    assert job["status"] == "archived"
    assert job["sha256"] == hashlib.sha256(content).hexdigest()
    assert walk.receipt_is_good(job["documents"][0]["receipt"])
    assert walk.site.queued() == []


def test_a_body_over_what_cloud_run_takes_is_refused_over_the_wire_too(walk: Walk) -> None:
    content = b"%PDF-" + b"x" * (34 * MEGABYTE) + b"%%EOF"

    answer = walk.client.post("/archive-write/v1/archive", data=fields(content), files={"document": ("a.pdf", content)})

    assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE")
    assert walk.site.queued() == []


def test_two_documents_of_equal_bytes_are_delivered_once_and_proven_each(walk: Walk) -> None:
    content, organization = some_letter(), str(uuid4())
    ids = sorted(str(uuid4()) for _ in range(2))
    for each in ids:
        given = fields(content, organizationId=organization, bilkoDocumentId=each)
        sent = walk.client.post("/archive-write/v1/archive", data=given, files={"document": ("a.pdf", content)})

    report = walk.drain()

    documents = walk.job(sent.json()["jobId"])["documents"]
    assert report["archived"] == 1
    assert sorted(document["bilkoDocumentId"] for document in documents) == ids
    assert all(walk.receipt_is_good(document["receipt"]) for document in documents)
    assert len({document["paperlessUrl"] for document in documents}) == 1


def test_health_of_every_function_over_the_wire(walk: Walk) -> None:
    answers = {name: walk.client.get(f"/{name}/healthz").json() for name in ON_THE_WAY}

    assert answers == {
        "archive-write": {"status": "ok", "parts": {"queue": "ok", "database": "ok"}},
        "archiver-drain": {"status": "ok", "parts": {"queue": "ok", "paperless": "ok"}},
        "audit-callback": {"status": "ok", "parts": {"database": "ok"}},
    }
