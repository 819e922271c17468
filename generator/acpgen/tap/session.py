"""One run of `acpgen tap`: from its options to the exit status of the agent."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from acpgen.findings import escaped
from acpgen.tap.companion import Check, Companion
from acpgen.tap.disruptions import Disruption, DisruptionError, Disruptor, read_disruptions
from acpgen.tap.line_recorder import LineRecorder
from acpgen.tap.once_file import OnceFile, OnceFileError
from acpgen.tap.record_file import RecordError, RecordFile
from acpgen.tap.relay import Relay
from acpgen.tap.tap_options import TapOptions
from acpgen.tap.tapped_agent import TappedAgent, end_like

_UNKNOWN = 2


class UnusedSchemaError(Exception):
    """A schema that nothing is judged by; the text says what to do."""


Complaint = Callable[[Sequence[str]], str | None]


def run(options: TapOptions, check: Check, complaint: Complaint) -> int:
    """Tap one connection, and return the exit status of the agent, or die of its signal.

    The status is 2 where the agent can't be started.

    Args:
        options: the arguments.
        check: judges the lines in a pipe, if it is asked for.
        complaint: returns why the methods that disruptions name are refused, if they are.
    """
    _keep_standard_descriptors()
    try:
        _require_schemas(options)
        found = read_disruptions(options.lose, options.delay, options.cut, options.kill)
        _require_known(found, complaint)
        disruptor = _disruptor(found, options.once, options.record)
        file = None if options.record is None else RecordFile(options.record)
    except (DisruptionError, OnceFileError, RecordError, UnusedSchemaError) as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename or options.record}: {error.strerror}")
    name = f"tap-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"
    recorder = LineRecorder(file, name, _report, show_keys=options.show_keys)
    companion = Companion(recorder, check if options.check else None, _report)
    try:
        agent = TappedAgent(options.command)
    except (OSError, ValueError) as error:
        companion.end()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return _refuse(f"{options.command[0]} can't be started: {reason}")
    companion.guard(agent.pid)
    Relay(agent, companion.copy, disruptor, _report).run()
    companion.end()
    if disruptor is not None:
        for each in disruptor.unused:
            _report(each.missed_text)
    return end_like(agent.status or 0)


def _require_schemas(options: TapOptions) -> None:
    """Refuse schemas that are not there, before the agent starts.

    Raises:
        UnusedSchemaError: nothing is judged by them.
        OSError: there is none at a path.
    """
    if options.schema and not options.check:
        raise UnusedSchemaError("--schema is what --check judges by: add --check")
    for path in options.schema:
        Path(path).stat()


def _require_known(disruptions: Sequence[Disruption], complaint: Complaint) -> None:
    """Refuse a misspelt method. One that starts with `_` belongs to an extension.

    Raises:
        DisruptionError: a method is unknown.
    """
    methods = [each.method for each in disruptions if not each.method.startswith("_")]
    reason = complaint(methods) if methods else None
    if reason is not None:
        raise DisruptionError(reason)


def _disruptor(
    found: Sequence[Disruption], once: str | None, record: str | None
) -> Disruptor | None:
    """What finds the messages to disrupt, if there are any.

    Args:
        found: what the options ask for.
        once: the path of the file that has what earlier starts did, if there is one.
        record: the path of the transcript, which is another file.

    Raises:
        DisruptionError: there is nothing to do once.
        OnceFileError: the file holds something else.
        OSError: the file can't be opened.
    """
    if once is None:
        return Disruptor(found) if found else None
    if not found:
        raise DisruptionError("--once is for --lose, --delay, --cut and --kill: add one of them")
    if record is not None and os.path.realpath(once) == os.path.realpath(record):
        raise OnceFileError(f"{once}: is the file of --record; name another one after --once")
    file = OnceFile(once)
    left = [each for each in found if not file.has(each)]
    for each in found:
        if each not in left:
            _report(each.earlier_text)

    def may_do(disruption: Disruption) -> bool:
        try:
            return file.claim(disruption)
        except OSError as error:
            _report(f"{once}: {error.strerror}: not {disruption.done_text}")
            return False

    return Disruptor(left, may_do) if left else None


def _keep_standard_descriptors() -> None:
    """Open those of standard input, output and error that are closed, or a pipe would get one."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


def _report(line: str) -> None:
    """Print a line, by one call, between those of the agent.

    If standard error is full and not read, the line is dropped: the stream must go on.
    """
    poll = select.poll()
    poll.register(2, select.POLLOUT)
    try:
        if poll.poll(0):
            os.write(2, f"acpgen: {escaped(line)}\n".encode()[: select.PIPE_BUF])
    except OSError:  # the reader is gone
        return


def _refuse(reason: str) -> int:
    _report(reason)
    return _UNKNOWN
