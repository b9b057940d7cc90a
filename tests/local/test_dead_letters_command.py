"""scripts/dead_letters against the functions it speaks to, as an operator types it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import pytest

from scripts.local import functions, ports
from scripts.local.databases import PostgresAccess
from scripts.local.dead_letters import main
from scripts.local.seaweedfs import S3Access
from tests.conftest import ready
from tests.functions.conftest import Site, new_site
from tests.functions.sending import AUTH, KEY, fields, some_letter

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

UPLOADS = "/api/documents/post_document/"


@dataclass(frozen=True, slots=True)
class Office:
    """All functions behind one port, and the Paperless they deliver to."""

    site: Site
    client: httpx.Client

    @property
    def address(self) -> list[str]:
        return ["--url", str(self.client.base_url.join("/dlq-alert")), "--key", KEY, "--actor", "kari"]

    def send(self, organization: str) -> str:
        """A document into the queue; its SHA-256."""
        content = some_letter()
        given = fields(content, organizationId=organization)
        files = {"document": ("a.pdf", content, "application/pdf")}
        answer = self.client.post("/archive-write/v1/archive", data=given, files=files).raise_for_status()
        return str(answer.json()["sha256"])

    def drain(self) -> None:
        self.client.post("/archiver-drain/", json={"budgetSeconds": 60}).raise_for_status()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Paperless takes no document while the block runs."""
        faults = f"{self.site.env['PAPERLESS_URL']}/stand-in/faults"
        self.client.post(faults, json={"kind": "error", "status": 413, "path": UPLOADS}).raise_for_status()
        try:
            yield
        finally:
            self.client.delete(faults).raise_for_status()

    def bury(self, count: int = 1) -> tuple[str, list[str]]:
        """So many dead letters of a new organisation, whose cause is mended by now."""
        organization = str(uuid4())
        with self.refusing():
            found = [self.send(organization) for _ in range(count)]
            for _ in range(3):
                self.drain()
        return organization, found


@pytest.fixture(scope="module")
def office(session_folder: Path, postgres: PostgresAccess, s3: S3Access, s3_client: S3Client) -> Iterator[Office]:
    with new_site(postgres, s3, s3_client, "3.0.5") as site:
        listener = ports.listen(0)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        env = {
            **site.env,
            "AUDIT_CALLBACK_URL": f"{url}/audit-callback",
            "ARCHIVER_DRAIN_URL": f"{url}/archiver-drain",
            "REDRIVES_PER_SECOND": "100",
        }
        with (
            ready(session_folder, lambda folder: functions.launch(listener, env, log=folder / "log")),
            httpx.Client(base_url=url, headers=AUTH, timeout=60, trust_env=False) as client,
        ):
            yield Office(site, client)


