"""The floor of archive-write's throughput: two PUTs and one INSERT, and nothing checked."""

from __future__ import annotations

import json
import os
import threading
from urllib.parse import urlsplit

import boto3
import functions_framework
from botocore.config import Config
from flask import Request, Response
from pg8000.native import Connection

BUCKET = os.environ["AWS_S3_ARCHIVE_BUCKET"]
INSERT = "INSERT INTO bare_rows (id, key, body) VALUES (CAST(:id AS uuid), :key, :body)"
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
own = threading.local()


def database() -> Connection:
    """A connection for each thread."""
    if not hasattr(own, "connection"):
        parts = urlsplit(os.environ["DATABASE_URL"])
        own.connection = Connection(
            parts.username or "",
            host=parts.hostname or "",
            port=parts.port or 0,
            database=parts.path[1:],
            password=parts.password,
            ssl_context=False,
            timeout=10,
        )
    connection: Connection = own.connection
    return connection


@functions_framework.http
def bare(request: Request) -> Response:
    fields = request.form.to_dict()
    key, sidecar = f"bare/{fields['organizationId']}/{fields['sha256']}", json.dumps(fields)
    database().run(INSERT, id=fields["bilkoDocumentId"], key=key, body=sidecar)
    document = request.files["document"].read()
    store.put_object(Bucket=BUCKET, Key=f"{key}.pdf", Body=document, ContentType="application/pdf")
    store.put_object(Bucket=BUCKET, Key=f"{key}.json", Body=sidecar.encode(), ContentType="application/json")
    return Response(json.dumps({"key": key}), 202, content_type="application/json")
