"""How the tests compile and run Kotlin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from language_tools import NODE_MODULES, Language, run

KOTLIN = NODE_MODULES / "kotlin-compiler"


def _compile(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    options = ["-Werror", "-Wextra", "-Xexplicit-api=strict", "-jvm-target", "17", "-d", "out.jar"]
    run(["bash", KOTLIN / "bin" / "kotlinc", *options, *files, *drivers_], folder)


LANGUAGE = Language(
    needs=("java", KOTLIN / "bin" / "kotlinc"),
    driver=("Driver.kt", "driver/{}/Driver.kt"),
    compile=_compile,
    command=lambda folder, version: [
        "java",
        "-cp",
        f"{folder / 'out.jar'}:{KOTLIN / 'lib' / 'kotlin-stdlib.jar'}",
        f"driver.{version}.DriverKt",
    ],
    path="kotlin/com/agentclientprotocol/model/v9/retry/Retry.kt",
    literal=r'"\"\\\$`{\n\r\t\u0000\u0085\u2028\ue000🚩é\ud800"',
    with_a_warning=("Odd.kt", "private fun odd() { val unused = 1 }\n"),
)
