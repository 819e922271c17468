"""Build a package from each generated folder that has metadata of one.

`python packages/build_packages.py FOLDER... --out DIR`. A folder is built by its metadata, so a new
language needs no edit. Wheels are built by hatchling: `make wheels`. Prints the path of each file
that it wrote. Nothing is fetched or published. Exit status: 0 when all are built, 2 when one can't
be built.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from builders import BUILDERS, BuildError, builder_of

ROOT = Path(__file__).resolve().parents[1]


def package_folders(generated: Path) -> list[Path]:
    """The folders below the generated ones that have metadata of a package, sorted."""
    found = {path.parent for name in BUILDERS for path in generated.rglob(name)}
    return sorted(folder for folder in found if "node_modules" not in folder.parts)


def main() -> int:
    """Build what the arguments name."""
    parser = argparse.ArgumentParser(prog="build_packages.py", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="default: all of generated/")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "packages")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    status = 0
    for folder in arguments.folders or package_folders(ROOT / "generated"):
        try:
            built = builder_of(folder)(folder.resolve(), arguments.out.resolve())
        except BuildError as error:
            print(f"{folder}: {error}", file=sys.stderr)
            status = 2
        else:
            print(*built, sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
