"""A log that is still written: a broken line waits for one more line at most."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acpgen.logs import callers_of, read
from acpgen.logs.log_lines import Lines

OPENING = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}',
    '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}',
)
CUT = '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"prompt":[{"type":"text"}]}}'
NEXT = '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}'
PREFIXES = ("10:00:{:02d} -> ", "agent | ", "> ", "[12:{:02d}.000] ")


class Written:
    """Lines as they are written; `count` is how many were read so far."""

    def __init__(self, lines: list[str]) -> None:
        self.count = 0
        self._lines = lines

    def lines(self) -> Lines:
        for line in self._lines:
            self.count += 1
            yield self.count, line.encode() + b"\n"


def cuts() -> Iterator[str]:
    """Each part of a message that can be seen to be one."""
    for end in range(CUT.index(":") + 1, len(CUT)):
        yield CUT[:end]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("below", [NEXT, "INFO busy"], ids=["message", "other output"])
def test_a_line_that_is_cut_off_waits_for_the_next_line_only(prefix: str, below: str) -> None:
    for cut in cuts():
        texts = [*OPENING, cut, below, NEXT, NEXT, NEXT]
        written = Written([prefix.format(n) + text for n, text in enumerate(texts)])
        log = read(written.lines(), callers=lambda: callers_of([]))
        seen = {message.line: written.count for message in log.messages()}
        assert seen[3] == 4, cut
