"""`acpgen tap`: sit between a client and an agent.

Declares the command. What it does is in `acpgen.tap`, and mostly it is called without Typer,
through `acpgen.startup`.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from typer.models import OptionInfo

from acpgen.cli.tap_checking import check as check_lines
from acpgen.cli.tap_methods import complaint
from acpgen.tap.session import run
from acpgen.tap.tap_options import METAVARS, OPTIONS, TapOptions


def _option(member: str) -> OptionInfo:
    """An option as Typer takes it, from the table that both parsers use."""
    option = OPTIONS[member]
    metavar = None if option.flag else METAVARS.get(member, "MESSAGE")
    found: OptionInfo = typer.Option(*option.names, help=option.help, metavar=metavar)
    return found


def _one(name: str, files: list[str] | None) -> str | None:
    """The file that an option names.

    Raises:
        typer.BadParameter: it names several, or none.
    """
    if files is not None and (len(files) > 1 or "--" in files):
        reason = "there is one FILE" if len(files) > 1 else "FILE is missing before --"
        raise typer.BadParameter(reason, param_hint=name)
    return None if files is None else files[0]


def tap(
    command: Annotated[
        list[str], typer.Argument(metavar="AGENT", help="Starts the agent; put -- before it.")
    ],
    record: Annotated[list[str] | None, _option("record")] = None,
    check: Annotated[bool, _option("check")] = False,
    schema: Annotated[list[str] | None, _option("schema")] = None,
    show_keys: Annotated[bool, _option("show_keys")] = False,
    lose: Annotated[list[str] | None, _option("lose")] = None,
    delay: Annotated[list[str] | None, _option("delay")] = None,
    cut: Annotated[list[str] | None, _option("cut")] = None,
    kill: Annotated[list[str] | None, _option("kill")] = None,
    once: Annotated[list[str] | None, _option("once")] = None,
) -> None:
    """Start an agent, and pass all bytes between it and the client, which started this command.

    The client notices no difference, except for what --lose, --delay, --cut and --kill ask for:
    signals reach the agent, and the exit status is that of the agent. Each of the four may be given
    several times; what they do is printed on standard error. The transcript shows what the client
    sent and what it got, with the time. MESSAGE is answer:session/prompt:2 for the second answer to
    session/prompt, or the same with request or notification. Exit status 2 without an agent: it
    can't be started, or FILE can't be written to.
    """
    options = TapOptions(
        command,
        record=_one("--record", record),
        check=check,
        schema=schema or (),
        show_keys=show_keys,
        lose=lose or (),
        delay=delay or (),
        cut=cut or (),
        kill=kill or (),
        once=_one("--once", once),
    )
    check_each = partial(check_lines, schemas=options.schema, show_keys=show_keys)
    raise typer.Exit(run(options, check_each, complaint))
