"""The SQL statements, one to a file, by the file's name; its first line says what it is for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("queries")
SOURCES = FOLDER / "sources"


@cache
def statement(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text()


@cache
def source(document_type: str) -> str | None:
    """The statement for the application's own table of such documents; None where it keeps none."""
    path = SOURCES / f"{document_type}.sql"
    return path.read_text() if path.exists() else None
