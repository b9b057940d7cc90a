"""What a bucket tells about its objects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object without its bytes; `version` is what a conditional write must name (ETag, or generation)."""

    key: str
    size: int
    version: str
    updated: datetime


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A small object, whole."""

    info: ObjectInfo
    body: bytes


@dataclass(frozen=True, slots=True)
class PresignedGet:
    """An address that shows one object until it expires."""

    url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PresignedPut:
    """An address that takes one PUT of exactly this size and type until it expires."""

    url: str
    headers: dict[str, str]
    expires_at: datetime
