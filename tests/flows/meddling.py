"""Ways to interfere with a site from outside: calls that fail, things that happen in between, answers that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx

from shared.domain.audit import AuditRow
from shared.domain.errors import Unavailable
from shared.domain.sidecar import Sidecar
from tests.prove.effects import Killed
from tests.prove.site import TOKEN, URL, Letter, Site, archive_on
from tests.stand_ins.paperless.faults import Fault
from tests.stand_ins.paperless.transport import StandInTransport

POST = "/api/documents/post_document/"
Result = TypeVar("Result")


class Garbage(Letter):
    """Looks like a PDF from both ends, and is none."""

    @property
    def content(self) -> bytes:
        return b"%PDF-1.4\n" + self.text.encode() + b"\n%%EOF\n"


class _Port:
    """A port of which one call is meddled with; the others pass."""

    def __init__(self, port: Any, names: tuple[str, ...], call: Callable[..., Any]) -> None:
        self._port, self._names, self._call = port, names, call

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if name not in self._names:
            return attribute
        return lambda *args, **kwargs: self._call(lambda: attribute(*args, **kwargs), *args)


def failing(port: Any, *names: str, error: Exception | None = None) -> Any:
    def call(_: Callable[[], object], *_args: object) -> object:
        raise error or Unavailable("away for this test")

    return _Port(port, names, call)


def before(port: Any, name: str, happens: Callable[..., object], *, times: int = 1) -> Any:
    """Something happens just before each of the first so many calls."""
    left = iter(range(times))

    def call(proceed: Callable[[], object], *args: object) -> object:
        if next(left, None) is not None:
            happens()
        return proceed()

    return _Port(port, (name,), call)


def after(port: Any, name: str, happens: Callable[[], object], *, times: int = 1) -> Any:
    """Something happens just after each of the first so many calls."""
    left = iter(range(times))

    def call(proceed: Callable[[], object], *args: object) -> object:
        result = proceed()
        if next(left, None) is not None:
            happens()
        return result

    return _Port(port, (name,), call)


def dies() -> None:
    """The process is gone."""
    raise Killed


class Wire(httpx.BaseTransport):
    """The way to Paperless, on which requests and answers are changed."""

    def __init__(
        self,
        site: Site,
        *,
        request: Callable[[httpx.Request], httpx.Request] = lambda request: request,
        answer: Callable[[httpx.Response], httpx.Response] = lambda response: response,
    ) -> None:
        self._inner, self._request, self._answer = StandInTransport(site.paperless), request, answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(self._inner.handle_request(self._request(request)))


class LastFirst:
    """All jobs are carried out in order, and the last is heard of first."""

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        yield from reversed([job() for job in jobs])


def rewired(site: Site, **meddling: Any) -> Site:
    site.archive = archive_on(Wire(site, **meddling))
    return site


def api(site: Site) -> httpx.Client:
    """Paperless's API as somebody else uses it."""
    headers = {"Authorization": f"Token {TOKEN}", "Accept": "application/json; version=9"}
    return httpx.Client(base_url=URL, headers=headers, transport=StandInTransport(site.paperless))


def break_paperless(site: Site, kind: str, **details: Any) -> None:
    site.paperless.add_fault(Fault(kind, **details))


def refuse(site: Site, letter: Letter, kind: str, **details: Any) -> None:
    """Every attempt to upload this one document goes wrong."""
    for attempt in range(1, 9):
        break_paperless(site, kind, file_name=file_name(letter, attempt), **details)


def file_name(letter: Letter, attempt: int) -> str:
    return f"{letter.organization_id.hex}-{letter.document_type}-{letter.key.sha256}-{attempt}.pdf"


def uploads(site: Site) -> list[str]:
    """The file names of every upload that Paperless took, in order."""
    return [task.file_name for task in site.paperless.world.archive.tasks.values()]


def sidecar(site: Site, letter: Letter) -> Sidecar | None:
    found = site.queue.get(letter.key.sidecar)
    return Sidecar.parse(found.body, letter.key) if found else None


def waiting(site: Site, letter: Letter) -> Sidecar:
    """The sidecar of a document that is still in the queue."""
    found = sidecar(site, letter)
    assert found is not None, f"{letter.document} is no longer in the queue"
    return found


def dead_letter(site: Site, letter: Letter, root: str = "") -> Sidecar:
    """The sidecar of a dead letter, whose PDF must lie beside it."""
    found, pdf = site.dead_letters.get(root + letter.key.sidecar), site.dead_letters.get(root + letter.key.pdf)
    assert found is not None, f"{letter.document} is no dead letter"
    assert pdf is not None, "its PDF is missing"
    assert pdf.body == letter.content
    return Sidecar.parse(found.body, letter.key)


def row(site: Site, letter: Letter) -> AuditRow:
    return next(row for row in site.ledger.job(letter.key) if row.document_id == letter.document_id)


def letters(count: int, organization: str = "Org {}") -> list[Letter]:
    """So many documents, each of another organisation unless told otherwise."""
    return [Letter(organization.format(n), f"{organization} {n}", f"{organization} text {n}") for n in range(count)]


def send_all(site: Site, some: list[Letter]) -> None:
    for letter in some:
        site.send(letter)


def hours(site: Site, count: float) -> None:
    """Runs every five minutes for that long."""
    for _ in range(round(count * 12)):
        site.drain()
        site.wait()


def left_over(site: Site) -> list[str]:
    return [info.key for info in site.queue.list("")]
