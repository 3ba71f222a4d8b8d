package orders

import (
	"fmt"
	"testing"
)

var (
	sum  int64
	hash uint64
	size int
)

func TestDecodeReadsWhatEncodeWrote(t *testing.T) {
	data, err := Encode(Make(3))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil || len(again) != 3 || again[2].Fingerprint() != Make(3)[2].Fingerprint() {
		t.Fatalf("%v, %v", again, err)
	}
}

func BenchmarkTotal(b *testing.B) {
	all := Make(100)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for j := range all {
			sum += all[j].Total()
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	all := Make(100)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for j := range all {
			hash ^= all[j].Fingerprint()
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	all := Make(20)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		data, err := Encode(all)
		if err != nil {
			b.Fatal(err)
		}
		size += len(data)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprintf("orders=%d", n), func(b *testing.B) {
			data, err := Encode(Make(n))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				all, err := Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				size += len(all)
			}
		})
	}
}

func BenchmarkByValue(b *testing.B) {
	all := Make(500)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		size += ByValue(all)[0]
	}
}

func BenchmarkStock(b *testing.B) {
	stock := NewStock()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if stock.Left(articles[i%len(articles)]) == 0 {
				b.Error("sold out")
			}
		}
	})
}
