"""Clients that send documents as fast as they are answered, in a process of their own.

Reads one order a line on standard input, `{"port": 8080, "count": 400}`, and answers each with the seconds it took. The
digests are made before the clock starts: the client must not be what is measured.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import secrets
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from scripts.local.ports import HOST
from scripts.local.sample_documents import pdf
from tests.bench.requests import BOUNDARY, form, headers

MARK = b"0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Documents:
    """So many different PDFs of one size, of which only the digests are kept."""

    before: bytes
    after: bytes
    marks: tuple[bytes, ...]
    digests: tuple[str, ...]

    @classmethod
    def made(cls, count: int, size: int) -> Documents:
        before, after = pdf(f"Invoice {MARK.decode()}", size=size).split(MARK)
        marks = tuple(secrets.token_hex(8).encode() for _ in range(count))
        return cls(before, after, marks, tuple(hashlib.sha256(before + mark + after).hexdigest() for mark in marks))

    def request(self, index: int) -> bytes:
        return form(self.before + self.marks[index] + self.after, self.digests[index])


def send(port: int, key: str, documents: Documents, indices: range) -> None:
    """One client, on one connection."""
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    sent = headers(key, f"multipart/form-data; boundary={BOUNDARY}")
    try:
        for index in indices:
            connection.request("POST", "/v1/archive", documents.request(index), sent)
            response = connection.getresponse()
            answer = response.read()
            if response.status != 202:
                raise RuntimeError(f"a document was answered {response.status}: {answer[:300]!r}")
    finally:
        connection.close()


def send_all(port: int, key: str, count: int, clients: int, size: int) -> float:
    documents = Documents.made(count, size)
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        for each in [pool.submit(send, port, key, documents, range(n, count, clients)) for n in range(clients)]:
            each.result()
    return time.perf_counter() - began


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(send_all(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
