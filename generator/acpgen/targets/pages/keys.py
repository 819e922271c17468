"""The rules of the protocol about idempotency keys, in words."""

from __future__ import annotations

from acpgen.emit.markdown import Inline
from acpgen.model import Protocol
from acpgen.targets.pages.expressions import CHARACTERS
from acpgen.targets.retry import key_limits


def key_range(protocol: Protocol) -> Inline:
    """The values that are keys: `a string of 1 to 255 characters (Unicode code points)`."""
    least, most = key_limits(protocol)
    length = f"{least} or more" if most is None else f"{least} to {most}"
    return Inline(f"a string of {length} {CHARACTERS}")
