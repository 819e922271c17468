"""Which kind of change undoes which: another, itself, or none, and why."""

from __future__ import annotations

_PAIRS = (
    ("method-removed", "method-added"),
    ("method-side-removed", "method-side-added"),
    ("envelope-type-removed", "envelope-type-added"),
    ("error-added", "error-removed"),
    ("key-removed", "key-added"),
    ("required-member-added", "required-member-removed"),
    ("optional-member-added", "optional-member-removed"),
    ("member-now-required", "member-now-optional"),
    ("null-refused", "null-allowed"),
    ("default-stated", "default-dropped"),
    ("tolerance-added", "tolerance-removed"),
    ("patch-added", "patch-removed"),
    ("limit-tightened", "limit-loosened"),
    ("pattern-added", "pattern-removed"),
    ("pattern-loosened", "pattern-tightened"),
    ("type-narrowed", "type-widened"),
    ("value-removed", "value-added"),
    ("known-value-removed", "known-value-added"),
    ("enum-closed", "enum-opened"),
    ("variant-removed", "variant-added"),
    ("known-variant-removed", "known-variant-added"),
    ("union-closed", "union-opened"),
    ("choice-added", "choice-removed"),
    ("choice-exclusive", "choice-inclusive"),
    ("type-inlined", "type-named"),
)
_OWN = (
    "retry-class-changed",
    "carried-method-changed",
    "key-member-changed",
    "resend-reworded",
    "docs-changed",
    "default-changed",
    "pattern-changed",
    "type-replaced",
    "undoing-changed",
    "method-kind-changed",
    "method-renamed",
    "format-changed",
    "type-renamed",
    "type-switched",
    "type-restructured",
    "variant-renamed",
)
UNMIRRORED = {
    "method-without-class": "a method that is removed takes its missing class along",
    "key-tolerated": "a key that loses the mark is reported as any member is: tolerance-removed",
}
MIRRORS = {
    **dict(_PAIRS),
    **{back: forth for forth, back in _PAIRS},
    **dict(zip(_OWN, _OWN, strict=True)),
}
