"""The reference for regular expressions: `RegExp(pattern, "u")` of Node."""

from __future__ import annotations

import json
import shutil
import subprocess

import unavailable
from pattern_samples import TEXTS

_SCRIPT = """
const {patterns, texts} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const verdicts = patterns.map((pattern) => {
  try { const r = new RegExp(pattern, "u"); return texts.map((text) => r.test(text)); }
  catch { return null; }
});
console.log(JSON.stringify(verdicts));
"""
Verdicts = dict[str, list[bool] | None]


def node(patterns: list[str], texts: tuple[str, ...] = TEXTS) -> Verdicts:
    """Which of the texts each pattern matches; None for one that Node refuses."""
    if (program := shutil.which("node")) is None:
        unavailable.skip("needs node")
    done = subprocess.run(
        [program, "-e", _SCRIPT],
        input=json.dumps({"patterns": patterns, "texts": texts}),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(patterns, json.loads(done.stdout), strict=True))


def at(verdicts: Verdicts, pattern: str, text: str) -> bool | None:
    """What Node says of one pattern and one text."""
    known = verdicts[pattern]
    return None if known is None else known[TEXTS.index(text)]
