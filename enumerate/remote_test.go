package enumerate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
)

// apart is a Remote whose workers share nothing with the session but what is written: they
// do shares in any order, some of them twice.
type apart struct {
	t      testing.TB
	opt    Options
	shares int
	rng    *rand.Rand
	spoil  func(*Graphed) // changes what is found
	// compares: batches of more than few buckets are compared by a Comparer.
	compares bool
	few      int
	deriver  func() func(*law.Law) bool
}

// parts are numbers of shares in any order, with repetitions.
func (a *apart) parts() []int {
	list := a.rng.Perm(a.shares)
	return append(list, list[0], list[len(list)/2])
}

func (a *apart) Graphs(ctx context.Context, level int, state []byte) (*Graphed, error) {
	worker := func() *Worker {
		w, err := NewWorker(a.opt, bytes.NewReader(state))
		if err != nil {
			a.t.Fatal(err)
		}
		if w.Next() != level {
			a.t.Fatalf("the worker is at level %d, want %d", w.Next(), level)
		}
		return w
	}
	g := &Graphed{}
	codes, terms, prints := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var edges, syms []string
	into := func(m map[string]bool) func([]byte) error {
		return func(b []byte) error { m[string(b)] = true; return nil }
	}
	visits := map[int]uint64{}
	for _, share := range a.parts() {
		v, err := worker().Walk(ctx, share, a.shares, into(codes))
		if err != nil {
			return nil, err
		}
		visits[share] = v
	}
	for _, v := range visits {
		g.Visits += v
	}
	one := worker()
	other := one.Fork()
	for c := range codes {
		w := one
		if a.rng.IntN(2) == 0 {
			w = other
		}
		err := w.Evaluate([]byte(c), Sink{Term: into(terms), Print: into(prints),
			Symmetry: func(b []byte) error { syms = append(syms, string(b)); return nil }})
		if err != nil {
			return nil, err
		}
	}
	for _, share := range a.parts() {
		if err := worker().Known(share, a.shares, into(prints)); err != nil {
			return nil, err
		}
	}
	sorted := keys(prints)
	slices.Sort(sorted)
	err := worker().Join(func() (p []byte, ok bool) {
		if len(sorted) == 0 {
			return nil, false
		}
		p, sorted = []byte(sorted[0]), sorted[1:]
		return p, true
	}, func(e []byte) error { edges = append(edges, string(e)); return nil })
	each := func(list []string) func(func([]byte) error) error {
		a.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return func(add func([]byte) error) error {
			for _, x := range list {
				if err := add([]byte(x)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	g.Terms, g.Edges, g.Symmetries = each(keys(terms)), each(edges), each(syms)
	if a.compares {
		g.Few, g.Compare = a.few, a.comparing(worker)
	}
	if a.spoil != nil {
		a.spoil(g)
	}
	return g, err
}

func keys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// Workers elsewhere find what a session finds itself, counts included.
func TestRemote(t *testing.T) {
	for _, c := range kinds(t)[sweep.Size(1, 0):] {
		t.Run(c.name, func(t *testing.T) {
			alone := c.alone(t)
			local := alone.s
			runs := map[int]int64{7: 0, 50: 1} // shares, and the bound of memory
			if c.name == "algebra" {
				runs[1] = 0 // all in one share: once is enough
			} else if sweep.Size(0, 1) == 0 {
				delete(runs, 50)
			}
			for shares, memory := range runs {
				o := c.options()
				o.Workers, o.Memory = 2, memory
				o.Remote = &apart{t: t, opt: c.options(), shares: shares, rng: rand.New(rand.NewPCG(1, uint64(shares)))}
				got := c.run(t, o)
				s := got.s
				sameTexts(t, fmt.Sprintf("%d shares", shares), got.texts, alone.texts)
				if err := s.recall(); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(s.codes, local.codes) || !slices.Equal(s.hashes, local.hashes) || fmt.Sprint(got.symmetric) != fmt.Sprint(alone.symmetric) {
					t.Errorf("%d shares: the terms differ", shares)
				}
				for i := range s.classes.parent {
					if s.classes.find(int32(i)) != local.classes.find(int32(i)) {
						t.Errorf("%d shares: term %d is in another class", shares, i)
						break
					}
				}
			}
		})
	}
}

// What workers find is looked at before it is used.
func TestRemoteSpoiled(t *testing.T) {
	u := universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split")
	with := func(f func(func([]byte) error) error, more []byte) func(func([]byte) error) error {
		return func(add func([]byte) error) error {
			if err := f(add); err != nil {
				return err
			}
			return add(more)
		}
	}
	boom := errors.New("boom")
	for _, c := range []struct {
		want  string
		spoil func(*Graphed)
	}{
		{"is not one of this level", func(g *Graphed) { g.Terms = with(g.Terms, make([]byte, TermSize)) }},
		{"is not one of this level", func(g *Graphed) { g.Terms = with(g.Terms, []byte{1}) }},
		{"is not the encoding", func(g *Graphed) { g.Terms = with(g.Terms, append([]byte{1, 0, 255}, make([]byte, TermSize-3)...)) }},
		{"two fingerprints", func(g *Graphed) {
			terms := g.Terms
			g.Terms = func(add func([]byte) error) error {
				return terms(func(b []byte) error {
					if err := add(b); err != nil {
						return err
					}
					b[TermSize-1]++
					return add(b)
				})
			}
		}},
		{"is not one of the terms", func(g *Graphed) { g.Edges = with(g.Edges, bytes.Repeat([]byte{9}, EdgeSize)) }},
		{"a record of 3 bytes", func(g *Graphed) { g.Edges = with(g.Edges, []byte{1, 2, 3}) }},
		{"is not one of the terms", func(g *Graphed) { g.Symmetries = with(g.Symmetries, bytes.Repeat([]byte{9}, SymmetrySize)) }},
		{"is not a renaming", func(g *Graphed) {
			g.Terms(func(b []byte) error {
				g.Symmetries = with(g.Symmetries, append(slices.Clone(b[:CodeSize]), make([]byte, SymmetrySize-CodeSize)...))
				return nil
			})
		}},
		{"boom", func(g *Graphed) { g.Edges = func(func([]byte) error) error { return boom } }},
	} {
		opt := Options{Universe: u, Workers: 1}
		opt.Remote = &apart{t: t, opt: opt, shares: 2, rng: rand.New(rand.NewPCG(1, 1)), spoil: c.spoil}
		if _, _, err := level(context.Background(), NewSession(opt), 1, how{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	w, err := NewWorker(Options{Universe: u}, bytes.NewReader(nil))
	if err == nil {
		t.Errorf("a worker without a state: %v", w)
	}
}
