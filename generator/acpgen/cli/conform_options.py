"""The options of `acpgen conform`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from typer.models import OptionInfo

from acp_conformance.play_options import Permission

__all__ = ["FailLevel", "VerdictForm"]

Words = TypeVar("Words", bound=StrEnum)


def _one_of(option: str, words: type[Words], text: str) -> OptionInfo:
    """An option that takes one of some words, and names them where it gets another one."""

    def parse(value: str) -> Words:
        if value not in [*words]:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, shown))}.")
        return words(value)

    shown = [each.value for each in words]
    found: OptionInfo = typer.Option(
        option,
        help=text,
        metavar=f"[{'|'.join(shown)}]",
        parser=parse,
        autocompletion=lambda: shown,
    )
    return found


class VerdictForm(StrEnum):
    """How verdicts are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


class FailLevel(StrEnum):
    """The weakest level of requirements that make the command fail."""

    MUST = "must"
    SHOULD = "should"
    STATED = "stated"


Command = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="COMMAND", help="The program to judge, with its arguments; put -- before it."
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Judge the agent that runs at this address of http, https, ws or wss, in place of "
        "COMMAND.",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="NAME:VALUE",
        help='Send this with every request, as "Authorization: Bearer x".',
    ),
]
AsClient = Annotated[
    bool,
    typer.Option(
        "--client",
        help="Judge a client. In COMMAND, {agent} becomes the agent's command, {text} the "
        "prompt to submit, and {folder} a folder to keep pending prompts in. Two are optional: "
        "{more} becomes the prompt to submit right after {text}, before its answer, and "
        "{clock} the seconds by which the client's clock is ahead.",
    ),
]
AsProxy = Annotated[
    bool,
    typer.Option(
        "--proxy", help="Judge a proxy. In COMMAND, {agent} becomes the command of its agent."
    ),
]
Restart = Annotated[
    str | None,
    typer.Option(
        "--restart-command",
        help="The command that restarts the agent, if it differs. With --url it kills the "
        "server, starts it again, and ends once the server can be reached.",
    ),
]
Second = Annotated[
    str | None,
    typer.Option("--second-command", help="The command that connects to the running agent."),
]
Cwd = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The working directory of sessions. By default each trace has an empty folder of "
        "its own, which is removed.",
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Give the agent this variable, beside those of this process."
    ),
]
Login = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD", help="Log in with this method before the first session of a connection."
    ),
]
GivenPermission = Annotated[
    Permission,
    _one_of(
        "--permission",
        Permission,
        "Answer requests for permission with an option that allows or rejects once, or with "
        "the outcome cancelled.",
    ),
]
PromptHold = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="A prompt that the agent queues before it inserts it, in place of the kit's test "
        "prompt. {seconds} becomes the time that is needed.",
    ),
]
PromptWork = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="A prompt that the agent works on for some {seconds}, in place of the test prompt.",
    ),
]
PromptFail = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="A prompt that the agent answers with an error once, in place of the test prompt.",
    ),
]
Form = Annotated[VerdictForm, _one_of("--format", VerdictForm, "How to print the verdicts.")]
Timeout = Annotated[
    float | None,
    typer.Option(
        help="Seconds to wait for an answer, or for a client to end, from 0.1 to 86400. By "
        "default 10 for a client or a proxy. An agent has 30 for its first answers, and then ten "
        "times its longest so far, from 10 to 300. At least ten times --silence.",
    ),
]
Silence = Annotated[
    float | None,
    typer.Option(
        help="Seconds without a message that count as silence, from 0.05 to 8640. By default 2 "
        "for a client, which may be slow to give up; for an agent 0.2, or twice the time in "
        "which it answers a prompt.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--trace",
        metavar="NAME",
        help="Play only this trace, or the traces of this requirement; shape means all about "
        "version 2 apart from keys.",
    ),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="Play few traces, which take 15 seconds at most with an agent that answers at once; "
        "not for a client or a proxy.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Send no more than N prompts; play the most important traces."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=64,
        metavar="N",
        help="Play this many traces at once, each with an agent of its own; not for a client or a "
        "proxy. By default 6 for COMMAND, and 1 with --url or --budget. Whatever fails beside "
        "others is played once more, alone.",
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Write to this folder a transcript of each trace with an agent, its steps, and the "
        "agent's standard error.",
    ),
]
View = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="FOLDER",
        help="Write a page of each trace that failed, as `acpgen view` does, to this folder.",
    ),
]
AtLeast = Annotated[
    FailLevel,
    _one_of(
        "--level",
        FailLevel,
        "The weakest word of the RFD whose requirements fail: must, should, or stated "
        "for plain statements. What is broken below that is advice in the report.",
    ),
]
Expected = Annotated[
    Path | None,
    typer.Option(
        "--expected-failures",
        metavar="FILE",
        help="Requirements that are known to fail, one a line. One that passes is an error.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 2 if something was not exercised in full."),
]
Listing = Annotated[
    bool,
    typer.Option(
        "--list",
        help="Print the requirements and the traces, with --client or --proxy only theirs, and "
        "start nothing.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print how many prompts, starts and seconds the traces take, and start nothing.",
    ),
]
