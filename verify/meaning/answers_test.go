package meaning

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Answer is one answer of a proof: what was asked, and the numbers that say it.
type Answer struct {
	Kind    string // "question", "place", "digits", "cover", "try", "split"
	At      int    // of the first number
	Numbers []int64
}

func (a Answer) String() string { return fmt.Sprintf("%s at %d: %v", a.Kind, a.At, a.Numbers) }

// Answers reads a proof and lists its answers in the order in which they were asked
// for; of a choice that contains others, its own numbers only. Refutations are read
// twice, by refutes too. The error is that of Check, or what is wrong with one.
func Answers(l *law.Law, proof []int64) ([]Answer, error) {
	t := &tracer{reader: &reader{in: proof}}
	c, err := Run(l, t)
	switch {
	case t.err != nil:
		return t.log, t.err
	case err != nil:
		return t.log, err
	case t.at < len(t.in):
		return t.log, fmt.Errorf("%d numbers are left over", len(t.in)-t.at)
	case !c.Shows(l):
		return t.log, fmt.Errorf("the proof does not show what the law says")
	}
	return t.log, nil
}

type tracer struct {
	*reader
	log []Answer
}

func (t *tracer) note(kind string, from int) {
	t.log = append(t.log, Answer{kind, from, slices.Clone(t.in[from:min(t.at, len(t.in))])})
}

func (t *tracer) Impossible(b *Engine, gs []graph.Guard) bool {
	from := t.at
	yes := t.reader.Impossible(b, gs)
	t.note("question", from)
	if yes {
		rest, err := refutes(b, gs, t.in[from+1:t.at])
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d numbers are left over", len(rest))
		}
		if err != nil {
			t.fail("accepted, and no refutation: %v", err)
		}
	}
	return yes
}

func (t *tracer) Digits(b *Engine, over []graph.Sym, here, there NF) (int, graph.Dim, bool) {
	from := t.at
	at, n, ok := t.reader.Digits(b, over, here, there)
	t.note("digits", from)
	return at, n, ok
}

// refutes is a second reader of refutations, which shares no arithmetic with the
// first: rows are maps of big integers. It returns what comes behind one.
func refutes(b *Engine, rows []graph.Guard, in []int64) (rest []int64, err error) {
	for {
		if len(in) < 2 {
			return nil, errors.New("it ends")
		}
		kind := in[0]
		in = in[1:]
		var c Clause
		switch kind {
		case Derive:
			sum, zero := map[graph.Sym]*big.Int{}, new(big.Int)
			n := in[0]
			in = in[1:]
			for ; n > 0; n-- {
				g, k := graph.Guard{}, in[1]
				if in[0] >= 0 {
					g = rows[in[0]]
				} else if c, err := b.Literals(in[0]); err != nil || len(c) != 1 {
					return nil, fmt.Errorf("row %d: %v", in[0], err)
				} else {
					g = c[0]
				}
				if k <= 0 && !g.Eq {
					return nil, fmt.Errorf("an inequality times %d", k)
				}
				for i := range g.E.Len() {
					v, c := g.E.Term(i)
					if sum[v] == nil {
						sum[v] = new(big.Int)
					}
					sum[v].Add(sum[v], new(big.Int).Mul(big.NewInt(c), big.NewInt(k)))
				}
				zero.Add(zero, new(big.Int).Mul(big.NewInt(g.E.Constant()), big.NewInt(k)))
				in = in[2:]
			}
			div := new(big.Int)
			for _, c := range sum {
				div.GCD(nil, nil, div, new(big.Int).Abs(c))
			}
			if div.Sign() == 0 {
				if zero.Sign() >= 0 {
					return nil, fmt.Errorf("the sum is %s", zero)
				}
				return in, nil
			}
			e := graph.IndexInt(new(big.Int).Div(zero, div).Int64()) // rounds down: div > 0
			for _, v := range slices.Sorted(maps.Keys(sum)) {
				e = e.AddScaled(v.Index(), new(big.Int).Quo(sum[v], div).Int64())
			}
			rows = append(slices.Clone(rows), graph.Guard{E: e})
			continue
		case Branch:
			c, err = b.Literals(in[0])
			in = in[1:]
		case Same:
			c, err = b.Congruence(graph.Sym(in[0]), graph.Sym(in[1]))
			in = in[2:]
		case Cut:
			e, n := graph.Index{}, in[0]
			in = in[1:]
			for ; n > 0; n-- {
				e = e.Add(graph.Sym(in[0]).Index().Scale(in[1]))
				in = in[2:]
			}
			e = e.AddInt(in[0])
			in = in[1:]
			c = Clause{{E: e}, {E: graph.IndexInt(-1).Sub(e)}}
		default:
			return nil, fmt.Errorf("step %d", kind)
		}
		if err != nil {
			return nil, err
		}
		for _, g := range c {
			if in, err = refutes(b, append(slices.Clone(rows), g), in); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

func (t *tracer) Place(b *Engine, ctx []graph.Guard, groups []*Group, u Term, try func(Placing) bool) bool {
	from, noted := t.at, false
	ok := t.reader.Place(b, ctx, groups, u, func(p Placing) bool {
		noted = true
		t.note("place", from)
		return try(p)
	})
	if !noted {
		t.note("place", from)
	}
	return ok
}

func (t *tracer) Cover(b *Engine, p, q Piece, try func(Covering) bool) bool {
	from, noted := t.at, false
	ok := t.reader.Cover(b, p, q, func(c Covering) bool {
		noted = true
		t.note("cover", from)
		return try(c)
	})
	if !noted {
		t.note("cover", from)
	}
	return ok
}

func (t *tracer) Try(e *Engine, f func() bool) bool {
	from, noted := t.at, false
	ok := t.reader.Try(e, func() bool {
		noted = true
		t.note("try", from)
		return f()
	})
	if !noted {
		t.note("try", from)
	}
	return ok
}

func (t *tracer) Split(vars, open []graph.Open) (graph.Open, int64, bool) {
	from := t.at
	defer func() { t.note("split", from) }()
	return t.reader.Split(vars, open)
}
