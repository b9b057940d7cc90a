"""One letter in full, whatever state it is in, and what became of one that is gone."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from shared.domain.audit import Disposition
from shared.domain.dead_letter_answers import Inspection
from shared.domain.errors import NotFound
from shared.domain.holds import Hold
from shared.domain.keys import KEPT_ROOT
from shared.domain.redrive import DiscardRequest
from shared.services.discard import discard
from shared.services.inspection import inspect
from tests.flows.meddling import failing
from tests.prove.site import Letter, Site
from tests.services.dead import JSON, LETTER, TWIN, buried, lay, lease, lying, pressed


def shown(site: Site, letter: Letter = LETTER) -> Inspection:
    return inspect(site.letter_parts(), letter.key.job_id)


def test_a_letter_tells_its_story_what_it_means_and_what_to_try() -> None:
    site = buried(LETTER, TWIN)
    site.wait()

    found = shown(site)

    assert (found.standing, found.reason, found.retry_count) == (Disposition.DEAD, "refused", 3)
    assert [error.charged for error in found.errors] == [True, True, True]
    assert {each.bilko_document_id for each in found.documents} == {LETTER.document_id, TWIN.document_id}
    assert {each.disposition for each in found.documents} == {Disposition.DEAD}
    assert "refused the upload" in found.meaning
    assert len(found.moves) == 3


def test_a_letter_tells_how_long_it_will_lie_there() -> None:
    site = buried()
    site.clock.sleep(timedelta(days=2).total_seconds())

    letter = shown(site).letter

    assert letter is not None
    assert (letter.kept, letter.readable, letter.has_pdf, letter.being_moved) == (False, True, True, False)
    assert letter.expires_at == letter.dead_at + timedelta(days=7)
    assert letter.age_seconds >= 172_800


def test_its_pdf_can_be_downloaded_for_a_while() -> None:
    site = buried()

    download = shown(site).download

    assert download is not None
    assert LETTER.key.pdf in download.url
    assert download.expires_at == site.clock.now() + timedelta(minutes=10)


def test_a_kept_letter_does_not_expire() -> None:
    site = buried()
    lay(site, lying(site), KEPT_ROOT, LETTER.content)
    for name in (LETTER.key.pdf, LETTER.key.sidecar):
        site.dead_letters.delete(name)

    found = shown(site)

    assert found.letter is not None
    assert (found.letter.kept, found.letter.expires_at) == (True, None)
    assert found.download is not None
    assert KEPT_ROOT in found.download.url


def test_operators_see_which_document_a_twin_is() -> None:
    site = Site(version="2.20.15")
    other = Letter("Other AS", "theirs", "An invoice")
    for letter in (other, LETTER):
        site.send(letter)
        site.drain_until_quiet()

    found = shown(site)

    (theirs,) = site.copies(other.key)
    assert found.reason == "refused_twin"
    assert found.twin is not None
    assert found.twin.paperless_document_id == theirs
    assert found.letter is not None
    assert found.letter.kept


def test_holds_and_the_source_copy_are_shown() -> None:
    site = buried()
    hold = Hold(
        id=uuid4(),
        organization_id=LETTER.organization_id,
        reason="a lawsuit",
        actor="counsel",
        placed_at=site.clock.now(),
    )
    site.ledger.place_hold(hold)

    found = shown(site)

    assert (found.holds, found.source_confirmed) == ((hold.id,), False)


def test_while_audit_callback_is_away_the_letter_is_shown_all_the_same() -> None:
    site = buried()
    site.audit = failing(site.audit, "standings")

    found = shown(site)

    assert (found.standing, found.reason, found.holds, found.source_confirmed) == ("unknown", "refused", None, None)


@pytest.mark.parametrize(
    ("raw", "reason", "seen"),
    [
        (b"{broken", "sidecar_broken", "{broken"),
        (b"\xff\xfe", "sidecar_broken", "\ufffd\ufffd"),
        (b'{"schemaVersion": "2", "who": "later"}', "sidecar_newer", {"schemaVersion": "2", "who": "later"}),
        (b"[NaN]", "sidecar_broken", ["NaN"]),
        (b"[" * 100_000, "sidecar_broken", "[" * 20_000),
        (b"", "sidecar_broken", None),
    ],
)
def test_what_cannot_be_read_is_shown_as_it_is(raw: bytes, reason: str, seen: object) -> None:
    site = buried()
    site.dead_letters.put(LETTER.key.sidecar, raw, JSON)

    found = shown(site)

    assert found.letter is not None
    assert (found.letter.readable, found.reason, found.letter.raw) == (False, reason, seen)
    assert found.letter.problem
    assert [each.bilko_document_id for each in found.documents] == [LETTER.document_id]


def test_a_pdf_without_a_sidecar_is_shown_as_such() -> None:
    site = Site()
    site.dead_letters.put(LETTER.key.pdf, LETTER.content, "application/pdf")

    found = shown(site)

    assert found.letter is not None
    assert (found.letter.readable, found.reason, found.standing) == (False, "orphan_pdf", "unknown")
    assert found.download is not None


def test_a_sidecar_without_its_pdf_is_shown_as_such() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.pdf)

    found = shown(site)

    assert found.letter is not None
    assert (found.letter.has_pdf, found.download) == (False, None)


def test_a_letter_that_is_being_moved_says_so() -> None:
    site = buried()
    lay(site, lying(site).model_copy(update={"lease": lease(site)}))

    letter = shown(site).letter

    assert letter is not None
    assert letter.being_moved


def test_one_that_was_sent_back_is_followed_until_it_is_archived() -> None:
    site = buried()
    pressed(site, actor="Kari")
    queued = shown(site)
    site.drain_until_quiet()
    archived = shown(site)

    assert (queued.standing, queued.letter, len(queued.errors)) == (Disposition.QUEUED, None, 3)
    assert [each.actor for each in queued.redrives] == ["Kari"]
    assert (archived.standing, archived.letter, archived.download) == (Disposition.ARCHIVED, None, None)
    assert archived.meaning == "It is in the archive."


def test_one_that_was_thrown_away_says_so() -> None:
    site = buried()
    discard(site.letter_parts(), LETTER.key.job_id, DiscardRequest(reason="a mistake", actor="Kari"))

    assert shown(site).standing is Disposition.DISCARDED


def test_something_unreadable_in_the_queue_does_not_hide_what_the_rows_say() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.put(LETTER.key.sidecar, b"{}", JSON)

    assert shown(site).standing is Disposition.QUEUED


@pytest.mark.parametrize("identifier", ["no id", LETTER.key.job_id])
def test_what_never_was_is_not_found(identifier: str) -> None:
    with pytest.raises(NotFound):
        inspect(Site().letter_parts(), identifier)
