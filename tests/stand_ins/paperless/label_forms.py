"""What a label may be made of, and which names are taken."""

from __future__ import annotations

import re

from tests.stand_ins.paperless import forms, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Form, Wrong
from tests.stand_ins.paperless.label_kinds import LabelKind
from tests.stand_ins.paperless.messages import invalid
from tests.stand_ins.paperless.records import Json, Label

TAKEN = "Object violates owner / name unique constraint"
REGULAR_EXPRESSION = 4


def read(call: Call, kind: LabelKind, label: Label | None, *, partial: bool) -> dict[str, Json]:
    """The values of a create or a change, checked; `label` is what is being changed."""
    form = Form(call.data())
    users = {user.id for user in call.world.users}
    form.read("name", lambda value: _name(call, kind, label, value), required=not partial)
    form.read("match", lambda value: _match(form, value))
    form.read("matching_algorithm", forms.choice(*range(7)))
    form.read("is_insensitive", forms.boolean)
    form.read("owner", forms.key_of(users, null=True))
    form.read("set_permissions", _permissions)
    if kind.kind == "tag":
        form.read("color", _colour)
        form.read("is_inbox_tag", forms.boolean)
        form.read("parent", lambda value: _parent(call, label, value))
    form.refuse_if_wrong()
    _check_unique(call, kind, label, form.clean)
    return form.clean


def holder(call: Call, kind: LabelKind, name: str, owner: int | None, other_than: Label | None = None) -> Label | None:
    """Who has this very name already."""
    table = call.archive.labels[kind.kind]
    for number in call.archive.named(kind.kind, name):
        label = table[number]
        if label.name == name and label.owner == owner and label is not other_than:
            return label
    return None


def _name(call: Call, kind: LabelKind, label: Label | None, value: Json) -> str:
    name = forms.text(longest=128, blank=False)(value)
    if holder(call, kind, name, None, label):
        raise Wrong(f"{kind.spoken} with this name already exists.")
    return name


def _check_unique(call: Call, kind: LabelKind, label: Label | None, values: dict[str, Json]) -> None:
    """Three bodies for one mistake, depending on which of Paperless's checks sees it first."""
    name = values.get("name", label.name if label else "")
    owner = values.get("owner", label.owner if label else None)
    if owner is not None and ("name" in values or "owner" in values) and holder(call, kind, name, owner, label):
        raise invalid({"non_field_errors": ["The fields name, owner must make a unique set."]})
    if "owner" in values and holder(call, kind, name, owner, label):
        raise invalid({"error": [TAKEN]})


def _match(form: Form, value: Json) -> str:
    match = forms.text(longest=256)(value)
    if form.values.get("matching_algorithm") == REGULAR_EXPRESSION:
        try:
            re.compile(match)
        except re.error:
            raise Wrong("Invalid regular expression, see log for details.") from None
    return match


def _colour(value: Json) -> str:
    colour = forms.text(longest=7, blank=False)(value)
    if not re.match(r"#[0-9a-fA-F]{6}", colour):
        raise Wrong("Invalid color.")
    return colour


def _parent(call: Call, label: Label | None, value: Json) -> int | None:
    parent = forms.key_of(call.archive.labels["tag"], null=True)(value)
    tag_tree.check_parent(call.archive, label, parent)
    return parent


def _permissions(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Wrong(f'Expected a dictionary of items but got type "{type(value).__name__}".')
    return value
