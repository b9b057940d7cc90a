"""`custom_field_query`: a small language of conditions on custom fields, mistakes in it refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import partial

from tests.stand_ins.paperless import forms
from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.forms import Wrong, WrongNested
from tests.stand_ins.paperless.messages import crash, invalid
from tests.stand_ins.paperless.records import CustomField, Json
from tests.stand_ins.paperless.text import LOOKUPS

DEEPEST, MOST_CONDITIONS = 10, 20
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


def find(archive: Archive, text: str, *, is_v3: bool) -> set[int]:
    """The documents, not in the trash, that satisfy the query."""
    try:
        expression = json.loads(text)
    except ValueError:
        raise invalid({"custom_field_query": ["Value must be valid JSON."]}) from None
    try:
        return _Query(archive, is_v3=is_v3).expression(expression, 1)
    except Wrong as wrong:
        raise invalid({"custom_field_query": wrong.reason}) from None


class _Query:
    """Evaluates one query; each part's mistakes are told under its place."""

    def __init__(self, archive: Archive, *, is_v3: bool) -> None:
        self._archive = archive
        self._is_v3 = is_v3
        self._conditions = 0

    def expression(self, expression: Json, depth: int) -> set[int]:
        if depth > DEEPEST:
            raise Wrong("Maximum nesting depth exceeded.")
        if isinstance(expression, list) and len(expression) == 2:
            return self._logical(expression[0], expression[1], depth)
        if isinstance(expression, list) and len(expression) == 3:
            return self._condition(*expression)
        raise Wrong("Invalid custom field query expression")

    def _logical(self, operator: Json, arguments: Json, depth: int) -> set[int]:
        if not isinstance(operator, str):
            raise crash()
        word = operator.lower()
        if word == "not":
            excluded: set[int] = _under("1", lambda: self.expression(arguments, depth + 1))
            return self._live() - excluded
        if word not in ("and", "or"):
            raise WrongNested({"0": [f"Invalid logical operator {operator!r}"]})
        found: list[set[int]] = _under("1", lambda: self._each(arguments, depth))
        return set.intersection(*found) if word == "and" else set.union(*found)

    def _each(self, expressions: Json, depth: int) -> list[set[int]]:
        if not isinstance(expressions, list) or not expressions:
            raise Wrong("Invalid expression list. Must be nonempty.")
        return [_under(str(place), partial(self.expression, item, depth + 1)) for place, item in enumerate(expressions)]

    def _condition(self, name: Json, operator: Json, value: Json) -> set[int]:
        self._conditions += 1
        if self._conditions > MOST_CONDITIONS:
            raise Wrong("Maximum number of query conditions exceeded.")
        field = _under("0", lambda: self._field(name))
        part, word = _under("1", lambda: _operator(field, operator))
        wanted = _under("2", lambda: _wanted(field, part, word, value, amounts=self._is_v3))
        return self._matching(field, part, word, wanted)

    def _field(self, name: Json) -> CustomField:
        fields = self._archive.custom_fields
        if isinstance(name, int):
            field = fields.get(int(name))
        elif isinstance(name, str):
            field = next((fields[n] for n in self._archive.named("custom_field", name) if fields[n].name == name), None)
        else:
            raise crash()
        if field is None:
            raise Wrong(f"{name!r} is not a valid custom field.")
        return field

    def _matching(self, field: CustomField, part: str | None, word: str, wanted: Json) -> set[int]:
        carriers = self._archive.catalogue.find("field", field.id)
        if word == "exists":
            return set(carriers) if wanted else self._live() - carriers
        if word == "exact" and part is None and field.data_type in ("string", "url", "longtext", "select"):
            return set(self._archive.catalogue.find("value", (field.id, wanted)))
        held = {number: self._archive.documents[number].custom_fields[field.id] for number in carriers}
        if word == "isnull":
            return {number for number, value in held.items() if (value is None) == wanted}
        read = _reader(field, part, word, amounts=self._is_v3)
        return {n for n, value in held.items() if value is not None and _compare(word, read(value), wanted)}

    def _live(self) -> set[int]:
        return set(self._archive.catalogue.find("state", "live"))


def _under(place: str, work: Callable[[], Json]) -> Json:
    try:
        return work()
    except Wrong as wrong:
        raise WrongNested({place: wrong.reason}) from None


def _operator(field: CustomField, operator: Json) -> tuple[str | None, str]:
    part, _, word = str(operator).rpartition("__")
    dated = not part or (part in _DATE_PARTS and field.data_type == "date")
    if word not in _OPERATORS[field.data_type] or not dated:
        raise Wrong(f"{field.data_type} does not support query expr {operator!r}.")
    return part or None, word


def _wanted(field: CustomField, part: str | None, word: str, value: Json, *, amounts: bool) -> Json:
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


def _reader(field: CustomField, part: str | None, word: str, *, amounts: bool) -> Callable[[Json], Json]:
    if part is not None:
        return lambda value: _DATE_PARTS[part](date.fromisoformat(value))
    if _is_amount(field, word, amounts=amounts):
        return _amount
    return lambda value: value


def _compare(word: str, value: Json, wanted: Json) -> bool:
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
