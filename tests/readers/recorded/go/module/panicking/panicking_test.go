package panicking

import "testing"

var sum int

func BenchmarkBefore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}

func BenchmarkPanicking(b *testing.B) {
	if b.N > 1 {
		panic("out of cheese")
	}
}

func BenchmarkAfter(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}
