package meaning

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Answer is one answer of a proof: what was asked, and the numbers that say it.
type Answer struct {
	Kind    string // "question", "place", "digits", "cover", "frame", "step", "try", "split"
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
	case t.wrong != nil:
		return t.log, fmt.Errorf("accepted, and wrong: %w", t.wrong)
	}
	return t.log, nil
}

type tracer struct {
	*reader
	log   []Answer
	wrong error // of a step, by other arithmetic
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

func (t *tracer) Frame(b *Engine, reps []Term, u Term) (int, []int) {
	from := t.at
	at, order := t.reader.Frame(b, reps, u)
	if len(reps) > 0 {
		t.note("frame", from)
	}
	return at, order
}

func (t *tracer) Step(b *Engine, v *Values) (Step, bool) {
	from := t.at
	s, ok := t.reader.Step(b, v)
	t.note("step", from)
	if ok && t.wrong == nil {
		t.wrong = stepHolds(v, s, rand.New(rand.NewPCG(uint64(from), 1)))
	}
	return s, ok
}

// stepHolds is a second check of a step, by other arithmetic than that of polynomials: what
// has to be equal is equal at random values of the variables.
func stepHolds(v *Values, s Step, rng *rand.Rand) error {
	for range 3 {
		values := make([]*big.Rat, len(v.Vars))
		var variable func(i int) *big.Rat
		sum := func(p Poly) *big.Rat {
			out := new(big.Rat)
			for _, m := range p {
				x := new(big.Rat).Set(m.Num)
				for _, w := range m.Of {
					y := variable(w.Var)
					if w.Exp < 0 {
						y = new(big.Rat).Inv(y)
					}
					for range max(w.Exp, -w.Exp) {
						x.Mul(x, y)
					}
				}
				out.Add(out, x)
			}
			return out
		}
		variable = func(i int) *big.Rat {
			if values[i] == nil {
				if d := v.Vars[i].divisor; d != nil {
					values[i] = sum(d)
				} else {
					values[i] = big.NewRat(1+rng.Int64N(1000), 1+rng.Int64N(1000))
					if rng.IntN(2) == 0 {
						values[i].Neg(values[i])
					}
				}
			}
			return values[i]
		}
		switch s.Kind {
		case StepDone:
			if x := sum(v.Sum); x.Sign() != 0 {
				return fmt.Errorf("the sum is %s", x)
			}
		case StepDrop:
			if s.Times <= 0 || s.Max < 0 || s.Max >= len(v.Vars) || min(s.I, s.J) < 0 || max(s.I, s.J) >= len(v.Vars[s.Max].Pieces) {
				return errors.New("what is not there is dropped")
			}
			ps := v.Vars[s.Max].Pieces
			left := new(big.Rat).Mul(big.NewRat(s.Times, 1), new(big.Rat).Sub(sum(ps[s.I]), sum(ps[s.J])))
			for _, c := range s.Combination {
				x := big.NewRat(c.Times, 1)
				if c.Times < 0 {
					return errors.New("a product is negative")
				}
				for _, n := range c.Of {
					switch {
					case n >= int64(len(v.Known)) || n < -3*int64(len(v.Vars)):
						return errors.New("nothing is known by this number")
					case n >= 0:
						x.Mul(x, sum(v.Known[n]))
					case (-1-n)%3 == 0:
						if !v.Vars[(-1-n)/3].Positive {
							return errors.New("a variable may be negative")
						}
						x.Mul(x, variable(int((-1-n)/3)))
					default:
						y := variable(int((-1 - n) / 3))
						if y = new(big.Rat).Mul(y, y); (-1-n)%3 == 2 {
							y.Inv(y)
						}
						x.Mul(x, y)
					}
				}
				left.Sub(left, x)
			}
			if left.Sign() != 0 {
				return fmt.Errorf("a combination is wrong by %s", left)
			}
		}
	}
	return nil
}
