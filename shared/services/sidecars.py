"""The one rule for sidecars: created and changed conditionally, and read again whenever the answer is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from shared.domain.errors import Ambiguous, PreconditionFailed, Throttled
from shared.domain.keys import ObjectKey
from shared.domain.sidecar import Sidecar
from shared.ports import Clock, ObjectStore

CONTENT_TYPE = "application/json"
PATIENCE = 6

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Held:
    """A sidecar as it was read or written, and the version that the next change must name."""

    sidecar: Sidecar
    version: str


class Sidecars:
    """Every sidecar read and write of the house goes through here."""

    def __init__(self, store: ObjectStore, clock: Clock, root: str = "") -> None:
        self._store = store
        self._clock = clock
        self._root = root

    def read(self, key: ObjectKey) -> Held | None:
        found = self._store.get(self._root + key.sidecar)
        return None if found is None else Held(Sidecar.parse(found.body, key), found.info.version)

    def create(self, sidecar: Sidecar) -> Held:
        """PreconditionFailed if there is one already."""
        name, body = self._root + sidecar.key.sidecar, sidecar.to_json()
        return self._settle(sidecar, lambda: self._store.create(name, body, CONTENT_TYPE))

    def replace(self, held: Held, changed: Sidecar) -> Held:
        """PreconditionFailed if somebody else was quicker."""
        name, body = self._root + changed.key.sidecar, changed.to_json()
        return self._settle(changed, lambda: self._store.replace(name, body, CONTENT_TYPE, held.version))

    def _settle(self, sidecar: Sidecar, write: Callable[[], str]) -> Held:
        try:
            return Held(sidecar, patiently(self._clock, write))
        except (PreconditionFailed, Ambiguous):
            found = self.read(sidecar.key)
            # The revision is a fresh nonce in every write, so if it is there the write had succeeded.
            if found is None or found.sidecar.revision != sidecar.revision:
                raise
            return found


def patiently(clock: Clock, write: Callable[[], Result]) -> Result:
    """Buckets allow about one write per second to a key; a refusal for that is waited out."""
    for _ in range(PATIENCE):
        try:
            return write()
        except Throttled as exc:
            clock.sleep(exc.retry_after or 1.0)
    return write()
