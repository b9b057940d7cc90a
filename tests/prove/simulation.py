"""Three drains that overlap, an application that repeats itself, and everything else that can go wrong, by seed."""

from __future__ import annotations

import io
import random
import traceback
from datetime import timedelta
from typing import Any

from shared.domain.drain import DrainOptions, DrainReport
from shared.domain.errors import ArchivoltError
from shared.domain.keys import ObjectKey
from shared.services.archive_drain import drain
from shared.services.archive_write import WriteParts, archive
from shared.services.drain_run import DrainParts
from tests.prove.hub import Hub, HubClock, HubWorkers, Process
from tests.prove.model import LawBroken, Model
from tests.prove.parts import DirectAudit
from tests.prove.report import Proof
from tests.prove.site import Letter, Site, archive_on
from tests.prove.weather import Weather, Weathered, WeatheredTransport
from tests.stand_ins.paperless.faults import Fault
from tests.stand_ins.paperless.options import VERSIONS
from tests.stand_ins.paperless.transport import StandInTransport

HOURS_OF_WEATHER = 2
ROUNDS_OF_CALM = 40
LETTERS = 14
CONDITIONS = ("redis_down", "worker_down", "worker_killed", "database_locked", "worker_exited", "error", "throttled")


def run(proof: Proof, seeds: range) -> None:
    for seed in seeds:
        try:
            _Simulation(seed, proof).run()
        except Exception as exc:  # noqa: BLE001
            proof.check(holds=False, what=f"seed {seed}: {type(exc).__name__}: {exc}")
            proof.say(traceback.format_exc())
        proof.count("seeds")


