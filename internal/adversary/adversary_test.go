package adversary

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
)

var (
	laws    = flag.Int("adversary.laws", 0, "laws that TestLong writes; 0: it is skipped")
	workers = flag.Int("adversary.workers", 2, "goroutines of TestLong")
	seed    = flag.Uint64("adversary.seed", 1, "seed of TestLong")
	file    = flag.String("adversary.file", "testdata/false.rules", "laws that TestLong asks about first and makes others of")
	claimed = flag.String("adversary.claimed", "", "laws that TestClaimed evaluates")
	points  = flag.Int("adversary.points", 100, "points of each, of TestClaimed")
	share   = flag.String("adversary.share", "", "one in so many laws is put to e-graph, sums, theory, quantified z3, audit and refuter, as 1,2,40,2000,400,40; 0 is none")
	pool    = flag.String("adversary.pool", "", "laws that TestLong makes others of; empty: axioms, lemmas and those of -adversary.file")
	limit   = flag.Duration("adversary.time", 0, "TestLong ends after it; 0: when all laws are written")
)

// read is the laws of a file.
func read(t *testing.T, name string) []*law.Law {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ls, err := law.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// A run of any length, for make adversary.
func TestLong(t *testing.T) {
	if *laws == 0 {
		t.Skip("-adversary.laws is 0")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	o := Options{Laws: *laws, Workers: *workers, Seed: *seed, Seeds: read(t, *file), Progress: os.Stderr}
	if *pool != "" {
		o.Pool = read(t, *pool)
	}
	if *share != "" {
		s := &o.Share
		if _, err := fmt.Sscanf(*share, "%d,%d,%d,%d,%d,%d", &s.egraph, &s.sums, &s.theory, &s.quantified, &s.audit, &s.refute); err != nil {
			t.Fatalf("-adversary.share %s: %v", *share, err)
		}
	}
	if *limit > 0 {
		o.Until = time.Now().Add(*limit)
	}
	f, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", f)
	for _, l := range f.Blind {
		t.Logf("claimed, and at no point put to the test:\n%s", law.Format(l))
	}
	// One of each kind, the smallest.
	kinds := map[string]*Finding{}
	count := map[string]int{}
	for _, x := range f.Findings {
		k := x.Kind()
		count[k]++
		if old := kinds[k]; old == nil || len(law.Format(x.Law)) < len(law.Format(old.Law)) {
			kinds[k] = x
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.Errorf("%d times %s", count[k], kinds[k])
	}
}

// The evaluator sees that each of the kept falsehoods is false: it can fail.
func TestKept(t *testing.T) {
	for i, l := range read(t, "testdata/false.rules") {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		f, tally := eval.Check(l, eval.Claim{Forward: true, Backward: !l.OneWay}, eval.Limits{}, 300, rng)
		if f == nil {
			t.Errorf("%s is not seen to be false: %+v", l.Name, tally)
		}
	}
}

// A short run: what was claimed falsely once, and some laws more.
func TestShort(t *testing.T) {
	f, err := Run(context.Background(), Options{Laws: 120, Seeds: read(t, "testdata/false.rules"),
		Share: sample{egraph: 1, sums: 1, refute: 20}, SeedShare: sample{egraph: 1, sums: 1, theory: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", f)
	for _, x := range f.Findings {
		t.Error(x)
	}
	for _, e := range []string{engineEGraph, engineGround, engineSums, engineMeaning, engineChecker, engineForged} {
		if f.Claims[e] == 0 {
			t.Errorf("nothing is claimed by %s: nothing is tested", e)
		}
	}
	if f.Tally.Met < f.Claimed {
		t.Errorf("%d points for %d claimed laws", f.Tally.Met, f.Claimed)
	}
}

// A seed says what is written, in every process.
func TestWriter(t *testing.T) {
	texts := map[string]bool{}
	for range 2 {
		w := newWriter(axioms.ByKind(law.Axiom), 0)
		w.rng = rand.New(rand.NewPCG(9, 9))
		text := ""
		for range 60 {
			l, how := w.law()
			text += how + law.Format(l)
		}
		texts[text] = true
	}
	if len(texts) != 1 {
		t.Error("two writers of one seed write different laws")
	}
}

// What judges tells a false claim from a true one, each part apart.
func TestJudge(t *testing.T) {
	l, err := law.ParseLaw("rule r given X : [a], Z : [c] then X == ewadd(X, ewsub(slice[axis=0, lo=0, hi=a](Z), slice[axis=0, lo=0, hi=a](Z)))")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says  eval.Claim
		false bool
	}{
		{eval.Claim{Equal: true}, false}, {eval.Claim{Backward: true}, false}, {eval.Claim{Forward: true}, true},
		{eval.Claim{Equal: true, Forward: true, Backward: true}, true},
	} {
		f := newFigures()
		f.judge([]claim{{engine: engineSums, law: l, says: c.says}}, nil, 60, rand.New(rand.NewPCG(1, 1)))
		if got := len(f.Findings) > 0; got != c.false {
			t.Errorf("%+v: %d findings", c.says, len(f.Findings))
		}
	}
	// A counterexample that is none is a finding too.
	for n, want := range map[int64]int{1: 1, 2: 0} {
		f := newFigures()
		at := &eval.Point{Sizes: map[string]int64{"a": n, "c": 1}}
		f.judge([]claim{{engine: engineRefuter, law: l, at: at}}, nil, 60, rand.New(rand.NewPCG(1, 1)))
		if len(f.Findings) != want {
			t.Errorf("a = %d: %d findings, want %d", n, len(f.Findings), want)
		}
	}
	// Where hardly any values drawn are places of a table, a counterexample is not seen;
	// where a side is defined for no values, it is none.
	for text, want := range map[string]int{
		"rule r given X : [2], K : [60] then gather[axis=0](X, K) == neg(gather[axis=0](X, K))":                                          0,
		"rule r given X : [2], K : [60] then gather[axis=0](X, K) => gather[axis=0](X, ewint[fn=rem](K, fill[shape=[60], value=2.0]()))": 0,
		"rule r given X : [2] then slice[axis=0, lo=0, hi=3](X) == neg(slice[axis=0, lo=0, hi=3](X))":                                    1,
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		f := newFigures()
		f.judge([]claim{{engine: engineRefuter, law: l, at: &eval.Point{}}}, nil, 60, rand.New(rand.NewPCG(1, 1)))
		if len(f.Findings) != want || f.Unseen != 1-want {
			t.Errorf("%s: %d findings, want %d; %d not seen", text, len(f.Findings), want, f.Unseen)
		}
	}
}

// FuzzLaws writes some laws of a seed and asks the engines that are quick.
func FuzzLaws(f *testing.F) {
	th, err := theory.Load(context.Background(), nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	w := newWriter(th.Laws, 0)
	o := Options{Share: sample{sums: 1}}.withDefaults()
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		o.Seed, o.Laws = seed, 8
		fig, err := o.batch(context.Background(), th, w, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range fig.Findings {
			t.Error(x)
		}
	})
}

// Files whose entries rest on themselves, on each other, on what comes later or
// on what has another's name.
func TestFiles(t *testing.T) {
	ctx := context.Background()
	th, err := theory.Load(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(th.Laws, 0)
	w.rng = rand.New(rand.NewPCG(4, 4))
	f := newFigures()
	if err := f.files(ctx, th, w, 40); err != nil {
		t.Fatal(err)
	}
	for _, x := range f.Findings {
		t.Error(x)
	}
	if f.Claims[engineForged] < 40 {
		t.Errorf("%d entries accepted of %d files: nothing is tested", f.Claims[engineForged], f.Forged)
	}
}

// A condition is judged as it is printed: one that does not suffice is a
// finding.
func TestWords(t *testing.T) {
	pool, err := law.ParseLaw(`rule r
  given s : stride, p : padding
  then  one[shape=[b, c, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]]()
     => poolavg[kh=kh, kw=kw, stride=s, pad=p, border=excluded](one[shape=[b, c, h, w]]())`)
	if err != nil {
		t.Fatal(err)
	}
	conv, err := law.ParseLaw(`rule r
  given p : padding, X : [b, g*c, h, w], V : [m, c, kh, kw], W : [n, c, kh, kw]
  then  conv2d[pad=p, groups=g](X, concat[axis=0](V, W))
     => concat[axis=1](conv2d[pad=p, groups=g](X, V), conv2d[pad=p, groups=g](X, W))`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		law      *law.Law
		words    string
		ok, fine bool
	}{
		{pool, "1 <= window(h,kh,s,p,0)", true, false},
		{pool, "1 <= window(h,kh,s,p,0), 1 <= window(w,kw,s,p,1), p = valid", true, true},
		{pool, "both sides are defined", true, true},
		{pool, "pads are small", false, false},
		{conv, "g = 1", true, true},
		{conv, "g divides V[0], g divides W[0]", true, false},
		{conv, "V[0] = W[0]", true, false},
		{conv, "groups of W = 1", false, false},
	} {
		w, ok := readWords(c.law, c.words)
		if ok != c.ok {
			t.Errorf("%s: understood %v", c.words, ok)
		}
		if !ok {
			continue
		}
		says := eval.Claim{Forward: true}
		if w.both {
			says = eval.Claim{Equal: true}
		}
		f := newFigures()
		f.judge([]claim{{engine: engineIf, law: c.law, says: says, note: c.words,
			where: func(p *eval.Point) bool { h, ok := w.hold(p); return h && ok }}}, nil, 60, rand.New(rand.NewPCG(1, 1)))
		if got := len(f.Findings) == 0; got != c.fine || f.Tally.Met == 0 {
			t.Errorf("%s: suffices %v, want %v (%d points)", c.words, got, c.fine, f.Tally.Met)
		}
	}
}

// The laws of any file, taken as claims: go test -run TestClaimed
// -adversary.claimed FILE.
func TestClaimed(t *testing.T) {
	if *claimed == "" {
		t.Skip("-adversary.claimed is empty")
	}
	var sum eval.Tally
	ls := read(t, *claimed)
	for i, l := range ls {
		rng := rand.New(rand.NewPCG(*seed, uint64(i)))
		f, tally := eval.Check(l, eval.Claim{Forward: true, Backward: !l.OneWay}, eval.Limits{}, *points, rng)
		sum.Points += tally.Points
		sum.Cells += tally.Cells
		if f != nil {
			t.Errorf("%s\nat %s: %s: %s", law.Format(l), f.Point, f.Outcome.Kind, f.Outcome.Detail)
		}
	}
	t.Logf("%d laws, %d points, %d cells", len(ls), sum.Points, sum.Cells)
}

// A law that is claimed by an engine that believes everything is made small, and
// stays false.
func TestShrink(t *testing.T) {
	l, err := law.ParseLaw(`rule r
  given X : [P.., a], Y : [P.., a], Z : [c], A : []
  where a <= 5 and 2 <= c
  then  smul(relu(ewadd(X, neg(neg(Y)))), A)
     == smul(relu(ewadd(X, ewadd(Y, broadcast[shape=[P.., a]](reducesum[axes=(0)](slice[axis=0, lo=0, hi=2](Z)))))), A)`)
	if err != nil {
		t.Fatal(err)
	}
	f := &Finding{Law: l}
	shrink(f, 500, func(l *law.Law) []claim {
		return []claim{{engine: engineSums, law: l, says: eval.Claim{Forward: true, Backward: true}}}
	})
	if n := law.Size(append(slices.Clone(f.Law.LHS), f.Law.RHS...)...); n > 1 || len(f.Law.Where) > 0 {
		t.Errorf("left is\n%s", law.Format(f.Law))
	}
	if bad, _ := eval.Check(f.Law, eval.Claim{Forward: true, Backward: true}, eval.Limits{}, 40, rand.New(rand.NewPCG(1, 1))); bad == nil {
		t.Errorf("it is true:\n%s", law.Format(f.Law))
	}
}

// Every operator of the registry is in some law that is written, so that what is claimed of
// any of them is judged.
func TestWritesAllOperators(t *testing.T) {
	in := map[string]int{}
	absent := func(op *graph.Op) bool { return in[op.Name] == 0 }
	for seed := uint64(1); seed <= 4 || seed <= 24 && slices.ContainsFunc(graph.Ops(), absent); seed++ {
		for _, l := range Laws(seed, 500) {
			l.EachTerm(func(u *law.Term) {
				if u.Op != nil {
					in[strings.TrimPrefix(u.Op.Name, graph.EachPrefix)]++
				}
			})
		}
	}
	for _, op := range graph.Ops() {
		if absent(op) {
			t.Errorf("operator %s is in no law", op.Name)
		}
	}
}
