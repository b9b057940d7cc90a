"""Many documents or labels in one call."""

from __future__ import annotations

from tests.stand_ins.paperless import documents, forms, labels, rights, tag_tree
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Form, Wrong
from tests.stand_ins.paperless.label_kinds import ALL_KINDS
from tests.stand_ins.paperless.messages import Response, bare_text, insufficient_permissions, invalid, json_response
from tests.stand_ins.paperless.records import Document, Json

_METHODS = (
    "set_correspondent",
    "set_document_type",
    "add_tag",
    "remove_tag",
    "modify_tags",
    "delete",
)
# Known to the real server, not to this one.
_OTHER_METHODS = (
    "set_storage_path",
    "modify_custom_fields",
    "set_permissions",
    "reprocess",
    "rotate",
    "merge",
    "edit_pdf",
    "remove_password",
    "split",
    "delete_pages",
)


def delete_documents(call: Call) -> Response:
    """POST /api/documents/delete/, which only version 3 has."""
    return _act(call, _documents(call, Form(call.data())), "delete", {})


def edit_documents(call: Call) -> Response:
    form = Form(call.data())
    form.read("method", forms.choice(*_METHODS, *_OTHER_METHODS), required=True)
    form.read("parameters", lambda value: value if isinstance(value, dict) else {})
    return _act(call, _documents(call, form), form.clean["method"], form.clean.get("parameters", {}))


def _documents(call: Call, form: Form) -> list[Document]:
    form.read("documents", lambda value: _existing(call, value), required=not call.world.is_v3)
    form.refuse_if_wrong()
    if "documents" not in form.clean:
        raise invalid({"non_field_errors": ["documents is required unless all is true."]})
    return [call.archive.documents[number] for number in form.clean["documents"]]


def _existing(call: Call, value: Json) -> list[int]:
    numbers = forms.integers(value)
    if len(set(numbers) & call.archive.catalogue.find("state", "live")) != len(numbers):
        raise Wrong("Some documents in documents don't exist or were specified twice.")
    return numbers


def _act(call: Call, chosen: list[Document], method: str, parameters: dict[str, Json]) -> Response:
    _check_rights(call, chosen, method)
    if method not in _METHODS:
        return bare_text("Error performing bulk edit, check logs for more detail.", 400)
    change = _change(call, method, parameters)
    for document in chosen:
        if method == "delete":
            documents.trash(call.world, document)
            continue
        with call.archive.changing(document):
            for name, value in change.items():
                setattr(document, name, value)
            if "tag" in method:
                document.tags = _tags(call, document.tags, method, parameters)
            document.modified = call.world.now()
    return json_response({"result": "OK"})


def _check_rights(call: Call, chosen: list[Document], method: str) -> None:
    allowed = call.user.may("change_document") and all(rights.changes(call.user, document) for document in chosen)
    if method == "delete":
        owned = all(rights.owns(call.user, document) for document in chosen)
        allowed = allowed and owned and call.user.may("delete_document")
    if not allowed:
        raise insufficient_permissions()


def _change(call: Call, method: str, parameters: dict[str, Json]) -> dict[str, Json]:
    """The one value a `set_` method sets; what is missing or unknown is refused."""
    if not method.startswith("set_"):
        _check_tags(call, method, parameters)
        return {}
    kind = method.removeprefix("set_")
    if kind not in parameters:
        raise invalid({"non_field_errors": [f"{kind} not specified"]})
    number = parameters[kind]
    if number is not None and number not in call.archive.labels[kind]:
        raise invalid({"non_field_errors": [f"{kind.replace('_', ' ').capitalize()} does not exist"]})
    return {kind: number}


def _check_tags(call: Call, method: str, parameters: dict[str, Json]) -> None:
    tags = call.archive.labels["tag"]
    if method in ("add_tag", "remove_tag"):
        if "tag" not in parameters:
            raise invalid({"non_field_errors": ["tag not specified"]})
        if parameters["tag"] not in tags:
            raise invalid({"non_field_errors": ["Tag does not exist"]})
    for name in ("add_tags", "remove_tags") if method == "modify_tags" else ():
        if name not in parameters:
            raise invalid({"non_field_errors": [f"{name} not specified"]})
        if len(set(parameters[name]) & tags.keys()) != len(parameters[name]):
            raise invalid({"non_field_errors": [f"Some tags in {name} don't exist or were specified twice."]})


def _tags(call: Call, held: list[int], method: str, parameters: dict[str, Json]) -> list[int]:
    added = parameters.get("add_tags", []) if method == "modify_tags" else []
    removed = set(parameters.get("remove_tags", [])) if method == "modify_tags" else set()
    if method == "add_tag":
        added = [parameters["tag"]]
    if method == "remove_tag":
        removed = {parameters["tag"]}
    removed |= {child.id for tag in removed for child in tag_tree.descendants(call.archive, tag)}
    wanted = tag_tree.with_ancestors(call.archive, [*held, *added])
    return [tag for tag in wanted if tag not in removed]


def edit_labels(call: Call) -> Response:
    """Only deleting is offered here; custom fields are not among what can be."""
    form = Form(call.data())
    form.read("objects", forms.integers, required=not call.world.is_v3)
    form.read("object_type", forms.choice(*(kind.endpoint for kind in ALL_KINDS), "storage_paths"), required=True)
    form.read("operation", forms.choice("set_permissions", "delete"), required=True)
    form.refuse_if_wrong()
    kind = next((kind for kind in ALL_KINDS if kind.endpoint == form.clean["object_type"]), None)
    table = call.archive.labels[kind.kind] if kind else {}
    numbers = form.clean.get("objects", [])
    if len(set(numbers) & table.keys()) != len(numbers):
        raise invalid({"non_field_errors": ["Some ids in objects don't exist or were specified twice."]})
    if not numbers:
        raise invalid({"non_field_errors": ["objects must not be empty"]})
    chosen = [table[number] for number in numbers]
    allowed = kind is not None and call.user.may(f"delete_{kind.permission}")
    if not allowed or not all(rights.owns(call.user, label) for label in chosen):
        raise insufficient_permissions()
    labels.erase(call, chosen)
    return json_response({"result": "OK"})
