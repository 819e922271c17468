"""Damaged messages, the engines that say whether they are valid, and how far these agree.

    python tests/support/mutants.py 100000

prints the table of docs/agreement.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
from pydantic import ValidationError

import acp_v2.models
from acp_v2.models import signature
from acp_wire.pairing import Pairing
from acpgen.emit.jsonschema import JsonSchema
from acpgen.findings import Severity
from acpgen.judge.fast_path import FastPath
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.type_checks import JudgedMethod
from acpgen.model import JsonValue, Kind, Method, Side, Stability
from acpgen.targets.bundles import bundle
from acpgen.types.samples import Samples
from acpgen.types.type_table import method_row, type_table
from agreement import acp, checkers, decoders, nudged, samples, schemas, strict

SEED = int(os.environ.get("ACPGEN_SEED", "1"))
AJV = Path(__file__).parents[1] / "targets" / "ajv.mjs"


@dataclass(frozen=True)
class Mutant:
    """A damaged message, who sends it, and the method it answers."""

    message: Any
    sender: str | None
    answers: Method | None
    verdict: MessageVerdict = field(compare=False)

    @property
    def text(self) -> bytes:
        return json.dumps(self.message).encode()

    @property
    def answered(self) -> str | None:
        return None if self.answers is None else self.answers.name

    @property
    def strict(self) -> bool:
        """True if a strict peer takes it, by the judge."""
        return strict(self.verdict)

    @property
    def called(self) -> Method | None:
        """The method that it calls, if the protocol has it in that kind."""
        if not isinstance(self.message, dict):
            return None
        kind = Kind.REQUEST if "id" in self.message else Kind.NOTIFICATION
        name = self.message.get("method")
        return next((m for m in acp().methods if m.name == name and m.kind is kind), None)


def judged(message: Any, sender: str | None, answers: Method | None) -> MessageVerdict:
    side = None if sender is None else Side(sender)
    return judge().judge(message, sender=side, answers=asked(answers))


def asked(method: Method | None) -> JudgedMethod | None:
    """A method as the judge knows it."""
    return None if method is None else JudgedMethod(method_row(method))


@cache
def judge() -> Judge:
    return Judge(type_table(acp()))


@cache
def mutants(number: int) -> tuple[Mutant, ...]:
    return tuple(
        Mutant(message, sender, answers, judged(message, sender, answers))
        for message, sender, answers in islice(damaged(), number)
    )


def damaged() -> Iterator[tuple[JsonValue, str | None, Method | None]]:
    """Three of four samples, for the first of each four is whole."""
    rng = Random(SEED)
    while True:
        for number, sample in enumerate(samples(acp(), Random(rng.random()), 10)):
            if number % 4:
                message: Any = sample[0]
                yield message, sample[1], sample[2]


def is_integral_float(mutant: Mutant) -> bool:
    """`5.0` is an integer to JSON Schema, and none to a typed decoder such as serde."""
    mended = whole(mutant.message)
    return not mutant.strict and strict(judged(mended, mutant.sender, mutant.answers))


def is_optional_notification(mutant: Mutant) -> bool:
    """An unknown notification `$/...` may be passed over: the judge notes it, schemas refuse it."""
    return mutant.strict and any(f.severity is Severity.NOTE for f in mutant.verdict.findings)


def whole(value: object) -> object:
    """The value with an integer for each `integral-float`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(part) for name, part in value.items()}
    return [whole(part) for part in value] if isinstance(value, list) else value


DIFFERENCES: Mapping[str, tuple[Callable[[Mutant], bool], frozenset[str]]] = {
    "integral-float": (is_integral_float, frozenset({"jsonschema-rs", "jsonschema", "ajv"})),
    "optional-notification": (
        is_optional_notification,
        frozenset({"checkers", "decoders", "jsonschema-rs", "jsonschema", "ajv"}),
    ),
}
"""What may differ from the judge, and in which engines. Each says why."""


def quick(mutant: Mutant) -> bool:
    """True if the fast path accepts it; all others go to the judge."""
    pairing = Pairing()
    message, sender = mutant.message, mutant.sender
    id_ = message.get("id") if isinstance(message, dict) else None
    if mutant.answered is not None and isinstance(id_, int | str):
        pairing.asked(mutant.answered, id_, "", "somebody")
    passed = FastPath(checkers(), pairing).accepts(message, sender, "", transcript=False)
    return passed or mutant.strict


def is_modelled(mutant: Mutant) -> bool:
    """True if it has params or a result that the models know."""
    message = mutant.message
    if not isinstance(message, dict):
        return False
    answers = mutant.answers is not None and "method" not in message and "result" in message
    return answers or (mutant.called is not None and "params" in message)


