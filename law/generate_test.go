package law_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"pgregory.net/rapid"
)

// drawer makes laws that are well formed but need not have a type: the text
// and its canonical form do not ask for one.
type drawer struct {
	t *rapid.T
	n int
}

func (d *drawer) int(lo, hi int) int {
	d.n++
	return rapid.IntRange(lo, hi).Draw(d.t, fmt.Sprintf("n%d", d.n))
}

func pick[T any](d *drawer, xs ...T) T { return xs[d.int(0, len(xs)-1)] }

func (d *drawer) dim() graph.Dim {
	v := func() graph.Dim {
		switch d.int(0, 5) {
		case 0:
			return graph.AxisRunLen("P")
		case 1:
			return graph.WindowOut(graph.Var(pick(d, "a", "b")), graph.Int(2), graph.VarValue("st", graph.SortStride), graph.VarValue("pd", graph.SortPadding), d.int(0, 1))
		}
		return graph.Var(pick(d, "a", "b", "c"))
	}
	switch d.int(0, 4) {
	case 0:
		return graph.Int(int64(d.int(0, 3)))
	case 1:
		return v().Add(graph.Int(int64(d.int(-2, 2))))
	case 2:
		return v().Mul(v()).Sub(v().Scale(int64(d.int(-2, 2))))
	}
	return v()
}

func (d *drawer) shape() graph.Shape {
	s := graph.Shape{}
	for i := d.int(0, 3); i > 0; i-- {
		if d.int(0, 3) == 0 {
			s = append(s, graph.AxisRun(pick(d, "P", "Q")))
		} else {
			s = append(s, graph.Axis(d.dim()))
		}
	}
	return s
}

func (d *drawer) value(sort string) graph.Value {
	switch sort {
	case graph.SortStride:
		return pick(d, graph.VarValue("st", sort), graph.TupleValue(int64(d.int(1, 3)), 2))
	case graph.SortPadding:
		return pick(d, graph.VarValue("pd", sort), graph.VarValue("sm", graph.SortSame), graph.NameValue(graph.Valid), graph.TupleValue(0, 1, int64(d.int(0, 2)), 0))
	case graph.SortAct:
		return pick(d, graph.VarValue("ac", sort), graph.NameValue("none"), graph.NameValue("relu"))
	case graph.SortBorder:
		return pick(d, graph.VarValue("bo", sort), graph.NameValue("counted"), graph.NameValue("excluded"))
	case "perm":
		return pick(d, graph.TupleValue(1, 0), graph.TupleValue(2, 0, 1))
	case "shape":
		return graph.ShapeValue(d.shape())
	case "flag":
		return graph.IntValue(int64(d.int(0, 1)))
	case "tuple":
		return pick(d, graph.TupleValue(1, 0), graph.TupleValue(2))
	case graph.SortNumber:
		return pick(d, graph.VarValue("nu", sort), graph.NumberValue(0.1), graph.NumberValue(-1e-9), graph.NumberValue(3))
	case graph.SortDType:
		return pick(d, graph.NameValue("float32"), graph.NameValue("int64"))
	case "name":
		return pick(d, graph.NameValue("nearest_floor"), graph.NameValue("linear_half_pixel"))
	}
	return graph.DimValue(d.dim())
}

func (d *drawer) term(depth int) *law.Term {
	switch k := d.int(0, 7); {
	case depth == 0 || k == 0:
		return law.V(pick(d, "X", "Y", "Z"))
	case k == 1:
		return law.Call(pick(d, "f", "g"), d.term(depth-1))
	}
	op := pick(d, slices.Concat(graph.Ops(), graph.Lifted())...)
	attrs := make(graph.Attrs, len(op.Params))
	for i, p := range op.Params {
		attrs[i] = d.value(p.Sort)
	}
	args := make([]*law.Term, op.In)
	for i := range args {
		args[i] = d.term(depth - 1)
	}
	t := law.Apply(op, attrs, args...)
	if op.Out > 1 {
		t = t.Output(d.int(0, op.Out-1))
	}
	return t
}

// drawLaw makes a law over tensors X, Y, Z, sizes a, b, c and runs P, Q.
func drawLaw(t *rapid.T) *law.Law {
	d := &drawer{t: t}
	l := &law.Law{Kind: pick(d, law.Axiom, law.Lemma, law.Rule, law.Refute), Name: "drawn", OneWay: d.int(0, 3) == 0}
	for _, g := range [][2]string{{"st", graph.SortStride}, {"pd", graph.SortPadding}, {"sm", graph.SortSame},
		{"ac", graph.SortAct}, {"bo", graph.SortBorder}, {"nu", graph.SortNumber}, {"f", law.SortPointwise1}, {"g", law.SortZero1}} {
		l.Given = append(l.Given, law.Declaration{Name: g[0], Sort: g[1]})
	}
	for _, x := range []string{"X", "Y", "Z"} {
		l.Given = append(l.Given, law.Declaration{Name: x, Shape: d.shape()})
	}
	for i := d.int(0, 2); i > 0; i-- {
		p := law.Pred{Left: d.dim(), Rel: pick(d, "==", "!=", "<", "<=", ">", ">="), Right: d.dim()}
		if d.int(0, 1) == 0 {
			m := d.dim()
			p.Mod = &m
		}
		l.Where = append(l.Where, p)
	}
	for i := d.int(1, 2); i > 0; i-- {
		l.LHS = append(l.LHS, d.term(2))
		l.RHS = append(l.RHS, d.term(2))
	}
	if d.int(0, 2) == 0 {
		l.Tags = []string{law.TagOrdered}
		l.Cite = []string{"taso19"}
		l.Doc = "One line.\n\nAnother: # not a mark."
	}
	return l
}

