"""The tables that the floors write to."""

from __future__ import annotations

from scripts.local.databases import USER
from tests.bench.parts import Parts


def create(parts: Parts) -> None:
    with parts.postgres.connection(USER) as database:
        database.run("CREATE TABLE bare_keys (id uuid PRIMARY KEY)")
        database.run("CREATE TABLE bare_rows (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), key text, body text)")
