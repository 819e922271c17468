"""Runs programs as an ordinary user without network, with an environment and folders of their own.

Only loopback is there. It needs Linux with `unshare`, and `setpriv` for root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Sandbox", "SandboxError"]

ROOT: Final = Path(__file__).resolve().parents[1]

NOBODY: Final = 65534
"""The user and the group that programs run as if root starts them."""

LOOPBACK: Final = 'ip link set lo up 2>/dev/null; exec "$@"'


class SandboxError(Exception):
    """A program can't be run apart from this machine; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A place for one agent. Programs may write to `folder` only."""

    folder: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """All variables of a program in it."""
        paths = [str(Path(found).parent) for found in (shutil.which("node"),) if found]
        return {
            "PATH": os.pathsep.join([*paths, "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "NO_BROWSER": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(
                path
                for path in sys.path
                if "site-packages" in path or Path(path).is_relative_to(ROOT)
            ),
        }

    def prepare(self) -> None:
        """Create the folders anew.

        Raises:
            SandboxError: there is no way to take the network away.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.folder, self.folder / "home", self.folder / "tmp"):
            folder.mkdir(parents=True)
            if os.geteuid() == 0:
                os.chown(folder, NOBODY, NOBODY)
        if shutil.which("unshare") is None:
            raise SandboxError("unshare is missing: install util-linux")
        done = self.run(["true"], 60)
        if done.returncode != 0:
            raise SandboxError(f"it can't be run without network: {last_line(done.stderr)}")

    def python(self) -> str:
        """The first Python that can run the kit in it: this one, or that of the system.

        Raises:
            SandboxError: there is none, such as where only root may read them.
        """
        started = 'exec "$0" -c "import acpgen.cli.app, acp_conformance"'
        errors: list[str] = []
        for python in (sys.executable, "/usr/bin/python3"):
            done = self.run(["sh", "-c", started, python], 60)
            if done.returncode == 0:
                return python
            errors.append(last_line(done.stderr))
        raise SandboxError(f"an ordinary user can't start the kit: {'; '.join(errors)}")

    def run(self, command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
        """Run a program to its end.

        Raises:
            subprocess.TimeoutExpired: it takes longer, and was killed.
        """
        return subprocess.run(
            [*_entrance(), *command],
            cwd=self.folder,
            env=dict(self.environment),
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )


def last_line(text: str) -> str:
    """The last line of a text. Empty if there is none."""
    return next(reversed(text.strip().splitlines()), "")


def _entrance() -> list[str]:
    """What a command is given to, so that it runs apart."""
    shell = ["sh", "-c", LOOPBACK, "sh"]
    if os.geteuid() != 0:
        return ["unshare", "--user", "--map-root-user", "--net", *shell]
    user, group = f"--reuid={NOBODY}", f"--regid={NOBODY}"
    leave = ["setpriv", user, group, "--clear-groups", "--no-new-privs"]
    return ["unshare", "--net", *shell, *leave]
