package alone

import "testing"

func BenchmarkAlone(b *testing.B) {
	for _, name := range []string{"a", "b", "c"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
			}
		})
	}
}
