"""How the tests would run the toy language."""

from __future__ import annotations

from language_tools import Language

LANGUAGE = Language(
    needs=(),
    driver=("driver.toy", "{}/driver.toy"),
    compile=lambda _folder, _files, _drivers: None,
    command=lambda folder, version: ["toy", folder / version],
    path="toy/v9/toy.py",
    literal="",
)
