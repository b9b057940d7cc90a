"""archive-write's libraries and SDK calls, for the cold start: the same exchanges with the store and the database."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit
from uuid import UUID

import functions_framework
from botocore.config import Config
from botocore.session import get_session
from flask import Request, Response
from pg8000.native import Connection
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Fields(BaseModel):
    """The form's fields."""

    model_config = ConfigDict(alias_generator=to_camel)

    organization_id: UUID
    organization_name: str
    document_type: str
    bilko_document_id: UUID
    sha256: str


BUCKET = os.environ["AWS_S3_ARCHIVE_BUCKET"]
client = get_session().create_client(
    "s3",
    region_name=os.environ["AWS_REGION"],
    endpoint_url=os.environ["AWS_S3_ENDPOINT"],
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, connect_timeout=3, read_timeout=30),
)
store = cast("S3Client", client)


def connected() -> Connection:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return Connection(
        parts.username or "",
        host=parts.hostname or "",
        port=parts.port or 0,
        database=parts.path[1:],
        password=parts.password,
        ssl_context=False,
        timeout=2,
    )


def record(fields: Fields, key: str) -> None:
    """An organisation's key; then its row and the row of the source: two transactions of prepared statements."""
    database, document = connected(), str(fields.bilko_document_id)
    insert = database.prepare(
        "INSERT INTO bare_rows (id, key, body) VALUES (CAST(:id AS uuid), :key, :body) RETURNING id"
    )
    update = database.prepare("UPDATE bare_rows SET body = :body WHERE id = CAST(:id AS uuid) AND key = :key")
    database.execute_simple("BEGIN; SET LOCAL statement_timeout = 2000")
    database.prepare("INSERT INTO bare_keys (id) VALUES (CAST(:id AS uuid)) RETURNING id").run(id=document)
    database.execute_simple("COMMIT")
    database.execute_simple("BEGIN; SET LOCAL statement_timeout = 2000")
    insert.run(id=document, key=key, body=fields.model_dump_json())
    update.run(id=document, key=key, body="{}")
    database.execute_simple("COMMIT")


@functions_framework.http
def bare(request: Request) -> Response:
    fields = Fields.model_validate(request.form.to_dict())
    document, key = request.files["document"].read(), f"bare/{fields.organization_id}/{fields.sha256}"
    store.list_objects_v2(Bucket=BUCKET, Prefix=f"erased/{fields.organization_id}", MaxKeys=1000)
    record(fields, key)
    store.put_object(Bucket=BUCKET, Key=f"{key}.pdf", Body=document, ContentType="application/pdf")
    sidecar = fields.model_dump_json().encode()
    store.put_object(Bucket=BUCKET, Key=f"{key}.json", Body=sidecar, ContentType="application/json", IfNoneMatch="*")
    store.list_objects_v2(Bucket=BUCKET, Prefix=f"erased/{fields.organization_id}", MaxKeys=1000)
    return Response(json.dumps({"key": key}), 202, content_type="application/json")
