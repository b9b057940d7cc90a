"""What scripts/dead_letters can be asked to do."""

from __future__ import annotations

import argparse
import getpass
import os
import re
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from scripts.local import whereabouts
from shared.domain.keys import DocumentType

HOURS = {"h": 1, "d": 24}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/dead_letters", description="Works with dead letters.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _list(_command(commands, "list", "show what could not be delivered, and why"))
    _show(_command(commands, "show", "show one letter: its history, what it means, what to try, a download link"))
    _redrive(_command(commands, "redrive", "send letters back to the queue"))
    _discard(_command(commands, "discard", "give letters up for good"))
    _watch(_command(commands, "watch", "show depth, age of the oldest and pauses until Ctrl-C"))
    _pause(_command(commands, "pause", "stop delivery, for everybody or one organisation"))
    _resume(_command(commands, "resume", "end a pause"))
    _run_now(_command(commands, "run-now", "run the drain without waiting for its schedule"))
    return parser.parse_args(arguments)


def hours(text: str) -> float:
    """An age as people write it: 36h, 2d, 1.5d."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([hd])", text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is no age; write 36h or 2d")
    return float(found[1]) * HOURS[found[2]]


def filters(options: argparse.Namespace) -> dict[str, str]:
    """The filters that were given, as the API names them."""
    named = {
        "organizationId": options.organization,
        "documentType": options.type,
        "reason": options.reason,
        "minAgeHours": options.older_than,
    }
    return {name: str(value) for name, value in named.items() if value is not None}


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.add_argument("--url", help="of dlq-alert; else the stack that scripts/run started last")
    parser.add_argument("--key", default=os.environ.get("INTERNAL_API_KEY"), help="else INTERNAL_API_KEY")
    parser.add_argument("--data", type=Path, default=whereabouts.DEFAULT, metavar="DIR", help="that stack's folder")
    parser.add_argument("--actor", type=_text, default=getpass.getuser(), help="who does it; else your login name")
    parser.add_argument("--json", action="store_true", help="print what the API answered")
    return parser


def _list(parser: argparse.ArgumentParser) -> None:
    _filters(parser)
    parser.add_argument("--limit", type=_count, default=50, help="so many at most (50)")
    parser.add_argument("--all", action="store_true", help="however many there are")


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("letter", metavar="ID", help="an id, an object key, or the beginning of its SHA-256")


def _redrive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("letters", nargs="*", metavar="ID", help="these letters; or give filters, or --all")
    _filters(parser)
    parser.add_argument("--all", action="store_true", help="every letter there is")
    _yes(parser)


def _discard(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("letters", nargs="+", metavar="ID")
    parser.add_argument("--reason", type=_text, required=True, help="is recorded before anything is deleted")
    _yes(parser)


def _watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--every", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--once", action="store_true", help="look once and end")


def _pause(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--organization", type=UUID, help="this one alone; else everybody")
    parser.add_argument("--reason", type=_text, required=True, help="is shown wherever the pause is")
    _yes(parser)


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--organization", type=UUID, help="the pause of this one; else that of everybody")


def _run_now(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=float, default=60.0, metavar="SECONDS", help="the run's time (60)")


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--organization", type=UUID, help="of this organisation")
    parser.add_argument("--type", choices=[each.value for each in DocumentType], help="of this type")
    parser.add_argument("--reason", type=_text, help="dead for this reason, by its code")
    parser.add_argument("--older-than", type=hours, metavar="AGE", help="dead for longer: 36h, 2d")


def _yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _text(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must not be blank")
    return text.strip()


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a number above 0")
    return int(text)
