"""What a careless drain would do: post, poll, delete; nothing recorded, nothing verified, nobody told."""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import boto3
import httpx
from botocore.config import Config

WINDOW = 4
BUCKET = os.environ["AWS_S3_ARCHIVE_BUCKET"]
store = boto3.client(
    "s3",
    region_name=os.environ["AWS_REGION"],
    endpoint_url=os.environ["AWS_S3_ENDPOINT"],
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, connect_timeout=3, read_timeout=30),
)
paperless = httpx.Client(
    base_url=os.environ["PAPERLESS_URL"],
    headers={"Authorization": f"Token {os.environ['PAPERLESS_API_TOKEN']}", "Accept": "application/json; version=9"},
    timeout=120,
    trust_env=False,
)


def deliver(key: str) -> None:
    content = store.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    files = {"document": ("document.pdf", content, "application/pdf")}
    task = paperless.post("/api/documents/post_document/", files=files).raise_for_status().json()
    while paperless.get("/api/tasks/", params={"task_id": task}).json()[0]["status"] != "SUCCESS":
        time.sleep(0.05)
    store.delete_object(Bucket=BUCKET, Key=key)
    store.delete_object(Bucket=BUCKET, Key=key.removesuffix(".pdf") + ".meta.json")


def run() -> int:
    pages = store.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="org/")
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", ()) if entry["Key"].endswith(".pdf")]
    with ThreadPoolExecutor(WINDOW) as pool:
        list(pool.map(deliver, keys))
    return len(keys)


def main() -> None:
    for _ in sys.stdin:
        began = time.perf_counter()
        count = run()
        print(json.dumps({"documents": count, "seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main()
