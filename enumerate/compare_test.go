package enumerate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// comparing compares the chunks of batches in any order and some of them twice, in several
// goroutines, with a Comparer that is made anew now and then.
func (a *apart) comparing(worker func() *Worker) func(context.Context, *Batch, func(int, []byte) error) error {
	var news [][]byte
	var c *Comparer
	return func(ctx context.Context, b *Batch, take func(int, []byte) error) error {
		if news = append(news, b.News); len(news) != b.Number+1 {
			return fmt.Errorf("batch %d after %d", b.Number, len(news)-1)
		}
		if c == nil || a.rng.IntN(3) == 0 {
			c = NewComparer(worker(), a.deriver)
		}
		x, err := c.At(news...)
		if err != nil {
			return err
		}
		out := make([][]byte, b.Chunks)
		errs := make([]error, b.Chunks)
		var wg sync.WaitGroup
		for i := range b.Chunks {
			chunk, err := b.Chunk(i)
			if err != nil {
				return err
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				out[i], errs[i] = x.Compare(ctx, chunk)
			}()
		}
		wg.Wait()
		for _, i := range a.rng.Perm(b.Chunks) {
			if errs[i] != nil {
				return errs[i]
			}
			if err := take(i, out[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// chance is a number below n that depends on a law alone.
func chance(l *law.Law, n int) int {
	h := fnv.New32a()
	h.Write([]byte(law.Format(law.Canonical(l))))
	return int(h.Sum32() % uint32(n))
}

// judged decides candidates by chance: some are proved, in this form or a less general one,
// some of the true relu only, and some are not.
func judged(cands []Candidate) []Verdict {
	out := make([]Verdict, len(cands))
	for i, c := range cands {
		v := &out[i]
		k := chance(c.Law, 8)
		narrow := false
		if k == 1 {
			v.Form, narrow = c.Narrow()
		}
		if k == 0 || k == 1 && !narrow {
			continue
		}
		v.Proved, v.Wide, v.Ordered = true, k > 4, k == 2
	}
	return out
}

// What is compared elsewhere is as if it were here, however candidates are decided and
// whatever is derived.
func TestCompareElsewhere(t *testing.T) {
	algebra := universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split", "relu")
	here := map[*Universe][]string{} // what is found here
	for _, c := range []struct {
		name   string
		u      *Universe
		levels int
		few    int
		least  int // batches that are compared elsewhere
	}{
		{"algebra", algebra, 3, 0, 5}, // in make sweeps
		{"algebra, large batches", algebra, 3, 256, 2},
		{"images", universe(t, 1, "conv2d", "conv2d_relu", "poolavg", "relu", "enlarge", "iconv", "cpool", "concat"), 2, 0, 1},
		{"composites", universe(t, 1, "bias", "layernorm", "ewadd", "concat", "split"), 2, 0, 1},
	}[sweep.Size(1, 0):] {
		t.Run(c.name, func(t *testing.T) {
			opt := Options{Universe: c.u, MaxOps: c.levels, Workers: 2, Seed: 1}
			h := how{judged, func() func(*law.Law) bool { return func(l *law.Law) bool { return chance(l, 3) == 0 } }}
			run := func(opt Options) []string {
				s := NewSession(opt)
				list := levels(t, s, c.levels, h)
				for i := range s.links.rep {
					x := fmt.Sprint(i, s.links.rep[i], s.links.equal[int32(i)], s.links.syms[int32(i)])
					for _, l := range []*link{s.links.loose[int32(i)], s.links.ordered[int32(i)]} {
						if l != nil {
							x += fmt.Sprint(*l)
						}
					}
					list = append(list, x)
				}
				return list
			}
			if here[c.u] == nil {
				here[c.u] = run(opt)
			}
			want := here[c.u]
			o := opt
			a := &apart{t: t, opt: opt, shares: 3, rng: rand.New(rand.NewPCG(1, 2)), compares: true, few: c.few, deriver: h.deriver}
			batches := 0
			o.Remote = counting{a, &batches}
			sameTexts(t, "elsewhere", run(o), want)
			if batches < c.least {
				t.Errorf("%d batches, want %d", batches, c.least)
			}
		})
	}
}

// counting counts batches.
type counting struct {
	Remote
	batches *int
}

func (c counting) Graphs(ctx context.Context, level int, state []byte) (*Graphed, error) {
	g, err := c.Remote.Graphs(ctx, level, state)
	if err == nil {
		compare := g.Compare
		g.Compare = func(ctx context.Context, b *Batch, take func(int, []byte) error) error {
			*c.batches++
			return compare(ctx, b, take)
		}
	}
	return g, err
}

// Pairs are the same after they were written and read, in every form.
func TestPairText(t *testing.T) {
	pairs := 0
	for _, names := range append(rewriteUniverses, []string{"bias", "layernorm", "ewadd", "concat"}) {
		s := NewSession(Options{Universe: universe(t, 1, names...), Seed: 1})
		h := how{prove: func(cands []Candidate) []Verdict {
			for _, c := range cands {
				p, err := general.ParsePair(c.pair.Text())
				if err != nil {
					t.Fatalf("%s: %v", c.pair, err)
				}
				if p.Text() != c.pair.Text() {
					t.Errorf("%s becomes\n%s", c.pair.Text(), p.Text())
				}
				for _, fm := range slices.Concat(c.pair.Asked(), c.forms, []general.Form{c.form}) {
					if back, err := general.ParseForm(fm.String()); err != nil || back != fm {
						t.Errorf("form %v becomes %v: %v", fm, back, err)
					}
					l, err := c.pair.Law(fm)
					m, err2 := p.Law(fm)
					if fmt.Sprint(err) != fmt.Sprint(err2) || err == nil && law.Format(l) != law.Format(m) {
						t.Errorf("%s in form %v: %v and %v", c.pair, fm, err, err2)
					}
				}
				pairs++
			}
			return proved(cands)
		}}
		for n := 1; n <= 2; n++ {
			if _, _, err := level(context.Background(), s, n, h); err != nil {
				t.Fatal(err)
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs", pairs)
	}
	for text, want := range map[string]string{
		"":        "weights",
		"weights": "laws",
		"weights Y\nrule pair given X : [2] then relu(X) == X": "no tensor Y",
		"weights\nrule pair given X : [n] then relu(X) == X":   "X has no sizes",
		"weights\nrule pair given X : [2] then relu(Y) == X":   "Y",
	} {
		if _, err := general.ParsePair(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := general.ParseForm("0 4 0 0 0 0"); err == nil {
		t.Error("a form that there is not")
	}
}

// What a session is told was found is looked at before it is used.
func TestFindingsSpoiled(t *testing.T) {
	for want, spoil := range map[string]func(*sentFinding){
		"is not one of the level": func(f *sentFinding) { f.Open = append(f.Open, 0) },
		"there is no term":        func(f *sentFinding) { f.Open = append(f.Open, 1<<30) },
		"is linked to":            func(f *sentFinding) { f.Syms = append(f.Syms, savedLink{f.Open[0], 0, [32]uint8{}}) },
		"there is no input":       func(f *sentFinding) { f.Links = append(f.Links, savedLink{f.Open[0], 0, [32]uint8{99}}) },
		"no candidate is known":   func(f *sentFinding) { f.Cands = append(f.Cands, sentCandidate{Key: "x"}) },
		"there is no form":        func(f *sentFinding) { f.Cands = append(f.Cands, sentCandidate{Form: "9 0 0 0 0 0"}) },
		"laws, want one":          func(f *sentFinding) { f.Cands = append(f.Cands, sentCandidate{Form: "0 0 0 0 0 0"}) },
		"an answer is candidate":  func(f *sentFinding) { f.Answers = append(f.Answers, sentAnswer{Stated: true, Cand: 99}) },
		"answer 7":                func(f *sentFinding) { f.Answers = append(f.Answers, sentAnswer{How: 7}) },
	} {
		opt := Options{Universe: universe(t, 2, "matmul", "ewadd", "transpose"), Workers: 1, Seed: 1}
		done := false
		opt.Remote = meddling{&apart{t: t, opt: opt, shares: 2, rng: rand.New(rand.NewPCG(1, 1)), compares: true}, func(data []byte) []byte {
			var list []sentFinding
			if err := decode(data, &list); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(list, func(f sentFinding) bool { return len(f.Open) > 0 })
			if i < 0 || done {
				return data
			}
			done = true
			spoil(&list[i])
			out, err := encode(list)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}}
		s := NewSession(opt)
		var err error
		for n := 1; n <= 2 && err == nil; n++ {
			_, _, err = level(context.Background(), s, n, how{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// meddling changes what was found.
type meddling struct {
	Remote
	change func([]byte) []byte
}

func (m meddling) Graphs(ctx context.Context, level int, state []byte) (*Graphed, error) {
	g, err := m.Remote.Graphs(ctx, level, state)
	if err == nil {
		compare := g.Compare
		g.Compare = func(ctx context.Context, b *Batch, take func(int, []byte) error) error {
			return compare(ctx, b, func(i int, data []byte) error { return take(i, m.change(data)) })
		}
	}
	return g, err
}

// No chunk, no news and no finding makes a process panic.
func FuzzCompare(f *testing.F) {
	w := workerOf(f, 2, "matmul", "ewadd", "transpose", "concat", "split")
	s := NewSession(Options{Universe: w.s.u, Seed: 1, Workers: 1})
	var chunks, found, news [][]byte
	s.opt.Remote = counting{&apart{t: f, opt: s.opt, shares: 1, rng: rand.New(rand.NewPCG(1, 1)), compares: true}, new(int)}
	s.opt.Remote = meddling{s.opt.Remote, func(data []byte) []byte { found = append(found, data); return data }}
	s.opt.Remote = seeing{s.opt.Remote, func(b *Batch) {
		c, err := b.Chunk(0)
		if err != nil {
			f.Fatal(err)
		}
		chunks, news = append(chunks, c), append(news, b.News)
	}}
	var lv *Level
	for n := 1; n <= 2; n++ {
		var err error
		if lv, err = s.Level(n, nil); err == nil {
			_, err = decide(context.Background(), &lv.Batches, how{})
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	for i := range chunks {
		for what, data := range [][]byte{chunks[i], found[i], news[i]} {
			f.Add(what, data)
		}
	}
	if len(chunks) < 2 {
		f.Fatal(len(chunks))
	}
	c := NewComparer(w, nil)
	x, err := c.At()
	if err != nil {
		f.Fatal(err)
	}
	b := bucket{reps: []int32{0}, news: []int32{int32(lv.base), int32(lv.base) + 1}}
	f.Fuzz(func(t *testing.T, what int, data []byte) {
		switch what {
		case 0:
			if out, err := x.Compare(context.Background(), data); err == nil {
				var list []sentFinding
				if err := decode(out, &list); err != nil {
					t.Error(err)
				}
			}
		case 1:
			found := make([]finding, 1)
			if err := lv.takeFindings([]bucket{b}, data, found); err == nil {
				for _, c := range found[0].cands {
					c.Narrow()
				}
			}
		default:
			if y, err := c.At(data); err == nil {
				y.take()
			}
		}
	})
}

// seeing sees batches.
type seeing struct {
	Remote
	see func(*Batch)
}

func (m seeing) Graphs(ctx context.Context, level int, state []byte) (*Graphed, error) {
	g, err := m.Remote.Graphs(ctx, level, state)
	if err == nil {
		compare := g.Compare
		g.Compare = func(ctx context.Context, b *Batch, take func(int, []byte) error) error {
			m.see(b)
			return compare(ctx, b, take)
		}
	}
	return g, err
}

// The workers of this session share nothing with it; they find and compare its terms.
func ExampleNewComparer() {
	u, err := New([]string{"transpose", "matmul"})
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := Options{Universe: u, Seed: 1}
	s := NewSession(opt)
	s.opt.Remote = &apart{opt: opt, shares: 1, rng: rand.New(rand.NewPCG(1, 1)), compares: true} // see comparing
	for n := 1; n <= 2; n++ {
		_, st, err := level(context.Background(), s, n, how{})
		fmt.Println(st.Pairs, st.Distinct, err)
	}
	// Output:
	// 0 0 <nil>
	// 10 3 <nil>
}
