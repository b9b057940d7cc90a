"""The last steps, each of which may be repeated."""

from __future__ import annotations

import pytest

from shared.domain import transitions
from shared.domain.audit import Disposition
from shared.domain.errors import Unavailable
from shared.domain.sidecar import KEPT_ERRORS, Failure, UnreadableSidecar
from shared.services.finishing import bury_unreadable, finish, merge, report_of, take_over
from tests.domain.samples import KEY, NOW, document, sidecar
from tests.flows.meddling import before, dead_letter, dies, left_over, row
from tests.prove.effects import Killed
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER, held, opened, sent


def frozen_dead(site: Site) -> None:
    run = opened(site)
    lease = run.lease_to_finish()
    run.change(held(run), lambda each: transitions.finish_dead(each, "not_accepted", lease))


@pytest.mark.parametrize("step", [0, 1])
def test_killed_before_any_of_its_deletes_it_is_finished_by_the_next(step: int) -> None:
    site = sent()
    frozen_dead(site)
    plain, calls = site.queue, list[int]()

    def die_at_step() -> None:
        calls.append(1)
        if len(calls) > step:
            dies()

    site.queue = before(plain, "delete", die_at_step, times=9)
    run = opened(site)
    with pytest.raises(Killed):
        finish(run, take_over(run, held(run)))
    site.queue = plain
    site.wait()

    site.drain()

    assert dead_letter(site, LETTER).reason == "not_accepted"
    assert row(site, LETTER).disposition is Disposition.DEAD
    assert not left_over(site)


def test_the_letter_is_whole_before_anything_is_deleted() -> None:
    site = sent()
    frozen_dead(site)
    site.audit = before(site.audit, "record", dies)
    run = opened(site)

    with pytest.raises(Killed):
        finish(run, take_over(run, held(run)))

    assert dead_letter(site, LETTER).lease is None
    assert len(left_over(site)) == 2


def test_a_second_letter_of_the_same_bytes_is_merged_with_the_first() -> None:
    site, twin = sent(), Letter("Firma AS", "invoice 2", "An invoice")
    frozen_dead(site)
    site.wait()
    site.drain()
    site.send(twin)
    frozen_dead(site)
    site.wait()

    site.drain()

    ids = {each.bilko_document_id for each in dead_letter(site, LETTER).documents}
    assert ids == {LETTER.document_id, twin.document_id}


def test_a_merged_letter_has_every_document_once_and_a_bounded_history() -> None:
    errors = tuple(Failure(at=NOW, kind="document", message=str(number)) for number in range(30))
    old = sidecar(documents=(document(1), document(2)), errors=errors[:20])
    new = sidecar(documents=(document(1), document(3)), errors=errors[20:])

    merged = merge(old.to_json(), new)

    assert [each.bilko_document_id.int for each in merged.documents] == [1, 3, 2]
    assert merged.errors == errors[-KEPT_ERRORS:]
    assert merged.bilko_document_id == merged.documents[0].bilko_document_id


def test_a_letter_that_cannot_be_read_is_never_overwritten() -> None:
    with pytest.raises(Unavailable):
        merge(b"{}", sidecar())


def test_the_claim_on_a_lone_pdf_takes_nothing_from_the_letter_that_was_there() -> None:
    claim = sidecar(documents=(), organization_name="", md5="", reason="orphan_pdf", revision="claim")

    merged = merge(sidecar(reason="refused").to_json(), claim)

    assert merged == sidecar(reason="refused", revision="claim")


def test_another_unreadable_letter_of_the_same_name_is_not_overwritten() -> None:
    site = sent()
    site.queue.put(LETTER.key.sidecar, b"{}", "application/json")
    site.dead_letters.put(LETTER.key.sidecar, b"[]", "application/json")
    run = opened(site)

    with pytest.raises(Unavailable):
        bury_unreadable(run, LETTER.key, UnreadableSidecar("sidecar_broken", "the whole: it is empty"))

    assert len(left_over(site)) == 2


def test_a_report_names_every_document_of_the_sidecar() -> None:
    site = sent()
    run = opened(site)

    report = report_of(run, sidecar(documents=(document(1), document(2))))

    assert (report.key, report.disposition) == (KEY, Disposition.QUEUED)
    assert [each.document_id.int for each in report.documents] == [1, 2]
    assert report.paperless_url is None
