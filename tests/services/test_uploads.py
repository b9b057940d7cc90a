"""Large PDFs."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from shared.domain.errors import ArchiveQueueFailure, InvalidInput, TooLarge
from shared.domain.submission import Accepted, FinishedUpload, UploadRequest
from shared.services.archive_write import WriteParts
from shared.services.uploads import LIFETIME, archive_upload, offer, upload_key
from tests.flows.meddling import after, failing, left_over
from tests.prove.site import Site
from tests.services.runs import LETTER

LARGEST = 1_000_000
UPLOAD = "7" * 32
NAME = upload_key(LETTER.organization_id, UPLOAD)


def parts(site: Site) -> WriteParts:
    return WriteParts(site.queue, site.ledger, site.clock, site.nonce)


def uploaded() -> Site:
    site = Site()
    site.queue.put(NAME, LETTER.content, "application/pdf")
    return site


def finalise(site: Site, largest: int = LARGEST) -> Accepted:
    upload = FinishedUpload(**LETTER.submission.model_dump(), upload_id=UPLOAD)
    return archive_upload(parts(site), upload, largest, trace_id=None)


def test_an_address_takes_exactly_this_size_for_a_quarter_of_an_hour() -> None:
    site = Site()

    address = offer(parts(site), UploadRequest(organization_id=LETTER.organization_id, size=5000), LARGEST)

    assert address.headers["Content-Length"] == "5000"
    assert address.expires_at - site.clock.now() == LIFETIME == timedelta(minutes=15)
    assert address.upload_id in address.url


def test_no_address_is_given_for_what_would_be_too_large() -> None:
    with pytest.raises(TooLarge):
        offer(parts(Site()), UploadRequest(organization_id=LETTER.organization_id, size=LARGEST + 1), LARGEST)


def test_once_taken_in_the_upload_is_tidied_away() -> None:
    site = uploaded()

    finalise(site)

    assert left_over(site) == [LETTER.key.sidecar, LETTER.key.pdf]


def test_an_upload_that_cannot_be_tidied_away_is_accepted_all_the_same() -> None:
    site = uploaded()
    site.queue = failing(site.queue, "delete")

    assert finalise(site).job_id == LETTER.key.job_id


def test_an_upload_larger_than_allowed_is_refused_before_it_is_read() -> None:
    site = uploaded()
    site.queue = failing(site.queue, "open")

    with pytest.raises(TooLarge):
        finalise(site, largest=10)


@pytest.mark.parametrize("call", ["stat", "open", "copy"])
def test_with_the_store_down_the_sender_is_told_to_try_again(call: str) -> None:
    site = uploaded()
    site.queue = failing(site.queue, call)

    with pytest.raises(ArchiveQueueFailure):
        finalise(site)


def test_an_upload_that_vanished_meanwhile_is_named() -> None:
    site = uploaded()
    plain = site.queue
    site.queue = after(plain, "stat", lambda: plain.delete(NAME))

    with pytest.raises(InvalidInput) as refused:
        finalise(site)

    assert refused.value.field == "uploadId"


def test_another_organisations_upload_cannot_be_claimed() -> None:
    site = Site()
    site.queue.put(upload_key(UUID(int=9), UPLOAD), LETTER.content, "application/pdf")

    with pytest.raises(InvalidInput):
        finalise(site)
