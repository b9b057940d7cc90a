"""Whether it is this document or everybody: judged by what happened to others in the same run, never by probes.

With Paperless's queue down every GET says 200 and every upload 500, so only an accepted upload proves health. A
refused upload is held against its document only once another document's was accepted after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from shared.domain.keys import ObjectKey
from shared.domain.retry import BACKOFF, ErrorClass, backoff

ORGANIZATIONS_TO_TRY = 3
FAILURES_AT_MOST = 8


@dataclass(frozen=True, slots=True)
class Suspect:
    """A refused upload that may have been its document's own fault."""

    detail: str
    at: datetime


@dataclass(slots=True)
class Evidence:
    """What the uploads of one run have shown so far; side by side, they are not heard of in the order they ended."""

    suspects: dict[ObjectKey, Suspect] = field(default_factory=dict)
    failures: int = 0
    organizations: set[UUID] = field(default_factory=set)
    last_class: ErrorClass | None = None
    last_at: datetime | None = None
    got_through: bool = False

    def refused(self, key: ObjectKey, error_class: ErrorClass, detail: str, at: datetime, *, uploading: bool) -> None:
        self.failures += 1
        self.organizations.add(key.organization_id)
        self.last_class = error_class
        self.last_at = at if self.last_at is None else max(at, self.last_at)
        if uploading and error_class is not ErrorClass.AMBIGUOUS:
            self.suspects[key] = Suspect(detail, at)

    def accepted(self, at: datetime) -> dict[ObjectKey, str]:
        """An upload went through at that moment: whoever was refused before it was refused for its own fault."""
        guilty = {key: suspect.detail for key, suspect in self.suspects.items() if suspect.at < at}
        self.suspects = {key: suspect for key, suspect in self.suspects.items() if key not in guilty}
        self.got_through = True
        if self.last_at is None or self.last_at < at:
            self.failures, self.organizations, self.last_class, self.last_at = 0, set(), None, None
        return guilty

    @property
    def pause(self) -> float:
        """Seconds to wait before the next document is tried."""
        return 0.0 if self.failures == 0 else backoff(min(self.failures, len(BACKOFF)) - 1) or 0.0

    @property
    def stop(self) -> ErrorClass | None:
        """Why the run should end: enough failed in a row, and other organisations were tried where there are any."""
        enough = self.failures > len(BACKOFF)
        everybody = len(self.organizations) >= ORGANIZATIONS_TO_TRY or self.failures >= FAILURES_AT_MOST
        return self.last_class if enough and everybody else None

    @property
    def everybody(self) -> ErrorClass | None:
        """What was wrong once all were tried and not one got through: too few to stop for, but not the documents."""
        return None if self.got_through else self.last_class
