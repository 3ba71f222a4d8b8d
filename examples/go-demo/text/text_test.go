package text

import (
	"os"
	"testing"
)

var total int

// story reads a file of the package: benchmarks run in their package's folder.
func story(b *testing.B) string {
	data, err := os.ReadFile("testdata/story.txt")
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func TestDistance(t *testing.T) {
	if got := Distance("kitten", "sitting"); got != 3 {
		t.Fatalf("Distance is %d, and should be 3", got)
	}
}

func TestSlug(t *testing.T) {
	if got := Slug("The Old Mill, again"); got != "the-old-mill-again" {
		t.Fatalf("Slug is %q", got)
	}
}

func BenchmarkWords(b *testing.B) {
	text := story(b)
	b.SetBytes(int64(len(text)))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		total += len(Words(text))
	}
	b.ReportMetric(float64(len(Words(text))), "words/op")
}

func BenchmarkFrequencies(b *testing.B) {
	text := story(b)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		total += len(Frequencies(text))
	}
}

func BenchmarkDistance(b *testing.B) {
	pairs := []struct{ name, one, two string }{
		{"short", "benchmark", "workbench"},
		{"long", "the quick brown fox jumps over the lazy dog", "pack my box with five dozen liquor jugs"},
	}
	for _, pair := range pairs {
		b.Run(pair.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				total += Distance(pair.one, pair.two)
			}
		})
	}
}

func BenchmarkSlug(b *testing.B) {
	for i := 0; i < b.N; i++ {
		total += len(Slug("How the miller's youngest daughter came to own the old mill by the river"))
	}
}
