"""Checks of single values, refused in the words of Django REST framework."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from datetime import UTC, date, datetime

from tests.stand_ins.paperless.form import BLANK, NULL, Wrong, WrongNested
from tests.stand_ins.paperless.records import Json

NOT_AN_INTEGER = "A valid integer is required."
BAD_DATE = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
BAD_DATETIME = (
    "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
)
LARGEST_SERIAL = 0xFFFF_FFFF
_INTEGER = re.compile(r"^\s*[-+]?\d+(\.0*)?\s*$")
_TRUE = ("t", "T", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "1", 1)
_FALSE = ("f", "F", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", "0", 0, 0.0)


def text(*, longest: int | None = None, blank: bool = True) -> Callable[[Json], str]:
    def check(value: Json) -> str:
        if value is None:
            raise Wrong(NULL)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Wrong("Not a valid string.")
        trimmed = str(value).strip()
        if not trimmed and not blank:
            raise Wrong(BLANK)
        if longest is not None and len(trimmed) > longest:
            raise Wrong(f"Ensure this field has no more than {longest} characters.")
        return trimmed

    return check


def integer(value: Json) -> int:
    if value is None:
        raise Wrong(NULL)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or not _INTEGER.match(value):
        raise Wrong(NOT_AN_INTEGER)
    return int(value.partition(".")[0])


def serial_number(value: Json) -> int:
    number = integer(value)
    if number < 0:
        raise Wrong("Ensure this value is greater than or equal to 0.")
    if number > LARGEST_SERIAL:
        raise Wrong(f"Ensure this value is less than or equal to {LARGEST_SERIAL}.")
    return number


def boolean(value: Json) -> bool:
    if value is None:
        raise Wrong(NULL)
    if isinstance(value, list | dict) or (value not in _TRUE and value not in _FALSE):
        raise Wrong("Must be a valid boolean.")
    return value in _TRUE


def choice(*choices: Json) -> Callable[[Json], Json]:
    """A choice may be sent as text too: "1" means 1."""

    def check(value: Json) -> Json:
        if value is None:
            raise Wrong(NULL)
        for known in choices:
            if not isinstance(value, bool) and str(value) == str(known):
                return known
        raise Wrong(f'"{value}" is not a valid choice.')

    return check


def key_of(existing: Container[int], *, null: bool = False) -> Callable[[Json], int | None]:
    """The id of something that exists."""

    def check(value: Json) -> int | None:
        if value is None or value == "":
            if null:
                return None
            if value is None:
                raise Wrong(NULL)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Wrong(f"Incorrect type. Expected pk value, received {type(value).__name__}.")
        try:
            number = int(value)
        except ValueError:
            raise Wrong(f"Incorrect type. Expected pk value, received {type(value).__name__}.") from None
        if number not in existing:
            raise Wrong(f'Invalid pk "{value}" - object does not exist.')
        return number

    return check


def keys_of(existing: Container[int]) -> Callable[[Json], list[int]]:
    one = key_of(existing)

    def check(value: Json) -> list[int]:
        found = [one(item) for item in items(value)]
        return list(dict.fromkeys(number for number in found if number is not None))

    return check


def items(value: Json) -> list[Json]:
    if value is None:
        raise Wrong(NULL)
    if not isinstance(value, list):
        raise Wrong(f'Expected a list of items but got type "{type(value).__name__}".')
    return value


def integers(value: Json) -> list[int]:
    """A list of integers; the answer says which of them is none."""
    found: list[int] = []
    wrong: dict[str, Json] = {}
    for place, item in enumerate(items(value)):
        try:
            found.append(integer(item))
        except Wrong as error:
            wrong[str(place)] = error.reason
    if wrong:
        raise WrongNested(wrong)
    return found


def day(value: Json) -> str:
    if value is None:
        raise Wrong(NULL)
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise Wrong(BAD_DATE) from None


def day_of_moment(value: Json) -> str | None:
    """A date or a datetime as the day it is in the server's time zone, UTC."""
    if value is None or value == "":
        return None
    try:
        when = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise Wrong(BAD_DATETIME) from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).date().isoformat()
