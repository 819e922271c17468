"""The modules of checkers and decoders, as files and as programs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.checkers import checkers, compile_checkers, compile_decoders
from acpgen.targets.checkers.slots import Slots
from whole_schema import whole_schema

PATHS = (
    "python/acp_v2/checkers.py",
    "python/acp_v2/decoders.py",
    "python/acp_v2/type_table.py",
)
MESSAGE = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'


@cache
def acp() -> Protocol:
    return whole_schema()


@cache
def tree() -> Mapping[str, str]:
    return checkers(acp(), Slots(resources.TEMPLATES))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import acp_v2 from, which holds checkers and decoders only."""
    root = tmp_path_factory.mktemp("generated")
    for path, text in tree().items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (root / "python/acp_v2/__init__.py").touch()
    return root / "python"


def run(package: Path, program: str, *options: str) -> str:
    paths = [str(package), str(resources.ROOT / "runtime/acp-wire")]
    program = f"import sys; sys.path[:0] = {paths}\n{program}"
    command = [sys.executable, *options, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_modules_name_their_generator() -> None:
    assert tuple(tree()) == PATHS
    assert all(text.startswith(f"# {HEADER}\n") for text in tree().values())
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in tree().values())


def test_both_renderers_fill_the_templates_alike() -> None:
    assert checkers(acp(), Templates(resources.TEMPLATES)) == tree()


def test_the_templates_have_slots_only() -> None:
    for template in sorted((resources.TEMPLATES / "checkers").iterdir()):
        rest = re.sub(r"\{\{ \w+ \}\}", "", template.read_text("utf-8"))
        assert not re.search(r"\{[{%#]|[}%#]\}", rest), template


def test_what_is_not_given_to_a_slot_is_missed(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a {{ b }} c", encoding="utf-8")
    assert Slots(tmp_path).render("t", b="{{ d }}") == "a {{ d }} c"
    with pytest.raises(KeyError, match="b"):
        Slots(tmp_path).render("t")


def test_generating_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from acpgen import resources; from acpgen.load import load\n"
        "from acpgen.targets.checkers import checkers\n"
        "from acpgen.targets.checkers.slots import Slots\n"
        "import hashlib; tree = checkers(load(resources.SCHEMA), Slots(resources.TEMPLATES))\n"
        "print(hashlib.sha256(repr(tree).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("path", PATHS)
def test_every_name_that_a_module_defines_is_used(path: str) -> None:
    module = ast.parse(tree()[path])
    names = [n.name for n in module.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    exported = [*ast.literal_eval(_value(module, "__all__"))]
    words = Counter(re.findall(r"\w+", "".join(tree().values())))
    unused = [name for name in names if name not in exported and words[name] < 2]
    assert unused == []


def _value(module: ast.Module, name: str) -> ast.expr:
    (value,) = (
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id == name
    )
    return value


def test_checkers_need_the_standard_library_only(package: Path) -> None:
    program = f"from acp_v2 import checkers; print(checkers.accepts_bytes({MESSAGE!r}))"
    assert run(package, program, "-I", "-S") == "True"


def test_checkers_import_nothing_slow(package: Path) -> None:
    program = "from acp_v2 import checkers; print(*sys.modules)"
    loaded = set(run(package, program, "-I", "-S").split())
    assert loaded & {"typing", "dataclasses", "inspect", "msgspec", "pydantic", "argparse"} == set()


def test_decoders_work_from_a_file(package: Path) -> None:
    program = (
        f"from acp_v2 import decoders; call = decoders.decode({MESSAGE!r}, 'client')\n"
        "print(call.method, call.params.sessionId, isinstance(call, decoders.Request))"
    )
    assert run(package, program) == "session/cancel s False"


def test_every_type_has_a_check() -> None:
    assert sorted(compile_checkers(acp()).types) == sorted(acp().types)


def test_compiling_leaves_no_module_behind() -> None:
    before = set(sys.modules)
    compile_decoders(acp(), compile_checkers(acp()))
    assert {name for name in sys.modules if name.startswith("acpgen_compiled")} <= before
