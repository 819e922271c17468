// Command full reads a line for each value from standard input, and prints what the package schema
// makes of it: see full_values.py.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"log"
	"os"

	"agentclientprotocol.com/go/acpv2/schema"
)

type line struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

type answer struct {
	Strict  bool        `json:"strict"`
	Found   [][3]string `json:"found"`
	Read    any         `json:"read,omitempty"`
	Pointer *string     `json:"pointer,omitempty"`
	Steady  bool        `json:"steady"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var in line
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(try(in)); err != nil {
			log.Fatal(err)
		}
	}
}

func try(in line) answer {
	before := string(in.Value)
	strict, strictErr := schema.ParseNamed(in.Type, in.Value)
	out := answer{Strict: strictErr == nil, Found: [][3]string{}, Steady: true}
	findings, err := schema.Faults(in.Type, in.Value)
	for _, each := range findings {
		out.Found = append(out.Found, [3]string{each.Rule, each.Pointer, string(each.Severity)})
	}
	var fault *schema.Fault
	if errors.As(err, &fault) {
		out.Found = append(out.Found, [3]string{fault.Rule, fault.Pointer, "error"})
	}
	read, err := schema.ReadNamed(in.Type, in.Value)
	if errors.As(err, &fault) {
		out.Pointer = &fault.Pointer
		return out
	} else if err != nil {
		log.Fatal(err)
	}
	written, err := json.Marshal(read)
	if err != nil {
		log.Fatal(in.Type, before, err)
	}
	out.Read = json.RawMessage(written)
	again, err := schema.ReadNamed(in.Type, written)
	out.Steady = err == nil && same(again, written) && string(in.Value) == before
	if strictErr == nil {
		out.Steady = out.Steady && same(strict, written)
	}
	return out
}

func same(value any, written []byte) bool {
	text, err := json.Marshal(value)
	return err == nil && bytes.Equal(text, written)
}
