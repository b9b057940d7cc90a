"""What a drain is asked to do, what becomes of one document in it, and what it reports at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from shared.domain.keys import ObjectKey
from shared.domain.retry import ErrorClass


@dataclass(frozen=True, slots=True)
class DrainOptions:
    """Limits and settings of a run, with the defaults of the design."""

    prefix: str = "bilko"
    budget_seconds: float = 240.0
    window: int = 4
    shard: int = 0
    shards: int = 1
    tag_ids: Mapping[str, int] = field(default_factory=dict)
    source_uuid_tag: bool = False
    upload_timeout: float = 50.0
    slot_seconds: float = 600.0
    started_for_ever_seconds: float = 7200.0
    settle_seconds: float = 60.0
    orphan_grace_seconds: float = 3600.0
    depth_limit: int = 5000

    @property
    def slots(self) -> int:
        """This shard's part of the uploads that may be under way at Paperless at once."""
        return max(1, self.window // self.shards)


class Ending(StrEnum):
    """How one document left this run."""

    ARCHIVED = "archived"
    DEAD = "dead"
    RETRY = "retry"
    WAITING = "waiting"
    LEASED = "leased"
    LEFT = "left"
    GONE = "gone"
    ERASED = "erased"
    PAUSED = "paused"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one document; the coordinator draws the conclusions."""

    key: ObjectKey
    ending: Ending
    error_class: ErrorClass | None = None
    detail: str = ""
    accepted: bool = False
    uploading: bool = False
    answered_at: datetime | None = None
    """When Paperless answered its upload: evidence is a matter of before and after."""
    task_submitted_at: datetime | None = None
    """When the task was submitted that turned out to be final."""
    task_row: int | None = None
    """The row of that task, which need not be listed any more."""
    alert: str | None = None
    surplus: int = 0


class Stop(StrEnum):
    """Why a run ended."""

    EMPTY = "queue_empty"
    BUDGET = "budget_spent"
    PAUSED = "paused"
    DOWN = "paperless_down"
    AUTH = "paperless_auth"
    CONFIG = "paperless_config"
    CANARY = "canary_failed"
    OURS_DOWN = "store_down"


@dataclass(slots=True)
class DrainReport:
    """A run in numbers: always an answer, never an exception."""

    run_id: str
    started_at: datetime
    stop: Stop = Stop.EMPTY
    detail: str = ""
    depth: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    charged: int = 0
    surplus: int = 0
    surplus_of: set[ObjectKey] = field(default_factory=set)

    def as_json(self) -> dict[str, object]:
        return {
            "runId": self.run_id,
            "stoppedBecause": self.stop,
            "detail": self.detail,
            "queueDepthAtStart": self.depth,
            "charged": self.charged,
            "surplus": self.surplus,
            **{ending.value: self.endings[ending] for ending in Ending},
        }
