"""/api/documents/: list, show, change, and move to the trash."""

from __future__ import annotations

from tests.stand_ins.paperless import document_filters, document_forms, document_rows, rights, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.messages import Response, bare_text, denied, invalid, json_response, not_found
from tests.stand_ins.paperless.paging import paginate
from tests.stand_ins.paperless.records import Document, Json
from tests.stand_ins.paperless.world import World

_ORDERINGS = {
    "id": "id",
    "title": "title",
    "created": "created",
    "modified": "modified",
    "added": "added",
    "archive_serial_number": "archive_serial_number",
    "owner": "owner",
    "page_count": "page_count",
}
_CUSTOM_FIELD = "custom_field_"
# How long version 2 is busy with one deletion; a second one in that time fails.
DELETION_SECONDS = 0.005


def list_documents(call: Call) -> Response:
    documents = _ordered(call, document_filters.find(call))
    return json_response(paginate(call, documents, lambda document: document_rows.show(call, document)))


def show(call: Call, key: str) -> Response:
    return json_response(document_rows.show(call, find(call, key), detailed=True))


def change(call: Call, key: str, *, partial: bool = True) -> Response:
    document = find(call, key)
    if not rights.changes(call.user, document):
        raise denied()
    values = document_forms.read(call, document, partial=partial)
    hands_over = values.get("owner", document.owner) != document.owner or "set_permissions" in values
    if hands_over and not rights.owns(call.user, document):
        raise denied("Insufficient permissions.")
    with call.archive.changing(document):
        _apply(call, document, values)
    return json_response(document_rows.show(call, document, full=True))


def _apply(call: Call, document: Document, values: dict[str, Json]) -> None:
    rights.share(document, values.pop("set_permissions", {}))
    inbox_goes = values.pop("remove_inbox_tags", False)
    if "tags" in values:
        values["tags"] = _new_tags(call, document, values["tags"])
    if inbox_goes:
        added = set(values.get("tags", ())) - set(document.tags)
        tags = call.archive.labels["tag"]
        kept = values.get("tags", document.tags)
        values["tags"] = [tag for tag in kept if tag in added or not tags[tag].is_inbox_tag]
    for name, value in values.items():
        setattr(document, name, value)
    document.modified = call.world.now()


def _new_tags(call: Call, document: Document, wanted: list[int]) -> list[int]:
    """A child brings its parents; a parent taken away takes the children along."""
    gone = set(document.tags) - set(wanted)
    gone |= {child.id for tag in gone for child in tag_tree.descendants(call.archive, tag)}
    return [tag for tag in tag_tree.with_ancestors(call.archive, wanted) if tag not in gone]


def delete(call: Call, key: str) -> Response:
    document = find(call, key)
    if not rights.owns(call.user, document):
        raise denied()
    if not call.world.is_v3 and not _gets_through(call.world):
        return bare_text("Error deleting document, check logs for more detail.", 400)
    if document.deleted_at is None and document.id in call.archive.documents:
        trash(call.world, document)
    return Response(204)


def _gets_through(world: World) -> bool:
    """Deletions that overlap lock version 2's search index against each other."""
    if world.deletions:
        return False
    world.deletions += 1
    try:
        world.pause(DELETION_SECONDS)
    finally:
        world.deletions -= 1
    return True


def trash(world: World, document: Document) -> None:
    with world.archive.changing(document):
        document.deleted_at = world.now()


def find(call: Call, key: str) -> Document:
    """What is in the trash or belongs to somebody else does not exist."""
    if not key.isascii() or not key.isdecimal():
        raise not_found()
    document = call.archive.documents.get(int(key))
    if document is None or document.deleted_at is not None or not rights.sees(call.user, document):
        raise not_found("Document")
    return document


def _ordered(call: Call, documents: list[Document]) -> list[Document]:
    documents.sort(key=lambda document: (document.created, document.id), reverse=True)
    for wish in reversed(call.parameters.get("ordering", "").split(",")):
        name, descending = wish.strip().removeprefix("-"), wish.strip().startswith("-")
        if name.startswith(_CUSTOM_FIELD):
            _order_by_field(call, documents, name, descending=descending)
        elif name in _ORDERINGS:
            documents.sort(key=lambda document: _nulls_first(getattr(document, name)), reverse=descending)
        elif name in ("correspondent__name", "document_type__name"):
            kind = name.removesuffix("__name")
            documents.sort(key=lambda document: _nulls_first(_label(call, document, kind)), reverse=descending)
    return documents


def _order_by_field(call: Call, documents: list[Document], name: str, *, descending: bool) -> None:
    number = name.removeprefix(_CUSTOM_FIELD)
    if not number.isdecimal() or int(number) not in call.archive.custom_fields:
        raise invalid({name: ["Custom field not found"]})
    field = int(number)
    documents.sort(key=lambda document: _nulls_first(document.custom_fields.get(field)), reverse=descending)
    documents.sort(key=lambda document: field not in document.custom_fields)


def _label(call: Call, document: Document, kind: str) -> str | None:
    label = call.archive.labels[kind].get(getattr(document, kind))
    return label.name if label else None


def _nulls_first(value: Json) -> tuple[bool, Json]:
    return value is not None, value if value is not None else 0
