"""What the pages say, taken from the protocol, and what they leave out."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import jsonschema_rs
import pytest

from acpgen import resources
from acpgen.emit.header import HEADER, owns
from acpgen.emit.templates import TemplateError, Templates
from acpgen.model import Kind, MethodName, Protocol, RetryClass, Scalar, Stability, TypeName
from acpgen.targets.bundles import bundle
from acpgen.targets.pages import PageNameError, pages
from acpgen.targets.retry.classes import CLASSES
from page_reader import Reader, Tree

PROMPT = "docs/methods/session-prompt.md"
LIFECYCLE = "docs/keyed-prompts/prompt-lifecycle.md"
GUIDES = (
    LIFECYCLE,
    "docs/keyed-prompts/session-setup.md",
    "docs/keyed-prompts/transports.md",
)


def test_every_method_and_every_domain_has_its_page(protocol: Protocol, tree: Tree) -> None:
    slugs = {re.sub(r"[/_]", "-", m.name.removeprefix("$/")) for m in protocol.methods}
    assert set(tree) == {
        "docs/index.md",
        "docs/retry-classes.md",
        "docs/errors.md",
        *GUIDES,
        *(f"docs/methods/{slug}.md" for slug in slugs),
        *(f"docs/types/{domain}.md" for domain in protocol.domains),
    }


def test_every_page_is_marked_as_generated_where_no_reader_sees_it(
    tree: Tree, reader: Reader
) -> None:
    for path, text in tree.items():
        assert owns(text), path
        assert reader.read(text.splitlines()[0]).kinds == [], path
        assert text.count(HEADER) == 1, path


def test_every_page_has_one_title_and_no_empty_heading(tree: Tree, reader: Reader) -> None:
    for path, text in tree.items():
        headings = reader.read(text).headings
        assert [level for level, _ in headings].count(1) == 1, path
        assert headings[0][0] == 1, path
        lines = [line for line in _outside_code(text) if line]
        for line, following in zip(lines, [*lines[1:], "# end"], strict=True):
            if line.startswith("#") and following.startswith("#"):
                assert _level(following) > _level(line), f"{path}: {line} is empty"


def _outside_code(text: str) -> list[str]:
    return re.sub(r"^```.*?^```$", "code", text, flags=re.DOTALL | re.MULTILINE).splitlines()


def _level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def test_text_is_tidy(tree: Tree) -> None:
    for path, text in tree.items():
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path
        assert "\n\n\n" not in text, path
        assert not re.search(r"[ \t]$", text, re.MULTILINE), path


def test_no_cell_is_empty_or_says_none(tree: Tree, reader: Reader) -> None:
    for path, text in tree.items():
        for table in reader.read(text).tables:
            assert {len(row) for row in table} == {len(table[0])}, path
            for row in table:
                assert all(cell not in {"", "None"} for cell in row), f"{path}: {row}"


def test_types_stand_under_their_names(protocol: Protocol, tree: Tree, reader: Reader) -> None:
    for domain in protocol.domains:
        headings = reader.read(tree[f"docs/types/{domain}.md"]).headings
        names = [t.name for t in protocol.types.values() if t.domain == domain]
        assert headings == [(1, f"Types: {domain}"), *((2, name) for name in names)]


def test_a_method_of_both_kinds_has_one_page(tree: Tree, reader: Reader) -> None:
    headings = reader.read(tree["docs/methods/mcp-message.md"]).headings
    assert [name for level, name in headings if level == 2] == [
        "As a request",
        "As a notification",
    ]


def test_a_method_page_has_the_sections_that_apply(tree: Tree, reader: Reader) -> None:
    request = reader.read(tree[PROMPT]).headings
    assert [name for _, name in request[:5]] == [
        "session/prompt",
        "Sending it again",
        "Params",
        "Result",
        "Errors",
    ]
    notification = reader.read(tree["docs/methods/cancel-request.md"]).headings
    assert "Result" not in {name for _, name in notification}


def test_params_tables_tell_types_limits_and_tolerance(tree: Tree, reader: Reader) -> None:
    _, params, result, _ = reader.read(tree[PROMPT]).tables
    rows = {row[0]: row for row in params[1:]}
    assert rows["sessionId"][1:3] == ["SessionId", "yes"]
    assert rows["idempotencyKey"][1:3] == ["IdempotencyKey or null", "no"]
    assert "1 to 255 characters (Unicode code points)." in rows["idempotencyKey"][3]
    assert "Recovered" not in rows["idempotencyKey"][3]
    assert rows["prompt"][1] == "array of ContentBlock"
    assert "At least 1 item." in rows["prompt"][3]
    assert "Recovered when malformed: read as omitted." in rows["_meta"][3]
    assert [row[0] for row in result[1:]] == ["messageId", "_meta"]


def test_defaults_and_dropped_items_are_reported(tree: Tree, reader: Reader) -> None:
    _, params, result, _ = reader.read(tree["docs/methods/initialize.md"]).tables
    described = {row[0]: row[3] for row in (*params, *result)}
    assert (
        "Default: {}. Recovered when malformed: read as the default." in described["capabilities"]
    )
    assert "Malformed items are dropped, the rest is kept." in described["authMethods"]


def test_examples_are_messages_that_the_bundle_accepts(
    protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    validator = jsonschema_rs.validator_for(bundle(protocol, Stability.UNSTABLE))
    seen = 0
    for path in (p for p in tree if p.startswith(("docs/methods/", "docs/keyed-prompts/"))):
        asked = set()
        for language, body in reader.read(tree[path]).code:
            if language != "json":
                continue
            message = json.loads(body)
            validator.validate(message)
            seen += 1
            if "method" in message:
                asked.add(message.get("id"))
            elif path.startswith("docs/methods/"):
                assert message["id"] in asked, f"{path}: answers nothing"
    assert seen >= len(protocol.methods)


def test_the_audit_lists_every_method_once(protocol: Protocol, tree: Tree, reader: Reader) -> None:
    tables = [t for t in reader.read(tree["docs/retry-classes.md"]).tables if "Method" in t[0]]
    rows = sorted((row[0], row[2]) for table in tables for row in table[1:])
    titles = [(m.name, CLASSES[m.retry].title) for m in protocol.methods if m.retry is not None]
    assert rows == sorted(titles)


def test_recovery_is_worded_for_requests_and_for_notifications(tree: Tree) -> None:
    (section,) = re.findall(
        r"\n## Not retried\n(.*?)\n## ", tree["docs/retry-classes.md"], re.DOTALL
    )
    assert "`$/cancel_request`" in section
    assert "After a lost request it opens a new connection" in section
    assert "After any other notification there is nothing to recover" in section


def test_every_class_is_explained(tree: Tree, reader: Reader) -> None:
    assert set(CLASSES) == set(RetryClass)
    headings = {name for _, name in reader.read(tree["docs/retry-classes.md"]).headings}
    assert {explanation.title for explanation in CLASSES.values()} <= headings


@pytest.mark.parametrize("kind", ["method", "type", "member", "variant"])
def test_unstable_parts_are_marked(kind: str, tree: Tree, reader: Reader) -> None:
    mark = "Unstable."
    if kind == "method":
        marked = [p for p in tree if f"> **{mark}** This method" in tree[p]]
        assert "docs/methods/session-fork.md" in marked
        assert PROMPT not in marked
    elif kind == "type":
        assert f"## McpServerAcp\n\n> **{mark}** This type" in tree["docs/types/mcp.md"]
    else:
        path, name = {
            "member": ("docs/types/state.md", "usage"),
            "variant": ("docs/types/mcp.md", "acp"),
        }[kind]
        rows = [row for table in reader.read(tree[path]).tables for row in table if row[0] == name]
        assert rows
        assert all(row[-1].startswith(mark) for row in rows)


def test_patches_and_users_are_notified(tree: Tree) -> None:
    (section,) = re.findall(r"## ToolCallUpdate\n(.*?)\n## ", tree["docs/types/tool_call.md"], re.S)
    assert "A patch: an optional member that is omitted stays as it is" in section
    assert "Used by" in section


def test_guides_take_the_limits_of_the_key_from_the_protocol(
    protocol: Protocol, templates: Templates
) -> None:
    name = TypeName("IdempotencyKey")
    key = protocol.types[name]
    assert isinstance(key.body, Scalar)
    shorter = replace(key, body=replace(key.body, max_length=99))
    changed = pages(replace(protocol, types={**protocol.types, name: shorter}), templates)
    assert "a string of 1 to 99 characters" in changed[LIFECYCLE]
    assert not any("255" in changed[path] for path in GUIDES)


def test_guides_show_a_lost_answer_and_its_retry(tree: Tree, reader: Reader) -> None:
    for path in GUIDES:
        diagrams = [body for info, body in reader.read(tree[path]).code if info == "mermaid"]
        assert diagrams, path
        assert all(body.startswith("sequenceDiagram\n") for body in diagrams), path


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (LIFECYCLE, r"capabilities\.session` \*\*MUST\*\* support"),
        (LIFECYCLE, r"\*\*MUST\*\* refuse every other value.*-32602"),
        (LIFECYCLE, r"\*\*MUST NOT\*\* treat such a value as omitted"),
        (LIFECYCLE, r"\*\*SHOULD\*\* use a UUID"),
        (LIFECYCLE, r"\*\*SHOULD NOT\*\* derive the key from the user's input"),
        (LIFECYCLE, r"Client \*\*MUST NOT\*\* send it with a different one"),
        (LIFECYCLE, r"\*\*MUST NOT\*\* insert another message"),
        (LIFECYCLE, r"every\* pending request with that key with `-32800`"),
        (LIFECYCLE, r"Only for a malformed key does it prove that no attempt was inserted"),
        (LIFECYCLE, r"reads again; if that fails too, it answers with an internal error"),
        (GUIDES[1], r"inserts nothing and answers with an internal error"),
        (GUIDES[1], r"\*\*MUST\*\* recognize the key"),
        (GUIDES[1], r"live only.*\*\*MAY\*\* forget"),
        (GUIDES[1], r"\*\*SHOULD\*\* follow at once"),
        (GUIDES[1], r"\*\*SHOULD\*\* show such a prompt to the user"),
        (GUIDES[1], r"\*\*SHOULD\*\* be stored in a single step"),
        (GUIDES[2], r"\*\*MAY\*\* continue or cancel"),
        (GUIDES[2], r"forward the `idempotencyKey` unchanged"),
    ],
)
def test_guides_state_every_obligation(path: str, rule: str, tree: Tree) -> None:
    assert re.search(rule, tree[path]), f"{path} no longer says {rule}"


def test_guides_need_prompts_that_take_a_key(
    protocol: Protocol, templates: Templates, reader: Reader
) -> None:
    keyless = tuple(replace(m, key=None, page=None) for m in protocol.methods)
    tree = pages(replace(protocol, methods=keyless), templates)
    assert not any("keyed-prompts" in text for text in (*tree, *tree.values()))
    assert reader.broken_links(tree) == []


def test_a_schema_without_classes_has_pages_too(
    protocol: Protocol, templates: Templates, reader: Reader
) -> None:
    unclassed = tuple(
        replace(m, retry=None, resend="", key=None, page=None) for m in protocol.methods
    )
    tree = pages(replace(protocol, methods=unclassed), templates)
    assert "states no retry class for this method" in tree[PROMPT]
    assert "states no class for" in tree["docs/retry-classes.md"]
    assert reader.broken_links(tree) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("session_prompt", "'session/prompt' and 'session_prompt' would share session-prompt.md"),
        ("$/", "'$/': name the method with letters or digits"),
    ],
)
def test_a_method_without_a_page_name_is_refused(
    name: str, reason: str, protocol: Protocol, templates: Templates
) -> None:
    prompt = protocol.method("session/prompt", Kind.REQUEST)
    assert prompt is not None
    more = replace(prompt, name=MethodName(name))
    with pytest.raises(PageNameError, match=re.escape(reason)):
        pages(replace(protocol, methods=(*protocol.methods, more)), templates)


def test_a_template_that_asks_for_the_unknown_is_refused(
    protocol: Protocol, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("templates")
    for path in (resources.TEMPLATES / "docs").rglob("*.jinja"):
        copy = folder / path.relative_to(resources.TEMPLATES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text("utf-8"), "utf-8")
    (folder / "docs" / "page.md.jinja").write_text("{{ nobody_gave_this }}")
    with pytest.raises(TemplateError, match="nobody_gave_this"):
        pages(protocol, Templates(folder))