class _Simulation:
    def __init__(self, seed: int, proof: Proof) -> None:
        self.proof = proof
        self.random = random.Random(seed)
        self.hub = Hub(self.random)
        self.clock = HubClock(self.hub)
        version = self.random.choice(VERSIONS)
        self.site = Site(
            version=version,
            clock=self.clock,
            consume_seconds=self.random.choice((0.0, 0.5, 30.0)),
            seed=seed,
            writes_per_second=1,
        )
        self.model = Model(self.site)
        self.reports: list[DrainReport] = []
        self.weather = Weather(
            self.random,
            failure=self.random.choice((0.0, 0.01, 0.05)),
            kill=self.random.choice((0.0, 0.0005, 0.002)),
            stall=self.random.choice((0.0, 0.1)),
            calm_from=self.hub.now + timedelta(hours=HOURS_OF_WEATHER),
        )
        self.letters = [self._letter(number) for number in range(LETTERS)]

    def run(self) -> None:
        for letter in self.letters:
            for _ in range(self.random.choice((1, 1, 2))):
                self.hub.spawn(lambda letter=letter: self._application(letter), self.random.uniform(0, 5400))  # type: ignore[misc]
        for number in range(HOURS_OF_WEATHER * 12):
            for delay in self.random.choice(((0.0,), (0.0, 3.0), (0.0, 40.0, 200.0))):
                self.hub.spawn(lambda number=number: self._drain(number), number * 300 + delay)  # type: ignore[misc]
        for _ in range(4):
            self.hub.spawn(self._trouble, self.random.uniform(0, 5400))
        for number in range(ROUNDS_OF_CALM):
            self.hub.spawn(lambda: self._drain(0), (HOURS_OF_WEATHER + 1) * 3600 + number * 300)
        for number in range(ROUNDS_OF_CALM - 5):
            late = Letter("Late AS", f"late {number}", f"Late AS {number}")
            self.hub.spawn(lambda late=late: self._application(late), (HOURS_OF_WEATHER + 1) * 3600 + number * 300 - 60)  # type: ignore[misc]
        self.hub.run()
        self._at_the_end()

    def _letter(self, number: int) -> Letter:
        """Few texts and organisations, so that equal bytes meet under several documents."""
        organization = self.random.choice(("Firma AS", "Other AS", "Third AS"))
        text = f"{organization if self.site.version[0] == '2' else ''} text {self.random.randrange(5)}"
        return Letter(organization, f"document {number}", text)

    def _application(self, letter: Letter) -> None:
        """Sends until it gets an answer, as applications do."""
        for attempt in range(20):
            process = Process(self.hub, f"write {letter.document}")
            parts = WriteParts(*self._stores(process)[:1], self._ledger(process), self.clock, self.site.nonce)
            try:
                archive(parts, letter.submission, io.BytesIO(letter.content), trace_id=None)
            except ArchivoltError:
                self.hub.pause(30.0 * (attempt + 1))
                continue
            self.model.promise(letter)
            self.proof.count("accepted")
            return

    def _drain(self, number: int) -> None:
        process = Process(self.hub, f"drain {number}")
        skew = HubClock(self.hub, timedelta(seconds=self.random.uniform(-20, 20)))
        queue, dead = self._stores(process)
        ledger = self._ledger(process)
        transport = WeatheredTransport(StandInTransport(self.site.paperless), process, self.weather)
        parts = DrainParts(
            queue=queue,
            dead_letters=dead,
            archive=archive_on(transport),
            audit=Weathered(DirectAudit(ledger, self.site.signer, skew), process, self.weather),
            clock=skew,
            workers=HubWorkers(process),
            nonce=self.site.nonce,
        )
        self.reports.append(drain(parts, DrainOptions()))
        self.proof.count("runs")

    def _trouble(self) -> None:
        """Paperless itself misbehaves for a while."""
        kind = self.random.choice(CONDITIONS)
        status = self.random.choice((500, 502, 503)) if kind == "error" else None
        self.site.paperless.add_fault(Fault(kind, status=status, lasts=self.random.uniform(10, 900), retry_after=2))
        self.proof.count(f"paperless {kind}")

    def _stores(self, process: Process) -> tuple[Any, Any]:
        watched = _Watched(self.site.queue, self.model, self.proof)
        return (
            Weathered(watched, process, self.weather),
            Weathered(self.site.dead_letters, process, self.weather),
        )

    def _ledger(self, process: Process) -> Any:
        return Weathered(self.site.ledger, process, self.weather)

    def _at_the_end(self) -> None:
        self.model.balance()
        for what, times in self.weather.counts.items():
            self.proof.count(what, times)
        left = [info.key for info in self.site.queue.list("") if not info.key.startswith("priority/")]
        if left:
            raise LawBroken(f"left in the queue: {left}; last run: {self.reports[-1].as_json()}")
        for key in {letter.key for letter in self.letters if (letter.document_id, letter.key) in self.model.accepted}:
            self._one_winner(key)

    def _one_winner(self, key: ObjectKey) -> None:
        copies = self.site.copies(key)
        rows = self.site.ledger.job(key)
        winners = {row.paperless_document_id for row in rows if row.paperless_document_id is not None}
        if len(winners) > 1:
            raise LawBroken(f"{key.stem} has the winners {winners}")
        further = set(copies) - winners
        if further and not self._reported(key):
            raise LawBroken(f"{key.stem} has further copies that nobody reported: {further}")
        self.proof.count("surplus copies, reported", len(further))

    def _reported(self, key: ObjectKey) -> bool:
        return any(key in report.surplus_of for report in self.reports)


class _Watched:
    """The queue as the model sees it: each change must leave the law in balance."""

    def __init__(self, store: Any, model: Model, proof: Proof) -> None:
        self._store, self._model, self._proof = store, model, proof

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._store, name)
        if name not in ("put", "create", "replace", "delete"):
            return attribute

        def watched(key: str, *args: Any) -> Any:
            named = ObjectKey.parse(key)
            if name == "delete" and named is not None and key == named.pdf and self._store.stat(key):
                self._model.may_delete_pdf(named)
            result = attribute(key, *args)
            if named is not None:
                self._model.balance(named)
                self._proof.count("steps checked")
            return result

        return watched
