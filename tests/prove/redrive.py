"""Ten thousand letters sent back by two people at once, one of them killed, while the application sends again."""

from __future__ import annotations

import hashlib
import io
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.drain import DrainOptions
from shared.domain.errors import ArchivoltError
from shared.domain.keys import ObjectKey
from shared.domain.pauses import PauseRequest
from shared.domain.redrive import RedriveRequest, Sending
from shared.domain.sidecar import Document, Failure, Sidecar, State, Verdict
from shared.services.archive_drain import drain
from shared.services.archive_write import WriteParts, archive
from shared.services.drain_run import DrainParts
from shared.services.letters import LetterParts
from shared.services.pauses import pause
from shared.services.redrive import redrive
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.prove.checks import receipts_hold
from tests.prove.hub import Hub, HubClock, HubWorkers, Process
from tests.prove.report import Proof
from tests.prove.site import Letter, Site
from tests.prove.weather import Weather, Weathered
from tests.stand_ins.paperless.faults import Fault

ORGANIZATIONS = 20
PER_SECOND = 10.0
PRESSES_AT_MOST = 60
DRAINS_AFTERWARDS = 40
NIGHT_SHIFTS = 20
STILL_REFUSED = 10
HISTORY = ["413 too large", "413 still too large", "413 too large again"]


class Swift(Weather):
    """Parts that answer at once, so that the pace is what holds people up."""

    def latency(self) -> float:
        return self.random.choice((0.001, 0.002, 0.004))


@dataclass(frozen=True, slots=True)
class Case:
    """One letter, whose bytes are made once."""

    letter: Letter
    key: ObjectKey
    content: bytes
    delivered: bool


@dataclass(slots=True)
class Pressing:
    """What the people were answered."""

    outcomes: Counter[Sending] = field(default_factory=Counter)
    kills: int = 0
    fastest: float = 0.0


def run(proof: Proof, *, letters: int = 10_000, delivered: int = 500, seed: int = 1) -> None:
    trial = _Trial(proof, random.Random(seed), letters, delivered)
    trial.bury()
    proof.say(f"{letters} letters of {ORGANIZATIONS} organisations lie among the dead letters")
    trial.press()
    trial.check()


