"""Changes from one version of a protocol to the next, and the peers that they break.

`diff` compares two protocols once and judges every difference by who sends and who receives it.
`acpgen.diff.rules` documents each kind of change, and `acpgen.diff.retry_promises` what a changed
retry class means.
"""

from __future__ import annotations

from acpgen.diff.change import Change, Standing
from acpgen.diff.comparison import diff
from acpgen.diff.effect import Effect
from acpgen.diff.message_channels import Party
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules import RULES

__all__ = ["RULES", "Change", "ChangeRule", "Effect", "Party", "Standing", "diff"]
