"""Under any sequence of reports the ledger agrees with the one in memory, repeats nothing and loses nothing."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.postgres.database import Database
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import AcceptedDocument, ArchiveReport, AuditRow, Disposition, ReportedDocument
from shared.domain.keys import DocumentType, ObjectKey
from tests.contracts.ledger import NAME, NOON, URL, sign
from tests.fakes.ledger import MemoryLedger

DOCUMENTS = [UUID(int=number) for number in range(3)]
# Both final; the others may follow one another in any order.
RANK = {Disposition.ARCHIVED: 1, Disposition.ERASED: 2}


@dataclass(frozen=True)
class Step:
    """One call, without its organisation: every example has an organisation of its own."""

    action: str
    digit: str
    disposition: Disposition
    documents: tuple[UUID, ...]
    retry_count: int
    paperless_id: int
    surplus: tuple[int, ...]
    hours: int


STEPS = st.builds(
    Step,
    action=st.sampled_from(["accept", "refuse", "record", "record", "record"]),
    digit=st.sampled_from("ab"),
    disposition=st.sampled_from([*Disposition, Disposition.ARCHIVED]),
    documents=st.lists(st.sampled_from(DOCUMENTS), max_size=4).map(tuple),
    retry_count=st.integers(0, 3),
    paperless_id=st.integers(1, 3),
    surplus=st.lists(st.integers(4, 6), max_size=2).map(tuple),
    hours=st.integers(0, 5),
)


def play(ledger: PostgresLedger | MemoryLedger, step: Step, organization: UUID) -> AuditRow | int | None:
    key, at = ObjectKey(organization, DocumentType.INVOICE, step.digit * 64), NOON + timedelta(hours=step.hours)
    if step.action == "record":
        told = tuple(ReportedDocument(document, at) for document in step.documents)
        report = ArchiveReport(
            key,
            NAME,
            step.disposition,
            told,
            retry_count=step.retry_count,
            last_error=f"error {step.retry_count}",
            paperless_document_id=step.paperless_id,
            paperless_url=URL,
            surplus=step.surplus,
        )
        return ledger.record(report, at, sign)
    document = AcceptedDocument(key, (*step.documents, DOCUMENTS[0])[0], NAME, at)
    return ledger.accept(document) if step.action == "accept" else ledger.refuse(document, "away")


def rows(ledger: PostgresLedger | MemoryLedger, organization: UUID) -> list[AuditRow]:
    keys = [ObjectKey(organization, DocumentType.INVOICE, digit * 64) for digit in "ab"]
    return [row for key in keys for row in ledger.job(key)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=12))
def test_it_agrees_with_the_ledger_in_memory_after_every_step(database: str, steps: list[Step]) -> None:
    organization, connected, model = uuid4(), Database.at(database), MemoryLedger()
    ledger = PostgresLedger(connected)

    for step in steps:
        assert play(ledger, step, organization) == play(model, step, organization)
        assert rows(ledger, organization) == rows(model, organization)

    assert ledger.count_by_disposition(organization) == model.count_by_disposition(organization)
    assert sum(ledger.count_by_disposition(organization).values()) == len(rows(ledger, organization))
    connected.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=1, max_size=8))
def test_a_report_told_twice_is_told_once(database: str, steps: list[Step]) -> None:
    organization, connected = uuid4(), Database.at(database)
    ledger = PostgresLedger(connected)

    for step in steps:
        first, after = play(ledger, step, organization), rows(ledger, organization)
        again = play(ledger, step, organization)
        assert rows(ledger, organization) == after
        assert again == first

    connected.close()


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=20))
def test_rows_only_move_forward_and_a_receipt_never_changes(steps: list[Step]) -> None:
    organization, ledger = uuid4(), MemoryLedger()

    for step in steps:
        before = deepcopy(ledger.rows)
        play(ledger, step, organization)
        for place, row in before.items():
            after = ledger.rows[place]
            assert RANK.get(after.disposition, 0) >= RANK.get(row.disposition, 0)
            assert row.receipt in (None, after.receipt)
            assert after.created_at == row.created_at
