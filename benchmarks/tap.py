"""What `acpgen tap` adds to a message, to a flood of them, and to the start of an agent.

    python benchmarks/tap.py

A client sends a message of some hundred bytes to an agent that sends it back, and waits for it,
directly and through the tap by turns. Both pass the tap, so a round trip is two messages.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ECHO = """
import os
while data := os.read(0, 65536):
    while data:
        data = data[os.write(1, data):]
"""
AGENT = (sys.executable, "-S", "-c", ECHO)
PARAMS = {"sessionId": "s", "prompt": [{"type": "text", "text": "x" * 200}]}


def line(number: int) -> bytes:
    """A request."""
    message = {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": PARAMS}
    return json.dumps(message).encode() + b"\n"


def commands(folder: Path) -> Mapping[str, Sequence[str]]:
    """The agent alone, and behind a tap with more and more to do."""
    tap = (sys.executable, "-m", "acpgen", "tap")
    record = ("--record", str(folder / "t.ndjson"))
    return {
        "directly": AGENT,
        "tap": (*tap, "--", *AGENT),
        "tap --record": (*tap, *record, "--", *AGENT),
        "tap --record --check": (*tap, *record, "--check", "--", *AGENT),
        "tap --lose": (*tap, "--lose", "answer:session/load", "--", *AGENT),
    }


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start an agent."""
    pipe = subprocess.PIPE
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, bufsize=0)


def pipes(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """What to write to, and what to read from."""
    if process.stdin is None or process.stdout is None:
        raise SystemExit("no pipes")
    return process.stdin.fileno(), process.stdout.fileno()


def round_trips(command: Sequence[str], number: int) -> list[float]:
    """The seconds that each of some round trips takes."""
    times = []
    with start(command) as process:
        into, out = pipes(process)
        for each in range(number + 20):
            sent, got = line(each), b""
            began = time.perf_counter()
            os.write(into, sent)
            while len(got) < len(sent):
                got += os.read(out, 65_536)
            times.append(time.perf_counter() - began)
            time.sleep(0.002)  # as between real messages
    return times[20:]


def flood(command: Sequence[str], number: int) -> float:
    """The messages a second that come back, if they are sent without waiting."""
    data = b"".join(map(line, range(number)))
    with start(command) as process:
        into, out = pipes(process)
        began = time.perf_counter()
        writer = threading.Thread(target=_send, args=(into, data))
        writer.start()
        left = len(data)
        while left:
            left -= len(os.read(out, 65_536))
        took = time.perf_counter() - began
        writer.join()
    return number / took


def _send(into: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(into, left[:65_536]) :]


def cpu(command: Sequence[str]) -> float:
    """The CPU seconds of starting an agent that gets nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    null = subprocess.DEVNULL
    subprocess.run(command, stdin=null, stdout=null, stderr=null, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Measure what acpgen tap adds.")
    parser.add_argument("--messages", type=int, default=1000, help="round trips of each")
    parser.add_argument("--flood", type=int, default=50_000, help="messages without waiting")
    parser.add_argument("--starts", type=int, default=7, help="starts of each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        rows = []
        for name, command in commands(Path(temporary)).items():
            halves = [each / 2 for each in round_trips(command, options.messages)]
            starts = statistics.median(cpu(command) for _ in range(options.starts))
            quick = flood(command, options.flood)
            rows.append((name, statistics.median(halves), max(halves), quick, starts))
    base = rows[0]
    print("### What a tap adds\n")
    print(
        "| | ms a message, median | added | at most | messages/s, flood | CPU s to start, added |"
    )
    print("|-|-:|-:|-:|-:|-:|")
    for name, median, most, quick, starts in rows:
        print(
            f"| {name} | {median * 1000:.3f} | {(median - base[1]) * 1000:.3f} "
            f"| {most * 1000:.1f} | {quick:,.0f} | {starts - base[4]:.3f} |"
        )


if __name__ == "__main__":
    main()
