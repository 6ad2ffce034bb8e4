package enumerate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// decided is a candidate in the form in which it was decided.
type decided struct {
	Candidate
	proved bool
}

// how says how a test decides candidates and derives pairs. The zero value proves every candidate,
// and derives none.
type how struct {
	prove   func([]Candidate) []Verdict
	deriver func() func(*law.Law) bool
}

// level runs a level.
func level(ctx context.Context, s *Session, n int, h how) ([]decided, Stats, error) {
	lv, err := s.Level(n, h.deriver)
	if err != nil {
		return nil, Stats{}, err
	}
	list, err := decide(ctx, &lv.Batches, h)
	return list, lv.Stats(), err
}

// orderedOf decides the candidates of the true relu and maximum of the last level.
func orderedOf(ctx context.Context, s *Session, h how) ([]decided, error) {
	b, err := s.Ordered()
	if err != nil {
		return nil, err
	}
	return decide(ctx, b, h)
}

func decide(ctx context.Context, b *Batches, h how) (out []decided, err error) {
	prove := h.prove
	if prove == nil {
		prove = proved
	}
	for {
		cands, err := b.Next(ctx)
		if err != nil || cands == nil {
			return out, err
		}
		verdicts := prove(cands)
		for i, v := range verdicts {
			x := statement{Candidate: cands[i]}
			x.learn(v)
			out = append(out, decided{x.Candidate, v.Proved})
		}
		if err := b.Learn(verdicts); err != nil {
			return out, err
		}
	}
}

// proved are verdicts by which every candidate is proved.
func proved(cands []Candidate) []Verdict {
	out := make([]Verdict, len(cands))
	for i := range out {
		out[i].Proved = true
	}
	return out
}

// describe is everything a candidate says.
func describe(c decided) string {
	return fmt.Sprintf("level %d conditional %v ordered %v proved %v\n%s%s", c.Level, c.Conditional, c.Ordered, c.proved,
		law.Format(c.Law), law.Format(c.Base))
}

// levels runs levels from the next one to n and describes all candidates,
// those of the true relu and maximum too.
func levels(t testing.TB, s *Session, n int, h how) []string {
	t.Helper()
	var out []string
	for lv := s.Next(); lv <= n; lv++ {
		cands, _, err := level(context.Background(), s, lv, h)
		if err != nil {
			t.Fatal(err)
		}
		more, err := orderedOf(context.Background(), s, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append(cands, more...) {
			out = append(out, describe(c))
		}
	}
	return out
}

func sameTexts(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d candidates, want %d", what, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: candidate %d is\n%s\nwant\n%s", what, i, got[i], want[i])
			return
		}
	}
}

// kind is a kind of session.
type kind struct {
	name       string
	u          *Universe
	levels     int
	exhaustive bool
}

// kinds are sessions of which something holds whoever does the work, and wherever.
func kinds(t testing.TB) []kind {
	return []kind{
		{"default", Default(), 2, false},
		{"algebra", universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split", "relu"), 3, false},
		{"exhaustive", universe(t, 2, "ewadd", "ewmul", "smul", "transpose", "concat"), 3, true},
	}
}

// options are those of one worker in memory.
func (k kind) options() Options {
	return Options{Universe: k.u, Workers: 1, Exhaustive: k.exhaustive, Seed: 1}
}

// found is all that a session found.
type found struct {
	s         *Session
	cands     [][]decided // of each level, those of the true relu and maximum too
	texts     []string    // counts and candidates
	symmetric symmetries  // of the last level
	saved     []byte
}

// run runs all levels of a kind.
func (k kind) run(t testing.TB, opt Options) *found {
	t.Helper()
	f := &found{s: NewSession(opt)}
	for n := 1; n <= k.levels; n++ {
		lv, err := f.s.Level(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		cands, err := decide(context.Background(), &lv.Batches, how{})
		if err != nil {
			t.Fatal(err)
		}
		st := lv.Stats()
		f.symmetric = lv.view.symmetric
		st.WalkSeconds, st.HashSeconds, st.CompareSeconds, st.EnumerateCPU = 0, 0, 0, 0
		f.texts = append(f.texts, fmt.Sprintf("%+v", st))
		more, err := orderedOf(context.Background(), f.s, how{})
		if err != nil {
			t.Fatal(err)
		}
		cands = append(slices.Clone(cands), more...)
		for _, c := range cands {
			f.texts = append(f.texts, describe(c))
		}
		f.cands = append(f.cands, cands)
	}
	var b bytes.Buffer
	if err := f.s.Save(&b); err != nil {
		t.Fatal(err)
	}
	f.saved = b.Bytes()
	return f
}

// alones are what alone found, by the name of the kind.
var alones = map[string]*found{}

// alone is what one worker finds in memory, once for all tests.
func (k kind) alone(t testing.TB) *found {
	t.Helper()
	if alones[k.name] == nil {
		alones[k.name] = k.run(t, k.options())
	}
	return alones[k.name]
}

// Any number of workers gives the same candidates in the same order. Of the default
// TestSpilled shows that too.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, c := range append(kinds(t)[sweep.Size(1, 0):], kind{"true relu", universe(t, 1, "relu", "poolmax", "ewadd", "ewmul"), 3, false}) {
		t.Run(c.name, func(t *testing.T) {
			first := c.alone(t).texts
			if len(first) < 5+c.levels {
				t.Fatalf("only %d candidates", len(first)-c.levels)
			}
			opt := c.options()
			opt.Workers = 5
			sameTexts(t, "5 workers", c.run(t, opt).texts, first)
		})
	}
}

