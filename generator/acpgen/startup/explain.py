"""Explaining what is wrong with the calls of a short input.

It imports the judge and the table of types that was generated from acpgen's own schema, instead of
the schema and all that loads it. What is printed is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

from acp_wire.reader import Decoded
from acpgen.cli.verdicts import findings_of
from acpgen.findings import Severity, text
from acpgen.judge.message import Judge
from acpgen.judge.message_text import MessageText
from acpgen.judge.text_faults import complete
from acpgen.sides import Side
from acpgen.startup import shipped
from acpgen.startup.file_names import name
from acpgen.startup.judged_counts import counts
from acpgen.startup.options import Options


def explain(options: Options, faulty: Sequence[tuple[int, Decoded]], messages: int) -> int:
    """Print what is found in the faulty calls of a file, and return the exit status.

    Args:
        options: those of the call of `acpgen validate`.
        faulty: the calls that the checkers don't accept, each with its line.
        messages: how many calls there are in all.
    """
    judge, file = Judge(shipped.table()), name(options.files[0])
    sender = None if options.sender is None else Side(options.sender)
    refused, severities = 0, list[Severity]()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    for line, read in faulty:
        verdict = complete(judge.judge(read.value, sender=sender), read, read.value)
        entry = MessageText(read.text.encode(), line, read)
        found = findings_of(file, entry, verdict, show_keys=options.show_keys)
        sys.stdout.write(text(found))
        severities += [finding.severity for finding in found]
        refused += not verdict.accepted
    sys.stdout.flush()
    if not options.quiet:
        recovered = severities.count(Severity.RECOVERED)
        warnings = severities.count(Severity.WARNING)
        sys.stderr.write(
            counts(messages, messages - refused, refused, recovered=recovered, warnings=warnings)
        )
        sys.stderr.write("\n")
    return int(refused > 0)
