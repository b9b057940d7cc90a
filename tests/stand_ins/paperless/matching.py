"""Labels that attach themselves: rules on the text, and inbox tags."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from tests.stand_ins.paperless import rights, tag_tree
from tests.stand_ins.paperless.records import Document, Label
from tests.stand_ins.paperless.world import World

NONE, ANY, ALL, LITERAL, REGULAR_EXPRESSION, FUZZY, AUTO = range(7)


def apply(world: World, document: Document) -> None:
    """Only labels that the owner of the document may see are applied; what was sent stays."""
    owner = world.user(document.owner) if document.owner is not None else None

    def matching(kind: str) -> list[Label]:
        seen = (label for label in world.archive.labels[kind].values() if owner is None or rights.sees(owner, label))
        return [label for label in seen if label.is_inbox_tag or matches(label, document.content)]

    for kind in ("correspondent", "document_type"):
        found = matching(kind)
        if getattr(document, kind) is None and found:
            setattr(document, kind, found[0].id)
    tags = [*document.tags, *(label.id for label in matching("tag"))]
    document.tags = tag_tree.with_ancestors(world.archive, tags)


def matches(label: Label, text: str) -> bool:
    rule = label.matching_algorithm
    if rule in (NONE, AUTO) or not label.match.strip():
        return False
    flags = re.IGNORECASE if label.is_insensitive else 0
    if rule == REGULAR_EXPRESSION:
        return _found(label.match, text, flags)
    if rule == LITERAL:
        return _found(rf"\b{re.escape(label.match)}\b", text, flags)
    if rule == FUZZY:
        return _is_like(label.match, text)
    words = (_found(rf"\b{word}\b", text, flags) for word in _words(label.match))
    return all(words) if rule == ALL else any(words)


def _found(pattern: str, text: str, flags: int) -> bool:
    try:
        return re.search(pattern, text, flags) is not None
    except re.error:
        return False


def _words(match: str) -> list[str]:
    """Words, and phrases in quotes, as patterns in which any white space fits a blank."""
    found = re.findall(r'"([^"]+)"|(\S+)', match)
    return [re.sub(r"(\\ )+", r"\\s+", re.escape((phrase or word).strip())) for phrase, word in found]


def _is_like(match: str, text: str) -> bool:
    """Nine letters of ten, in a row somewhere."""
    wanted, content = (re.sub(r"[^\w\s]", "", side).lower() for side in (match, text))
    block = SequenceMatcher(None, content, wanted, autojunk=False).find_longest_match()
    window = content[max(0, block.a - block.b) :][: len(wanted)]
    return SequenceMatcher(None, window, wanted, autojunk=False).ratio() >= 0.9
