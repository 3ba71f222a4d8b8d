package text

import "testing"

var sink int

var line = "one two"

func BenchmarkWords(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Words(line)
	}
}
