"""Models of objects with a type for members of any name: such members are checked, too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from acpgen.model import Map, Nullable, Ref, Scalar, ScalarType, Type, TypeName, Union
from model_packages import build
from small_models import STRING, an_object, small, variant

BOX = Ref(TypeName("Box"))
LEAST = Ref(TypeName("Least"))
TYPES: dict[str, tuple[Type, list[object], list[object]]] = {
    "text": (STRING, ["a", ""], [1, None, ["a"]]),
    "or null": (Nullable(STRING), ["a", None], [1]),
    "limited by name": (LEAST, [1, 0.5], [0.4, "1"]),
    "itself": (BOX, [{"size": 1}, {"size": 1, "c": {"size": 2}}], [1, {}, {"size": "1"}]),
}


@pytest.mark.parametrize(("of", "good", "bad"), TYPES.values(), ids=TYPES)
def test_members_of_any_name_are_checked(
    of: Type, good: list[object], bad: list[object], tmp_path: Path
) -> None:
    box = replace(an_object(size=Scalar(ScalarType.INTEGER)), additional=of)
    bag = replace(an_object(), bases=(BOX,))
    union = Union((variant("TagOne", Map(of), "one"), variant("TagTwo", Ref(TypeName("Bag")))), "t")
    least = Scalar(ScalarType.NUMBER, minimum=0.5)
    built = build(small(Box=box, Bag=bag, Tag=union, Least=least), tmp_path)
    for value in good:
        text = json.dumps({"size": 1, "other": value})
        assert json.loads(built.Box.from_wire(text).to_wire()) == json.loads(text)
        assert built.Bag.from_wire(text)
        assert built.TagOne.from_wire({"t": "one", "other": value})
    for value in bad:
        for model in (built.Box, built.Bag):
            with pytest.raises(ValidationError, match="other"):
                model.from_wire(json.dumps({"size": 1, "other": value}))
        with pytest.raises(ValidationError, match="other"):
            built.TagOne.from_wire({"t": "one", "other": value})
