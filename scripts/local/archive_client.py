"""archive-write as its callers see it, for the commands that send documents and wait for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpx

from scripts.local.sample_documents import digest

LARGEST_REQUEST = 32 * 1024 * 1024 - 64 * 1024
FIRST_LOOK, LONGEST_PAUSE = 0.1, 2.0


class Refused(Exception):
    """archive-write did not take a document; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One document to send."""

    organization_id: str
    organization_name: str
    document_type: str
    document_id: str
    content: bytes
    invoice_number: str | None = None
    priority: str = "NORMAL"

    def fields(self) -> dict[str, str]:
        named = {
            "organizationId": self.organization_id,
            "organizationName": self.organization_name,
            "documentType": self.document_type,
            "bilkoDocumentId": self.document_id,
            "sha256": digest(self.content),
            "priority": self.priority,
        }
        return named | ({"invoiceNumber": self.invoice_number} if self.invoice_number else {})


class ArchiveClient:
    """Sends small documents in one request and large ones through a presigned upload, as the contract says."""

    def __init__(self, url: str, api_key: str, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"X-Internal-Api-Key": api_key}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=60.0, trust_env=False, transport=transport)
        self._bucket = httpx.Client(timeout=300.0, trust_env=False)

    def send(self, delivery: Delivery) -> dict[str, Any]:
        if len(delivery.content) > LARGEST_REQUEST:
            return self._send_large(delivery)
        files = {"document": ("document.pdf", delivery.content, "application/pdf")}
        return _answer(self._client.post("/v1/archive", data=delivery.fields(), files=files))

    def job(self, job_id: str) -> dict[str, Any]:
        return _answer(self._client.get(f"/v1/archive/{job_id}"))

    def keys(self) -> dict[str, str]:
        found: dict[str, str] = _answer(self._client.get("/v1/keys"))["keys"]
        return found

    def wait(
        self, job_ids: Iterable[str], seconds: float, progress: Callable[[int, int], object]
    ) -> dict[str, dict[str, Any]]:
        """Look until every job is archived or failed, or the time is up."""
        left = list(dict.fromkeys(job_ids))
        done: dict[str, dict[str, Any]] = {}
        total, pause, deadline = len(left), FIRST_LOOK, time.monotonic() + seconds
        while True:
            done |= {job_id: job for job_id in left if (job := self.job(job_id))["status"] != "pending"}
            left = [job_id for job_id in left if job_id not in done]
            progress(len(done), total)
            if not left or time.monotonic() >= deadline:
                return done | {job_id: self.job(job_id) for job_id in left}
            time.sleep(pause)
            pause = min(1.5 * pause, LONGEST_PAUSE)

    def _send_large(self, delivery: Delivery) -> dict[str, Any]:
        size = len(delivery.content)
        asked = {"organizationId": delivery.organization_id, "size": size}
        address = _answer(self._client.post("/v1/archive/uploads", json=asked))
        put = self._bucket.put(address["url"], content=delivery.content, headers=address["headers"])
        if not put.is_success:
            raise Refused(f"the bucket answered {put.status_code} to the upload")
        return _answer(self._client.post("/v1/archive", json=delivery.fields() | {"uploadId": address["uploadId"]}))


def _answer(response: httpx.Response) -> dict[str, Any]:
    if response.is_success:
        answer: dict[str, Any] = response.json()
        return answer
    try:
        said = response.json()
    except ValueError:
        raise Refused(f"{response.status_code}") from None
    field = f" ({said['field']})" if said.get("field") else ""
    raise Refused(f"{response.status_code} {said.get('error', '')}{field}")
