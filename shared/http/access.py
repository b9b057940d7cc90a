"""Who may call a route, and who does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID


class Access(Flag):
    """The callers a route takes; `SERVICE | USER` takes both."""

    PUBLIC = 0
    SERVICE = auto()
    USER = auto()


PUBLIC, SERVICE, USER = Access.PUBLIC, Access.SERVICE, Access.USER


class Kind(StrEnum):
    """What sort of caller it is."""

    SERVICE = "service"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller whose credentials were checked."""

    kind: Kind
    subject: str
    organization_id: UUID | None = None
    is_admin: bool = False

    @property
    def user_id(self) -> str | None:
        return self.subject if self.kind is Kind.USER else None
