"""Values of query parameters, read as django-filter reads them; an empty one is always ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from tests.stand_ins.paperless.messages import invalid
from tests.stand_ins.paperless.records import Json

Value = TypeVar("Value")


class Parameters:
    """The query of one request; mistakes are collected and refused together."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.errors: dict[str, Json] = {}

    def text(self, name: str) -> str | None:
        return self._values.get(name, "").strip() or None

    def number(self, name: str) -> int | None:
        return self._read(name, _number, "Enter a number.")

    def numbers(self, name: str) -> set[int] | None:
        return self._read(name, _numbers, "Enter a number.")

    def day(self, name: str) -> date | None:
        return self._read(name, date.fromisoformat, "Enter a valid date.")

    def moment(self, name: str) -> datetime | None:
        return self._read(name, _moment, "Enter a valid date/time.")

    def boolean(self, name: str) -> bool | None:
        return {"true": True, "false": False}.get(self._values.get(name, "").lower())

    def loose_ids(self, name: str) -> list[int] | None:
        """A list that is ignored as a whole if anything in it is not a number, a trailing comma included."""
        try:
            return [int(item) for item in self._values.get(name, "").split(",")]
        except ValueError:
            return None

    def _read(self, name: str, read: Callable[[str], Value], error: str) -> Value | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            return read(value)
        except ValueError:
            self.errors[name] = [error]
            return None

    def refuse_if_wrong(self) -> None:
        if self.errors:
            raise invalid(self.errors)


def _number(text: str) -> int:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(text) from None
    return int(number) if number == number.to_integral_value() else -1


def _numbers(text: str) -> set[int]:
    return {_number(item) for item in text.split(",") if item.strip()}


def _moment(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)
