"""Dead letters in pages: from the rows, and from the bucket while those are away."""

from __future__ import annotations

from typing import Any

import pytest

from shared.domain.dead_letter_answers import LetterPage
from shared.domain.dead_letters import LetterQuery, Shape
from shared.domain.errors import InvalidInput
from shared.domain.keys import KEPT_ROOT
from shared.domain.pauses import PauseRequest
from shared.services.dead_letter_watch import watch
from shared.services.dead_letters import page
from shared.services.pauses import pause
from tests.flows.meddling import failing
from tests.prove.site import Letter, Site
from tests.services.dead import JSON, LETTER, TWIN, buried, lay, lying

LETTERS = [Letter(f"Org {number % 2}", f"document {number}", f"text {number}") for number in range(6)]
SOURCES = pytest.mark.parametrize("source", ["rows", "listing"])


def shown(site: Site, source: str = "rows", **query: Any) -> LetterPage:
    if source == "listing":
        site.audit = failing(site.audit, "dead_letters")
    return page(site.letter_parts(), LetterQuery.model_validate(query))


def ids(some: list[Letter]) -> list[str]:
    return [letter.key.job_id for letter in sorted(some, key=lambda each: each.key.pdf)]


@SOURCES
def test_letters_come_in_the_order_of_keys(source: str) -> None:
    found = shown(buried(*LETTERS), source)

    assert [each.id for each in found.letters] == ids(LETTERS)
    assert (found.source, found.more, found.cursor) == (source, False, None)


def test_the_rows_tell_why_how_many_documents_and_since_when() -> None:
    site = buried(LETTER, TWIN)
    site.wait()

    (letter,) = shown(site).letters

    assert (letter.reason, letter.documents, letter.redrives) == ("refused", 2, 0)
    assert letter.meaning is not None
    assert "refused" in letter.meaning
    assert "413" in (letter.last_error or "")
    assert letter.age_seconds >= 300


def test_a_listing_tells_what_it_can_without_opening_a_letter() -> None:
    site = buried()
    lay(site, lying(site), KEPT_ROOT, LETTER.content)
    site.dead_letters.delete(LETTER.key.sidecar)
    site.dead_letters = failing(site.dead_letters, "stat", "open")

    (letter,) = shown(site, "listing").letters

    assert (letter.reason, letter.meaning, letter.documents) == (None, None, None)
    assert (letter.kept, letter.shape) == (True, Shape.LETTER)


@SOURCES
def test_pages_follow_each_other_and_miss_nobody(source: str) -> None:
    site = buried(*LETTERS)
    first = shown(site, source, limit=4)

    second = shown(site, source, limit=4, cursor=first.cursor)

    assert [each.id for each in (*first.letters, *second.letters)] == ids(LETTERS)
    assert (first.more, second.more) == (True, False)


def test_a_page_from_the_bucket_goes_on_where_one_from_the_rows_ended() -> None:
    site = buried(*LETTERS)
    first = shown(site, "rows", limit=4)

    second = shown(site, "listing", cursor=first.cursor)

    assert [each.id for each in (*first.letters, *second.letters)] == ids(LETTERS)


@SOURCES
def test_filters_narrow_a_page(source: str) -> None:
    site = buried(*LETTERS)
    organization = LETTERS[0].organization_id
    theirs = [letter for letter in LETTERS if letter.organization_id == organization]

    assert [each.id for each in shown(site, source, organization_id=organization).letters] == ids(theirs)
    assert shown(site, source, document_type="contract").letters == ()
    assert shown(site, source, min_age_hours=1).letters == ()
    assert shown(site, source, organization_id=organization, document_type="contract").letters == ()


def test_the_reason_is_a_filter_of_the_rows_and_a_listing_says_that_it_is_not_its_own() -> None:
    site = buried(*LETTERS)

    by_rows, by_listing = shown(site, reason="not_accepted"), shown(site, "listing", reason="not_accepted")

    assert (by_rows.letters, by_rows.ignored) == ((), ())
    assert (len(by_listing.letters), by_listing.ignored) == (6, ("reason",))


@SOURCES
def test_a_cursor_of_another_filter_is_refused(source: str) -> None:
    site = buried(*LETTERS)
    cursor = shown(site, source, limit=1).cursor

    with pytest.raises(InvalidInput, match="another selection") as caught:
        shown(site, source, limit=1, cursor=cursor, reason="refused")

    assert caught.value.field == "cursor"


@pytest.mark.parametrize("cursor", ["", "???", "bm90IGpzb24", "WzEsIDJd", "é"])
def test_what_only_looks_like_a_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="none of ours"):
        shown(Site(), cursor=cursor)


def test_strays_the_depth_and_pauses_are_shown_as_the_last_watch_saw_them() -> None:
    site = buried()
    site.dead_letters.put(LETTERS[0].key.pdf, b"", "application/pdf")
    pause(site.letter_parts(), PauseRequest(reason="an upgrade", actor="Kari"))
    unwatched = shown(site)
    watch(site.letter_parts())

    found = shown(site, limit=1)

    assert (unwatched.summary.depth, unwatched.strays) == (None, ())
    assert (found.summary.depth, found.summary.watched_at) == (2, site.clock.now())
    assert [(each.id, each.shape) for each in found.strays] == [(LETTERS[0].key.job_id, Shape.PDF_ONLY)]
    assert [each.reason for each in found.pauses] == ["an upgrade"]


def test_strays_are_shown_on_the_first_page_and_where_they_pass_the_filter() -> None:
    site = buried(*LETTERS[:3])
    site.dead_letters.put(LETTER.key.pdf, b"", "application/pdf")
    watch(site.letter_parts())
    cursor = shown(site, limit=1).cursor

    assert shown(site, limit=1, cursor=cursor).strays == ()
    assert shown(site, organization_id=LETTERS[0].organization_id).strays == ()
    assert shown(site, reason="refused").strays == ()


@SOURCES
def test_what_is_broken_is_listed_like_any_other(source: str) -> None:
    site = buried()
    site.dead_letters.put(LETTER.key.sidecar, b"{broken", JSON)
    site.dead_letters.put("org/something that is no key", b"", JSON)

    assert [each.id for each in shown(site, source).letters] == [LETTER.key.job_id]
