"""What a proof puts in the place of threads and of the HTTP between the drain and audit-callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from shared.domain.audit import ArchiveReport, Event, OrganizationLabels
from shared.domain.callback import NO_DOCUMENT
from shared.domain.dead_letters import DeadRow, DeadSummary, LetterFilter, Standing
from shared.domain.holds import Hold
from shared.domain.keys import ObjectKey
from shared.ports import Clock, OperatorLedger, Signer
from shared.services import audit_callback

Result = TypeVar("Result")


class SerialWorkers:
    """One job after the other, in the caller's own thread."""

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        for job in jobs:
            yield job()


@dataclass(frozen=True, slots=True)
class DirectAudit:
    """audit-callback's use cases without the HTTP between."""

    ledger: OperatorLedger
    signer: Signer
    clock: Clock

    def record(self, report: ArchiveReport) -> None:
        first = report.documents[0].document_id if report.documents else NO_DOCUMENT
        audit_callback.record(self.ledger, self.signer, self.clock, first, report)

    def labels(self, organization_id: UUID) -> OrganizationLabels | None:
        return self.ledger.labels(organization_id)

    def save_labels(self, organization_id: UUID, labels: OrganizationLabels) -> None:
        self.ledger.save_labels(organization_id, "", labels)

    def operator_event(self, event: Event) -> None:
        audit_callback.record_operator(self.ledger, event)

    def holds(self, organization_id: UUID) -> list[Hold]:
        return self.ledger.holds(organization_id)

    def dead_letters(self, wanted: LetterFilter, after: str, limit: int) -> list[DeadRow]:
        return self.ledger.dead_letters(wanted, self.clock.now(), after, limit)

    def dead_summary(self) -> DeadSummary:
        return self.ledger.dead_summary()

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]:
        return self.ledger.standings(keys)
