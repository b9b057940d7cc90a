"""The ledger in PostgreSQL when several write to it at once, and when the database is away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from pg8000.native import Connection

from scripts.local.databases import PostgresAccess
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import ArchiveReport, Disposition, IdempotencyRecord, OrganizationLabels
from shared.domain.errors import Unavailable
from shared.domain.keys import ObjectKey
from tests.contracts.ledger import LATER, NAME, NOON, archived, handed_in, key_of, report, sign

ROUNDS = 20


@pytest.fixture
def ledger(database: str) -> Iterator[PostgresLedger]:
    opened = Database.at(database)
    yield PostgresLedger(opened)
    opened.close()


@pytest.fixture
def superuser(database: str, postgres: PostgresAccess) -> Iterator[Connection]:
    with postgres.connection(database.rsplit("/", 1)[1]) as connection:
        yield connection


@pytest.fixture
def key() -> ObjectKey:
    return key_of(uuid4())


def both(ledger: PostgresLedger, one: ArchiveReport, other: ArchiveReport) -> None:
    """Told at the same moment, each in a thread of its own."""
    together = threading.Barrier(2)

    def tell(told: ArchiveReport) -> None:
        together.wait(10)
        ledger.record(told, LATER, sign)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(tell, (one, other)))


def test_reports_with_the_same_new_documents_in_opposite_order_do_not_lock_each_other(
    ledger: PostgresLedger, key: ObjectKey, superuser: Connection
) -> None:
    documents = sorted((handed_in(key) for _ in range(3)), key=lambda document: document.document_id)
    ledger.save_labels(key.organization_id, NAME, OrganizationLabels(1, 2))
    # Both must stop in the middle, each having written its first row; out of order each then holds the other's last.
    superuser.run(
        "BEGIN;"
        "INSERT INTO archive_audit_log (organization_id, bilko_document_id, document_type, r2_object_key, sha256) "
        f"VALUES ('{key.organization_id}', '{documents[1].document_id}', 'invoice', '{key.pdf}', '{key.sha256}')"
    )
    one = report(key, Disposition.QUEUED, *documents, error="one")
    other = report(key, Disposition.DEAD, *reversed(documents), error="other")

    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(both, ledger, one, other)
        wait_for_two(superuser)
        superuser.run("ROLLBACK")

    told.result()
    assert len(ledger.job(key)) == 3


def wait_for_two(superuser: Connection) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    patience = time.monotonic() + 5
    while superuser.run(waiting) != [[2]]:
        assert time.monotonic() < patience
        time.sleep(0.01)
        superuser.run("SELECT pg_stat_clear_snapshot()")  # a transaction would go on seeing what it saw first


def test_reports_of_two_versions_of_the_same_invoices_do_not_lock_each_other(
    ledger: PostgresLedger, superuser: Connection
) -> None:
    organization = uuid4()
    superuser.run("INSERT INTO organizations (id, name) VALUES (:id, :name)", id=organization, name=NAME)
    for number in range(ROUNDS):
        key, other = key_of(organization, f"{number:02x}"), key_of(organization, f"{number + 128:02x}")
        documents = [handed_in(key) for _ in range(40)]
        superuser.run(
            "INSERT INTO invoices (id, organization_id, invoice_number) SELECT unnest(:ids::uuid[]), :org, '1'",
            ids=[document.document_id for document in documents],
            org=organization,
        )

        both(ledger, archived(key, *documents), archived(other, *reversed(documents)))

        shown = superuser.run("SELECT DISTINCT archive_job_id FROM invoices ORDER BY 1")
        assert {job for (job,) in shown} <= {key.job_id, other.job_id}
        superuser.run("DELETE FROM invoices")


def test_of_many_who_accept_and_archive_one_document_every_order_ends_archived(
    ledger: PostgresLedger, superuser: Connection
) -> None:
    organization = uuid4()
    superuser.run("INSERT INTO organizations (id, name) VALUES (:id, 'x')", id=organization)
    for _ in range(ROUNDS):
        document = handed_in(key_of(organization))
        superuser.run(
            "INSERT INTO invoices (id, organization_id, invoice_number) VALUES (:id, :org, '1')",
            id=document.document_id,
            org=organization,
        )
        told = archived(document.key, document)

        with ThreadPoolExecutor(3) as pool:
            first, second = pool.submit(ledger.accept, document), pool.submit(ledger.record, told, LATER, sign)
            third = pool.submit(ledger.accept, document)

        assert (first.exception(), second.exception(), third.exception()) == (None, None, None)

        ((status, job),) = superuser.run(
            "SELECT archive_status, archive_job_id FROM invoices WHERE id = :id", id=document.document_id
        )
        assert (status, job) == ("archived", document.key.job_id)


def test_many_first_documents_of_one_organisation_make_it_once(ledger: PostgresLedger, key: ObjectKey) -> None:
    documents = [handed_in(key) for _ in range(16)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ledger.accept, documents))

    assert ledger.count_by_disposition(key.organization_id) == {"queued": 16}


def test_an_organisation_that_is_renamed_by_many_at_once_has_one_of_the_names(
    ledger: PostgresLedger, key: ObjectKey, superuser: Connection
) -> None:
    document = handed_in(key)
    names = [f"Firma {number}" for number in range(16)]

    told = report(key, Disposition.QUEUED, document)

    def rename(name: str) -> None:
        ledger.accept(replace(document, organization_name=name))
        ledger.record(replace(told, organization_name=name), NOON, sign)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(rename, names * 5))

    ((name,),) = superuser.run("SELECT name FROM organizations WHERE id = :id", id=key.organization_id)
    assert name in names


def test_a_rename_is_kept(ledger: PostgresLedger, key: ObjectKey, superuser: Connection) -> None:
    document = handed_in(key)
    ledger.accept(document)

    ledger.accept(replace(document, organization_name="New AS"))

    assert superuser.run("SELECT name FROM organizations") == [["New AS"]]


def test_a_row_that_somebody_holds_makes_accepting_give_up_in_time(
    database: str, key: ObjectKey, superuser: Connection, ledger: PostgresLedger
) -> None:
    document = handed_in(key)
    ledger.accept(document)
    superuser.run("BEGIN; SELECT * FROM archive_audit_log FOR UPDATE")
    hurried = Database.at(database)

    with pytest.raises(Unavailable):
        PostgresLedger(hurried, seconds=0.3).accept(document)

    hurried.close()


def test_a_row_cannot_say_archived_without_its_proof(
    ledger: PostgresLedger, key: ObjectKey, superuser: Connection
) -> None:
    ledger.accept(handed_in(key))

    with pytest.raises(Exception, match="archive_audit_log_proven"):
        superuser.run("UPDATE archive_audit_log SET archive_status = 'archived', disposition = 'archived'")


def test_surplus_copies_are_gathered_in_the_row(ledger: PostgresLedger, key: ObjectKey, superuser: Connection) -> None:
    document = handed_in(key)
    told = archived(key, document)

    ledger.record(replace(told, surplus=(9, 8)), LATER, sign)
    ledger.record(replace(told, surplus=(8, 11)), LATER, sign)

    assert superuser.run("SELECT surplus FROM archive_audit_log") == [[[8, 9, 11]]]


def test_old_idempotency_keys_are_forgotten(ledger: PostgresLedger, key: ObjectKey, superuser: Connection) -> None:
    answer = IdempotencyRecord("digest", 202, {})
    ledger.remember(key.organization_id, "old", answer)
    superuser.run("UPDATE idempotency_keys SET created_at = :at", at=NOON - timedelta(days=2))
    ledger.remember(key.organization_id, "new", answer)

    forgotten = ledger.forget_keys(NOON - timedelta(days=1))

    assert forgotten == 1
    assert ledger.recall(key.organization_id, "old") is None
    assert ledger.recall(key.organization_id, "new") == answer
