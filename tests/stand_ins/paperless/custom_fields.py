"""/api/custom_fields/: fields belong to nobody, so whoever may delete one deletes everybody's values."""

from __future__ import annotations

from tests.stand_ins.paperless import forms, tag_cost
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.custom_values import DATA_TYPES
from tests.stand_ins.paperless.form import Form, Wrong
from tests.stand_ins.paperless.lookups import Parameters
from tests.stand_ins.paperless.messages import Response, crash, invalid, json_response, not_found
from tests.stand_ins.paperless.paging import paginate
from tests.stand_ins.paperless.records import CustomField, Json
from tests.stand_ins.paperless.text import LOOKUPS

_ORDERINGS = ("id", "name", "data_type", "document_count")


def list_fields(call: Call) -> Response:
    parameters = Parameters(call.parameters)
    number, numbers = parameters.number("id"), parameters.numbers("id__in")
    parameters.refuse_if_wrong()
    wanted = [(LOOKUPS[name], parameters.text(f"name__{name}")) for name in LOOKUPS]
    rows = [
        field
        for field in call.archive.custom_fields.values()
        if number in (None, field.id)
        and (numbers is None or field.id in numbers)
        and all(text is None or matches(field.name, text) for matches, text in wanted)
    ]
    return json_response(paginate(call, _ordered(call, rows), lambda field: show_row(call, field)))


def _ordered(call: Call, rows: list[CustomField]) -> list[CustomField]:
    rows.sort(key=lambda field: (field.name, field.id))
    for wish in reversed(call.parameters.get("ordering", "").split(",")):
        name = wish.strip().removeprefix("-")
        if name in _ORDERINGS:
            rows.sort(key=lambda field: show_row(call, field)[name], reverse=wish.strip().startswith("-"))
    return rows


def show_row(call: Call, field: CustomField, *, counted: bool = True) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": field.id,
        "name": field.name,
        "data_type": field.data_type,
        "extra_data": field.extra_data,
    }
    if counted:
        row["document_count"] = call.archive.catalogue.count(call.user, "field", field.id)
    return row


def create(call: Call) -> Response:
    values = _read(call, None, partial=False)
    call.world.pause(tag_cost.GAP_SECONDS)
    if _taken(call, values["name"], None):
        raise crash()
    field = CustomField(
        call.archive.next_id("custom_field"), values["name"], values["data_type"], values.get("extra_data")
    )
    call.archive.add(field)
    return json_response(show_row(call, field, counted=False), 201)


def show(call: Call, key: str) -> Response:
    return json_response(show_row(call, find(call, key)))


def change(call: Call, key: str, *, partial: bool = True) -> Response:
    field = find(call, key)
    values = _read(call, field, partial=partial)
    with call.archive.changing(field):
        for name, value in values.items():
            setattr(field, name, value)
    return json_response(show_row(call, field))


def delete(call: Call, key: str) -> Response:
    field = find(call, key)
    catalogue = call.archive.catalogue
    for number in catalogue.find("field", field.id) | catalogue.find("state", "trash"):
        document = call.archive.documents[number]
        with call.archive.changing(document):
            document.custom_fields = {key: value for key, value in document.custom_fields.items() if key != field.id}
    call.archive.remove(field)
    return Response(204)


def find(call: Call, key: str) -> CustomField:
    if not key.isascii() or not key.isdecimal():
        raise not_found()
    field = call.archive.custom_fields.get(int(key))
    if field is None:
        raise not_found("CustomField")
    return field


def _read(call: Call, field: CustomField | None, *, partial: bool) -> dict[str, Json]:
    form = Form(call.data())
    form.read("name", lambda value: _name(call, field, value), required=not partial)
    form.read("data_type", forms.choice(*DATA_TYPES), required=not partial)
    form.read("extra_data", lambda value: value)
    form.refuse_if_wrong()
    if form.clean.get("data_type", field.data_type if field else "") == "select":
        _check_options(call, form.clean.get("extra_data"))
    return form.clean


def _name(call: Call, field: CustomField | None, value: Json) -> str:
    name = forms.text(longest=128, blank=False)(value)
    if _taken(call, name, field):
        raise Wrong("custom field with this name already exists.")
    return name


def _taken(call: Call, name: str, other_than: CustomField | None) -> bool:
    fields = (call.archive.custom_fields[number] for number in call.archive.named("custom_field", name))
    return any(field.name == name and field is not other_than for field in fields)


def _check_options(call: Call, extra: Json) -> None:
    options = extra.get("select_options") if isinstance(extra, dict) else None
    labelled = isinstance(options, list) and options and all(o and o.get("label") for o in options)
    if not labelled:
        raise invalid({"error": ["extra_data.select_options must be a valid list"]})
    for option in options or ():
        if option.get("id") is None:
            option["id"] = call.world.new_uuid().replace("-", "")[:16]
