package plain

import (
	"fmt"
	"testing"
	"time"
)

var sum int

func spin(n int) {
	for i := 0; i < n; i++ {
		sum += i * i
	}
}

func BenchmarkWork(b *testing.B) {
	for i := 0; i < b.N; i++ {
		spin(1000)
	}
}

func BenchmarkNested(b *testing.B) {
	for _, name := range []string{"size-8", "a b/c[d](e)|f", "x=1.5", "x=1.5", "", "ü\x01"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				spin(500)
			}
		})
	}
}

func BenchmarkUnits(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(100)
	for i := 0; i < b.N; i++ {
		spin(100)
	}
	b.ReportMetric(42, "things/op")
}

func BenchmarkOwnUnitOnly(b *testing.B) {
	for i := 0; i < b.N; i++ {
		spin(100)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e6, "things/s")
	b.ReportMetric(3, "apples")
}

func BenchmarkPrinting(b *testing.B) {
	for i := 0; i < b.N; i++ {
		spin(100)
	}
	fmt.Println("it prints 12 lines")
	b.Log("and logs")
}

func BenchmarkSkipped(b *testing.B) {
	b.Skip("not here")
}

func BenchmarkSlow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		time.Sleep(15 * time.Millisecond)
	}
}
