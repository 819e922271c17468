package schema_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"agentclientprotocol.com/go/acpv2/schema"
)

type work struct {
	kind   schema.Kind
	method string
	params []byte
}

func load(b *testing.B) (all []work) {
	file, err := os.Open(os.Getenv("LINES"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var line [3]string
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			b.Fatal(err)
		}
		all = append(all, work{schema.Kind(line[0]), line[1], []byte(line[2])})
	}
	return all
}

func BenchmarkUntyped(b *testing.B) {
	all := load(b)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		var value any
		if err := json.Unmarshal(all[i%len(all)].params, &value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	all := load(b)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		each := all[i%len(all)]
		if _, err := schema.ReadParams(each.method, each.kind, each.params); err != nil {
			b.Fatal(err)
		}
	}
}
