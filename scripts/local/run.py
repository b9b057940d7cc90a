"""The command scripts/run: the whole stack until Ctrl-C, or once through with --once."""

from __future__ import annotations

import argparse
import errno
import json
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scripts.local import console_output, samples, schedules
from scripts.local.addresses import Stack
from scripts.local.errors import CannotStartError
from scripts.local.function_facts import read_all
from scripts.local.functions import ROOT
from scripts.local.stack import Options, running
from scripts.local.whereabouts import announced

DISK_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    options = parse(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    try:
        code = run(options)
    except CannotStartError as error:
        console_output.fail(error)
        code = 1
    except OSError as error:
        if error.errno not in DISK_TROUBLE:
            raise
        console_output.fail(f"{error}. Check that {options.data} is writable and the disk not full.")
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/run", description="Starts the whole stack on this machine.")
    parser.add_argument("--data", type=Path, default=ROOT / ".local", metavar="DIR", help="where all data is kept")
    parser.add_argument("--port", type=port_number, help="of the functions; 8080 or a free one if not given")
    parser.add_argument("--once", action="store_true", help="archive the samples, print a summary, stop")
    parser.add_argument("--json", action="store_true", help="print where everything is, or the summary, as JSON")
    return parser.parse_args(arguments)


def port_number(text: str) -> int:
    number = int(text)
    if not 0 < number < 65536:
        raise argparse.ArgumentTypeError(f"{number} is not a port: it must lie between 1 and 65535")
    return number


def leave(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def run(options: argparse.Namespace) -> int:
    began = time.monotonic()
    console_output.say("starting")
    with running(Options(data=options.data.resolve(), port=options.port)) as stack:
        console_output.say(f"ready in {time.monotonic() - began:.2f} s")
        if options.once:
            return samples.once(stack, as_json=options.json)
        with announced(stack), schedules.firing(read_all(ROOT / "functions"), stack.url, stack.internal_api_key):
            console_output.say("archiving the samples; the drain runs every few seconds")
            samples.archive(stack)
            show(stack, as_json=options.json)
            stay(stack)
    return 0


def show(stack: Stack, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"url": stack.url, "data": str(stack.data), "environment": stack.environment()}), flush=True)
    names = [facts.name for facts in read_all(ROOT / "functions")]
    console_output.table([*((name, f"{stack.url}/{name}/") for name in names), ("data", str(stack.data))])


def stay(stack: Stack) -> None:
    console_output.say(f"logs are in {stack.data / 'logs'}; stop with Ctrl-C")
    try:
        threading.Event().wait()
    finally:
        console_output.say("stopping")
