"""The journal's events, whose identifiers are hidden under a key of their organisation."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.adapters.postgres import queries

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from shared.adapters.postgres.database import Database, Run
    from shared.adapters.postgres.deadline import Deadline
    from shared.domain.audit import Event

# A key that erasure destroyed is not used for much longer; and memory does not grow with the organisations.
KEY_SECONDS = 300.0
MOST_KEYS = 1000


@dataclass(frozen=True, slots=True)
class Hidden:
    """Turns identifiers of one organisation into what only the holder of its key can recognise."""

    key: bytes

    def mac(self, role: str, value: str) -> bytes:
        return hmac.digest(self.key, f"{role}:{value}".encode(), "sha256")

    def event(self, event: Event) -> dict[str, object]:
        return {
            "organization": self.mac("organization", str(event.organization_id)).hex(),
            "action": event.action,
            "actor": self.mac("actor", event.actor).hex(),
            "subject": self.mac("subject", event.subject).hex(),
            "details": event.details,
        }


class Journal:
    """Writes events, and keeps the organisations' keys at hand."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: dict[UUID, tuple[float, Hidden]] = {}

    def hidden(self, organization_id: UUID, deadline: Deadline) -> Hidden:
        """Called before a transaction: a key made in one that is rolled back would be known here and nowhere else."""
        with self._lock:
            until, hidden = self._known.get(organization_id, (0.0, None))
        if hidden is not None and time.monotonic() < until:
            return hidden
        hidden = self._fetched(organization_id, deadline)
        with self._lock:
            if len(self._known) >= MOST_KEYS:
                self._known.clear()
            self._known[organization_id] = (time.monotonic() + KEY_SECONDS, hidden)
        return hidden

    def _fetched(self, organization_id: UUID, deadline: Deadline) -> Hidden:
        made = {"organization": organization_id, "key": secrets.token_bytes(32)}
        return Hidden(self._database.run_together(deadline, (queries.statement("audit_key"), made))[0]["key"])

    def write(self, run: Run, hidden: Hidden, events: Iterable[Event]) -> None:
        run(queries.statement("add_events"), events=json.dumps([hidden.event(event) for event in events]))
