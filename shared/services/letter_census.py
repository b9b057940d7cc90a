"""One pass over all dead letters, of which it keeps no more than a watch needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from shared.domain.watch import WatchState, mark
from shared.ports import ObjectStore
from shared.services import keeping, letter_listing
from shared.services.letter_listing import Lying

AT_ONCE = 500
"""Letters of each kind that one watch looks at closely; the next goes on."""

T = TypeVar("T")


@dataclass(slots=True)
class Census:
    """How many, how old, whose, and what is new since the last watch."""

    state: WatchState
    now: datetime
    depth: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    at_newest: list[str] = field(default_factory=list)
    of: Counter[UUID] = field(default_factory=Counter)
    new: int = 0
    new_of: Counter[UUID] = field(default_factory=Counter)
    news: list[Lying] = field(default_factory=list)
    crossed: set[str] = field(default_factory=set)
    due: list[Lying] = field(default_factory=list)
    strays: list[Lying] = field(default_factory=list)
    turn: list[Lying] = field(default_factory=list)
    """Those whose turn it is to be compared with their rows: in the end everyone's comes."""

    def take(self, lying: Lying) -> None:
        key, dead_at = lying.key, lying.dead_at
        self.depth += 1
        self.of[key.organization_id] += 1
        self.oldest = dead_at if self.oldest is None else min(dead_at, self.oldest)
        self.crossed.update(self.state.crossed(dead_at, self.now))
        self._take_news(lying, dead_at)
        if keeping.due(lying, self.now):
            _append(self.due, lying)
        if any(stray.id == key.job_id for stray in self.state.strays):
            self.strays.append(lying)
        if key.pdf > self.state.checked_to:
            _append(self.turn, lying)

    def _take_news(self, lying: Lying, dead_at: datetime) -> None:
        key = lying.key
        if self.newest is None or dead_at > self.newest:
            self.newest, self.at_newest = dead_at, []
        if dead_at == self.newest:
            self.at_newest.append(mark(key.job_id))
        if self.state.is_news(key.job_id, dead_at):
            self.new += 1
            self.new_of[key.organization_id] += 1
            _append(self.news, lying)

    def next(self, incidents: dict[str, datetime]) -> WatchState:
        """What the next watch must know; what the rows say is added by whoever asked them."""
        state, turn_is_over = self.state, len(self.turn) < AT_ONCE
        newest = max((each for each in (self.newest, state.newest) if each is not None), default=None)
        return WatchState(
            watched_at=self.now,
            newest=newest,
            at_newest=frozenset(self.at_newest) if newest == self.newest else state.at_newest,
            incidents=incidents,
            strays=state.strays,
            checked_to="" if turn_is_over else self.turn[-1].key.pdf,
            depth=self.depth,
            oldest=self.oldest,
        )


def census(store: ObjectStore, state: WatchState, now: datetime) -> Census:
    found = Census(state, now)
    for lying in letter_listing.letters(store):
        found.take(lying)
    return found


def _append(few: list[T], one: T) -> None:
    if len(few) < AT_ONCE:
        few.append(one)
