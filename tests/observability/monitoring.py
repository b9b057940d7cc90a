"""Cloud Monitoring as far as the alerts need it: log entries with their times in, incidents out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.observability.alerts import Absence, LogMatch, Policies, Threshold
from tests.observability.log_filter import Entry, compiled

STEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Logged:
    """One line as Cloud Logging keeps it, at the moment it was written."""

    at: datetime
    function: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Incident:
    """From when an alert fired until it closed."""

    opened: datetime
    closed: datetime


def incidents(policies: Policies, logged: Sequence[Logged], until: datetime) -> dict[str, list[Incident]]:
    """What every alert made of these lines, looked at once a minute; alerts that stayed silent are not in it."""
    found = {
        policy.id: _joined(_moments(policy, _matching(policy, logged), until), policies.auto_close_seconds)
        for policy in policies.policies
    }
    return {name: each for name, each in found.items() if each}


def _matching(policy: Threshold | Absence | LogMatch, logged: Iterable[Logged]) -> list[datetime]:
    matches = compiled(policy.filter)
    return [line.at for line in logged if line.function == policy.function and matches(line.entry)]


def _moments(policy: Threshold | Absence | LogMatch, times: list[datetime], until: datetime) -> list[datetime]:
    """The moments at which it is firing."""
    if isinstance(policy, LogMatch) or not times:
        return times
    if isinstance(policy, Absence):
        return _silences(times, policy.duration_seconds, until)
    return _lasting(_exceeded(policy, times, until), policy.duration_seconds)


def _silences(times: list[datetime], seconds: int, until: datetime) -> list[datetime]:
    """It takes a first line to miss the next; then every minute that is too long after the last one counts."""
    moments: list[datetime] = []
    for last, following in zip(times, [*times[1:], until], strict=True):
        moments += _minutes(last + timedelta(seconds=seconds) + STEP, following)
    return moments


def _exceeded(policy: Threshold, times: list[datetime], until: datetime) -> list[datetime]:
    """The minutes in whose window there are too many lines."""
    window, first, last, moments = timedelta(seconds=policy.window_seconds), 0, 0, []
    for now in _minutes(times[0], until + STEP):
        while last < len(times) and times[last] <= now:
            last += 1
        while first < last and times[first] <= now - window:
            first += 1
        if last - first > policy.threshold:
            moments.append(now)
    return moments


def _lasting(moments: list[datetime], seconds: int) -> list[datetime]:
    """Those that were reached by that long a row without a gap."""
    lasting: list[datetime] = []
    began = previous = None
    for now in moments:
        if began is None or previous is None or now - previous > STEP:
            began = now
        if (now - began).total_seconds() >= seconds:
            lasting.append(now)
        previous = now
    return lasting


def _joined(moments: list[datetime], auto_close_seconds: int) -> list[Incident]:
    found: list[Incident] = []
    for now in moments:
        if found and now - found[-1].closed <= timedelta(seconds=auto_close_seconds):
            found[-1] = Incident(found[-1].opened, now)
        else:
            found.append(Incident(now, now))
    return found


def _minutes(start: datetime, end: datetime) -> Iterable[datetime]:
    while start < end:
        yield start
        start += STEP
