"""What can be made to go wrong, for how often and how long."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from types import UnionType

from tests.stand_ins.paperless.records import Json

# How a request is answered, first match first.
ANSWERS = (
    "refused",
    "hung",
    "error",
    "unauthorized",
    "forbidden",
    "login_redirect",
    "throttled",
    "lost_answer",
    "slow",
)
# How tasks fare.
CONDITIONS = ("redis_down", "worker_down", "worker_killed", "stuck", "database_locked", "worker_exited")
# What happens once, when asked for.
EVENTS = ("tags_lost", "tasks_lost", "queue_lost")

ONCE = ("lost_answer", "worker_killed", "stuck", "database_locked", "worker_exited")


_TYPES: dict[str, type | UnionType] = {
    **dict.fromkeys(("kind", "file_name", "path", "method"), str),
    **dict.fromkeys(("times", "status", "retry_after"), int),
    **dict.fromkeys(("lasts", "seconds"), int | float),
    **dict.fromkeys(("after_effect", "html"), bool),
}


class UnknownFault(ValueError):
    """A fault nobody knows; the message says what is known."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    `times` None means until it is cleared, `lasts` ends it after so many seconds, `seconds` is the delay of a slow or
    hung answer; `file_name`, `path` (a prefix) and `method` narrow it; with `after_effect` the server does its work
    before the answer goes wrong.
    """

    kind: str
    times: int | None = None
    lasts: float | None = None
    seconds: float | None = None
    file_name: str | None = None
    path: str | None = None
    method: str | None = None
    status: int | None = None
    retry_after: int | None = None
    after_effect: bool | None = None
    html: bool = False
    number: int = 0
    until: datetime | None = None

    def shown(self) -> dict[str, Json]:
        return {name: value for name, value in asdict(self).items() if value not in (None, False) and name != "until"}

    def applies(self, method: str, path: str, file_name: str | None) -> bool:
        if self.method not in (None, method) or not path.startswith(self.path or ""):
            return False
        return self.file_name is None or self.file_name == file_name


class FaultBoard:
    """The faults in force."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._number = 0

    @property
    def in_force(self) -> list[Fault]:
        return list(self._faults)

    def add(self, fault: Fault, now: datetime) -> Fault:
        self._number += 1
        times = fault.times if fault.times is not None else (1 if fault.kind in ONCE else None)
        until = None if fault.lasts is None else now + timedelta(seconds=fault.lasts)
        self._faults.append(replace(fault, times=times, until=until, number=self._number))
        return self._faults[-1]

    def clear(self) -> int:
        count = len(self._faults)
        self._faults.clear()
        return count

    def has(self, kind: str) -> bool:
        return any(fault.kind == kind for fault in self._faults)

    def cares_for_names(self) -> bool:
        return any(fault.file_name is not None and fault.kind in ANSWERS for fault in self._faults)

    def next_expiry(self, now: datetime) -> datetime | None:
        return min((f.until for f in self._faults if f.until is not None and f.until <= now), default=None)

    def expire(self, moment: datetime) -> None:
        self._faults = [fault for fault in self._faults if fault.until is None or fault.until > moment]

    def take_answer(self, method: str, path: str, file_name: str | None) -> Fault | None:
        for kind in ANSWERS:
            for fault in self._faults:
                if fault.kind == kind and fault.applies(method, path, file_name):
                    return self._take(fault)
        return None

    def take(self, kind: str, file_name: str | None = None) -> Fault | None:
        for fault in self._faults:
            if fault.kind == kind and fault.file_name in (None, file_name):
                return self._take(fault)
        return None

    def _take(self, fault: Fault) -> Fault:
        if fault.times is not None:
            left = replace(fault, times=fault.times - 1)
            place = self._faults.index(fault)
            self._faults[place : place + 1] = [left] if left.times else []
        return fault


def read_fault(values: Json) -> Fault:
    """A fault as the admin endpoint receives it."""
    if not isinstance(values, dict) or values.get("kind") not in (*ANSWERS, *CONDITIONS, *EVENTS):
        raise UnknownFault(f"a fault has a kind, one of {', '.join((*ANSWERS, *CONDITIONS, *EVENTS))}")
    strange = sorted(set(values) - _TYPES.keys())
    if strange:
        raise UnknownFault(f"a fault has no {', '.join(strange)}; it may have {', '.join(sorted(_TYPES))}")
    for name, value in values.items():
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and _TYPES[name] is not bool):
            raise UnknownFault(f"{name} of a fault cannot be {value!r}")
    return Fault(**values)
