"""The command line. Findings go to stdout, all else to stderr.

Exit status: 0 clean, 1 findings, 2 no verdict. `acpgen.startup` says why a call imports the
module of its own command only.
"""

from acpgen.startup.main import main

__all__ = ["main"]
