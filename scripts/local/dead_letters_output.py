"""How scripts/dead_letters shows what dlq-alert answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scripts.local.dead_letters_client import Json
from scripts.local.tables import table

HEADING = ("LETTER", "AGE", "ORGANISATION", "TYPE", "REASON", "SENT BACK", "WHAT IT MEANS")
SHORT = 12
SHAPES = {"pdf_only": "without a sidecar", "sidecar_only": "without a PDF"}


def age(seconds: float | None) -> str:
    """The two largest units: 3d 4h, 2h 5m, 40s."""
    if seconds is None:
        return "-"
    parts: list[str] = []
    left = int(seconds)
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        if left >= size or (unit == "s" and not parts):
            parts.append(f"{left // size}{unit}")
            left %= size
    return " ".join(parts[:2])


def letters(found: Sequence[Json], columns: int | None) -> list[str]:
    return table(HEADING, [_row(letter) for letter in found], columns) if found else ["No dead letters."]


def standing(page: Json) -> list[str]:
    """How many there are, how old the oldest is, and what is paused."""
    summary = page["summary"]
    depth = "unknown" if summary["depth"] is None else str(summary["depth"])
    seen = f", seen {summary['watchedAt']}" if summary["watchedAt"] else ", not watched yet"
    return [f"{depth} in all, the oldest {age(summary['oldestAgeSeconds'])} old{seen}", *pauses(page["pauses"])]


def pauses(found: Iterable[Json]) -> list[str]:
    return [
        f"PAUSED for {pause['organizationId'] or 'everybody'} since {pause['since']} ({age(pause['ageSeconds'])})"
        f" by {pause['actor'] or 'nobody named'}: {pause['reason'] or 'no reason given'}"
        for pause in found
    ]


def letter(found: Json) -> list[str]:
    facts = table(("", ""), [(name, value) for name, value in _facts(found) if value], None)[1:]
    moves = [f"  {number}. {move}" for number, move in enumerate(found["moves"], start=1)]
    return [*facts, "", found["meaning"], *moves, *_history(found), *_documents(found), *_download(found)]


def run(report: Json) -> list[str]:
    done = ", ".join(f"{report[name]} {name}" for name in ("archived", "dead", "retry", "waiting") if report.get(name))
    detail = f": {report['detail']}" if report.get("detail") else ""
    return [f"{done or 'nothing to deliver'}; it ended with {report['stoppedBecause']}{detail}"]


def _row(letter: Json) -> tuple[str, ...]:
    meaning = letter["meaning"] or letter["lastError"] or ""
    shape = SHAPES.get(letter["shape"] or "", "")
    return (
        letter["sha256"][:SHORT],
        age(letter["ageSeconds"]),
        letter["organizationId"],
        letter["documentType"],
        letter["reason"] or "-",
        str(letter["redrives"] or "-"),
        ": ".join(filter(None, (shape, meaning))),
    )


def _facts(found: Json) -> list[tuple[str, str]]:
    stored = found["letter"] or {}
    return [
        ("id", found["id"]),
        ("object", f"{'kept/' if stored.get('kept') else ''}{found['objectKey']}"),
        ("standing", found["standing"] + (", being moved" if stored.get("beingMoved") else "")),
        ("reason", found["reason"] or ""),
        ("said", found["lastError"] or ""),
        ("problem", stored.get("problem") or ("" if stored.get("hasPdf", True) else "its PDF is missing")),
        ("dead for", age(stored["ageSeconds"]) if stored else ""),
        ("expires", stored.get("expiresAt") or ""),
        ("charged", "" if found["retryCount"] is None else f"{found['retryCount']} times"),
        ("size", "" if found["size"] is None else f"{found['size']} bytes"),
        ("twin", f"Paperless document {found['twin']['paperlessDocumentId']}" if found["twin"] else ""),
        ("holds", ", ".join(found["holds"] or ())),
        ("source copy", {True: "confirmed", False: "not confirmed"}.get(found["sourceConfirmed"], "not known")),
    ]


def _history(found: Json) -> list[str]:
    errors = [
        (error["at"], "charged" if error["charged"] else "", f"{error['kind']}: {error['message']}")
        for error in found["errors"]
    ]
    sent_back = [(redrive["at"], "", f"sent back by {redrive['actor']}") for redrive in found["redrives"]]
    return _section("History", sorted(errors + sent_back))


def _documents(found: Json) -> list[str]:
    rows = [
        (each["bilkoDocumentId"], each["invoiceNumber"] or each["contractId"] or "", each["disposition"] or "")
        for each in found["documents"]
    ]
    return _section("Documents of these bytes", rows)


def _download(found: Json) -> list[str]:
    link = found["download"]
    return ["", f"Download until {link['expiresAt']}:", link["url"]] if link else []


def _section(title: str, rows: Sequence[tuple[str, str, str]]) -> list[str]:
    lines = table(("", "", ""), rows, None)[1:] if rows else []
    return ["", title, *(f"  {line}" for line in lines)] if lines else []
