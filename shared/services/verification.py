"""Whether the archive really has a document: its checksum given back, its labels and fields as sent."""

from __future__ import annotations

from dataclasses import dataclass

from shared.domain.paperless import ArchivedDocument, Expectation, Labels, Mismatch
from shared.domain.sidecar import Sidecar
from shared.services.drain_run import DrainRun


@dataclass(frozen=True, slots=True)
class Findings:
    """The copy that counts, further copies beside it, and what was wrong with those that do not count."""

    winner: int | None
    surplus: tuple[int, ...]
    mismatches: tuple[Mismatch, ...]

    @property
    def nothing(self) -> bool:
        return self.winner is None and not self.mismatches


def look_up(run: DrainRun, sidecar: Sidecar, labels: Labels, *, ours: bool) -> Findings:
    """All copies for this organisation, type and source uuid; the lowest id that verifies wins."""
    found = sorted(run.parts.archive.find(sidecar.r2_uuid, labels), key=lambda document: document.id)
    expectation = _expectation(run, sidecar, labels, ours=ours)
    wrong: list[Mismatch] = []
    for document in found:
        mismatches = _check(run, expectation, document)
        if not mismatches:
            others = tuple(other.id for other in found if other.id != document.id)
            return Findings(document.id, others, ())
        wrong += mismatches
    return Findings(None, (), tuple(wrong))


def _expectation(run: DrainRun, sidecar: Sidecar, labels: Labels, *, ours: bool) -> Expectation:
    return Expectation(
        checksum=sidecar.sha256 if run.checksum_algorithm == "sha256" else sidecar.md5,
        labels=labels,
        source_uuid=sidecar.r2_uuid,
        organization_id=str(sidecar.organization_id),
        document_ids=frozenset(str(each.bilko_document_id) for each in sidecar.documents) if ours else None,
    )


def _check(run: DrainRun, expectation: Expectation, document: ArchivedDocument) -> tuple[Mismatch, ...]:
    others = [run.book.tag_name(tag) for tag in document.tags.difference(expectation.labels.tags)]
    checksum = document.checksum or run.parts.archive.checksum(document.id)
    return expectation.mismatches(document, checksum, others)
