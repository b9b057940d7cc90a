"""What one watch over the dead letters hands on to the next, and what of it is news."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Self

from pydantic import AwareDatetime, ConfigDict, Field, ValidationError

from shared.domain.dead_letters import ALERT_AFTER, Shape
from shared.domain.messages import Message

QUIET_ENDS_IT = timedelta(minutes=30)
"""The same trouble again within that time is the same incident."""
STRAYS_AT_MOST = 200
NEWLY_DEAD = "newly_dead"


class Stray(Message):
    """A letter that no row tells of, as a watch saw it."""

    id: str
    dead_at: AwareDatetime
    kept: bool
    shape: Shape


class WatchState(Message):
    """`control/watch.json` in the dead letters' bucket."""

    # A later version may have written more; it is only a memory, so what we do not know may be forgotten.
    model_config = ConfigDict(extra="ignore")

    watched_at: AwareDatetime | None = None
    newest: AwareDatetime | None = None
    at_newest: frozenset[str] = frozenset()
    """Those that died in the very second of `newest`: listings know no finer time."""
    moved: frozenset[str] = frozenset()
    """Those the last watch has moved itself: they are younger where they lie now, and yet no news."""
    incidents: dict[str, AwareDatetime] = Field(default_factory=dict)
    strays: tuple[Stray, ...] = ()
    checked_to: str = ""
    """How far the slow round has come that compares every letter with its rows."""
    depth: int = 0
    oldest: AwareDatetime | None = None

    @classmethod
    def parse(cls, raw: bytes) -> Self:
        """What cannot be read is forgotten: at worst somebody is told twice."""
        try:
            return cls.model_validate_json(raw)
        except ValidationError:
            return cls()

    def is_news(self, identifier: str, dead_at: datetime) -> bool:
        if self.newest is None or dead_at > self.newest:
            return mark(identifier) not in self.moved
        return dead_at == self.newest and mark(identifier) not in self.at_newest

    def crossed(self, dead_at: datetime, now: datetime) -> list[str]:
        """The ages it has reached since the last watch; the first watch finds what is old already."""
        return [_cause(age) for age in ALERT_AFTER if self._before(dead_at + age) and dead_at + age <= now]

    def _before(self, moment: datetime) -> bool:
        return self.watched_at is None or self.watched_at < moment


def mark(identifier: str) -> str:
    """An id in few characters, for there may be thousands."""
    return hashlib.sha256(identifier.encode()).hexdigest()[:12]


def _cause(age: timedelta) -> str:
    return f"age_{age.days}_days"


def fresh(incidents: dict[str, datetime], causes: set[str], now: datetime) -> tuple[set[str], dict[str, datetime]]:
    """Which of these causes begin an incident, and the incidents that are open from now on."""
    still = {cause: last for cause, last in incidents.items() if now - last <= QUIET_ENDS_IT}
    return causes - still.keys(), {**still, **dict.fromkeys(causes, now)}
