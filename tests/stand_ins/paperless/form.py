"""A body that is read field by field, and refused as a whole if anything in it is wrong."""

from __future__ import annotations

from collections.abc import Callable

from tests.stand_ins.paperless.messages import invalid
from tests.stand_ins.paperless.records import Json

NULL = "This field may not be null."
REQUIRED = "This field is required."
BLANK = "This field may not be blank."


class Wrong(ValueError):
    """A value that is refused; `reason` is what the answer says under the field's name."""

    def __init__(self, *reason: Json) -> None:
        super().__init__(*reason)
        self.reason: Json = list(reason)


class WrongNested(Wrong):
    """A refusal that is an object of its own, not a list of sentences."""

    def __init__(self, reason: Json) -> None:
        super().__init__(reason)
        self.reason = reason


class Form:
    """Collects what is wrong with a body before refusing it as a whole."""

    def __init__(self, values: dict[str, Json]) -> None:
        self.values = values
        self.errors: dict[str, Json] = {}
        self.clean: dict[str, Json] = {}

    def read(self, name: str, check: Callable[[Json], Json], *, required: bool = False) -> None:
        if name not in self.values:
            if required:
                self.errors[name] = [REQUIRED]
            return
        try:
            self.clean[name] = check(self.values[name])
        except Wrong as wrong:
            self.errors[name] = wrong.reason

    def refuse_if_wrong(self) -> None:
        if self.errors:
            raise invalid(self.errors)
