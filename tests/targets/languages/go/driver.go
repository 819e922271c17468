// Command driver prints the table, then what it says of every message on standard input, then the
// message IDs that it derives, empty where it refuses to.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"example.org/acp/v2/retry"
)

type input struct {
	Messages []message
	Pairs    []pair
}

type message struct {
	Method string
	Params map[string]any
	Kind   retry.Kind
	// Version is 0 where the caller does not state it.
	Version int
	// Bytes are a key that is not valid UTF-8, which JSON can't write.
	Bytes map[string][]byte
}

type pair struct {
	SessionID string
	Key       string
	// Bytes come before the session ID, as above.
	Bytes []byte
}

func main() {
	for _, row := range retry.Methods() {
		class, _ := retry.ClassOf(row.Name, row.Kind)
		record(row.Name, string(row.Kind), string(row.Side), string(row.Stability),
			string(row.Class), row.Params, row.Result, row.Key, row.Carries,
			strings.Join(row.Undoes, " "), strings.Join(row.About, " "), row.Page, row.Summary,
			row.Resend, string(class), string(retry.Find(row.Name, "").Kind))
	}
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		log.Fatal(err)
	}
	for _, v := range in.Messages {
		for name, key := range v.Bytes {
			v.Params[name] = string(key)
		}
		d := retry.Resend(v.Method, v.Params, v.Kind, v.Version)
		row := d.Method
		if row == nil {
			row = &retry.Method{}
		}
		if d.Allowed() != (d.Answer != retry.AnswerNotAtAll) {
			log.Fatal(d)
		}
		record(string(d.Answer), string(d.Reason), row.Name, string(row.Class), d.Why)
	}
	for _, p := range in.Pairs {
		id, err := retry.DeriveMessageID(string(p.Bytes)+p.SessionID, p.Key)
		if err != nil && !errors.Is(err, retry.ErrNotUTF8) {
			log.Fatal(err)
		}
		record(id)
	}
}

func record(fields ...string) {
	fmt.Print(strings.Join(fields, "\x1f"), "\x1e")
}
