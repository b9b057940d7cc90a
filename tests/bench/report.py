"""How a bench says what it measured: lines for people, and one JSON object at the end for programs."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field


@dataclass(slots=True)
class Bench:
    """The running account of one bench; it is good as long as every goal was met."""

    name: str
    quick: bool = False
    figures: dict[str, object] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def main(self, ours: object, floor: object, ratio: object, *, goal: object, unit: str) -> None:
        """The figures that every bench has."""
        self.figures |= {"ours": ours, "floor": floor, "ratio": ratio, "goal": goal, "unit": unit}

    def goal(self, met: object, what: str) -> None:
        self.say(f"  {'met' if met else 'MISSED'}: {what}")
        if not met:
            self.missed.append(what)

    def finish(self, *, as_json: bool) -> int:
        ok = not self.missed
        self.say(f"{self.name}: {'ok' if ok else 'missed ' + '; '.join(self.missed)}")
        if as_json:
            print(json.dumps({"name": self.name, "ok": ok, **self.figures, "missed": self.missed}), flush=True)
        return 0 if ok else 1
