"""The order in which documents are met."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.keys import DocumentType, ObjectKey
from shared.services.feed import Candidate, candidates, depth, paused_organizations
from tests.domain.samples import keys
from tests.fakes.clock import VirtualClock
from tests.fakes.object_store import MemoryService, MemoryStore

LAW = settings(deadline=None, max_examples=40)


def store(*names: str) -> MemoryStore:
    bucket = MemoryStore(MemoryService(VirtualClock()), "queue")
    for name in names:
        bucket.put(name, b"", "text/plain")
    return bucket


def key(organization: int, number: int = 0) -> ObjectKey:
    return ObjectKey(UUID(int=organization), DocumentType.INVOICE, f"{number:064x}")


def pair(each: ObjectKey) -> tuple[str, str]:
    return each.sidecar, each.pdf


def met(bucket: MemoryStore, **options: int) -> list[Candidate]:
    return list(candidates(bucket, shard=options.get("shard", 0), shards=options.get("shards", 1), start="run"))


@LAW
@given(st.sets(keys, max_size=12), st.integers(1, 5))
def test_every_document_is_met_by_exactly_one_shard(some: set[ObjectKey], shards: int) -> None:
    bucket = store(*(name for each in some for name in pair(each)))

    found = [one.key for shard in range(shards) for one in met(bucket, shard=shard, shards=shards)]

    assert sorted(found) == sorted(some)


@LAW
@given(st.lists(st.integers(1, 4), min_size=1, max_size=20))
def test_organisations_take_turns(owners: list[int]) -> None:
    some = [key(owner, number) for number, owner in enumerate(owners)]

    order = [one.key.organization_id for one in met(store(*(name for each in some for name in pair(each))))]

    for place, owner in enumerate(order):
        others = {each for each in set(order) if each != owner and each in order[place + 1 :]}
        following = order[place + 1 : place + 1 + len(others)]
        assert set(following) >= others or owner not in following


def test_urgent_documents_come_first_and_only_once() -> None:
    urgent, normal = key(1, 9), key(1, 1)
    bucket = store(*pair(normal), *pair(urgent), urgent.priority_marker)

    found = met(bucket)

    assert [(one.key, one.marker) for one in found] == [(urgent, True), (normal, False)]


def test_a_pdf_without_a_sidecar_is_told_apart() -> None:
    found = met(store(key(1, 1).pdf, *pair(key(1, 2))))

    assert [(one.key, one.orphan) for one in found] == [(key(1, 1), True), (key(1, 2), False)]


def test_a_marker_alone_is_met_too() -> None:
    assert [one.marker for one in met(store(key(1).priority_marker))] == [True]


def test_strange_objects_are_passed_over() -> None:
    assert met(store("org/notes.txt", f"org/{UUID(int=1)}/readme", "uploads/x.pdf", "control/paused")) == []


def test_depth_counts_sidecars_and_stops_at_its_limit() -> None:
    bucket = store(*(name for number in range(9) for name in pair(key(1, number))), key(2).pdf)

    assert (depth(bucket, 100), depth(bucket, 4)) == (9, 4)


def test_pauses_are_read_from_their_objects() -> None:
    assert paused_organizations(store()) == (False, frozenset())
    assert paused_organizations(store("control/paused")) == (True, frozenset())
    assert paused_organizations(store(f"control/paused/{UUID(int=3)}")) == (False, frozenset({UUID(int=3)}))
