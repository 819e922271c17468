"""The errors on the pages are those of the schema, and every page that names one agrees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from acpgen.emit.templates import Templates
from acpgen.model import (
    Kind,
    Method,
    MethodError,
    Object,
    OpenEnum,
    Protocol,
    Ref,
    Stability,
    TypeName,
)
from acpgen.targets.pages import pages
from page_reader import Reader, Tree

COMMON = {-32600, -32601, -32602, -32603, -32700}
"""What any request can meet (JSON-RPC 2.0 section 5.1)."""

CANCELLED = -32800
RESULT_WHEN_CANCELLED = {"session/request_permission"}
"""The requests that are answered with a result when they are withdrawn."""

OF_OTHERS: Mapping[str, set[int]] = {
    "auth/login": {-32000},
    "auth/status": {-32000},
    "session/request_permission": {CANCELLED},
}
"""Codes that the prose of a method names without being answered with them."""


def page(method: Method) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", method.name).strip("-")
    return f"docs/methods/{slug}.md"


def requests(protocol: Protocol) -> list[Method]:
    return [method for method in protocol.methods if method.kind is Kind.REQUEST]


def error_rows(text: str, reader: Reader) -> list[list[str]]:
    (table,) = [t for t in reader.read(text).tables if t[0] == ["Code", "Name", "When"]]
    return table[1:]


def plain(text: str) -> str:
    return text.replace("`", "")


def codes(text: str) -> set[int]:
    return {int(code) for code in re.findall(r"-32\d{3}\b", text)}


def request(protocol: Protocol, name: str) -> Method:
    method = protocol.method(name, Kind.REQUEST)
    assert method is not None
    return method


def with_method(protocol: Protocol, changed: Method) -> Protocol:
    methods = tuple(
        changed if (m.name, m.kind) == (changed.name, changed.kind) else m for m in protocol.methods
    )
    return replace(protocol, methods=methods)


def test_a_page_lists_each_code_once_the_common_ones_among_them(
    protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    for method in requests(protocol):
        listed = [int(row[0]) for row in error_rows(tree[page(method)], reader)]
        expected = COMMON | {error.code for error in method.errors}
        assert listed == sorted(expected, reverse=True), method.name


def test_a_page_gives_every_reason_of_the_schema_and_no_other(
    protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    for method in requests(protocol):
        for row in error_rows(tree[page(method)], reader):
            number, when = int(row[0]), plain(row[2])
            reasons = [plain(error.when) for error in method.errors if error.code == number]
            assert when.endswith(" ".join(reasons)), method.name
            common = when.removesuffix(" ".join(reasons)).strip()
            assert common.count(".") == (number in COMMON), f"{method.name}: {common}"


def test_a_reason_links_the_methods_that_it_names(
    protocol: Protocol, templates: Templates, tree: Tree
) -> None:
    text = tree[page(request(protocol, "session/prompt"))]
    assert "[`session/cancel`](session-cancel.md) or [`session/close`](session-close.md)" in text
    when = "Neither `session/newer` nor `` `session/new` x`` nor session/new is a link."
    listing = replace(request(protocol, "session/list"), errors=(MethodError(-32602, when),))
    text = pages(with_method(protocol, listing), templates)[page(listing)]
    assert "session-new.md" not in text


def test_a_notification_has_no_errors(protocol: Protocol, tree: Tree, reader: Reader) -> None:
    kinds = {method.name: set[Kind]() for method in protocol.methods}
    for method in protocol.methods:
        kinds[method.name].add(method.kind)
    silent = [m for m in protocol.methods if kinds[m.name] == {Kind.NOTIFICATION}]
    assert silent
    for method in silent:
        assert "A notification has no answer" in tree[page(method)]
        assert all(t[0][0] != "Code" for t in reader.read(tree[page(method)]).tables)


@pytest.mark.parametrize(
    ("name", "number", "reason"),
    [
        ("initialize", -32022, "newer than the one requested"),
        ("initialize", -32600, "another request in between"),
        ("session/new", -32000, "sign in first"),
        ("session/prompt", -32002, "active on the connection"),
        ("session/prompt", -32602, "recorded for another prompt"),
        ("session/prompt", CANCELLED, "before the message was inserted"),
        ("session/resume", -32002, "does not exist"),
        ("session/close", -32002, "take it for success"),
        ("session/delete", -32002, "take it for success"),
        ("session/status", -32002, "no such session"),
        ("session/set_config_option", -32602, "does not know the option"),
        ("tool_call/cancel", -32602, "unknown or final"),
        ("terminal/cancel", -32602, "has exited"),
    ],
)
def test_what_the_protocol_says_of_errors_is_on_the_page(
    name: str, number: int, reason: str, protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    rows = error_rows(tree[page(request(protocol, name))], reader)
    assert reason in {int(row[0]): row[2] for row in rows}[number]


def test_every_request_but_one_ends_with_an_error_when_it_is_withdrawn(
    protocol: Protocol, tree: Tree
) -> None:
    without = {
        method.name
        for method in requests(protocol)
        if not any(e.code == CANCELLED and "$/cancel_request" in e.when for e in method.errors)
    }
    assert without == RESULT_WHEN_CANCELLED
    (permission,) = RESULT_WHEN_CANCELLED
    text = tree[page(request(protocol, permission))]
    assert "`cancelled`" in text
    assert f"in place of error `{CANCELLED}`" in text


def reported(protocol: Protocol, method: Method) -> Iterator[str]:
    """What the schema says in prose about one request, its stable members included."""
    yield from (method.docs, method.resend)
    body = protocol.resolve(Ref(method.params))
    if isinstance(body, Object):
        yield from (p.docs for p in body.properties if p.stability is Stability.STABLE)


def test_a_code_that_prose_names_is_in_the_list(protocol: Protocol) -> None:
    surplus: dict[str, set[int]] = {}
    for method in requests(protocol):
        named = {code for text in reported(protocol, method) for code in codes(text)}
        listed = COMMON - {-32600, -32602} | {error.code for error in method.errors}
        if named - listed:
            surplus[method.name] = named - listed
    assert surplus == OF_OTHERS


def test_guides_name_only_errors_that_prompts_are_answered_with(
    protocol: Protocol, tree: Tree
) -> None:
    listed = {error.code for error in request(protocol, "session/prompt").errors}
    named = {
        code
        for path in tree
        if path.startswith("docs/keyed-prompts/")
        for code in codes(tree[path])
    }
    assert named
    assert named <= listed


def known(protocol: Protocol) -> set[int]:
    body = protocol.types[TypeName("ErrorCode")].body
    assert isinstance(body, OpenEnum)
    return {value.value for value in body.values if isinstance(value.value, int)}


def test_the_page_on_errors_has_every_code_and_who_meets_it(
    protocol: Protocol, tree: Tree, reader: Reader
) -> None:
    (table,) = reader.read(tree["docs/errors.md"]).tables
    assert [int(row[0]) for row in table[1:]] == sorted(known(protocol), reverse=True)
    for row in table[1:]:
        number = int(row[0])
        names = set(row[2].removeprefix("any").removeprefix("; for more reasons: ").split(", "))
        expected = {m.name for m in protocol.methods if any(e.code == number for e in m.errors)}
        assert names - {""} == expected, number
        assert row[2].startswith("any") == (number in COMMON)


def test_a_code_that_no_method_lists_is_described(
    protocol: Protocol, templates: Templates, reader: Reader
) -> None:
    bare = tuple(replace(m, errors=()) for m in protocol.methods)
    (table,) = reader.read(
        pages(replace(protocol, methods=bare), templates)["docs/errors.md"]
    ).tables
    assert {int(row[0]): row[2] for row in table[1:]} == {
        code: "any" if code in COMMON else "none in particular" for code in known(protocol)
    }


def test_the_index_has_every_code(protocol: Protocol, tree: Tree) -> None:
    (line,) = [text for text in tree["docs/index.md"].splitlines() if "](errors.md)" in text]
    assert codes(line) == known(protocol)


def test_an_error_that_is_added_shows_everywhere(
    protocol: Protocol, templates: Templates, reader: Reader
) -> None:
    more = MethodError(-32022, "The pin is taken.")
    listing = request(protocol, "session/list")
    changed = with_method(protocol, replace(listing, errors=(*listing.errors, more)))
    tree = pages(changed, templates)
    rows = {row[0]: row for row in error_rows(tree[page(listing)], reader)}
    assert rows["-32022"][1:] == ["Unsupported protocol version", "The pin is taken."]
    (table,) = reader.read(tree["docs/errors.md"]).tables
    assert "session/list" in {row[0]: row[2] for row in table}["-32022"]


def test_a_schema_without_error_codes_has_the_common_ones(
    protocol: Protocol, templates: Templates, reader: Reader
) -> None:
    types = {name: t for name, t in protocol.types.items() if name != "ErrorCode"}
    error = replace(types[TypeName("Error")], body=Object())
    tree = pages(replace(protocol, types={**types, error.name: error}), templates)
    rows = {int(row[0]): row[1] for row in error_rows(tree["docs/methods/initialize.md"], reader)}
    assert {code: rows[code] for code in COMMON} == {
        -32600: "Invalid request",
        -32601: "Method not found",
        -32602: "Invalid params",
        -32603: "Internal error",
        -32700: "Parse error",
    }
    assert rows[-32022] == "Error"
    (table,) = reader.read(tree["docs/errors.md"]).tables
    meanings = {int(row[0]): row[1] for row in table[1:]}
    assert meanings[-32022] == "Not described."
    assert meanings[-32700] == "The message is not JSON."
    lifecycle = tree["docs/keyed-prompts/prompt-lifecycle.md"]
    assert "`-32602` (Invalid params)" in lifecycle
    assert f"answered with `{CANCELLED}`." in lifecycle
    assert reader.broken_links(tree) == []
