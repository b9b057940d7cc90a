"""What operators ask of audit-callback over HTTP, against the real one on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import httpx
import pytest

from shared.adapters import ed25519
from shared.adapters.audit_api import AuditApiSettings
from shared.adapters.audit_api.operators import HttpOperatorAudit
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.operator_ledger import PostgresOperatorLedger
from shared.domain.audit import Disposition, Event
from shared.domain.dead_letters import DeadSummary, LetterFilter
from shared.domain.errors import Unavailable
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.operator_callback import ASKED_AT_ONCE
from tests.adapters.loopback import answer, loopback
from tests.contracts.ledger import handed_in, key_of, report, seal_all, sign
from tests.contracts.operator_ledger import dead, hold
from tests.functions.hosting import served

KEY = "an-internal-api-key"
AUTH = {"X-Internal-Api-Key": KEY}


@pytest.fixture
def callback(database: str) -> Iterator[str]:
    env = {"DATABASE_URL": database, "RECEIPT_SIGNING_KEY": ed25519.generate(), "INTERNAL_API_KEY": KEY}
    with served("audit-callback", env) as url:
        yield url


@pytest.fixture
def ledger(database: str) -> Iterator[PostgresOperatorLedger]:
    with closing(Database.at(database)) as opened:
        yield PostgresOperatorLedger(opened, 5)


def opened(url: str) -> HttpOperatorAudit:
    return HttpOperatorAudit(AuditApiSettings.from_env({"AUDIT_CALLBACK_URL": url, "INTERNAL_API_KEY": KEY}))


@pytest.fixture
def api(callback: str) -> Iterator[HttpOperatorAudit]:
    with closing(opened(callback)) as made:
        yield made


def bury(ledger: PostgresOperatorLedger, key: ObjectKey, reason: str = "refused", days: float = 0) -> UUID:
    document = handed_in(key)
    ledger.record(dead(document, reason), datetime.now(UTC) - timedelta(days=days), sign)
    return document.document_id


def test_an_event_is_in_the_journal(api: HttpOperatorAudit, ledger: PostgresOperatorLedger) -> None:
    api.operator_event(Event(uuid4(), "dead_letter.redrive", "Kari", "a job", {"documentType": "invoice"}))

    assert seal_all(ledger, 1) == [1]


def test_holds_arrive_as_they_were_placed(api: HttpOperatorAudit, ledger: PostgresOperatorLedger) -> None:
    organization = uuid4()
    placed = hold(organization, uuid4())
    ledger.place_hold(placed)

    assert api.holds(organization) == [placed]
    assert api.holds(uuid4()) == []


def test_dead_letters_arrive_in_pages_by_filter(api: HttpOperatorAudit, ledger: PostgresOperatorLedger) -> None:
    organization = uuid4()
    keys = [key_of(organization, digit) for digit in "abc"]
    for key in keys:
        bury(ledger, key)
    bury(ledger, key_of(organization, "d", DocumentType.CONTRACT), "not_accepted", days=3)
    wanted = LetterFilter(organization_id=organization, document_type=DocumentType.INVOICE, reason="refused")

    first = api.dead_letters(wanted, "", 2)
    second = api.dead_letters(wanted, first[-1].object_key, 2)
    old = api.dead_letters(LetterFilter(min_age_hours=48.5), "", 10)

    assert [row.key for row in (*first, *second)] == keys
    assert [row.reason for row in old] == ["not_accepted"]


def test_the_summary_and_standings_arrive(api: HttpOperatorAudit, ledger: PostgresOperatorLedger) -> None:
    key, unknown = key_of(uuid4()), key_of(uuid4())
    document = bury(ledger, key)

    standings = api.standings([unknown, key])

    assert api.dead_summary() == DeadSummary(by_reason={"refused": 1}, redriven={})
    assert [each.documents for each in standings] == [{}, {document: Disposition.DEAD}]


def test_more_keys_than_one_request_holds_are_asked_for_in_several(api: HttpOperatorAudit) -> None:
    keys = [ObjectKey(UUID(int=n), DocumentType.INVOICE, "a" * 64) for n in range(ASKED_AT_ONCE + 3)]

    assert [each.key for each in api.standings(keys)] == keys
    assert api.standings([]) == []


def test_what_is_said_of_a_letter_leaves_alone_what_was_queued_again(
    api: HttpOperatorAudit, ledger: PostgresOperatorLedger
) -> None:
    document = handed_in(key_of(uuid4()))
    ledger.accept(document)

    api.record(replace(report(document.key, Disposition.DISCARDED, document), unless_queued=True, redrives=1))

    assert ledger.job(document.key)[0].disposition is Disposition.QUEUED


def calls(api: HttpOperatorAudit) -> list[Callable[[], object]]:
    return [
        lambda: api.operator_event(Event(uuid4(), "drain.pause", "Kari", "all")),
        lambda: api.holds(uuid4()),
        lambda: api.dead_letters(LetterFilter(), "", 1),
        api.dead_summary,
        lambda: api.standings([key_of(uuid4())]),
    ]


@pytest.mark.parametrize("said", [answer(503), answer(422, b"{}"), None])
def test_a_refusal_or_no_answer_is_unavailable(said: bytes | None) -> None:
    with loopback(lambda _: said) as server, closing(opened(server.url)) as api:
        for call in calls(api):
            with pytest.raises(Unavailable):
                call()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"surprise": 1}'])
def test_an_answer_that_is_something_else_is_unavailable(body: bytes) -> None:
    with loopback(lambda _: answer(200, body)) as server, closing(opened(server.url)) as api:
        for call in calls(api)[1:]:
            with pytest.raises(Unavailable, match="something else"):
                call()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/internal/v1/operator-events", {"organizationId": "x"}),
        ("POST", "/internal/v1/operator-events", {"actor": " "}),
        ("POST", "/internal/v1/dead-letters/standings", {"objectKeys": ["control/paused"]}),
        ("POST", "/internal/v1/dead-letters/standings", {"objectKeys": ["x"] * (ASKED_AT_ONCE + 1)}),
    ],
)
def test_a_body_that_cannot_be_meant_is_refused(callback: str, method: str, path: str, body: dict[str, object]) -> None:
    said = httpx.request(method, callback + path, json=body, headers=AUTH, timeout=10, trust_env=False)

    assert said.status_code == 422


@pytest.mark.parametrize("path", ["/internal/v1/holds/x", "/internal/v1/dead-letters?limit=0"])
def test_an_address_that_cannot_be_meant_is_a_400(callback: str, path: str) -> None:
    assert httpx.get(callback + path, headers=AUTH, timeout=10, trust_env=False).status_code == 400
