"""Values of custom fields: what each type accepts, and how it is stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from tests.stand_ins.paperless import forms, rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Wrong
from tests.stand_ins.paperless.messages import crash, denied
from tests.stand_ins.paperless.records import CustomField, Json

DATA_TYPES = ("string", "url", "date", "boolean", "integer", "float", "monetary", "documentlink", "select", "longtext")
LONGEST_TEXT = 128
_MONEY = re.compile(r"^[A-Z]{3}-?\d+(\.\d{1,2})$")
_BAD_MONEY = "Must be a two-decimal number with optional currency code e.g. GBP123.45"


class Unstorable(ValueError):
    """A value that passes the checks and fails in the database; the message is the database's."""


def check(call: Call, field: CustomField, value: Json) -> None:
    """Refuse what Paperless refuses; a number where text is expected makes it crash."""
    checker = _CHECKS.get(field.data_type)
    if checker is not None and value is not None:
        checker(call, field, value)


def _check_text(_call: Call, _field: CustomField, value: Json) -> None:
    length = _length(value)
    if length > LONGEST_TEXT:
        raise Wrong(f"Ensure this value has at most {LONGEST_TEXT} characters (it has {length}).")


def _check_url(_call: Call, _field: CustomField, value: Json) -> None:
    if not _length(value):
        return
    parts = urlsplit(str(value))
    if not parts.scheme:
        raise Wrong(f"Unable to parse URI {value}, missing scheme")
    if not parts.netloc and not parts.path:
        raise Wrong(f"Unable to parse URI {value}, missing net location or path")


def _length(value: Json) -> int:
    if not isinstance(value, str | list | dict):
        raise crash()
    return len(value)


def _check_integer(_call: Call, _field: CustomField, value: Json) -> None:
    if not re.fullmatch(r"-?\d+", str(value)):
        raise Wrong("Enter a valid integer.")
    if int(value) < -(2**31):
        raise Wrong("Ensure this value is greater than or equal to -2147483648.")
    if int(value) >= 2**31:
        raise Wrong("Ensure this value is less than or equal to 2147483647.")


def _check_money(_call: Call, _field: CustomField, value: Json) -> None:
    if value == "" or _is_plain_amount(str(value)) or _MONEY.match(str(value)):
        return
    raise Wrong(_BAD_MONEY)


def _is_plain_amount(text: str) -> bool:
    """Twelve digits at most, two of them behind the point."""
    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        return False
    return isinstance(exponent, int) and exponent >= -2 and len(digits) + max(exponent, 0) <= 12


def _check_option(_call: Call, field: CustomField, value: Json) -> None:
    options = field.extra_data["select_options"]
    if not any(option["id"] == value for option in options):
        raise Wrong(f"Value must be an id of an element in {options}")


def _check_links(call: Call, _field: CustomField, value: Json) -> None:
    if not isinstance(value, list):
        raise Wrong("Value must be a list")
    live = call.archive.catalogue.find("state", "live")
    if len(set(value) & live) != len(value):
        raise Wrong("Some documents in value don't exist or were specified twice.")
    if not all(rights.changes(call.user, call.archive.documents[number]) for number in value):
        raise denied("Insufficient permissions.")


def _check_date(_call: Call, _field: CustomField, value: Json) -> None:
    forms.day(value)


_CHECKS: dict[str, Callable[[Call, CustomField, Json], None]] = {
    "string": _check_text,
    "url": _check_url,
    "integer": _check_integer,
    "monetary": _check_money,
    "select": _check_option,
    "documentlink": _check_links,
    "date": _check_date,
}


def stored(field: CustomField, value: Json) -> Json:
    """The value as it comes back from the database."""
    if value is None or field.data_type in ("documentlink", "select"):
        return value
    if field.data_type in ("string", "url", "longtext", "monetary", "date"):
        return value if isinstance(value, str) else str(value)
    try:
        return _to_number(field.data_type, value)
    except (TypeError, ValueError):
        raise Unstorable(f"Field 'value_{field.data_type}' expected a number but got {value!r}.") from None


def _to_number(data_type: str, value: Json) -> Json:
    if data_type == "integer":
        return int(value)
    if data_type == "float":
        return float(value)
    if value in (True, False, "t", "f", "True", "False", "1", "0"):
        return value in (True, "t", "True", "1")
    raise Unstorable(f"“{value}” value must be either True or False.")