// disguise says the same as l in another way: other names, other order of
// bindings and conditions, exchanged commutative operands, and, where the law
// is used both ways, exchanged sides.
func disguise(t *rapid.T, l *law.Law) *law.Law {
	d := &drawer{t: t}
	sizes, runs := sizesAndRuns(l)
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for i, k := range d.order(len(sizes)) {
		b.Dims[sizes[i]] = graph.Var(fmt.Sprintf("z%d", k))
	}
	for i, k := range d.order(len(runs)) {
		b.Runs[runs[i]] = graph.Shape{graph.AxisRun(fmt.Sprintf("R%d", k))}
	}
	tensors, fns := map[string]*law.Term{}, map[string]string{}
	m := *l
	m.Given, m.Where = nil, nil
	for i, k := range d.order(len(l.Given)) {
		g := l.Given[i]
		switch {
		case g.Sort == "":
			tensors[g.Name] = law.V(fmt.Sprintf("T%d", k))
		case law.IsFuncSort(g.Sort):
			fns[g.Name] = fmt.Sprintf("fn%d", k)
		default:
			b.Attrs[g.Name] = graph.VarValue(fmt.Sprintf("at%d", k), g.Sort)
		}
	}
	for _, i := range d.order(len(l.Given)) {
		g := l.Given[i]
		switch {
		case g.Sort == "":
			g.Name, g.Shape = tensors[g.Name].Var, g.Shape.Subst(b)
		case law.IsFuncSort(g.Sort):
			g.Name = fns[g.Name]
		default:
			g.Name, _, _ = b.Attrs[g.Name].Var()
		}
		m.Given = append(m.Given, g)
	}
	for _, i := range d.order(len(l.Where)) {
		p := l.Where[i]
		p.Left, p.Right = p.Left.Subst(b), p.Right.Subst(b)
		if p.Mod != nil {
			n := p.Mod.Subst(b)
			p.Mod = &n
		}
		m.Where = append(m.Where, p)
	}
	flip := map[string]bool{}
	side := func(ts []*law.Term) []*law.Term {
		out := make([]*law.Term, len(ts))
		for i, t := range ts {
			out[i] = t.Rewrite(func(u *law.Term) *law.Term {
				if u.Op == nil || !u.Op.Commutative {
					return u
				}
				key := u.String()
				if _, ok := flip[key]; !ok {
					flip[key] = d.int(0, 1) == 1
				}
				if flip[key] {
					u.Args = []*law.Term{u.Args[1], u.Args[0]}
				}
				return u
			}).Subst(tensors, fns, b)
		}
		return out
	}
	m.LHS, m.RHS = side(l.LHS), side(l.RHS)
	if !l.OneWay && d.int(0, 1) == 1 {
		m.LHS, m.RHS = m.RHS, m.LHS
	}
	return &m
}

func (d *drawer) order(n int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := d.int(0, i)
		xs[i], xs[j] = xs[j], xs[i]
	}
	return xs
}

func sizesAndRuns(l *law.Law) (sizes, runs []string) {
	s, r := map[string]bool{}, map[string]bool{}
	see := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			s[a.Name] = true
		case graph.AtomAxisRun:
			r[a.Name] = true
		}
	}
	for _, g := range l.Given {
		g.Shape.Walk(see)
	}
	for _, p := range l.Where {
		p.Left.Walk(see)
		p.Right.Walk(see)
		if p.Mod != nil {
			p.Mod.Walk(see)
		}
	}
	for _, t := range append(append([]*law.Term{}, l.LHS...), l.RHS...) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(see)
			}
		})
	}
	for k := range s {
		sizes = append(sizes, k)
	}
	for k := range r {
		runs = append(runs, k)
	}
	sort.Strings(sizes)
	sort.Strings(runs)
	return sizes, runs
}

// What is formatted reads back as the same text and the same law.
func TestRoundTrip(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, l *law.Law) {
		text := law.Format(l)
		m, err := law.ParseLaw(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := law.Format(m); got != text {
			t.Fatalf("read back as\n%s\nwant\n%s", got, text)
		}
		if m.Kind != l.Kind || m.Name != l.Name || m.Doc != l.Doc || m.OneWay != l.OneWay || len(m.Given) != len(l.Given) || len(m.LHS) != len(l.LHS) {
			t.Fatalf("read back as another law:\n%s", text)
		}
		for i, p := range l.Where {
			q := m.Where[i]
			if p.Left != q.Left || p.Right != q.Right || p.Rel != q.Rel || (p.Mod == nil) != (q.Mod == nil) || p.Mod != nil && *p.Mod != *q.Mod {
				t.Fatalf("condition %s read back as %s", p, q)
			}
		}
		for i, g := range l.Given {
			if h := m.Given[i]; g.Name != h.Name || g.Sort != h.Sort || !g.Shape.Equal(h.Shape) {
				t.Fatalf("binding %v read back as %v", g, h)
			}
		}
	}
	for _, l := range axioms.Default() {
		check(t, l)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, drawLaw(t)) })
}

// All laws at once survive too, sections included.
func TestFormatAll(t *testing.T) {
	all := axioms.Default()
	back, err := law.Parse("all", []byte(law.FormatAll(all)))
	if err != nil {
		t.Fatal(err)
	}
	if len(back) != len(all) {
		t.Fatalf("%d laws, want %d", len(back), len(all))
	}
	for i := range all {
		if back[i].Section != all[i].Section || law.Format(back[i]) != law.Format(all[i]) {
			t.Errorf("law %d read back as\n%s", i, law.Format(back[i]))
		}
	}
}
