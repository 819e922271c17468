"""The crate, in a directory of crates for a fresh project, with and without its feature."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from language_tools import LANGUAGES, require, run
from package_building import GENERATED, RELEASE, build, write

CRATES = Path("/usr/share/cargo/registry")
_PLAIN = """use acp_v2::retry::{resend, Answer};

fn main() {
    assert_eq!(resend("session/list", &(), None, None).answer, Answer::AsIs);
}
"""
_WITH_VALUES = """use acp_v2::retry::{resend, Answer};

fn main() {
    let keyed = serde_json::json!({"idempotencyKey": "k"});
    assert_eq!(resend("session/prompt", &keyed, None, None).answer, Answer::SameKey);
    let number = serde_json::json!({"idempotencyKey": 5});
    assert_eq!(resend("session/prompt", &number, None, None).answer, Answer::NotAtAll);
}
"""
_NEEDS = {
    "plain": (f'acp-v2 = "{RELEASE}"\n', _PLAIN),
    "serde_json": (
        f'acp-v2 = {{ version = "{RELEASE}", features = ["serde_json"] }}\nserde_json = "1"\n',
        _WITH_VALUES,
    ),
}


@pytest.fixture(scope="module")
def crates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate unpacked beside those of Debian, as `cargo vendor` lays them out."""
    known = next(CRATES.glob("serde_json-1.*"), CRATES / "serde_json")
    require("cargo", *LANGUAGES["rust"].needs, "cargo", known / "Cargo.toml")
    folder = tmp_path_factory.mktemp("crates")
    (crate,) = build(GENERATED / "rust", folder)
    vendor = folder / "vendor"
    vendor.mkdir()
    with tarfile.open(crate) as archive:
        archive.extractall(vendor, filter="data")
    digest = hashlib.sha256(crate.read_bytes()).hexdigest()
    checksum = {"files": {}, "package": digest}
    (vendor / f"acp-v2-{RELEASE}/.cargo-checksum.json").write_text(json.dumps(checksum))
    for each in CRATES.iterdir():
        (vendor / each.name).symlink_to(each)
    return vendor


def project(features: str, crates: Path, folder: Path) -> Path:
    """A fresh project that takes its crates from a directory."""
    needs, program = _NEEDS[features]
    head = '[package]\nname = "use-acp"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
    mirror = (
        f'[source.crates-io]\nreplace-with = "vendor"\n[source.vendor]\ndirectory = "{crates}"\n'
    )
    files = {"Cargo.toml": head + needs, "src/main.rs": program, ".cargo/config.toml": mirror}
    return write(folder, files)


@pytest.mark.prove("compiles crates")
@pytest.mark.parametrize("features", _NEEDS)
def test_it_is_installed_and_used(features: str, crates: Path, tmp_path: Path) -> None:
    run(["cargo", "run", "--offline", "--quiet"], project(features, crates, tmp_path))


@pytest.mark.prove("compiles crates")
def test_it_has_no_dependency_without_features(crates: Path, tmp_path: Path) -> None:
    plain = project("plain", crates, tmp_path)
    tree = run(["cargo", "tree", "--offline", "--quiet"], plain)
    assert [line.split()[1] for line in tree.splitlines()[1:]] == ["acp-v2"]
