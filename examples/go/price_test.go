package shop

import (
	"fmt"
	"testing"
)

var price string

func BenchmarkFormat(b *testing.B) {
	for i := 0; i < b.N; i++ {
		price = fmt.Sprintf("%.2f EUR", 12.5)
	}
}
