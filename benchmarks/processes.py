"""Whole processes that judge a file of messages, acpgen against its peers, in turn.

    python benchmarks/processes.py [--lines 100000] [--pairs 5] [--peers FOLDER]

A peer is measured right after acpgen, as often as there are pairs, so a busy machine slows both;
the median of the ratios counts. CPU time and peak memory are what the operating system accounts.
Tools that come as commands are installed into an environment of their own, kept in FOLDER if one is
named, and so is acpgen itself, as a user installs it. Byte code is written before anything is
measured. The last table has the targets, and how they were reached in this run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import corpus

HERE = Path(__file__).parent
ROOT = HERE.parent
BUNDLE = HERE.parent / "generated" / "schema" / "acp-v2.unstable.schema.json"
TOOLS = {"jsonschema": "sourcemeta-jsonschema", "check-jsonschema": "check-jsonschema"}
"""Commands, and the packages that bring them. Both bring a `jsonschema`."""
MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BROKEN = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}\n'
DECIDED = (0, 1)
SOURCEMETA = (0, 1, 2)
"""The exit statuses of a verdict. Sourcemeta exits with 2 for invalid input."""
Command = Sequence[str]
PARSING = "orjson, parsing only"
INVALID = "acpgen validate, of an invalid one"
INSTALLED = ", installed"


@dataclass(frozen=True, slots=True)
class Run:
    """The cost of one process: CPU seconds and peak MiB."""

    seconds: float
    memory: float


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of one peer, and of its ratios to acpgen in the same round."""

    name: str
    seconds: float
    memory: float
    ratio: float
    said: str = ""


