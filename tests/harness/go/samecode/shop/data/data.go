package data

import "strings"

type row struct {
	word string
	n    int
}

var rows = []row{{"one", 1}, {"two", 2}, {"six", 6}}

var sizes = [...]int64{3, 5, 8, 13, 21, 34, 55, 89}

var byName = map[string]int{"a": 1, "b": 2, "c": 3}

var kept = strings.Repeat("k", 3)

var counts = map[string]int{"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6, "G": 7, "H": 8,
	"I": 9, "J": 10, "K": 11, "L": 12, "M": 13, "N": 14, "O": 15, "P": 16, "Q": 17, "R": 18,
	"S": 19, "T": 20, "U": 21, "V": 22, "W": 23, "X": 24, "Y": 25, "Z": 26}

//go:noinline
func Row(n int) string { return rows[n%3].word }

//go:noinline
func Size(n int) int { return int(sizes[n&7]) }

//go:noinline
func Named(key string) int { return byName[key] }

//go:noinline
func Count(key string) int { return counts[key] }

//go:noinline
func Kept() int { return len(kept) }

//go:noinline
func Greet() string { return "good morning" }

//go:noinline
func Scale(x float64) float64 { return x * 1.5 }

//go:noinline
func fast(n int) int { return n + 1 }

//go:noinline
func slow(n int) int { return n + 2 }

func Picked(n int) int { return fast(n) }

//go:noinline
func words(n int) int { return n / 3 }

//go:noinline
func lines(n int) int { return words(n) + 1 }

//go:noinline
func other(n int) int { return n * 7 }
