"""Brings a database to the newest schema: numbered SQL files, forward only, one runner at a time."""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shared.adapters.postgres import queries
from shared.adapters.postgres.connection import PostgresSettings, connector, connector_to
from shared.domain.errors import ArchivoltError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.adapters.postgres.session import Session

FOLDER = Path(__file__).with_name("migrations")
CONNECT_SECONDS = 30.0
STATEMENT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Migration:
    """One file; its name orders it."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def available(folder: Path = FOLDER) -> list[Migration]:
    return [Migration(path.stem, path.read_text()) for path in sorted(folder.glob("*.sql"))]


def migrate(dsn: str, migrations: Sequence[Migration] | None = None) -> list[str]:
    """The names of what was applied now; none if all was applied before."""
    session = connector_to(dsn)(CONNECT_SECONDS)
    try:
        return apply(session, available() if migrations is None else migrations)
    finally:
        session.close()


def apply(session: Session, migrations: Sequence[Migration]) -> list[str]:
    session.limit(STATEMENT_SECONDS)
    # Waits for another runner, who then leaves nothing to do; the lock ends with the connection.
    session.run(queries.statement("migrate_alone"))
    session.script(queries.statement("create_migrations"))
    todo = pending(session, migrations)
    for migration in todo:
        _apply_one(session, migration)
    return [migration.name for migration in todo]


def pending(session: Session, migrations: Sequence[Migration]) -> list[Migration]:
    """What is not applied yet; ConfigError if what is applied is not what we have."""
    applied = _applied(session)
    if complaints := list(_complaints(applied, migrations)):
        raise ConfigError("; ".join(complaints))
    return [migration for migration in migrations if migration.name not in applied]


def _applied(session: Session) -> dict[str, str]:
    if not session.run(queries.statement("has_migrations"))[0]["present"]:
        return {}
    return {row["name"]: row["sha256"] for row in session.run(queries.statement("applied_migrations"))}


def _complaints(applied: dict[str, str], migrations: Sequence[Migration]) -> Iterator[str]:
    known = {migration.name: migration.sha256 for migration in migrations}
    newest = max(applied, default="")
    for name, sha256 in applied.items():
        if name not in known:
            yield f"migration {name} was applied but is not here: this database is newer than this program"
        elif known[name] != sha256:
            yield f"migration {name} was changed after it was applied: write a new one instead"
    for name in known:
        if name not in applied and name < newest:
            yield f"migration {name} comes before {newest}, which was applied already: number it after that"


def _apply_one(session: Session, migration: Migration) -> None:
    session.script(queries.statement("begin_migration"))
    try:
        session.script(migration.sql)
        session.run(queries.statement("add_migration"), name=migration.name, sha256=migration.sha256)
    except ArchivoltError:
        session.script("ROLLBACK")
        raise
    session.script("COMMIT")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Bring the database to the newest schema.")
    parser.add_argument("--dsn", help="postgresql://…; otherwise the settings in the environment say which database")
    parser.add_argument("--dry-run", action="store_true", help="say what would be applied, and apply nothing")
    options = parser.parse_args(arguments)
    try:
        _report(options.dsn, dry_run=options.dry_run)
    except ArchivoltError as exc:
        sys.stderr.write(f"{exc.message}\n")
        return 1
    return 0


def _report(dsn: str | None, *, dry_run: bool) -> None:
    connect = connector_to(dsn) if dsn else connector(PostgresSettings.from_env())
    session = connect(CONNECT_SECONDS)
    try:
        done = [step.name for step in pending(session, available())] if dry_run else apply(session, available())
    finally:
        session.close()
    verb = "would apply" if dry_run else "applied"
    sys.stdout.write("".join(f"{verb} {name}\n" for name in done) or "nothing to apply\n")
