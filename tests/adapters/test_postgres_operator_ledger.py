"""The operators' ledger in PostgreSQL keeps its contract, hides who acted, and pages without reading everything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest

from shared.adapters.postgres.database import Database
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.operator_ledger import PostgresOperatorLedger
from shared.domain.audit import Event
from shared.domain.dead_letters import LetterFilter
from shared.ports import OperatorLedger
from tests.adapters.test_postgres_ledger import PostgresSources
from tests.contracts.ledger import LATER, Sources, handed_in, key_of, sign
from tests.contracts.operator_ledger import OperatorLedgerContract, dead, hold


@pytest.fixture
def connected(database: str) -> Iterator[Database]:
    opened = Database.at(database)
    yield opened
    opened.close()


class TestPostgresOperatorLedger(OperatorLedgerContract):
    @pytest.fixture
    def ledger(self, connected: Database) -> OperatorLedger:
        return PostgresOperatorLedger(connected)

    @pytest.fixture
    def sources(self, connected: Database) -> Sources:
        return PostgresSources(connected)


def test_who_did_what_to_which_letter_is_in_the_journal_but_not_in_clear(connected: Database) -> None:
    ledger, organization = PostgresOperatorLedger(connected), uuid4()

    ledger.operator_event(Event(organization, "dead_letter.discard", "somebody@example.com", "the-job"))
    ledger.place_hold(hold(organization))

    written = connected.read(Deadline.after(5), "SELECT action, actor, subject, details::text FROM audit_events")
    assert [event["action"] for event in written] == ["dead_letter.discard", "hold.placed"]
    assert "somebody" not in json.dumps(written, default=str)
    assert "the-job" not in json.dumps(written, default=str)


def test_a_page_of_dead_letters_comes_from_its_index(connected: Database) -> None:
    ledger = PostgresOperatorLedger(connected)
    document = handed_in(key_of(uuid4()))
    ledger.record(dead(document), LATER, sign)
    with connected.transaction(Deadline.after(30)) as run:
        run(
            "INSERT INTO archive_audit_log (organization_id, bilko_document_id, document_type, r2_object_key, sha256, "
            "archive_status, disposition, dead_at) SELECT organization_id, gen_random_uuid(), document_type, "
            "'org/' || organization_id || '/invoice/' || lpad(n::text, 64, '0') || '.pdf', lpad(n::text, 64, '0'), "
            "'failed', 'dead', now() FROM archive_audit_log, generate_series(1, 5000) AS n"
        )
        run("ANALYZE archive_audit_log")

    found = ledger.dead_letters(LetterFilter(), LATER, "", 50)

    assert len(found) == 50
    plan = connected.read(
        Deadline.after(5),
        'EXPLAIN (FORMAT JSON) SELECT r2_object_key COLLATE "C", count(*) FROM archive_audit_log '
        "WHERE disposition = 'dead' AND r2_object_key COLLATE \"C\" > 'org/' GROUP BY 1 ORDER BY 1 LIMIT 50",
    )
    assert "idx_archive_audit_log_dead" in json.dumps(plan)
