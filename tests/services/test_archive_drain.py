"""A run as a whole: it always ends with a report, and a second one changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.drain import Ending, Stop
from shared.domain.sidecar import Priority
from tests.flows.meddling import POST, Garbage, break_paperless, failing, letters, send_all
from tests.prove.site import Letter, Site
from tests.stand_ins.paperless.options import VERSIONS

some_letters = st.lists(
    st.builds(
        Letter,
        st.sampled_from(["Firma AS", "Other AS"]),
        st.sampled_from(["one", "two", "three"]),
        st.sampled_from(["text a", "text b"]),
        priority=st.sampled_from(Priority),
    )
    | st.builds(Garbage, st.just("Third AS"), st.sampled_from(["four", "five"]), st.just("text c")),
    max_size=6,
)
trouble = st.sampled_from(["nothing", "broken sidecar", "tombstone", "lost answer", "orphan"])


def snapshot(site: Site) -> list[object]:
    """Everything there is to see from outside."""
    stores = [
        [(info.key, info.version) for info in store.list("") if info.key.startswith(("org/", "kept/", "priority/"))]
        for store in (site.queue, site.dead_letters)
    ]
    documents = site.paperless.world.archive.documents.values()
    rows = sorted(str(row) for letter in ALL for row in site.ledger.job(letter.key))
    return [*stores, [(document.id, document.tags) for document in documents], rows]


ALL = [Letter(name, "", text) for name in ("Firma AS", "Other AS") for text in ("text a", "text b")]
ALL.append(Garbage("Third AS", "", "text c"))


@settings(max_examples=25, deadline=None)
@given(some_letters, trouble, st.sampled_from(VERSIONS))
def test_once_everything_is_done_a_further_run_changes_nothing(some: list[Letter], what: str, version: Any) -> None:
    site = Site(version=version)
    send_all(site, some)
    TROUBLE[what](site)
    for _ in range(16):
        site.drain()
        site.wait()
    settled = snapshot(site)

    site.drain()

    assert snapshot(site) == settled


@pytest.mark.parametrize(
    ("port", "calls"),
    [
        ("queue", ("list",)),
        ("queue", ("folders",)),
        ("queue", ("get",)),
        ("queue", ("replace",)),
        ("queue", ("delete",)),
        ("dead_letters", ("copy", "create")),
        ("archive", ("acknowledge",)),
        ("audit", ("labels", "save_labels", "record")),
    ],
)
def test_whatever_fails_a_run_ends_with_a_report(port: str, calls: tuple[str, ...]) -> None:
    site = Site()
    send_all(site, [*letters(2), Garbage("Firma AS", "invoice 1", "Nothing that opens")])
    setattr(site, port, failing(getattr(site, port), *calls))

    for _ in range(4):
        report = site.drain()
        site.wait()

    assert report.as_json()["runId"]


def test_the_report_counts_what_was_there_and_what_became_of_it() -> None:
    site = Site()
    send_all(site, letters(3))

    report = site.drain()

    assert (report.depth, report.endings[Ending.ARCHIVED], report.stop) == (3, 3, Stop.EMPTY)


def test_the_conversation_with_paperless_per_document_is_short() -> None:
    site = Site()
    send_all(site, [Letter("Firma AS", f"invoice {n}", f"invoice {n}") for n in range(20)])

    site.drain()

    asked = sum(site.paperless.state()["requests"].values())
    assert asked <= 20 * 5 + 30


def test_final_tasks_are_acknowledged_where_the_rights_allow() -> None:
    site = Site()
    acknowledged = list[list[int]]()
    site.archive = _acknowledging(site.archive, acknowledged)
    send_all(site, letters(2))

    site.drain()

    assert sorted(acknowledged[0]) == sorted(site.paperless.world.archive.tasks)


def _acknowledging(archive: Any, into: list[list[int]]) -> Any:
    class Willing:
        def __getattr__(self, name: str) -> Any:
            return (lambda rows: into.append(list(rows))) if name == "acknowledge" else getattr(archive, name)

    return Willing()


def _break_sidecar(site: Site) -> None:
    for info in list(site.queue.list("org/")):
        if info.key.endswith(".meta.json"):
            site.queue.put(info.key, b"{}", "application/json")
            return


def _bury(site: Site) -> None:
    site.queue.put(ALL[0].key.tombstones[0], b"", "text/plain")


def _orphan(site: Site) -> None:
    site.queue.put(ALL[3].key.pdf, ALL[3].content, "application/pdf")


TROUBLE: dict[str, Callable[[Site], object]] = {
    "nothing": lambda _: None,
    "broken sidecar": _break_sidecar,
    "tombstone": _bury,
    "lost answer": lambda site: break_paperless(site, "lost_answer", path=POST),
    "orphan": _orphan,
}
