"""Judging several files at once: `acpgen validate --jobs N`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from acpgen.cli import validation
from acpgen.cli.file_judging import FileJudge
from acpgen.cli.progress import Bar
from acpgen.cli.worker_pool import FileCounts, WorkerPool, judge_apart
from acpgen.judge.versions import VersionedEngine
from acpgen.report import Report, Tally
from acpgen.report.document import JsonLines
from acpgen.startup.options import Options


def run(options: Options) -> int:
    """Judge as `validation.run` does, with the same result, in as many processes as are asked for.

    Raises:
        BrokenPipeError: the reader of the output closed it.
    """
    return validation.run(options, _judge_apart if (options.jobs or 1) > 1 else None)


def _judge_apart(
    files: Sequence[str], options: Options, engine: VersionedEngine, report: Report, bar: Bar
) -> None:
    """Judge files into a report, in several processes."""

    def take(counts: FileCounts) -> None:
        engine.pairing.forgotten += counts.forgotten

    judge = FileJudge(options, engine, report, bar)
    with WorkerPool(options.jobs or 1, partial(ApartJudge, options), bar) as pool:
        judge_apart(files, pool, report, judge.judge, take)


class ApartJudge:
    """Judges files in a process of its own."""

    def __init__(self, options: Options) -> None:
        self._options = options
        unused = Report(Tally("validate"), JsonLines(len))
        self._engine = validation.engine_of(options, unused)

    def __call__(self, file: str, write: Callable[[str], object], bar: Bar) -> FileCounts:
        """Judge a file, and write its findings.

        Raises:
            RuntimeError: the schema can't be read any more.
        """
        if self._engine is None:
            raise RuntimeError("the schema can't be read any more")
        report = Report(
            Tally("validate"),
            JsonLines(write),
            strict=self._options.strict,
            counts_only=self._options.summary,
        )
        before = self._engine.pairing.forgotten
        FileJudge(self._options, self._engine, report, bar).judge(file)
        return FileCounts(report.tally, self._engine.pairing.forgotten - before)
