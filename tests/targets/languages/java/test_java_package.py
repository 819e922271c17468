"""The jar for Java, used from a fresh project."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from language_loops import JACKSON
from language_tools import LANGUAGES, require, run
from package_building import GENERATED, RELEASE, build, write

_PROGRAM = """
import com.agentclientprotocol.sdk.spec.v2.AcpRetry;
import java.util.Map;

public final class Use {
	public static void main(String[] arguments) {
		Map<String, ?> text = Map.of("idempotencyKey", "k");
		Map<String, ?> made = Map.of("idempotencyKey", AcpRetry.IdempotencyKey.generate());
		Map<String, ?> number = Map.of("idempotencyKey", 5);
		System.out.println(AcpRetry.resend("session/prompt", text).answer());
		System.out.println(AcpRetry.resend("session/prompt", made).answer());
		System.out.println(AcpRetry.resend("session/prompt", number).answer());
	}
}
"""

_WITH_JACKSON = """
import com.agentclientprotocol.sdk.spec.v2.AcpRetry.IdempotencyKey;
import com.agentclientprotocol.sdk.spec.v2.AcpRetryModule;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;

public final class UseJackson {
	public static void main(String[] arguments) throws Exception {
		ObjectMapper mapper = new ObjectMapper().registerModule(new AcpRetryModule());
		System.out.println(mapper.writeValueAsString(new IdempotencyKey("k")));
		try {
			System.out.println(mapper.readValue("5", IdempotencyKey.class));
		}
		catch (JsonMappingException ex) {
			System.out.println(ex.getOriginalMessage());
		}
	}
}
"""


@pytest.mark.prove("runs javac and Maven's layout on all files")
def test_the_jar_holds_classes_and_its_source_is_beside_it(tmp_path: Path) -> None:
    require("java", *LANGUAGES["java"].needs, *JACKSON)
    jar, sources, pom = build(GENERATED / "java", tmp_path)
    place = tmp_path / "maven/com/agentclientprotocol/acp-v2" / RELEASE
    assert (jar, pom) == (place / f"acp-v2-{RELEASE}.jar", place / f"acp-v2-{RELEASE}.pom")
    assert pom.read_bytes() == (GENERATED / "java/pom.xml").read_bytes()
    names = zipfile.ZipFile(jar).namelist()
    assert names[0] == "META-INF/MANIFEST.MF"
    assert {f"META-INF/{name}" for name in ("LICENSE", "README.md", "CHANGELOG.md")} <= {*names}
    source = "com/agentclientprotocol/sdk/spec/v2/AcpRetry.java"
    assert source in zipfile.ZipFile(sources).namelist()
    assert source not in names


@pytest.mark.prove("compiles and starts two programs")
def test_the_jar_is_used(tmp_path: Path) -> None:
    require("java", *LANGUAGES["java"].needs, *JACKSON)
    jar, _, _ = build(GENERATED / "java", tmp_path)
    project = write(tmp_path / "project", {"Use.java": _PROGRAM})
    run(["javac", "-Xlint:all", "-Werror", "-cp", jar, "-d", "out", "Use.java"], project)
    output = run(["java", "-cp", f"out:{jar}", "Use"], project)
    assert output == "SAME_KEY\nSAME_KEY\nNOT_AT_ALL\n"
    write(project, {"UseJackson.java": _WITH_JACKSON})
    path = ":".join(map(str, ["out", jar, *JACKSON]))
    run(["javac", "-cp", path, "-d", "out", "UseJackson.java"], project)
    output = run(["java", "-cp", path, "UseJackson"], project)
    assert output == '"k"\nAn idempotency key is a string\n'
