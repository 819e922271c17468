"""How the tests compile and run Java."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from language_tools import Language, run


def _compile(folder: Path, files: Sequence[Path], drivers_: Sequence[Path]) -> None:
    strict = ["-Xlint:all", "-Xdoclint:all/public", "-Werror"]
    options = ["--release", "17", "-encoding", "UTF-8", *strict, "-d", "out"]
    run(["javac", *options, *files, *drivers_], folder)


LANGUAGE = Language(
    needs=("java", "javac"),
    driver=("Driver.java", "driver/{}/Driver.java"),
    compile=_compile,
    command=lambda folder, version: ["java", "-cp", folder / "out", f"driver.{version}.Driver"],
    path="java/com/agentclientprotocol/sdk/spec/v9/AcpRetry.java",
    literal=r'"\"\\$`{\n\r\t\000\205\u2028\ue000🚩é\ud800"',
    with_a_warning=("Odd.java", "final class Odd { java.util.List raw; }\n"),
)
