"""The operators' ledger in memory: the same rules written a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from shared.domain.audit import AuditRow, Disposition, Event
from shared.domain.dead_letters import DeadRow, DeadSummary, LetterFilter, Standing
from shared.domain.holds import Hold
from shared.domain.keys import ObjectKey
from tests.fakes.ledger import WITH_SOURCE, MemoryLedger


@dataclass
class MemoryOperatorLedger(MemoryLedger):
    """Everything it holds may be looked at, and prepared, by a test."""

    placed: dict[UUID, Hold] = field(default_factory=dict)
    lifted: set[UUID] = field(default_factory=set)

    def operator_event(self, event: Event) -> None:
        self.events.append(event)

    def place_hold(self, hold: Hold) -> None:
        if hold.id not in self.placed:
            self.placed[hold.id] = hold
            self.events.append(Event(hold.organization_id, "hold.placed", hold.actor, str(hold.id)))

    def lift_hold(self, organization_id: UUID, hold_id: UUID, actor: str, now: datetime) -> bool:
        if hold_id not in {hold.id for hold in self.holds(organization_id)}:
            return False
        self.lifted.add(hold_id)
        self.events.append(Event(organization_id, "hold.lifted", actor, str(hold_id)))
        return True

    def holds(self, organization_id: UUID) -> list[Hold]:
        active = (hold for hold in self.placed.values() if hold.id not in self.lifted)
        found = [hold for hold in active if hold.organization_id == organization_id]
        return sorted(found, key=lambda hold: (hold.placed_at, hold.id))

    def dead_letters(self, wanted: LetterFilter, now: datetime, after: str, limit: int) -> list[DeadRow]:
        old = now - timedelta(hours=wanted.min_age_hours or 0)
        dead = [
            row
            for row in self.rows.values()
            if row.disposition is Disposition.DEAD
            and row.key.pdf > after
            and wanted.organization_id in (None, row.key.organization_id)
            and wanted.document_type in (None, row.key.document_type)
            and wanted.reason in (None, row.reason)
            and (wanted.min_age_hours is None or (row.dead_at is not None and row.dead_at <= old))
        ]
        dead.sort(key=lambda row: row.key.pdf)
        return [_together(name, list(rows)) for name, rows in groupby(dead, lambda row: row.key.pdf)][:limit]

    def dead_summary(self) -> DeadSummary:
        dead = [row for row in self.rows.values() if row.disposition is Disposition.DEAD]
        redriven = [row for row in self.rows.values() if row.redrives]
        return DeadSummary(
            by_reason=dict(Counter(row.reason or "unknown" for row in dead)),
            redriven=dict(Counter(row.disposition for row in redriven)),
        )

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]:
        asked, by_key = set(keys), dict[ObjectKey, list[AuditRow]]()
        for (key, _), row in self.rows.items():
            if key in asked:
                by_key.setdefault(key, []).append(row)
        return [self._standing(key, by_key.get(key, [])) for key in keys]

    def _standing(self, key: ObjectKey, rows: list[AuditRow]) -> Standing:
        documents = {row.document_id: row.disposition for row in rows}
        waiting = [each for each, disposition in documents.items() if disposition is not Disposition.ARCHIVED]
        return Standing(
            object_key=key.pdf,
            documents=documents,
            reason=max((row.reason for row in rows if row.reason), default=None),
            redrives=max((row.redrives for row in rows), default=0),
            source_confirmed=bool(rows) and all(self._has_source(key, each) for each in waiting),
            holds=tuple(hold.id for hold in self.holds(key.organization_id) if hold.covers(documents)),
        )

    def _has_source(self, key: ObjectKey, document_id: UUID) -> bool:
        source = self.sources.get((key.document_type, document_id)) if key.document_type in WITH_SOURCE else None
        return source is not None and (source.organization_id, source.archive_job_id) == (
            key.organization_id,
            key.job_id,
        )


def _together(name: str, rows: list[AuditRow]) -> DeadRow:
    return DeadRow(
        object_key=name,
        reason=max((row.reason for row in rows if row.reason), default=None),
        last_error=max((row.last_error for row in rows if row.last_error), default=None),
        dead_at=min((row.dead_at for row in rows if row.dead_at), default=None),
        documents=len(rows),
        redrives=max(row.redrives for row in rows),
    )
