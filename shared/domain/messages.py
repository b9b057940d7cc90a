"""What bodies of requests and answers have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
"""What a person says: a name, a reason; blanks alone say nothing."""


class Message(BaseModel):
    """A body in camel case that knows all of its fields."""

    # Built by its first use, because most are not used by the first request.
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )
