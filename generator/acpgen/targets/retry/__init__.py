"""The sources of the retry tables of all languages: rows, meanings, the decision, the IDs."""

from acpgen.targets.retry.retry_rows import MissingClassError, Row, key_limits, rows

__all__ = ["MissingClassError", "Row", "key_limits", "rows"]
