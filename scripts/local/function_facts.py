"""What function.json says of a function: the handler's name, and when a schedule calls it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.local.errors import CannotStartError

FILE = "function.json"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A call that is made again and again."""

    cron: str
    path: str
    body: dict[str, Any]  # whatever JSON the function understands
    local_seconds: float


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """One function on this machine."""

    name: str
    source: Path
    entry_point: str
    schedule: Schedule | None


def read_all(folder: Path) -> list[FunctionFacts]:
    """The functions in that folder, by name: every subfolder with a main.py and a function.json."""
    found = [path.parent for path in sorted(folder.glob(f"*/{FILE}")) if (path.parent / "main.py").is_file()]
    return [read(function) for function in found]


def read(folder: Path) -> FunctionFacts:
    file = folder / FILE
    try:
        facts = json.loads(file.read_text())
        return FunctionFacts(folder.name, folder / "main.py", facts["entryPoint"], _schedule(facts.get("schedule")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CannotStartError(
            f"{folder.name}/{FILE} is wrong ({error!r}). It needs entryPoint, the handler's name; a schedule has cron, "
            "and may have path, body and localSeconds."
        ) from error


def _schedule(given: dict[str, Any] | None) -> Schedule | None:
    if given is None:
        return None
    return Schedule(
        cron=given["cron"],
        path=given.get("path", "/"),
        body=given.get("body", {}),
        local_seconds=float(given.get("localSeconds", 60)),
    )
