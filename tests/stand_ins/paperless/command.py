"""The command line of the stand-in."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from tests.stand_ins.paperless.clocks import SystemClock
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Account, BadOption, Options, account
from tests.stand_ins.paperless.server import Paperless


def main(arguments: list[str] | None = None) -> int:
    try:
        chosen = _parser().parse_args(arguments)
        options = _options(chosen)
        return _run(options, chosen.host, chosen.port)
    except BadOption as error:
        print(f"paperless: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="paperless", description="A Paperless-ngx server to develop and test against."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on; 0 picks a free one (default 8000)")
    parser.add_argument("--server-version", choices=VERSIONS, default=VERSIONS[0], help="which server to be")
    parser.add_argument(
        "--user",
        action="append",
        default=[],
        metavar="NAME:TOKEN:ROLE",
        help="repeatable; ROLE is superuser, member or none",
    )
    parser.add_argument("--task-workers", type=int, default=1, help="uploads worked on at a time (default 1)")
    parser.add_argument("--consume-seconds", type=float, default=0.6, help="how long a worker takes for one upload")
    parser.add_argument("--delete-duplicates", action="store_true", help="refuse bytes that are stored already")
    parser.add_argument("--data", type=Path, help="folder for files and state (default: memory, gone at the end)")
    parser.add_argument("--seed", type=int, default=0, help="makes what is left to chance the same every time")
    parser.add_argument("--no-tag-cost", action="store_true", help="create tags at once however many there are")
    return parser


def _options(chosen: argparse.Namespace) -> Options:
    users = tuple(account(text) for text in chosen.user)
    _check(chosen, users)
    return Options(
        server_version=chosen.server_version,
        users=users,
        task_workers=chosen.task_workers,
        consume_seconds=chosen.consume_seconds,
        delete_duplicates=chosen.delete_duplicates,
        data=chosen.data,
        seed=chosen.seed,
        tag_cost=not chosen.no_tag_cost,
    )


def _check(chosen: argparse.Namespace, users: tuple[Account, ...]) -> None:
    if not users:
        raise BadOption("nobody could log in: name at least one --user NAME:TOKEN:ROLE")
    if len({user.name for user in users}) < len(users) or len({user.token for user in users}) < len(users):
        raise BadOption("each --user needs a name and a token of its own")
    if chosen.task_workers < 1:
        raise BadOption("--task-workers is 1 or more")
    if chosen.consume_seconds < 0:
        raise BadOption("--consume-seconds is 0 or more")
    if not 0 <= chosen.port <= 65_535:
        raise BadOption("--port is between 0 and 65535")


def _run(options: Options, host: str, port: int) -> int:
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    paperless = _open(options)
    try:
        server = HttpServer(paperless, host, port)
        server.start()
        print(f"Paperless-ngx {options.server_version} stand-in ready on {server.url}", flush=True)
        stop.wait()
        server.stop()
    finally:
        paperless.close()
    return 0


def _open(options: Options) -> Paperless:
    try:
        return Paperless(options, SystemClock())
    except OSError as error:
        raise BadOption(f"cannot use {options.data}: {error.strerror}; name another --data folder") from error
