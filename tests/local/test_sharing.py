"""A server shared by several processes: started by the first, stopped after the last."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.local.sharing import Facts, shared


class Counted:
    """A server that counts its starts and stops."""

    def __init__(self) -> None:
        self.starts = 0
        self.stops = 0

    @contextmanager
    def start(self) -> Iterator[Facts]:
        self.starts += 1
        yield {"number": str(self.starts)}
        self.stops += 1


def test_the_second_user_finds_the_server_of_the_first(tmp_path: Path) -> None:
    server = Counted()

    with shared(tmp_path, "server", server.start) as first, shared(tmp_path, "server", server.start) as second:
        assert first == second == {"number": "1"}

    assert (server.starts, server.stops) == (1, 1)


def test_the_server_outlives_its_starter_while_somebody_uses_it(tmp_path: Path) -> None:
    server, in_use, leave = Counted(), threading.Event(), threading.Event()

    def second_user() -> None:
        with shared(tmp_path, "server", server.start):
            in_use.set()
            leave.wait(5)
            stops_seen.append(server.stops)

    stops_seen: list[int] = []
    thread = threading.Thread(target=second_user)
    with shared(tmp_path, "server", server.start):
        thread.start()
        in_use.wait(5)
        threading.Timer(0.2, leave.set).start()
        began = time.monotonic()
    thread.join()

    assert time.monotonic() - began >= 0.2
    assert stops_seen == [0]
    assert server.stops == 1


def test_after_the_last_has_left_the_next_starts_anew(tmp_path: Path) -> None:
    server = Counted()
    with shared(tmp_path, "server", server.start):
        pass

    with shared(tmp_path, "server", server.start) as facts:
        assert facts == {"number": "2"}


def test_a_record_of_a_process_that_died_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"pid": 4194999, "facts": {"number": "dead"}}')
    server = Counted()

    with shared(tmp_path, "server", server.start) as facts:
        assert facts == {"number": "1"}
