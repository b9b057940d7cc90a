"""Settings come from the environment, once, and a wrong one is refused by its name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.domain.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails


class Settings(BaseModel):
    """A group of settings; each field is read from the variable that its alias, or its name in upper case, gives."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, extra="ignore")

    @classmethod
    def variables(cls) -> dict[str, bool]:
        """Every variable this group reads, and whether it is required."""
        return {field.alias or name.upper(): field.is_required() for name, field in cls.model_fields.items()}

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Self:
        source = os.environ if env is None else env
        given = {
            field.alias or name: value
            for name, field in cls.model_fields.items()
            # Secrets written by a shell often end with a line feed, which no header may hold.
            if (value := source.get(field.alias or name.upper(), "").strip())
        }
        try:
            return cls.model_validate(given)
        except ValidationError as exc:
            raise ConfigError(_explain(cls, exc)) from None


def _explain(cls: type[Settings], exc: ValidationError) -> str:
    return "; ".join(_sentence(cls, error) for error in exc.errors())


def _sentence(cls: type[Settings], error: ErrorDetails) -> str:
    message = error["msg"].removeprefix("Value error, ")
    if not error["loc"]:  # a rule about several settings at once names them itself
        return message
    name, field = next((n, f) for n, f in cls.model_fields.items() if error["loc"][0] in (n, f.alias))
    variable, expected = field.alias or name.upper(), field.description or "see the README's settings"
    missing = error["type"] == "missing"
    return f"{variable} is missing: {expected}" if missing else f"{variable} is wrong ({message}): {expected}"