def models(mutant: Mutant) -> bool:
    """Params and results by the models; what surrounds them by the schema, with others inside."""
    message, method = mutant.message, mutant.called
    try:
        if method is not None:
            text = json.dumps(message["params"])
            acp_v2.models.parse(signature(method.name, method.kind.value).params_type, text)
            around = message | {"params": Samples(acp()).least(acp().types[method.params].body)}
        else:
            result = signature(mutant.answered or "").result_type
            acp_v2.models.parse(result, json.dumps(message["result"]))
            around = message | {"result": {}}
    except ValidationError:
        return False
    return schemas().accepts(nudged(around), mutant.sender, None)


@cache
def python(definition: str | None) -> Callable[[Any], bool]:
    return jsonschema.Draft202012Validator(entered(definition)).is_valid


def entered(definition: str | None) -> JsonSchema:
    root = bundle(acp(), Stability.UNSTABLE)
    if definition is None:
        return root
    return {"$schema": root["$schema"], "$defs": root["$defs"], "$ref": f"#/$defs/{definition}"}


def entries(mutant: Mutant) -> Iterator[tuple[str | None, Any]]:
    """The definitions that all have to accept, each with its value."""
    yield None if mutant.sender is None else f"{mutant.sender.title()}Envelope", mutant.message
    members = mutant.message if isinstance(mutant.message, dict) else {}
    if mutant.answers is not None and "method" not in members and "result" in members:
        yield mutant.answers.result, members["result"]


def ajv(given: Sequence[Mutant]) -> Iterable[bool]:
    """The verdicts of Ajv, in one process.

    Raises:
        OSError: there is no node.
        subprocess.CalledProcessError: there is no Ajv.
    """
    asked = [
        {"index": index, "entry": entry, "value": value}
        for index, mutant in enumerate(given)
        for entry, value in entries(mutant)
    ]
    text = json.dumps({"schema": bundle(acp(), Stability.UNSTABLE), "asked": asked})
    done = subprocess.run(
        ["node", str(AJV)], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    refused = set(json.loads(done.stdout))
    return [index not in refused for index in range(len(given))]


Engine = Callable[[Sequence[Mutant]], Iterable[bool]]


def each(accepts: Callable[[Mutant], bool]) -> Engine:
    return lambda given: map(accepts, given)


ENGINES: Mapping[str, Engine] = {
    "checkers": each(lambda m: checkers().accepts(m.message, m.sender, m.answered)),
    "decoders": each(lambda m: decoders().accepts_bytes(m.text, m.sender, m.answered)),
    "quick": each(quick),
    "models": each(models),
    "jsonschema-rs": each(lambda m: schemas().accepts(m.message, m.sender, m.answers)),
    "jsonschema": each(lambda m: all(python(name)(value) for name, value in entries(m))),
    "ajv": ajv,
}


@dataclass(frozen=True)
class Tally:
    """How far an engine agrees with the judge."""

    tried: int
    named: Counter[str]
    unexplained: tuple[Mutant, ...]


def tally(name: str, engine: Engine, given: Sequence[Mutant]) -> Tally:
    tried = [mutant for mutant in given if name != "models" or is_modelled(mutant)]
    named, unexplained = Counter[str](), list[Mutant]()
    for mutant, reported in zip(tried, engine(tried), strict=True):
        if reported == mutant.strict:
            continue
        if (difference := explained(name, mutant)) is None:
            unexplained.append(mutant)
        else:
            named[difference] += 1
    return Tally(len(tried), named, tuple(unexplained))


def explained(name: str, mutant: Mutant) -> str | None:
    """The difference that explains why an engine doesn't agree with the judge."""
    for difference, (applies, engines) in DIFFERENCES.items():
        if name in engines and applies(mutant):
            return difference
    return None


def table(given: Sequence[Mutant]) -> Iterator[str]:
    """The lines of a table in Markdown: a row an engine."""
    yield " | ".join(("| engine", "mutants tried", "unexplained", *DIFFERENCES)) + " |"
    yield "|-" + "|-:" * (2 + len(DIFFERENCES)) + "|"
    for name, engine in ENGINES.items():
        found = tally(name, engine, given)
        numbers = (found.tried, len(found.unexplained), *(found.named[d] for d in DIFFERENCES))
        yield " | ".join((f"| {name}", *(f"{n:,}" for n in numbers))) + " |"


if __name__ == "__main__":
    for line in table(mutants(int(sys.argv[1]))):
        print(line, flush=True)  # noqa: T201 - it is what the command is for
