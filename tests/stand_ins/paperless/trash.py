"""/api/trash/: what was deleted, and the two ways out of there."""

from __future__ import annotations

from contextlib import suppress

from tests.stand_ins.paperless import document_rows, forms, rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Form, Wrong
from tests.stand_ins.paperless.messages import Response, crash, insufficient_permissions, json_response
from tests.stand_ins.paperless.paging import paginate
from tests.stand_ins.paperless.records import Document, Json
from tests.stand_ins.paperless.world import World

# How long erasing one document takes. Other requests get in between, other erasures among them.
ERASURE_SECONDS = 0.002


def list_trash(call: Call) -> Response:
    """Filters are ignored, and so is what is shared: only one's own and nobody's are shown."""
    documents = _trashed(call)
    return json_response(paginate(call, documents, lambda document: document_rows.show(call, document)))


def _trashed(call: Call) -> list[Document]:
    found = (call.archive.documents[number] for number in call.archive.catalogue.find("state", "trash"))
    own = [document for document in found if rights.owns(call.user, document)]
    return sorted(own, key=lambda document: (document.created, document.id), reverse=True)


def act(call: Call) -> Response:
    form = Form(call.data())
    form.read("documents", lambda value: _all_trashed(call, value))
    form.read("action", forms.choice("restore", "empty"), required=True)
    form.refuse_if_wrong()
    numbers: list[int] | None = form.clean.get("documents")
    chosen = _trashed(call) if numbers is None else [call.archive.documents[number] for number in numbers]
    if not all(rights.owns(call.user, document) for document in chosen):
        raise insufficient_permissions()
    if form.clean["action"] == "empty":
        erase(call.world, chosen)
    elif numbers is None:
        raise crash()
    else:
        _restore(call.world, chosen)
    return json_response({"result": "OK", "doc_ids": [document.id for document in chosen]})


def _all_trashed(call: Call, value: Json) -> list[int]:
    numbers = forms.integers(value)
    if len(set(numbers) & call.archive.catalogue.find("state", "trash")) != len(numbers):
        raise Wrong("Some documents in the list have not yet been deleted.")
    return numbers


def _restore(world: World, documents: list[Document]) -> None:
    for document in documents:
        with world.archive.changing(document):
            document.deleted_at = None


def erase(world: World, documents: list[Document]) -> None:
    """Whether files go with the rows is one switch for the whole server, on while an erasure runs.

    The first of two overlapping erasures to end turns it off for the other, whose remaining files then stay for ever.
    """
    world.cleans_up = True
    for document in documents:
        world.pause(ERASURE_SECONDS)
        if world.archive.documents.get(document.id) is not document or document.deleted_at is None:
            continue
        if world.cleans_up:
            _delete_files(world, document)
        world.archive.remove(document)
    world.cleans_up = False


def _delete_files(world: World, document: Document) -> None:
    """A file that cannot be deleted stays, and nobody is told."""
    for key in (document.archive, document.thumbnail, document.original):
        if key:
            with suppress(OSError):
                world.files.delete(key)
