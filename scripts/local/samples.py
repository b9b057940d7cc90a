"""Archives the samples on a running stack and says, step by step, how each of them fares."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

import httpx

from scripts.local.addresses import Stack
from scripts.local.archive_client import ArchiveClient, Delivery
from scripts.local.console_output import progress, say
from scripts.local.sample_documents import SAMPLES, Sample
from scripts.local.schedules import KEY_HEADER

PATIENCE_SECONDS = 120.0


def archive(stack: Stack) -> dict[str, str]:
    """Send every sample; returns job id → what it is."""
    client, jobs = ArchiveClient(f"{stack.url}/archive-write", stack.internal_api_key), {}
    for sample in SAMPLES:
        answer = client.send(_delivery(sample))
        jobs[answer["jobId"]] = f"{sample.organization}: {sample.text}"
        say(f"  {sample.organization}: {sample.text}: {answer['status']}")
    return jobs


def once(stack: Stack, *, as_json: bool) -> int:
    """Send, deliver, wait, sum up; zero only if every sample is archived."""
    began = time.monotonic()
    say("archiving the samples")
    jobs = archive(stack)
    _drain(stack)
    client = ArchiveClient(f"{stack.url}/archive-write", stack.internal_api_key)
    found = client.wait(jobs, PATIENCE_SECONDS, lambda done, total: progress("archived", done, total))
    summary = _summary(jobs, found) | {"seconds": round(time.monotonic() - began, 2)}
    for entry in summary["documents"]:
        say(f"  {entry['status']:<9} {entry['document']}  {entry['paperlessUrl'] or ''}")
    if as_json:
        print(json.dumps(summary), flush=True)
    say(f"{summary['archived']} of {summary['sent']} archived in {summary['seconds']} s")
    return 0 if summary["archived"] == summary["sent"] else 1


def _summary(jobs: dict[str, str], found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    statuses = Counter(job["status"] for job in found.values())
    documents = [
        {
            "document": jobs[job_id],
            "jobId": job_id,
            "status": job["status"],
            "paperlessUrl": job["documents"][0]["paperlessUrl"],
            "receipt": job["documents"][0]["receipt"] is not None,
        }
        for job_id, job in found.items()
    ]
    return {"sent": len(jobs), "archived": statuses["archived"], "failed": statuses["failed"], "documents": documents}


def _drain(stack: Stack) -> None:
    """What Cloud Scheduler does every five minutes."""
    answer = httpx.post(
        f"{stack.url}/archiver-drain/",
        json={},
        headers={KEY_HEADER: stack.internal_api_key},
        timeout=300.0,
        trust_env=False,
    )
    report = answer.json()
    say(f"  drain: {report.get('archived', 0)} archived, stopped because {report.get('stoppedBecause')}")


def _delivery(sample: Sample) -> Delivery:
    return Delivery(
        organization_id=str(sample.organization_id),
        organization_name=sample.organization,
        document_type=sample.document_type,
        document_id=str(sample.document_id),
        content=sample.content,
        invoice_number=sample.invoice_number,
    )
