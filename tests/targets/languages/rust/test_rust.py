"""What only Rust needs tested: its loop over the vectors."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from language_loops import loops, put_vectors, spoil
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, require, run, write

CRATES = Path("/usr/share/cargo/registry")


@pytest.mark.prove("compiles for long")
def test_the_loop_of_rust_passes_and_bites(tmp_path: Path) -> None:
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
    (tmp_path / "src" / "loops.rs").write_text(loops()["rust"], "utf-8")
    shutil.copy(language.folder / "Cargo.toml", tmp_path)
    debian = 'source.crates-io.replace-with="debian"', f'source.debian.directory="{CRATES}"'
    test = ["cargo", "test", "--offline", "-q", *(part for d in debian for part in ("--config", d))]
    assert "\ntest result: ok. 2 passed; 0 failed; 0 ignored;" in run(test, tmp_path)
    spoil(tmp_path)
    with pytest.raises(AssertionError, match="cargo: ") as caught:
        run(test, tmp_path)
    assert "\ntest result: FAILED. 0 passed; 2 failed; 0 ignored;" in str(caught.value)
    assert count > 2
