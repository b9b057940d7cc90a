"""Sending letters back: which ones, by whom, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from shared.domain.dead_letters import LetterFilter, scope_of
from shared.domain.messages import Message, Words

LetterId = Annotated[str, StringConstraints(min_length=1, max_length=400)]


class Sending(StrEnum):
    """What a redrive made of one letter."""

    REDRIVEN = "redriven"
    ALREADY_QUEUED = "already_queued"
    UNKNOWN = "unknown"
    UNREADABLE = "unreadable"
    FAILED = "failed"


class Selection(Message):
    """Exactly one way to say which letters are meant."""

    ids: tuple[LetterId, ...] | None = Field(None, min_length=1, max_length=500)
    filter: LetterFilter | None = None
    all: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if [self.ids is not None, self.filter is not None, self.all].count(True) != 1:
            raise ValueError('say which letters by exactly one of "ids", "filter" and "all": true')
        if self.filter == LetterFilter():
            raise ValueError('an empty filter means all letters: say "all": true instead')
        return self


class RedriveRequest(Selection):
    """`POST /v1/dead-letters/redrive`."""

    actor: Words
    limit: int = Field(100, ge=1, le=500)
    cursor: str | None = None

    @property
    def scope(self) -> str:
        return scope_of(Selection(ids=self.ids, filter=self.filter, all=self.all))


class RedriveItem(Message):
    """One letter's outcome."""

    id: str
    outcome: Sending
    detail: str


class RedriveAnswer(Message):
    """A batch reports, it does not abort; with `cursor` the same request goes on."""

    items: tuple[RedriveItem, ...]
    counts: dict[Sending, int]
    more: bool
    cursor: str | None

    @classmethod
    def of(cls, items: Sequence[RedriveItem], cursor: str | None) -> Self:
        counted = Counter(item.outcome for item in items)
        counts = {outcome: counted[outcome] for outcome in Sending}
        return cls(items=tuple(items), counts=counts, more=cursor is not None, cursor=cursor)


class DiscardRequest(Message):
    """`POST /v1/dead-letters/{id}/discard`."""

    reason: Words
    actor: Words


class Discarded(Message):
    """The letter is gone, and its documents' rows say why."""

    id: str
    outcome: str = "discarded"
    documents: int
