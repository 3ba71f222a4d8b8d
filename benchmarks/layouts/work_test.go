// Package layouts holds benchmarks of small functions, whose speed may depend on their addresses.
package layouts

import (
	"encoding/json"
	"math/bits"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

var sink int

var words = strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog again and again ", 12))

//go:noinline
func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func BenchmarkFibonacci(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += fibonacci(18)
	}
}

//go:noinline
func distance(one, other string) int {
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(one); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(other); j++ {
			cost := before
			if one[i-1] != other[j-1] {
				cost = 1 + min3(before, row[j], row[j-1])
			}
			before, row[j] = row[j], cost
		}
	}
	return row[len(other)]
}

func min3(a, b, c int) int {
	if b < a {
		a = b
	}
	if c < a {
		a = c
	}
	return a
}

func BenchmarkDistance(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += distance("a benchmark of small functions", "benchmarks with smaller function")
	}
}

//go:noinline
func search(values []int, wanted int) int {
	low, high := 0, len(values)
	for low < high {
		middle := (low + high) / 2
		if values[middle] < wanted {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func BenchmarkSearch(b *testing.B) {
	values := make([]int, 1000)
	for i := range values {
		values[i] = 3 * i
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for wanted := 0; wanted < 3000; wanted += 7 {
			sink += search(values, wanted)
		}
	}
}

//go:noinline
func primes(limit int) int {
	composite, count := make([]bool, limit), 0
	for i := 2; i < limit; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := 2 * i; j < limit; j += i {
			composite[j] = true
		}
	}
	return count
}

func BenchmarkPrimes(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += primes(4000)
	}
}

type shape interface{ area() int }
type square struct{ side int }
type rectangle struct{ width, height int }
type triangle struct{ base, height int }

//go:noinline
func (s square) area() int { return s.side * s.side }

//go:noinline
func (r rectangle) area() int { return r.width * r.height }

//go:noinline
func (t triangle) area() int { return t.base * t.height / 2 }

func BenchmarkInterface(b *testing.B) {
	shapes := []shape{}
	for i := 0; i < 999; i += 3 {
		shapes = append(shapes, square{i}, rectangle{i, 2}, triangle{i, 4})
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for _, one := range shapes {
			sink += one.area()
		}
	}
}

//go:noinline
func tokens(text string) int {
	state, count := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ':
			if state != 0 {
				count++
			}
			state = 0
		case c >= 'a' && c <= 'm':
			if state == 2 {
				count++
			}
			state = 1
		default:
			state = 2
		}
	}
	return count
}

func BenchmarkTokens(b *testing.B) {
	text := strings.Join(words, " ")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += tokens(text)
	}
}

//go:noinline
func mix(value uint64) uint64 {
	value ^= value >> 33
	value *= 0xff51afd7ed558ccd
	return bits.RotateLeft64(value, 29) ^ value
}

func BenchmarkMix(b *testing.B) {
	for i := 0; i < b.N; i++ {
		value := uint64(i)
		for j := 0; j < 1000; j++ {
			value = mix(value)
		}
		sink += int(value & 1)
	}
}

func BenchmarkSort(b *testing.B) {
	values := make([]int, 300)
	for i := 0; i < b.N; i++ {
		for j := range values {
			values[j] = j * 7919 % 1009
		}
		sort.Ints(values)
	}
}

func BenchmarkMap(b *testing.B) {
	for i := 0; i < b.N; i++ {
		counts := map[string]int{}
		for _, word := range words {
			counts[word]++
		}
		sink += len(counts)
	}
}

func BenchmarkParse(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := 0; j < 100; j++ {
			value, _ := strconv.ParseFloat("3.14159265", 64)
			sink += int(value)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	record := map[string]any{"name": "steady", "sizes": []int{1, 2, 3}, "words": words[:10]}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		text, _ := json.Marshal(record)
		sink += len(text)
	}
}

func BenchmarkRegexp(b *testing.B) {
	pattern, text := regexp.MustCompile(`(\w+) over (\w) `), strings.Join(words[:40], " ")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += len(pattern.FindAllString(text, -1))
	}
}
