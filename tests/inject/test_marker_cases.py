"""Pages whose markers are right, with the regions found, and wrong, with the faults named."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.inject.markers import PageError, find

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path for path in CASES.iterdir() if path.is_dir())


def found(page: Path) -> list[str]:
    """The regions of a page, or its faults as `line: message`."""
    try:
        marked = find(page.read_bytes().decode(), mdx=page.suffix == ".mdx")
    except PageError as error:
        return [f"{fault.line or '-'}: {fault.message}" for fault in error.faults]
    return [region.name for region in marked]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_case(folder: Path) -> None:
    (page,) = folder.glob("page.md*")
    expected = (folder / "expected.txt").read_text().splitlines()
    assert found(page) == expected
    is_bad = any(line[0] in "-0123456789" for line in expected)
    assert is_bad == folder.name.startswith("bad-")


def test_every_file_belongs_to_a_case() -> None:
    files = {path.relative_to(CASES) for path in CASES.rglob("*") if path.is_file()}
    used = {Path(f.name, n) for f in FOLDERS for n in ("page.md", "page.mdx", "expected.txt")}
    assert files <= used
    assert {folder.name.partition("-")[0] for folder in FOLDERS} == {"ok", "bad"}
