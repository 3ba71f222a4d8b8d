package user

import (
	"testing"

	"example.com/shop/text"
)

var sink int

func BenchmarkUser(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = text.Words(b.Name())
	}
}
