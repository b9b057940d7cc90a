"""Calm lines for the person at the terminal; results go to standard output, these to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def say(line: str = "") -> None:
    print(line, file=sys.stderr, flush=True)


def part_is_ready(name: str, address: str, seconds: float) -> None:
    say(f"  {name:<15} {address:<34} {seconds:5.2f} s")


def table(rows: Iterable[tuple[str, str]]) -> None:
    for name, value in rows:
        say(f"  {name:<15} {value}")


def fail(message: object) -> None:
    say(f"error: {message}")


def progress(what: str, done: int, total: int) -> None:
    """A bar that fills on a terminal; elsewhere one line at the end."""
    if sys.stderr.isatty():
        filled = 30 * done // total if total else 30
        end = "\n" if done == total else ""
        print(f"\r  [{'#' * filled}{'.' * (30 - filled)}] {done}/{total} {what}", end=end, file=sys.stderr, flush=True)
    elif done == total:
        say(f"  {done}/{total} {what}")
