package adversary

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
)

// writer writes laws: variants of those of a pool, and terms of its own. Most
// are nearly true, so that engines claim many of them. It is not safe for
// concurrent use.
type writer struct {
	rng     *rand.Rand
	pool    []*law.Law
	mutants map[*law.Law][]mutate.Mutant
	next    int // of fresh names
}

func newWriter(pool []*law.Law, seed uint64) *writer {
	return &writer{rng: rand.New(rand.NewPCG(seed, 7)), pool: pool, mutants: map[*law.Law][]mutate.Mutant{}}
}

func pick[T any](rng *rand.Rand, xs []T) T { return xs[rng.IntN(len(xs))] }

// change is a way to make a law of another; nil where it does not apply.
type change struct {
	name   string
	weight int
	of     func(w *writer, l *law.Law) *law.Law
}

var changes = []change{
	{"mutant", 5, (*writer).mutant},
	{"operand", 3, (*writer).operand},
	{"condition dropped", 2, (*writer).dropCondition},
	{"condition altered", 3, (*writer).alterCondition},
	{"condition added", 4, (*writer).addCondition},
	{"one way", 3, (*writer).oneWay},
	{"reversed", 3, (*writer).reversed},
	{"outputs", 4, (*writer).outputs},
	{"output added", 4, (*writer).beside},
	{"size replaced", 7, (*writer).replaceSize},
	{"run replaced", 5, (*writer).replaceRun},
	{"attribute replaced", 4, (*writer).replaceAttr},
	{"attribute altered", 5, (*writer).alterAttr},
	{"in a context", 5, (*writer).inContext},
	{"zero added", 8, (*writer).addZero},
	{"tensor replaced", 6, (*writer).replaceTensor},
	{"law in a law", 4, (*writer).nest},
	{"rewritten", 8, (*writer).rewriteSide},
	{"operator alike", 4, (*writer).alike},
	{"names", 3, (*writer).rename},
	{"layout replaced", 3, (*writer).layoutReplaced},
	{"families altered", 4, (*writer).overAltered},
	{"sizes exchanged", 4, (*writer).sizesExchanged},
	{"family around", 3, (*writer).familyAround},
	{"of each member", 2, (*writer).eachOfLaw},
}

// maxOperators bounds the laws that are written.
const maxOperators = 14

// law writes one law that is well formed and typed, and says how.
func (w *writer) law() (*law.Law, string) {
	for {
		l, how := w.draft()
		if l == nil {
			continue
		}
		if l, ok := finish(l, w.rng.IntN(40) == 0); ok {
			return l, how
		}
	}
}

func (w *writer) draft() (*law.Law, string) {
	w.next = 0
	var l *law.Law
	var how string
	switch k := w.rng.IntN(100); {
	case k < 10:
		l, how = w.chain(), "reshapes"
	case k < 30:
		l, how = w.identity(), "terms"
	case k < 34:
		l, how = w.sizeFunction(), "size function"
	default:
		l = pick(w.rng, w.pool)
	}
	if l == nil {
		return nil, ""
	}
	steps := w.rng.IntN(4)
	if how == "" {
		steps++
	}
	for range steps {
		total := 0
		for _, c := range changes {
			total += c.weight
		}
		at := w.rng.IntN(total)
		for _, c := range changes {
			if at -= c.weight; at < 0 {
				if m := c.of(w, l); m != nil {
					l = m
					if how != "" {
						how += ", "
					}
					how += c.name
				}
				break
			}
		}
	}
	if how == "" {
		return nil, ""
	}
	return l, how
}

// finish makes of a draft the law that its text says; false where that is none.
// Those whose sides are ill-typed are kept where loose.
func finish(l *law.Law, loose bool) (*law.Law, bool) {
	c := *l
	c.Kind, c.Name, c.Doc, c.Cite, c.Section = law.Rule, "written", "", nil, ""
	c.Tags = nil
	if law.Size(slices.Concat(c.LHS, c.RHS)...) > 2*maxOperators || len(c.LHS) == 0 {
		return nil, false
	}
	out, err := law.ParseLaw(law.Format(&c))
	if err != nil {
		return nil, false
	}
	if law.FormatOutputs(out.LHS) == law.FormatOutputs(out.RHS) {
		return nil, false
	}
	if _, err := out.Types(); err != nil && !loose {
		return nil, false
	}
	return out, true
}

// fresh is a name that the law does not use.
func (w *writer) fresh(l *law.Law, prefix string) string {
	used := map[string]bool{}
	for _, b := range l.Given {
		used[b.Name] = true
	}
	sizes, runs := variables(l)
	for _, n := range slices.Concat(sizes, runs) {
		used[n] = true
	}
	for {
		w.next++
		if n := fmt.Sprintf("%s%d", prefix, w.next); !used[n] {
			return n
		}
	}
}

// variables lists the size variables and runs of a law, sorted.
func variables(l *law.Law) (sizes, runs []string) {
	sizes, runs = law.Variables(l)
	slices.Sort(sizes)
	slices.Sort(runs)
	return sizes, runs
}

// give adds a tensor of a shape.
func (w *writer) give(l *law.Law, s graph.Shape) *law.Term {
	name := w.fresh(l, "T")
	l.Given = append(slices.Clone(l.Given), law.Declaration{Name: name, Shape: s})
	return law.V(name)
}

// app is an application; attributes that are not named take their default.
func app(op string, named map[string]graph.Value, args ...*law.Term) *law.Term {
	o, ok := graph.Lookup(op)
	if !ok {
		return nil
	}
	a, err := o.Attr(named)
	if err != nil {
		return nil
	}
	return law.Apply(o, a, args...)
}

func axisAttr(s graph.Shape, i int) graph.Value { return graph.DimValue(s.AxisOf(i)) }

// plainAxes are the places of a shape's single axes.
func plainAxes(s graph.Shape) []int {
	var out []int
	for i, it := range s {
		if it.AxisRun == "" {
			out = append(out, i)
		}
	}
	return out
}

func slice(x *law.Term, s graph.Shape, i int, lo, hi graph.Dim) *law.Term {
	return app("slice", map[string]graph.Value{"axis": axisAttr(s, i), "lo": graph.DimValue(lo), "hi": graph.DimValue(hi)}, x)
}

func concat(s graph.Shape, i int, x, y *law.Term) *law.Term {
	return app("concat", map[string]graph.Value{"axis": axisAttr(s, i)}, x, y)
}

func reshape(x *law.Term, s graph.Shape) *law.Term {
	return app("reshape", map[string]graph.Value{"shape": graph.ShapeValue(s)}, x)
}

func broadcast(x *law.Term, s graph.Shape) *law.Term {
	return app("broadcast", map[string]graph.Value{"shape": graph.ShapeValue(s)}, x)
}

// Laws writes n laws that look true, made of the axioms and lemmas; they are the same
// for a seed.
func Laws(seed uint64, n int) []*law.Law {
	w := newWriter(slices.Concat(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)), seed)
	out := make([]*law.Law, n)
	for i := range out {
		out[i], _ = w.law()
	}
	return out
}
