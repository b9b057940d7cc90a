"""The journal: append-only, nothing identifying in clear, and sealed so that a change shows."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from pg8000.native import Connection

from scripts.local.databases import PostgresAccess
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.errors import Rejected
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import Disposition
from shared.domain.keys import ObjectKey
from shared.domain.receipt import Signature
from tests.contracts.ledger import LATER, NAME, archived, handed_in, key_of, report, seal_all, sign

COPIED = "organization, action, actor, subject, details, transaction_id"
ADD = "INSERT INTO audit_events (organization, action, actor, subject, details) VALUES ('', 'late', '', '', '{}')"
ALL = "SELECT * FROM audit_events ORDER BY id"


@pytest.fixture
def connected(database: str) -> Iterator[Database]:
    opened = Database.at(database)
    yield opened
    opened.close()


@pytest.fixture
def ledger(connected: Database) -> PostgresLedger:
    return PostgresLedger(connected)


@pytest.fixture
def superuser(database: str, postgres: PostgresAccess) -> Iterator[Connection]:
    with postgres.connection(database.rsplit("/", 1)[1]) as connection:
        yield connection


def events(connected: Database) -> list[dict[str, object]]:
    return connected.read(Deadline.after(5), ALL)


def mac(superuser: Connection, organization: UUID, role: str, value: str) -> bytes:
    ((key,),) = superuser.run("SELECT key FROM audit_keys WHERE organization_id = :id", id=organization)
    return hmac.digest(key, f"{role}:{value}".encode(), "sha256")


def tamper(superuser: Connection, statement: str) -> None:
    superuser.run("ALTER TABLE audit_events DISABLE TRIGGER ALL; ALTER TABLE audit_seals DISABLE TRIGGER ALL")
    superuser.run(statement)


def accept(ledger: PostgresLedger, count: int, key: ObjectKey | None = None) -> None:
    for _ in range(count):
        ledger.accept(handed_in(key or key_of(uuid4())))


@pytest.mark.parametrize("table", ["audit_events", "audit_seals"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = DEFAULT", "DELETE FROM {}", "TRUNCATE {}"])
def test_what_is_in_the_journal_cannot_be_changed(
    ledger: PostgresLedger, connected: Database, table: str, statement: str
) -> None:
    accept(ledger, 1)

    with (
        pytest.raises(Rejected, match=f"{table} is append-only: {statement.split(maxsplit=1)[0]} is refused"),
        connected.transaction(Deadline.after(5)) as run,
    ):
        run(statement.format(table))

    assert len(events(connected)) == 1


def test_an_event_says_what_happened(ledger: PostgresLedger, connected: Database, superuser: Connection) -> None:
    document = handed_in(key_of(uuid4()))
    organization = document.key.organization_id

    ledger.accept(document)
    ledger.record(archived(document.key, document), LATER, sign)

    accepted, stored = events(connected)
    assert (accepted["action"], stored["action"]) == ("archive.accepted", "archive.archived")
    assert stored["subject"] == mac(superuser, organization, "subject", str(document.document_id))
    assert stored["organization"] == mac(superuser, organization, "organization", str(organization))
    assert stored["actor"] == mac(superuser, organization, "actor", "audit-callback")
    assert stored["details"] == {
        "job": mac(superuser, organization, "object", document.key.pdf).hex(),
        "documentType": "invoice",
        "disposition": "archived",
        "retryCount": 0,
    }


def test_nothing_that_identifies_is_in_the_journal(ledger: PostgresLedger, superuser: Connection) -> None:
    document = handed_in(key_of(uuid4()))
    ledger.accept(document)
    ledger.refuse(document, "the bucket of Firma AS is away")
    ledger.record(archived(document.key, document), LATER, sign)

    ((content,),) = superuser.run("SELECT json_agg(audit_events)::text FROM audit_events")

    secret = (
        NAME,
        "bucket",
        str(document.document_id),
        str(document.key.organization_id),
        document.key.sha256,
        "trace-1",
    )
    assert [word for word in secret if word in content] == []
    assert len(json.loads(content)) == 3


def test_equal_documents_of_two_organisations_cannot_be_linked(ledger: PostgresLedger, connected: Database) -> None:
    document = handed_in(key_of(uuid4()))
    twin = handed_in(key_of(uuid4()), document.document_id)

    ledger.accept(document)
    ledger.accept(twin)

    one, other = events(connected)
    assert one["subject"] != other["subject"]
    assert one["actor"] != other["actor"]


def test_two_ledgers_hide_an_organisation_under_the_same_key(database: str, connected: Database) -> None:
    key, other = key_of(uuid4()), Database.at(database)

    accept(PostgresLedger(connected), 1, key)
    accept(PostgresLedger(other), 1, key)

    one, two = events(connected)
    assert one["organization"] == two["organization"]
    other.close()


def test_an_operation_that_fails_leaves_no_event(ledger: PostgresLedger, connected: Database) -> None:
    document = handed_in(key_of(uuid4()))

    with pytest.raises(ZeroDivisionError):
        ledger.record(archived(document.key, document), LATER, lambda _: Signature("", str(1 / 0)))

    assert events(connected) == []


def test_an_untouched_chain_verifies(ledger: PostgresLedger) -> None:
    accept(ledger, 7)

    seal_all(ledger, 7, limit=3)

    assert ledger.verify_chain() == []


def test_an_empty_chain_verifies(ledger: PostgresLedger) -> None:
    assert ledger.verify_chain() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_events SET action = 'archive.discarded' WHERE id = 4",
        "UPDATE audit_events SET recorded_at = recorded_at + interval '1 microsecond' WHERE id = 4",
        "UPDATE audit_events SET details = details || '{\"retryCount\": 9}' WHERE id = 4",
        "UPDATE audit_events SET subject = '\\x00' WHERE id = 4",
        "DELETE FROM audit_events WHERE id = 4",
        f"INSERT INTO audit_events ({COPIED}) SELECT {COPIED} FROM audit_events WHERE id = 4",
        "UPDATE audit_seals SET hash = sha256('') WHERE id = 2",
        "UPDATE audit_seals SET events = 2 WHERE id = 2",
        "DELETE FROM audit_seals WHERE id = 2",
    ],
)
def test_any_change_to_what_is_sealed_is_found(ledger: PostgresLedger, superuser: Connection, statement: str) -> None:
    accept(ledger, 7)
    seal_all(ledger, 7, limit=3)

    tamper(superuser, statement)

    assert ledger.verify_chain() != []


def test_an_event_is_not_sealed_while_an_older_transaction_may_still_add_one(
    ledger: PostgresLedger, superuser: Connection
) -> None:
    superuser.run("BEGIN; SELECT pg_current_xact_id()")
    accept(ledger, 1)

    early = ledger.seal(100)
    superuser.run(f"{ADD}; COMMIT")

    assert early == 0
    seal_all(ledger, 2)
    assert ledger.verify_chain() == []


def test_an_event_with_a_lower_number_that_commits_later_is_sealed_too(
    ledger: PostgresLedger, superuser: Connection, connected: Database
) -> None:
    superuser.run("SELECT nextval('audit_events_id_seq')")  # the sequence logs some numbers ahead, the next are free
    superuser.run("BEGIN; SELECT nextval('audit_events_id_seq')")
    accept(ledger, 1)
    seal_all(ledger, 1)

    superuser.run(
        "INSERT INTO audit_events (id, organization, action, actor, subject, details) "
        "OVERRIDING SYSTEM VALUE VALUES (2, '', 'late', '', '', '{}'); COMMIT"
    )

    seal_all(ledger, 1)
    assert [event["id"] for event in events(connected)] == [2, 3]
    assert ledger.verify_chain() == []


def test_transactions_are_ordered_as_numbers(ledger: PostgresLedger, superuser: Connection) -> None:
    for transaction in (9, 10, 100):
        superuser.run(
            f"INSERT INTO audit_events ({COPIED}) VALUES ('', 'early', '', '', '{{}}', CAST(:number AS text)::xid8)",
            number=str(transaction),
        )

    assert seal_all(ledger, 3, limit=1) == [1, 1, 1]
    assert ledger.seal(1) == 0
    assert ledger.verify_chain() == []


def test_sealers_at_the_same_time_make_one_chain(ledger: PostgresLedger, database: str) -> None:
    accept(ledger, 20)

    with ThreadPoolExecutor(4) as pool:
        sealed = sum(pool.map(lambda _: ledger.seal(5), range(8)))

    seal_all(ledger, 20 - sealed)
    assert ledger.verify_chain() == []


def test_without_its_key_an_organisations_events_still_verify(ledger: PostgresLedger, superuser: Connection) -> None:
    accept(ledger, 3)
    seal_all(ledger, 3)

    superuser.run("DELETE FROM audit_keys")

    assert ledger.verify_chain() == []


def test_a_report_about_nothing_leaves_no_event(ledger: PostgresLedger, connected: Database) -> None:
    ledger.record(report(key_of(uuid4()), Disposition.DEAD), LATER, sign)

    assert events(connected) == []
