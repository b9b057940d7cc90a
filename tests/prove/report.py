"""How a proof says what it tried: lines for people, and one JSON object at the end for programs."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field


@dataclass(slots=True)
class Proof:
    """The running account of one proof; it holds as long as nothing has failed."""

    name: str
    figures: dict[str, object] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.failures

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def check(self, holds: object, what: str) -> bool:
        """Note a failure unless it holds."""
        if not holds:
            self.failures.append(what)
            self.say(f"  FAILED: {what}")
        return bool(holds)

    def count(self, figure: str, by: int = 1) -> None:
        previous = self.figures.get(figure, 0)
        self.figures[figure] = by + (previous if isinstance(previous, int) else 0)

    def finish(self, *, as_json: bool) -> int:
        self.say(f"{self.name}: {'holds' if self.ok else f'{len(self.failures)} failures'} {self.figures}")
        if as_json:
            print(json.dumps({"name": self.name, "ok": self.ok, **self.figures, "failures": self.failures[:20]}))
        return 0 if self.ok else 1
