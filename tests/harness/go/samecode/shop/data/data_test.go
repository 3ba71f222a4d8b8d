package data

import "testing"

var sink int

func BenchmarkRow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = len(Row(i))
	}
}

func BenchmarkSize(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Size(i)
	}
}

func BenchmarkNamed(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Named("a")
	}
}

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Count("A")
	}
}

func BenchmarkKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Kept()
	}
}

func BenchmarkGreet(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = int(Greet()[i&7])
	}
}

func BenchmarkScale(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = int(Scale(float64(i)))
	}
}

func BenchmarkPicked(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Picked(i)
	}
}

func BenchmarkFar(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = lines(i)
	}
}

func BenchmarkNear(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = words(i)
	}
}

func BenchmarkOther(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = other(i)
	}
}
