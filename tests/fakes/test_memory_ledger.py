"""The ledger in memory keeps the ledger's contract."""

from __future__ import annotations

from copy import deepcopy
from uuid import UUID

import pytest

from shared.domain.keys import DocumentType
from shared.ports import Ledger
from tests.contracts.ledger import LedgerContract, Sources
from tests.fakes.ledger import MemoryLedger, SourceRow


class MemorySources:
    def __init__(self, ledger: MemoryLedger) -> None:
        self._rows = ledger.sources

    def add(self, document_type: DocumentType, document_id: UUID, organization_id: UUID) -> None:
        self._rows[document_type, document_id] = SourceRow(organization_id)

    def get(self, document_type: DocumentType, document_id: UUID) -> SourceRow:
        return deepcopy(self._rows[document_type, document_id])


class TestMemoryLedger(LedgerContract):
    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def sources(self, ledger: Ledger) -> Sources:
        assert isinstance(ledger, MemoryLedger)
        return MemorySources(ledger)
