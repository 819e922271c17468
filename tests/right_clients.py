"""Clients that do everything right, each in its own way: what `acpgen conform` may not blame."""

from __future__ import annotations

from typing import Final

from wrong_clients import Client, Pending

__all__ = ["RIGHT", "SubmitsNothingWhileSomethingIsPending"]


class Reconnects(Client):
    """It starts the agent again by itself when that is gone."""

    def run(self, text: str) -> None:
        try:
            super().run(text)
        except (SystemExit, BrokenPipeError):
            again = Reconnects(self.file, self.clock, self.start)
            again.run("" if again.pending else text)


class Probes(Client):
    """It starts an agent to see what that can do, and talks to another."""

    def run(self, text: str) -> None:
        self.initialize()
        self.agent, self.last_id = self.start(), 0
        super().run(text)


class HasAnAgentForEachSession(Client):
    """It has several agents at once."""

    def resend(self) -> None:
        first, last_id = self.agent, self.last_id
        super().resend()
        self.agent, self.last_id = first, last_id

    def resume(self, session: str) -> None:
        self.agent, self.last_id = self.start(), 0
        self.initialize()
        super().resume(session)


class KeepsItsSession(Client):
    """It submits everything in one session."""

    def submit(self) -> None:
        if "session" in self.notes:
            self.resume(self.notes["session"])
        super().submit()

    def new(self) -> str:
        self.notes["session"] = self.notes.get("session") or super().new()
        return str(self.notes["session"])


class SubmitsNothingWhileSomethingIsPending(Client):
    """It leaves what is new to a later run."""

    def run(self, text: str) -> None:
        super().run("" if self.pending else text)


class SendsAgainAtOnce(Client):
    """It sends again what was refused, under its key."""

    def deliver(self, entry: Pending) -> None:
        super().deliver(entry)
        if entry in self.pending:
            super().deliver(entry)


RIGHT: Final = (
    Client,
    Reconnects,
    Probes,
    HasAnAgentForEachSession,
    KeepsItsSession,
    SubmitsNothingWhileSomethingIsPending,
    SendsAgainAtOnce,
)
