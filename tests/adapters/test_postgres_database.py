"""Connections that break at every moment, and transactions that are whole or nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pg8000 import dbapi

from scripts.local import postgres as postgres_server
from scripts.local.databases import PostgresAccess
from shared.adapters.postgres.address import Address
from shared.adapters.postgres.cloud_sql import bounded
from shared.adapters.postgres.database import Database, Run
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.errors import Rejected, UniqueViolation
from shared.domain.errors import Ambiguous, Unavailable
from tests.adapters.wire import Wire, wire_to

CREATE = "CREATE TABLE notes (id int CONSTRAINT one_note UNIQUE, pid int DEFAULT pg_backend_pid())"
ADD = "INSERT INTO notes (id) VALUES (:id)"
COUNT = "SELECT count(*) AS n FROM notes"
PID = "SELECT pg_backend_pid() AS pid"


def within(seconds: float = 5.0) -> Deadline:
    return Deadline.after(seconds)


@pytest.fixture
def wire(postgres: PostgresAccess) -> Iterator[Wire]:
    with wire_to(postgres.port) as wire:
        yield wire


@pytest.fixture
def direct(database: str) -> Iterator[Database]:
    opened = Database.at(database)
    with opened.transaction(within()) as run:
        run(CREATE)
    yield opened
    opened.close()


@pytest.fixture
def wired(direct: Database, database: str, wire: Wire) -> Iterator[Database]:
    """The same database, over a wire that can break."""
    opened = Database.at(via(database, wire))
    opened.read(within(), COUNT)
    yield opened
    opened.close()


def via(dsn: str, wire: Wire) -> str:
    head, name = dsn.rsplit("/", 1)
    return f"{head.rsplit(':', 1)[0]}:{wire.port}/{name}"


def count(database: Database) -> int:
    n: int = database.read(within(), COUNT)[0]["n"]
    return n


def in_turn(database: Database, deadline: Deadline, *steps: Callable[[Run], object]) -> None:
    """These steps in one transaction."""
    with database.transaction(deadline) as run:
        for step in steps:
            step(run)


def pid(database: Database) -> int:
    found: int = database.read(within(), PID)[0]["pid"]
    return found


def terminate(postgres: PostgresAccess, backend: int) -> None:
    with postgres.connection() as connection:
        connection.run("SELECT pg_terminate_backend(:pid, 5000)", pid=backend)


def test_a_transaction_is_committed_at_the_end_of_its_block(direct: Database) -> None:
    with direct.transaction(within()) as run:
        run(ADD, id=1)

    assert count(direct) == 1


def test_a_transaction_that_raises_is_rolled_back_and_the_connection_kept(direct: Database) -> None:
    before = pid(direct)

    with pytest.raises(ZeroDivisionError), direct.transaction(within()) as run:
        run(ADD, id=1 // 0)

    assert (count(direct), pid(direct)) == (0, before)


def test_a_second_transaction_inside_the_first_is_a_mistake(direct: Database) -> None:
    with pytest.raises(RuntimeError), direct.transaction(within()), direct.transaction(within()):
        pass

    assert count(direct) == 0


def test_a_unique_violation_is_a_conflict_that_names_its_constraint(direct: Database) -> None:
    with direct.transaction(within()) as run:
        run(ADD, id=1)

    with pytest.raises(UniqueViolation) as violation, direct.transaction(within()) as run:
        run(ADD, id=1)

    assert violation.value.constraint == "one_note"
    assert count(direct) == 1


def test_a_refused_statement_is_an_error_of_its_own(direct: Database) -> None:
    with pytest.raises(Rejected, match="42P01"), direct.transaction(within()) as run:
        run("SELECT FROM nowhere WHERE :id = 1", id=1)

    assert count(direct) == 0


def test_a_statement_that_takes_too_long_is_unavailable_and_the_connection_kept(direct: Database) -> None:
    before, started = pid(direct), time.monotonic()

    with pytest.raises(Unavailable, match="57014"), direct.transaction(within(0.3)) as run:
        run("SELECT pg_sleep(:seconds)", seconds=5)

    assert time.monotonic() - started < 1
    assert pid(direct) == before


def test_the_time_limit_is_for_the_whole_transaction(direct: Database) -> None:
    started = time.monotonic()

    with pytest.raises(Unavailable):
        in_turn(direct, within(0.5), *[lambda run: run("SELECT pg_sleep(:seconds)", seconds=0.2)] * 10)

    assert time.monotonic() - started < 1


def test_a_transaction_that_is_late_is_not_committed(direct: Database) -> None:
    with pytest.raises(Unavailable):
        in_turn(direct, within(0.2), lambda run: run(ADD, id=1), lambda _: time.sleep(0.3))

    assert count(direct) == 0


def test_an_idle_connection_that_died_is_replaced_unnoticed(wired: Database, wire: Wire) -> None:
    wire.cut()

    with wired.transaction(within()) as run:
        run(ADD, id=1)

    assert count(wired) == 1
    assert wire.connections == 2


def test_an_idle_connection_that_died_is_replaced_for_reading_too(wired: Database, wire: Wire) -> None:
    wire.cut()

    assert count(wired) == 0


def test_an_idle_connection_that_the_server_ended_is_replaced(direct: Database, postgres: PostgresAccess) -> None:
    before = pid(direct)
    terminate(postgres, before)

    with direct.transaction(within()) as run:
        run(ADD, id=1)

    assert pid(direct) != before
    assert count(direct) == 1


def test_an_idle_connection_that_fell_silent_is_replaced_within_the_limit(wired: Database, wire: Wire) -> None:
    wire.silent.set()
    listening = threading.Timer(0.2, wire.silent.clear)
    listening.start()

    with wired.transaction(within(2)) as run:
        run(ADD, id=1)

    listening.join()
    assert count(wired) == 1
    assert wire.connections == 2


def test_a_connection_lost_inside_a_transaction_is_unavailable_and_nothing_was_done(
    wired: Database, wire: Wire
) -> None:
    with pytest.raises(Unavailable) as loss:
        in_turn(wired, within(), lambda run: run(ADD, id=1), lambda _: wire.cut(), lambda run: run(ADD, id=2))

    assert not isinstance(loss.value, Ambiguous)
    assert count(wired) == 0


def test_a_server_that_ends_the_connection_inside_a_transaction_is_unavailable(
    direct: Database, postgres: PostgresAccess
) -> None:
    with pytest.raises(Unavailable):
        in_turn(
            direct,
            within(),
            lambda run: run(ADD, id=1),
            lambda run: terminate(postgres, run(PID)[0]["pid"]),
            lambda run: run(ADD, id=2),
        )

    assert count(direct) == 0


def test_a_lost_answer_to_a_commit_is_ambiguous_for_it_was_done(wired: Database, wire: Wire, direct: Database) -> None:
    wire.lose_answer_to = b"COMMIT"

    with pytest.raises(Ambiguous), wired.transaction(within()) as run:
        run(ADD, id=1)

    assert eventually(lambda: count(direct) == 1)
    assert count(wired) == 1


def test_the_server_stops_working_on_what_nobody_waits_for_any_more(direct: Database, postgres: PostgresAccess) -> None:
    with pytest.raises(Unavailable):
        direct.run_together(within(0.3), ("SELECT pg_sleep(:seconds)", {"seconds": 20}))

    assert eventually(lambda: not sleeping(postgres))


def test_steps_run_together_are_one_transaction(direct: Database) -> None:
    with pytest.raises(UniqueViolation):
        direct.run_together(within(), (ADD, {"id": 1}), (ADD, {"id": 2}), (ADD, {"id": 1}))

    assert count(direct) == 0


def test_steps_run_together_return_the_rows_of_the_one_that_has_some(direct: Database) -> None:
    rows = direct.run_together(within(), (ADD, {"id": 1}), (f"{ADD} RETURNING id", {"id": 2}), (ADD, {"id": 3}))

    assert rows == [{"id": 2}]
    assert count(direct) == 3


def test_steps_run_together_go_to_a_new_connection_if_the_idle_one_died(
    wired: Database, wire: Wire, direct: Database, postgres: PostgresAccess
) -> None:
    terminate(postgres, pid(direct))
    wire.cut()
    time.sleep(0.05)

    wired.run_together(within(), (ADD, {"id": 1}))
    direct.run_together(within(), (ADD, {"id": 2}))

    assert count(direct) == 2


def test_a_lost_answer_to_steps_run_together_is_ambiguous(wired: Database, wire: Wire, direct: Database) -> None:
    wired.run_together(within(), (ADD, {"id": 1}))
    wire.lose_answer_to = b"\x00\x01\x32"  # the parameter 2, one character long

    with pytest.raises(Ambiguous):
        wired.run_together(within(), (ADD, {"id": 2}))

    assert eventually(lambda: count(direct) == 2)


def test_a_server_that_does_not_answer_is_unavailable_in_time(wired: Database, wire: Wire) -> None:
    wire.silent.set()
    started = time.monotonic()

    with pytest.raises(Unavailable), wired.transaction(within(0.6)):
        pass

    assert time.monotonic() - started < 1


def test_connecting_counts_against_the_limit(database: str, wire: Wire) -> None:
    wire.silent.set()
    started = time.monotonic()

    with pytest.raises(Unavailable), Database.at(via(database, wire)).transaction(within(0.4)):
        pass

    assert time.monotonic() - started < 1


def test_a_refused_port_is_unavailable_and_shows_no_password(database: str, wire: Wire) -> None:
    wire.close()
    password = Address.parse(database).password or ""

    with pytest.raises(Unavailable) as refusal, Database.at(via(database, wire)).transaction(within()):
        pass

    assert str(wire.port) in refusal.value.message
    assert password not in f"{refusal.value!r}{refusal.value.__cause__!r}"


def test_a_wrong_password_is_unavailable_and_shows_neither(database: str) -> None:
    password = Address.parse(database).password or ""

    with pytest.raises(Unavailable) as refusal, Database.at(database.replace(password, "guess")).transaction(within()):
        pass

    assert "password authentication failed" in refusal.value.message
    assert "guess" not in f"{refusal.value!r}{refusal.value.__cause__!r}"


def test_a_database_that_is_not_there_is_unavailable(database: str) -> None:
    with pytest.raises(Unavailable, match="does not exist"), Database.at(f"{database}_not").transaction(within()):
        pass


def test_a_server_killed_and_restarted_is_found_again(tmp_path: Path) -> None:
    server = postgres_server.launch(tmp_path, durable=False)
    server.wait_ready()
    kill = server.child.kill
    with wire_to(server.access.port) as wire:
        opened = Database.at(via(server.access.dsn("postgres"), wire))
        with opened.transaction(within()) as run:
            run(CREATE)

        with pytest.raises(Unavailable):
            in_turn(opened, within(), lambda run: run(ADD, id=1), lambda _: kill(), lambda run: run(ADD, id=2))
        with pytest.raises(Unavailable), opened.transaction(within(1)):
            pass
        server = postgres_server.launch(tmp_path, durable=False)
        server.wait_ready()
        wire.upstream = server.access.port
        with opened.transaction(within()) as run:
            run(ADD, id=3)

        assert count(opened) == 1
        opened.close()
    server.stop()


def test_each_of_fifty_threads_has_its_own_connection_and_ends_it(direct: Database, postgres: PostgresAccess) -> None:
    together = threading.Barrier(50)

    def add(number: int) -> int:
        with direct.transaction(within(30)) as run:
            found: int = run(PID)[0]["pid"]
            together.wait(30)
            run(ADD, id=number)
            return found

    with ThreadPoolExecutor(50) as pool:
        pids = list(pool.map(add, range(50)))

    assert len(set(pids)) == 50
    assert count(direct) == 50
    assert eventually(lambda: not alive(postgres, pids))


def test_a_thread_keeps_its_connection(direct: Database) -> None:
    assert pid(direct) == pid(direct)


def test_what_the_cloud_sql_connector_hands_out_serves_as_well(database: str) -> None:
    opened = Database(bounded(lambda seconds: dial(database, seconds)))

    with opened.transaction(within()) as run:
        run(CREATE)
        run(ADD, id=1)

    assert count(opened) == 1
    opened.close()


def test_a_cloud_sql_instance_that_takes_too_long_is_unavailable_in_time(database: str) -> None:
    late = threading.Event()

    def slow(seconds: float) -> dbapi.Connection:
        late.wait(5)
        return dial(database, seconds)

    opened, started = Database(bounded(slow)), time.monotonic()

    with pytest.raises(Unavailable), opened.transaction(within(0.3)):
        pass

    assert time.monotonic() - started < 1
    late.set()


def test_a_cloud_sql_instance_that_cannot_be_reached_is_unavailable() -> None:
    def refused(seconds: float) -> dbapi.Connection:
        raise LookupError("no such instance")

    with pytest.raises(Unavailable, match="LookupError"), Database(bounded(refused)).transaction(within()):
        pass


def dial(dsn: str, seconds: float) -> dbapi.Connection:
    to = Address.parse(dsn)
    return dbapi.Connection(to.user, to.host, to.database, to.port, to.password, ssl_context=False, timeout=seconds)


def alive(postgres: PostgresAccess, pids: list[int]) -> bool:
    with postgres.connection() as connection:
        return bool(connection.run("SELECT pid FROM pg_stat_activity WHERE pid = ANY(:pids)", pids=pids))


def sleeping(postgres: PostgresAccess) -> bool:
    with postgres.connection() as connection:
        return bool(connection.run("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))


def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (answer := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return answer
