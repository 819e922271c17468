"""The pages that list every method: the index and the retry classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, code, first_sentence, join, prose, table
from acpgen.model import Kind, Method, MethodName, Protocol, RetryClass, Side, Stability
from acpgen.startup.method_list import DIRECTIONS
from acpgen.targets.pages.errors import error_codes
from acpgen.targets.pages.site import Links, types_page
from acpgen.targets.retry.classes import CLASSES, DEFERRALS

Column = Callable[[Method], Inline]


@dataclass(frozen=True, slots=True)
class MethodGroup:
    """Methods that travel alike, as a table. `name` is the side that handles them, for requests."""

    name: str
    title: str
    table: str


@dataclass(frozen=True, slots=True)
class ClassSection:
    """A retry class with the methods that are of it."""

    title: str
    meaning: Inline
    rule: Inline
    methods: Inline


def listing(protocol: Protocol, links: Links) -> list[MethodGroup]:
    """Every method: what it does, and its class."""
    columns: dict[str, Column] = {
        "Method": lambda m: _marked(m, links),
        "What it does": lambda m: prose(first_sentence(m.docs)),
        "Retry class": lambda m: links.retry_class(m.retry),
    }
    return list(_groups(protocol, columns))


def audit(protocol: Protocol, links: Links) -> list[MethodGroup]:
    """Every method: what a copy does, and its class."""
    columns: dict[str, Column] = {
        "Method": lambda m: links.method(m.name),
        "What a copy does": lambda m: prose(m.resend),
        "Class": lambda m: links.retry_class(m.retry),
        "Stability": lambda m: Inline(m.stability.value),
    }
    return list(_groups(protocol, columns))


def class_table(protocol: Protocol, links: Links) -> str:
    """Every class of a method and every deferral: whether it lets a message be sent again."""
    used = _used(protocol)
    classes = [retry for retry in used if retry not in DEFERRALS]
    parts = [_short_table("Class", classes, links)] if classes else []
    if len(classes) < len(used):
        parts += [
            "These messages have no class of their own, and defer to another definition:",
            _short_table("Deferral", [retry for retry in used if retry in DEFERRALS], links),
        ]
    return "\n\n".join(parts)


def _short_table(title: str, classes: Iterable[RetryClass], links: Links) -> str:
    head = (Inline(title), Inline("May it be sent again?"))
    return table(head, [(links.retry_class(retry), CLASSES[retry].short) for retry in classes])


def index(protocol: Protocol, links: Links) -> dict[str, object]:
    """The variables of the index."""
    return {
        "guides": [links.guide_entry(slug) for slug in links.site.guides],
        "classes": links.retry_classes(),
        "errors": links.errors(),
        "error_codes": error_codes(protocol),
        "groups": listing(protocol, links),
        "domains": _domains(protocol, links),
    }


def retry_classes(protocol: Protocol, links: Links) -> dict[str, object]:
    """The variables of the page on retry classes."""
    used = _used(protocol)
    return {
        "overview": class_table(protocol, links),
        "classes": [_section(r, protocol, links) for r in used if r not in DEFERRALS],
        "deferrals": [_section(r, protocol, links) for r in used if r in DEFERRALS],
        "version": protocol.version,
        "unstated": _names(protocol, None, links),
        "groups": audit(protocol, links),
        "keyed": bool(links.site.guides),
        "method": links.method,
    }


def _section(retry: RetryClass, protocol: Protocol, links: Links) -> ClassSection:
    words = CLASSES[retry]
    return ClassSection(words.title, words.meaning, words.rule, _names(protocol, retry, links))


def _groups(protocol: Protocol, columns: Mapping[str, Column]) -> Iterable[MethodGroup]:
    """Every method in one table, with what the title of the table leaves open as a column."""
    requests = [m for m in protocol.methods if m.kind is Kind.REQUEST]
    notifications = [m for m in protocol.methods if m.kind is Kind.NOTIFICATION]
    proxied = [m for m in (*requests, *notifications) if m.side is Side.PROXY]
    direction: dict[str, Column] = {"Direction": lambda m: Inline(DIRECTIONS[m.side])}
    kind: dict[str, Column] = {"Kind": lambda m: Inline(m.kind.value)}
    to_agent = [m for m in requests if m.side is Side.AGENT]
    to_client = [m for m in requests if m.side is Side.CLIENT]
    either_way = [m for m in requests if m.side is Side.PROTOCOL]
    unanswered = [m for m in notifications if m.side is not Side.PROXY]
    groups: list[tuple[str, str, list[Method], dict[str, Column]]] = [
        ("agent", "Client to Agent requests", to_agent, {}),
        ("client", "Agent to Client requests", to_client, {}),
        ("protocol", "Requests either way", either_way, {}),
        ("notifications", "Notifications", unanswered, direction),
        ("proxy", "Proxies", sorted(proxied, key=lambda m: m.name), kind),
    ]
    for name, title, methods, more in groups:
        if methods:
            shown = {**columns, **more}
            head = [Inline(name) for name in shown]
            rows = [[cell(method) for cell in shown.values()] for method in methods]
            yield MethodGroup(name, title, table(head, rows))


def _used(protocol: Protocol) -> list[RetryClass]:
    return [retry for retry in RetryClass if any(m.retry is retry for m in protocol.methods)]


def _names(protocol: Protocol, retry: RetryClass | None, links: Links) -> Inline:
    """The methods of a class. One that is of two classes says in which kind it is of this one."""
    classes: dict[MethodName, set[RetryClass | None]] = {}
    for method in protocol.methods:
        classes.setdefault(method.name, set()).add(method.retry)
    names = (
        Inline(
            links.method(m.name) + (f" (as a {m.kind.value})" if len(classes[m.name]) > 1 else "")
        )
        for m in protocol.methods
        if m.retry is retry
    )
    return join(dict.fromkeys(names), ", ")


def _marked(method: Method, links: Links) -> Inline:
    unstable = " (unstable)" if method.stability is Stability.UNSTABLE else ""
    return Inline(f"{links.method(method.name)}{unstable}")


def _domains(protocol: Protocol, links: Links) -> str:
    head = (Inline("Domain"), Inline("Types"))
    rows = [
        (
            links.to(types_page(domain), code(domain)),
            join((links.type(t.name) for t in protocol.types.values() if t.domain == domain), ", "),
        )
        for domain in protocol.domains
    ]
    return table(head, rows)
