"""How a file can differ from what is generated."""

from __future__ import annotations

from acpgen.rulebook import Group, rule


@rule(Group.DRIFT)
def drift_changed() -> str:
    """A generated file is what the schema, the templates and acpgen make of it.

    Why: an edit by hand is lost with the next `acpgen generate`, and until then the file differs
    from the schema.

    Example: a schema that was edited and not generated from, or an edit below `generated/`; or a
    checkout in which git made CRLF of all line ends

    Fix: make the change in the schema or in a template, then run the command that is printed.
    Against CRLF, put `generated/** eol=lf` into .gitattributes.
    """
    return "is not as generated"


@rule(Group.DRIFT)
def drift_missing() -> str:
    """Every file that follows from the schema is there.

    Why: what is missing was added to the schema and not generated, or removed by hand.

    Example: a new domain file without its page and its models

    Fix: run the command that is printed.
    """
    return "is missing"


@rule(Group.DRIFT)
def drift_surplus() -> str:
    """Each generated file follows from the schema.

    Why: a page or a module of a type that is gone misleads its readers.

    Example: a domain file that was renamed, with the models of the old name still there

    Fix: run the command that is printed; it removes what acpgen wrote and needs no more.
    """
    return "was generated once, and nothing in the schema leads to it any more"


@rule(Group.DRIFT)
def drift_foreign() -> str:
    """No other file is in the place of a generated one.

    Why: a file without acpgen's header, a folder or a link there may be written by hand, so acpgen
    neither replaces nor removes it. A generated file whose header was edited away is one of these.

    Example: an edit of the first lines of a generated file

    Fix: move it away, or put the header back, then run the command that is printed.
    """
    return "was not written by acpgen, or has lost its header, so it is left alone"


@rule(Group.DRIFT)
def drift_unfinished() -> str:
    """No run of `acpgen generate` was killed while it wrote.

    Why: a run that was killed leaves old files beside new ones, and the drafts of the others.

    Example: a CI job that was stopped during `acpgen generate`

    Fix: run the command that is printed; it completes the folder and removes the drafts.
    """
    return "a run that writes this folder was killed, or is still at work"
