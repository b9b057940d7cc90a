"""One letter in the dead-letter bucket: found, frozen while it is moved, removed.

Whoever moves a letter marks it first (a lease in its sidecar) and only then looks at the queue; the drain marks its
sidecar in the queue first (`finishing`) and only then looks at the letter. So of two that meet at one key at least one
sees the other and steps back, and the plain deletes of both are safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from shared.domain import transitions
from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.errors import ArchivoltError, Conflict, PreconditionFailed, Unavailable
from shared.domain.keys import KEPT_ROOT, ObjectKey
from shared.domain.sidecar import Lease, Sidecar, State, UnreadableSidecar
from shared.ports import Clock, ObjectStore, OperatorAudit
from shared.services.sidecars import Held, Sidecars

ROOTS = ("", KEPT_ROOT)
LEASE = timedelta(seconds=240)
LEFT_TO_ACT = timedelta(seconds=150)
"""No write and no delete starts unless the lease outlasts it: three calls of 30 seconds and a minute."""


class Busy(Conflict):
    """Somebody else is just moving this letter; try again in a few minutes."""


@dataclass(frozen=True, slots=True)
class LetterParts:
    """The real things, or their fakes."""

    queue: ObjectStore
    dead_letters: ObjectStore
    audit: OperatorAudit
    clock: Clock
    nonce: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that can be read, and under which root it lies."""

    root: str
    held: Held

    @property
    def sidecar(self) -> Sidecar:
        return self.held.sidecar

    @property
    def key(self) -> ObjectKey:
        return self.held.sidecar.key


@dataclass(slots=True)
class Found:
    """What lies under one key, under either root."""

    readable: list[Letter] = field(default_factory=list)
    problems: list[UnreadableSidecar] = field(default_factory=list)

    @property
    def reasons(self) -> set[str | None]:
        return {letter.sidecar.reason for letter in self.readable} | {problem.reason for problem in self.problems}


def find(parts: LetterParts, key: ObjectKey) -> Found:
    found = Found()
    for root in ROOTS:
        try:
            held = _sidecars(parts, root).read(key)
        except UnreadableSidecar as exc:
            found.problems.append(exc)
        else:
            found.readable += [] if held is None else [Letter(root, held)]
    return found


def pdf_root(parts: LetterParts, key: ObjectKey) -> str | None:
    """Under which root its PDF lies; a letter may have been moved by halves."""
    return next((root for root in ROOTS if parts.dead_letters.stat(root + key.pdf) is not None), None)


@contextmanager
def frozen(parts: LetterParts, letter: Letter, owner: str) -> Iterator[Letter]:
    """Inside the block nobody else changes the letter; if an error ends it, the letter is let go at once."""
    now = parts.clock.now()
    if letter.sidecar.leased_to_another(owner, now):
        raise Busy
    lease = Lease(owner=owner, nonce=parts.nonce(), until=now + LEASE)
    try:
        held = _sidecars(parts, letter.root).replace(letter.held, transitions.renew(letter.sidecar, lease))
    except PreconditionFailed:
        raise Busy from None
    mine = Letter(letter.root, held)
    try:
        yield mine
    except ArchivoltError:
        _let_go(parts, mine)
        raise


def insist(parts: LetterParts, letter: Letter) -> None:
    lease = letter.sidecar.lease
    if lease is None or lease.until < parts.clock.now() + LEFT_TO_ACT:
        raise Unavailable("the letter was held for too long to go on safely")


def not_being_buried(parts: LetterParts, key: ObjectKey) -> None:
    """Asked under our lease: a drain that is burying the same bytes would lose its copy to our deletes."""
    try:
        live = Sidecars(parts.queue, parts.clock).read(key)
    except UnreadableSidecar:
        raise Busy("What lies in the queue under the same key cannot be read; the drain deals with it first.") from None
    if live is not None and live.sidecar.state is State.FINISHING:
        raise Busy("The same bytes are just being finished in the queue; try again in a few minutes.")


def remove(parts: LetterParts, letter: Letter) -> None:
    """The PDF, then the sidecar, which stands for it to the last."""
    insist(parts, letter)
    parts.dead_letters.delete(letter.root + letter.key.pdf)
    parts.dead_letters.delete(letter.root + letter.key.sidecar)


def report_of(letter: Sidecar, disposition: Disposition) -> ArchiveReport:
    """What the rows are told of the letter's documents; one that was queued again meanwhile is not meant."""
    return ArchiveReport(
        key=letter.key,
        organization_name=letter.organization_name,
        disposition=disposition,
        documents=tuple(
            ReportedDocument(each.bilko_document_id, each.timestamp, each.trace_id) for each in letter.documents
        ),
        retry_count=letter.retry_count,
        last_error=letter.last_error,
        reason=letter.reason,
        redrives=len(letter.redrives),
        unless_queued=True,
    )


def _let_go(parts: LetterParts, letter: Letter) -> None:
    free = letter.sidecar.model_copy(update={"lease": None, "revision": parts.nonce()})
    # Whoever changed it meanwhile holds it by right; and a lease that cannot be given back ends by itself.
    with suppress(ArchivoltError, UnreadableSidecar):
        _sidecars(parts, letter.root).replace(letter.held, free)


def _sidecars(parts: LetterParts, root: str) -> Sidecars:
    return Sidecars(parts.dead_letters, parts.clock, root)
