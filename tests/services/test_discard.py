"""Letters thrown away: on record before they go, and never under a legal hold."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from shared.domain.audit import Disposition
from shared.domain.errors import Conflict, Locked, NotFound, Unavailable
from shared.domain.holds import Hold
from shared.domain.keys import KEPT_ROOT
from shared.domain.redrive import DiscardRequest
from shared.domain.sidecar import State
from shared.services import archive_job
from shared.services.discard import discard
from tests.flows.meddling import dead_letter, failing, left_over, row, waiting
from tests.prove.site import Site
from tests.services.dead import JSON, LETTER, TWIN, bucket, buried, events, lay, lease, lying

REQUEST = DiscardRequest(reason="sent by mistake", actor="Kari")


def thrown_away(site: Site) -> int:
    return discard(site.letter_parts(), LETTER.key.job_id, REQUEST).documents


def held(site: Site, document_id: UUID | None = None) -> Hold:
    hold = Hold(
        id=uuid4(),
        organization_id=LETTER.organization_id,
        document_id=document_id,
        reason="a lawsuit",
        actor="counsel",
        placed_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    site.ledger.place_hold(hold)
    return hold


def test_a_letter_thrown_away_is_gone_and_its_rows_say_why() -> None:
    site = buried(LETTER, TWIN)

    documents = thrown_away(site)

    assert (documents, bucket(site)) == (2, [])
    for letter in (LETTER, TWIN):
        told = row(site, letter)
        assert (told.disposition, told.reason) == (Disposition.DISCARDED, "discarded")
        assert told.last_error == "discarded: sent by mistake"


def test_the_operators_words_are_not_for_the_tenant() -> None:
    site = buried()

    thrown_away(site)

    job = archive_job.job(site.queue, site.ledger, site.clock, LETTER.key.job_id)
    assert "mistake" not in job.model_dump_json()


def test_it_is_on_record_before_anything_is_deleted() -> None:
    site = buried()
    site.dead_letters = failing(site.dead_letters, "delete")

    with pytest.raises(Unavailable):
        thrown_away(site)

    assert events(site) == [("dead_letter.discard", "Kari")]
    assert row(site, LETTER).disposition is Disposition.DISCARDED
    assert len(bucket(site)) == 2


@pytest.mark.parametrize("part", ["operator_event", "holds", "record"])
def test_without_audit_callback_nothing_is_deleted(part: str) -> None:
    site = buried()
    site.audit = failing(site.audit, part)

    with pytest.raises(Unavailable):
        thrown_away(site)

    assert dead_letter(site, LETTER).lease is None


@pytest.mark.parametrize("document_id", [None, LETTER.document_id])
def test_a_legal_hold_forbids_it_and_is_named(document_id: UUID | None) -> None:
    site = buried()
    hold = held(site, document_id)

    with pytest.raises(Locked, match=str(hold.id)):
        thrown_away(site)

    assert events(site) == [("hold.placed", "counsel")]
    assert dead_letter(site, LETTER).lease is None


def test_a_hold_on_another_document_or_one_that_was_lifted_does_not() -> None:
    site = buried()
    held(site, TWIN.document_id)
    site.ledger.lift_hold(LETTER.organization_id, held(site).id, "counsel", site.clock.now())

    assert thrown_away(site) == 1


@pytest.mark.parametrize("identifier", ["no id", TWIN.key.job_id[:-4], LETTER.key.job_id])
def test_an_unknown_letter_is_not_found(identifier: str) -> None:
    with pytest.raises(NotFound):
        discard(Site().letter_parts(), identifier, REQUEST)


def test_what_cannot_be_read_is_not_deleted() -> None:
    site = buried()
    site.dead_letters.put(LETTER.key.sidecar, b'{"schemaVersion": "2"}', JSON)

    with pytest.raises(Conflict, match="sidecar_newer"):
        thrown_away(site)

    assert len(bucket(site)) == 2


def test_a_pdf_without_a_sidecar_is_not_deleted_for_it_may_just_be_arriving() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.sidecar)

    with pytest.raises(Conflict, match="without a sidecar"):
        thrown_away(site)

    assert bucket(site) == [LETTER.key.pdf]


def test_a_letter_that_somebody_else_is_moving_is_left_to_them() -> None:
    site = buried()
    lay(site, lying(site).model_copy(update={"lease": lease(site)}))

    with pytest.raises(Conflict, match="Somebody else"):
        thrown_away(site)

    assert len(bucket(site)) == 2


@pytest.mark.parametrize("raw", [None, b"{}"])
def test_while_the_same_bytes_are_being_buried_it_waits_its_turn(raw: bytes | None) -> None:
    site = buried()
    site.send(TWIN)
    frozen = waiting(site, TWIN).model_copy(update={"state": State.FINISHING})
    site.queue.put(TWIN.key.sidecar, frozen.to_json() if raw is None else raw, JSON)

    with pytest.raises(Conflict):
        thrown_away(site)

    assert dead_letter(site, LETTER).lease is None


def test_a_document_that_was_sent_again_meanwhile_stays_queued() -> None:
    site = buried(LETTER, TWIN)
    site.send(TWIN)

    thrown_away(site)

    assert [row(site, each).disposition for each in (LETTER, TWIN)] == [Disposition.DISCARDED, Disposition.QUEUED]
    assert len(left_over(site)) == 2


def test_a_letter_that_lies_twice_is_thrown_away_whole() -> None:
    site = buried()
    lay(site, lying(site), KEPT_ROOT, LETTER.content)

    thrown_away(site)

    assert bucket(site) == []
