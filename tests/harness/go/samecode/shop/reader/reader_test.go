package reader

import (
	"os"
	"testing"
)

func BenchmarkReader(b *testing.B) {
	for _, name := range []string{"words.txt", "testdata/a/b.json", "../testdata/a.json", "testdata/link", "pipe"} {
		_, _ = os.ReadFile(name)
	}
}
