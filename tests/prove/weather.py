"""What goes wrong in a simulation, decided by the seed: lost answers, outages, slow parts, kills and pauses."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from shared.domain.errors import Ambiguous, Unavailable
from tests.prove.hub import Process
from tests.stand_ins.paperless.transport import StandInTransport

READS = frozenset({"get", "stat", "list", "folders", "labels", "job", "recall", "count_by_disposition"})


@dataclass(slots=True)
class Weather:
    """The chances; calm weather has none."""

    random: random.Random
    failure: float = 0.0
    kill: float = 0.0
    stall: float = 0.0
    calm_from: datetime | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def strikes(self, process: Process, chance: float, what: str) -> bool:
        if process.spared or (self.calm_from is not None and process.hub.now >= self.calm_from):
            return False
        struck = self.random.random() < chance
        if struck:
            self.counts[what] = self.counts.get(what, 0) + 1
        return struck

    def latency(self) -> float:
        return self.random.choice((0.002, 0.01, 0.05, 0.3))

    def pass_by(self, process: Process) -> None:
        process.step(self.latency())
        if self.strikes(process, self.kill, "kills"):
            process.dead = True
            process.step(0.0)


class Weathered:
    """A port of one process out in the weather: any call may be slow, fail, or lose its answer."""

    def __init__(self, port: Any, process: Process, weather: Weather) -> None:
        self._port, self._process, self._weather = port, process, weather

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if not callable(attribute):
            return attribute

        def call(*args: Any, **kwargs: Any) -> Any:
            weather, process = self._weather, self._process
            weather.pass_by(process)
            if weather.strikes(process, weather.failure, "failures"):
                raise Unavailable("struck by the simulation")
            result = attribute(*args, **kwargs)
            result = list(result) if name in ("list", "folders") else result
            weather.pass_by(process)
            if name not in READS and weather.strikes(process, weather.failure, "lost answers"):
                raise Ambiguous("answer lost by the simulation")
            return iter(result) if name in ("list", "folders") else result

        return call


class WeatheredTransport(httpx.BaseTransport):
    """The network between one process and Paperless; an upload may also be held up, after its lease was checked."""

    def __init__(self, inner: StandInTransport, process: Process, weather: Weather) -> None:
        self._inner, self._process, self._weather = inner, process, weather

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        weather, process = self._weather, self._process
        weather.pass_by(process)
        if "post_document" in request.url.path and weather.strikes(process, weather.stall, "pauses before an upload"):
            process.step(weather.random.uniform(60, 3600))
            process.spared = True
        if weather.strikes(process, weather.failure, "refused connections"):
            raise httpx.ConnectError("struck by the simulation", request=request)
        response = self._inner.handle_request(request)
        weather.pass_by(process)
        if weather.strikes(process, weather.failure, "lost answers"):
            raise httpx.ReadError("answer lost by the simulation", request=request)
        return response
