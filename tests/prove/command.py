"""`scripts/prove NAME`: each proof prints what it does and exits 0 exactly when it holds."""

from __future__ import annotations

import argparse
import logging

from tests.prove import crash_points
from tests.prove.report import Proof


def main() -> int:
    options = _arguments()
    # The proofs provoke errors by the thousand; what matters of them is checked, not read.
    logging.disable(logging.CRITICAL)
    proof = Proof(options.name)
    if options.name == "crash-points":
        crash_points.run(proof, stride=options.stride)
    return proof.finish(as_json=options.json)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/prove", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    names = parser.add_subparsers(dest="name", required=True)
    crash = names.add_parser("crash-points", help="kill the process before and after every effect")
    crash.add_argument("--stride", type=int, default=1, help="try only every n-th point")
    for each in (crash,):
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
    return parser.parse_args()