@pytest.fixture
def typed(office: Office, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Types a command; its exit code and what it printed."""

    def type_it(*words: str) -> tuple[int, str]:
        code = main([words[0], *office.address, *words[1:]])
        return code, capsys.readouterr().out

    return type_it


Typed = Callable[..., tuple[int, str]]


def as_json(printed: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(printed)
    return answer


def test_the_list_shows_what_is_dead_and_why(office: Office, typed: Typed) -> None:
    organization, (sha256,) = office.bury()

    code, printed = typed("list", "--organization", organization)

    assert code == 0
    heading, line, *_ = printed.splitlines()
    assert heading.split()[:2] == ["LETTER", "AGE"]
    assert line.startswith(sha256[:12])
    assert organization in line
    assert "in all, the oldest" in printed


def test_a_filter_that_fits_nothing_shows_that_there_is_nothing(typed: Typed) -> None:
    code, printed = typed("list", "--organization", str(uuid4()))

    assert (code, printed.splitlines()[0]) == (0, "No dead letters.")


def test_the_list_as_json_goes_through_all_pages(office: Office, typed: Typed) -> None:
    organization, sent = office.bury(3)

    code, printed = typed("list", "--organization", organization, "--type", "invoice", "--all", "--json")

    assert code == 0
    assert {letter["sha256"] for letter in as_json(printed)["letters"]} == set(sent)


def test_no_more_letters_are_shown_than_asked_for(office: Office, typed: Typed) -> None:
    organization, _ = office.bury(3)

    code, printed = typed("list", "--organization", organization, "--limit", "2")

    assert code == 0
    assert "There are more" in printed
    assert printed.count(organization) == 2


def test_a_letter_is_shown_by_the_beginning_of_its_digest(office: Office, typed: Typed) -> None:
    _, (sha256,) = office.bury()

    code, printed = typed("show", sha256[:12])

    assert code == 0
    assert f"{sha256}.pdf" in printed
    assert "  1. " in printed
    assert "413" in printed
    assert "Download until" in printed


def test_a_mended_letter_that_is_sent_back_is_archived_with_its_history(office: Office, typed: Typed) -> None:
    _, (sha256,) = office.bury()
    letter = as_json(typed("show", sha256, "--json")[1])

    code, printed = typed("redrive", letter["id"])
    between = as_json(typed("show", letter["id"], "--json")[1])
    ran, report = typed("run-now", "--json")

    assert (code, printed.strip(), ran) == (0, "1 redriven", 0)
    assert (between["standing"], between["redrives"][0]["actor"], len(between["errors"])) == ("queued", "kari", 3)
    assert as_json(report)["archived"] >= 1
    after = as_json(typed("show", letter["id"], "--json")[1])
    assert (after["standing"], after["letter"]) == ("archived", None)


def test_sending_back_twice_is_answered_per_letter(office: Office, typed: Typed) -> None:
    _, (sha256,) = office.bury()
    letter = as_json(typed("show", sha256, "--json")[1])["id"]
    typed("redrive", letter)

    code, printed = typed("redrive", letter, "--json")

    assert (code, as_json(printed)["counts"]) == (0, {"already_queued": 1})


def test_many_are_not_sent_back_unasked_when_nobody_can_be_asked(office: Office, typed: Typed) -> None:
    organization, sent = office.bury(2)

    code, _ = typed("redrive", "--organization", organization)

    assert code == 2
    assert len(as_json(typed("list", "--organization", organization, "--json")[1])["letters"]) == len(sent)


def test_many_are_sent_back_when_that_is_said_to_be_meant(office: Office, typed: Typed) -> None:
    organization, sent = office.bury(2)

    code, printed = typed("redrive", "--organization", organization, "--yes", "--json")

    assert (code, as_json(printed)["counts"]) == (0, {"redriven": len(sent)})


@pytest.mark.slow
def test_a_long_redrive_goes_on_page_by_page_and_tells_how_far_it_is(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    organization, sent = office.bury(105)

    code = main(["redrive", *office.address, "--organization", organization, "--yes"])

    printed = capsys.readouterr()
    assert (code, printed.out.strip()) == (0, f"{len(sent)} redriven")
    assert f"{len(sent)}/{len(sent)} sent back" in printed.err


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, 2), ("\n", 1, 2), ("y\n", 0, 0)])
def test_at_a_terminal_it_asks_before_it_sends_many_back(
    office: Office, typed: Typed, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, left: int
) -> None:
    organization, _ = office.bury(2)
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())

    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        done, _ = typed("redrive", "--organization", organization)
    os.close(ours)

    assert done == code
    assert len(as_json(typed("list", "--organization", organization, "--json")[1])["letters"]) == left


@pytest.mark.parametrize("words", [(), ("--all", "--type", "invoice"), ("abcdef123456", "--all")])
def test_what_to_send_back_is_said_in_exactly_one_way(typed: Typed, words: tuple[str, ...]) -> None:
    assert typed("redrive", "--yes", *words)[0] == 1


def test_a_discarded_letter_is_gone_and_recorded(office: Office, typed: Typed) -> None:
    _, (sha256,) = office.bury()
    letter = as_json(typed("show", sha256, "--json")[1])["id"]

    code, printed = typed("discard", letter, "--reason", "sent by mistake")

    assert (code, printed.strip()) == (0, "1 discarded")
    after = as_json(typed("show", letter, "--json")[1])
    assert (after["standing"], after["letter"]) == ("discarded", None)


def test_a_letter_that_cannot_be_discarded_does_not_spare_the_others(office: Office, typed: Typed) -> None:
    _, (first, second) = office.bury(2)
    gone, other = (as_json(typed("show", each, "--json")[1])["id"] for each in (first, second))
    typed("redrive", gone)

    code, printed = typed("discard", gone, other, "--reason", "sent by mistake", "--yes", "--json")

    assert (code, as_json(printed)["counts"]) == (1, {"failed": 1, "discarded": 1})


def test_a_reason_of_spaces_is_refused(typed: Typed) -> None:
    with pytest.raises(SystemExit, match="2"):
        typed("discard", "abcdef", "--reason", "   ")


@pytest.mark.parametrize("name", ["abcdef123456", "not-an-id"])
def test_an_unknown_letter_is_said_to_be_unknown(office: Office, capsys: pytest.CaptureFixture[str], name: str) -> None:
    code = main(["show", *office.address, name])

    assert code == 1
    assert name in capsys.readouterr().err


def test_a_pause_is_shown_wherever_the_depth_is(office: Office, typed: Typed) -> None:
    organization = str(uuid4())

    paused, _ = typed("pause", "--organization", organization, "--reason", "they are moving house")

    line = f"PAUSED for {organization}"
    assert paused == 0
    assert all(line in typed(*words)[1] for words in (("list",), ("watch", "--once")))
    assert "by kari: they are moving house" in typed("watch", "--once")[1]
    assert typed("resume", "--organization", organization)[1].startswith("Resumed")
    assert typed("resume", "--organization", organization)[1].startswith("It was not paused")
    assert line not in typed("list")[1]


def test_everybody_can_be_paused_while_one_organisation_is(office: Office, typed: Typed) -> None:
    organization = str(uuid4())
    typed("pause", "--organization", organization, "--reason", "they are moving house")

    code, printed = typed("pause", "--reason", "an upgrade", "--yes")

    typed("resume")
    typed("resume", "--organization", organization)
    assert (code, printed.startswith("PAUSED for everybody")) == (0, True)


def test_delivery_is_not_stopped_for_everybody_unasked(typed: Typed) -> None:
    assert typed("pause", "--reason", "an upgrade")[0] == 2


def test_watching_ends_quietly_with_ctrl_c(office: Office) -> None:
    program = [sys.executable, "-c", "from scripts.local.dead_letters import main; raise SystemExit(main())"]
    command = [*program, "watch", *office.address, "--every", "0.1"]

    with subprocess.Popen(command, cwd=functions.ROOT, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        seen = [watching.stdout.readline() for _ in range(2)]
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=20)

    assert all("in all, the oldest" in line for line in seen)
    assert watching.returncode == 0


def test_without_a_stack_it_says_how_to_start_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["list", "--data", str(tmp_path)])

    assert "scripts/run" in capsys.readouterr().err


def test_a_function_that_does_not_answer_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with ports.listen(0) as unused:
        port = unused.getsockname()[1]

    code = main(["list", "--url", f"http://127.0.0.1:{port}", "--key", KEY])

    assert code == 1
    assert "does not answer" in capsys.readouterr().err
