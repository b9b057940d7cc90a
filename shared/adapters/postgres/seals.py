"""Seals the journal: each batch of events is hashed together with the seal before it."""

from __future__ import annotations

import hashlib
from datetime import UTC
from typing import TYPE_CHECKING

from shared.adapters.postgres import queries
from shared.domain.receipt import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.adapters.postgres.database import Database, Run
    from shared.adapters.postgres.deadline import Deadline
    from shared.adapters.postgres.session import Row

BEGINNING: Row = {"id": 0, "hash": bytes(32), "last_event": 0, "last_transaction": "0"}
SEALS_AT_A_TIME = 100


def seal(database: Database, limit: int, deadline: Deadline) -> int:
    """Seals up to so many events; returns how many."""
    with database.transaction(deadline) as run:
        run(queries.statement("seal_alone"))
        last = next(iter(run(queries.statement("last_seal"))), BEGINNING)
        events = run(
            queries.statement("unsealed_events"),
            transaction=last["last_transaction"],
            event=last["last_event"],
            limit=limit,
        )
        if events:
            _add(run, last["hash"], events)
    return len(events)


def _add(run: Run, previous: bytes, events: list[Row]) -> None:
    run(
        queries.statement("add_seal"),
        first_event=events[0]["id"],
        last_event=events[-1]["id"],
        last_transaction=events[-1]["transaction"],
        events=len(events),
        previous_hash=previous,
        hash=chained(previous, events),
    )


def chained(previous: bytes, events: Iterable[Row]) -> bytes:
    digest = hashlib.sha256(previous)
    for event in events:
        digest.update(hashlib.sha256(_content(event)).digest())
    return digest.digest()


def _content(event: Row) -> bytes:
    """Every column, in one spelling that depends on no setting of the session."""
    hidden = {name: event[name].hex() for name in ("organization", "actor", "subject")}
    when = event["recorded_at"].astimezone(UTC).isoformat()
    return canonical({**event, **hidden, "recorded_at": when})


def verify_chain(database: Database, deadline: Deadline) -> list[str]:
    """Recomputes every seal; a sentence for each that does not hold, so none if nothing sealed was touched."""
    findings: list[str] = []
    last = BEGINNING
    for link in _seals(database, deadline):
        if link["previous_hash"] != last["hash"]:
            findings.append(f"seal {link['id']} does not follow seal {last['id']}")
        events = database.read(
            deadline,
            queries.statement("events_between"),
            after_transaction=last["last_transaction"],
            after_event=last["last_event"],
            last_transaction=link["last_transaction"],
            last_event=link["last_event"],
        )
        if len(events) != link["events"]:
            findings.append(f"seal {link['id']} covers {link['events']} events, of which there are {len(events)}")
        elif chained(link["previous_hash"], events) != link["hash"]:
            findings.append(
                f"seal {link['id']}: an event from {link['first_event']} to {link['last_event']} was changed"
            )
        last = link
    return findings


def _seals(database: Database, deadline: Deadline) -> Iterator[Row]:
    after = 0
    while page := database.read(deadline, queries.statement("seals"), after=after, limit=SEALS_AT_A_TIME):
        yield from page
        after = page[-1]["id"]
