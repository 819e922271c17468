"""Where the data folders are: beside the package in a wheel, in the checkout otherwise."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_resources"
ROOT = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]

SCHEMA = ROOT / "schema" / "v2"
DIALECT = ROOT / "schema" / "dialect.schema.json"
ACCEPTED = ROOT / "schema" / "accepted.toml"
TEMPLATES = ROOT / "templates"
VIEW_PAGE = ROOT / "view" / "built" / "session.html"
LANGUAGES = _PACKAGE / "targets" / "languages"
_CONFORMANCE_ROOT = _PACKAGE.parent if ROOT == _BUNDLED else ROOT / "runtime" / "acp-conformance"
CONFORMANCE = _CONFORMANCE_ROOT / "acp_conformance"
GENERATED = Path("generated") if ROOT == _BUNDLED else ROOT / "generated"


def comes_installed() -> bool:
    """True if acpgen runs outside a checkout, so that its schema has no releases."""
    return not (ROOT / "tests").is_dir()
