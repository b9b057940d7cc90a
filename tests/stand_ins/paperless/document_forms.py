"""What may be changed about a document, and the checks on it."""

from __future__ import annotations

from tests.stand_ins.paperless import custom_values, forms
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import NULL, REQUIRED, Form, Wrong, WrongNested
from tests.stand_ins.paperless.records import Document, Json


def read(call: Call, document: Document, *, partial: bool) -> dict[str, Json]:
    form = Form(call.data())
    labels = call.archive.labels
    form.read("correspondent", forms.key_of(labels["correspondent"], null=True), required=not partial)
    form.read("document_type", forms.key_of(labels["document_type"], null=True), required=not partial)
    form.read("storage_path", forms.key_of((), null=True), required=not partial)
    form.read("title", forms.text(longest=128))
    form.read("content", forms.text())
    form.read("tags", forms.keys_of(labels["tag"]), required=not partial)
    form.read("created", _created)
    form.read("created_date", forms.day)
    form.read("archive_serial_number", lambda value: _serial_number(call, document, value))
    form.read("owner", forms.key_of({user.id for user in call.world.users}, null=True))
    form.read("set_permissions", lambda value: value if isinstance(value, dict) else {})
    form.read("custom_fields", lambda value: custom_fields(call, value))
    form.read("remove_inbox_tags", lambda value: value is not None and forms.boolean(value))
    form.refuse_if_wrong()
    form.clean.pop("storage_path", None)
    form.clean.setdefault("created", form.clean.get("created_date", document.created))
    form.clean.pop("created_date", None)
    return form.clean


def _created(value: Json) -> str:
    """A datetime is taken as well, for what it is in UTC."""
    if isinstance(value, str) and ":" in value:
        return forms.day_of_moment(value) or value
    return forms.day(value)


def _serial_number(call: Call, document: Document, value: Json) -> int | None:
    if value is None:
        return None
    number = forms.serial_number(value)
    for other in call.archive.catalogue.find("serial", number) - {document.id}:
        if call.archive.documents[other].deleted_at is not None:
            raise Wrong("Document with this Archive Serial Number already exists in the trash.")
        raise Wrong("document with this archive serial number already exists.")
    return number


def custom_fields(call: Call, value: Json) -> dict[int, Json]:
    """A list of objects, one per field; of two for one field the later counts."""
    if value is None:
        raise Wrong(NULL)
    if not isinstance(value, list):
        found = type(value).__name__
        raise WrongNested({"non_field_errors": [f'Expected a list of items but got type "{found}".']})
    values: dict[int, Json] = {}
    errors: list[Json] = []
    for item in value:
        try:
            number, stored = _custom_field(call, item)
            values[number] = stored
            errors.append({})
        except Wrong as wrong:
            errors.append(wrong.reason)
    if any(errors):
        raise WrongNested(errors)
    return values


def _custom_field(call: Call, item: Json) -> tuple[int, Json]:
    if not isinstance(item, dict):
        found = type(item).__name__
        raise WrongNested({"non_field_errors": [f"Invalid data. Expected a dictionary, but got {found}."]})
    errors: dict[str, Json] = {} if "value" in item else {"value": [REQUIRED]}
    number: int | None = None
    try:
        number = forms.key_of(call.archive.custom_fields)(item["field"])
    except KeyError:
        errors["field"] = [REQUIRED]
    except Wrong as wrong:
        errors["field"] = wrong.reason
    if errors or number is None:
        raise WrongNested(errors)
    field = call.archive.custom_fields[number]
    try:
        custom_values.check(call, field, item["value"])
    except Wrong as wrong:
        raise WrongNested({"non_field_errors": wrong.reason}) from None
    return number, custom_values.stored(field, item["value"])