class _Trial:
    def __init__(self, proof: Proof, chance: random.Random, letters: int, delivered: int) -> None:
        self.proof = proof
        self.random = chance
        self.hub = Hub(chance)
        self.site = Site(clock=HubClock(self.hub), writes_per_second=1)
        self.weather = Swift(chance, failure=0.0005)
        self.cases = [_case(number, delivered=number < delivered) for number in range(letters)]
        self.extra: dict[ObjectKey, UUID] = {}
        self.pressing = Pressing()

    def bury(self) -> None:
        """As three refused attempts have left them."""
        now = self.site.clock.now()
        for case in self.cases:
            self.site.dead_letters.put(case.key.pdf, case.content, "application/pdf")
            self.site.dead_letters.put(case.key.sidecar, _dead(case, now).to_json(), "application/json")
            told = (ReportedDocument(case.letter.document_id, now),)
            self.site.ledger.record(
                ArchiveReport(case.key, case.letter.organization, Disposition.DEAD, told, reason="refused"),
                now,
                self.site.signer.sign,
            )

    def _still_refused(self) -> None:
        """Some die twice more before what is wrong with them is mended."""
        for case in self.cases[:STILL_REFUSED]:
            stem = f"{case.key.organization_id.hex}-{case.key.document_type}-{case.key.sha256}"
            for attempt in range(1, 7):
                self.site.paperless.add_fault(Fault("error", status=413, file_name=f"{stem}-{attempt}.pdf"))

    def press(self) -> None:
        self._still_refused()
        for organization in {case.key.organization_id for case in self.cases if not case.delivered}:
            reason = PauseRequest(organization_id=organization, reason="only a part is delivered", actor="an operator")
            pause(self.site.letter_parts(), reason)
        takes = len(self.cases) / PER_SECOND
        self.hub.spawn(lambda: self._person("one", dies_after=takes / 4))
        self.hub.spawn(lambda: self._person("two"), 0.4)
        self.hub.spawn(lambda: self._person("one, back again"), takes / 2)
        for case in self.random.sample(self.cases, len(self.cases) // 25):
            self.hub.spawn(partial(self._application, case), self.random.uniform(0, takes))
        for number in range(int(takes / 300) + DRAINS_AFTERWARDS):
            self.hub.spawn(self._drain, 60 + 300 * number)
        for number in range(NIGHT_SHIFTS):
            # Just while a drain buries once more what is still refused.
            self.hub.spawn(partial(self._person, f"night shift {number}"), takes + 300 * number + 60.1)
        self.hub.run()

    def _person(self, name: str, dies_after: float | None = None) -> None:
        """Presses until nothing is left to press for; an answer that was lost is asked for again."""
        process = Process(self.hub, name)
        if dies_after is not None:
            self.hub.spawn(lambda: self._kill(process), dies_after)
        parts = self._parts(process)
        cursor: str | None = None
        for _ in range(PRESSES_AT_MOST):
            began = self.hub.now
            request = RedriveRequest(all=True, actor=name, limit=500, cursor=cursor)
            try:
                answer = redrive(parts, request, PER_SECOND)
            except ArchivoltError:
                continue
            self._count(answer.counts, len(answer.items), (self.hub.now - began).total_seconds())
            cursor = answer.cursor
            if not answer.more and not answer.counts[Sending.FAILED]:
                return
            if not answer.more:
                self.hub.pause(600)

    def _count(self, counts: dict[Sending, int], items: int, seconds: float) -> None:
        self.pressing.outcomes.update(counts)
        if items > 1:
            self.pressing.fastest = max(self.pressing.fastest, (items - 1) / seconds)

    def _kill(self, process: Process) -> None:
        process.dead = True
        self.pressing.kills += 1

    def _application(self, case: Case) -> None:
        """Sends the same document again, or another document of the same bytes."""
        letter = case.letter
        if self.random.random() < 0.3:
            letter = Letter(letter.organization, f"{letter.document} again", letter.text)
            self.extra[case.key] = letter.document_id
        process = Process(self.hub, "application")
        parts = WriteParts(
            self._weathered(self.site.queue, process),
            self._weathered(self.site.ledger, process),
            self.site.clock,
            self.site.nonce,
        )
        for _ in range(20):
            try:
                archive(parts, letter.submission, io.BytesIO(case.content), trace_id=None)
            except ArchivoltError:
                self.hub.pause(30)
            else:
                return

    def _drain(self) -> None:
        process = Process(self.hub, "drain")
        parts = self._parts(process)
        drain(
            DrainParts(
                queue=parts.queue,
                dead_letters=parts.dead_letters,
                archive=self.site.archive,
                audit=parts.audit,
                clock=self.site.clock,
                workers=HubWorkers(process),
                nonce=self.site.nonce,
            ),
            DrainOptions(depth_limit=50),
        )

    def _parts(self, process: Process) -> LetterParts:
        return LetterParts(
            self._weathered(self.site.queue, process),
            self._weathered(self.site.dead_letters, process),
            self._weathered(self.site.audit, process),
            self.site.clock,
            self.site.nonce,
        )

    def _weathered(self, port: Any, process: Process) -> Any:
        return Weathered(port, process, self.weather)

    def check(self) -> None:
        proof, site, pressing = self.proof, self.site, self.pressing
        left = [info.key for info in site.dead_letters.list("") if not info.key.startswith("control/")]
        proof.check(not left, f"{len(left)} objects are left among the dead letters: {left[:3]}")
        for case in self.cases:
            self._check_case(case)
        proof.check(pressing.kills == 1, f"{pressing.kills} processes were killed instead of one")
        proof.check(pressing.fastest <= 1.05 * PER_SECOND, f"{pressing.fastest:.1f} letters a second is no pace")
        asked = {event.subject for event in self._ledger.events if event.action == "dead_letter.redrive"}
        unasked = [case.key.stem for case in self.cases if case.key.job_id not in asked]
        proof.check(not unasked, f"moved without a record of who asked for it: {unasked[:3]}")
        for outcome in Sending:
            proof.count(outcome.value, pressing.outcomes[outcome])
        for what, times in self.weather.counts.items():
            proof.count(f"{what} of parts", times)
        proof.count("letters", len(self.cases))
        proof.count("sent again by the application meanwhile", len(self.cases) // 25)
        proof.count("processes killed", pressing.kills)
        proof.figures["letters per second and person, at most"] = round(pressing.fastest, 2)

    @property
    def _ledger(self) -> MemoryOperatorLedger:
        assert isinstance(self.site.ledger, MemoryOperatorLedger)
        return self.site.ledger

    def _check_case(self, case: Case) -> None:
        wanted = {case.letter.document_id, *filter(None, [self.extra.get(case.key)])}
        rows = {each: self._ledger.rows.get((case.key, each)) for each in wanted}
        expected = Disposition.ARCHIVED if case.delivered else Disposition.QUEUED
        standing = {row.disposition if row else None for row in rows.values()}
        self.proof.check(standing == {expected}, f"{case.letter.document}: rows say {standing}")
        if case.delivered:
            self._check_delivered(case)
        else:
            self._check_queued(case, wanted)

    def _check_delivered(self, case: Case) -> None:
        copies = self.site.copies(case.key)
        self.proof.check(len(copies) == 1, f"{case.letter.document}: {len(copies)} copies in the archive")
        self.proof.check(receipts_hold(self.site, case.key), f"{case.letter.document}: its receipt does not hold")
        self.proof.check(not self.site.queue.stat(case.key.sidecar), f"{case.letter.document}: still queued")
        self.proof.count("delivered to the end")

    def _check_queued(self, case: Case, wanted: set[UUID]) -> None:
        found, pdf = self.site.queue.get(case.key.sidecar), self.site.queue.get(case.key.pdf)
        where = case.letter.document
        if not self.proof.check(found and pdf and pdf.body == case.content, f"{where}: lost"):
            return
        assert found is not None
        sidecar = Sidecar.parse(found.body, case.key)
        ids = [each.bilko_document_id for each in sidecar.documents]
        self.proof.check(set(ids) == wanted and len(ids) == len(wanted), f"{where}: documents {ids}")
        self.proof.check([each.message for each in sidecar.errors] == HISTORY, f"{where}: its history is not whole")
        self.proof.check(sidecar.redrives, f"{where}: nobody is said to have sent it back")
        self.proof.check((sidecar.state, sidecar.retry_count) == (State.QUEUED, 0), f"{where}: {sidecar.state}")
        self.proof.count("queued again, whole")


def _case(number: int, *, delivered: bool) -> Case:
    organization = "Delivered AS" if delivered else f"Waiting {number % (ORGANIZATIONS - 1)} AS"
    letter = Letter(organization, f"document {number}", f"text {number}")
    return Case(letter, letter.key, letter.content, delivered)


def _dead(case: Case, now: datetime) -> Sidecar:
    letter = case.letter
    return Sidecar(
        r2_uuid=case.key.sha256,
        organization_id=case.key.organization_id,
        organization_name=letter.organization,
        document_type=case.key.document_type,
        bilko_document_id=letter.document_id,
        timestamp=now,
        sha256=case.key.sha256,
        retry_count=3,
        documents=(Document(bilko_document_id=letter.document_id, timestamp=now),),
        size=len(case.content),
        md5=hashlib.md5(case.content, usedforsecurity=False).hexdigest(),
        state=State.FINISHING,
        verdict=Verdict.DEAD,
        reason="refused",
        errors=tuple(Failure(at=now, kind="document", message=each, charged=True) for each in HISTORY),
        revision=case.key.sha256,
    )
