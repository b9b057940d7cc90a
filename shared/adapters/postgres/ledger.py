"""The ledger in PostgreSQL: which document is where, each method one transaction."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from shared.adapters.postgres import queries, recording, reports, rows, seals
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.events import Hidden, Journal
from shared.domain.audit import (
    ArchiveReport,
    Disposition,
    Event,
    IdempotencyRecord,
    OrganizationLabels,
    ReportedDocument,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from uuid import UUID

    from shared.adapters.postgres.database import Database
    from shared.domain.audit import AcceptedDocument, AuditRow
    from shared.domain.keys import ObjectKey
    from shared.domain.receipt import Signature

WRITER, CALLBACK = "archive-write", "audit-callback"


class PostgresLedger:
    """Raises Unavailable if the database does not do its part within the seconds that an operation has."""

    def __init__(self, database: Database, seconds: float = 10.0) -> None:
        self._database = database
        self._seconds = seconds
        self._journal = Journal(database)

    def accept(self, document: AcceptedDocument) -> AuditRow:
        key, deadline = document.key, self._deadline()
        hidden = self._journal.hidden(key.organization_id, deadline)
        details = {"job": hidden.mac("object", key.pdf).hex(), "documentType": key.document_type}
        event = Event(key.organization_id, "archive.accepted", WRITER, str(document.document_id), details)
        values = {
            **recording.columns(key),
            "organization_name": document.organization_name,
            "document": document.document_id,
            "trace_id": document.trace_id,
            "accepted_at": document.accepted_at,
            "event": json.dumps(hidden.event(event)),
        }
        shown = recording.source_step(key, [document.document_id], claims=[document.document_id])
        found = self._database.run_together(deadline, (queries.statement("accept"), values), *shown)
        return rows.audit_row(found[0])

    def refuse(self, document: AcceptedDocument, error: str) -> None:
        told = ReportedDocument(document.document_id, document.accepted_at, document.trace_id)
        report = ArchiveReport(
            document.key, document.organization_name, Disposition.REFUSED, documents=(told,), last_error=error
        )
        self._apply(report, WRITER, partial(reports.told, report=report))

    def record(self, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]) -> int:
        """Returns how many rows the report is about, changed or not."""
        reports.check(report)
        return self._apply(report, CALLBACK, partial(reports.told_and_signed, report=report, now=now, sign=sign))

    def _apply(self, report: ArchiveReport, actor: str, tell: Callable[[AuditRow], AuditRow]) -> int:
        deadline = self._deadline()
        hidden = self._journal.hidden(report.key.organization_id, deadline)
        with self._database.transaction(deadline) as run:
            added = recording.add_missing(run, report)
            changes = recording.changes(run, report, added, tell)
            made = [change for change in changes if change.matters]
            if made:
                recording.write(run, report.key, made)
                self._journal.write(run, hidden, [_event(hidden, change.after, actor) for change in made])
        return len(changes)

    def job(self, key: ObjectKey) -> list[AuditRow]:
        sql = queries.statement("job_rows")
        found = self._database.read(self._deadline(), sql, organization=key.organization_id, object_key=key.pdf)
        return [rows.audit_row(row) for row in found]

    def recall(self, organization_id: UUID, idempotency_key: str) -> IdempotencyRecord | None:
        sql = queries.statement("recall")
        found = self._database.read(self._deadline(), sql, organization=organization_id, key=idempotency_key)
        return IdempotencyRecord(**found[0]) if found else None

    def remember(self, organization_id: UUID, idempotency_key: str, record: IdempotencyRecord) -> IdempotencyRecord:
        values = {
            "organization": organization_id,
            "key": idempotency_key,
            "request_digest": record.request_digest,
            "status": record.status,
            "response": json.dumps(record.response),
        }
        kept = self._database.run_together(self._deadline(), (queries.statement("remember"), values))
        return IdempotencyRecord(**kept[0])

    def forget_keys(self, before: datetime) -> int:
        """Drops idempotency keys that are older; returns how many."""
        step = (queries.statement("forget_keys"), {"before": before})
        count: int = self._database.run_together(self._deadline(), step)[0]["keys"]
        return count

    def labels(self, organization_id: UUID) -> OrganizationLabels | None:
        found = self._database.read(self._deadline(), queries.statement("labels"), organization=organization_id)
        return OrganizationLabels(*found[0].values()) if found else None

    def save_labels(self, organization_id: UUID, organization_name: str, labels: OrganizationLabels) -> None:
        values = {"organization": organization_id, "correspondent": labels.correspondent_id, "tag": labels.tag_id}
        self._database.run_together(
            self._deadline(),
            recording.organization_step(organization_id, organization_name),
            (queries.statement("save_labels"), values),
        )

    def seal(self, limit: int) -> int:
        return seals.seal(self._database, limit, self._deadline())

    def verify_chain(self, seconds: float = 300.0) -> list[str]:
        """A sentence for each seal that does not hold."""
        return seals.verify_chain(self._database, Deadline.after(seconds))

    def count_by_disposition(self, organization_id: UUID) -> dict[str, int]:
        sql = queries.statement("count_by_disposition")
        found = self._database.read(self._deadline(), sql, organization=organization_id)
        return {row["disposition"]: row["documents"] for row in found}

    def reachable(self) -> None:
        # Asked on a thread of its own, whose connection nobody would close.
        try:
            self._database.read(self._deadline(), queries.statement("reachable"))
        finally:
            self.close()

    def close(self) -> None:
        """This thread's connection."""
        self._database.close()

    def _deadline(self) -> Deadline:
        return Deadline.after(self._seconds)


def _event(hidden: Hidden, row: AuditRow, actor: str) -> Event:
    details = {
        "job": hidden.mac("object", row.key.pdf).hex(),
        "documentType": row.key.document_type,
        "disposition": row.disposition,
        "retryCount": row.retry_count,
    }
    return Event(row.key.organization_id, f"archive.{row.disposition}", actor, str(row.document_id), details)
