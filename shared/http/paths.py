"""Path patterns such as /v1/archive/{job_id}, and which of several a path belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

_PARAMETER = re.compile(r"\{([a-z][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A path with parameters; each stands for one whole segment that is not empty."""

    text: str
    segments: tuple[str, ...]
    parameters: tuple[str | None, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        segments = tuple(text.split("/")[1:])
        found = tuple(_PARAMETER.fullmatch(segment) for segment in segments)
        names = [match[1] for match in found if match]
        literal = "".join(segment for segment, match in zip(segments, found, strict=True) if not match)
        if not text.startswith("/") or len(set(names)) < len(names) or "{" in literal or "}" in literal:
            raise ValueError(f"not a path pattern: {text}")
        return cls(text, segments, tuple(match[1] if match else None for match in found))

    def match(self, path: str) -> dict[str, str] | None:
        """The parameters of a path that fits, or None."""
        given = path.split("/")[1:]
        if len(given) != len(self.segments):
            return None
        triples = list(zip(given, self.segments, self.parameters, strict=True))
        if not all(value if name else value == segment for value, segment, name in triples):
            return None
        return {name: value for value, _, name in triples if name}

    @property
    def shape(self) -> tuple[str, ...]:
        """Equal for two patterns that fit the same paths; the more specific of two sorts first."""
        pairs = zip(self.segments, self.parameters, strict=True)
        return tuple("~" if name else f"!{segment}" for segment, name in pairs)
