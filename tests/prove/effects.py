"""Every effect on the outside gets a number, so that a process can be made to die just before or just after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

EFFECTS = {
    "store": ("put", "create", "replace", "delete", "copy"),
    "archive": ("upload", "ensure_label", "acknowledge"),
    "audit": ("record", "save_labels", "operator_event"),
    "ledger": ("accept", "refuse", "record", "remember", "save_labels", "operator_event"),
}


class Side(StrEnum):
    """On which side of an effect the process dies."""

    BEFORE = "before"
    AFTER = "after"


class Killed(BaseException):
    """Not an error anybody handles: the process is gone."""


def killed() -> None:
    raise Killed


@dataclass(slots=True)
class Effects:
    """Counts effects and, at the chosen one, kills."""

    point: int = 0
    side: Side = Side.BEFORE
    kill: Callable[[], None] = killed
    names: list[str] = field(default_factory=list)
    dead: bool = False

    def perform(self, name: str, effect: Callable[[], Any]) -> Any:
        if self.dead:
            raise Killed
        self.names.append(name)
        chosen = len(self.names) == self.point
        if chosen and self.side is Side.BEFORE:
            self._die()
        result = effect()
        if chosen:
            self._die()
        return result

    def _die(self) -> None:
        self.dead = True
        self.kill()

    def numbered(self, kind: str, port: Any) -> Any:
        return _Numbered(self, kind, port)


class _Numbered:
    """A port whose effects are counted; everything else passes through."""

    def __init__(self, effects: Effects, kind: str, port: Any) -> None:
        self._effects = effects
        self._kind = kind
        self._port = port

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if name not in EFFECTS[self._kind]:
            return attribute

        def counted(*args: Any, **kwargs: Any) -> Any:
            return self._effects.perform(f"{self._kind}.{name}", lambda: attribute(*args, **kwargs))

        return counted
