"""The part of Cloud Logging's filter language that alerts.json speaks, so that its filters can be tried on real lines.

As there, OR binds more tightly than AND, text is compared without regard to case, and a comparison with a field that
the entry lacks is false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

Entry = Mapping[str, object]
Test = Callable[[Entry], bool]

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<operator>!=|>=|<=|=~|[=<>])|(?P<bracket>[()])|(?P<word>[\w.-]+))'
)
_NUMBERS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_OPERATORS = {"=", "!=", "=~", *_NUMBERS}


class WrongFilter(ValueError):
    """A filter that Cloud Logging would refuse, or that speaks more of its language than is understood here."""


def compiled(text: str) -> Test:
    """The filter as a test of one log entry."""
    return _Parser(_tokens(text)).whole()


def fields(text: str) -> set[str]:
    """The paths of the fields that the filter looks at."""
    tokens = _tokens(text)
    return {token for token, following in pairwise(tokens) if following in _OPERATORS}


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise WrongFilter(f"{text[at:]!r} is not understood")
        tokens.append(found[0].strip())
        at = found.end()
    return tokens


@dataclass(slots=True)
class _Parser:
    tokens: list[str]

    def whole(self) -> Test:
        test = self._all()
        if self.tokens:
            raise WrongFilter(f"{self.tokens[0]!r} is one too many")
        return test

    def _all(self) -> Test:
        tests = [self._any()]
        while self._took("AND"):
            tests.append(self._any())
        return lambda entry: all(test(entry) for test in tests)

    def _any(self) -> Test:
        tests = [self._one()]
        while self._took("OR"):
            tests.append(self._one())
        return lambda entry: any(test(entry) for test in tests)

    def _one(self) -> Test:
        if self._took("NOT"):
            refused = self._one()
            return lambda entry: not refused(entry)
        if self._took("("):
            test = self._all()
            self._expect(")")
            return test
        return self._comparison()

    def _comparison(self) -> Test:
        path, sign = self._next(), self._next()
        if sign not in _OPERATORS:
            raise WrongFilter(f"{sign!r} does not compare")
        values = self._values()
        return lambda entry: any(_compare(_found(entry, path), sign, value) for value in values)

    def _values(self) -> list[str]:
        if not self._took("("):
            return [self._next()]
        values = [self._next()]
        while self._took("OR"):
            values.append(self._next())
        self._expect(")")
        return values

    def _next(self) -> str:
        if not self.tokens:
            raise WrongFilter("it ends too early")
        return self.tokens.pop(0)

    def _took(self, token: str) -> bool:
        taken = bool(self.tokens) and self.tokens[0] == token
        if taken:
            self.tokens.pop(0)
        return taken

    def _expect(self, token: str) -> None:
        if not self._took(token):
            raise WrongFilter(f"{token!r} is missing")


def _found(entry: Entry, path: str) -> object:
    value: object = entry
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _compare(found: object, sign: str, literal: str) -> bool:
    if found is None:
        return False
    if sign in _NUMBERS:
        return _is_number(found) and _NUMBERS[sign](float(str(found)), float(literal))
    text = literal.strip('"')
    if sign == "=~":
        return re.search(text, str(found)) is not None
    same = float(str(found)) == float(text) if _is_number(found) else str(found).casefold() == text.casefold()
    return same if sign == "=" else not same


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
