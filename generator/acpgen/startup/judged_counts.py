"""The line about how many messages were judged, and how."""

from __future__ import annotations

from acpgen.words import counted


def counts(  # noqa: PLR0913 - numbers of one line, by name
    messages: int,
    accepted: int | None,
    refused: int | None,
    *,
    recovered: int = 0,
    warnings: int = 0,
    others: int = 0,
    unjudged: int = 0,
) -> str:
    """Return the line, without its end.

    `recovered` is the number of values that receivers replace, `others` that of the messages of
    another version, and `unjudged` that of the results of which only the envelope was judged.
    """
    parts = [f"{counted(messages, 'message')}: {accepted} accepted, {refused} refused"]
    if recovered:
        parts.append(
            f"{counted(recovered, 'value')} recovered: "
            f"receivers use the default or skip the item, and --strict refuses the message"
        )
    if warnings:
        parts.append(counted(warnings, "warning"))
    if others:
        parts.append(f"{counted(others, 'message')} of another version not judged")
    if unjudged:
        parts.append(f"{counted(unjudged, 'result')} not judged: no request for it here")
    return "; ".join(parts)
