"""A ledger that knows nothing but the table in generated/vectors/ledger/rules.json."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

FULL, REUSED, CANCELLED = -32603, -32602, -32800


@dataclass(eq=False)
class TableClaim:
    """One prompt. `attempts` and `rejected` are in the order in which they were added."""

    name: str
    session: str
    key: str | None
    state: str
    digest: str | None = None
    size: int = 0
    attempts: dict[str, str | None] = field(default_factory=dict)
    rejected: dict[str, tuple[str | None, int]] = field(default_factory=dict)
    wanted: bool = True


class TableLedger:
    """Finds the rule of each event, and does what the rule says.

    Args:
        rules: the rows of the table.
        options: `compare`, `keepOrphans`, `most` and `mostBytes` of a trace.
    """

    def __init__(self, rules: list[Json], options: Json) -> None:
        self.rules = rules
        self.options = options
        self.claims: dict[str, TableClaim] = {}
        self.waiting: dict[str, TableClaim] = {}
        self.active: dict[str, set[str]] = {}
        self.live: dict[str, dict[str, tuple[str, str | None]]] = {}
        self.effects: list[Json] = []
        self.used: set[str] = set()
        self.allowed: bool | None = None
        self.started = 0

    def play(self, event: Json) -> list[Json]:
        """The effects of an event, in order."""
        self.effects, self.allowed = [], None
        match event["event"]:
            case "withdraw":
                for claim in [c for c in self.claims.values() if c.session == event["session"]]:
                    self.apply({"event": "cancel"}, claim)
            case "cancel-elsewhere":
                self.apply({"event": "cancel"}, self.of(event["session"], event["key"]))
            case "cancel":
                self.apply(event, self.waiting.get(event["attempt"]))
            case "lost":
                self.lose(event["connection"])
            case "prompt":
                if event["attempt"] not in self.waiting:
                    connection = event["attempt"].partition("/")[0]
                    self.active.setdefault(event["session"], set()).add(connection)
                self.apply(event, self.of(event["session"], event.get("key")))
            case _:
                self.apply(event, self.claims.get(event.get("claim", "")))
        return self.effects

    def lose(self, connection: str) -> None:
        for attempt in [a for a in self.waiting if a.partition("/")[0] == connection]:
            self.apply({"event": "lost", "attempt": attempt}, self.waiting[attempt])
        for session, connections in list(self.active.items()):
            connections.discard(connection)
            if not connections:
                self.apply({"event": "ended", "session": session}, None)

    def of(self, session: str, key: str | None) -> TableClaim | None:
        same = (c for c in self.claims.values() if (c.session, c.key) == (session, key))
        return None if key is None else next(same, None)

    def apply(self, event: Json, claim: TableClaim | None) -> None:
        state = "none" if claim is None else claim.state
        for rule in self.rules:
            of_event = rule["event"] == event["event"] and rule["state"] in (state, "any")
            if of_event and all(self.holds(name, event, claim) for name in rule["when"]):
                self.used.add(rule["id"])
                self.carry_out(rule, event, claim)
                return

    def holds(self, name: str, event: Json, claim: TableClaim | None) -> bool:
        match name:
            case "repeated":
                return event["attempt"] in self.waiting
            case "keyed" | "keyless":
                key = event.get("key") if claim is None else claim.key
                return (key is not None) is (name == "keyed")
            case "live":
                return event["key"] in self.live.get(event["session"], {})
            case "room" | "full":
                return self.has_room(event.get("size", 0), claim) is (name == "room")
            case "there" | "missing":
                return (event["messageId"] is not None) is (name == "there")
            case "dropped":
                return self.options["keepOrphans"] is False
        assert claim is not None
        return self.holds_of(claim, name, event)

    def holds_of(self, claim: TableClaim, name: str, event: Json) -> bool:
        """True if a condition about a claim holds."""
        attempt = event.get("attempt", "")
        others = [each for each in claim.attempts if each != attempt]
        match name:
            case "wanted" | "unwanted":
                return claim.wanted is (name == "wanted")
            case "differs":
                return self.differs(claim.digest, event.get("digest"))
            case "kept":
                same = [d for d in claim.attempts.values() if not self.differs(claim.digest, d)]
                return self.options["keepOrphans"] is True or bool(same)
            case "attended":
                return bool(claim.attempts or claim.rejected)
            case "live-only":
                return bool(event.get("live")) and claim.session in self.active
            case "first":
                return next(iter(claim.attempts), None) == attempt and bool(others)
            case "last":
                return not others
        raise AssertionError(name)

    def has_room(self, size: int, claim: TableClaim | None) -> bool:
        others = [each for each in self.claims.values() if each is not claim]
        most, most_bytes = self.options["most"], self.options["mostBytes"]
        if most is not None and len(others) >= most:
            return False
        total = size + sum(each.size for each in others)
        return most_bytes is None or not others or total <= int(most_bytes)

    def differs(self, one: str | None, other: str | None) -> bool:
        return self.options["compare"] is True and None not in (one, other) and one != other

    def carry_out(self, rule: Json, event: Json, claim: TableClaim | None) -> None:
        after = rule["next"]
        for name in rule["does"]:
            self.do(name, after, event, claim)
        if claim is None or after == "same" or {"again", "reject"} & {*rule["does"]}:
            return
        claim.state = after
        if after == "none":
            self.end(claim)

    def end(self, claim: TableClaim) -> None:
        for attempt in [*claim.rejected, *claim.attempts]:
            self.waiting.pop(attempt, None)
        self.claims.pop(claim.name, None)

    def do(self, name: str, after: str, event: Json, claim: TableClaim | None) -> None:
        attempt, digest, size = event.get("attempt", ""), event.get("digest"), event.get("size", 0)
        match name.split():
            case ["answer", "live"]:
                message_id, known = self.live[event["session"]][event["key"]]
                self.answer(attempt, REUSED if self.differs(known, digest) else message_id)
            case ["answer", code] if code.startswith("-"):
                self.answer(attempt, int(code))
            case ["start"]:
                new = self.start(event["session"], event.get("key"), after)
                new.digest, new.size, new.attempts[attempt] = digest, size, digest
                self.waiting[attempt] = new
            case ["start", "rejected"]:
                new = self.start(event["session"], event["key"], after)
                new.size, new.wanted, new.rejected[attempt] = size, False, (digest, FULL)
                self.waiting[attempt] = new
            case ["allow" | "deny"]:
                self.allowed = name == "allow"
            case ["forget", "live"]:
                self.live.pop(event["session"], None)
                self.active.pop(event["session"], None)
            case _:
                assert claim is not None
                self.do_with(name, event, claim)

    def do_with(self, name: str, event: Json, claim: TableClaim) -> None:
        """Do what is about a claim that was there before."""
        attempt = event.get("attempt", "")
        match name.split():
            case ["join"]:
                self.add(claim, event)
            case ["reject"]:
                rejected = claim.rejected | {attempt: (event.get("digest"), FULL)}
                self.replace(claim, rejected)
            case ["answer", whom]:
                self.answer_some(whom, event, claim)
            case ["fail", "all"]:
                for each in [*claim.rejected, *claim.attempts]:
                    self.answer(each, event.get("code", CANCELLED))
            case ["again"]:
                code = event.get("code", CANCELLED)
                new = {each: (digest, code) for each, digest in claim.attempts.items()}
                self.replace(claim, new | claim.rejected)
            case ["stop" | "promote"]:
                self.effects.append({"do": name, "claim": claim.name})
            case ["leave"]:
                self.leave(attempt, None)
            case ["know", "live"]:
                live = self.live.setdefault(claim.session, {})
                live[str(claim.key)] = event["messageId"], claim.digest
            case _:
                raise AssertionError(name)

    def add(self, claim: TableClaim, event: Json) -> None:
        attempt, digest = event["attempt"], event.get("digest")
        self.waiting[attempt] = claim
        if not claim.wanted:
            claim.wanted, claim.digest, claim.size = True, digest, event.get("size", 0)
        claim.attempts[attempt] = digest

    def answer_some(self, whom: str, event: Json, claim: TableClaim) -> None:
        if whom == "rejected":
            for each, (_, code) in list(claim.rejected.items()):
                self.leave(each, code)
        elif whom == "differing":
            for each, of in list(claim.attempts.items()):
                if self.differs(claim.digest, of):
                    self.leave(each, REUSED)
        else:
            assert whom == "all"
            kept = event.get("digest", claim.digest if event["event"] == "inserted" else None)
            rejected = {each: of for each, (of, _) in claim.rejected.items()}
            for each, of in (rejected | claim.attempts).items():
                self.answer(each, REUSED if self.differs(kept, of) else event["messageId"])

    def start(self, session: str, key: str | None, state: str) -> TableClaim:
        self.started += 1
        claim = TableClaim(str(self.started), session, key, state)
        self.claims[claim.name] = claim
        self.effects.append({"do": "start", "claim": claim.name})
        return claim

    def replace(self, claim: TableClaim, rejected: dict[str, tuple[str | None, int]]) -> None:
        self.end(claim)
        again = self.start(claim.session, claim.key, "claimed")
        again.size, again.wanted, again.rejected = claim.size, False, rejected
        self.waiting |= dict.fromkeys(rejected, again)

    def leave(self, attempt: str, code: int | None) -> None:
        claim = self.waiting.pop(attempt)
        claim.attempts.pop(attempt, None)
        claim.rejected.pop(attempt, None)
        if code is not None:
            self.answer(attempt, code)

    def answer(self, attempt: str, outcome: str | int) -> None:
        member = "messageId" if isinstance(outcome, str) else "code"
        self.effects.append({"do": "answer", "attempt": attempt, member: outcome})

    def states(self) -> dict[str, str]:
        """The state of every claim that is left, by its name."""
        return {name: claim.state for name, claim in self.claims.items()}
