"""The command scripts/sql: asks the running stack's database one question, and changes nothing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pg8000.exceptions import DatabaseError

from scripts.local import whereabouts
from scripts.local.console_output import fail
from shared.adapters.postgres.connection import connector_to
from shared.domain.errors import ArchivoltError

SECONDS = 10.0
WIDEST = 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/sql", description=__doc__)
    parser.add_argument("query", help="for example: SELECT * FROM archive_audit_log")
    parser.add_argument("--data", type=Path, default=whereabouts.DEFAULT, metavar="DIR", help="the folder of the stack")
    options = parser.parse_args()
    found = whereabouts.find(options.data)
    if found is None:
        fail("No stack is running here. Start one with scripts/run.")
        return 2
    try:
        show(ask(found["DATABASE_URL"], options.query))
    except (DatabaseError, ArchivoltError) as error:
        fail(error)
        return 1
    return 0


def ask(dsn: str, query: str) -> list[dict[str, object]]:
    session = connector_to(dsn)(SECONDS)
    session.script("START TRANSACTION READ ONLY")
    return session.run(query)


def show(rows: Sequence[dict[str, object]]) -> None:
    """A table; one row alone is shown a column a line."""
    if len(rows) == 1:
        for name, value in rows[0].items():
            print(f"{name:<24} {value}")
        return
    for row in rows:
        print("  ".join(str(value)[:WIDEST] for value in row.values()))
    print(f"({len(rows)} rows)")
