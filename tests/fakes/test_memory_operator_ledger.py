"""The operators' ledger in memory keeps its contract."""

from __future__ import annotations

import pytest

from shared.ports import OperatorLedger
from tests.contracts.ledger import Sources
from tests.contracts.operator_ledger import OperatorLedgerContract
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.fakes.test_memory_ledger import MemorySources


class TestMemoryOperatorLedger(OperatorLedgerContract):
    @pytest.fixture
    def ledger(self) -> OperatorLedger:
        return MemoryOperatorLedger()

    @pytest.fixture
    def sources(self, ledger: OperatorLedger) -> Sources:
        assert isinstance(ledger, MemoryOperatorLedger)
        return MemorySources(ledger)
