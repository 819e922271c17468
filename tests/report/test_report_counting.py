"""What a report counts and when it is full, whatever its form."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from acpgen.findings import Format, Severity
from acpgen.report import Report, Tally, renderer, set_up
from report_samples import BARE, FULL, HOSTILE, RECOVERED


def report(
    *,
    strict: bool = False,
    max_errors: int | None = None,
    flush: Callable[[], object] | None = None,
    out: io.StringIO | None = None,
) -> Report:
    made = Report(
        Tally("validate"),
        renderer("text", out or io.StringIO(), {}),
        strict=strict,
        max_errors=max_errors,
        flush=flush,
    )
    made.begin(["a.ndjson"])
    return made


def test_messages_and_findings_are_counted() -> None:
    made = report()
    made.accept("a.ndjson", 3)
    made.message("a.ndjson", [FULL, FULL])
    made.message("a.ndjson", [RECOVERED, HOSTILE])
    made.message("a.ndjson", [], judged=False)
    tally = made.tally
    assert (tally.messages, tally.accepted, tally.refused, tally.unjudged) == (6, 5, 1, 1)
    assert [tally.of(severity) for severity in Severity] == [2, 1, 1, 0]
    assert tally.complete


@pytest.mark.parametrize(
    ("found", "strict", "status"),
    [
        (None, False, 0),
        (BARE, False, 0),
        (HOSTILE, True, 0),
        (RECOVERED, False, 0),
        (RECOVERED, True, 1),
        (FULL, False, 1),
    ],
)
def test_the_exit_status(found: object, strict: bool, status: int) -> None:
    made = report(strict=strict)
    made.message("a.ndjson", [] if found is None else [found])  # type: ignore[list-item]
    made.end()
    assert made.status == status


def test_a_file_that_cannot_be_read_is_2_whatever_else_is_found() -> None:
    made = report()
    made.message("a.ndjson", [FULL])
    made.problem("b.ndjson", "is a directory")
    made.end()
    assert (made.status, made.tally.complete) == (2, False)


def test_strict_refuses_what_receivers_recover_from() -> None:
    out = io.StringIO()
    made = report(strict=True, out=out)
    made.message("a.ndjson", [RECOVERED])
    assert (made.tally.refused, made.tally.of("recovered")) == (1, 0)
    assert out.getvalue() == "a.ndjson:4: session/list: error[type] /params/cwd: must be a string\n"


def test_a_report_is_full_after_as_many_errors_as_asked_for() -> None:
    out = io.StringIO()
    made = report(max_errors=2, out=out)
    full = []
    for found in ([FULL, HOSTILE], [RECOVERED, FULL, FULL, HOSTILE]):
        made.message("a.ndjson", found)
        full.append(made.full)
    made.end()
    assert full == [False, True]
    assert len(out.getvalue().splitlines()) == 4
    assert (made.status, made.tally.of("error"), made.tally.complete) == (1, 2, False)
    (problem,) = made.tally.problems
    assert problem.file == "a.ndjson"
    assert problem.message == "has 2 errors up to here, the limit; the rest is left out"


def test_recovered_values_count_for_the_limit_where_they_are_errors() -> None:
    made = report(strict=True, max_errors=1)
    made.message("a.ndjson", [RECOVERED, FULL])
    assert (made.full, made.tally.of("error")) == (True, 1)


def test_every_message_with_findings_is_flushed() -> None:
    flushed: list[int] = []
    out = io.StringIO()
    made = report(out=out, flush=lambda: flushed.append(len(out.getvalue())))
    made.message("a.ndjson", [FULL])
    made.message("a.ndjson", [])
    made.message("a.ndjson", [FULL])
    line = len(out.getvalue()) // 2
    assert flushed == [0, line, 2 * line]


@pytest.mark.parametrize(
    ("found", "judged", "reported"),
    [
        ([], True, "1 message: 1 accepted, 0 refused"),
        ([FULL, FULL], True, "1 message: 0 accepted, 1 refused"),
        ([HOSTILE, HOSTILE], True, "1 message: 1 accepted, 0 refused; 2 warnings"),
        (
            [RECOVERED],
            True,
            "1 message: 1 accepted, 0 refused; 1 value recovered: receivers use the default or "
            "skip the item, and --strict refuses the message",
        ),
        (
            [],
            False,
            "1 message: 1 accepted, 0 refused; 1 result not judged: no request for it here",
        ),
    ],
)
def test_the_summary(found: list[object], judged: bool, reported: str) -> None:
    made = report()
    made.message("a.ndjson", found, judged=judged)  # type: ignore[arg-type]
    assert made.tally.summary() == reported


@pytest.mark.parametrize("form", Format)
def test_every_format_has_its_renderer_and_finds_its_encoding(form: Format) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    set_up(form, out)
    made = Report(Tally("validate"), renderer(form, out, {}))
    made.begin(["ü.json"])
    made.message("ü.json", [HOSTILE.replaced(file="ü\u4f1a.json", subject="\U0001f600")])
    made.end()
    out.flush()
    written = raw.getvalue().decode("latin-1" if form is Format.TEXT else "utf-8")
    shown = {Format.TEXT: r"ü\u4f1a.json", Format.SARIF: "%C3%BC%E4%BC%9A.json"}
    assert shown.get(form, "ü\u4f1a.json") in written


def test_there_are_no_other_formats() -> None:
    with pytest.raises(ValueError, match="there is no format yaml"):
        renderer("yaml", io.StringIO(), {})
