package alone

import "testing"

func BenchmarkAlone(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
