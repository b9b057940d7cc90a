"""Sites with dead letters to try an operator's acts on."""

from __future__ import annotations

from datetime import timedelta

from shared.domain.redrive import RedriveItem, RedriveRequest
from shared.domain.sidecar import Lease, Sidecar
from shared.services.letters import LetterParts
from shared.services.redrive import redrive
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.flows.meddling import refuse
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")
TWIN = Letter("Firma AS", "invoice 2", "An invoice")
"""Another document of the same bytes."""
JSON = "application/json"


def buried(*letters: Letter, mended: bool = True) -> Site:
    """A site whose letters were refused until they died; what was wrong is mended unless told otherwise."""
    site = Site()
    for letter in letters or (LETTER,):
        refuse(site, letter, "error", status=413)
        site.send(letter)
    site.drain_until_quiet()
    if mended:
        site.paperless.clear_faults()
    return site


def lying(site: Site, letter: Letter = LETTER, root: str = "") -> Sidecar:
    found = site.dead_letters.get(root + letter.key.sidecar)
    assert found is not None, "no letter lies there"
    return Sidecar.parse(found.body, letter.key)


def lay(site: Site, sidecar: Sidecar, root: str = "", pdf: bytes | None = None) -> None:
    """Put a letter there as if somebody had left it so."""
    site.dead_letters.put(root + sidecar.key.sidecar, sidecar.to_json(), JSON)
    if pdf is not None:
        site.dead_letters.put(root + sidecar.key.pdf, pdf, "application/pdf")


def lease(site: Site, minutes: float = 4) -> Lease:
    return Lease(owner="somebody else", nonce="theirs", until=site.clock.now() + timedelta(minutes=minutes))


def pressed(
    site: Site, *letters: Letter, actor: str = "an operator", parts: LetterParts | None = None
) -> list[RedriveItem]:
    ids = tuple(letter.key.job_id for letter in letters or (LETTER,))
    return list(redrive(parts or site.letter_parts(), RedriveRequest(ids=ids, actor=actor)).items)


def bucket(site: Site, prefix: str = "") -> list[str]:
    return [info.key for info in site.dead_letters.list(prefix) if not info.key.startswith("control/")]


def events(site: Site) -> list[tuple[str, str]]:
    assert isinstance(site.ledger, MemoryOperatorLedger)
    return [(event.action, event.actor) for event in site.ledger.events if not event.action.startswith("archive.")]
