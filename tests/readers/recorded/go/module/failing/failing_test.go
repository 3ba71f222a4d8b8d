package failing

import (
	"os"
	"testing"
)

var sum int

func BenchmarkBefore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}

func BenchmarkFailing(b *testing.B) {
	b.Fatal("it is broken\nin two lines")
}

func BenchmarkAfter(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}

func BenchmarkNested(b *testing.B) {
	b.Run("good", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sum += i
		}
	})
	b.Run("bad", func(b *testing.B) { b.FailNow() })
}

func BenchmarkReadsTestdata(b *testing.B) {
	if _, err := os.Stat("testdata"); err != nil {
		b.Fatal("no testdata here")
	}
	for i := 0; i < b.N; i++ {
		sum += i
	}
}
