"""The commands by name, with what `acpgen --help` prints of each."""

from __future__ import annotations

COMMANDS = {
    "generate": ("generate", "Generate bundles, Python models, retry tables and pages."),
    "watch": ("watch", "Generate again whenever the schema or a template changes."),
    "validate": ("validate", "Judge messages as a strict receiver does."),
    "convert": ("convert", "Write a log of any shape as a transcript."),
    "trace": ("trace", "Hold transcripts to the rules about keys and resending."),
    "tap": ("tap", "Sit between a client and an agent: record, judge, disturb."),
    "view": ("view", "Show a session as one page for a browser."),
    "conform": ("conform", "Judge an agent, a client or a proxy by the requirements on keys."),
    "lint": ("lint", "Find what is wrong with a schema."),
    "diff": ("diff", "Compare two schemas, and report the peers that each change breaks."),
    "release": ("release", "Keep a version: its bundle and its entry in the changelog."),
    "methods": ("methods", "List the methods, and whether each may be sent again."),
    "rules": ("rules", "List all that the other commands can find."),
    "explain": ("rules", "Explain a rule."),
}
"""The module of `acpgen.cli` that each command is a function of, and its summary."""

GROUPS = {
    "report": ("report_merge", "Put reports together."),
    "docs": ("docs", "Keep tables in pages of your own."),
    "templates": ("templates", "Take acpgen's templates and change them."),
    "upstream": ("upstream", "Compare with the releases of upstream, and annotate them."),
}
"""The module that each group of commands is the `app` of, and its summary."""

NAMES = (*COMMANDS, *GROUPS)
"""All names that may follow `acpgen`."""

SUMMARY = "Schema and code generation for the Agent Client Protocol v2."
HELP = ("-h", "--help")


def overview() -> str:
    """The text of `acpgen --help`."""
    rows = {name: summary for name, (_, summary) in {**COMMANDS, **GROUPS}.items()}
    width = max(map(len, rows)) + 2
    commands = "".join(f"  {name:{width}}{summary}\n" for name, summary in rows.items())
    return (
        f"Usage: acpgen [OPTIONS] COMMAND [ARGS]...\n\n  {SUMMARY}\n\n"
        f"Options:\n"
        f"  --version             Show the version and exit.\n"
        f"  --install-completion  Install completion for the current shell.\n"
        f"  --show-completion     Show completion for the current shell, to copy it.\n"
        f"  -h, --help            Show this message and exit.\n\n"
        f"Commands:\n{commands}\n"
        f"`acpgen COMMAND --help` says more about a command.\n"
    )
