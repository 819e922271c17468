"""The JSON Schemas of models have the docs of the protocol's schema."""

from __future__ import annotations

import acp_v2.models
from acp_v2.models import (
    AcpModel,
    IdleStateUpdate,
    PromptRequest,
    SessionUpdateStateUpdateIdleEndTurn,
)
from acpgen.model import TypeName
from whole_schema import whole_schema


def test_members_have_their_descriptions() -> None:
    schema = PromptRequest.model_json_schema()
    definition = whole_schema().types[TypeName("PromptRequest")]
    docs = {p.name: p.docs for p in definition.body.properties}  # type: ignore[union-attr]
    assert schema["description"] == definition.docs
    assert {name: p["description"] for name, p in schema["properties"].items()} == docs


def test_so_have_inherited_members_and_unions() -> None:
    schema = SessionUpdateStateUpdateIdleEndTurn.model_json_schema()
    assert schema["properties"]["usage"]["description"].startswith("Tokens spent")
    assert "x-variants" not in schema
    assert IdleStateUpdate.model_json_schema()["description"].startswith("Details of the `idle`")


def test_no_model_is_without() -> None:
    exported = (getattr(acp_v2.models, name) for name in acp_v2.models.__all__)
    for model in exported:
        if isinstance(model, type) and issubclass(model, AcpModel) and model is not AcpModel:
            assert model.model_json_schema()["description"], model
