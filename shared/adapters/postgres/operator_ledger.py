"""The ledger as operators use it: dead letters, holds, and a record of who did what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from shared.adapters.postgres import queries
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import Disposition, Event
from shared.domain.dead_letters import DeadRow, DeadSummary, LetterFilter, Standing
from shared.domain.holds import Hold

if TYPE_CHECKING:
    from shared.adapters.postgres.session import Row
    from shared.domain.keys import ObjectKey


class PostgresOperatorLedger(PostgresLedger):
    """What only audit-callback needs, so that no other function loads it."""

    def operator_event(self, event: Event) -> None:
        deadline = self._deadline()
        hidden = self._journal.hidden(event.organization_id, deadline)
        with self._database.transaction(deadline) as run:
            self._journal.write(run, hidden, [event])

    def place_hold(self, hold: Hold) -> None:
        event = Event(hold.organization_id, "hold.placed", hold.actor, str(hold.id))
        values = {
            "id": hold.id,
            "organization": hold.organization_id,
            "document": hold.document_id,
            "reason": hold.reason,
            "actor": hold.actor,
            "placed_at": hold.placed_at,
        }
        self._recorded("place_hold", values, event)

    def lift_hold(self, organization_id: UUID, hold_id: UUID, actor: str, now: datetime) -> bool:
        event = Event(organization_id, "hold.lifted", actor, str(hold_id))
        return self._recorded("lift_hold", {"id": hold_id, "organization": organization_id, "now": now}, event)

    def _recorded(self, name: str, values: Row, event: Event) -> bool:
        """A change and its event, or neither; none of both if there was nothing to change."""
        deadline = self._deadline()
        hidden = self._journal.hidden(event.organization_id, deadline)
        with self._database.transaction(deadline) as run:
            changed = bool(run(queries.statement(name), **values))
            if changed:
                self._journal.write(run, hidden, [event])
        return changed

    def holds(self, organization_id: UUID) -> list[Hold]:
        found = self._database.read(self._deadline(), queries.statement("holds"), organization=organization_id)
        return [Hold(**{**row, "placed_at": row["placed_at"].astimezone(UTC)}) for row in found]

    def dead_letters(self, wanted: LetterFilter, now: datetime, after: str, limit: int) -> list[DeadRow]:
        old_enough = None if wanted.min_age_hours is None else now - timedelta(hours=wanted.min_age_hours)
        found = self._database.read(
            self._deadline(),
            queries.statement("dead_letters"),
            after=max(after, wanted.prefix),
            # "0" is the character after "/": beyond every key of the folder.
            until=wanted.prefix[:-1] + "0",
            document_type=wanted.document_type,
            reason=wanted.reason,
            before=old_enough,
            limit=limit,
        )
        return [DeadRow(**row) for row in found]

    def dead_summary(self) -> DeadSummary:
        dead = self._database.read(self._deadline(), queries.statement("dead_by_reason"))
        redriven = self._database.read(self._deadline(), queries.statement("redriven_by_disposition"))
        return DeadSummary(
            by_reason={row["reason"]: row["documents"] for row in dead},
            redriven={Disposition(row["disposition"]): row["documents"] for row in redriven},
        )

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]:
        given = [
            {
                "object_key": key.pdf,
                "organization_id": str(key.organization_id),
                "document_type": key.document_type,
                "job_id": key.job_id,
            }
            for key in keys
        ]
        found = self._database.read(self._deadline(), queries.statement("standings"), keys=json.dumps(given))
        by_key: dict[str, list[Row]] = {}
        for row in found:
            by_key.setdefault(row["object_key"], []).append(row)
        return [_standing(key.pdf, by_key[key.pdf]) for key in keys]


def _standing(object_key: str, rows: list[Row]) -> Standing:
    known = [row for row in rows if row["bilko_document_id"] is not None]
    # What is in the archive needs no copy of the application's any more.
    waiting = [row for row in known if row["disposition"] != Disposition.ARCHIVED]
    holds = dict.fromkeys(hold for row in rows for hold in row["holds"])
    return Standing(
        object_key=object_key,
        documents={row["bilko_document_id"]: Disposition(row["disposition"]) for row in known},
        reason=max((row["reason"] for row in known if row["reason"]), default=None),
        redrives=max((row["redrives"] for row in known), default=0),
        source_confirmed=bool(known) and all(row["confirmed"] for row in waiting),
        holds=tuple(holds),
    )
