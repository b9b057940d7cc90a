"""The alert policies of alerts.json as values: what each counts, when it fires, what it means and what to do first."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from shared.observability import metrics

SEVERITIES = {"P1": "CRITICAL", "P2": "WARNING"}
_METRIC = re.compile(r'jsonPayload\.metric="([^"]*)"')

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
# Cloud Monitoring aligns by the minute and refuses anything between.
Seconds = Annotated[int, Field(ge=60, multiple_of=60)]


class Policy(BaseModel):
    """What every alert has; `filter` is Cloud Logging's language, within the lines of `function`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(pattern=r"^[a-z][a-z_]{2,62}$")
    title: Text
    priority: Literal["P1", "P2"]
    severity: Literal["CRITICAL", "WARNING"]
    function: Text
    filter: Text
    means: Text
    moves: tuple[Text, Text, Text] = Field(strict=False)

    @property
    def metric(self) -> str | None:
        """The metric whose lines it counts; None if it matches other lines."""
        found = _METRIC.search(self.filter)
        return found[1] if found else None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.severity != SEVERITIES[self.priority]:
            raise ValueError(f"{self.priority} is {SEVERITIES[self.priority]}, not {self.severity}")
        if self.metric is not None and self.metric not in metrics.known():
            raise ValueError(f"no metric is called {self.metric}; metrics.json lists them")
        return self


class Threshold(Policy):
    """Fires when, for `duration_seconds`, more than `threshold` lines lay within the last `window_seconds`.

    A window is longer than the five minutes between two runs, so that one that comes late does not end an incident.
    """

    kind: Literal["threshold"]
    threshold: int = Field(ge=0)
    window_seconds: Seconds
    duration_seconds: int = Field(ge=0, multiple_of=60)


class Absence(Policy):
    """Fires when lines that used to come have not come for `duration_seconds`."""

    kind: Literal["absence"]
    window_seconds: Seconds
    duration_seconds: int = Field(ge=120, le=84_600, multiple_of=60)


class LogMatch(Policy):
    """Fires at once on a line, and tells of further ones at most once in `rate_limit_seconds`."""

    kind: Literal["log_match"]
    rate_limit_seconds: Seconds


Alert = Annotated[Threshold | Absence | LogMatch, Field(discriminator="kind")]


class Policies(BaseModel):
    """The whole file. An incident ends when its lines have not come for `auto_close_seconds`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    auto_close_seconds: int = Field(ge=1800, le=604_800)
    policies: tuple[Alert, ...] = Field(min_length=1)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Refuses, with a ValueError, whatever is missing, unknown or contradicts itself."""
        tree = json.loads(text)
        entries = tree.pop("policies", {})
        return cls.model_validate({**tree, "policies": [{"id": name, **entry} for name, entry in entries.items()]})

    def by_id(self) -> Mapping[str, Threshold | Absence | LogMatch]:
        return MappingProxyType({policy.id: policy for policy in self.policies})


@cache
def known() -> Policies:
    return Policies.parse(Path(__file__).with_name("alerts.json").read_text("utf-8"))
