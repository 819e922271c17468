"""The Go module, taken from a module proxy of files into a fresh project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from language_tools import LANGUAGES, require
from package_building import GENERATED, RELEASE, build, write

_MODULE = "agentclientprotocol.com/go/acpv2"
_PROGRAM = f"""package main

import (
	"fmt"

	"{_MODULE}/retry"
	"{_MODULE}/schema"
)

func main() {{
	params := map[string]any{{"idempotencyKey": "k"}}
	fmt.Println(retry.Resend("session/prompt", params, "", 0).Answer)
	_, err := retry.NewIdempotencyKey("")
	fmt.Println(err != nil)
	key, err := retry.GenerateIdempotencyKey()
	_ = schema.PromptRequest{{SessionID: "s", IdempotencyKey: schema.Some(key)}}
	params["idempotencyKey"] = key
	fmt.Println(err, len(key.Text()), retry.Resend("session/prompt", params, "", 0).Answer)
}}
"""


@pytest.mark.prove("compiles the standard library of Go")
@pytest.mark.parametrize("way", ["proxy", "replace"])
def test_it_is_installed_and_used(way: str, tmp_path: Path) -> None:
    require("go", *LANGUAGES["go"].needs)
    build(GENERATED / "go/v2", tmp_path / "built")
    head = "module example.org/use\n\ngo 1.18\n\n"
    replace = f"replace {_MODULE} => {GENERATED / 'go/v2'}\n" if way == "replace" else ""
    wanted = f"require {_MODULE} v{RELEASE}\n"
    project = write(tmp_path / "project", {"go.mod": head + wanted + replace, "main.go": _PROGRAM})
    environment = {
        **os.environ,
        "GOPROXY": (tmp_path / "built/go").as_uri() if way == "proxy" else "off",
        "GONOSUMDB": "*",
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOTOOLCHAIN": "local",
        "GOMODCACHE": str(tmp_path / "modules"),
    }
    done = subprocess.run(
        ["go", "run", "."],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "same_key\ntrue\n<nil> 36 same_key\n"), done.stderr
