"""The loops that the page on resend vectors gives to authors of SDKs, run as they are printed.

The one in Kotlin is compiled only: no package of Debian or npm has its library for JSON.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from acpgen.targets.vectors import derived, resends
from language_subjects import SUBJECTS, TEMPLATES
from language_tools import KOTLIN, LANGUAGES, drivers, require, run, write

LOOPS = Path(__file__).parent / "loops"
CRATES = Path("/usr/share/cargo/registry")
JARS = [
    Path(f"/usr/share/java/{name}.jar")
    for name in (
        "apiguardian-api",
        "jackson-annotations",
        "jackson-core",
        "jackson-databind",
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-engine",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "opentest4j",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
        "picocli",
    )
]
"""JUnit and Jackson as Debian has them, with what they need."""


@pytest.fixture(scope="module")
def loops() -> dict[str, str]:
    """The loops over the vectors that the page about them has, by language."""
    page = resends(SUBJECTS["real"].protocol, TEMPLATES)["vectors/resend/README.md"]
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def put_vectors(folder: Path) -> int:
    """Put the vectors that the loops take into a folder; how many they are."""
    protocol = SUBJECTS["real"].protocol
    count = 0
    for path, text in {**resends(protocol, TEMPLATES), **derived(protocol)}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if file.suffix == ".json":
            count += len(json.loads(text).get("vectors", ()))
    return count


def test_every_language_has_a_loop_over_the_vectors(loops: dict[str, str]) -> None:
    assert loops.keys() == LANGUAGES.keys()


def test_the_loop_of_typescript_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["typescript"]
    require(language.name, *language.needs)
    language.compile(tmp_path, write(language, tmp_path, [SUBJECTS["real"].protocol]), [])
    folder = tmp_path / "out" / "v2" / "schema"
    count = put_vectors(folder)
    (folder / "loop.mjs").write_text(loops["typescript"], "utf-8")
    counted = ["bash", "-c", "node --test-reporter tap loop.mjs | grep -E '^# (pass|fail) '"]
    assert run(counted, folder) == f"# pass {count}\n# fail 0\n"
    spoil(folder)
    assert run(counted, folder) == f"# pass {count - 2}\n# fail 2\n"


def test_the_loop_of_go_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    count = put_vectors(file.parent)
    (file.parent / "loop_test.go").write_text(loops["go"], "utf-8")
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    said = run(["go", "test", "-v", "./..."], tmp_path)
    assert len(re.findall("^    --- PASS: ", said, re.MULTILINE)) == count
    spoil(file.parent)
    with pytest.raises(AssertionError, match="go: ") as caught:
        run(["go", "test", "./..."], tmp_path)
    failed = re.findall("^    --- FAIL: (Test\\w+)/", str(caught.value), re.MULTILINE)
    assert failed == ["TestResendVectors", "TestDerivedVectors"]


def test_the_loop_of_rust_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["rust"]
    crate = next(CRATES.glob("serde_json-1.*"), CRATES / "serde_json")
    require(language.name, *language.needs, "cargo", crate / "Cargo.toml")
    (file,) = write(language, tmp_path / "src", [SUBJECTS["real"].protocol])
    count = put_vectors(tmp_path)
    table = file.rename(tmp_path / "src" / file.name).read_text("utf-8")
    found = re.search(r"^/// ```ignore\n((?:///.*\n)+?)/// ```$", table, re.MULTILINE)
    assert found is not None
    adapter = re.sub("^/// ?", "", found[1], flags=re.MULTILINE)
    modules = "pub mod retry;\n#[cfg(test)]\nmod loops;\nuse retry::Json;\n"
    (tmp_path / "src" / "lib.rs").write_text(modules + adapter, "utf-8")
    (tmp_path / "src" / "loops.rs").write_text(loops["rust"], "utf-8")
    shutil.copy(LOOPS / "Cargo.toml", tmp_path)
    debian = 'source.crates-io.replace-with="debian"', f'source.debian.directory="{CRATES}"'
    test = ["cargo", "test", "--offline", "-q", *(part for d in debian for part in ("--config", d))]
    assert "\ntest result: ok. 2 passed; 0 failed; 0 ignored;" in run(test, tmp_path)
    spoil(tmp_path)
    with pytest.raises(AssertionError, match="cargo: ") as caught:
        run(test, tmp_path)
    assert "\ntest result: FAILED. 0 passed; 2 failed; 0 ignored;" in str(caught.value)
    assert count > 2


def test_the_loop_of_java_passes_and_bites(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["java"]
    require(language.name, *language.needs, *JARS)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    count = put_vectors(tmp_path)
    loop = file.with_name("AcpRetryTest.java")
    loop.write_text(loops["java"], "utf-8")
    path = ":".join(map(str, (tmp_path / "out", *JARS)))
    compile_ = ["javac", "-encoding", "UTF-8", "-Xlint:all,-processing,-path", "-d", "out"]
    run([*compile_, "-cp", path, file, loop], tmp_path)
    console = ["java", "-cp", path, "org.junit.platform.console.ConsoleLauncher"]
    name = ".".join([*file.relative_to(tmp_path).parent.parts, loop.stem])
    test = [*console, "--disable-banner", "--details=summary", "-c", name]
    assert f"[{count:>10} tests successful      ]" in run(test, tmp_path)
    spoil(tmp_path)
    with pytest.raises(AssertionError, match="java: ") as caught:
        run(test, tmp_path)
    assert f"[{count - 2:>10} tests successful      ]" in str(caught.value)
    assert "[         2 tests failed          ]" in str(caught.value)


def test_the_loop_of_kotlin_compiles(loops: dict[str, str], tmp_path: Path) -> None:
    language = LANGUAGES["kotlin"]
    require(language.name, *language.needs, *JARS)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    loop = file.with_name("RetryTest.kt")
    loop.write_text(loops["kotlin"], "utf-8")
    path = ["-no-reflect", "-cp", ":".join(map(str, JARS))]
    options = ["-Werror", "-jvm-target", "17", *path, "-d", "out.jar"]
    run(["bash", KOTLIN / "bin" / "kotlinc", *options, LOOPS / "Json.kt", file, loop], tmp_path)


def spoil(folder: Path) -> None:
    """Change what one vector of each kind expects."""
    for name, member in (("resend/methods.json", "answer"), ("derived.json", "messageId")):
        file = folder / "vectors" / name
        document = json.loads(file.read_text("utf-8"))
        document["vectors"][0][member] += "0"
        file.write_text(json.dumps(document), "utf-8")
