"""What only Go needs tested: its loop over the vectors, and the types of its params."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from language_loops import loops, put_keys, put_vectors, spoil, spoil_a_key
from language_subjects import SUBJECTS
from language_tools import LANGUAGES, drivers, require, run, write


@pytest.mark.prove("compiles for long")
def test_the_loop_of_go_passes_and_bites(tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    count = put_vectors(file.parent) + put_keys(file.parent)
    (file.parent / "loop_test.go").write_text(loops()["go"], "utf-8")
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    reported = run(["go", "test", "-v", "./..."], tmp_path)
    assert len(re.findall("^    --- PASS: ", reported, re.MULTILINE)) == count
    spoil(file.parent)
    spoil_a_key(file.parent)
    with pytest.raises(AssertionError, match="go: ") as caught:
        run(["go", "test", "./..."], tmp_path)
    failed = re.findall("^    --- FAIL: (Test\\w+)/", str(caught.value), re.MULTILINE)
    assert failed == ["TestResendVectors", "TestDerivedVectors", "TestKeyVectors"]


GO_TEXTS = """package retry

import (
	"encoding/json"
	"testing"
)

type text string

func TestTexts(t *testing.T) {
	key, none, prompt := "k", "", "session/prompt"
	made, err := NewIdempotencyKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyed := func(key any) map[string]any { return map[string]any{"idempotencyKey": key} }
	carried := func(method any) map[string]any {
		return map[string]any{"method": method, "params": keyed(&key)}
	}
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, each := range []struct {
		method string
		params any
		want   Reason
	}{
		{prompt, raw(`{"idempotencyKey": "k"}`), ReasonKeyedWithKey},
		{prompt, raw(`{"idempotencyKey": 5}`), ReasonMalformedKey},
		{prompt, raw(`{"idempotencyKey": "\\ud83d"}`), ReasonMalformedParams},
		{prompt, raw("{\\"idempotencyKey\\": \\"k\\xff\\"}"), ReasonMalformedParams},
		{prompt, raw("{\\"idempotencyKey\\": \\"k\\ufffd\\"}"), ReasonKeyedWithKey},
		{prompt, raw(`null`), ReasonKeyedWithoutKey},
		{prompt, raw(`[]`), ReasonMalformedParams},
		{prompt, raw(`{`), ReasonMalformedParams},
		{prompt, nil, ReasonKeyedWithoutKey},
		{prompt, []any{}, ReasonMalformedParams},
		{"session/list", []any{}, ReasonIdempotent},
		{prompt, keyed("k"), ReasonKeyedWithKey},
		{prompt, keyed(&key), ReasonKeyedWithKey},
		{prompt, keyed(&none), ReasonMalformedKey},
		{prompt, keyed((*string)(nil)), ReasonKeyedWithoutKey},
		{prompt, keyed(string(text("k"))), ReasonKeyedWithKey},
		{prompt, keyed(text("k")), ReasonMalformedKey},
		{prompt, keyed(made), ReasonKeyedWithKey},
		{prompt, keyed(&made), ReasonKeyedWithKey},
		{prompt, keyed((*IdempotencyKey)(nil)), ReasonKeyedWithoutKey},
		{prompt, keyed(IdempotencyKey{}), ReasonMalformedKey},
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


GO_KEYS = r"""package retry

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const secret = "sk-9f1c-not-to-be-printed"

func TestOneText(t *testing.T) {
	for _, each := range []struct {
		text string
		want error
	}{
		{"", ErrKeyLength},
		{"k", nil},
		{strings.Repeat("\U0001f511", KeyMaxLength), nil},
		{strings.Repeat("\U0001f511", KeyMaxLength+1), ErrKeyLength},
		{"k\xff", ErrNotUTF8},
	} {
		key, err := NewIdempotencyKey(each.text)
		if err != each.want || (err == nil) != (key.Text() == each.text) && each.text != "" {
			t.Errorf("%q: %v", each.text, err)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, each := range []struct{ text, want string }{
		{`"<k>"`, `"<k>"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`"\ud83d\udd11"`, "\"\U0001f511\""},
		{`"\uD83D\uDD11\ufffd"`, "\"\U0001f511\ufffd\""},
		{`"\ud83d"`, ""},
		{`"\udd11\ud83d"`, ""},
		{`"\ud83dudd11"`, ""},
		{`"k\ud83dn"`, ""},
		{"\"k\xff\"", ""},
		{`""`, ""},
		{`5`, ""},
		{`-912.5`, ""},
		{`true`, ""},
		{`null`, ""},
		{`["` + secret + `"]`, ""},
		{`{"` + secret + `":1}`, ""},
		{`"` + strings.Repeat(secret, 11) + `"`, ""},
	} {
		var key IdempotencyKey
		err := json.Unmarshal([]byte(each.text), &key)
		if (err == nil) != (each.want != "") {
			t.Errorf("%s: %v", each.text, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "912") {
				t.Error("a key was printed")
			}
			continue
		}
		if written, err := key.MarshalJSON(); err != nil || string(written) != each.want {
			t.Errorf("%s: %s %v", each.text, written, err)
		}
	}
	if _, err := json.Marshal(IdempotencyKey{}); !errors.Is(err, ErrKeyLength) {
		t.Error(err)
	}
}

func TestNoKeyIsPrinted(t *testing.T) {
	key, _ := NewIdempotencyKey(secret)
	type params struct {
		Key IdempotencyKey
		Any any
	}
	type embedded struct{ IdempotencyKey }
	without, hexadecimal := "", fmt.Sprintf("%x", secret)
	values := []any{key, &key, []any{key}, params{key, key}, &params{key, &key}, embedded{key},
		map[IdempotencyKey]IdempotencyKey{key: key}}
	for _, value := range values {
		for _, letter := range "vsqxXdboOcUeEfFgGtz" {
			for _, flags := range []string{"%", "%+", "%#", "% ", "%-9.9"} {
				verb := flags + string(letter)
				text := fmt.Sprintf(verb, value)
				digits := strings.ToLower(text)
				if strings.Contains(text, secret) || strings.Contains(digits, hexadecimal) {
					t.Errorf("a key in a %T was printed with %s", value, verb)
				}
			}
		}
		if text := fmt.Sprint(value) + fmt.Sprintf(without, value); strings.Contains(text, secret) {
			t.Errorf("a key in a %T was printed", value)
		}
	}
	if text := fmt.Sprintf("%d", key); text != "IdempotencyKey(length 25)" {
		t.Error(text)
	}
}

// What the page about languages says that package fmt does.
func TestAnUnexportedFieldIsPrinted(t *testing.T) {
	key, _ := NewIdempotencyKey(secret)
	if text := fmt.Sprint(struct{ key IdempotencyKey }{key}); !strings.Contains(text, secret) {
		t.Error("package fmt prints no key there: correct the page")
	}
}

func TestKeysAreEqual(t *testing.T) {
	one, _ := NewIdempotencyKey(secret)
	other, _ := NewIdempotencyKey(secret)
	if one != other || map[IdempotencyKey]int{one: 1}[other] != 1 {
		t.Error("equal keys differ")
	}
}

func TestGenerate(t *testing.T) {
	form := regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4.{3}-[89ab].{3}-[0-9a-f]{12}$")
	seen := map[IdempotencyKey]bool{}
	for i := 0; i < 100; i++ {
		key, err := GenerateIdempotencyKey()
		if err != nil || seen[key] || !form.MatchString(key.Text()) {
			t.Fatal(key.Text(), err)
		}
		seen[key] = true
	}
}

func TestNothingCanBeChanged(t *testing.T) {
	before, _ := DeriveMessageID("s", "k")
	namespace := MessageIDNamespace()
	namespace[0]++
	rows, found := Methods(), Find("session/archive", "")
	for i := range rows {
		rows[i].Class = ClassIdempotent
		for j := range rows[i].Undoes {
			rows[i].Undoes[j] = "changed"
		}
	}
	found.Undoes[0], found.Class = "changed", ClassKeyed
	Resend("session/prompt", nil, "", 0).Method.Class = ClassIdempotent
	after, _ := DeriveMessageID("s", "k")
	if after != before || MessageIDNamespace() == namespace {
		t.Error("the namespace was changed")
	}
	if Find("session/archive", "").Undoes[0] == "changed" {
		t.Error("the table was changed")
	}
	if Resend("session/prompt", nil, "", 0).Allowed() {
		t.Error("the decision was changed")
	}
}
"""


@pytest.mark.prove("compiles for long")
def test_go_takes_a_pointer_for_its_text_and_no_other_type(tmp_path: Path) -> None:
    language = LANGUAGES["go"]
    require(language.name, *language.needs)
    (file,) = write(language, tmp_path, [SUBJECTS["real"].protocol])
    (file.parent / "texts_test.go").write_text(GO_TEXTS)
    (file.parent / "keys_test.go").write_text(GO_KEYS)
    language.compile(tmp_path, [file], drivers(language, tmp_path, ["v2"]))
    assert run([*language.layout, file.parent], tmp_path) == ""
    printed = run(["go", "test", "-v", "./..."], tmp_path)
    assert printed.count("--- PASS: ") == 8
