"""The options of `acpgen tap`: declared once, for Typer and for the parser here.

The parser takes plain use only. It leaves help, completion and wrong usage to Typer.
"""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.startup.options import Option, option_in

_MESSAGE = "answer, request or notification, : METHOD and, after another :, its number from 1"

OPTIONS = {
    "record": Option(
        ("--record",), "Append each message to this transcript; its secrets are replaced."
    ),
    "check": Option(
        ("--check",), "Judge each message, and print what is found on standard error.", flag=True
    ),
    "schema": Option(("--schema",), "What --check judges by; several judge a version each."),
    "show_keys": Option(
        ("--show-keys",), "Keep idempotency keys in the transcript and findings.", flag=True
    ),
    "lose": Option(("--lose",), f"Don't pass this message on: {_MESSAGE}."),
    "delay": Option(
        ("--delay",), "Hold this message, and what follows it from that side: MESSAGE=SECONDS."
    ),
    "cut": Option(
        ("--cut",), "End the connection before or after a message: after:MESSAGE, before:MESSAGE."
    ),
    "kill": Option(("--kill",), "Kill the agent: agent:after:MESSAGE or agent:before:MESSAGE."),
    "once": Option(
        ("--once",), "Do so once over all starts of the agent: FILE keeps what was done."
    ),
}
"""Each option of `acpgen tap`, by its name in `TapOptions`."""
METAVARS = {
    "record": "FILE",
    "schema": "PATH",
    "delay": "MESSAGE=SECONDS",
    "cut": "WHEN:MESSAGE",
    "kill": "agent:WHEN:MESSAGE",
    "once": "FILE",
}
"""The values of options, for help, where they are not messages."""
FILES = ("record", "once")
"""The options that name one file."""
_BY_NAME = {name: (member, option) for member, option in OPTIONS.items() for name in option.names}


class TapOptions:
    """The arguments of one call of `acpgen tap`.

    Args:
        command: the agent's command and its arguments.
        record: the path of the transcript; None for none.
        check: whether to judge.
        schema: paths of what is judged by, or none for the schema that comes with acpgen.
        show_keys: whether idempotency keys are kept.
        lose: the messages to lose.
        delay: the messages to delay, with how long.
        cut: where to end the connection.
        kill: where to kill the agent.
        once: the path of the file that keeps what was done; None to do it at each start.
    """

    __slots__ = ("command", *OPTIONS)

    def __init__(
        self,
        command: Sequence[str],
        *,
        record: str | None = None,
        check: bool = False,
        schema: Sequence[str] = (),
        show_keys: bool = False,
        lose: Sequence[str] = (),
        delay: Sequence[str] = (),
        cut: Sequence[str] = (),
        kill: Sequence[str] = (),
        once: str | None = None,
    ) -> None:
        self.command = tuple(command)
        self.record = record
        self.check = check
        self.schema = tuple(schema)
        self.show_keys = show_keys
        self.lose = tuple(lose)
        self.delay = tuple(delay)
        self.cut = tuple(cut)
        self.kill = tuple(kill)
        self.once = once


def parse(arguments: Sequence[str]) -> TapOptions | None:
    """Read the arguments after `tap`; None where Typer has to."""
    if "--" not in arguments:
        return None
    end = arguments.index("--")
    command, rest = arguments[end + 1 :], iter(arguments[:end])
    files: dict[str, str] = {}
    flags: dict[str, bool] = {}
    targets: dict[str, list[str]] = {}
    for argument in rest:
        stated = option_in(argument, rest, _BY_NAME)
        if stated is None:
            return None
        member, option, found = stated
        if option.flag:
            flags[member] = True
        elif member in FILES:
            if member in files:
                return None
            files[member] = found
        else:
            targets.setdefault(member, []).append(found)
    return TapOptions(command, **files, **flags, **targets) if command else None  # type: ignore[arg-type]
