"""The steps by which a report is written into the ledger, inside one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.adapters.postgres import queries, rows
from shared.domain.audit import Disposition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from uuid import UUID

    from shared.adapters.postgres.database import Run
    from shared.adapters.postgres.session import Row, Step
    from shared.domain.audit import ArchiveReport, AuditRow
    from shared.domain.keys import ObjectKey


@dataclass(frozen=True, slots=True)
class Change:
    """A row a report is about, before and after."""

    before: AuditRow
    after: AuditRow
    surplus_before: list[int]
    surplus: list[int]
    added: bool
    newest: bool

    @property
    def matters(self) -> bool:
        return self.added or self.before != self.after or self.surplus_before != self.surplus


def columns(key: ObjectKey) -> Row:
    return {
        "organization": key.organization_id,
        "document_type": key.document_type,
        "sha256": key.sha256,
        "object_key": key.pdf,
    }


def add_missing(run: Run, report: ArchiveReport) -> frozenset[UUID]:
    """The ids of documents that had no row; without documents there is none to add."""
    if not report.documents:
        return frozenset()
    organization, values = organization_step(report.key.organization_id, report.organization_name)
    run(organization, **values)
    given = [
        {"document_id": str(told.document_id), "accepted_at": told.accepted_at.isoformat(), "trace_id": told.trace_id}
        for told in report.documents
    ]
    found = run(queries.statement("add_missing_rows"), **columns(report.key), documents=json.dumps(given))
    return frozenset(row["bilko_document_id"] for row in found)


def organization_step(organization_id: UUID, name: str) -> Step:
    return queries.statement("save_organization"), {"organization": organization_id, "name": name}


def changes(
    run: Run, report: ArchiveReport, added: frozenset[UUID], tell: Callable[[AuditRow], AuditRow]
) -> list[Change]:
    """What the report makes of each row it is about; they are held from here on."""
    held = run(
        queries.statement("lock_rows"),
        organization=report.key.organization_id,
        object_key=report.key.pdf,
        every=not report.documents,
        documents=[told.document_id for told in report.documents],
    )
    return [_change(row, report, added, tell) for row in held]


def _change(row: Row, report: ArchiveReport, added: frozenset[UUID], tell: Callable[[AuditRow], AuditRow]) -> Change:
    before = rows.audit_row(row)
    added_now = before.document_id in added
    queued_again = report.unless_queued and before.disposition is Disposition.QUEUED and not added_now
    further = () if before.disposition is Disposition.ERASED else report.surplus
    return Change(
        before=before,
        after=before if queued_again else tell(before),
        surplus_before=row["surplus"],
        surplus=sorted({*row["surplus"], *further}),
        added=added_now,
        newest=row["newest"],
    )


def write(run: Run, key: ObjectKey, made: Sequence[Change]) -> None:
    run(
        queries.statement("change_rows"),
        organization=key.organization_id,
        object_key=key.pdf,
        changes=json.dumps([rows.change(change.after, change.surplus) for change in made]),
    )
    # A row that came with the report never claimed its source row; it does so unless a later version is known.
    late = [change.after.document_id for change in made if change.added and change.newest]
    for sql, values in source_step(key, [change.after.document_id for change in made], claims=late):
        run(sql, **values)


def source_step(key: ObjectKey, documents: list[UUID], claims: list[UUID]) -> list[Step]:
    """The statement that shows these documents' state in the application's own table, if it keeps one."""
    sql = queries.source(key.document_type)
    values = {
        "organization": key.organization_id,
        "object_key": key.pdf,
        "job_id": key.job_id,
        "documents": documents,
        "claims": claims,
    }
    return [] if sql is None else [(sql, values)]