class Reached:
    """What was measured for the targets, in the order in which they are printed."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, target: str, limit: float, measured: float, *, least: bool = False) -> None:
        """Note a target: a ratio of at most, or at `least`, a limit."""
        met = measured >= limit if least else measured <= limit
        sign = "≥" if least else "≤"
        shown = f"{measured:.2f}" if met else f"**missed: {measured:.2f}**"
        self._lines.append(f"| {target.format(limit=f'{sign} {limit:g}')} | {shown} |")

    def table(self) -> str:
        """All of them in Markdown."""
        return "\n".join(["### Targets", "", "| target | reached |", "|-|-|", *self._lines]) + "\n"


def run(command: Command) -> Run:
    """Measure one process.

    Raises:
        SystemExit: it did not come to a verdict, so there is nothing to measure.
    """
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (SOURCEMETA if "sourcemeta" in command[0] else DECIDED):
        raise SystemExit(f"ended with {process.returncode}: {' '.join(command)}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def environment() -> dict[str, str]:
    """Ours, with the folders that this process imports from, and with byte code."""
    path = os.pathsep.join(p for p in sys.path if p and p != str(HERE))
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": path}


def acpgen(*arguments: str) -> Command:
    """The command of acpgen, as its console script runs it."""
    program = "import sys; sys.argv[0] = 'acpgen'; from acpgen.cli import main; main()"
    return (sys.executable, "-c", program, *arguments)


def installed_acpgen(folder: Path) -> Command:
    """The command of acpgen from an environment that has it as a user installs it, anew."""
    place = folder / "acpgen"
    python = str(place / "bin" / "python")
    if not place.exists():
        venv.create(place, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", str(ROOT)], check=True)
    again = ["install", "-q", "--force-reinstall", "--no-deps", str(ROOT)]
    subprocess.run([python, "-m", "pip", *again], check=True)
    return (python, "-I", str(place / "bin" / "acpgen"))


def peer(name: str, file: Path) -> Command:
    """A validator of `peers/peer.py`."""
    return (sys.executable, str(HERE / "peers" / "peer.py"), name, str(file))


def ajv(file: Path) -> dict[str, Command]:
    """Ajv on Node.js; empty where one of the two is not installed."""
    node = which("node")
    if node is None or not (ROOT / "tests" / "interop" / "node_modules" / "ajv").is_dir():
        return {}
    return {"Ajv, whole bundle": (node, str(HERE / "peers" / "ajv.mjs"), str(file))}


def compare(own: Command, peers: Mapping[str, Command], pairs: int) -> Iterator[Row]:
    """Medians of every peer; each run of a peer follows one of ours."""
    for command in (own, *peers.values()):
        run(command)  # leaves byte code behind
    for name, command in peers.items():
        rounds = [(run(own), run(command)) for _ in range(pairs)]
        yield Row(
            name,
            statistics.median(theirs.seconds for _, theirs in rounds),
            statistics.median(theirs.memory for _, theirs in rounds),
            statistics.median(theirs.seconds / ours.seconds for ours, theirs in rounds),
            said(command),
        )


def said(command: Command) -> str:
    """How many messages a peer says it refuses, where it says so in a number."""
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=False
    ).stdout.strip()
    return done if done.isdecimal() else ""


def table(title: str, rows: Sequence[Row]) -> str:
    """A table in Markdown."""
    lines = [f"### {title}", "", "| | CPU s | x acpgen | peak MiB | refused |", "|-|-:|-:|-:|-:|"]
    lines += [
        f"| {row.name} | {row.seconds:.3f} | {row.ratio:.2f} | {row.memory:.0f} | {row.said} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def written(folder: Path, lines: int, share: float, *, readable: bool = False) -> Path:
    """A file of the corpus with a suffix that every peer accepts; on request, only valid JSON."""
    file = folder / f"{lines}-{share}{'-json' if readable else ''}.jsonl"
    with file.open("wb") as out:
        for line in corpus.lines(lines, share, seed=1):
            if not readable or line.fault is None or line.fault.rule != "not-json":
                out.write(line.text + b"\n")
    return file


def commands_in(folder: Path) -> Mapping[str, str]:
    """The commands that could be installed, by name, each in an environment of its own."""
    found: dict[str, str] = {}
    for command, package in TOOLS.items():
        place = folder / package
        if not place.exists():
            venv.create(place, with_pip=True)
            install = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", package]
            subprocess.run(install, check=False)
        # The program itself, where the package wraps it in a Python script.
        programs = [*place.glob(f"lib/*/site-packages/*/{command}-*"), place / "bin" / command]
        if program := next((path for path in programs if path.is_file()), None):
            found[command] = str(program)
    return found


def whole(
    folder: Path, lines: int, pairs: int, installed: Mapping[str, str], reached: Reached
) -> Iterator[str]:
    """Tables for long input: clean, with a few faults, and with many."""
    clean, few = written(folder, lines, 0), written(folder, lines, 0.01)
    short, half = written(folder, lines // 10, 0.01), written(folder, lines, 0.5)
    for title, file in (("all valid", clean), ("1 % faulty", few)):
        peers: dict[str, Command] = {
            "acpgen again": acpgen("validate", str(file)),
            "reading lines": peer("read_only", file),
            PARSING: peer("parse_only", file),
            "jsonschema-rs, whole bundle": peer("rust", file),
            "jsonschema-rs, by method": peer("rust_dispatched", file),
        }
        # It stops at a line that is not JSON.
        if "jsonschema" in installed and file is clean:
            peers["sourcemeta --fast"] = sourcemeta(installed["jsonschema"], file)
        own = acpgen("validate", str(file))
        rows = list(compare(own, peers, pairs))
        if file is clean:
            parsing = ratio_of(rows, PARSING)
            reached.add("valid messages {limit} x parsing only", 1.25, 1 / parsing)
        yield table(f"{lines:,} messages, {title}", rows)
    if "jsonschema" in installed:
        file, program = written(folder, lines, 0.01, readable=True), installed["jsonschema"]
        peers = {
            "sourcemeta --fast": sourcemeta(program, file),
            "sourcemeta, with reasons": sourcemeta(program, file, fast=False),
        }
        own = acpgen("validate", str(file))
        yield table(f"{lines:,} messages, 1 % faulty, all JSON", list(compare(own, peers, pairs)))
    slow: dict[str, Command] = {
        "pydantic models, by method": peer("models", short),
        "fastjsonschema, by method": peer("fast", short),
    }
    slow |= ajv(short)
    own = acpgen("validate", str(short))
    yield table(f"{lines // 10:,} messages, 1 % faulty", list(compare(own, slow, 3)))
    few = written(folder, lines // 100, 0.01)
    own = acpgen("validate", str(few))
    peers = {"jsonschema (Python), by method": peer("python", few)}
    yield table(f"{lines // 100:,} messages, 1 % faulty", list(compare(own, peers, 3)))
    own = acpgen("validate", str(half))
    errors = "jsonschema-rs with errors, by method"
    peers = {PARSING: peer("parse_only", half), errors: peer("rust_errors", half)}
    rows = list(compare(own, peers, pairs))
    reached.add("half of them faulty {limit} x parsing only", 6, 1 / ratio_of(rows, PARSING))
    faster = ratio_of(rows, errors)
    reached.add("half of them faulty {limit} x jsonschema-rs with errors", 3, faster, least=True)
    yield table(f"{lines:,} messages, half of them faulty", rows)


def ratio_of(rows: Sequence[Row], name: str) -> float:
    """The ratio of a row."""
    return next(row.ratio for row in rows if row.name == name)


def sourcemeta(command: str, file: Path, *, fast: bool = True) -> Command:
    """The fast mode, which gives no reasons, or the other one."""
    return (command, "validate", str(BUNDLE), str(file), "--continue", *(["--fast"] * fast))


@dataclass(frozen=True, slots=True)
class Tools:
    """What was installed: commands by their names, and acpgen."""

    commands: Mapping[str, str]
    acpgen: Command


def growth(folder: Path, lines: int, pairs: int, reached: Reached) -> str:
    """A table of what longer and longer input takes."""
    rows = ["### Longer input, 1 % faulty", "", "| messages | CPU s | us a message | peak MiB |"]
    rows.append("|-:|-:|-:|-:|")
    most = 0.0
    for number in (lines // 10, lines, 5 * lines):
        file = written(folder, number, 0.01)
        runs = [run(acpgen("validate", str(file))) for _ in range(pairs)]
        seconds = statistics.median(each.seconds for each in runs)
        memory = max(each.memory for each in runs)
        most = max(most, memory)
        rows.append(f"| {number:,} | {seconds:.2f} | {seconds / number * 1e6:.2f} | {memory:.0f} |")
    reached.add("peak memory {limit} MiB at any length", 32, most)
    return "\n".join(rows) + "\n"


def first(folder: Path, pairs: int, tools: Tools, reached: Reached) -> str:
    """A table of what the verdict on one message takes, by starting Python."""
    valid, broken = folder / "valid.jsonl", folder / "broken.jsonl"
    valid.write_bytes(MESSAGE)
    broken.write_bytes(BROKEN)
    bare = (sys.executable, "-c", "pass")
    peers: dict[str, Command] = {
        "acpgen validate": acpgen("validate", str(valid)),
        INVALID: acpgen("validate", str(broken)),
        "acp_v2.check": (
            sys.executable,
            "-c",
            f"import acp_v2; acp_v2.check(open({str(valid)!r}, 'rb').read())",
        ),
        "jsonschema-rs, by method": peer("rust_dispatched", valid),
        "jsonschema-rs, whole bundle": peer("rust", valid),
        "jsonschema (Python), by method": peer("python", valid),
        "pydantic models, by method": peer("models", valid),
        "fastjsonschema, by method": peer("fast", valid),
    }
    if (node := which("node")) is not None:
        peers["node alone"] = (node, "-e", "0")
    peers |= ajv(valid)
    peers["acpgen validate" + INSTALLED] = (*tools.acpgen, "validate", str(valid))
    peers[INVALID + INSTALLED] = (*tools.acpgen, "validate", str(broken))
    installed = tools.commands
    if "jsonschema" in installed:
        peers["sourcemeta --fast"] = sourcemeta(installed["jsonschema"], valid)
    if "check-jsonschema" in installed:
        single = folder / "valid.json"
        single.write_bytes(MESSAGE)
        command = installed["check-jsonschema"]
        peers["check-jsonschema"] = (command, "--schemafile", str(BUNDLE), str(single))
    rows = ["### One message", "", "| | CPU ms | x `python -c pass` |", "|-|-:|-:|"]
    found = list(compare(bare, peers, pairs))
    rows += [f"| {row.name} | {row.seconds * 1000:.0f} | {row.ratio:.2f} |" for row in found]
    invalid, valid_one = ratio_of(found, INVALID), ratio_of(found, "acpgen validate")
    reached.add("first verdict on an invalid message {limit} x starting Python", 4, invalid)
    own = valid_one / ratio_of(found, "acpgen validate" + INSTALLED)
    reached.add("a valid message from a checkout {limit} x installed", 1.5, own)
    own = invalid / ratio_of(found, INVALID + INSTALLED)
    reached.add("an invalid message from a checkout {limit} x installed", 1.5, own)
    return "\n".join(rows) + "\n"


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description="Compare whole processes by CPU time.")
    parser.add_argument("--lines", type=int, default=100_000, help="messages of the long input")
    parser.add_argument("--pairs", type=int, default=5, help="how often each takes its turn")
    parser.add_argument("--peers", type=Path, help="where to keep the tools that are installed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        place = (options.peers or folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
        installed, reached = Tools(commands_in(place), installed_acpgen(place)), Reached()
        print(first(folder, 3 * options.pairs, installed, reached), flush=True)
        print(growth(folder, options.lines, options.pairs, reached), flush=True)
        for text in whole(folder, options.lines, options.pairs, installed.commands, reached):
            print(text, flush=True)
        print(reached.table())


if __name__ == "__main__":
    main()
