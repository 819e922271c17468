"""What the user of the kit decides about a run: folder, login, permissions and test prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from acp_conformance.directives import read_directive, scaled

__all__ = ["REPLACEABLE", "SECONDS", "Permission", "PlayOptions", "TestPrompt"]

REPLACEABLE: Final = ("hold", "work", "fail")
"""The directives that another text can replace, in an agent without the kit's test prompts."""

SECONDS: Final = "{seconds}"
"""The placeholder in such a text for the time in seconds."""


class Permission(StrEnum):
    """How the kit answers `session/request_permission`."""

    ALLOW = "allow"
    REJECT = "reject"
    CANCELLED = "cancelled"

    def outcome(self, options: object) -> dict[str, object]:
        """The outcome for the options of a request; `cancelled` if none of them fits."""
        listed: Sequence[object] = options if isinstance(options, list) else []
        for kind in (f"{self.value}_once", f"{self.value}_always"):
            for option in listed:
                match option:
                    case {"optionId": str(id_), "kind": own} if own == kind:
                        return {"outcome": "selected", "optionId": id_}
        return {"outcome": "cancelled"}


@dataclass(frozen=True, slots=True)
class TestPrompt:
    """The text of a prompt as it is sent, and what it asks the agent for.

    `seconds` is how long the agent holds it or works on it. `is_own` is true for a text of the
    user, which the agent may follow in its own way.
    """

    __test__ = False  # pytest takes each class with such a name for tests

    text: str
    verb: str = ""
    seconds: float = 0.0
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the user decided.

    Attributes:
        folder: the working directory of sessions. By default each trace has an empty one.
        login: the method for `auth/login`, before the first session of each connection.
        permission: how requests for permission are answered.
        prompts: texts in place of test prompts, by the first word of the directive.
    """

    folder: str | None = None
    login: str | None = None
    permission: Permission = Permission.CANCELLED
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])

    def prompt(self, text: str, factor: float) -> TestPrompt:
        """The prompt for the text of a trace, with times multiplied by a factor."""
        own = scaled(text, factor)
        directive = read_directive(own)
        other = self.prompts.get(directive.verb)
        if other is None:
            return TestPrompt(own, directive.verb, directive.seconds)
        shown = other.replace(SECONDS, f"{directive.seconds:g}")
        return TestPrompt(shown, directive.verb, directive.seconds, is_own=True)
