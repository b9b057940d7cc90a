"""The floor of the drain: the calls that a safe delivery makes, four at a time, and no code of ours around them.

Each line on standard input starts a run over whatever is queued; its answer is how many documents, in how many seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import httpx
from botocore.config import Config
from botocore.exceptions import ClientError

WINDOW = 4
PREFIX = "bilko"
BUCKET = os.environ["AWS_S3_ARCHIVE_BUCKET"]
store = boto3.client(
    "s3",
    region_name=os.environ["AWS_REGION"],
    endpoint_url=os.environ["AWS_S3_ENDPOINT"],
    config=Config(
        signature_version="s3v4",
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        connect_timeout=3,
        read_timeout=30,
        max_pool_connections=64,
    ),
)
paperless = httpx.Client(
    base_url=os.environ["PAPERLESS_URL"],
    headers={"Authorization": f"Token {os.environ['PAPERLESS_API_TOKEN']}", "Accept": "application/json; version=9"},
    timeout=120,
    trust_env=False,
)
audit = httpx.Client(
    base_url=os.environ["AUDIT_CALLBACK_URL"],
    headers={"X-Internal-Api-Key": os.environ["INTERNAL_API_KEY"], "Content-Type": "application/json"},
    timeout=30,
    trust_env=False,
)


def listed(prefix: str) -> Iterator[str]:
    for page in store.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix):
        yield from (entry["Key"] for entry in page.get("Contents", ()))


def folders(prefix: str) -> None:
    store.list_objects_v2(Bucket=BUCKET, Prefix=prefix, Delimiter="/", MaxKeys=1000)


def absent(key: str) -> None:
    try:
        store.head_object(Bucket=BUCKET, Key=key)
    except ClientError:
        return


def rewrite(key: str, sidecar: dict[str, Any], etag: str) -> str:
    answer = store.put_object(
        Bucket=BUCKET, Key=key, Body=json.dumps(sidecar).encode(), ContentType="application/json", IfMatch=etag
    )
    return str(answer["ETag"])


def asked(path: str, **params: object) -> Any:
    return paperless.get(path, params={key: str(value) for key, value in params.items()}).raise_for_status().json()


def named(kind: str, name: str) -> int:
    rows = asked(f"/api/{kind}/", name__iexact=name, page_size=100, page=1)["results"]
    return int(next(row["id"] for row in rows if row["name"] == name))


class Labels:
    """What every document of a run is sent with, asked for once."""

    def __init__(self, organization: str) -> None:
        asked("/api/tags/", page_size=1)
        self.fields = [
            named("custom_fields", f"{PREFIX}-{name}") for name in ("source-uuid", "organization-id", "document-id")
        ]
        source = named("tags", f"{PREFIX}-source")
        self.find("0" * 64, [])
        kind = named("tags", "doc-type:invoice")
        self.document_type = named("document_types", "Invoice")
        cached = audit.get(f"/internal/v1/paperless-cache/{organization}").raise_for_status().json()
        tag, self.correspondent = cached["paperlessOrgTagId"], cached["paperlessCorrespondentId"]
        asked(f"/api/tags/{tag}/")
        asked(f"/api/correspondents/{self.correspondent}/")
        self.scope, self.tags = [tag, kind], [tag, kind, source]

    def find(self, sha256: str, scope: list[int]) -> Any:
        query = json.dumps([self.fields[0], "exact", sha256])
        tags = ",".join(str(tag) for tag in scope)
        fields = "id,tags,correspondent,custom_fields,versions"
        return asked(
            "/api/documents/", custom_field_query=query, tags__id__all=tags, fields=fields, page_size=100, page=1
        )["results"]


def post(sidecar: dict[str, Any], labels: Labels, name: str, content: bytes) -> str:
    values = (sidecar["r2Uuid"], sidecar["organizationId"], sidecar["bilkoDocumentId"])
    fields = {
        "title": f"Invoice {sidecar['timestamp'][:10]}",
        "created": sidecar["timestamp"][:10],
        "correspondent": str(labels.correspondent),
        "document_type": str(labels.document_type),
        "tags": [str(tag) for tag in labels.tags],
        "custom_fields": json.dumps(dict(zip(map(str, labels.fields), values, strict=True))),
    }
    files = {"document": (name, content, "application/pdf")}
    return str(paperless.post("/api/documents/post_document/", data=fields, files=files).raise_for_status().json())


def poll(task: str) -> int:
    pause = 0.05
    while True:
        rows = asked("/api/tasks/", task_id=task)
        if rows[0]["status"] == "SUCCESS":
            return int(rows[0]["id"])
        time.sleep(pause)
        pause = min(2 * pause, 1.0)


def report(key: str, sidecar: dict[str, Any], document: int) -> None:
    body = {
        "organizationId": sidecar["organizationId"],
        "organizationName": sidecar["organizationName"],
        "objectKey": key,
        "disposition": "archived",
        "documents": [
            {"bilkoDocumentId": each["bilkoDocumentId"], "timestamp": each["timestamp"]}
            for each in sidecar["documents"]
        ],
        "paperlessDocumentId": document,
        "paperlessUrl": f"{os.environ['PAPERLESS_URL']}/documents/{document}/",
    }
    audit.patch(f"/internal/v1/archive-audit/{sidecar['bilkoDocumentId']}", json=body).raise_for_status()


def deliver(key: str, labels: Labels) -> int:
    """One document, from its sidecar to its last DELETE; returns its task's row."""
    pdf = key.removesuffix(".meta.json") + ".pdf"
    found = store.get_object(Bucket=BUCKET, Key=key)
    sidecar, etag = json.loads(found["Body"].read()), found["ETag"]
    labels.find(sidecar["sha256"], labels.scope)
    etag = rewrite(key, sidecar | {"state": "submitting"}, etag)
    content = store.get_object(Bucket=BUCKET, Key=pdf)["Body"].read()
    erased = f"control/erased/{sidecar['organizationId']}"
    for tombstone in (erased, f"{erased}/{sidecar['documentType']}/{sidecar['sha256']}"):
        absent(tombstone)
    task = post(sidecar, labels, f"{sidecar['sha256']}.pdf", content)
    etag = rewrite(key, sidecar | {"state": "submitted", "taskId": task}, etag)
    row = poll(task)
    document = labels.find(sidecar["sha256"], labels.scope)[0]["id"]
    rewrite(key, sidecar | {"state": "finishing", "paperlessDocumentId": document}, etag)
    report(pdf, sidecar, document)
    store.delete_object(Bucket=BUCKET, Key=pdf)
    store.delete_object(Bucket=BUCKET, Key=key)
    return row


def run() -> int:
    """The listings, the labels, the documents, the acknowledgement."""
    keys = [key for key in listed("org/") if key.endswith(".meta.json")]
    list(listed("control/paused"))
    labels = Labels(keys[0].split("/")[1])
    list(listed("control/paused"))
    folders("priority/org/")
    folders("org/")
    list(listed("priority/" + "/".join(keys[0].split("/")[:2])))
    list(listed("/".join(keys[0].split("/")[:2])))
    with ThreadPoolExecutor(WINDOW) as pool:
        rows = list(pool.map(lambda key: deliver(key, labels), keys))
    paperless.post("/api/tasks/acknowledge/", json={"tasks": rows}).raise_for_status()
    return len(rows)


def main() -> None:
    for _ in sys.stdin:
        began = time.perf_counter()
        count = run()
        print(json.dumps({"documents": count, "seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main()
