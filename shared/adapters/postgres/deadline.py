"""How much time an operation has left, however many exchanges it makes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

from shared.domain.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds until then; Unavailable if there are none."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise Unavailable("the database did not answer in time")
        return left
