"""Sends dead letters back or gives them up, a page at a time, and tells what became of each."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scripts.local.console_output import progress
from scripts.local.dead_letters_arguments import filters
from scripts.local.dead_letters_client import PAGE, DeadLetters, Json, Refused
from scripts.local.questions import agreed
from scripts.local.tables import table
from shared.domain.keys import ObjectKey

GOOD = {"redriven", "already_queued", "discarded"}
Selection = dict[str, object]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of each letter; nothing at all if the person said no."""

    items: Sequence[Json]
    refused: bool = False

    @property
    def counts(self) -> Counter[str]:
        return Counter(item["outcome"] for item in self.items)

    @property
    def good(self) -> bool:
        return not self.refused and set(self.counts) <= GOOD

    def as_json(self) -> Json:
        return {"items": list(self.items), "counts": dict(self.counts)}

    def lines(self, columns: int | None) -> list[str]:
        """The sum, then each that did not go as asked."""
        told = [", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in self.counts.items()) or "none"]
        rest = [(_short(item["id"]), item["outcome"], item["detail"]) for item in self.items if _notable(item)]
        return told + (table(("LETTER", "OUTCOME", "DETAIL"), rest, columns) if rest else [])


def redrive(dead_letters: DeadLetters, options: argparse.Namespace) -> Done:
    selections, total = _selected(dead_letters, options)
    many = total > 1 or not options.letters
    if many and not agreed(f"Send {total} letters back to the queue?", yes=options.yes):
        return Done((), refused=True)
    items: list[Json] = []
    for answer in _redriven(dead_letters, selections, options.actor):
        items += answer["items"]
        if total > PAGE:
            progress("sent back", min(len(items), total - 1), total)
    if total > PAGE:
        progress("sent back", len(items), len(items))
    return Done(items)


def discard(dead_letters: DeadLetters, options: argparse.Namespace) -> Done:
    ids = [dead_letters.find(name) for name in options.letters]
    question = f"Give up {len(ids)} letters for good?"
    if len(ids) > 1 and not agreed(question, yes=options.yes):
        return Done((), refused=True)
    return Done([_discarded(dead_letters, letter_id, options) for letter_id in ids])


def _selected(dead_letters: DeadLetters, options: argparse.Namespace) -> tuple[list[Selection], int]:
    """What to ask for, and how many letters that is about: letters may come and go meanwhile."""
    given = filters(options)
    if sum(map(bool, (options.letters, given, options.all))) != 1:
        raise Refused("name letters, or give filters, or say --all: one of the three")
    if options.letters:
        ids = list(dict.fromkeys(dead_letters.find(name) for name in options.letters))
        return [{"ids": ids[start : start + PAGE]} for start in range(0, len(ids), PAGE)], len(ids)
    total = sum(len(page["letters"]) + len(page["strays"]) for page in dead_letters.pages(given))
    age = {"minAgeHours": options.older_than} if options.older_than is not None else {}
    return [{"all": True} if options.all else {"filter": given | age}], total


def _redriven(dead_letters: DeadLetters, selections: Sequence[Selection], actor: str) -> Iterator[Json]:
    for selection in selections:
        cursor = None
        while True:
            answer = dead_letters.redrive(selection, actor, cursor)
            yield answer
            if not answer["more"]:
                break
            cursor = answer["cursor"]


def _discarded(dead_letters: DeadLetters, letter_id: str, options: argparse.Namespace) -> Json:
    """One that is refused does not spare the others."""
    try:
        return {"detail": "", **dead_letters.discard(letter_id, options.reason, options.actor)}
    except Refused as refused:
        return {"id": letter_id, "outcome": "failed", "detail": str(refused)}


def _notable(item: Json) -> bool:
    return item["outcome"] not in GOOD


def _short(letter_id: str) -> str:
    key = ObjectKey.from_job_id(letter_id)
    return key.sha256[:12] if key else letter_id
