"""Single conditions on a custom field: which operators its type has, what they take, and when they hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation

from tests.stand_ins.paperless import forms
from tests.stand_ins.paperless.form import Wrong
from tests.stand_ins.paperless.records import CustomField, Json
from tests.stand_ins.paperless.text import LOOKUPS

_BASIC, _ARITHMETIC = ("exact", "in", "isnull", "exists"), ("gt", "gte", "lt", "lte", "range")
_STRING = ("icontains", "istartswith", "iendswith")
_OPERATORS = {
    "string": (*_BASIC, *_STRING),
    "url": (*_BASIC, *_STRING),
    "longtext": (*_BASIC, *_STRING),
    "date": (*_BASIC, *_ARITHMETIC),
    "boolean": _BASIC,
    "integer": (*_BASIC, *_ARITHMETIC),
    "float": (*_BASIC, *_ARITHMETIC),
    "monetary": (*_BASIC, *_STRING, *_ARITHMETIC),
    "documentlink": (*_BASIC, "contains"),
    "select": _BASIC,
}
_DATE_PARTS: dict[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "iso_year": lambda day: day.isocalendar().year,
    "month": lambda day: day.month,
    "day": lambda day: day.day,
    "week": lambda day: day.isocalendar().week,
    "week_day": lambda day: day.isoweekday() % 7 + 1,
    "iso_week_day": lambda day: day.isoweekday(),
    "quarter": lambda day: (day.month + 2) // 3,
}


def operator(field: CustomField, operator: Json) -> tuple[str | None, str]:
    part, _, word = str(operator).rpartition("__")
    dated = not part or (part in _DATE_PARTS and field.data_type == "date")
    if word not in _OPERATORS[field.data_type] or not dated:
        raise Wrong(f"{field.data_type} does not support query expr {operator!r}.")
    return part or None, word


def wanted(field: CustomField, part: str | None, word: str, value: Json, *, amounts: bool) -> Json:
    if word in ("isnull", "exists"):
        return forms.boolean(value)
    if word not in ("in", "range"):
        return _one(field, part, word, value, amounts=amounts)
    found = forms.items(value)
    if word == "in" and not found:
        raise Wrong("This list may not be empty.")
    if word == "range" and len(found) != 2:
        few = len(found) < 2
        raise Wrong(f"Ensure this field has {'at least' if few else 'no more than'} 2 elements.")
    return [_one(field, part, word, item, amounts=amounts) for item in found]


def _one(field: CustomField, part: str | None, word: str, value: Json, *, amounts: bool) -> Json:
    if part is not None or field.data_type == "integer":
        return forms.integer(value)
    if field.data_type == "float":
        return _number(value)
    if field.data_type == "boolean":
        return forms.boolean(value)
    if field.data_type == "date":
        return forms.day(value)
    if field.data_type == "documentlink":
        return forms.integers(value)
    if field.data_type == "select":
        options = (field.extra_data or {}).get("select_options", [])
        return next((o["id"] for o in options if o["label"] == value), forms.text(longest=16)(value))
    if _is_amount(field, word, amounts=amounts):
        return _amount(value)
    return forms.text()(value)


def _is_amount(field: CustomField, word: str, *, amounts: bool) -> bool:
    """Version 3 also compares equality by amount, version 2 by the text as stored."""
    return field.data_type == "monetary" and (word in _ARITHMETIC or (amounts and word in ("exact", "in")))


def _number(value: Json) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Wrong("A valid number is required.") from None


def _amount(value: Json) -> Decimal:
    digits = str(value).strip()
    if digits and not digits[0].isdigit() and digits[0] != "-":
        digits = digits[3:]
    try:
        return Decimal(digits)
    except InvalidOperation:
        raise Wrong("A valid number is required.") from None


def reader(field: CustomField, part: str | None, word: str, *, amounts: bool) -> Callable[[Json], Json]:
    if part is not None:
        return lambda value: _DATE_PARTS[part](date.fromisoformat(value))
    if _is_amount(field, word, amounts=amounts):
        return _amount
    return lambda value: value


def compare(word: str, value: Json, wanted: Json) -> bool:
    match word:
        case "exact":
            return bool(value == wanted)
        case "in":
            return value in wanted
        case "range":
            return bool(wanted[0] <= value <= wanted[1])
        case "gt":
            return bool(value > wanted)
        case "gte":
            return bool(value >= wanted)
        case "lt":
            return bool(value < wanted)
        case "lte":
            return bool(value <= wanted)
        case "contains":
            return set(wanted) <= set(value)
        case _:
            return LOOKUPS[word](str(value), str(wanted))
