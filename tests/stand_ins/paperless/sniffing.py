"""What kind of file some bytes are; what they are called does not matter."""

from __future__ import annotations

SUPPORTED = frozenset(
    {
        "application/pdf",
        "text/plain",
        "image/png",
        "image/jpeg",
        "image/tiff",
        "image/gif",
        "image/bmp",
        "image/webp",
    }
)
UNKNOWN = "application/octet-stream"
_MAGIC = (
    (b"PK\x03\x04", "application/zip"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\x1f\x8b", "application/gzip"),
)
_HTML = (b"<!doctype html", b"<html", b"<head", b"<title")
# Control characters that still occur in text.
_TEXT_CONTROLS = b"\x07\x08\t\n\x0c\r\x1b"
_NOT_TEXT = bytes(set(range(32)) - set(_TEXT_CONTROLS)) + b"\x7f"


def media_type(content: bytes) -> str:
    if b"%PDF-" in content[:256]:
        return "application/pdf"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    for magic, name in _MAGIC:
        if content.startswith(magic):
            return name
    return _text_type(content[: 1024 * 1024])


def _text_type(content: bytes) -> str:
    opening = content[:512].lstrip().lower()
    if opening.startswith(_HTML):
        return "text/html"
    if opening.startswith(b"<?xml"):
        return "text/xml"
    if content.translate(None, _NOT_TEXT) != content:
        return UNKNOWN
    return "text/plain"
