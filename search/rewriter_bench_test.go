package search_test

import (
	"runtime"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

func rules(tb testing.TB) *search.Rules {
	tb.Helper()
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	r, _, err := search.NewRules(laws)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// price is that of the first machine's roofline, in picoseconds: a view's where the
// operator may be one.
func price(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) int64 {
	p, err := cost.PricesOf(model(), cost.Application{Op: op, Attrs: a, In: in, Out: out})
	if err != nil {
		panic(err)
	}
	if lower.IsView(op) {
		return int64(p.View * 1e12)
	}
	return int64(p.Alone * 1e12)
}

var model = sync.OnceValue(func() cost.Model {
	ms, err := cost.Machines()
	if err != nil {
		panic(err)
	}
	return ms[0]
})

func network(tb testing.TB, name string) *bank.Bank {
	tb.Helper()
	m, err := models.Build(name, 1)
	if err != nil {
		tb.Fatal(err)
	}
	b, _, err := bank.From(m.Graph, price)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

var networks = []string{"bert-large-64", "nasneta"}

// BenchmarkMatchAll finds all uses of all axioms and lemmas.
func BenchmarkMatchAll(b *testing.B) {
	rs := rules(b)
	for _, name := range networks {
		b.Run(name, func(b *testing.B) {
			r := search.NewRewriter(network(b, name), rs)
			n := 0
			for b.Loop() {
				n = 0
				r.All(func(*search.Match) bool { n++; return true })
			}
			b.ReportMetric(float64(n), "moves")
			nodes := 0
			r.Net.Nodes(func(bank.Node) bool { nodes++; return true })
			b.ReportMetric(float64(nodes), "operators")
		})
	}
}

// BenchmarkBank brings a graph into a bank, and measures what the bank holds.
func BenchmarkBank(b *testing.B) {
	for _, name := range networks {
		b.Run(name, func(b *testing.B) {
			m, err := models.Build(name, 1)
			if err != nil {
				b.Fatal(err)
			}
			var before, after runtime.MemStats
			var keep []*bank.Bank
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				net, _, err := bank.From(m.Graph, price)
				if err != nil {
					b.Fatal(err)
				}
				keep = append(keep, net)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(keep)*keep[0].Len()), "bytes/node")
		})
	}
}

// BenchmarkMove makes each move, hashes, costs and undoes it: the median.
func BenchmarkMove(b *testing.B) {
	rs := rules(b)
	for _, name := range networks {
		b.Run(name, func(b *testing.B) {
			net := network(b, name)
			before := net.Hash()
			r := search.NewRewriter(net, rs)
			var times []time.Duration
			var failed int
			for b.Loop() {
				times, failed = times[:0], 0
				r.All(func(m *search.Match) bool {
					start := time.Now()
					mark := net.Mark()
					err := r.Apply(m)
					hash, cost := net.Hash(), net.Cost()
					net.Undo(mark)
					switch {
					case err != nil:
						failed++
					case hash != before:
						times = append(times, time.Since(start))
						sink += cost
					}
					return true
				})
			}
			sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/median")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "ns/p99")
			b.ReportMetric(float64(failed), "impossible")
			b.ReportMetric(float64(len(times)), "moves")
		})
	}
}

var sink int64
