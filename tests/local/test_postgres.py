"""The embedded PostgreSQL: whoever starts it, whatever happened to it, with the data of the last time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pg8000.exceptions import DatabaseError

from scripts.local import postgres
from scripts.local.databases import PostgresAccess
from scripts.local.errors import CannotStartError
from scripts.local.postgres import Postgres
from scripts.local.postgres_programs import CAPABILITY, NAMESPACE, Identity, identity, works
from tests.local.servers import started

IDENTITIES = [who for who in (NAMESPACE, CAPABILITY) if os.geteuid() == 0 and works(who)] or [identity()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder below one that only its owner may enter."""
    private = tmp_path_factory.mktemp("private")
    private.chmod(0o700)
    return private / "postgres"


@pytest.fixture
def server(folder: Path) -> Iterator[Postgres]:
    with started(postgres.launch(folder, durable=False)) as server:
        yield server


def remember(access: PostgresAccess, word: str) -> None:
    with access.connection() as connection:
        connection.run("CREATE TABLE IF NOT EXISTS words (word text)")
        connection.run("INSERT INTO words VALUES (:word)", word=word)


def remembered(access: PostgresAccess) -> list[str]:
    with access.connection() as connection:
        return [row[0] for row in connection.run("SELECT word FROM words") or []]


def test_a_restart_keeps_the_data(server: Postgres, folder: Path) -> None:
    remember(server.access, "restart")
    server.stop()

    with started(postgres.launch(folder, durable=False)) as again:
        assert "restart" in remembered(again.access)


def test_kill_9_of_the_server_keeps_the_data(server: Postgres, folder: Path) -> None:
    remember(server.access, "killed")
    server.child.kill()

    with started(postgres.launch(folder, durable=False)) as again:
        assert "killed" in remembered(again.access)


def test_a_lock_file_that_names_a_process_of_somebody_else_is_no_obstacle(server: Postgres, folder: Path) -> None:
    server.stop()
    (folder / "data" / "postmaster.pid").write_text(
        f"{os.getpid()}\n{folder / 'data'}\n1\n1\n\n127.0.0.1\n1 1\nready\n"
    )

    with started(postgres.launch(folder, durable=False)) as again:
        assert again.access.answers()


def test_a_wrong_password_is_refused(server: Postgres) -> None:
    wrong = replace(server.access, password="wrong")

    with pytest.raises(DatabaseError, match="password authentication failed"), wrong.connection():
        pass


def test_the_password_is_for_its_owner_only(server: Postgres) -> None:
    assert stat.S_IMODE((server.folder / "password").stat().st_mode) == 0o600


@pytest.mark.parametrize("who", IDENTITIES, ids=lambda who: who.prefix[0] if who.prefix else "user")
def test_no_permission_of_a_parent_folder_changes_and_the_next_identity_finds_the_data(
    folder: Path, who: Identity
) -> None:
    parents = {parent: parent.stat().st_mode for parent in folder.parents}

    with started(postgres.launch(folder, durable=False, who=who)) as server:
        remember(server.access, who.prefix[0] if who.prefix else "user")

        assert {parent: parent.stat().st_mode for parent in folder.parents} == parents
        assert (folder / "data").stat().st_uid == who.owner


def test_a_new_database_is_a_copy_of_its_template(server: Postgres) -> None:
    template = server.access.create_database("template")
    with server.access.connection("template") as connection:
        connection.run("CREATE TABLE copied ()")

    copy = server.access.create_database("copy", template="template")

    assert (template, copy) == (server.access.dsn("template"), server.access.dsn("copy"))
    with server.access.connection("copy") as connection:
        assert connection.run("SELECT * FROM copied") == []


def test_an_incomplete_data_folder_is_a_sentence_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    with pytest.raises(CannotStartError, match=r"incomplete.*move that folder away and start again"):
        postgres.launch(tmp_path)


def test_a_damaged_data_folder_is_a_sentence_with_the_servers_own_words(folder: Path, server: Postgres) -> None:
    server.stop()
    control = folder / "data" / "global" / "pg_control"
    whole = control.read_bytes()
    control.write_bytes(b"\0" * 100)

    with pytest.raises(CannotStartError, match=r"(?s)pg_control.*move that folder away and start again"):
        postgres.launch(folder, durable=False).wait_ready()

    control.write_bytes(whole)
