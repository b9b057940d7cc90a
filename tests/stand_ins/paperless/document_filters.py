"""The parameters that narrow a list of documents; every other one is ignored without a word."""

from __future__ import annotations

from collections.abc import Iterator

from tests.stand_ins.paperless import custom_query, document_tests, rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.lookups import Parameters
from tests.stand_ins.paperless.records import Document
from tests.stand_ins.paperless.text import LOOKUPS, fold


def find(call: Call) -> list[Document]:
    """What indexes can tell comes first, so that a narrow question costs little however much is stored."""
    parameters = Parameters(call.parameters)
    sets = [*_sets(call, parameters)]
    tests = [*document_tests.tests(call, parameters)]
    parameters.refuse_if_wrong()
    query = parameters.text("custom_field_query")
    if query is not None:
        sets.append(custom_query.find(call.archive, query, is_v3=call.world.is_v3))
    sets.append(call.archive.catalogue.find("state", "live"))
    sets.sort(key=len)
    candidates = (call.archive.documents[number] for number in sets[0].intersection(*sets[1:]))
    return [
        document
        for document in candidates
        if rights.sees(call.user, document) and all(passes(document) for passes in tests)
    ]


def _sets(call: Call, parameters: Parameters) -> Iterator[set[int]]:
    found = call.archive.catalogue.find
    for number in parameters.loose_ids("tags__id__all") or ():
        yield found("tag", number)
    for number in parameters.loose_ids("custom_fields__id__all") or ():
        yield found("field", number)
    for key, name in (("tag", "tags__id__in"), ("field", "custom_fields__id__in")):
        either = parameters.loose_ids(name)
        if either is not None:
            yield set[int]().union(*(found(key, number) for number in either))
    for key, name in (("tag", "tags"), ("correspondent", "correspondent"), ("document_type", "document_type")):
        yield from _by_label(call, parameters, key, name)
    one, several = parameters.number("id"), parameters.numbers("id__in")
    if one is not None:
        yield {one}
    if several is not None:
        yield several
    checksum = parameters.text("checksum__iexact")
    if checksum is not None:
        yield found("checksum", fold(checksum))


def _by_label(call: Call, parameters: Parameters, key: str, name: str) -> Iterator[set[int]]:
    found = call.archive.catalogue.find
    number = parameters.number(f"{name}__id")
    if number is not None:
        yield found(key, number)
    several = parameters.numbers(f"{name}__id__in") if key != "tag" else None
    if several is not None:
        yield set[int]().union(*(found(key, number) for number in several))
    for lookup, matches in LOOKUPS.items():
        wanted = parameters.text(f"{name}__name__{lookup}")
        if wanted is not None:
            labels = (label.id for label in call.archive.labels[key].values() if matches(label.name, wanted))
            yield set[int]().union(*(found(key, number) for number in labels))
