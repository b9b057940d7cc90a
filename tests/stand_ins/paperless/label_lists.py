"""Lists of labels: which of them, in what order, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from tests.stand_ins.paperless import label_rows, rights, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.label_kinds import LabelKind
from tests.stand_ins.paperless.lookups import Parameters
from tests.stand_ins.paperless.messages import Response, json_response
from tests.stand_ins.paperless.paging import paginate
from tests.stand_ins.paperless.records import Json, Label
from tests.stand_ins.paperless.text import LOOKUPS, fold


def list_labels(call: Call, kind: LabelKind) -> Response:
    rows = _ordered(call, kind, _found(call, kind))
    body = paginate(call, rows, lambda label: _listed(call, kind, label))
    if kind.kind == "tag":
        _count_children(call, rows, body)
    return json_response(body)


def _listed(call: Call, kind: LabelKind, label: Label) -> dict[str, Json]:
    row = label_rows.show(call, kind, label)
    if kind.kind == "correspondent" and call.parameters.get("last_correspondence"):
        row["last_correspondence"] = label_rows.last_correspondence(call, label)
    return row


def _count_children(call: Call, rows: list[Label], body: dict[str, Json]) -> None:
    shown = {label.id for label in rows}
    if any(tag.parent is not None for tag in call.archive.labels["tag"].values()):
        below = {tag.id for label in rows for tag in tag_tree.descendants(call.archive, label.id)}
        if below and "all" in body:
            body["all"] = [*body["all"], *sorted(below - shown)]
        shown |= below
    if call.world.is_v3:
        body["display_count"] = len(shown)


def _found(call: Call, kind: LabelKind) -> list[Label]:
    parameters = Parameters(call.parameters)
    candidates = _candidates(call, kind, parameters)
    tests = [*_tests(kind, parameters)]
    return [label for label in candidates if rights.sees(call.user, label) and all(passes(label) for passes in tests)]


def _candidates(call: Call, kind: LabelKind, parameters: Parameters) -> Iterable[Label]:
    """What ids and exact names leave over, found without looking at the rest."""
    table = call.archive.labels[kind.kind]
    number, numbers = parameters.number("id"), parameters.numbers("id__in")
    parameters.refuse_if_wrong()
    name = parameters.text("name__iexact")
    sets = [] if numbers is None else [numbers]
    if number is not None:
        sets.append({number})
    if name is not None:
        sets.append(call.archive.named(kind.kind, name))
    return [table[key] for key in set.intersection(*sets) if key in table] if sets else table.values()


def _tests(kind: LabelKind, parameters: Parameters) -> Iterable[Callable[[Label], bool]]:
    for lookup, matches in LOOKUPS.items():
        wanted = parameters.text(f"name__{lookup}")
        if wanted is not None and lookup != "iexact":
            yield partial(_name_matches, matches, wanted)
    root = parameters.boolean("is_root") if kind.kind == "tag" else None
    if root is not None:
        yield lambda label: (label.parent is None) == root


def _name_matches(matches: Callable[[str, str], bool], wanted: str, label: Label) -> bool:
    return matches(label.name, wanted)


def _ordered(call: Call, kind: LabelKind, labels: list[Label]) -> list[Label]:
    labels.sort(key=lambda label: (fold(label.name), label.id))
    for wish in reversed(call.parameters.get("ordering", "").split(",")):
        name = wish.strip().removeprefix("-")
        if name in kind.orderings:
            labels.sort(key=lambda label: _order_key(call, label, name), reverse=wish.strip().startswith("-"))
    return labels


def _order_key(call: Call, label: Label, name: str) -> Json:
    if name == "document_count":
        return call.archive.catalogue.count(call.user, label.kind, label.id)
    if name == "last_correspondence":
        return label_rows.last_correspondence(call, label) or ""
    return getattr(label, name)
