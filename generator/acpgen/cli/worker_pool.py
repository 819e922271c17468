"""Processes that judge files at the same time.

Each worker has a pipe to this process and to nothing else, so it ends when this process does,
however that ends. What it finds goes into a file until its turn comes, so memory doesn't grow with
that.
"""

from __future__ import annotations

import io
import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, redirect_stderr
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol, Self

from acpgen.cli.progress import Bar
from acpgen.findings import Finding
from acpgen.report import Report, Tally
from acpgen.report.merging import findings_in

_STEP = 1_000_000
"""After how many bytes a worker reports its progress."""


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What was counted in a file: `forgotten` requests too, and a `summary` if there is one."""

    tally: Tally
    forgotten: int = 0
    summary: str | None = None


class FileWork(Protocol):
    """What a worker does with each file."""

    def __call__(self, file: str, write: Callable[[str], object], bar: Bar) -> FileCounts:
        """Judge a file, and write its findings as `--format ndjson` does."""
        ...


Making = Callable[[], FileWork]
"""Makes the work, once in each process. It can be pickled."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What a worker found in a file, and what it printed on standard error."""

    counts: FileCounts
    notes: str
    path: Path

    def findings(self) -> Iterator[Finding]:
        """Yield the findings."""
        with self.path.open("rb") as lines:
            yield from findings_in(lines)


def judge_apart(
    files: Sequence[str],
    pool: WorkerPool,
    report: Report,
    judge: Callable[[str], object],
    take: Callable[[FileCounts], object],
) -> None:
    """Judge files into a report; `take` is called with the counts of each that a pool has judged.

    `judge` judges those that the pool leaves to this process, and the one in which the report gets
    full, so that the report is the same as without a pool.
    """
    shared = [file if Path(file).is_file() else None for file in files]
    for file, outcome in zip(files, pool.outcomes(shared), strict=True):
        if report.full:
            return
        if outcome is None or not report.room_for(outcome.counts.tally.of("error")):
            judge(file)
            continue
        report.include(outcome.findings(), outcome.counts.tally)
        sys.stdout.flush()
        sys.stderr.write(outcome.notes)
        take(outcome.counts)


class WorkerPool:
    """Up to `jobs` processes, which judge files in the order in which they are given.

    Use it as a context: at its end, the processes are killed.
    """

    def __init__(self, jobs: int, making: Making, bar: Bar) -> None:
        self._jobs = jobs
        self._making = making
        self._bar = bar
        self._workers: list[_Worker] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="acpgen-"))
        self._folder = Path(folder)
        self._stack.callback(self._end)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def outcomes(self, files: Sequence[str | None]) -> Iterator[FileOutcome | None]:
        """Yield what is found in each file. None for one that is None, or whose worker broke off.

        Such a file is left to this process.
        """
        todo = [(place, file) for place, file in enumerate(files) if file is not None]
        pending = iter(todo)
        done: dict[int, FileOutcome | None] = {}
        for _ in range(min(self._jobs, len(todo))):
            self._workers.append(self._started(pending))
        for place, file in enumerate(files):
            if file is None:
                yield None
                continue
            while place not in done:
                for worker in self._ready():
                    reply = worker.reply()
                    if isinstance(reply, int):
                        self._bar.advance(reply)
                        continue
                    done[worker.place] = reply
                    if reply is None:
                        worker.end()
                        self._workers.remove(worker)
                        self._workers.append(self._started(pending))
                    else:
                        self._assign(worker, pending)
            outcome = done.pop(place)
            yield outcome
            if outcome is not None:
                outcome.path.unlink()

    def _ready(self) -> list[_Worker]:
        pipes = {worker.pipe: worker for worker in self._workers if worker.place >= 0}
        return [pipes[pipe] for pipe in wait([*pipes]) if isinstance(pipe, Connection)]

    def _started(self, pending: Iterator[tuple[int, str]]) -> _Worker:
        worker = _Worker(self._making)
        self._assign(worker, pending)
        return worker

    def _assign(self, worker: _Worker, pending: Iterator[tuple[int, str]]) -> None:
        place, file = next(pending, (_IDLE, ""))
        worker.place = place
        if place != _IDLE:
            worker.pipe.send((file, self._folder / str(place)))

    def _end(self) -> None:
        for worker in self._workers:
            worker.end()


_IDLE = -1


class _Worker:
    """One process, and the place of the file that it judges."""

    def __init__(self, making: Making) -> None:
        context = multiprocessing.get_context("spawn")
        self.place = _IDLE
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, making), daemon=True)
        self._process.start()
        theirs.close()

    def reply(self) -> int | FileOutcome | None:
        """What it sends next: bytes that it has read, or the outcome; None if it broke off."""
        try:
            found: int | FileOutcome | None = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return found

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


class _SentProgress(Bar):
    """A bar that the other process draws."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__(0, hidden=True)
        self._pipe = pipe
        self._size = 0

    def advance(self, size: int = 1) -> None:
        """Count some more as done."""
        self._size += size
        if self._size >= _STEP:
            self.send()

    def send(self) -> None:
        """Send what is not sent yet."""
        self._pipe.send(self._size)
        self._size = 0


def _serve(pipe: Connection, making: Making) -> None:
    """Judge files until the pipe ends. After an unexpected error, the other process takes over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        work = making()
        bar = _SentProgress(pipe)
        while True:
            file, path = pipe.recv()
            notes = io.StringIO()
            findings = path.open("w", encoding="utf-8", newline="\n")
            with findings, redirect_stderr(notes):
                counts = work(file, findings.write, bar)
            bar.send()
            pipe.send(FileOutcome(counts, notes.getvalue(), path))
    except Exception:
        pipe.close()
