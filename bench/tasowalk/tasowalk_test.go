package tasowalk

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
)

// TASO's own figure, from a run of its public generator.
const tasoVisits = 16_405_411

func TestTASOWalk(t *testing.T) {
	walkPart(t)
	if sweep.Size(0, 1) == 0 {
		return
	}
	v, err := TASOWalk(context.Background(), TASOWalkOps)
	if err != nil {
		t.Fatal(err)
	}
	want := &TASOVisits{Ops: 3, Visits: tasoVisits, ByDepth: []uint64{1, 228, 57_947, 16_347_235},
		Ordered:   []uint64{0, 216_167, 276_452, 4_215_936, 0, 0, 11_696_856},
		Unordered: 3_709_181, Distinct: 250_027}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("TASO's walk: %+v, want %+v", v, want)
	}
	t.Logf("%d visits = %d graphs x %.2f namings x %.2f orders", v.Visits, v.Distinct,
		float64(v.Unordered)/float64(v.Distinct), float64(v.Visits)/float64(v.Unordered))
}

// walkPart walks the sequences of three operators that begin with every sixteenth
// operator, and all of two.
func walkPart(t *testing.T) {
	w := newTASOWalk(TASOWalkOps, 3, 16)
	w.walk(context.Background(), 0)
	byDepth, ordered := []uint64{0, 15, 3845, 1_094_664}, []uint64{0, 16_044, 20_770, 292_180, 0, 0, 769_530}
	if !reflect.DeepEqual(w.byDepth, byDepth) || !reflect.DeepEqual(w.ordered, ordered) || len(w.seen) != 63_909 {
		t.Errorf("part of TASO's walk: by depth %v, want %v; ordered %v, want %v; %d distinct, want 63,909", w.byDepth, byDepth, w.ordered, ordered, len(w.seen))
	}
	v, err := TASOWalk(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := &TASOVisits{Ops: 2, Visits: 58_176, ByDepth: []uint64{1, 228, 57_947}, Ordered: []uint64{0, 6420, 51_756, 0, 0, 0, 0}, Unordered: 32_298, Distinct: 4174}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("TASO's walk: %+v, want %+v", v, want)
	}
}

// The count does not depend on how the walk is divided.
func TestTASOWalkParts(t *testing.T) {
	total := []uint64{0, 0, 0}
	for part := range 5 {
		w := newTASOWalk(2, part, 5)
		w.walk(context.Background(), 0)
		for i, n := range w.byDepth {
			total[i] += n
		}
	}
	if want := []uint64{1, 228, 57_947}; !reflect.DeepEqual(total, want) {
		t.Errorf("visits by depth %v, want %v", total, want)
	}
}

func TestTASOWalkErrors(t *testing.T) {
	if _, err := TASOWalk(context.Background(), 4); err == nil {
		t.Error("TASOWalk(4): no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := TASOWalk(ctx, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled TASOWalk: %v", err)
	}
}

// The first numbers of the C library's generator are well known.
func TestGlibcRandom(t *testing.T) {
	r := glibcRandom(1)
	for i, want := range []int32{1804289383, 846930886, 1681692777, 1714636915, 1957747793} {
		if got := r(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestTASOCuts(t *testing.T) {
	var none tasoCuts
	ab := none.with(2, none)
	abc := ab.with(5, none) // (a b) c, a of 2 and b of 3
	if l, r, at := abc.cut(); l != ab || r != none || at != 5 {
		t.Errorf("(a b) c is cut at %d into %v and %v", at, l, r)
	}
	bc := none.with(3, none)
	right := none.with(2, bc) // a (b c)
	if l, r, at := right.cut(); l != none || r.n != 1 || r.pos[0] != 5 || at != 2 {
		t.Errorf("a (b c) is cut at %d into %v and %v", at, l, r)
	}
}

// The values of a tensor are the same whether its operator is last or not.
func TestTASOIdentities(t *testing.T) {
	m := newTASOMachine()
	in := m.inputs()
	apply := func(op int, args ...*tasoTensor) []tasoTensor {
		t.Helper()
		var a, b *tasoTensor
		if len(args) > 0 {
			a = args[0]
		}
		if len(args) > 1 {
			b = args[1]
		}
		var out []tasoTensor
		for i, l := range m.layoutsOf(op, a, b) {
			e := tasoExpr{op: op, out: i, layout: l, a: a, b: b}
			out = append(out, tasoTensor{l, m.evaluate(&e)})
		}
		if len(out) == 0 {
			t.Fatalf("operator %d refuses", op)
		}
		return out
	}
	find := func(want tasoOp) int {
		for i := range tasoOps {
			if reflect.DeepEqual(tasoOps[i], want) {
				return i
			}
		}
		t.Fatalf("no operator %+v", want)
		return -1
	}
	conv := find(tasoOp{kind: tasoConv, h: 3, w: 3})
	image, kernel := &in[6], &in[9]
	iconv := apply(find(tasoOp{kind: tasoIconv, dims: []int{4, 4, 3, 3}, constant: true}))[0]
	if got := apply(conv, image, &iconv)[0]; !reflect.DeepEqual(got, *image) {
		t.Error("convolution with the identity kernel is not the image")
	}
	ones := apply(find(tasoOp{kind: tasoOnes, dims: []int{4, 1, 3, 3}, constant: true}))[0]
	sum := apply(find(tasoOp{kind: tasoPoolSum, h: 3, w: 3, unary: true}), image)[0]
	if got := apply(conv, image, &ones)[0]; !reflect.DeepEqual(got, sum) {
		t.Error("convolution with ones is not the pool")
	}
	joined := apply(find(tasoOp{kind: tasoConcat, rank: 4, axis: 0, rising: true}), kernel, &in[10])[0]
	both := apply(conv, image, &joined)[0]
	halves := apply(find(tasoOp{kind: tasoSplit, axis: 1, unary: true}), &both)
	if got := apply(conv, image, kernel)[0]; !reflect.DeepEqual(halves[0], got) {
		t.Error("the first half of a convolution with joined kernels is not that with the first")
	}
	tr := find(tasoOp{kind: tasoTranspose, unary: true, shuffle: true})
	once := apply(tr, &in[0])[0]
	if got := apply(tr, &once)[0]; !reflect.DeepEqual(got, in[0]) {
		t.Error("transposed twice is not the tensor")
	}
	if view := apply(find(tasoOp{kind: tasoTranspose, unary: true}), &in[0])[0]; view.layout == once.layout {
		t.Error("a view and a copy have one layout")
	}
}

func BenchmarkTASOWalk(b *testing.B) {
	for b.Loop() {
		v, err := TASOWalk(context.Background(), TASOWalkOps)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(v.Visits), "visits")
		b.ReportMetric(float64(v.Distinct), "graphs")
	}
}

func Example() {
	v, err := TASOWalk(context.Background(), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Visits, "visits,", v.Unordered, "graphs of named inputs,", v.Distinct, "graphs")
	// Output:
	// 58176 visits, 32298 graphs of named inputs, 4174 graphs
}
