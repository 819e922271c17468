"""How the tests compile and run Go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from language_tools import Language, run


def _compile(folder: Path, _: Sequence[Path], __: Sequence[Path]) -> None:
    (folder / "go.mod").write_text("module example.org/acp\n\ngo 1.18\n")
    run(["go", "vet", "./..."], folder)
    run(["go", "build", "-o", "bin/", "./..."], folder)


LANGUAGE = Language(
    needs=("go", "gofmt"),
    driver=("driver.go", "cmd/driver_{}/main.go"),
    compile=_compile,
    command=lambda folder, version: [folder / "bin" / f"driver_{version}"],
    path="go/v9/retry/retry_gen.go",
    literal=r'"\"\\$`{\n\r\t\U00000000\U00000085\U00002028\U0000e000🚩é\U0000fffd"',
    with_a_warning=("odd.go", "package odd\n\nfunc odd() int {\n\treturn 1\n\treturn 2\n}\n"),
    layout=("gofmt", "-d"),
    badly_laid_out=("odd.go", "package  odd\n"),
    json=True,
    lone_surrogates="bytes",
)
