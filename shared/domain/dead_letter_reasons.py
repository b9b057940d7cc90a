"""Why a document is among the dead letters, in plain words, and what to try."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """What happened, and the first moves."""

    words: str
    moves: tuple[str, ...]


NOT_ACCEPTED = Meaning(
    "Paperless took the file three times and could not make a document of it.",
    (
        "Download the PDF and open it: is it damaged, protected by a password, or not a PDF at all?",
        "Read what Paperless said in the errors; if a setting of Paperless was at fault, mend that and redrive.",
        "If the file itself is at fault, have the application send a good one, then discard this letter.",
    ),
)
UNKNOWN = Meaning(
    "This version does not know the reason by that name.",
    (
        "Read the errors of the letter from the last upwards.",
        "See whether a newer version is deployed that knows this reason.",
        "Redrive it: what cannot be delivered comes back here, with its history.",
    ),
)
MEANINGS: dict[str, Meaning] = {
    "not_accepted": NOT_ACCEPTED,
    "refused": Meaning(
        "Paperless refused the upload of this document three times while it took others.",
        (
            "Read the refusal in the errors: 413 is a limit on size, 415 a kind of file, 403 a rule at the edge.",
            "Raise the limit or mend the rule it names, then redrive.",
            "If the file itself is at fault, have the application send a good one, then discard this letter.",
        ),
    ),
    "refused_twin": Meaning(
        "Paperless refuses bytes that another organisation, another type or its trash has; `twin` names that document.",
        (
            "Look at the twin in Paperless. Tell no tenant of it: to them this document was only not accepted.",
            "If the twin lies in the trash, empty it; or allow duplicates in Paperless (3.x does by default).",
            "Then redrive. The letter is kept and does not expire.",
        ),
    ),
    "bytes_changed": Meaning(
        "The PDF in the bucket is not the one that was handed in: its SHA-256 is another.",
        (
            "Find out who can write to the bucket beside archive-write; this should never happen.",
            "Have the application send the document again.",
            "Discard this letter once the new one is archived; redriving refuses the changed bytes.",
        ),
    ),
    "pdf_missing": Meaning(
        "The document was accepted, but its PDF lies neither in the queue, nor here, nor in the archive.",
        (
            "Look for a deletion in the bucket's own log, or a lifecycle rule on the queue that should not be there.",
            "Have the application send the document again.",
            "Discard this letter once the new one is archived.",
        ),
    ),
    "orphan_pdf": Meaning(
        "A PDF lay in the queue without a sidecar, so nobody knows which document it is.",
        (
            "Most often its sender crashed or gave up in the middle and has sent it again: search by its SHA-256.",
            "If the archive lacks these bytes, download the PDF and have the application send it again.",
            "Discard this letter; it cannot be redriven, for there is no document to report on.",
        ),
    ),
    "worker_crashed": Meaning(
        "Five runs of the drain in a row did not live to see the end of this document's upload.",
        (
            "Look at the drain's log at the times of the errors: memory or time may have run out.",
            "Compare the size of the PDF with the drain's memory, and raise that if need be.",
            "Redrive it: it is tried alone at the end of a run if it fails again.",
        ),
    ),
    "sidecar_broken": Meaning(
        "The sidecar beside the PDF is not one we wrote, or was damaged: nobody can say whose document it is.",
        (
            "Look at `raw` and at `problem`: what is wrong with it, and who wrote it?",
            "Have the application send the document again.",
            "Mend or remove the two objects by hand; nothing here deletes what it cannot read.",
        ),
    ),
    "sidecar_newer": Meaning(
        "A newer version of this software wrote the sidecar; this one does not understand it.",
        (
            "See which version is deployed, and whether it was rolled back.",
            "Deploy the newer version again.",
            "Then redrive; nothing here deletes what it cannot read.",
        ),
    ),
    "sidecar_mismatch": Meaning(
        "The sidecar describes another document than the key it lies under.",
        (
            "Somebody copied or renamed objects by hand: compare `raw` with the key.",
            "Put it back under its own key, or have the application send the document again.",
            "Mend or remove the two objects by hand; nothing here deletes what it cannot read.",
        ),
    ),
}


def meaning_of(reason: str | None) -> Meaning:
    return MEANINGS.get(reason or "", UNKNOWN)


def twin_of(message: str | None) -> int | None:
    """The document that Paperless named when it refused a duplicate; for operators only."""
    found = _TWIN.search(message or "")
    return int(found[1]) if found else None


_TWIN = re.compile(r"duplicate of .*#(\d+)")
