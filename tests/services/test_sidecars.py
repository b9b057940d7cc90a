"""The one rule for sidecars."""

from __future__ import annotations

import pytest

from shared.domain import transitions
from shared.domain.errors import Ambiguous, PreconditionFailed, Throttled
from shared.services.sidecars import PATIENCE, Sidecars, patiently
from tests.domain.samples import KEY, document, sidecar
from tests.fakes.clock import VirtualClock
from tests.fakes.object_store import MemoryService, MemoryStore
from tests.flows.meddling import after, failing


def bucket(**options: float) -> tuple[MemoryStore, VirtualClock]:
    clock = VirtualClock()
    return MemoryStore(MemoryService(clock, **options), "queue"), clock  # type: ignore[arg-type]


def test_what_is_not_there_is_none() -> None:
    assert Sidecars(*bucket()).read(KEY) is None


def test_it_is_created_once() -> None:
    sidecars = Sidecars(*bucket())
    sidecars.create(sidecar())

    with pytest.raises(PreconditionFailed):
        sidecars.create(sidecar(revision="another"))


def test_it_is_changed_only_as_it_was_read() -> None:
    sidecars = Sidecars(*bucket())
    first = sidecars.create(sidecar())
    sidecars.replace(first, transitions.add_document(first.sidecar, document(2), "second"))

    with pytest.raises(PreconditionFailed):
        sidecars.replace(first, transitions.add_document(first.sidecar, document(3), "third"))


@pytest.mark.parametrize("error", [Ambiguous(), PreconditionFailed()])
def test_a_write_that_had_succeeded_after_all_is_recognised_by_its_revision(error: Exception) -> None:
    store, clock = bucket()

    def lose() -> None:
        raise error

    written = Sidecars(after(store, "create", lose), clock).create(sidecar())

    assert written.version == store.stat(KEY.sidecar).version  # type: ignore[union-attr]


def test_a_write_that_did_not_happen_stays_in_doubt() -> None:
    store, clock = bucket()

    with pytest.raises(Ambiguous):
        Sidecars(failing(store, "create", error=Ambiguous()), clock).create(sidecar())


def test_one_write_per_second_is_waited_out() -> None:
    store, clock = bucket(writes_per_second=1)
    sidecars, started = Sidecars(store, clock), clock.now()
    first = sidecars.create(sidecar())

    sidecars.replace(first, transitions.add_document(first.sidecar, document(2), "second"))

    assert (clock.now() - started).total_seconds() == 1


def test_patience_ends() -> None:
    clock, calls = VirtualClock(), list[int]()

    def write() -> str:
        calls.append(1)
        raise Throttled(1.0)

    with pytest.raises(Throttled):
        patiently(clock, write)

    assert len(calls) == PATIENCE + 1
