"""The loops over the vectors that the guide to the resend vectors prints for authors of SDKs."""

from __future__ import annotations

import json
import re
from pathlib import Path

from acpgen import resources
from acpgen.targets.vectors import derived, resends
from language_subjects import SUBJECTS, TEMPLATES

JARS = [
    Path(f"/usr/share/java/{name}.jar")
    for name in (
        "apiguardian-api",
        "jackson-annotations",
        "jackson-core",
        "jackson-databind",
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-platform-commons",
        "junit-platform-console",
        "junit-platform-engine",
        "junit-platform-launcher",
        "junit-platform-reporting",
        "opentest4j",
        "opentest4j-reporting-events",
        "opentest4j-reporting-schema",
        "picocli",
    )
]
"""JUnit and Jackson as Debian has them, with what they need."""

JACKSON = [jar for jar in JARS if jar.name.startswith("jackson-")]

KOTLINX = [
    Path(__file__).parents[2] / "build" / "kotlinx" / f"kotlinx-serialization-{part}-jvm-1.9.0.jar"
    for part in ("core", "json")
]
"""The JSON library of Kotlin as `make kotlinx` gets it."""


def loops() -> dict[str, str]:
    """The loops over the resend vectors that the guide has, by the name of the language."""
    page = resends(SUBJECTS["real"].protocol, TEMPLATES)["vectors/resend/README.md"]
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def put_vectors(folder: Path) -> int:
    """Write the vectors that the loops read into a folder, and return their number."""
    protocol = SUBJECTS["real"].protocol
    count = 0
    for path, text in {**resends(protocol, TEMPLATES), **derived(protocol)}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if file.suffix == ".json":
            count += len(json.loads(text).get("vectors", ()))
    return count


def put_keys(folder: Path) -> int:
    """Write the vectors for keys into a folder, and return the number of those that hold a key."""
    text = (resources.GENERATED / "vectors" / "keys.json").read_text("utf-8")
    (folder / "vectors" / "keys.json").write_text(text, "utf-8")
    messages = (vector.get("message", {}) for vector in json.loads(text)["vectors"])
    return sum("idempotencyKey" in message.get("params", {}) for message in messages)


def spoil_a_key(folder: Path) -> None:
    """Expect that the number 7 is taken as a key."""
    file = folder / "vectors" / "keys.json"
    document = json.loads(file.read_text("utf-8"))
    (number,) = (v for v in document["vectors"] if v["name"].endswith("key an integer"))
    number["outcome"] = "accept"
    file.write_text(json.dumps(document), "utf-8")


def spoil(folder: Path) -> None:
    """Change the expectation of one vector of each kind."""
    for name, member in (("resend/methods.json", "answer"), ("derived.json", "messageId")):
        file = folder / "vectors" / name
        document = json.loads(file.read_text("utf-8"))
        document["vectors"][0][member] += "0"
        file.write_text(json.dumps(document), "utf-8")
