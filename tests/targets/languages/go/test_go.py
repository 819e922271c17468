"""What only Go needs tested: its loop over the vectors, and the types of its params."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from language_loops import loops, put_vectors, spoil
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, drivers, require, run, write


@pytest.mark.prove("compiles for long")
def test_the_loop_of_go_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    count = put_vectors(file.parent)
    (file.parent / "loop_test.go").write_text(loops()["go"], "utf-8")
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    said = run(["go", "test", "-v", "./..."], tmp_path)
    assert len(re.findall("^    --- PASS: ", said, re.MULTILINE)) == count
    spoil(file.parent)
    with pytest.raises(AssertionError, match="go: ") as caught:
        run(["go", "test", "./..."], tmp_path)
    failed = re.findall("^    --- FAIL: (Test\\w+)/", str(caught.value), re.MULTILINE)
    assert failed == ["TestResendVectors", "TestDerivedVectors"]


GO_TEXTS = """package retry

import "testing"

type text string

func TestTexts(t *testing.T) {
	key, none, prompt := "k", "", "session/prompt"
	keyed := func(key any) map[string]any { return map[string]any{"idempotencyKey": key} }
	carried := func(method any) map[string]any {
		return map[string]any{"method": method, "params": keyed(&key)}
	}
	for _, each := range []struct {
		method string
		params map[string]any
		want   Reason
	}{
		{prompt, keyed("k"), ReasonKeyedWithKey},
		{prompt, keyed(&key), ReasonKeyedWithKey},
		{prompt, keyed(&none), ReasonMalformedKey},
		{prompt, keyed((*string)(nil)), ReasonKeyedWithoutKey},
		{prompt, keyed(string(text("k"))), ReasonKeyedWithKey},
		{prompt, keyed(text("k")), ReasonMalformedKey},
		{"proxy/successor", carried(&prompt), ReasonKeyedWithKey},
		{"proxy/successor", carried((*string)(nil)), ReasonCarriedUnnamed},
		{"proxy/successor", carried(text(prompt)), ReasonCarriedUnnamed},
	} {
		if got := Resend(each.method, each.params, "", 0).Reason; got != each.want {
			t.Errorf("%s %v: %s, not %s", each.method, each.params, got, each.want)
		}
	}
}
"""


def test_go_takes_a_pointer_for_its_text_and_no_other_type(tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    (file.parent / "texts_test.go").write_text(GO_TEXTS)
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    assert "--- PASS: TestTexts" in run(["go", "test", "-v", "./..."], tmp_path)
