// Package orders holds the orders of a shop: their totals, their digest, their order by value.
package orders

import (
	"encoding/json"
	"math/rand"
	"sort"
	"sync"
)

// Line is one article of an order.
type Line struct {
	Article  string `json:"article"`
	Currency string `json:"currency"`
	Quantity int    `json:"quantity"`
	Cents    int64  `json:"cents"`
}

// Order is what a customer bought at once.
type Order struct {
	ID       int    `json:"id"`
	Customer string `json:"customer"`
	Lines    []Line `json:"lines"`
}

var articles = []string{
	"espresso beans, dark roast, 1 kg bag", "paper filters, size 4, box of 100",
	"milk jug, stainless steel, 0.6 litre", "porcelain cup with saucer, in white",
}

// Make returns n orders, the same ones for the same n.
func Make(n int) []Order {
	random := rand.New(rand.NewSource(int64(n)))
	all := make([]Order, n)
	for i := range all {
		lines := make([]Line, 4+random.Intn(5))
		for j := range lines {
			lines[j] = Line{
				Article:  articles[random.Intn(len(articles))],
				Currency: "EUR",
				Quantity: 1 + random.Intn(9),
				Cents:    int64(100 + random.Intn(9900)),
			}
		}
		all[i] = Order{ID: i, Customer: "customer-" + string(rune('a'+i%26)), Lines: lines}
	}
	return all
}

// Total is the price of an order in cents, with a discount of 5 % from ten pieces on.
func (o *Order) Total() int64 {
	var sum, pieces int64
	for i := range o.Lines {
		line := &o.Lines[i]
		sum += int64(line.Quantity) * line.Cents
		pieces += int64(line.Quantity)
	}
	if pieces >= 10 {
		sum -= sum / 20
	}
	return sum
}

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func mix(hash uint64, text string) uint64 {
	for i := 0; i < len(text); i++ {
		hash ^= uint64(text[i])
		hash *= prime
	}
	return hash
}

// Fingerprint tells two orders apart (FNV-1a over what stands in them).
func (o *Order) Fingerprint() uint64 {
	hash := mix(offset, o.Customer)
	for i := range o.Lines {
		hash = mix(hash, o.Lines[i].Article)
	}
	return hash
}

// Encode and Decode are the orders as JSON.
func Encode(all []Order) ([]byte, error) { return json.Marshal(all) }

// Decode reads what Encode wrote.
func Decode(data []byte) (all []Order, err error) {
	err = json.Unmarshal(data, &all)
	return all, err
}

// ByValue returns the numbers of the orders, dearest first.
func ByValue(all []Order) []int {
	ids := make([]int, len(all))
	totals := make(map[int]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
		totals[all[i].ID] = all[i].Total()
	}
	sort.Slice(ids, func(i, j int) bool { return totals[ids[i]] > totals[ids[j]] })
	return ids
}

// Stock counts pieces of articles; several goroutines may use it.
type Stock struct {
	mutex  sync.RWMutex
	pieces map[string]int
}

// NewStock returns a stock of a thousand pieces of every article.
func NewStock() *Stock {
	stock := &Stock{pieces: map[string]int{}}
	for _, article := range articles {
		stock.pieces[article] = 1000
	}
	return stock
}

// Left returns how many pieces there are of an article.
func (s *Stock) Left(article string) int {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return s.pieces[article]
}
