"""Clients that do everything right, each in its own way: what `acpgen conform` may not blame."""

from __future__ import annotations

from typing import Final

from plain_client import Client, Pending

__all__ = ["RIGHT", "SendsOneAfterTheOther", "SubmitsNothingWhileSomethingIsPending"]


class Reconnects(Client):
    """It starts the agent again by itself when that is gone."""

    def run(self, *texts: str) -> None:
        try:
            super().run(*texts)
        except (SystemExit, BrokenPipeError):
            again = Reconnects(self.file, self.clock, self.start)
            again.run(*(() if again.pending else texts))


class Probes(Client):
    """It starts an agent to see what that can do, and talks to another."""

    def run(self, *texts: str) -> None:
        self.initialize()
        self.agent, self.last_id = self.start(), 0
        super().run(*texts)


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

    def submit(self, *texts: str) -> None:
        if "session" in self.notes:
            self.resume(self.notes["session"])
        super().submit(*texts)

    def new(self) -> str:
        self.notes["session"] = self.notes.get("session") or super().new()
        return str(self.notes["session"])


class SubmitsNothingWhileSomethingIsPending(Client):
    """It leaves new prompts to a later run."""

    def run(self, *texts: str) -> None:
        super().run(*(() if self.pending else texts))


class SendsAgainAtOnce(Client):
    """It sends again what was refused, under its key."""

    def deliver(self, *entries: Pending) -> None:
        super().deliver(*entries)
        super().deliver(*[each for each in entries if each in self.pending])


class SendsOneAfterTheOther(Client):
    """It sends a new prompt when the ones before it are answered."""

    def deliver(self, *entries: Pending) -> None:
        for entry in entries:
            super().deliver(entry)


class SendsTheLastAgainFirst(Client):
    """It resends pending prompts in an order of its own."""

    def resend(self) -> None:
        self.pending.reverse()
        super().resend()


class HasASessionForEachText(Client):
    """It submits each new prompt in a session of its own."""

    def submit(self, *texts: str) -> None:
        self.deliver(*[self.enter(self.new(), text) for text in texts])


class StoresWhatIsNewFirst(Client):
    """It stores new prompts before it talks to an agent, and gives them a session later."""

    def run(self, *texts: str) -> None:
        for text in filter(None, texts):
            self.enter("", text)
        super().run()

    def resume(self, session: str) -> None:
        if session:
            super().resume(session)

    def deliver(self, *entries: Pending) -> None:
        for entry in entries:
            entry["session"] = entry["session"] or self.new()
        self.store()
        super().deliver(*entries)

    def resend(self) -> None:
        new = [each for each in self.pending if not each["session"]]
        old, self.pending = [each for each in self.pending if each["session"]], self.pending
        for each in old:
            if self.now - each["at"] < self.oldest:
                self.resume(each["session"])
                self.deliver(each)
        self.deliver(*new)


RIGHT: Final = (
    Client,
    Reconnects,
    Probes,
    HasAnAgentForEachSession,
    KeepsItsSession,
    SubmitsNothingWhileSomethingIsPending,
    SendsAgainAtOnce,
    SendsOneAfterTheOther,
    SendsTheLastAgainFirst,
    HasASessionForEachText,
    StoresWhatIsNewFirst,
)
