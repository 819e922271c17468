"""Bare params and results, and the JSON in Markdown pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

PROMPT = '{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}'
UNKNOWN = "is not a method of the protocol"
PAGE = """\
# A page

Text with `{"jsonrpc": 1}`.

```json
{
  "jsonrpc": "2.0", "id": 1,
  "method": "session/list",
  "params": { "cwd": 5 }
}
```

- In a list:

  ~~~json title="x"
  {"jsonrpc": "2.0", "id": 2, "method": "session/list",
   "params": {}}
  ~~~

````json
// client to agent
{"jsonrpc": "2.0", "id": 3, "method": "session/lists", "params": {}}
```
{"jsonrpc": "2.0", "id": 4,
````

```ts
const message = {"jsonrpc": "2.0", "id": 5, "method": "x"}
```
"""


def run(*arguments: str | Path, stdin: str = "") -> Result:
    return CliRunner().invoke(APP, ["validate", *map(str, arguments)], input=stdin)


@pytest.mark.parametrize(
    ("part", "value", "found"),
    [
        ("session/prompt", PROMPT, ""),
        ("session/prompt#params", PROMPT, ""),
        ("session/prompt", '{"sessionId":"s"}', "session/prompt: error[required] -32602 /prompt"),
        ("session/prompt", '{\n"sessionId": 5,\n"prompt": []}', ":2: session/prompt: error[type]"),
        ("session/new#result", '{"sessionId":"s"}', ""),
        ("session/new#result", '{"sessionId":5}', ":1: session/new: error[type] /sessionId"),
        ("session/cancel", '{"sessionId":5}', ":1: session/cancel: error[type] /sessionId"),
        ("session/prompt", "[]", ":1: session/prompt: error[type] -32602: must be"),
        ("session/prompt", '{"sessionId":', "<stdin>:1: error[not-json]"),
        ("session/prompt", '{"prompt":[],"prompt":[]}', "warning[duplicate-member] /prompt"),
    ],
)  # fmt: skip
def test_a_part_is_judged(part: str, value: str, found: str) -> None:
    result = run("--as", part, stdin=value)
    assert found in result.stdout
    assert bool(result.stdout) is bool(found)
    assert result.exit_code == int(bool(found))


def test_several_parts_are_several_values() -> None:
    result = run("--as", "session/prompt", stdin=f"{PROMPT}\n\n{{}}\n")
    assert result.stderr == "2 messages: 1 accepted, 1 refused\n"
    assert result.stdout.startswith("<stdin>:3: session/prompt: error[required]")


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("session/promt", f"session/promt {UNKNOWN}; did you mean session/prompt?"),
        ("session/prompt#error", "#error is not a part; it is #params or #result"),
        ("session/cancel#result", "session/cancel has no result"),
    ],
)  # fmt: skip
def test_a_part_that_no_message_has_is_2(part: str, reason: str) -> None:
    result = run("--as", part, stdin=PROMPT)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"acpgen: <stdin>: can't be judged --as {part}: {reason}\n"


def test_the_json_of_a_page_is_judged_with_its_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    result = run(page)
    found = [line.removeprefix(f"{page}:").split("]")[0] for line in result.stdout.splitlines()]
    assert found == [
        "9: session/list: error[type",
        "22: session/lists: error[unknown-method",
        "24: error[not-json",
    ]
    assert "4 messages: 1 accepted, 3 refused" in result.stderr


def test_a_page_on_standard_input_is_named() -> None:
    result = run("--read-as", "markdown", stdin=PAGE)
    assert [line.split(":")[1] for line in result.stdout.splitlines()] == ["9", "22", "24"]
    assert "read as values that span lines and messages, one a line in Markdown: 4" in result.stderr


def test_a_page_of_params(tmp_path: Path) -> None:
    page = tmp_path / "page.mdx"
    page.write_text(f"Text\n\n```json\n{PROMPT}\n```\n\n> ```json\n> {{}}\n> ```\n", "utf-8")
    result = run("--as", "session/prompt", page)
    assert result.stdout.startswith(f"{page}:8: session/prompt: error[required]")
    assert result.stderr.endswith("2 messages: 1 accepted, 1 refused\n")


EMPTY = "# Page\n\nText.\n"
OTHER = '# Page\n\n```json\n{"name": "x"}\n```\n'
GOOD = '```json\n{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}\n```\n'


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_page_without_messages_is_not_a_problem_beside_one_with_some(
    jobs: str, tmp_path: Path
) -> None:
    for name, text in (("a", EMPTY), ("b", GOOD), ("c", OTHER)):
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    result = run(tmp_path, "--jobs", jobs)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "a.md: no block of the page has messages; blocks of ```json are read" in result.stderr
    assert "c.md: no line is a message; line 4 is the first: " in result.stderr
    assert result.stderr.endswith("1 message: 1 accepted, 0 refused\n")


@pytest.mark.parametrize("text", [EMPTY, OTHER])
def test_pages_without_any_message_are_2(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    result = run(page)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("page.md: no messages, so there is nothing to judge\n")
    assert (text == OTHER) == ("`acpgen validate --as METHOD` judges params" in result.stderr)
    assert "--message-at" not in result.stderr


BLOCKS = {
    "tilde": "~~~json\n{}\n~~~\n",
    "indented": "   ```json\n   {}\n   ```\n",
    "in a list": "1. Step\n\n   ```json\n   {}\n   ```\n",
    "after a mark": "- ```json\n  {}\n  ```\n",
    "in a quote": "> ```json\n> {}\n> ```\n",
    "in a list in a quote": "> - x\n>   ```json\n>   {}\n>   ```\n",
    "behind a tab": "- x\n\n\t```json\n\t{}\n\t```\n",
    "with a title": '``` json title="x.json" {1,3}\n{}\n```\n',
    "with a class": "```{.json .wide}\n{}\n```\n",
    "with comments": "```jsonc\n// http://x\n/* {\n */ {}\n```\n",
    "longer": "`````json\n{}\n`````\n",
    "not closed": "```json\n{}\n",
    "printed": "```text\n-> {}\n```\n",
    "without a language": "```\n{}\n```\n",
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_a_block_is_found(block: str, tmp_path: Path) -> None:
    bad = '{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"cwd": 5}}'
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{block.replace('{}', bad)}", "utf-8")
    line = 3 + block[: block.index("{}")].count("\n")
    assert run(page).stdout.startswith(f"{page}:{line}: session/list: error[type] -32602 /params")


def test_several_values_in_one_block_are_several_parts(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```jsonc\n{PROMPT} // one\n\n{{\n}}\n{PROMPT}\n```\n", "utf-8")
    result = run("--as", "session/prompt", page)
    assert result.stdout.startswith(f"{page}:4: session/prompt: error[required]")
    assert result.stderr.endswith("3 messages: 2 accepted, 1 refused\n")


@pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\u2028", "\r\r"])
def test_odd_line_ends_in_json_with_comments_move_no_line(mark: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = f'```jsonc\n// one{mark} two\n{{"jsonrpc":"2.0","id":1,{mark[0]}"method":"x"}}\n\n'
    listed = '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":5}}\n```\n'
    page.write_bytes(f"{text}{listed}".encode())
    result = run(page)
    assert "error in acpgen itself" not in result.stderr
    assert f"{page}:5: session/list: error[type] -32602 /params/cwd" in result.stdout
