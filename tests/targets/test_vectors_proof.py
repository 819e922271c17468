"""Each witness can tell on a vector, and says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acpgen.model import JsonValue, Side
from acpgen.targets.vectors import UnprovenError
from acpgen.targets.vectors.proof import Proof
from acpgen.targets.vectors.vector import Dispute, Vector
from vector_files import PROTOCOL


def used(number: float) -> Vector:
    """A valid vector, by its own account, that says how many tokens are used."""
    update: JsonValue = {"sessionUpdate": "usage_update", "used": number, "size": 9}
    params: JsonValue = {"sessionId": "s", "update": update}
    message: JsonValue = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return Vector("used", Side.AGENT, message)


def test_the_schema_tells() -> None:
    proof = Proof(PROTOCOL)
    assert list(proof.proven("f.json", [used(5)])) == [used(5)]
    with pytest.raises(UnprovenError, match="by the bundled schema it is invalid"):
        list(proof.proven("f.json", [used(5.5)]))


def test_the_checkers_tell_what_the_schema_does_not() -> None:
    with pytest.raises(UnprovenError, match="by the checkers it is invalid"):
        list(Proof(PROTOCOL).proven("f.json", [used(5.0)]))


def test_where_implementations_differ_nobody_is_asked() -> None:
    known = replace(used(5.0), differs=Dispute.INTEGRAL_FLOAT)
    assert list(Proof(PROTOCOL).proven("f.json", [known])) == [known]
