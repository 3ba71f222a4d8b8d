// Benchmarks that show whose turn it is. The binary runs in a folder called base or head, and the
// folder above it holds what the two of them have in common.
package turns

import (
	"fmt"
	"hash/fnv"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var calls int

func side() string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return filepath.Base(folder)
}

// stamp writes when a call of a benchmark began and ended; they are calls with b.N operations.
func stamp(b *testing.B) {
	begin := time.Now()
	time.Sleep(2 * time.Millisecond)
	file, err := os.OpenFile("../stamps", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	fmt.Fprintln(file, side(), b.N, begin.UnixNano(), time.Now().UnixNano())
}

func BenchmarkStamped(b *testing.B) { stamp(b) }

func BenchmarkNested(b *testing.B) {
	b.Run("sub/of=1", stamp)
	b.Run(strings.Repeat("long", 2500), stamp)
	b.Run("other", func(b *testing.B) { b.Fatal("it was not asked for") })
}

func BenchmarkMetrics(b *testing.B) {
	stamp(b)
	b.SetBytes(1000)
	b.ReportMetric(7, "widgets/op")
	for i := 0; i < 500; i++ {
		b.ReportMetric(float64(i), fmt.Sprintf("unit-%d", i))
	}
}

func BenchmarkLogging(b *testing.B) {
	stamp(b)
	b.Log("a log of b goes below the result")
	log.Print(strings.Repeat("a log goes to standard error ", 5000))
}

func BenchmarkPrinting(b *testing.B) { fmt.Println("hello") }

func BenchmarkPanicking(b *testing.B) {
	stamp(b)
	if calls++; side() == "head" && calls == 4 {
		panic("out of cheese")
	}
}

func BenchmarkFailing(b *testing.B) {
	stamp(b)
	if calls++; side() == "head" && calls == 4 {
		b.Fatal("it is broken")
	}
}

func BenchmarkHanging(b *testing.B) {
	stamp(b)
	if calls++; side() == "head" && calls == 4 {
		time.Sleep(time.Hour)
	}
}

func BenchmarkListening(b *testing.B) {
	if calls++; calls == 1 {
		folder := fnv.New64()
		absolute, _ := filepath.Abs("..")
		folder.Write([]byte(absolute))
		if _, err := net.Listen("unix", fmt.Sprintf("@%x", folder.Sum(nil))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPids(b *testing.B) {
	if err := os.WriteFile("pid.new", []byte(fmt.Sprint(os.Getpid())), 0o600); err != nil {
		b.Fatal(err)
	}
	os.Rename("pid.new", "pid")
}

// placed reports the first and the last processor on which the process may run.
func placed(b *testing.B) {
	stamp(b)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	numbers := strings.FieldsFunc(list, func(letter rune) bool { return letter < '0' })
	for name, text := range map[string]string{"first": numbers[0], "last": numbers[len(numbers)-1]} {
		var number float64
		fmt.Sscan(text, &number)
		b.ReportMetric(number, name)
	}
}

func BenchmarkPlaced(b *testing.B) {
	b.Run("one", placed)
	b.Run("two", placed)
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }

func TestMain(m *testing.M) {
	fmt.Println("ready")
	code := m.Run()
	fmt.Println("done")
	os.Exit(code)
}
