"""Whether bytes are a whole PDF, told in one pass; Paperless takes truncated and encrypted ones without a word."""

from __future__ import annotations

import hashlib
import re

from shared.domain.errors import InvalidInput

KEPT_HEAD = 64 * 1024
KEPT_TAIL = 1024 * 1024
HEADER_WITHIN = 1024
TRAILER_WITHIN = 2048


class PdfScan:
    """Fed with the bytes in order; keeps their digests, their size and both ends, in constant memory."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._head = b""
        self._tail = b""
        self.size = 0

    def feed(self, chunk: bytes) -> None:
        self._sha256.update(chunk)
        self._md5.update(chunk)
        self.size += len(chunk)
        if len(self._head) < KEPT_HEAD:
            self._head += chunk[: KEPT_HEAD - len(self._head)]
        self._tail = chunk[-KEPT_TAIL:] if len(chunk) >= KEPT_TAIL else (self._tail + chunk)[-KEPT_TAIL:]

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()

    @property
    def md5(self) -> str:
        """What Paperless 2.x stores."""
        return self._md5.hexdigest()

    def check(self, *, allow_encrypted: bool) -> None:
        """Raises InvalidInput on `document` unless this was a whole PDF that opens without a password."""
        if self.size == 0:
            raise InvalidInput("document", "the file is empty")
        if b"%PDF-" not in self._head[:HEADER_WITHIN]:
            raise InvalidInput("document", "the file is not a PDF")
        if b"%%EOF" not in self._tail[-TRAILER_WITHIN:]:
            raise InvalidInput("document", "the PDF is truncated: it does not end with %%EOF")
        if not allow_encrypted and self._encrypted():
            raise InvalidInput("document", "the PDF is encrypted; send allowEncrypted to archive it all the same")

    def _encrypted(self) -> bool:
        """The dictionary that `startxref` leads to, or the trailer at the end, names an encryption dictionary."""
        places = [int(match[1]) for match in _STARTXREF.finditer(self._tail[-TRAILER_WITHIN:])]
        dictionaries = [_dictionary(self._from(place)) for place in places]
        return any(_ENCRYPT.search(each) for each in (*dictionaries, _after_trailer(self._tail)))

    def _from(self, place: int) -> bytes:
        start_of_tail = self.size - len(self._tail)
        return self._tail[place - start_of_tail :] if place >= start_of_tail else self._head[place:]


def _dictionary(section: bytes) -> bytes:
    """Of a classic table what follows `trailer`, of a cross-reference stream what precedes its `stream`."""
    if section.lstrip().startswith(b"xref"):
        return section.partition(b"trailer")[2].partition(b"startxref")[0]
    return section.partition(b"stream")[0]


def _after_trailer(section: bytes) -> bytes:
    return section.rpartition(b"trailer")[2] if b"trailer" in section else b""


_STARTXREF = re.compile(rb"startxref\s+(\d+)")
_ENCRYPT = re.compile(rb"/Encrypt\s*(\d+\s+\d+\s+R|<<)")
