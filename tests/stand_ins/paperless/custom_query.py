"""`custom_field_query`: a small language of conditions on custom fields, mistakes in it refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from tests.stand_ins.paperless import custom_conditions
from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.form import Wrong, WrongNested
from tests.stand_ins.paperless.messages import crash, invalid
from tests.stand_ins.paperless.records import CustomField, Json

DEEPEST, MOST_CONDITIONS = 10, 20


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
        part, word = _under("1", lambda: custom_conditions.operator(field, operator))
        wanted = _under("2", lambda: custom_conditions.wanted(field, part, word, value, amounts=self._is_v3))
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
        read = custom_conditions.reader(field, part, word, amounts=self._is_v3)
        return {
            n for n, value in held.items() if value is not None and custom_conditions.compare(word, read(value), wanted)
        }

    def _live(self) -> set[int]:
        return set(self._archive.catalogue.find("state", "live"))


def _under(place: str, work: Callable[[], Json]) -> Json:
    try:
        return work()
    except Wrong as wrong:
        raise WrongNested({place: wrong.reason}) from None
