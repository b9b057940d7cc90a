"""Letters near their end: kept or recorded, before the bucket's rule takes them."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from shared.domain.audit import Disposition
from shared.domain.holds import Hold
from shared.domain.keys import KEPT_ROOT
from shared.domain.sidecar import State
from shared.services import letter_listing
from shared.services.keeping import Settled, due, settle
from tests.fakes.ledger import SourceRow
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.flows.meddling import dead_letter, failing, row, waiting
from tests.prove.site import Site
from tests.services.dead import JSON, LETTER, TWIN, bucket, buried, lay, lease, lying

KEPT = [KEPT_ROOT + LETTER.key.sidecar, KEPT_ROOT + LETTER.key.pdf]
IN_PLACE = [LETTER.key.sidecar, LETTER.key.pdf]


def confirmed(site: Site, *, job: str = LETTER.key.job_id) -> Site:
    """The application has the document as its own latest version."""
    assert isinstance(site.ledger, MemoryOperatorLedger)
    source = SourceRow(LETTER.organization_id, archive_job_id=job)
    site.ledger.sources[LETTER.document_type, LETTER.document_id] = source
    return site


def hold(site: Site) -> None:
    placed = Hold(
        id=uuid4(),
        organization_id=LETTER.organization_id,
        reason="a lawsuit",
        actor="counsel",
        placed_at=site.clock.now(),
    )
    site.ledger.place_hold(placed)


def on_day(site: Site, days: float) -> Settled:
    (lying_there,) = letter_listing.letters(site.dead_letters)
    site.clock.sleep((lying_there.dead_at + timedelta(days=days) - site.clock.now()).total_seconds())
    found = [each for each in letter_listing.letters(site.dead_letters) if due(each, site.clock.now())]
    return settle(site.letter_parts(), found, "the watch")


def test_before_day_six_nothing_happens() -> None:
    site = buried()

    assert on_day(site, 5.99) == Settled()
    assert bucket(site) == IN_PLACE


def test_a_letter_with_a_confirmed_copy_at_its_source_is_recorded_as_expired_and_left_to_the_rule() -> None:
    site = confirmed(buried())

    done = on_day(site, 6)

    assert done == Settled(expired=1)
    assert (row(site, LETTER).disposition, row(site, LETTER).reason) == (Disposition.EXPIRED, "expired")
    assert bucket(site) == IN_PLACE


def test_what_is_recorded_once_is_not_recorded_again() -> None:
    site = confirmed(buried())
    on_day(site, 6)

    assert on_day(site, 6.1) == Settled()


@pytest.mark.parametrize("job", ["a later version", ""])
def test_a_letter_without_a_confirmed_copy_is_kept(job: str) -> None:
    site = confirmed(buried(), job=job) if job else buried()

    done = on_day(site, 6)

    assert done == Settled(kept=1)
    assert bucket(site) == KEPT
    assert dead_letter(site, LETTER, KEPT_ROOT).kept
    assert row(site, LETTER).disposition is Disposition.DEAD


def test_a_letter_under_a_hold_is_kept_whatever_its_source_has() -> None:
    site = confirmed(buried())
    hold(site)

    assert on_day(site, 6) == Settled(kept=1)
    assert bucket(site) == KEPT


def test_a_hold_that_comes_after_it_was_recorded_brings_it_back() -> None:
    site = confirmed(buried())
    on_day(site, 6)
    hold(site)

    done = on_day(site, 6.5)

    assert done == Settled(kept=1)
    assert row(site, LETTER).disposition is Disposition.DEAD


def test_kept_letters_are_not_looked_at_again() -> None:
    site = buried()
    on_day(site, 6)

    assert on_day(site, 30) == Settled()


def test_a_letter_joins_the_one_that_was_kept_before_it() -> None:
    site = buried(LETTER, TWIN)
    both = lying(site)
    lay(site, both.model_copy(update={"documents": both.documents[:1]}))
    lay(site, both.model_copy(update={"documents": both.documents[1:]}), KEPT_ROOT, LETTER.content)

    on_day(site, 6)

    assert set(lying(site, root=KEPT_ROOT).documents) == set(both.documents)
    assert bucket(site) == KEPT


def test_a_letter_whose_documents_are_all_settled_elsewhere_is_left_to_the_rule() -> None:
    site = buried()
    site.send(LETTER)
    site.drain_until_quiet()

    done = on_day(site, 6)

    assert done == Settled()
    assert (bucket(site), row(site, LETTER).disposition) == (IN_PLACE, Disposition.ARCHIVED)


def test_a_document_that_no_row_tells_of_keeps_its_letter() -> None:
    site = confirmed(buried())
    letter = lying(site)
    stranger = letter.documents[0].model_copy(update={"bilko_document_id": uuid4()})
    lay(site, letter.model_copy(update={"documents": (*letter.documents, stranger)}), pdf=LETTER.content)

    assert on_day(site, 6) == Settled(kept=1)


@pytest.mark.parametrize("raw", [b"{broken", b'{"schemaVersion": "2"}'])
def test_what_cannot_be_read_is_kept_byte_for_byte(raw: bytes) -> None:
    site = confirmed(buried())
    site.dead_letters.put(LETTER.key.sidecar, raw, JSON)

    done = on_day(site, 6)

    kept = site.dead_letters.get(KEPT_ROOT + LETTER.key.sidecar)
    assert (done, bucket(site)) == (Settled(kept=1), KEPT)
    assert kept is not None
    assert kept.body == raw


def test_of_two_unreadable_ones_neither_is_overwritten() -> None:
    site = buried()
    site.dead_letters.put(LETTER.key.sidecar, b"{one", JSON)
    site.dead_letters.put(KEPT_ROOT + LETTER.key.sidecar, b"{other", JSON)

    done = on_day(site, 6)

    assert done == Settled(postponed=1)
    assert {*IN_PLACE, KEPT[0]} <= set(bucket(site))


def test_a_pdf_without_a_sidecar_is_kept() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.sidecar)

    assert on_day(site, 6) == Settled(kept=1)
    assert bucket(site) == KEPT[1:]


def test_a_pdf_that_the_drain_is_not_done_with_waits() -> None:
    site = buried()
    site.dead_letters.delete(LETTER.key.sidecar)
    site.queue.put(LETTER.key.sidecar, b"{}", JSON)

    assert on_day(site, 6) == Settled(postponed=1)


def test_a_letter_that_is_being_moved_or_buried_again_waits() -> None:
    site = buried()
    site.send(TWIN)
    frozen = waiting(site, TWIN).model_copy(update={"state": State.FINISHING})
    site.queue.put(TWIN.key.sidecar, frozen.to_json(), JSON)
    first = on_day(site, 6)
    site.queue.delete(TWIN.key.sidecar)
    lay(site, lying(site).model_copy(update={"lease": lease(site)}))

    second = on_day(site, 6)

    assert [first, second] == [Settled(postponed=1)] * 2
    assert bucket(site) == IN_PLACE


def test_while_nobody_can_say_whether_it_may_go_it_stays_and_in_good_time_it_is_kept() -> None:
    site = confirmed(buried())
    site.audit = failing(site.audit, "standings", "record")

    early, late = on_day(site, 6), on_day(site, 6.5)

    assert [early, late] == [Settled(postponed=1), Settled(kept=1)]
    assert bucket(site) == KEPT


def test_if_a_row_cannot_be_told_its_letter_stays_where_it_is() -> None:
    site = buried()
    site.audit = failing(site.audit, "record")

    done = on_day(site, 6)

    assert done == Settled(postponed=1)
    assert set(IN_PLACE) <= set(bucket(site))
