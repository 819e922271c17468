"""Members of ACP v1 that v2 lacks, in messages that v2 may accept.

All are legal, because receivers ignore unknown members, and what the sender meant is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acp_wire.reader import JsonValue
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.judge.v1_words import holds


def former_members(
    value: JsonValue, now: Mapping[str, str], version: int | None, missing: bool
) -> Iterator[MessageFault]:
    """Yield a warning for each member of v1 in params or a result.

    `now` has what v2 has instead of each (`v1_words.PARAMS`). `version` is that of the protocol; a
    value that names another version is not judged. `missing` says that a member is reported
    elsewhere if the one that v2 has instead is missing.
    """
    if not isinstance(value, dict) or version in (None, 1):
        return
    if value.get("protocolVersion", version) != version:
        return
    for name, instead in now.items():
        place = (*name.split("/"),)
        if holds(value, place) and (len(place) > 1 or instead in value or not missing):
            yield MessageFault(
                MessageRule.FORMER_MEMBER,
                f"is a member of ACP v1, so receivers ignore it; v2 has {instead}",
                place,
                Severity.WARNING,
            )
