"""Generating a folder: what is fresh, what is found, what is written."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit import manifest
from acpgen.emit.header import HEADER
from acpgen.emit.tree import DriftKind
from acpgen.findings import Finding, Severity
from acpgen.load import SchemaError
from acpgen.model import Protocol
from acpgen.targets import TARGETS
from acpgen.targets.generation import Plan, apply, generate, is_up_to_date

QUICK = [target for target in TARGETS if target.name in {"bundles", "retry"}]
METHODS = "json/methods.json"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    order = Plan(resources.SCHEMA, tmp_path_factory.mktemp("out"), QUICK, resources.TEMPLATES)
    apply(order, generate(order))
    return order.out


@pytest.fixture
def order(generated: Path, tmp_path: Path) -> Plan:
    out = shutil.copytree(generated, tmp_path / "out")
    return Plan(resources.SCHEMA, out, QUICK, resources.TEMPLATES)


def full(order: Plan) -> Plan:
    return Plan(order.schema, order.out, order.targets, order.templates, full=True)


def found(order: Plan) -> list[tuple[str, DriftKind]]:
    return [(d.path, d.change) for d in generate(order).differences]


def test_generate_then_check_is_clean_in_both_modes(order: Plan) -> None:
    outcome = generate(order)
    assert outcome.differences == ()
    assert outcome.fresh == tuple(QUICK)
    assert generate(full(order)).differences == ()
    assert generate(full(order)).fresh == ()


@pytest.mark.parametrize("mode", ["digests", "full"])
def test_a_file_edited_by_hand_is_found(order: Plan, mode: str) -> None:
    path = order.out / METHODS
    path.write_text(path.read_text().replace('"keyed"', '"idempotent"'))
    asked = full(order) if mode == "full" else order
    (difference,) = generate(asked).differences
    assert (difference.path, difference.change) == (METHODS, DriftKind.CHANGED)
    assert '-      "retryClass": "idempotent",\n+      "retryClass": "keyed",\n' in difference.diff


@pytest.mark.parametrize("mode", ["digests", "full"])
def test_a_missing_and_a_surplus_file_are_found(order: Plan, mode: str) -> None:
    (order.out / METHODS).unlink()
    (order.out / "json" / "old.json").write_text(f'{{"$comment": "{HEADER}"}}\n')
    (order.out / "json" / "notes.json").write_text("{}\n")
    asked = full(order) if mode == "full" else order
    assert found(asked) == [(METHODS, DriftKind.MISSING), ("json/old.json", DriftKind.SURPLUS)]
    apply(asked, generate(asked))
    assert found(asked) == []
    assert not (order.out / "json" / "old.json").exists()
    assert (order.out / "json" / "notes.json").read_text() == "{}\n"


def spoil_a_file(out: Path) -> None:
    (out / METHODS).write_text("{}\n")


def lose_a_file(out: Path) -> None:
    (out / METHODS).unlink()


def leave_a_file(out: Path) -> None:
    (out / "json" / "old.json").write_text(f'{{"$comment": "{HEADER}"}}\n')


def leave_a_draft(out: Path) -> None:
    (out / ".acpgen-drafts").mkdir()


def reformat_the_manifest(out: Path) -> None:
    path = out / manifest.NAME
    path.write_text(json.dumps(json.loads(path.read_text())))


def record_another_input(out: Path) -> None:
    path = out / manifest.NAME
    path.write_text(re.sub(r'("schema": ")\w', r"\g<1>x", path.read_text(), count=1))


@pytest.mark.parametrize(
    "change",
    [
        spoil_a_file,
        lose_a_file,
        leave_a_file,
        leave_a_draft,
        reformat_the_manifest,
        record_another_input,
        shutil.rmtree,
    ],
)
def test_digests_alone_see_that_a_folder_is_not_as_generated(
    change: Callable[[Path], object], order: Plan
) -> None:
    assert is_up_to_date(order)
    change(order.out)
    assert not is_up_to_date(order)


def test_a_check_writes_nothing(order: Plan) -> None:
    (order.out / METHODS).unlink()
    generate(order)
    assert not (order.out / METHODS).exists()


def test_a_changed_input_makes_every_target_stale(order: Plan, tmp_path: Path) -> None:
    copy = tmp_path / "v2"
    copy.mkdir()
    for path in order.schema.glob("*.json"):
        (copy / path.name).write_bytes(path.read_bytes())
    prompt = copy / "prompt.json"
    prompt.write_text(prompt.read_text().replace('"maxLength": 255', '"maxLength": 128'))
    outcome = generate(Plan(copy, order.out, order.targets, order.templates))
    assert outcome.fresh == ()
    assert METHODS in {difference.path for difference in outcome.differences}


def test_line_ends_of_the_checkout_do_not_matter(order: Plan, tmp_path: Path) -> None:
    copy = tmp_path / "v2"
    copy.mkdir()
    for path in order.schema.glob("*.json"):
        (copy / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    log = tmp_path / "released" / "CHANGELOG.md"
    log.parent.mkdir()
    kept = order.schema.parent / "released" / "CHANGELOG.md"
    log.write_bytes(kept.read_bytes().replace(b"\n", b"\r\n"))
    assert found(full(Plan(copy, order.out, order.targets, order.templates))) == []


def test_one_target_leaves_the_others_alone(order: Plan) -> None:
    (order.out / METHODS).unlink()
    bundles = Plan(order.schema, order.out, QUICK[:1], order.templates)
    assert found(bundles) == []
    assert found(full(bundles)) == []


def test_an_untrustworthy_manifest_is_not_trusted(order: Plan) -> None:
    (order.out / manifest.NAME).write_text("{}\n")
    outcome = generate(order)
    assert outcome.fresh == ()
    assert [d.path for d in outcome.differences] == [manifest.NAME]


@pytest.mark.parametrize("broken", [{"outputs": []}, {"outputs": {"retry": {METHODS: 1}}}])
def test_a_manifest_of_the_wrong_shape_is_not_trusted(order: Plan, broken: object) -> None:
    document = json.loads((order.out / manifest.NAME).read_text())
    assert isinstance(broken, dict)
    (order.out / manifest.NAME).write_text(json.dumps({**document, **broken}))
    assert manifest.read(order.out) is None


def test_another_version_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    models = [target for target in TARGETS if target.name == "models"]
    golden = Path(__file__).parents[1] / "golden" / "schema" / "v9"
    shutil.copytree(golden, tmp_path / "v9")
    shutil.copytree(golden, tmp_path / "v8")
    old = Plan(tmp_path / "v9", tmp_path / "out", models, resources.TEMPLATES)
    apply(old, generate(old))
    new = Plan(tmp_path / "v8", tmp_path / "out", models, resources.TEMPLATES)
    outcome = generate(new)
    assert outcome.fresh == ()
    apply(new, outcome)
    packages = [p.name for p in (tmp_path / "out" / "python").iterdir() if p.is_dir()]
    assert packages == ["acp_v8"]


def test_a_changed_template_and_generator_change_the_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = manifest.inputs(resources.SCHEMA, resources.TEMPLATES)
    shutil.copytree(resources.TEMPLATES, tmp_path / "templates")
    (tmp_path / "templates" / "docs" / "errors.md.jinja").write_text("")
    after = manifest.inputs(resources.SCHEMA, tmp_path / "templates")
    assert {k for k in before if before[k] != after[k]} == {"templates"}
    monkeypatch.setattr(manifest, "_PACKAGE", tmp_path)
    after = manifest.inputs(resources.SCHEMA, resources.TEMPLATES)
    assert {k for k in before if before[k] != after[k]} == {"generator"}


SILENT = {"findings", "rulebook", "resources", "stated_limits", "report"}
"""What targets import that says nothing in their output."""
ESCAPING = "report/document.py"
"""How they write JSON: the one module of the reports that shapes what is generated."""


def test_every_module_that_targets_are_made_of_is_an_input() -> None:
    package = Path(manifest.__file__).parents[1]
    shaping = {f for pattern in manifest.SHAPING_MODULES for f in package.glob(pattern)}
    imported = {
        package.joinpath(*name.split("."))
        for file in shaping
        for name in re.findall(r"(?:from|import) acpgen\.([\w.]+)", file.read_text("utf-8"))
    }
    missing = {
        path
        for path in imported
        if path.with_suffix(".py") not in shaping and path / "__init__.py" not in shaping
    }
    assert {path.relative_to(package).parts[0] for path in missing} <= SILENT
    assert package / ESCAPING in shaping


def test_a_changed_acceptance_changes_the_inputs(tmp_path: Path) -> None:
    accepted = tmp_path / "accepted.toml"
    accepted.write_text("")
    before = manifest.inputs(resources.SCHEMA, resources.TEMPLATES, accepted)
    accepted.write_text("# more\n")
    after = manifest.inputs(resources.SCHEMA, resources.TEMPLATES, accepted)
    assert {k for k in before if before[k] != after[k]} == {"accepted"}


def test_a_protocol_is_admitted_before_it_is_generated_from(order: Plan) -> None:
    asked: list[int | None] = []

    def refuse(protocol: Protocol) -> None:
        asked.append(protocol.version)
        raise SchemaError([])

    generate(order, check_protocol=refuse)
    assert asked == []
    with pytest.raises(SchemaError):
        generate(full(order), check_protocol=refuse)
    assert asked == [2]


def test_a_protocol_without_a_version_is_refused(order: Plan, tmp_path: Path) -> None:
    copy = shutil.copytree(resources.SCHEMA, tmp_path / "mine")
    with pytest.raises(SchemaError) as caught:
        generate(Plan(copy, order.out, order.targets, order.templates))
    (finding,) = caught.value.findings
    assert (finding.rule, finding.file) == ("protocol-version", str(copy))
    first = copy / "auth.json"
    first.write_text(first.read_text().replace('"$defs"', '"x-protocol-version": 2, "$defs"', 1))
    assert generate(Plan(copy, order.out, order.targets, order.templates)).tree.keys() == {
        manifest.NAME
    }


def test_a_surplus_file_alone_is_found_by_digests(order: Plan) -> None:
    (order.out / "json" / "old.json").write_text(f'{{"$comment": "{HEADER}"}}\n')
    assert found(order) == [("json/old.json", DriftKind.SURPLUS)]


def test_the_manifest_names_what_shapes_the_output(order: Plan) -> None:
    document = json.loads((order.out / manifest.NAME).read_text())
    assert document["inputs"].keys() == {
        "releases",
        "schema",
        "traces",
        "version",
        "accepted",
        "dialect",
        "templates",
        "generator",
        "datamodel-code-generator",
        "jinja2",
    }


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.prove("generates the whole tree once more")
def test_output_does_not_depend_on_the_surroundings(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.black]\nline-length = 40\n[tool.datamodel-codegen]\nsnake-case-field = false\n"
    )
    done = run(
        *("-m", "acpgen", "generate", "--check", "--full"),
        cwd=tmp_path,
        PYTHONHASHSEED="4711",
        LC_ALL="C",
        TZ="Pacific/Chatham",
        COLUMNS="20",
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_an_unchanged_tree_costs_no_import_of_the_code_generator(tmp_path: Path) -> None:
    script = (
        "import sys; from acpgen.cli.app import typer_app\n"
        "try: typer_app(['generate'])(['generate', '--check'])\n"
        "except SystemExit as status: assert not status.code, status.code\n"
        "print([m for m in ('datamodel_code_generator', 'jinja2') if m in sys.modules])"
    )
    done = run("-c", script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_what_another_run_wrote_meanwhile_is_worked_out_again_with_a_check(order: Plan) -> None:
    (order.out / METHODS).unlink()
    outcome = generate(order)
    record = json.loads((order.out / manifest.NAME).read_text())
    (order.out / manifest.NAME).write_text(json.dumps({**record, "inputs": {}}))
    before = {path: path.read_bytes() for path in order.out.rglob("*") if path.is_file()}

    def refuse(protocol: Protocol) -> None:
        raise SchemaError([Finding("type-name", Severity.ERROR, protocol.source, "", "is wrong")])

    with pytest.raises(SchemaError) as refused:
        apply(order, outcome, refuse)
    assert [finding.rule for finding in refused.value.findings] == ["type-name"]
    assert {path: path.read_bytes() for path in order.out.rglob("*") if path.is_file()} == before
    checked: list[Protocol] = []
    apply(order, outcome, checked.append)
    assert [protocol.source for protocol in checked] == [str(order.schema)]
    assert found(order) == []
