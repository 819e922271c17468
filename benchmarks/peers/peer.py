"""One validator as a program of its own: `python peer.py NAME FILE`.

Reads a message a line, one at a time, and prints how many it refuses. Each peer imports only what
it needs and compiles the generated bundle, as somebody would who has nothing else. None of them
knows which request a response answers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

GENERATED = Path(__file__).parents[2] / "generated"
BUNDLE = GENERATED / "schema" / "acp-v2.unstable.schema.json"
METHODS = GENERATED / "json" / "methods.json"
Check = Callable[[object], object]
Judge = Callable[[bytes], object]
"""Returns something false, or raises ValueError, for what it refuses."""


def read_only() -> Judge:
    """Lines are read, and not looked at."""
    return lambda _: True


def parse_only() -> Judge:
    """Lines are parsed by orjson, and anything that is JSON will do."""
    import orjson

    return lambda line: (orjson.loads(line), True)


def rust() -> Judge:
    """The library jsonschema-rs, by the whole bundle."""
    import jsonschema_rs

    return _parsed(jsonschema_rs.validator_for(_bundle()).is_valid)


def rust_dispatched() -> Judge:
    """The library jsonschema-rs, by the definition of the method's params."""
    import jsonschema_rs

    return _dispatched(lambda schema: jsonschema_rs.validator_for(dict(schema)).is_valid)


def rust_errors() -> Judge:
    """The same, listing what is wrong."""
    import jsonschema_rs

    def check_by(schema: Mapping[str, object]) -> Check:
        errors = jsonschema_rs.validator_for(dict(schema)).iter_errors
        return lambda value: not [(e.instance_path, e.message) for e in errors(value)]

    return _dispatched(check_by)


def fast() -> Judge:
    """The library fastjsonschema, by the definition of the method's params."""
    import fastjsonschema

    return _dispatched(lambda schema: fastjsonschema.compile(dict(schema)), silent=True)


def python() -> Judge:
    """The library jsonschema, by the definition of the method's params."""
    import jsonschema

    return _dispatched(lambda schema: jsonschema.Draft202012Validator(schema).is_valid)


def models() -> Judge:
    """The generated pydantic models, chosen by method."""
    from pydantic import TypeAdapter

    from acp_v2 import models as generated

    def check_by(schema: Mapping[str, object]) -> Check:
        type_ = getattr(generated, str(schema["$ref"]).rpartition("/")[2])
        validate = TypeAdapter(type_).validate_python
        return lambda value: validate(value, strict=True, by_alias=True, by_name=False)

    return _dispatched(check_by, silent=True)


def _bundle() -> dict[str, object]:
    bundle: dict[str, object] = json.loads(BUNDLE.read_bytes())
    return bundle


def _parsed(check: Check) -> Judge:
    import orjson

    return lambda line: check(orjson.loads(line))


def _dispatched(
    check_by: Callable[[Mapping[str, object]], Check], *, silent: bool = False
) -> Judge:
    """Envelope and method by hand, the rest by an engine; a `silent` one raises ValueError."""
    import orjson

    definitions, known = _bundle()["$defs"], dict[object, Check]()
    rows = json.loads(METHODS.read_bytes())["methods"]
    params = {(row["method"], row["kind"] == "request"): row["params"] for row in rows}

    def check(name: str) -> Check:
        if name not in known:
            known[name] = check_by({"$ref": f"#/$defs/{name}", "$defs": definitions})
        return known[name]

    def judge(line: bytes) -> object:
        message = orjson.loads(line)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        if "method" not in message:
            if "error" in message:
                return (check("Error")(message["error"]) or silent) and "result" not in message
            return "result" in message and "id" in message
        name = params.get((message["method"], "id" in message))
        if name is None or "params" not in message or "result" in message or "error" in message:
            return False
        return check(name)(message["params"]) or silent

    return judge


PEERS: Mapping[str, Callable[[], Judge]] = {
    each.__name__: each
    for each in (
        read_only,
        parse_only,
        rust,
        rust_dispatched,
        rust_errors,
        fast,
        python,
        models,
    )
}


def main(name: str, file: str) -> None:
    """Judge the lines of a file."""
    judge, refused = PEERS[name](), 0
    with Path(file).open("rb") as lines:
        for line in lines:
            try:
                refused += not judge(line)
            except ValueError:
                refused += 1
    print(refused)


if __name__ == "__main__":
    main(*sys.argv[1:])
