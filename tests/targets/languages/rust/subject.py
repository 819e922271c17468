"""How the tests compile and run Rust."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from language_tools import Language, run


def _compile(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    rustc = ["rustc", "--edition", "2021", "-D", "warnings", "-D", "missing_docs", "--out-dir"]
    for file in files:
        run([*rustc, file.parent, "--crate-type", "rlib", "--crate-name", "retry", file], folder)
    for file in drivers_:
        table = f"retry={file.parent}/libretry.rlib"
        run([*rustc, file.parent, "--extern", table, file], folder)


LANGUAGE = Language(
    needs=("rustc", "rustfmt"),
    driver=("driver.rs", "{}/driver.rs"),
    compile=_compile,
    command=lambda folder, version: [folder / version / "driver"],
    path="rust/v9/retry.rs",
    literal=r'"\"\\$`{\n\r\t\u{0}\u{85}\u{2028}\u{e000}🚩é\u{fffd}"',
    with_a_warning=("odd.rs", "//! Odd.\nfn unused() {}\n"),
    layout=("rustfmt", "--edition", "2021", "--check"),
    badly_laid_out=("odd.rs", "fn  odd() {}\n"),
    lone_surrogates=None,
)
