"""The key set: kept, refreshed for a new key, spared from invented ones, and usable while its issuer is down."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from shared.domain.errors import Unauthenticated, Unavailable
from shared.http.jwks import KeySet
from tests.http.issuer import Issuer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with serving("ES256") as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(issuer: Issuer, clock: Clock) -> KeySet:
    return KeySet(issuer.url, clock=clock)


def test_a_key_is_fetched_once_however_many_ask(keys: KeySet, issuer: Issuer) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(keys.key, ["first"] * 32))

    assert len(found) == 32
    assert issuer.fetches == 1


def test_a_new_key_is_fetched_when_a_token_names_it(keys: KeySet, issuer: Issuer, clock: Clock) -> None:
    keys.key("first")
    issuer.add("second", "ES256")
    clock.now += 61

    assert keys.key("second").key_id == "second"


def test_invented_keys_do_not_make_us_fetch_again_and_again(keys: KeySet, issuer: Issuer) -> None:
    for number in range(20):
        with pytest.raises(Unauthenticated):
            keys.key(f"invented-{number}")

    assert issuer.fetches == 1


def test_a_key_that_is_gone_is_forgotten_within_the_hour(keys: KeySet, issuer: Issuer, clock: Clock) -> None:
    keys.key("first")
    issuer.published.clear()
    clock.now += 3601

    with pytest.raises(Unauthenticated):
        keys.key("first")


def test_known_keys_outlive_an_outage_of_their_issuer_for_a_day(keys: KeySet, issuer: Issuer, clock: Clock) -> None:
    keys.key("first")
    issuer.down = True
    clock.now += 23 * 3600

    assert keys.key("first").key_id == "first"

    clock.now += 3600 + 1

    with pytest.raises(Unavailable):
        keys.key("first")


def test_an_issuer_that_never_answered_is_asked_again_soon(keys: KeySet, issuer: Issuer, clock: Clock) -> None:
    issuer.down = True
    for _ in range(3):
        with pytest.raises(Unavailable):
            keys.key("first")
    issuer.down = False
    clock.now += 5

    assert keys.key("first").key_id == "first"
    assert issuer.fetches == 2


@pytest.mark.parametrize("document", [None, [], {}, {"keys": "x"}, {"keys": None}])
def test_what_is_no_key_set_counts_as_an_outage(document: object) -> None:
    keys = KeySet("https://keys.example", fetch=lambda _: document)

    with pytest.raises(Unavailable):
        keys.key("first")


def test_a_broken_key_does_not_spoil_the_others(issuer: Issuer) -> None:
    published: list[object] = ["text", {"kty": "RSA", "kid": "broken"}, {"kty": "EC"}, *issuer.published]

    keys = KeySet("https://keys.example", fetch=lambda _: {"keys": published})

    assert keys.key("first").key_id == "first"
