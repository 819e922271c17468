"""Connections are cut at random moments, and each prompt is inserted once."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import product

import pytest

from acp_conformance.fault_proxy import FaultProxy, Moment, Relayed, RelayFault
from acp_retry import Backoff, Client, Remote
from acp_wire.remote import Timing
from proofs import amount, scaled
from remote_servers import SDKS, LoopbackAgent, SdkServer, served
from waiting import HANGS

TIMING = Timing(opening=5.0, posting=5.0, silence=3.0, doubt=0.4, closing=0.5)
BACKOFF = Backoff(first=0.02, longest=0.2)
FAULTS = {
    Moment.REQUEST: (RelayFault.CUT, RelayFault.CUT_AFTER),
    Moment.RESPONSE: (RelayFault.CUT, RelayFault.CUT_AFTER, RelayFault.BAD_GATEWAY),
    Moment.EVENT: (
        RelayFault.CUT,
        RelayFault.CUT,
        RelayFault.CUT_AFTER,
        RelayFault.DROP,
        RelayFault.END,
    ),
    Moment.UP: (RelayFault.CUT, RelayFault.CUT_AFTER),
    Moment.DOWN: (RelayFault.CUT, RelayFault.CUT_AFTER),
}
"""A dropped event is followed by a cut, since no server loses what it writes to a live stream."""

TOGETHER = 4
"""Prompts that are on their way at once."""


@dataclass
class Chaos:
    """Breaks one message in some, until it has broken enough."""

    random: random.Random
    left: int
    one_in: int = 12
    cuts: Counter[str] = field(default_factory=Counter)
    dropped: bool = False

    def rule(self, exchange: Relayed) -> RelayFault:
        if self.dropped and exchange.moment is Moment.EVENT:
            self.dropped = False
            return RelayFault.CUT
        if not self.left or self.random.randrange(self.one_in):
            return RelayFault.PASS
        fault = self.random.choice(FAULTS[exchange.moment])
        self.dropped = fault is RelayFault.DROP
        self.left -= 1
        self.cuts[f"{exchange.moment.name} {fault.name}"] += 1
        return fault


async def prompts_until_all_cuts_are_done(
    agent: LoopbackAgent, server: SdkServer, scheme: str, cuts: int, seed: int
) -> tuple[list[str], list[str], Chaos]:
    """Submit prompts under random cuts. Return what was sent, what was inserted, and the cuts."""
    chaos = Chaos(random.Random(seed), cuts)
    proxy = FaultProxy(lambda: ("127.0.0.1", server.port))
    url = f"{scheme}://127.0.0.1:{await proxy.start()}/acp"
    sent: list[str] = []
    try:
        async with Client(Remote(url, timing=TIMING), backoff=BACKOFF) as client:
            session = await client.new_session(cwd="/")
            proxy.rule = chaos.rule

            async def submit_some() -> None:
                while chaos.left:
                    text = f"prompt {len(sent)}"
                    sent.append(text)
                    pending = await client.submit(session, [{"type": "text", "text": text}])
                    async with asyncio.timeout(HANGS):
                        await pending.message_id()

            await asyncio.gather(*(submit_some() for _ in range(TOGETHER)))
            assert await client.pending() == []
    finally:
        await proxy.close()
    bodies = await asyncio.to_thread(agent.texts, session)
    return sent, [json.loads(body)[0]["text"] for body in bodies], chaos


EVERY = [*product(SDKS, ("http", "ws"))]
FEW = [("python", "ws")]


@pytest.mark.bulk
@scaled("a thousand cuts over both transports and servers")
@pytest.mark.parametrize(("sdk", "scheme"), amount(FEW, EVERY))
def test_nothing_is_lost_and_nothing_doubled(sdk: str, scheme: str) -> None:
    cuts = amount(20, 250)
    with served(sdk, pause=0.005) as (agent, server):
        sent, inserted, chaos = asyncio.run(
            prompts_until_all_cuts_are_done(agent, server, scheme, cuts, seed=7)
        )
    assert chaos.cuts.total() == cuts
    assert Counter(inserted) == Counter(sent)
