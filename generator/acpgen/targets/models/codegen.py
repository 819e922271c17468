"""The call of datamodel-code-generator: in process, from one schema to one text a module."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from datamodel_code_generator import (
    InputFileType,
    LiteralType,
    PythonVersion,
    TargetPydanticVersion,
    generate,
)
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import JsonSchema
from acpgen.targets.models import spelling


class GeneratedNamesError(Exception):
    """The code generator called something otherwise than the model does."""


def modules(schema: JsonSchema, base: str, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Python source by module name, for a schema whose definitions are `<module>.<Name>`.

    Depends on nothing but the arguments: no configuration file is read, nothing is fetched.

    Args:
        schema: what to generate from.
        base: the module that `AcpModel` and `Field` come from.
        names: what each module must define.

    Raises:
        GeneratedNamesError: a module doesn't define just that.
    """
    texts = dict(_generated(json.dumps(schema), base))
    for module in sorted(names.keys() | texts.keys()):
        _require_names(module, texts.get(module, ""), set(names.get(module, ())))
    return texts


@lru_cache(maxsize=1)
def _generated(schema: str, base: str) -> Mapping[str, str]:
    """The modules, remembered: much of a protocol can change without a change of its types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        generated = generate(
            schema,
            input_file_type=InputFileType.JsonSchema,
            schema_version="2020-12",
            allow_remote_refs=False,
            strict_refs=True,
            # What comes out: pydantic models, one module for what stands before a name's dot.
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=PythonVersion.PY_311,
            target_pydantic_version=TargetPydanticVersion.V2_14,
            base_class=f"{base}.AcpModel",
            import_overrides={"Field": base},
            treat_dot_as_module=True,
            use_exact_imports=True,
            # Plain values: aliases instead of root models, literals instead of enums.
            skip_root_model=True,
            use_type_alias=True,
            enum_field_as_literal=LiteralType.All,
            use_single_value_enum_as_const=True,
            # Three states: omitted, null, a value.
            use_missing_sentinel=True,
            strict_nullable=True,
            use_typed_nullable_map_values=True,
            # Annotations that type checkers read, and names that Python programmers expect.
            use_annotated=True,
            field_constraints=True,
            snake_case_field=True,
            remove_special_field_name_prefix=True,
            use_schema_description=True,
            use_field_description=True,
            field_extra_keys=set(spelling.MEMBER_MARKS),
            field_extra_keys_without_x_prefix={spelling.REPR},
            model_extra_keys=set(spelling.RECORD_MARKS),
            # The same text whatever the day and whatever pyproject.toml lies near.
            use_double_quotes=True,
            disable_timestamp=True,
            custom_file_header=f"# {HEADER}",
            formatters=[Formatter.BUILTIN],
            builtin_format_line_length=100,
        )
    if not isinstance(generated, dict):
        raise TypeError("datamodel-code-generator gave one module where several were asked for")
    texts = {path[-1].removesuffix(".py"): f"{text}\n" for path, text in generated.items()}
    del texts["__init__"]
    return texts


def _require_names(module: str, text: str, expected: set[str]) -> None:
    defined = set(_definitions(text))
    if defined != expected:
        missing, surplus = sorted(expected - defined), sorted(defined - expected)
        raise GeneratedNamesError(
            f"datamodel-code-generator left out {missing} and made up {surplus} in {module}"
        )


def _definitions(text: str) -> Iterator[str]:
    for statement in ast.parse(text).body:
        match statement:
            case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name
            case _:
                continue
