"""The ledger in PostgreSQL keeps the ledger's contract."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

from shared.adapters.postgres.database import Database
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.keys import DocumentType
from shared.ports import Ledger
from tests.contracts.ledger import LedgerContract, Sources
from tests.fakes.ledger import SourceRow

ADD = {
    DocumentType.INVOICE: "INSERT INTO invoices (id, organization_id, invoice_number) VALUES (:id, :of, '1')",
    DocumentType.CONTRACT: "INSERT INTO contracts (id, organization_id, contract_number) VALUES (:id, :of, '1')",
}
GET = {
    DocumentType.INVOICE: "SELECT * FROM invoices WHERE id = :id",
    DocumentType.CONTRACT: "SELECT * FROM contracts WHERE id = :id",
}


class PostgresSources:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, document_type: DocumentType, document_id: UUID, organization_id: UUID) -> None:
        with self._database.transaction(Deadline.after(5)) as run:
            run(ADD[document_type], id=document_id, of=organization_id)

    def get(self, document_type: DocumentType, document_id: UUID) -> SourceRow:
        (row,) = self._database.read(Deadline.after(5), GET[document_type], id=document_id)
        return SourceRow(
            row["organization_id"],
            row["archive_job_id"],
            row["archive_status"],
            row["paperless_doc_url"],
            row["archived_at"],
        )


@pytest.fixture
def connected(database: str) -> Iterator[Database]:
    opened = Database.at(database)
    yield opened
    opened.close()


class TestPostgresLedger(LedgerContract):
    @pytest.fixture
    def ledger(self, connected: Database) -> Ledger:
        return PostgresLedger(connected)

    @pytest.fixture
    def sources(self, connected: Database) -> Sources:
        return PostgresSources(connected)
