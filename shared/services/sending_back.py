"""One letter sent back: recorded, frozen, queued, told, and only then removed from the dead letters."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from shared.domain import transitions
from shared.domain.audit import ArchiveReport, Disposition, Event
from shared.domain.errors import Conflict, Gone, PreconditionFailed
from shared.domain.keys import ObjectKey
from shared.domain.redrive import Sending
from shared.domain.sidecar import Priority, Redrive, Sidecar, State
from shared.services.letters import Busy, Found, Letter, LetterParts, frozen, insist, pdf_root, remove, report_of
from shared.services.sidecars import Held, Sidecars, patiently

CHUNK = 1024 * 1024
PATIENCE, STEP = 2.0, 0.25
NOBODY_KNOWS = "A PDF without a sidecar: nobody knows which document it is, so it cannot be sent back."

Outcome = tuple[Sending, str]


def send_back(parts: LetterParts, key: ObjectKey, found: Found, actor: str, owner: str) -> Outcome:
    """Every step may be repeated by whoever comes after a crash."""
    if not found.readable:
        return _unreadable(found) if found.problems else _absent(parts, key)
    whose = [letter for letter in found.readable if letter.sidecar.documents]
    if not whose:
        return Sending.FAILED, NOBODY_KNOWS
    if any(parts.queue.stat(tombstone) is not None for tombstone in key.tombstones):
        raise Gone("It was erased, and may not come back.")
    if any(letter.sidecar.leased_to_another(owner, parts.clock.now()) for letter in whose):
        raise Busy
    details = {"documentType": key.document_type}
    parts.audit.operator_event(Event(key.organization_id, "dead_letter.redrive", actor, key.job_id, details))
    moved = [_move(parts, letter, actor, owner) for letter in whose]
    # Of a letter that lay twice one was queued and the other joined it.
    return next((each for each in moved if each[0] is Sending.REDRIVEN), moved[0])


def _unreadable(found: Found) -> Outcome:
    problem = found.problems[0]
    return Sending.UNREADABLE, f"Its sidecar cannot be read ({problem.reason}): {problem}"


def _absent(parts: LetterParts, key: ObjectKey) -> Outcome:
    if pdf_root(parts, key) is not None:
        return Sending.FAILED, NOBODY_KNOWS
    if Sidecars(parts.queue, parts.clock).read(key) is not None:
        return Sending.ALREADY_QUEUED, "It was sent back before, and waits in the queue."
    return Sending.UNKNOWN, "No letter of this id lies here: it never did, or was dealt with."


def _move(parts: LetterParts, letter: Letter, actor: str, owner: str) -> Outcome:
    with frozen(parts, letter, owner) as mine:
        _refuse_changed_bytes(parts, mine)
        if pdf_root(parts, mine.key) is None and Sidecars(parts.queue, parts.clock).read(mine.key) is None:
            return _left_over(parts, mine)
        outcome, queued = _into_queue(parts, mine, Redrive(at=parts.clock.now(), actor=actor))
        _with_its_pdf(parts, mine)
        insist(parts, mine)
        parts.audit.record(_told(mine.sidecar, queued))
        remove(parts, mine)
    if outcome is Sending.REDRIVEN:
        return outcome, "It is queued again, with its history."
    return outcome, "The same bytes were queued already; its documents and its history are with them."


def _into_queue(parts: LetterParts, letter: Letter, redrive: Redrive) -> tuple[Sending, Sidecar]:
    """What is being finished under the same key is waited for, as archive-write does."""
    deadline = parts.clock.now().timestamp() + PATIENCE
    while True:
        done = _created(parts, letter, redrive) or _joined(parts, letter, redrive)
        if done is not None:
            return done
        if parts.clock.now().timestamp() >= deadline:
            raise Busy("The same bytes are just being finished in the queue; try again in a few minutes.")
        parts.clock.sleep(STEP)


def _created(parts: LetterParts, letter: Letter, redrive: Redrive) -> tuple[Sending, Sidecar] | None:
    """The PDF before the sidecar, which is the commit mark."""
    sidecars = Sidecars(parts.queue, parts.clock)
    if sidecars.read(letter.key) is not None:
        return None
    _copy(parts, letter.key)
    if letter.sidecar.priority is Priority.HIGH:
        patiently(parts.clock, lambda: parts.queue.put(letter.key.priority_marker, b"", "application/octet-stream"))
    try:
        queued = sidecars.create(transitions.redriven(letter.sidecar, redrive, parts.nonce()))
    except PreconditionFailed:
        return None
    return Sending.REDRIVEN, queued.sidecar


def _joined(parts: LetterParts, letter: Letter, redrive: Redrive) -> tuple[Sending, Sidecar] | None:
    sidecars = Sidecars(parts.queue, parts.clock)
    live = sidecars.read(letter.key)
    if live is None or live.sidecar.state is State.FINISHING:
        return None
    if _knows(live, letter.sidecar):
        return Sending.ALREADY_QUEUED, live.sidecar
    try:
        queued = sidecars.replace(live, transitions.joined(live.sidecar, letter.sidecar, redrive, parts.nonce()))
    except PreconditionFailed:
        return None
    return Sending.ALREADY_QUEUED, queued.sidecar


def _knows(live: Held, letter: Sidecar) -> bool:
    """Somebody came this far before us, and died."""
    known = live.sidecar
    return all(known.holds(each.bilko_document_id) for each in letter.documents) and set(letter.errors) <= set(
        known.errors
    )


def _with_its_pdf(parts: LetterParts, letter: Letter) -> None:
    """What was finished just before our sidecar came may have taken the PDF along."""
    if parts.queue.stat(letter.key.pdf) is not None:
        return
    live = Sidecars(parts.queue, parts.clock).read(letter.key)
    if live is not None and live.sidecar.state is not State.FINISHING:
        _copy(parts, letter.key)


def _copy(parts: LetterParts, key: ObjectKey) -> None:
    root = pdf_root(parts, key)
    if root is None:
        raise Conflict("Its PDF is gone from the dead letters, and the queue has none.")
    patiently(parts.clock, lambda: parts.queue.copy(parts.dead_letters.bucket, root + key.pdf, key.pdf))


def _refuse_changed_bytes(parts: LetterParts, letter: Letter) -> None:
    root = pdf_root(parts, letter.key) if letter.sidecar.reason == "bytes_changed" else None
    if root is None:
        return
    digest = hashlib.sha256()
    with parts.dead_letters.open(root + letter.key.pdf) as body:
        while chunk := body.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != letter.key.sha256:
        raise Conflict("Its PDF is not the one that was handed in; have the application send the document again.")


def _left_over(parts: LetterParts, letter: Letter) -> Outcome:
    """A sidecar alone: what is left of a redrive that was cut short, or a document whose PDF was lost."""
    (standing,) = parts.audit.standings([letter.key])
    ids = {each.bilko_document_id for each in letter.sidecar.documents}
    if any(standing.documents.get(each) is not Disposition.ARCHIVED for each in ids):
        raise Conflict("Its PDF is gone; have the application send the document again.")
    remove(parts, letter)
    return Sending.ALREADY_QUEUED, "It was sent back before and is archived; what was left of the letter is removed."


def _told(letter: Sidecar, queued: Sidecar) -> ArchiveReport:
    report = report_of(letter, Disposition.QUEUED)
    return replace(report, retry_count=0, last_error=None, reason=None, redrives=len(queued.redrives))
