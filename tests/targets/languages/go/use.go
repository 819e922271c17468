package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentclientprotocol.com/go/acpv2/retry"
	"agentclientprotocol.com/go/acpv2/schema"
)

const secret = "sk-9f1c-not-to-be-printed"

func prompt(key string) []byte {
	return []byte(`{"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotencyKey": ` + key + `}`)
}

func TestKeys(t *testing.T) {
	for _, each := range []struct {
		key string
		ok  bool
	}{
		{"null", true},
		{`""`, false},
		{`"a"`, true},
		{`"` + strings.Repeat("a", 255) + `"`, true},
		{`"` + strings.Repeat("a", 256) + `"`, false},
		{`"` + strings.Repeat("😀", 255) + `"`, true},
		{`"` + strings.Repeat("😀", 256) + `"`, false},
		{"5", false},
		{"true", false},
		{"[]", false},
		{"{}", false},
	} {
		_, strict := schema.Parse[schema.PromptRequest](prompt(each.key))
		_, tolerant := schema.Read[schema.PromptRequest](prompt(each.key))
		var plain schema.PromptRequest
		decoded := json.Unmarshal(prompt(each.key), &plain)
		for _, err := range []error{strict, tolerant, decoded} {
			if (err == nil) != each.ok {
				t.Errorf("%.9s: %v", each.key, err)
			}
		}
	}
	key, err := retry.NewIdempotencyKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	params := schema.PromptRequest{SessionID: "s", IdempotencyKey: schema.Some(key)}
	written, err := json.Marshal(params)
	if err != nil || !strings.Contains(string(written), secret) {
		t.Error(err)
	}
	if printed := fmt.Sprintf("%v %+v %#v", params, params, params); strings.Contains(printed, secret) {
		t.Error("a key was printed")
	}
	if found := retry.Resend("session/prompt", params, retry.KindRequest, 2); found.Answer != retry.AnswerSameKey {
		t.Error(found.Reason)
	}
	params.IdempotencyKey = schema.Opt[schema.IdempotencyKey]{}
	if found := retry.Resend("session/prompt", params, retry.KindRequest, 2); found.Answer != retry.AnswerNotAtAll {
		t.Error(found.Reason)
	}
	params.IdempotencyKey = schema.Some(schema.IdempotencyKey{})
	if _, err := json.Marshal(params); !errors.Is(err, retry.ErrKeyLength) {
		t.Error(err)
	}
	for _, bad := range []string{"[\"" + secret + "\"]", "{\"" + secret + "\": 1}"} {
		_, err := schema.Read[schema.PromptRequest](prompt(bad))
		var fault *schema.Fault
		if !errors.As(err, &fault) || fault.Pointer != "/idempotencyKey" || strings.Contains(err.Error(), secret) {
			t.Error(err)
		}
	}
}

func TestUnions(t *testing.T) {
	blocks := []schema.ContentBlock{
		schema.ContentBlockText{TextContent: schema.TextContent{Text: "a < b"}},
		schema.ContentBlockOther{Type: "_mine", Extra: schema.Extra{"x": json.RawMessage("[1]")}},
	}
	text, err := json.Marshal(schema.PromptRequest{SessionID: "s", Prompt: blocks})
	if err != nil {
		t.Fatal(err)
	}
	read, err := schema.Parse[schema.PromptRequest](text)
	if err != nil || len(read.Prompt) != 2 {
		t.Fatal(err)
	}
	switch block := read.Prompt[0].(type) {
	case schema.ContentBlockText:
		if block.Text != "a < b" {
			t.Error(block.Text)
		}
	default:
		t.Errorf("%T", block)
	}
	var other schema.ContentBlockOther
	if err := json.Unmarshal([]byte(`{"type": "_mine", "x": [1]}`), &other); err != nil || other.Type != "_mine" {
		t.Error(err)
	}
	if err := json.Unmarshal([]byte(`{"type": "text", "text": "x"}`), &other); err == nil {
		t.Error("a text block was read as another one")
	}
	if _, err := json.Marshal(schema.PromptRequest{SessionID: "s", Prompt: []schema.ContentBlock{nil}}); err == nil {
		t.Error("a block without a variant was written")
	}
	if _, err := json.Marshal(schema.IdleStateUpdate{}); err == nil {
		t.Error("a union without a variant was written")
	}
	empty, err := json.Marshal(schema.PromptRequest{SessionID: "s"})
	if err != nil || string(empty) != `{"sessionId":"s","prompt":[]}` {
		t.Error(string(empty), err)
	}
	cleared, err := json.Marshal(schema.PromptRequest{SessionID: "s", Meta: schema.Null[map[string]json.RawMessage]()})
	if err != nil || string(cleared) != `{"sessionId":"s","prompt":[],"_meta":null}` {
		t.Error(string(cleared), err)
	}
}

func TestMethods(t *testing.T) {
	params, err := schema.ReadParams("session/prompt", schema.KindRequest, prompt("null"))
	if _, ok := params.(schema.PromptRequest); err != nil || !ok {
		t.Errorf("%T %v", params, err)
	}
	if _, err := schema.ReadResult("session/update", []byte("{}")); err == nil {
		t.Error("a notification has a result")
	}
	if m := schema.Find("session/prompt", schema.KindRequest); m == nil || m.Class != "keyed" || m.Side != "agent" {
		t.Error(m)
	}
	schema.Methods()[0].Name = "changed"
	if len(schema.Methods()) < 30 || schema.Methods()[0].Name == "changed" {
		t.Error("the table was changed")
	}
	if _, err := schema.Parse[int]([]byte("1")); err == nil {
		t.Error("an int is no type of the protocol")
	}
}
