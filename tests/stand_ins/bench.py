"""A Paperless stand-in under a clock of its own, with a client for each of four users."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from tests.stand_ins.paperless.clocks import VirtualClock
from tests.stand_ins.paperless.faults import Fault, read_fault
from tests.stand_ins.paperless.options import Account, Options, ServerVersion
from tests.stand_ins.paperless.server import Paperless
from tests.stand_ins.paperless.transport import StandInTransport
from tests.stand_ins.papers import letter

USERS = (
    Account("admin", "admin-token", "superuser"),
    Account("alice", "alice-token", "member"),
    Account("bob", "bob-token", "member"),
    Account("nobody", "nobody-token", "none"),
)
POST_DOCUMENT = "/api/documents/post_document/"

# JSON as a server answered it.
Json = Any


def headers(name: str, version: int = 9) -> dict[str, str]:
    return {"Authorization": f"Token {name}-token", "Accept": f"application/json; version={version}"}


class Bench:
    """Requests, uploads and faults in few words; nothing here takes real time."""

    def __init__(
        self,
        version: ServerVersion = "3.0.5",
        *,
        consume_seconds: float = 0.0,
        task_workers: int = 1,
        delete_duplicates: bool = False,
        data: Path | None = None,
        seed: int = 0,
        tag_cost: bool = True,
    ) -> None:
        self.clock = VirtualClock()
        self.paperless = Paperless(
            Options(version, USERS, task_workers, consume_seconds, delete_duplicates, data, seed, tag_cost), self.clock
        )
        self.alice, self.bob = self.client("alice"), self.client("bob")
        self.admin, self.nobody = self.client("admin"), self.client("nobody")

    def client(self, name: str, version: int = 9) -> httpx.Client:
        return httpx.Client(
            base_url="http://paperless",
            headers=headers(name, version),
            transport=StandInTransport(self.paperless),
            timeout=30.0,
        )

    def fault(self, kind: str, **details: object) -> Fault:
        return self.paperless.add_fault(read_fault({"kind": kind, **details}))

    def post(
        self, content: bytes, name: str = "letter.pdf", client: httpx.Client | None = None, **fields: object
    ) -> httpx.Response:
        data = {key: value if isinstance(value, str | list) else json.dumps(value) for key, value in fields.items()}
        files = {"document": (name, content, "application/pdf")}
        return (client or self.alice).post(POST_DOCUMENT, data=data, files=files)

    def upload(
        self, content: bytes, name: str = "letter.pdf", client: httpx.Client | None = None, **fields: object
    ) -> str:
        reply = self.post(content, name, client, **fields)
        assert reply.status_code == 200, reply.text
        return str(reply.json())

    def task(self, task_id: str, client: httpx.Client | None = None) -> Json:
        """The row of one task, asked for twice: version 2 tells the reason of a failure only then."""
        for _ in range(2):
            rows = (client or self.alice).get("/api/tasks/", params={"task_id": task_id}).json()
        return rows[0]

    def store(self, text: str, name: str = "letter.pdf", client: httpx.Client | None = None, **fields: object) -> int:
        return self.stored(self.upload(letter(text), name, client, **fields), client)

    def stored(self, task_id: str, client: httpx.Client | None = None) -> int:
        row = self.task(task_id, client)
        assert row["status"] == "SUCCESS", row
        return int(row["related_document"])

    def tag(self, name: str, client: httpx.Client | None = None, **fields: object) -> int:
        reply = (client or self.alice).post("/api/tags/", json={"name": name, **fields})
        assert reply.status_code == 201, reply.text
        return int(reply.json()["id"])

    def found(self, **parameters: object) -> list[int]:
        reply = self.alice.get("/api/documents/", params={key: str(v) for key, v in parameters.items()})
        assert reply.status_code == 200, reply.text
        return sorted(row["id"] for row in reply.json()["results"])

    def files(self) -> list[str]:
        return list(self.paperless.files.keys())
