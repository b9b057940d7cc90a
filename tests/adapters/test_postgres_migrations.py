"""Migrations: from empty and twice, one runner at a time, and nothing applied that does not fit."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from scripts.local.databases import PostgresAccess
from shared.adapters.postgres.migrations import Migration, available, main, migrate
from shared.domain.errors import ArchivoltError, ConfigError

FIRST = Migration("0001_first", "CREATE TABLE one (id int);")
SECOND = Migration("0002_second", "CREATE TABLE two (id int); INSERT INTO two VALUES (1);")
BROKEN = Migration("0002_broken", "CREATE TABLE two (id int); SELECT no_such_function();")


@pytest.fixture
def empty(postgres: PostgresAccess) -> Iterator[str]:
    name = f"empty_{uuid.uuid4().hex}"
    yield postgres.create_database(name)
    postgres.drop_database(name)


def tables(postgres: PostgresAccess, dsn: str) -> set[str]:
    with postgres.connection(dsn.rsplit("/", 1)[1]) as connection:
        found = connection.run(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
    return {name for (name,) in found}


def test_an_empty_database_gets_every_migration_in_order(empty: str, postgres: PostgresAccess) -> None:
    applied = migrate(empty)

    assert applied == [migration.name for migration in available()]
    assert {"archive_audit_log", "audit_events", "org_paperless_cache", "invoices"} <= tables(postgres, empty)


def test_the_second_time_there_is_nothing_to_do(empty: str) -> None:
    migrate(empty)

    assert migrate(empty) == []


def test_only_what_is_new_is_applied(empty: str) -> None:
    migrate(empty, [FIRST])

    assert migrate(empty, [FIRST, SECOND]) == ["0002_second"]


def test_of_several_runners_one_does_the_work(empty: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        applied = list(pool.map(lambda _: migrate(empty), range(6)))

    everything = [migration.name for migration in available()]
    assert sorted(applied, key=len) == [[]] * 5 + [everything]


def test_a_migration_that_fails_leaves_nothing_of_itself(empty: str, postgres: PostgresAccess) -> None:
    with pytest.raises(ArchivoltError, match="no_such_function"):
        migrate(empty, [FIRST, BROKEN])

    assert tables(postgres, empty) == {"schema_migrations", "one"}
    assert migrate(empty, [FIRST, SECOND]) == ["0002_second"]


def test_an_applied_file_that_was_changed_is_refused(empty: str) -> None:
    migrate(empty, [FIRST])

    with pytest.raises(ConfigError, match="0001_first was changed after it was applied"):
        migrate(empty, [Migration(FIRST.name, "CREATE TABLE other (id int);"), SECOND])


def test_a_database_newer_than_the_program_is_refused(empty: str) -> None:
    migrate(empty, [FIRST, SECOND])

    with pytest.raises(ConfigError, match="0002_second was applied but is not here"):
        migrate(empty, [FIRST])


def test_a_migration_numbered_before_an_applied_one_is_refused(empty: str) -> None:
    migrate(empty, [SECOND])

    with pytest.raises(ConfigError, match="0001_first comes before 0002_second"):
        migrate(empty, [FIRST, SECOND])


def test_a_migration_that_cannot_have_its_lock_gives_way(empty: str, postgres: PostgresAccess) -> None:
    migrate(empty, [FIRST])
    impatient = Migration("0002_impatient", "SET LOCAL lock_timeout = '100ms'; ALTER TABLE one ADD COLUMN name text;")

    with postgres.connection(empty.rsplit("/", 1)[1]) as reader:
        reader.run("BEGIN; SELECT * FROM one")
        with pytest.raises(ArchivoltError, match="lock timeout"):
            migrate(empty, [FIRST, impatient])

    assert migrate(empty, [FIRST, impatient]) == ["0002_impatient"]


def test_the_files_are_numbered_without_gaps() -> None:
    numbers = [int(migration.name.split("_")[0]) for migration in available()]

    assert numbers == list(range(1, len(numbers) + 1))


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    empty: str, postgres: PostgresAccess, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["--dry-run", "--dsn", empty])

    assert status == 0
    assert capsys.readouterr().out == "".join(f"would apply {migration.name}\n" for migration in available())
    assert tables(postgres, empty) == set()


def test_the_command_reads_the_settings_and_says_what_it_applied(
    empty: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty)

    statuses = [main([]), main([])]

    assert statuses == [0, 0]
    assert capsys.readouterr().out.splitlines()[-1] == "nothing to apply"


def test_the_command_names_a_missing_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    assert "DATABASE_URL" in capsys.readouterr().err


def test_the_command_never_shows_the_password(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dsn", "postgresql://someone:pa/ss:wo@rd@host/name"]) == 1
    assert "pa" not in capsys.readouterr().err.replace("password", "")
