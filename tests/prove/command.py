"""`scripts/prove NAME`: each proof prints what it does and exits 0 exactly when it holds."""

from __future__ import annotations

import argparse
import logging
import random

from tests.prove import crash_points, outage, real_kills, redrive, simulation
from tests.prove.report import Proof


def main() -> int:
    options = _arguments()
    # The proofs provoke errors by the thousand; what matters of them is checked, not read.
    logging.disable(logging.CRITICAL)
    proof = Proof(options.name)
    options.prove(proof, options)
    return proof.finish(as_json=options.json)


def _crash_points(proof: Proof, options: argparse.Namespace) -> None:
    crash_points.run(proof, stride=7 if options.short else 1)
    real_kills.run(proof, stride=9 if options.short else 1)


def _simulation(proof: Proof, options: argparse.Namespace) -> None:
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    proof.say(f"seeds {first} to {first + options.seeds - 1}")
    simulation.run(proof, range(first, first + options.seeds))


def _outage(proof: Proof, options: argparse.Namespace) -> None:
    outage.run(proof, ("3.0.5",) if options.short else ("3.0.5", "2.20.15"))


def _redrive(proof: Proof, options: argparse.Namespace) -> None:
    letters, delivered = (600, 60) if options.short else (10_000, 500)
    redrive.run(proof, letters=letters, delivered=delivered)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/prove", description="Tries to break a promise.")
    names = parser.add_subparsers(dest="name", required=True)
    crash = names.add_parser("crash-points", help="kill the process before and after every effect")
    crash.set_defaults(prove=_crash_points)
    storm = names.add_parser("simulation", help="overlapping drains in bad weather, by seed")
    storm.set_defaults(prove=_simulation)
    storm.add_argument("--seeds", type=int, default=200, help="how many")
    storm.add_argument("--seed", type=int, help="the first one; a failing seed replays exactly with --seed N --seeds 1")
    day = names.add_parser("outage", help="a day without Paperless, in every way it can be away")
    day.set_defaults(prove=_outage)
    back = names.add_parser("redrive", help="10,000 dead letters sent back, twice at once, and killed in the middle")
    back.set_defaults(prove=_redrive)
    for each in (crash, storm, day, back):
        each.add_argument("--json", action="store_true", help="print one JSON object as the last line")
        each.add_argument("--short", action="store_true", help="a part of it, for every day")
    return parser.parse_args()
