"""/api/tags/, /api/correspondents/, /api/document_types/: create, show, change, delete."""

from __future__ import annotations

from collections.abc import Iterable

from tests.stand_ins.paperless import label_forms, label_rows, rights, tag_cost, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.label_kinds import LabelKind
from tests.stand_ins.paperless.messages import Refusal, Response, crash, denied, invalid, json_response, not_found
from tests.stand_ins.paperless.records import Json, Label

# The share of those who lose the race for a name that get a page of HTML instead of a 400.
CRASHES = {True: 0.08, False: 0.02}


def create(call: Call, kind: LabelKind) -> Response:
    values = label_forms.read(call, kind, None, partial=False)
    explicit = "owner" in values
    owner = values.pop("owner", call.user.id)
    if label_forms.holder(call, kind, values["name"], owner):
        raise invalid({"error": label_forms.TAKEN})
    _take_time(call, kind)
    if label_forms.holder(call, kind, values["name"], owner) or (explicit and _shared(call, kind, values["name"])):
        raise _lost_race(call)
    label = Label(call.archive.next_id(kind.kind), owner, kind=kind.kind)
    _set(label, values)
    call.archive.add(label)
    return json_response(label_rows.show(call, kind, label, counted=False), 201)


def _take_time(call: Call, kind: LabelKind) -> None:
    seconds = tag_cost.GAP_SECONDS
    if kind.kind == "tag" and call.world.options.tag_cost:
        seconds += tag_cost.seconds_for_one_more(len(call.archive.labels["tag"]))
    call.world.pause(seconds)


def _shared(call: Call, kind: LabelKind, name: str) -> bool:
    return label_forms.holder(call, kind, name, None) is not None


def _lost_race(call: Call) -> Refusal:
    crashed = call.world.random.random() < CRASHES[call.world.is_v3]
    return crash() if crashed else invalid({"error": [label_forms.TAKEN]})


def show(call: Call, kind: LabelKind, key: str) -> Response:
    label = find(call, kind, key)
    row = label_rows.show(call, kind, label)
    if kind.kind == "correspondent":
        row["last_correspondence"] = label_rows.last_correspondence(call, label)
    return json_response(row)


def change(call: Call, kind: LabelKind, key: str, *, partial: bool = True) -> Response:
    label = find(call, kind, key)
    if not rights.changes(call.user, label):
        raise denied()
    values = label_forms.read(call, kind, label, partial=partial)
    hands_over = values.get("owner", label.owner) != label.owner or "set_permissions" in values
    if hands_over and not rights.owns(call.user, label):
        raise denied("Insufficient permissions.")
    moved = values.get("parent", label.parent) not in (None, label.parent)
    with call.archive.changing(label):
        _set(label, values)
    if moved:
        _bring_parents(call, label)
    return json_response(label_rows.show(call, kind, label))


def _bring_parents(call: Call, label: Label) -> None:
    """Documents of a tag that was given a parent get the parent too."""
    for number in list(call.archive.catalogue.find("tag", label.id)):
        document = call.archive.documents[number]
        with call.archive.changing(document):
            document.tags = tag_tree.with_ancestors(call.archive, document.tags)


def _set(label: Label, values: dict[str, Json]) -> None:
    rights.share(label, values.pop("set_permissions", {}))
    for name, value in values.items():
        setattr(label, name, value)


def delete(call: Call, kind: LabelKind, key: str) -> Response:
    label = find(call, kind, key)
    if not rights.owns(call.user, label):
        raise denied()
    erase(call, [label])
    return Response(204)


def erase(call: Call, labels: Iterable[Label]) -> None:
    """Documents stay and silently lose the label; a tag takes the tags below it along."""
    for label in labels:
        if label.id not in call.archive.labels[label.kind]:
            continue
        if label.kind == "tag":
            erase(call, tag_tree.children(call.archive, label.id))
        _strip_documents(call, label)
        call.archive.remove(label)


def _strip_documents(call: Call, label: Label) -> None:
    catalogue = call.archive.catalogue
    for number in catalogue.find(label.kind, label.id) | catalogue.find("state", "trash"):
        document = call.archive.documents[number]
        with call.archive.changing(document):
            if label.kind == "tag":
                document.tags = [tag for tag in document.tags if tag != label.id]
            elif getattr(document, label.kind) == label.id:
                setattr(document, label.kind, None)


def find(call: Call, kind: LabelKind, key: str) -> Label:
    """What the caller may not see does not exist."""
    if not key.isascii() or not key.isdecimal():
        raise not_found()
    label = call.archive.labels[kind.kind].get(int(key))
    if label is None or not rights.sees(call.user, label):
        raise not_found(kind.model)
    return label
