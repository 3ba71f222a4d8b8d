// Package text searches and measures texts.
package text

import (
	"strings"
	"unicode"
)

// Words returns the words of a text in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\''
	})
}

// Frequencies counts how often each word stands in a text.
func Frequencies(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range Words(text) {
		counts[word]++
	}
	return counts
}

// Distance is Levenshtein's: how many letters must change to make one word of another.
func Distance(one, two string) int {
	row := make([]int, len(two)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(one); i++ {
		corner := row[0]
		row[0] = i
		for j := 1; j <= len(two); j++ {
			least := corner
			if one[i-1] != two[j-1] {
				least = 1 + min3(corner, row[j-1], row[j])
			}
			corner, row[j] = row[j], least
		}
	}
	return row[len(two)]
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

// Slug makes a file name of a title.
func Slug(title string) string {
	slug := ""
	for _, word := range Words(title) {
		if slug != "" {
			slug += "-"
		}
		slug += word
	}
	return slug
}
