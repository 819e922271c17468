"""`acpgen generate` of schemas without retry classes or without a version: what can be had."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen.targets import TARGETS
from command_calls import APP
from proofs import a_few

GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["generate", *arguments])


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN, "v9")


CLASSES = tuple(target.name for target in TARGETS if target.needs_classes)
NO_CLASSES = tuple(target.name for target in TARGETS if target.name not in CLASSES)


def test_without_classes_it_says_what_can_be_had() -> None:
    schema = {"$defs": {"SaveRequest": {"x-method": "save", "x-side": "agent", "type": "object"}}}
    schema["$defs"]["SaveResponse"] = schema["$defs"]["SaveRequest"]
    Path("v3").mkdir()
    Path("v3/schema.json").write_text(json.dumps(schema))
    result = run("--schema", "v3/schema.json", "--out", "three")
    assert result.exit_code == 1
    assert "error[missing-retry-class]" in result.stdout
    assert result.stderr == (
        "only retry, go, java, kotlin, rust and typescript need retry classes; "
        "to generate the others: acpgen generate "
        f"--schema v3/schema.json --out three --target {' --target '.join(NO_CLASSES)}\n"
    )
    assert not Path("three").exists()
    result = run("--schema", "v3/schema.json", "--out", "three", "--target", "bundles")
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.prove("generates models from each release; one of the targets below shows the same")
@pytest.mark.parametrize(
    "name",
    ["v1/schema.json", "v1/schema.unstable.json", "v2/schema.json", "v2/schema.unstable.json"],
)
def test_releases_of_upstream_do_without_classes(upstream_schemas: Path, name: str) -> None:
    assert set(NO_CLASSES) == {target.name for target in TARGETS if not target.needs_classes}
    schema = str(upstream_schemas / name)
    result = run("--schema", schema, "--out", "up", "--target", "bundles", "--target", "models")
    assert (result.exit_code, result.stdout) == (0, "")
    version = name.partition("/")[0]
    assert Path(f"up/python/acp_{version}/models/__init__.py").is_file()
    assert Path(f"up/schema/acp-{version}.schema.json").is_file()
    assert run("--schema", schema, "--out", "up", "--target", "retry").exit_code == 1


@pytest.mark.parametrize(
    "target", a_few(("checkers", "pages", "vectors"), {"checkers"}, "generates from a release")
)
def test_the_other_targets_do_without_classes_too(upstream_schemas: Path, target: str) -> None:
    schema = str(upstream_schemas / "v2" / "schema.json")
    result = run("--schema", schema, "--out", "up", "--target", target)
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_schema_without_a_version_is_1_and_says_how_to_give_one() -> None:
    shutil.copytree("v9", "mine")
    result = run("--schema", "mine", "--out", "new", "--target", "bundles")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith(
        "mine: error[protocol-version]: the schema has no protocol version"
    )
    assert '"x-protocol-version": N' in result.stdout
    assert not Path("new").exists()
    file = Path("mine") / min(path.name for path in Path("mine").iterdir())
    file.write_text(file.read_text().replace('"$defs"', '"x-protocol-version": 4, "$defs"', 1))
    assert run("--schema", "mine", "--out", "new", "--target", "bundles").exit_code == 0
    assert Path("new/schema/acp-v4.schema.json").is_file()
