"""Text as SQLite and Django compare it."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable

_FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold(text: str) -> str:
    """SQLite folds the case of ASCII letters only: Ä and ä stay different."""
    return text.translate(_FOLD)


LOOKUPS: dict[str, Callable[[str, str], bool]] = {
    "iexact": lambda text, wanted: fold(text) == fold(wanted),
    "icontains": lambda text, wanted: fold(wanted) in fold(text),
    "istartswith": lambda text, wanted: fold(text).startswith(fold(wanted)),
    "iendswith": lambda text, wanted: fold(text).endswith(fold(wanted)),
}


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    kept = re.sub(r"[^\w\s-]", "", plain.lower())
    return re.sub(r"[-\s]+", "-", kept).strip("-_")


def file_name(text: str) -> str:
    """A name without the characters that file systems refuse."""
    return re.sub(r'[:*/"?><|\\\0\n\r\t\x0b\x0c]', "-", text)
