"""The arguments of `acpgen conform`: which exclude each other, and which values are possible."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from acp_conformance.agent_timeouts import SILENCE, SILENCES, TimeLimits
from acp_conformance.play_options import Permission, PlayOptions
from acp_conformance.requirements import Role
from acp_conformance.run_report import ReplayCommand
from acp_wire.remote import without_secrets
from acpgen.cli.report import fail

__all__ = ["ConformArguments", "words"]

DAY: Final = 24.0 * 60 * 60

HIDDEN: Final = "..."
"""What replaces the value of a variable or a header in a command that is printed."""


@dataclass(frozen=True, slots=True)
class ConformArguments:
    """What was given on the command line, or its default."""

    command: Sequence[str]
    url: str | None
    headers: Sequence[str]
    role: Role
    restart: str | None
    second: str | None
    cwd: Path | None
    env: Sequence[str]
    login: str | None
    permission: Permission
    prompts: Mapping[str, str]
    timeout: float | None
    silence: float | None
    only: Sequence[str]
    is_quick: bool
    budget: int | None
    jobs: int | None
    record: str | None
    view: str | None

    @property
    def roles(self) -> Sequence[Role]:
        """The roles whose requirements are judged: behind a URL, also those of a server."""
        return (self.role,) if self.url is None else (self.role, Role.SERVER)

    @property
    def limits(self) -> TimeLimits:
        """How long to wait for an agent."""
        return TimeLimits(self.timeout, self.silence)

    @property
    def play_options(self) -> PlayOptions:
        """What the traces of an agent are played with."""
        folder = None if self.cwd is None else str(self.cwd.resolve())
        return PlayOptions(folder, self.login, self.permission, self.prompts)

    @property
    def variables(self) -> dict[str, str] | None:
        """The variables of `--env`; None if there are none."""
        pairs = [each.partition("=") for each in self.env]
        return {name: value for name, _, value in pairs} or None

    @property
    def header_fields(self) -> dict[str, str]:
        """The fields of `--header`."""
        pairs = [each.partition(":") for each in self.headers]
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def replay(self) -> ReplayCommand:
        """The command that plays one trace again, without the values of variables and headers."""
        options = [word for pair in self._repeated() for word in pair]
        flag = [] if self.role is Role.AGENT else [f"--{self.role}"]
        head = shlex.join(["acpgen", "conform", *flag, *options])
        return ReplayCommand(head, f" -- {shlex.join(self.command)}" if self.command else "")

    def _repeated(self) -> Iterator[tuple[str, str]]:
        texts = {
            "--url": None if self.url is None else without_secrets(self.url),
            "--restart-command": self.restart,
            "--second-command": self.second,
            "--cwd": None if self.cwd is None else str(self.cwd),
            "--login": self.login,
            "--permission": None if self.permission is Permission.CANCELLED else self.permission,
            "--timeout": None if self.timeout is None else f"{self.timeout:g}",
            "--silence": None if self.silence is None else f"{self.silence:g}",
            **{f"--prompt-{verb}": text for verb, text in self.prompts.items()},
        }
        yield from ((name, value) for name, value in texts.items() if value is not None)
        yield from (("--env", f"{each.partition('=')[0]}={HIDDEN}") for each in self.env)
        yield from (("--header", f"{each.partition(':')[0]}:{HIDDEN}") for each in self.headers)

    def check(self) -> None:
        """Refuse what can't be, and what excludes each other.

        Raises:
            CommandFailure: an option is wrong.
        """
        if self.role is not Role.AGENT:
            _refuse(self._for_agents())
        if self.command and self.url is not None:
            fail("give COMMAND, after --, or --url, not both")
        if not self.command and self.url is None:
            fail("give COMMAND, after --, or --url")
        if self.url is None and self.headers:
            fail("--header is for --url only")
        if self.url is not None and self.second is not None:
            fail("--second-command is of no use with --url, which takes any number of connections")
        if self.url is not None and self.env:
            fail("--env is of no use with --url, whose agent runs already")
        if self.budget is not None and self.jobs not in (None, 1):
            fail("--budget plays one trace after the other: leave --jobs out")
        self.check_values()

    def _for_agents(self) -> dict[str, object]:
        return {
            "--url": self.url,
            "--header": self.headers or None,
            "--restart-command": self.restart,
            "--second-command": self.second,
            "--cwd": self.cwd,
            "--env": self.env or None,
            "--login": self.login,
            "--permission": None if self.permission is Permission.CANCELLED else self.permission,
            **{f"--prompt-{verb}": text for verb, text in self.prompts.items()},
            "--quick": self.is_quick or None,
            "--budget": self.budget,
            "--jobs": self.jobs,
            "--record": self.record,
        }

    def check_values(self) -> None:
        """Refuse values that can't be.

        Raises:
            CommandFailure: an option is wrong.
        """
        given = [("--url", self.url), ("--record", self.record), ("--view", self.view)]
        given += [("--login", self.login), *(("--trace", name) for name in self.only)]
        given += [(f"--prompt-{verb}", text) for verb, text in self.prompts.items()]
        _refuse_blanks(self.command, given)
        if self.cwd is not None and not self.cwd.is_dir():
            fail(f"--cwd {self.cwd} is not a folder: create it, or leave --cwd out")
        for each in self.env:
            if not each.partition("=")[0].strip() or "=" not in each:
                fail("--env takes NAME=VALUE, such as HOME=/home/agent")
        for each in self.headers:
            name, colon, _ = each.partition(":")
            if not (colon and name.strip() and name.isascii()):
                fail("--header takes NAME:VALUE, such as Authorization: Bearer x")
        _bound("--timeout", self.timeout, 0.1, DAY)
        _bound("--silence", self.silence, 0.05, DAY / 10)
        if self.role is Role.AGENT:
            self._suffice()

    def _suffice(self) -> None:
        quiet = SILENCE if self.silence is None else self.silence
        if self.timeout is not None and self.timeout < SILENCES * quiet:
            least = f"--silence {quiet:g} takes --timeout {SILENCES * quiet:g} at least"
            fail(f"{least}: prompts are held for five silences")


def words(option: str, command: str | None) -> list[str] | None:
    """The words of a command that is the value of an option.

    Raises:
        CommandFailure: they name no program.
    """
    if command is None:
        return None
    try:
        found = shlex.split(command)
    except ValueError as error:
        fail(f"{command}: {error}")
    if not found or not found[0].strip():
        fail(f"{option} names no program: is a variable unset?")
    return found


def _refuse(options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None:
            fail(f"{option} is for agents only")


def _refuse_blanks(command: Sequence[str], options: Iterable[tuple[str, str | None]]) -> None:
    if command and not command[0].strip():
        fail("COMMAND begins with a blank word: give the program to start")
    for option, value in options:
        if value is not None and not value.strip():
            fail(f"the value of {option} is blank: is a variable unset?")


def _bound(option: str, seconds: float | None, least: float, most: float) -> None:
    if seconds is not None and not least <= seconds <= most:  # also false for NaN
        fail(f"{option} {seconds:g} is not from {least:g} to {most:g} seconds")
