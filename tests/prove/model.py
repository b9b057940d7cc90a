"""The reference model: what the application was promised, and the law that must balance after every step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from shared.domain.audit import Disposition
from shared.domain.keys import ObjectKey
from shared.domain.sidecar import Sidecar, State
from tests.prove.site import Letter, Site

ENDED = (Disposition.ARCHIVED, Disposition.DEAD, Disposition.EXPIRED, Disposition.DISCARDED, Disposition.ERASED)


class LawBroken(AssertionError):
    """An accepted document is not accounted for."""


@dataclass(slots=True)
class Model:
    """Remembers every answer 202, and where each such document must be found."""

    site: Site
    accepted: dict[tuple[UUID, ObjectKey], Letter] = field(default_factory=dict)

    def promise(self, letter: Letter) -> None:
        self.accepted[letter.document_id, letter.key] = letter

    def balance(self, key: ObjectKey | None = None) -> Counter[tuple[UUID, str]]:
        """Count each accepted document once, per organisation; raises if one is nowhere."""
        found: Counter[tuple[UUID, str]] = Counter()
        for (document_id, its_key), letter in self.accepted.items():
            if key is None or its_key == key:
                found[letter.organization_id, self._place(document_id, its_key)] += 1
        return found

    def _place(self, document_id: UUID, key: ObjectKey) -> str:
        row = next((row for row in self.site.ledger.job(key) if row.document_id == document_id), None)
        sidecar = self._sidecar(key)
        if sidecar is not None and _holds(sidecar, document_id) and (row is None or row.disposition not in ENDED):
            return "queued"
        if row is None or row.disposition not in ENDED:
            raise LawBroken(f"{document_id} of {key.stem} is nowhere (row: {row and row.disposition})")
        self._really(row.disposition, key)
        return row.disposition

    def _really(self, disposition: Disposition, key: ObjectKey) -> None:
        if disposition is Disposition.ARCHIVED and not self.site.copies(key):
            raise LawBroken(f"{key.stem} is said to be archived, and is not")
        letters = (self.site.dead_letters.stat(root + key.pdf) for root in ("", "kept/"))
        if disposition is Disposition.DEAD and not any(letters):
            raise LawBroken(f"{key.stem} is said to be dead, and has no letter")

    def _sidecar(self, key: ObjectKey) -> Sidecar | None:
        found = self.site.queue.get(key.sidecar)
        return Sidecar.parse(found.body, key) if found else None

    def may_delete_pdf(self, key: ObjectKey) -> None:
        """Our copy goes only once the archive, or the dead letters, have it."""
        sidecar = self._sidecar(key)
        if sidecar is None or sidecar.state is not State.FINISHING:
            raise LawBroken(f"the PDF of {key.stem} is deleted though nobody has finished with it")
        kept = any(self.site.dead_letters.stat(root + key.pdf) for root in ("", "kept/"))
        if not self.site.copies(key) and not kept:
            raise LawBroken(f"the last copy of {key.stem} is deleted")


def _holds(sidecar: Sidecar, document_id: UUID) -> bool:
    return sidecar.holds(document_id)