// What one seed finds another finds.
func TestSeedsAgree(t *testing.T) {
	u := universe(t, 2, "matmul", "ewadd", "smul", "transpose", "concat", "split")
	a := levels(t, NewSession(Options{Universe: u, Seed: 1}), 2, how{})
	b := levels(t, NewSession(Options{Universe: u, Seed: 2}), 2, how{})
	slices.Sort(a)
	slices.Sort(b)
	sameTexts(t, "seed 2", b, a)
}

// A session that was written out and read back goes on as if nothing had
// happened.
func TestSaveRestore(t *testing.T) {
	u := universe(t, 2, "matmul", "ewadd", "transpose", "relu", "poolmax")
	opt := Options{Universe: u, Seed: 3, Workers: 2}
	whole := NewSession(opt)
	first := levels(t, whole, 2, how{})
	var file bytes.Buffer
	if err := whole.Save(&file); err != nil {
		t.Fatal(err)
	}
	saved := file.Bytes()
	want := levels(t, whole, 3, how{})
	if len(first) == 0 || len(want) == 0 {
		t.Fatalf("%d and %d candidates", len(first), len(want))
	}
	again := NewSession(opt)
	if err := again.Restore(bytes.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
	if again.Next() != 3 {
		t.Errorf("the next level is %d, want 3", again.Next())
	}
	sameTexts(t, "restored", levels(t, again, 3, how{}), want)

	for name, o := range map[string]Options{
		"another seed":     {Universe: u, Seed: 4},
		"another mode":     {Universe: u, Seed: 3, Exhaustive: true},
		"another universe": {Universe: universe(t, 2, "matmul"), Seed: 3},
	} {
		if err := NewSession(o).Restore(bytes.NewReader(saved)); err == nil {
			t.Errorf("%s: the checkpoint was accepted", name)
		}
	}
	for n := 0; n < len(saved); n += 1 + len(saved)/40 {
		s := NewSession(opt)
		if err := s.Restore(bytes.NewReader(saved[:n])); err == nil {
			t.Errorf("a checkpoint of %d of %d bytes was accepted", n, len(saved))
		} else if s.Next() != 1 {
			t.Errorf("a broken checkpoint changed the session")
		}
	}
}

// Candidates that are not proved merge nothing and are not proposed again.
func TestUnproved(t *testing.T) {
	u := universe(t, 2, "ewadd", "ewmul", "smul")
	times := map[string]int{}
	reject := how{prove: func(cands []Candidate) []Verdict {
		for _, c := range cands {
			times[describe(decided{Candidate: c})]++
		}
		return make([]Verdict, len(cands))
	}}
	s := NewSession(Options{Universe: u, Workers: 1})
	rejected := 0
	for n := 1; n <= 2; n++ {
		cands, st, err := level(context.Background(), s, n, reject)
		if err != nil {
			t.Fatal(err)
		}
		rejected += len(cands)
		if st.Proved != 0 || st.New != st.Terms || slices.Contains(s.links.rep, false) {
			t.Errorf("level %d: %d proved, %d of %d terms are representatives", n, st.Proved, st.New, st.Terms)
		}
	}
	if rejected == 0 {
		t.Fatal("nothing was proposed")
	}
	for text, n := range times {
		if n != 1 {
			t.Errorf("proposed %d times:\n%s", n, text)
		}
	}
}

// What became of every candidate has to be known before the session goes on.
func TestVerdictsAreMissing(t *testing.T) {
	ctx := context.Background()
	s := NewSession(Options{Universe: universe(t, 2, "ewadd", "ewmul", "smul")})
	lv, err := s.Level(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := lv.Learn([]Verdict{{Proved: true}}); err == nil {
		t.Error("verdicts before there were candidates")
	}
	cands, err := lv.Next(ctx)
	if err != nil || len(cands) == 0 {
		t.Fatal(len(cands), err)
	}
	if _, err := lv.Next(ctx); err == nil {
		t.Error("the next batch without verdicts on the first")
	}
	if err := lv.Learn(make([]Verdict, len(cands)+1)); err == nil {
		t.Error("a verdict too much")
	}
	if _, err := s.Level(2, nil); err == nil {
		t.Error("the next level")
	}
	if _, err := s.Ordered(); err == nil {
		t.Error("laws of the true relu and maximum")
	}
	if err := s.Save(new(bytes.Buffer)); err == nil {
		t.Error("a checkpoint")
	}
	if err := lv.Learn(make([]Verdict, len(cands))); err != nil {
		t.Error(err)
	}
	if cands, err = lv.Next(ctx); err != nil || cands != nil {
		t.Error(cands, err)
	}
	if cands, err = lv.Next(ctx); err != nil || cands != nil {
		t.Error("after the end", cands, err)
	}
	if _, err := s.Level(2, nil); err != nil {
		t.Error(err)
	}
}

// Candidates stay as they are, whatever becomes of them.
func TestCandidatesStay(t *testing.T) {
	s := NewSession(Options{Universe: universe(t, 1, "conv2d", "enlarge", "iconv", "relu"), Seed: 1})
	var all []Candidate
	var texts []string
	narrowed := 0
	levels(t, s, 2, how{prove: func(cands []Candidate) []Verdict {
		out := make([]Verdict, len(cands))
		for i, c := range cands {
			all, texts = append(all, c), append(texts, describe(decided{Candidate: c}))
			v := &out[i]
			if v.Form, v.Proved = c.Narrow(); v.Proved {
				narrowed++
			}
			v.Ordered = i%3 == 0
		}
		return out
	}})
	if narrowed == 0 || narrowed == len(all) {
		t.Fatalf("%d of %d candidates in a less general form", narrowed, len(all))
	}
	for i, c := range all {
		if got := describe(decided{Candidate: c}); got != texts[i] {
			t.Errorf("%s\nbecame\n%s", texts[i], got)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := level(ctx, NewSession(Options{}), 1, how{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	// In the middle of each phase.
	for _, phase := range []string{"enumerate", "fingerprint", "renamings", "compare"} {
		ctx, cancel := context.WithCancel(context.Background())
		met := false
		s := NewSession(Options{Workers: 1, Universe: universe(t, 2, "ewadd", "ewmul", "smul", "relu"),
			Progress: func(ph string, _, _ int64) {
				if strings.HasSuffix(ph, phase) {
					met = true
					cancel()
				}
			}})
		var err error
		for n := 1; n <= 2 && err == nil; n++ {
			_, _, err = level(ctx, s, n, how{})
		}
		if !met || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in %q (met: %v): error %v", phase, met, err)
		}
		cancel()
	}
}

func TestLevelsComeInOrder(t *testing.T) {
	s := NewSession(Options{Universe: universe(t, 1, "ewadd")})
	for _, n := range []int{-1, 0, 2, maxOps + 1} {
		if _, _, err := level(context.Background(), s, n, how{}); err == nil {
			t.Errorf("level %d came first", n)
		}
	}
	if _, _, err := level(context.Background(), s, 1, how{}); err != nil {
		t.Error(err)
	}
	if _, _, err := level(context.Background(), s, 1, how{}); err == nil {
		t.Error("level 1 came twice")
	}
}

func TestStats(t *testing.T) {
	s := NewSession(Options{Universe: universe(t, 3, "matmul", "ewadd", "transpose", "concat", "split")})
	for n := 1; n <= 2; n++ {
		cands, st, err := level(context.Background(), s, n, how{})
		if err != nil {
			t.Fatal(err)
		}
		if st.Level != n || st.Distinct != len(cands) || st.Proved != len(cands) {
			t.Errorf("level %d: %+v for %d candidates", n, st, len(cands))
		}
		if st.Raw < st.Distinct || st.Pairs != st.Joined+st.False+st.Untyped+st.Raw || st.Visits < uint64(st.Terms) ||
			st.New > st.Terms || st.Classes > st.Terms || st.Tensors < st.Terms {
			t.Errorf("level %d: counts disagree: %+v", n, st)
		}
	}
}

func TestNewUniverse(t *testing.T) {
	if _, err := New([]string{"matmul", "frobnicate"}); err == nil || !strings.Contains(err.Error(), `"frobnicate"`) {
		t.Errorf("error %v does not name the operator", err)
	}
	u, err := New([]string{"transpose", "matmul"})
	if err != nil {
		t.Fatal(err)
	}
	if got := u.Operators(); !slices.Equal(got, []string{"matmul", "transpose"}) {
		t.Errorf("operators %v", got)
	}
	for _, ty := range u.Types {
		if len(ty.Sizes) != 2 {
			t.Errorf("inputs %s of sizes %v that no operator takes", ty.Name, ty.Sizes)
		}
	}
	if got := Default().Operators(); !slices.Equal(got, DefaultNames()) {
		t.Errorf("the default has %v, want %v", got, DefaultNames())
	}
	// A universe of one operator is valid, whichever it is.
	for _, name := range OperatorNames() {
		s := NewSession(Options{Universe: universe(t, 2, name)})
		if _, _, err := level(context.Background(), s, 1, how{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
