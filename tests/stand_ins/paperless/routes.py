"""Which path leads to which endpoint; what leads nowhere leads to the login page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.stand_ins.paperless import (
    bulk,
    custom_fields,
    documents,
    downloads,
    label_lists,
    labels,
    system,
    tasks,
    trash,
    uploads,
)
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.label_kinds import ALL_KINDS, LabelKind
from tests.stand_ins.paperless.messages import Response

Handler = Callable[..., Response]

ACTIONS = {
    "GET": "view",
    "HEAD": "view",
    "OPTIONS": "view",
    "POST": "add",
    "PUT": "change",
    "PATCH": "change",
    "DELETE": "delete",
}


@dataclass(frozen=True, slots=True)
class Route:
    """A path, what it does for each method, and the model whose permissions guard it."""

    pattern: re.Pattern[str]
    methods: dict[str, Handler]
    model: str | None = None

    def handler(self, call: Call, key: tuple[str, ...]) -> Handler | None:
        found = self.methods.get("GET" if call.request.method == "HEAD" else call.request.method)
        return None if found is None else partial(found, call, *key)


def _route(pattern: str, model: str | None = None, **methods: Handler) -> Route:
    return Route(re.compile(pattern), methods, model)


def _label_routes(kind: LabelKind) -> list[Route]:
    path, model = f"/api/{kind.endpoint}/", kind.permission
    return [
        _route(
            f"^{path}$",
            model,
            GET=lambda call: label_lists.list_labels(call, kind),
            POST=lambda call: labels.create(call, kind),
        ),
        _route(
            f"^{path}([^/.]+)/$",
            model,
            GET=lambda call, key: labels.show(call, kind, key),
            PATCH=lambda call, key: labels.change(call, kind, key),
            PUT=lambda call, key: labels.change(call, kind, key, partial=False),
            DELETE=lambda call, key: labels.delete(call, kind, key),
        ),
    ]


# The patterns without an end take whatever follows, as in Paperless.
_FIRST = [
    _route("^/api/statistics/", GET=system.statistics),
    _route("^/api/status/", GET=system.status),
    _route("^/api/trash/", GET=trash.list_trash, POST=trash.act),
    _route("^/api/ui_settings/", GET=system.ui_settings),
    _route("^/api/remote_version/", GET=system.remote_version),
    _route("^/api/bulk_edit_objects/", POST=bulk.edit_labels),
    _route("^/api/documents/post_document/", POST=uploads.post_document),
    _route("^/api/documents/bulk_edit/", POST=bulk.edit_documents),
]
_ONLY_VERSION_3 = [_route("^/api/documents/delete/", POST=bulk.delete_documents)]
_LAST = [
    *(route for kind in ALL_KINDS for route in _label_routes(kind)),
    _route("^/api/custom_fields/$", "customfield", GET=custom_fields.list_fields, POST=custom_fields.create),
    _route(
        "^/api/custom_fields/([^/.]+)/$",
        "customfield",
        GET=custom_fields.show,
        PATCH=custom_fields.change,
        PUT=partial(custom_fields.change, partial=False),
        DELETE=custom_fields.delete,
    ),
    _route("^/api/documents/$", "document", GET=documents.list_documents),
    _route(
        "^/api/documents/([^/.]+)/$",
        "document",
        GET=documents.show,
        PATCH=documents.change,
        PUT=partial(documents.change, partial=False),
        DELETE=documents.delete,
    ),
    _route("^/api/documents/([^/.]+)/download/$", "document", GET=downloads.download),
    _route("^/api/documents/([^/.]+)/preview/$", "document", GET=downloads.preview),
    _route("^/api/documents/([^/.]+)/thumb/$", "document", GET=downloads.thumbnail),
    _route("^/api/documents/([^/.]+)/metadata/$", "document", GET=downloads.metadata),
    _route("^/api/tasks/$", "paperlesstask", GET=tasks.list_tasks),
    _route("^/api/tasks/acknowledge/$", POST=tasks.acknowledge),
    _route("^/api/tasks/([^/.]+)/$", "paperlesstask", GET=tasks.show),
]
ROUTES = {True: [*_FIRST, *_ONLY_VERSION_3, *_LAST], False: [*_FIRST, *_LAST]}


def find(path: str, *, is_v3: bool) -> tuple[Route, tuple[str, ...]] | None:
    for route in ROUTES[is_v3]:
        match = route.pattern.match(path)
        if match:
            return route, match.groups()
    return None
