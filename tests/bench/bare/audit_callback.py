"""audit-callback's libraries and SDK calls, for the cold start: the same number of exchanges, and one signature."""

from __future__ import annotations

import base64
import json
import os
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

import functions_framework
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Request, Response
from pg8000.native import Connection
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

SEED = base64.b64decode(os.environ["RECEIPT_SIGNING_KEY"])


class Document(BaseModel):
    """One document."""

    model_config = ConfigDict(alias_generator=to_camel)

    bilko_document_id: UUID
    timestamp: datetime


class Report(BaseModel):
    """The body."""

    model_config = ConfigDict(alias_generator=to_camel)

    organization_id: UUID
    object_key: str
    documents: list[Document]


def connected() -> Connection:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return Connection(
        parts.username or "",
        host=parts.hostname or "",
        port=parts.port or 0,
        database=parts.path[1:],
        password=parts.password,
        ssl_context=False,
        timeout=10,
    )


def record(report: Report, receipt: str) -> None:
    """An organisation's key; then organisation, row, lock, change, source and event: prepared statements all."""
    database, document, key = connected(), str(report.documents[0].bilko_document_id), report.object_key
    database.execute_simple("BEGIN; SET LOCAL statement_timeout = 10000")
    database.prepare("INSERT INTO bare_keys (id) VALUES (CAST(:id AS uuid)) RETURNING id").run(id=document)
    database.execute_simple("COMMIT")
    database.execute_simple("BEGIN; SET LOCAL statement_timeout = 10000")
    database.prepare("UPDATE bare_rows SET key = :key WHERE id = CAST(:id AS uuid)").run(id=document, key=key)
    insert = database.prepare(
        "INSERT INTO bare_rows (id, key, body) VALUES (CAST(:id AS uuid), :key, :body) RETURNING id"
    )
    insert.run(id=document, key=key, body="{}")
    database.prepare("SELECT id, key, body FROM bare_rows WHERE id = CAST(:id AS uuid) FOR UPDATE").run(id=document)
    change = database.prepare("UPDATE bare_rows SET body = :body WHERE id = CAST(:id AS uuid)")
    change.run(id=document, body=receipt)
    database.prepare("UPDATE bare_keys SET id = id WHERE id = CAST(:id AS uuid)").run(id=document)
    database.prepare("INSERT INTO bare_rows (key, body) VALUES (:key, :body)").run(key="event", body=receipt)
    database.execute_simple("COMMIT")


@functions_framework.http
def bare(request: Request) -> Response:
    report = Report.model_validate_json(request.get_data())
    signature = Ed25519PrivateKey.from_private_bytes(SEED).sign(report.object_key.encode())
    record(report, json.dumps({"signature": base64.b64encode(signature).decode()}))
    return Response(json.dumps({"documents": len(report.documents)}), content_type="application/json")
