"""`scripts/bench NAME`: each bench prints what it does and exits 0 exactly when its goals are met."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NoReturn

from scripts.local.console_output import fail
from scripts.local.errors import CannotStartError
from tests.bench import archive_write, cold_start, dlq, drain, queue_scale
from tests.bench.report import Bench

BENCHES: dict[str, Callable[[Bench], None]] = {
    "cold-start": cold_start.run,
    "archive-write": archive_write.run,
    "drain": drain.run,
    "queue-scale": queue_scale.run,
    "dlq": dlq.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _arguments(arguments)
    signal.signal(signal.SIGTERM, _leave)  # so that what was started is stopped
    logging.disable(logging.INFO)
    bench = Bench(options.name, quick=options.quick)
    try:
        BENCHES[options.name](bench)
    except CannotStartError as error:
        fail(error)
        return 1
    return bench.finish(as_json=options.json)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("name", choices=BENCHES)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that it works, measures little")
    return parser.parse_args(arguments)


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(143)
