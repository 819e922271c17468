"""What only Rust needs tested: its loop over the vectors."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from language_loops import loops, put_keys, put_vectors, spoil, spoil_a_key
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write, write_codec

CRATES = Path("/usr/share/cargo/registry")
DEBIAN = 'source.crates-io.replace-with="debian"', f'source.debian.directory="{CRATES}"'


@pytest.mark.prove("compiles for long")
def test_the_loop_of_rust_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["rust"]
    crate = next(CRATES.glob("serde_json-1.*"), CRATES / "serde_json")
    require(language.name, *language.needs, "cargo", crate / "Cargo.toml")
    (file,) = write(language, tmp_path / "src", [SUBJECTS["real"].protocol])
    codec = write_codec(language, tmp_path / "src", SUBJECTS["real"].protocol)
    codec.rename(tmp_path / "src" / codec.name)
    count = put_vectors(tmp_path) + put_keys(tmp_path)
    table = file.rename(tmp_path / "src" / file.name).read_text("utf-8")
    found = re.search(r"^/// ```ignore\n((?:///.*\n)+?)/// ```$", table, re.MULTILINE)
    assert found is not None
    adapter = re.sub("^/// ?", "", found[1], flags=re.MULTILINE)
    tests = "#[cfg(test)]\nmod keys;\n#[cfg(test)]\nmod loops;\n"
    modules = f"pub mod retry;\nmod retry_serde;\n{tests}use retry::Json;\n"
    (tmp_path / "src" / "lib.rs").write_text(modules + adapter, "utf-8")
    (tmp_path / "src" / "loops.rs").write_text(loops()["rust"], "utf-8")
    shutil.copy(language.folder / "Cargo.toml", tmp_path)
    shutil.copy(language.folder / "keys.rs", tmp_path / "src")
    test = ["cargo", "test", "--offline", "-q", *(part for d in DEBIAN for part in ("--config", d))]
    assert "\ntest result: ok. 5 passed; 0 failed; 0 ignored;" in run(test, tmp_path)
    spoil(tmp_path)
    spoil_a_key(tmp_path)
    with pytest.raises(AssertionError, match="cargo: ") as caught:
        run(test, tmp_path)
    failed = re.findall(r"^loops::(\w+) --- FAILED$", str(caught.value), re.MULTILINE)
    assert sorted(failed) == ["derived_vectors", "key_vectors", "resend_vectors"]
    assert count > 2


@pytest.mark.prove("compiles for long")
def test_clippy_is_content_with_rust_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["rust"]
    crate = next(CRATES.glob("serde-1.*"), CRATES / "serde")
    require(language.name, *language.needs, "cargo", "cargo-clippy", crate / "Cargo.toml")
    protocol = SUBJECTS["real"].protocol
    (file,) = write(language, tmp_path / "src", [protocol])
    codec = write_codec(language, tmp_path / "src", protocol)
    for each in (file, codec):
        each.rename(tmp_path / "src" / each.name)
    library = tmp_path / "src" / "lib.rs"
    library.write_text("//! Tables.\npub mod retry;\nmod retry_serde;\n", "utf-8")
    shutil.copy(language.folder / "Cargo.toml", tmp_path)
    files = [tmp_path / "src" / each.name for each in (file, codec)]
    assert run([*language.layout, *files], tmp_path) == ""
    offline = ["--offline", "-q", *(part for d in DEBIAN for part in ("--config", d))]
    clippy = ["cargo", "clippy", *offline, "--", "-D", "warnings", "-D", "clippy::pedantic"]
    run(clippy, tmp_path)
    library.write_text(
        f"{library.read_text()}/// Odd.\npub fn odd() -> u8 {{\n    1\n}}\n", "utf-8"
    )
    with pytest.raises(AssertionError, match="must_use"):
        run(clippy, tmp_path)
