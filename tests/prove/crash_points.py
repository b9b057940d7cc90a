"""Kill the process before and after every single effect, start again, and find everything as it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.errors import NotFound
from shared.domain.keys import DocumentType
from shared.domain.redrive import DiscardRequest, RedriveRequest
from shared.domain.sidecar import Priority
from shared.services.discard import discard
from shared.services.redrive import redrive
from tests.prove.checks import receipts_hold
from tests.prove.effects import Effects, Killed, Side
from tests.prove.report import Proof
from tests.prove.site import Letter, Site
from tests.stand_ins.paperless.faults import Fault
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion


@dataclass(frozen=True, slots=True)
class Scenario:
    """Documents on their way, what is wrong with the world, and where they must end."""

    name: str
    letters: tuple[Letter, ...]
    ending: Disposition = Disposition.ARCHIVED
    prepare: Callable[[Site], None] = lambda _: None
    acts: tuple[Callable[[Site], object], ...] = ()
    """What is done, step by step; the application sends the letters if nothing else is said."""


def poison(site: Site) -> None:
    """One document that Paperless will never take, among others that it takes."""
    names = tuple(
        f"{POISONED.organization_id.hex}-{POISONED.document_type}-{POISONED.key.sha256}-{n}.pdf" for n in range(1, 9)
    )
    for name in names:
        site.paperless.add_fault(Fault("error", status=413, file_name=name))


def buried(site: Site) -> None:
    """Two documents of the same bytes are dead letters, and what killed them is mended."""
    poison(site)
    for letter in (POISONED, ITS_TWIN):
        site.send(letter)
    site.drain_until_quiet()
    site.paperless.clear_faults()


def send_back(site: Site) -> None:
    request = RedriveRequest(all=True, actor="an operator")
    redrive(site.letter_parts(), request)


def throw_away(site: Site) -> None:
    # Whoever asks again after the last delete hears that there is nothing.
    with suppress(NotFound):
        discard(site.letter_parts(), POISONED.key.job_id, DiscardRequest(reason="a test page", actor="an operator"))


POISONED = Letter("Firma AS", "poisoned", "Something Paperless refuses")
ITS_TWIN = Letter("Firma AS", "poisoned too", "Something Paperless refuses")

SCENARIOS = (
    Scenario("one document", (Letter("Firma AS", "invoice 1", "An invoice"),)),
    Scenario(
        "equal bytes of two documents, an urgent one, and another organisation",
        (
            Letter("Firma AS", "invoice 1", "An invoice"),
            Letter("Firma AS", "invoice 2", "An invoice"),
            Letter("Firma AS", "contract", "A contract", DocumentType.CONTRACT, Priority.HIGH),
            Letter("Other AS", "plan", "A plan", DocumentType.CARE_PLAN),
        ),
    ),
    Scenario("a document that is refused three times", (POISONED,), Disposition.DEAD, poison),
    Scenario("a dead letter of two documents, sent back", (POISONED, ITS_TWIN), prepare=buried, acts=(send_back,)),
    Scenario(
        "a dead letter sent back twice, while the application sends one of its documents again",
        (POISONED, ITS_TWIN),
        prepare=buried,
        acts=(lambda site: site.send(ITS_TWIN), send_back, send_back),
    ),
    Scenario(
        "a dead letter thrown away", (POISONED, ITS_TWIN), Disposition.DISCARDED, prepare=buried, acts=(throw_away,)
    ),
)


def run(proof: Proof, *, stride: int = 1, versions: tuple[ServerVersion, ...] = VERSIONS) -> None:
    """Every point of every scenario on both versions; `stride` takes every n-th for a short run."""
    for version in versions:
        for scenario in SCENARIOS:
            _try_scenario(proof, version, scenario, stride)


def _try_scenario(proof: Proof, version: ServerVersion, scenario: Scenario, stride: int) -> None:
    calm = Effects()
    _live(Site(version=version), scenario, calm)
    points = list(_points(len(calm.names)))
    proof.count("effects", len(calm.names))
    tried = points[::stride]
    for point, side in tried:
        _try_point(proof, version, scenario, point, side)
    proof.count("points", len(tried))
    proof.check(stride > 1 or len(tried) == 2 * len(calm.names), f"{scenario.name}: points are not twice the effects")
    proof.say(f"{version}: {scenario.name}: {len(calm.names)} effects, {len(tried)} points")


def _points(effects: int) -> Iterator[tuple[int, Side]]:
    for point in range(1, effects + 1):
        yield point, Side.BEFORE
        yield point, Side.AFTER


def _try_point(proof: Proof, version: ServerVersion, scenario: Scenario, point: int, side: Side) -> None:
    site, effects = Site(version=version), Effects(point, side)
    _live(site, scenario, effects)
    site.drain_until_quiet(runs=16)
    where = f"{version}: {scenario.name}: killed {side} {effects.names[point - 1]} (effect {point})"
    _check(proof, site, scenario, where)
    proof.count("recovered")


def _live(site: Site, scenario: Scenario, effects: Effects) -> None:
    """The application sends, and sends again what was not answered; drains run; any of it may be killed once."""
    scenario.prepare(site)
    ledger = site.ledger
    plain = (site.queue, site.dead_letters, site.archive, site.audit, ledger)
    site.queue = effects.numbered("store", site.queue)
    site.dead_letters = effects.numbered("store", site.dead_letters)
    site.archive = effects.numbered("archive", site.archive)
    site.ledger = effects.numbered("ledger", ledger)
    site.audit = effects.numbered("audit", type(site.audit)(site.ledger, site.signer, site.clock))  # type: ignore[call-arg]
    sendings = tuple(partial(_send, letter) for letter in scenario.letters)
    for act in scenario.acts or sendings:
        _survive(site, plain, partial(act, site))
    for _ in range(4):
        _survive(site, plain, site.drain)
        site.wait()
    _restore(site, plain)


def _send(letter: Letter, site: Site) -> None:
    site.send(letter)


def _survive(site: Site, plain: tuple[object, ...], work: Callable[[], object]) -> None:
    try:
        work()
    except Killed:
        # The process is gone; whoever started it starts another, in which nothing is numbered any more.
        _restore(site, plain)
        site.wait()
        work()


def _restore(site: Site, plain: tuple[object, ...]) -> None:
    site.queue, site.dead_letters, site.archive, site.audit, site.ledger = plain  # type: ignore[assignment]


def _check(proof: Proof, site: Site, scenario: Scenario, where: str) -> None:
    proof.check(not [info.key for info in site.queue.list("")], f"{where}: something is left in the queue")
    for letter in scenario.letters:
        rows = {row.document_id: row for row in site.ledger.job(letter.key)}
        row = rows.get(letter.document_id)
        if not proof.check(row is not None and row.disposition is scenario.ending, f"{where}: {letter.document} {row}"):
            continue
        copies = site.copies(letter.key)
        if scenario.ending is Disposition.ARCHIVED:
            proof.check(len(copies) == 1, f"{where}: {len(copies)} copies of {letter.document}")
            proof.check(row is not None and row.status is ArchiveStatus.ARCHIVED, f"{where}: status")
            proof.check(receipts_hold(site, letter.key), f"{where}: receipt of {letter.document}")
        else:
            proof.check(not copies, f"{where}: a dead letter is in the archive too")
        _check_letter(proof, site, letter, scenario.ending, where)


def _check_letter(proof: Proof, site: Site, letter: Letter, ending: Disposition, where: str) -> None:
    parts = [site.dead_letters.stat(name) is not None for name in (letter.key.pdf, letter.key.sidecar)]
    expected = ending is Disposition.DEAD
    proof.check(parts == [expected, expected], f"{where}: among the dead letters lie {parts} of PDF and sidecar")
