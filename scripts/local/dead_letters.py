"""The command scripts/dead_letters: what could not be delivered, shown, sent again or given up, from a terminal."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence

from scripts.local import dead_letters_output as output
from scripts.local import whereabouts
from scripts.local.console_output import fail, say
from scripts.local.dead_letters_acts import discard, redrive
from scripts.local.dead_letters_arguments import filters, parse
from scripts.local.dead_letters_client import DeadLetters, Refused
from scripts.local.questions import Unasked, agreed
from scripts.local.tables import columns_here

CLEAR = "\x1b[H\x1b[2J"


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        with DeadLetters(*_address(options)) as dead_letters:
            return COMMANDS[options.command](dead_letters, options)
    except Unasked as unasked:
        fail(unasked)
        return 2
    except Refused as refused:
        fail(refused)
        return 1
    except KeyboardInterrupt:
        say()
        return 0 if options.command == "watch" else 130


def _address(options: argparse.Namespace) -> tuple[str, str]:
    if options.url and options.key:
        return options.url, options.key
    found = whereabouts.find(options.data)
    if found is None:
        fail("No stack is running here. Start one with scripts/run, or give --url and --key.")
        sys.exit(2)
    return options.url or f"{found['URL']}/dlq-alert", options.key or found["KEY"]


def _show(answer: object, lines: Sequence[str], options: argparse.Namespace) -> None:
    print(json.dumps(answer) if options.json else "\n".join(lines), flush=True)


def _list(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    pages = list(dead_letters.pages(filters(options), None if options.all else options.limit))
    found = [letter for page in pages for letter in page["letters"]]
    strays, first, last = pages[0]["strays"], pages[0], pages[-1]
    lines = [*output.letters([*found, *strays], columns_here()), "", *output.standing(first)]
    lines += ["There are more: --all shows them, --limit so many."] if last["more"] else []
    lines += [f"Not filtered by {name}: the database does not answer." for name in first["ignored"]]
    _show({**first, "letters": found, "more": last["more"], "cursor": last["cursor"]}, lines, options)
    return 0


def _show_one(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    found = dead_letters.letter(dead_letters.find(options.letter))
    _show(found, output.letter(found), options)
    return 0


def _redrive(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    done = redrive(dead_letters, options)
    _show(done.as_json(), done.lines(columns_here()), options)
    return 0 if done.good else 1


def _discard(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    done = discard(dead_letters, options)
    _show(done.as_json(), done.lines(columns_here()), options)
    return 0 if done.good else 1


def _watch(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    while True:
        page = dead_letters.page({}, limit=1)
        clear = CLEAR if sys.stdout.isatty() and not options.json else ""
        print(clear, end="")
        _show({"summary": page["summary"], "pauses": page["pauses"]}, output.standing(page), options)
        if options.once:
            return 0
        time.sleep(options.every)


def _pause(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    if options.organization is None and not agreed("Stop delivery for everybody?", yes=options.yes):
        return 1
    paused = dead_letters.pause(_organization(options), options.reason, options.actor)
    _show(paused, output.pauses([paused]), options)
    return 0


def _resume(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    resumed = dead_letters.resume(_organization(options), options.actor)
    whose = options.organization or "everybody"
    _show({"resumed": resumed}, [f"{'Resumed' if resumed else 'It was not paused'} for {whose}."], options)
    return 0


def _run_now(dead_letters: DeadLetters, options: argparse.Namespace) -> int:
    report = dead_letters.run_now(options.actor, options.budget)
    _show(report, output.run(report), options)
    return 0


def _organization(options: argparse.Namespace) -> str | None:
    return str(options.organization) if options.organization else None


COMMANDS: dict[str, Callable[[DeadLetters, argparse.Namespace], int]] = {
    "list": _list,
    "show": _show_one,
    "redrive": _redrive,
    "discard": _discard,
    "watch": _watch,
    "pause": _pause,
    "resume": _resume,
    "run-now": _run_now,
}
