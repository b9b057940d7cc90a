"""The command scripts/archive: sends files of one's own to archive-write, and waits for them if asked."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from uuid import UUID, uuid4, uuid5

import httpx

from scripts.local import whereabouts
from scripts.local.archive_client import ArchiveClient, Delivery, Refused
from scripts.local.console_output import fail, progress, say
from scripts.local.sample_documents import NAMESPACE, digest

TYPES = ("invoice", "contract", "care-plan", "incident-report", "onboarding")


def main() -> int:
    options = _parse()
    url, key = _address(options)
    client = ArchiveClient(url, key)
    sent, failed = _send_all(client, options)
    jobs = (
        client.wait(sent, options.wait, lambda done, total: progress("archived", done, total)) if options.wait else {}
    )
    shown = {job_id: {"file": name, **jobs.get(job_id, {"status": "pending"})} for job_id, name in sent.items()}
    for job in shown.values():
        say(f"  {job['status']:<9} {job['file']}")
    if options.json:
        print(json.dumps({"jobs": shown, "refused": failed}), flush=True)
    unfinished = [job for job in shown.values() if options.wait and job["status"] != "archived"]
    return 1 if failed or unfinished else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/archive", description="Sends PDF files to archive-write.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--url", help="of archive-write; else the stack that scripts/run started last")
    parser.add_argument("--key", default=os.environ.get("INTERNAL_API_KEY"), help="else INTERNAL_API_KEY")
    parser.add_argument(
        "--data", type=Path, default=whereabouts.DEFAULT, metavar="DIR", help="the folder of that stack"
    )
    parser.add_argument("--organization", type=UUID, help="its id; else one is derived from its name")
    parser.add_argument("--organization-name", default="Firma AS", metavar="NAME")
    parser.add_argument("--type", choices=TYPES, default="invoice")
    parser.add_argument("--high", action="store_true", help="deliver before the others of this organisation")
    parser.add_argument("--wait", type=float, nargs="?", const=600.0, default=0.0, metavar="SECONDS")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _address(options: argparse.Namespace) -> tuple[str, str]:
    if options.url and options.key:
        return options.url, options.key
    found = whereabouts.find(options.data)
    if found is None:
        fail("No stack is running here. Start one with scripts/run, or give --url and --key.")
        sys.exit(2)
    return options.url or f"{found['URL']}/archive-write", options.key or found["KEY"]


def _send_all(client: ArchiveClient, options: argparse.Namespace) -> tuple[dict[str, str], dict[str, str]]:
    sent: dict[str, str] = {}
    failed: dict[str, str] = {}
    for number, path in enumerate(options.files, start=1):
        try:
            sent[client.send(_delivery(path, options))["jobId"]] = path.name
        except (OSError, Refused, httpx.HTTPError) as error:
            failed[str(path)] = str(error) or type(error).__name__
            fail(f"{path}: {failed[str(path)]}")
        progress("sent", number, len(options.files))
    return sent, failed


def _delivery(path: Path, options: argparse.Namespace) -> Delivery:
    """The same file is the same document the next time, so that sending it twice archives it once."""
    content = path.read_bytes()
    organization = options.organization or uuid5(NAMESPACE, options.organization_name)
    return Delivery(
        organization_id=str(organization),
        organization_name=options.organization_name,
        document_type=options.type,
        document_id=str(uuid5(organization, digest(content)) if content else uuid4()),
        content=content,
        priority="HIGH" if options.high else "NORMAL",
    )
