"""What acpgen is for, in a minute. `make demo` runs this."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_v2.retry import resend

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "schema" / "v2"
LOG = "tests/interop/faults.ndjson"
PROMPT = {"sessionId": "sess_7f3a", "prompt": [{"type": "text", "text": "Pay the invoice"}]}
KEY = {"idempotencyKey": "5d0c7b52"}


def main() -> None:
    """Show what acpgen answers: four questions, then where to go next."""
    print("The response to a prompt never came. May I send it again?")
    for words, params in (("without a key", PROMPT), ("with its key", {**PROMPT, **KEY})):
        verdict = resend("session/prompt", params)
        print(f"  {words}: {verdict.answer.replace('_', ' ')} ({verdict.reason})")
    print("What does the protocol say about it?  $ acpgen methods session/prompt")
    card = re.sub(r"\n {11}", " ", acpgen("methods", "session/prompt"))
    show(*re.findall(r"^  (?:Class|Rule|Key) .*", card, re.M))
    print(f"Which messages are wrong, and which error is owed?  $ acpgen validate {LOG}")
    show(*acpgen("validate", LOG).splitlines())
    print("Whom would a change of the schema break?  $ acpgen diff OLD NEW")
    show(changed())
    print("Next: README.md is a tour, generated/docs/index.md has every method; acpgen --help")


def show(*lines: str) -> None:
    """Print lines below a question."""
    for line in lines:
        print(f"  {line.strip()}")


def acpgen(*arguments: str) -> str:
    """Run acpgen and return what it prints. Its status 1, for findings, is expected."""
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 1}:
        sys.exit(done.stderr)
    return done.stdout + done.stderr


def changed() -> str:
    """Compare the schema with a copy in which `session/list` may not be sent again."""
    with TemporaryDirectory() as folder:
        copy = shutil.copytree(SCHEMA, Path(folder) / "v2")
        file = copy / "session_list.json"
        old, new = ('"x-retry-class": "idempotent"', '"x-retry-class": "not_retried"')
        file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")
        return acpgen("diff", str(SCHEMA), str(copy)).partition("\n")[0].replace(folder, "NEW")


if __name__ == "__main__":
    main()
