"""Lists come in pages, linked to their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from urllib.parse import parse_qs, urlencode

from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.messages import detail
from tests.stand_ins.paperless.records import Json

DEFAULT_SIZE, LARGEST_SIZE = 25, 100_000


class Numbered(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> int: ...


Item = TypeVar("Item", bound=Numbered)


def paginate(
    call: Call, rows: Sequence[Item], show: Callable[[Item], Json], *, with_all: bool = True
) -> dict[str, Json]:
    """The page asked for; up to version 9 of the API each page also lists the ids of all rows."""
    size = _size(call.parameters.get("page_size", ""))
    last = max(1, -(-len(rows) // size))
    number = _number(call.parameters.get("page", "1"), last)
    body: dict[str, Json] = {
        "count": len(rows),
        "next": _link(call, number + 1) if number < last else None,
        "previous": _link(call, number - 1) if number > 1 else None,
    }
    if with_all and call.version < 10:
        body["all"] = [row.id for row in rows]
    body["results"] = [show(row) for row in rows[(number - 1) * size : number * size]]
    return body


def _size(text: str) -> int:
    try:
        size = int(text)
    except ValueError:
        return DEFAULT_SIZE
    return min(size, LARGEST_SIZE) if size > 0 else DEFAULT_SIZE


def _number(text: str, last: int) -> int:
    try:
        number = last if text == "last" else int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= last:
        raise detail("Invalid page.", 404)
    return number


def _link(call: Call, number: int) -> str:
    query = parse_qs(call.request.query, keep_blank_values=True)
    query.pop("page", None)
    if number > 1:
        query["page"] = [str(number)]
    host = call.request.headers.get("host", "localhost")
    encoded = urlencode(sorted(query.items()), doseq=True)
    return f"http://{host}{call.request.path}{'?' if encoded else ''}{encoded}"
