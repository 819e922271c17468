"""CPU time of judging messages, compared with parsing alone and with other engines.

    python benchmarks/engine.py [--lines 20000] [--slice 500] [--rounds 7]

All engines take turns on the same messages in one process, each right after `orjson.loads` has
parsed them, so a busy machine slows both; what counts is the ratio. Slow engines get the first
messages only. The table names those that are not installed.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import corpus
import orjson

from acpgen import resources
from acpgen.judge.fast_path import FastEngine
from acpgen.load import load
from acpgen.model import Kind, Protocol, Stability
from acpgen.startup.checker_source import VERY_LONG, Made
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import compile_checkers, compile_decoders

Schema = Mapping[str, object]
Check = Callable[[object], bool]
Verdict = Callable[[bytes, str | None, str | None], bool]
"""Whether a text, from a sender or anyone, is a valid message; and if it answers a method."""
Sample = Sequence[corpus.Line]


@dataclass(slots=True)
class Engine:
    """One engine, and the time of each turn: in microseconds a message, and relative to parsing."""

    name: str
    make: Callable[[], Verdict]
    slow: bool = False
    verdict: Verdict | None = None
    missing: str = ""
    ratios: list[float] = field(default_factory=list)
    micros: list[float] = field(default_factory=list)
    found: int = 0
    alarms: int = 0


def engines(protocol: Protocol) -> list[Engine]:
    """The engines to compare."""
    schema = bundle(protocol, Stability.UNSTABLE)
    plain = compile_checkers(protocol)
    typed = compile_decoders(protocol, plain)
    rust, python, fast = (
        lambda: _dispatched(protocol, schema, _rust()),
        lambda: _dispatched(protocol, schema, _python()),
        lambda: _dispatched(protocol, schema, _fast()),
    )
    return [
        Engine("fast path of acpgen validate", lambda: _judged(protocol)),
        Engine("typed decoders", lambda: typed.accepts_bytes),
        Engine("typed decoders, nothing to remark", lambda: typed.clean),
        Engine("checkers + orjson", lambda: _parsed(plain.accepts)),
        Engine("checkers + json", lambda: plain.accepts_bytes),
        Engine("jsonschema-rs, whole bundle + orjson", lambda: _anyones(_rust()(schema))),
        Engine("jsonschema-rs, by method + orjson", rust),
        Engine("pydantic models, by method + orjson", lambda: _models(protocol), slow=True),
        Engine("fastjsonschema, by method + orjson", fast, slow=True),
        Engine("jsonschema, by method + orjson", python, slow=True),
    ]


def _judged(protocol: Protocol) -> Verdict:
    """The work of the command for each line of long input. The judge gets refused lines.

    So does a response to a broken request, which counts as a false alarm here.
    """
    engine = FastEngine(Made(protocol))
    engine.begin(VERY_LONG)
    passes = engine.filter(None, transcript=False)
    return lambda text, _sender, _answers: passes(text) is None


def _parsed(accepts: Callable[[object, str | None, str | None], bool]) -> Verdict:
    def verdict(text: bytes, sender: str | None, answers: str | None) -> bool:
        try:
            message = orjson.loads(text)
        except ValueError:
            return False
        return accepts(message, sender, answers)

    return verdict


def _anyones(is_valid: Check) -> Verdict:
    """A check that knows nothing of senders, nor of what was asked."""
    return _parsed(lambda message, _sender, _answers: is_valid(message))


def _rust() -> Callable[[Schema], Check]:
    import jsonschema_rs

    return lambda schema: jsonschema_rs.validator_for(dict(schema)).is_valid


def _python() -> Callable[[Schema], Check]:
    import jsonschema

    return lambda schema: bool_of(jsonschema.Draft202012Validator(schema).is_valid)


def bool_of(check: Callable[[object], object]) -> Check:
    """A check of an untyped library."""
    return lambda value: bool(check(value))


def _fast() -> Callable[[Schema], Check]:
    import fastjsonschema

    def check_by(schema: Schema) -> Check:
        check = fastjsonschema.compile(dict(schema))

        def is_valid(value: object) -> bool:
            try:
                check(value)
            except fastjsonschema.JsonSchemaValueException:
                return False
            return True

        return is_valid

    return check_by


def _models(protocol: Protocol) -> Verdict:
    from pydantic import TypeAdapter, ValidationError

    from acp_v2 import models

    def check_by(schema: Schema) -> Check:
        type_ = getattr(models, str(schema["$ref"]).rpartition("/")[2])
        validate = TypeAdapter(type_).validate_python

        def is_valid(value: object) -> bool:
            try:
                validate(value, strict=True, by_alias=True, by_name=False)
            except ValidationError:
                return False
            return True

        return is_valid

    return _dispatched(protocol, {"$defs": {}}, check_by)


def _dispatched(protocol: Protocol, schema: Schema, check_by: Callable[[Schema], Check]) -> Verdict:
    """A judge of the envelope and the method that leaves params and results to an engine."""
    params = {(str(m.name), m.kind is Kind.REQUEST): m.params for m in protocol.methods}
    results = {str(m.name): m.result for m in protocol.methods}

    @cache
    def check(name: str) -> Check:
        return check_by({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})

    def accepts(message: object, _sender: str | None, answers: str | None) -> bool:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        if "id" in message and not check("RequestId")(message["id"]):
            return False
        if "method" in message:
            name = params.get((message["method"], "id" in message))
            if name is None or "result" in message or "error" in message:
                return False
            return "params" in message and check(name)(message["params"])
        if "error" in message:
            return "result" not in message and check("Error")(message["error"])
        result = results.get(answers or "")
        return "result" in message and (result is None or check(result)(message["result"]))

    return _parsed(accepts)


def parse(sample: Sample) -> float:
    """CPU seconds of parsing alone."""
    texts = [line.text for line in sample]
    loads = orjson.loads
    gc.collect()
    start = time.process_time()
    for text in texts:
        try:
            loads(text)
        except ValueError:
            continue
    return time.process_time() - start


def decide(verdict: Verdict, sample: Sample) -> float:
    """CPU seconds of one engine."""
    messages = [(line.text, line.answers) for line in sample]
    gc.collect()
    start = time.process_time()
    for text, answers in messages:
        verdict(text, None, answers)
    return time.process_time() - start


def take_turn(engine: Engine, sample: Sample) -> None:
    """Measure parsing and then an engine, if it is installed."""
    if engine.verdict is not None:
        alone = parse(sample)
        taken = decide(engine.verdict, sample)
        engine.ratios.append(taken / alone)
        engine.micros.append(taken / len(sample) * 1e6)


def examine(engine: Engine, sample: Sample) -> None:
    """Make an engine, and count the faults that it finds and the valid messages it refuses."""
    try:
        engine.verdict = engine.make()
    except ImportError as error:
        engine.missing = f"needs {error.name}"
        return
    for line in sample:
        refused = not engine.verdict(line.text, None, line.answers)
        engine.found += refused and line.fault is not None
        engine.alarms += refused and line.fault is None


def row(engine: Engine, faults: int) -> str:
    """The line of the table for one engine."""
    if engine.missing:
        return f"| {engine.name} | {engine.missing} | | | |"
    ratio, micros = statistics.median(engine.ratios), statistics.median(engine.micros)
    found = f"{engine.found} of {faults}"
    return f"| {engine.name} | {ratio:.2f} | {micros:.2f} | {found} | {engine.alarms} |"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Compare engines by CPU time.")
    parser.add_argument("--lines", type=int, default=20_000, help="messages for fast engines")
    parser.add_argument("--slice", type=int, default=500, help="messages for slow engines")
    parser.add_argument("--faults", type=float, default=0.01, help="the share that is broken")
    parser.add_argument("--rounds", type=int, default=7, help="how often each takes its turn")
    options = parser.parse_args()
    sample = list(corpus.lines(options.lines, options.faults, seed=1))
    samples = {False: sample, True: sample[: options.slice]}
    compared = engines(load(resources.SCHEMA))
    for engine in compared:
        examine(engine, samples[engine.slow])
    for _ in range(options.rounds):
        for engine in compared:
            take_turn(engine, samples[engine.slow])
    print("| engine | x orjson | us a message | faults found | false alarms |")
    print("|-|-:|-:|-:|-:|")
    for engine in compared:
        faults = sum(line.fault is not None for line in samples[engine.slow])
        print(row(engine, faults))


if __name__ == "__main__":
    main()
