"""The way into a local PostgreSQL: its address, and databases made and dropped in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pg8000.exceptions import DatabaseError, InterfaceError
from pg8000.native import Connection, identifier

from scripts.local import ports

USER = "archivolt"
MAINTENANCE = "postgres"


@dataclass(frozen=True, slots=True)
class PostgresAccess:
    """Where a PostgreSQL server is and what opens it."""

    port: int
    password: str

    def dsn(self, database: str = USER) -> str:
        return f"postgresql://{USER}:{self.password}@{ports.HOST}:{self.port}/{database}"

    @contextmanager
    def connection(self, database: str = MAINTENANCE) -> Iterator[Connection]:
        connection = Connection(
            USER,
            host=ports.HOST,
            port=self.port,
            database=database,
            password=self.password,
            ssl_context=False,
            timeout=30,
        )
        try:
            yield connection
        finally:
            connection.close()

    def answers(self) -> bool:
        try:
            with self.connection():
                return True
        except (InterfaceError, DatabaseError, OSError):
            return False

    def create_database(self, name: str, template: str | None = None) -> str:
        """The address of a new database, a copy of the template where one is named."""
        source = f" TEMPLATE {identifier(template)}" if template else ""
        with self.connection() as connection:
            connection.run(f"CREATE DATABASE {identifier(name)}{source}")
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        with self.connection() as connection:
            connection.run(f"DROP DATABASE IF EXISTS {identifier(name)} WITH (FORCE)")

    def has_database(self, name: str) -> bool:
        with self.connection() as connection:
            return bool(connection.run("SELECT 1 FROM pg_database WHERE datname = :name", name=name))
