"""A run of the drain: start safely, feed fairly, judge by evidence, stop in time, and say what was done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

from shared.domain.drain import DrainOptions, DrainReport, Ending, Outcome, Stop
from shared.domain.errors import Unavailable
from shared.domain.evidence import Evidence
from shared.domain.keys import PRIORITY_ROOT, QUEUE_ROOT, ObjectKey
from shared.domain.retry import DECISIONS, ErrorClass, PaperlessError, Scope, backoff, misconfigured
from shared.observability import metrics
from shared.observability.logs import Log
from shared.services.delivery import charge_suspect, deliver
from shared.services.drain_run import DrainParts, DrainRun
from shared.services.feed import Candidate, candidates, depth, paused_organizations
from shared.services.labels import open_book

log = Log(__name__)

STOPS = {ErrorClass.AUTH: Stop.AUTH, ErrorClass.EDGE: Stop.AUTH, ErrorClass.CONFIG: Stop.CONFIG}
ROOTS = (QUEUE_ROOT, PRIORITY_ROOT)
LOOK_FOR_PAUSES_EVERY = timedelta(seconds=15)


class CanaryFailed(Exception):
    """A lookup of a random hash returned documents: a filter is ignored, and every lookup would lie."""


def drain(parts: DrainParts, options: DrainOptions) -> DrainReport:
    """Always returns a report: a 5xx would only make Scheduler repeat the run."""
    report = DrainReport(run_id=parts.nonce(), started_at=parts.clock.now())
    metrics.count("archive_run_started", function="archiver-drain")
    try:
        run = _start(parts, options, report)
        if run is not None:
            _Coordinator(run, report).work()
    except CanaryFailed:
        report.stop = Stop.CANARY
        metrics.count("archive_canary_failed_total")
    except PaperlessError as exc:
        _stop(report, exc.error_class, str(exc))
    except Unavailable as exc:
        report.stop, report.detail = Stop.OURS_DOWN, str(exc)
    _conclude(report)
    return report


def _start(parts: DrainParts, options: DrainOptions, report: DrainReport) -> DrainRun | None:
    report.depth = depth(parts.queue, options.depth_limit)
    metrics.gauge("archive_queue_depth", report.depth)
    if paused_organizations(parts.queue)[0]:
        report.stop = Stop.PAUSED
        return None
    if report.depth == 0 and not any(True for root in ROOTS for _ in parts.queue.folders(root)):
        return None
    return _patiently(parts, lambda: _open(parts, options, report))


def _open(parts: DrainParts, options: DrainOptions, report: DrainReport) -> DrainRun:
    version = parts.archive.version()
    if not version.supported:
        raise misconfigured(f"Paperless {version.major}.{version.minor} is not supported")
    book = open_book(parts.archive, parts.audit, options)
    canary = hashlib.sha256(parts.nonce().encode()).hexdigest()
    if parts.archive.count_unchecked(canary, book.fields.source_uuid) != 0:
        raise CanaryFailed
    deadline = report.started_at + timedelta(seconds=options.budget_seconds)
    return DrainRun(parts, options, book, version.checksum_algorithm, owner=report.run_id, deadline=deadline)


def _patiently(parts: DrainParts, start: Callable[[], DrainRun]) -> DrainRun:
    """Paperless may be just restarting: 2, 4, 8 seconds, then the run is over."""
    attempt = 0
    while True:
        try:
            return start()
        except PaperlessError as exc:
            pause = backoff(attempt, exc.fault.retry_after)
            if pause is None or exc.error_class not in (ErrorClass.DOWN, ErrorClass.THROTTLED):
                raise
            attempt += 1
            parts.clock.sleep(pause)


class _Coordinator:
    """Hands out documents and draws conclusions; only its own thread changes it."""

    def __init__(self, run: DrainRun, report: DrainReport) -> None:
        self._run = run
        self._report = report
        self._evidence = Evidence()
        self._stopped = False
        self._later: list[Candidate] = []
        self._given: dict[ObjectKey, Candidate] = {}
        self._done: list[int] = []
        self._paused = paused_organizations(run.parts.queue)
        self._paused_at = run.now()

    def work(self) -> None:
        for outcome in self._run.parts.workers.run(self._jobs(), self._run.options.slots):
            self._take(outcome)
        for candidate in self._later:
            if self._stopped or self._out_of_time():
                break
            self._take(deliver(self._run, candidate, alone=True))
        if self._evidence.everybody is not None and self._report.stop is Stop.EMPTY:
            _stop(self._report, self._evidence.everybody, "nothing got through")
        self._acknowledge()

    def _jobs(self) -> Iterator[Callable[[], Outcome]]:
        options = self._run.options
        feed = candidates(self._run.parts.queue, shard=options.shard, shards=options.shards, start=self._report.run_id)
        for candidate in feed:
            self._run.parts.clock.sleep(self._evidence.pause)
            if self._stopped or self._out_of_time() or self._all_paused():
                return
            if candidate.key.organization_id in self._paused[1]:
                self._report.endings[Ending.PAUSED] += 1
                continue
            self._given[candidate.key] = candidate
            yield partial(deliver, self._run, candidate)

    def _take(self, outcome: Outcome) -> None:
        candidate = self._given.pop(outcome.key, None)
        self._done += [] if outcome.task_row is None else [outcome.task_row]
        if outcome.task_submitted_at is not None:
            self._run.latest_final = max(outcome.task_submitted_at, self._run.latest_final or outcome.task_submitted_at)
        if candidate is not None and outcome.ending in (Ending.ALONE, Ending.WAITING):
            self._later.append(candidate)
        else:
            self._count(outcome)
        self._judge(outcome)

    def _acknowledge(self) -> None:
        """Keeps the list of open tasks short, which has no filter and no pages; a user may lack the right to."""
        if not self._done:
            return
        try:
            self._run.parts.archive.acknowledge(self._done)
        except PaperlessError as exc:
            log.event("archive.tasks_not_acknowledged", tasks=len(self._done), detail=str(exc))

    def _count(self, outcome: Outcome) -> None:
        self._report.endings[outcome.ending] += 1
        self._report.surplus += outcome.surplus
        if outcome.surplus:
            self._report.surplus_of.add(outcome.key)
        self._report.charged += outcome.error_class is not None and DECISIONS[outcome.error_class].charged
        if outcome.alert is not None:
            log.error("archive.needs_attention", r2Key=outcome.key.pdf, alert=outcome.alert, detail=outcome.detail)
        elif outcome.error_class is not None:
            log.warning("archive.left", r2Key=outcome.key.pdf, ending=outcome.ending, detail=outcome.detail)

    def _judge(self, outcome: Outcome) -> None:
        if outcome.accepted:
            for key, why in self._evidence.accepted(outcome.answered_at or self._run.now()).items():
                self._count(charge_suspect(self._run, key, why))
        if outcome.error_class is not None:
            self._weigh(outcome, outcome.error_class)

    def _weigh(self, outcome: Outcome, error_class: ErrorClass) -> None:
        """A refused upload may be the document's fault, so others are tried first; anything else is everybody's."""
        decision, stop = DECISIONS[error_class], None
        if decision.weighed and (outcome.uploading or error_class is ErrorClass.DOWN):
            at = outcome.answered_at or self._run.now()
            self._evidence.refused(outcome.key, error_class, outcome.detail, at, uploading=outcome.uploading)
            stop = self._evidence.stop
        elif decision.stops is Scope.RUN:
            stop = error_class
        if stop is not None and not self._stopped:
            self._stopped = True
            _stop(self._report, stop, outcome.detail)

    def _out_of_time(self) -> bool:
        if self._run.now() < self._run.deadline:
            return False
        self._report.stop = Stop.BUDGET
        return True

    def _all_paused(self) -> bool:
        if self._run.now() - self._paused_at >= LOOK_FOR_PAUSES_EVERY:
            self._paused, self._paused_at = paused_organizations(self._run.parts.queue), self._run.now()
        if self._paused[0]:
            self._report.stop = Stop.PAUSED
        return self._paused[0]


def _stop(report: DrainReport, error_class: ErrorClass, detail: str) -> None:
    report.stop, report.detail = STOPS.get(error_class, Stop.DOWN), detail
    metrics.count("archive_breaker_open_total", error_class=error_class)


def _conclude(report: DrainReport) -> None:
    fields = report.as_json()
    if report.stop in (Stop.AUTH, Stop.CONFIG, Stop.CANARY):
        log.error("archive.run_stopped", **fields)
    else:
        log.event("archive.run_done", **fields)
