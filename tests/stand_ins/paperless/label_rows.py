"""Labels as the API shows them."""

from __future__ import annotations

import math

from tests.stand_ins.paperless import rights, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.label_kinds import LabelKind
from tests.stand_ins.paperless.records import Json, Label
from tests.stand_ins.paperless.text import fold, slug

_OLD_COLOURS = (
    *("#a6cee3", "#1f78b4", "#b2df8a", "#33a02c", "#fb9a99", "#e31a1c", "#fdbf6f"),
    *("#ff7f00", "#cab2d6", "#6a3d9a", "#b15928", "#000000", "#cccccc"),
)


def show(call: Call, kind: LabelKind, label: Label, *, counted: bool = True) -> dict[str, Json]:
    """`counted` is false in the answer to a create, which has no document count yet."""
    row: dict[str, Json] = {"id": label.id, "slug": slug(label.name), "name": label.name}
    if kind.kind == "tag":
        row |= _colours(call, label)
    row |= {
        "match": label.match,
        "matching_algorithm": label.matching_algorithm,
        "is_insensitive": label.is_insensitive,
    }
    if kind.kind == "tag":
        row["is_inbox_tag"] = label.is_inbox_tag
    if counted:
        row["document_count"] = call.archive.catalogue.count(call.user, label.kind, label.id)
    row["owner"] = label.owner
    if call.wants_full_permissions:
        row["permissions"] = rights.shared_with(label)
    else:
        row["user_can_change"] = rights.changes(call.user, label)
    if kind.kind == "tag" and call.version > 1:
        row |= {"parent": label.parent, "children": _children(call, kind, label, counted=counted)}
    return row


def last_correspondence(call: Call, label: Label) -> str | None:
    found = call.archive.catalogue.find(label.kind, label.id)
    return max((call.archive.documents[number].created for number in found), default=None)


def _children(call: Call, kind: LabelKind, label: Label, *, counted: bool) -> list[Json]:
    below = sorted(tag_tree.children(call.archive, label.id), key=lambda tag: fold(tag.name)) if counted else []
    return [show(call, kind, child) for child in below]


def _colours(call: Call, label: Label) -> dict[str, Json]:
    if call.version == 1:
        return {"colour": _OLD_COLOURS.index(label.color) + 1 if label.color in _OLD_COLOURS else 1}
    return {"color": label.color, "text_color": _readable_on(label.color)}


def _readable_on(colour: str) -> str:
    try:
        red, green, blue = (int(colour[place : place + 2], 16) / 256 for place in (1, 3, 5))
    except ValueError:
        return "#000000"
    luminance = math.sqrt(0.299 * red**2 + 0.587 * green**2 + 0.114 * blue**2)
    return "#ffffff" if luminance < 0.53 else "#000000"
