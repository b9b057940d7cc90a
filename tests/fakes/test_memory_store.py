"""The buckets in memory keep the contract, and the limits they are asked to keep."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from typing_extensions import override

from shared.domain.errors import PreconditionFailed, Throttled
from shared.ports import ObjectStore
from tests.contracts.object_store import TEXT, ObjectStoreContract
from tests.fakes.clock import NEW_YEAR, VirtualClock
from tests.fakes.object_store import MemoryService, MemoryStore


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def service(clock: VirtualClock) -> MemoryService:
    return MemoryService(clock)


class TestMemoryStore(ObjectStoreContract):
    @pytest.fixture
    def store(self, service: MemoryService) -> ObjectStore:
        return MemoryStore(service, "one")

    @pytest.fixture
    def other(self, service: MemoryService) -> ObjectStore:
        return MemoryStore(service, "two")

    @override
    def now(self) -> datetime:
        return NEW_YEAR


def test_two_stores_of_one_bucket_see_the_same_objects(service: MemoryService) -> None:
    MemoryStore(service, "one").put("a", b"one", TEXT)

    assert MemoryStore(service, "one").stat("a") is not None


def test_objects_carry_the_time_of_the_clock(clock: VirtualClock, service: MemoryService) -> None:
    store = MemoryStore(service, "one")
    clock.advance(timedelta(hours=1))

    store.put("a", b"one", TEXT)

    info = store.stat("a")
    assert info is not None
    assert info.updated == NEW_YEAR + timedelta(hours=1)


def test_keys_are_ordered_by_character_and_not_by_folder(service: MemoryService) -> None:
    store = MemoryStore(service, "one")
    for key in ("b/1", "b.x", "b", "bé"):
        store.put(key, b"", TEXT)

    assert [info.key for info in store.list("")] == ["b", "b.x", "b/1", "bé"]


def test_a_listing_under_way_sees_what_changes_ahead_of_it(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, page=2), "one")
    for key in ("a", "b", "c", "d"):
        store.put(key, b"", TEXT)

    listing = store.list("")
    first = next(listing)
    store.delete("c")
    store.put("e", b"", TEXT)

    assert [first.key, *(info.key for info in listing)] == ["a", "b", "d", "e"]


def test_a_listing_under_way_does_not_see_what_changes_in_its_page(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, page=2), "one")
    for key in ("a", "b", "c"):
        store.put(key, b"", TEXT)

    listing = store.list("")
    first = next(listing)
    store.delete("b")

    assert [first.key, *(info.key for info in listing)] == ["a", "b", "c"]


def test_a_second_write_within_the_second_is_throttled(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, writes_per_second=1), "one")
    version = store.create("a", b"one", TEXT)
    clock.sleep(0.25)

    with pytest.raises(Throttled) as caught:
        store.replace("a", b"two", TEXT, version)

    assert caught.value.retry_after == 0.75
    stored = store.get("a")
    assert stored is not None
    assert stored.body == b"one"


def test_a_write_a_second_later_is_taken(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, writes_per_second=1), "one")
    version = store.create("a", b"one", TEXT)
    clock.sleep(1)

    store.replace("a", b"two", TEXT, version)

    stored = store.get("a")
    assert stored is not None
    assert stored.body == b"two"


def test_other_keys_and_deletes_are_not_throttled(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, writes_per_second=1), "one")
    store.create("a", b"one", TEXT)

    store.create("b", b"two", TEXT)
    store.delete("a")

    assert [info.key for info in store.list("")] == ["b"]


def test_every_kind_of_write_is_throttled(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, writes_per_second=1), "one")
    store.create("b", b"two", TEXT)
    clock.sleep(1)
    store.put("a", b"one", TEXT)

    with pytest.raises(Throttled):
        store.put("a", b"one", TEXT)
    with pytest.raises(Throttled):
        store.create("a", b"one", TEXT)
    with pytest.raises(Throttled):
        store.copy("one", "b", "a")


def test_a_refused_write_does_not_count(clock: VirtualClock) -> None:
    store = MemoryStore(MemoryService(clock, writes_per_second=1), "one")
    version = store.create("a", b"one", TEXT)
    clock.sleep(1)
    with pytest.raises(PreconditionFailed):
        store.replace("a", b"two", TEXT, "stale")

    store.replace("a", b"two", TEXT, version)

    assert store.content_type("a") == TEXT
