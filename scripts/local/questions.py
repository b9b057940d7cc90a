"""Asks the person at the terminal before something is done to many."""

from __future__ import annotations

import sys

from scripts.local.console_output import say


class Unasked(Exception):
    """What should be asked first cannot be: nobody is at a terminal. `--yes` says it is meant."""


def agreed(question: str, *, yes: bool) -> bool:
    """Whether it may be done; anything but a clear yes is a no."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise Unasked(f"{question} There is no terminal to ask at; say --yes if it is meant.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in {"y", "yes"}:
        return True
    say("Nothing was done.")
    return False
