"""Whether the archive really has it."""

from __future__ import annotations

from shared.domain.paperless import Mismatch
from shared.services.verification import look_up
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER, TWIN, held, opened, sent


def delivered() -> Site:
    """The first document is in the archive, a second of the same bytes waits."""
    site = sent()
    site.drain()
    site.send(TWIN)
    return site


def test_an_empty_archive_has_nothing() -> None:
    run = opened(sent())

    assert look_up(run, held(run).sidecar, run.book.labels(LETTER.key), ours=True).nothing


def test_a_document_of_the_same_organisation_type_and_bytes_is_the_winner() -> None:
    site = delivered()
    run = opened(site)

    found = look_up(run, held(run).sidecar, run.book.labels(LETTER.key), ours=False)

    assert (found.winner, found.surplus) == (site.copies(LETTER.key)[0], ())


def test_what_we_sent_ourselves_must_carry_one_of_our_own_document_ids() -> None:
    site = delivered()
    run = opened(site)

    found = look_up(run, held(run).sidecar, run.book.labels(LETTER.key), ours=True)

    assert (found.winner, found.mismatches) == (None, (Mismatch.FIELDS,))


def test_another_organisations_document_is_never_found() -> None:
    site, other = delivered(), Letter("Other AS", "invoice 3", "An invoice")
    site.send(other)
    run = opened(site)

    found = look_up(run, held(run, other).sidecar, run.book.labels(other.key), ours=False)

    assert found.nothing


def test_on_2_the_md5_of_the_original_counts() -> None:
    site = sent(version="2.20.15")
    site.drain()
    site.send(TWIN)
    run = opened(site)

    assert run.checksum_algorithm == "md5"
    assert look_up(run, held(run).sidecar, run.book.labels(LETTER.key), ours=False).winner is not None
