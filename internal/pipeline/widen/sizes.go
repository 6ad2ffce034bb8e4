package widen

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// mapDims is a law with every size replaced: axes of shapes, and attributes that are sizes or shapes.
// only, if not "", names the one declaration that is changed; terms are then left alone.
func mapDims(l *law.Law, only string, f func(graph.Dim) graph.Dim, shape func(graph.Shape) graph.Shape) *law.Law {
	if shape == nil {
		shape = func(s graph.Shape) graph.Shape {
			out := slices.Clone(s)
			for i := range out {
				if out[i].AxisRun == "" {
					out[i].Dim = f(out[i].Dim)
				}
			}
			return out
		}
	}
	m := rewrite(l, func(_, u *law.Term) *law.Term {
		if u.Op == nil || only != "" {
			return u
		}
		w := *u
		w.Attrs = slices.Clone(u.Attrs)
		for i, v := range u.Attrs {
			if d, ok := v.Dim(); ok {
				w.Attrs[i] = graph.DimValue(f(d))
			} else if s, ok := v.Shape(); ok {
				w.Attrs[i] = graph.ShapeValue(shape(s))
			}
		}
		return &w
	})
	for i, d := range m.Given {
		if d.Sort == "" && (only == "" || only == d.Name) {
			m.Given[i].Shape = shape(d.Shape)
		}
	}
	return m
}

// dims lists the sizes in shapes, each once.
func dims(l *law.Law) []graph.Dim {
	var out []graph.Dim
	mapDims(l, "", func(d graph.Dim) graph.Dim { return d }, func(s graph.Shape) graph.Shape {
		for _, it := range s {
			if it.AxisRun == "" && !slices.Contains(out, it.Dim) {
				out = append(out, it.Dim)
			}
		}
		return s
	})
	return out
}

// untied gives one tensor a size of its own where it shares one with others.
func untied(l *law.Law) []*law.Law {
	var out []*law.Law
	for _, size := range dims(l) {
		if _, ok := size.IsVar(); !ok {
			continue
		}
		for _, d := range l.Given {
			if !slices.ContainsFunc(d.Shape, func(it graph.Item) bool { return it.AxisRun == "" && it.Dim == size }) {
				continue
			}
			own := graph.Var(fresh(l, "n"))
			out = append(out, mapDims(l, d.Name, func(x graph.Dim) graph.Dim {
				if x == size {
					return own
				}
				return x
			}, nil))
		}
	}
	return out
}

// products replaces a size that is a product, as of output channels by the number of groups, by one
// variable.
func products(l *law.Law) []*law.Law {
	var out []*law.Law
	for _, size := range dims(l) {
		if _, ok := size.IsVar(); ok {
			continue
		}
		if _, ok := size.Const(); ok {
			continue
		}
		one := graph.Var(fresh(l, "n"))
		out = append(out, mapDims(l, "", func(x graph.Dim) graph.Dim {
			if x == size {
				return one
			}
			return x
		}, nil))
	}
	return out
}

// numbers replaces a number of at least 2 in shapes and attributes by a variable: everywhere, or in
// one attribute.
func numbers(l *law.Law) []*law.Law {
	var all []int64
	note := func(d graph.Dim) graph.Dim {
		if n, ok := d.Const(); ok && n >= 2 && !slices.Contains(all, n) {
			all = append(all, n)
		}
		return d
	}
	mapDims(l, "", note, nil)
	var out []*law.Law
	for _, n := range all {
		v := graph.Var(fresh(l, "n"))
		out = append(out, mapDims(l, "", func(d graph.Dim) graph.Dim { return withoutNumber(d, n, v) }, nil))
	}
	for _, op := range operatorsOf(l) {
		for k, p := range op.Params {
			if p.Sort != "int" {
				continue
			}
			var seen []graph.Dim
			l.EachTerm(func(u *law.Term) {
				if u.Op != op {
					return
				}
				d, ok := u.Attrs[k].Dim()
				if n, isConst := d.Const(); !ok || !isConst || n < 1 || slices.Contains(seen, d) {
					return
				}
				seen = append(seen, d)
				out = append(out, rewrite(l, func(old, w *law.Term) *law.Term {
					if old.Op != op || old.Attrs[k] != u.Attrs[k] {
						return w
					}
					n := graph.Var(fresh(l, "n"))
					if p.Name == "lo" {
						n = n.Sub(graph.Int(1))
					}
					return setAttr(w, k, graph.DimValue(n))
				}))
			})
		}
	}
	return out
}

// groups lets the convolutions of one group have any number of groups, each of as many channels as
// the image had: all the same number, or each its own. Then those of as many groups as there are
// convolutions of one group have the sum.
func groups(l *law.Law) []*law.Law {
	var out []*law.Law
	for _, several := range []bool{false, true} {
		if m := grouped(l, several); m != nil {
			out = append(out, m)
		}
	}
	return out
}

func grouped(l *law.Law, several bool) *law.Law {
	number := map[string]graph.Dim{} // by application
	channels := map[string]graph.Dim{}
	outputs := map[string]graph.Dim{}
	sum := graph.Int(0)
	isConv := func(u *law.Term) bool { return u.Op != nil && base(u.Op) == "conv2d" }
	for _, name := range []string{"g", "k", "u", "v"} {
		g := graph.Var(fresh(l, name))
		found := false
		l.EachTerm(func(u *law.Term) {
			if !isConv(u) || u.Attrs[u.Op.ParamIndex("groups")] != graph.IntValue(1) || found && several || number[u.String()] != (graph.Dim{}) {
				return
			}
			found = true
			number[u.String()] = g
			u.Args[0].Walk(func(v *law.Term) {
				if v.IsVar() {
					channels[v.Var] = g
				}
			})
			if w := u.Args[1]; several && w.IsVar() {
				outputs[w.Var] = g
			}
		})
		if found {
			sum = sum.Add(g)
		}
	}
	n := len(number)
	if n == 0 || several && n < 2 {
		return nil
	}
	m := rewrite(l, func(old, u *law.Term) *law.Term {
		if !isConv(old) {
			return u
		}
		k := u.Op.ParamIndex("groups")
		if g := number[old.String()]; g != (graph.Dim{}) {
			return setAttr(u, k, graph.DimValue(g))
		}
		if several && u.Attrs[k] == graph.IntValue(n) {
			return setAttr(u, k, graph.DimValue(sum))
		}
		return u
	})
	for i, d := range m.Given {
		n := len(d.Shape)
		if n < 4 || d.Shape.HasAxisRun() {
			continue
		}
		m.Given[i].Shape = slices.Clone(d.Shape)
		if g := channels[d.Name]; g != (graph.Dim{}) {
			m.Given[i].Shape[n-3].Dim = g.Mul(d.Shape[n-3].Dim)
		}
		if g := outputs[d.Name]; g != (graph.Dim{}) {
			m.Given[i].Shape[n-4].Dim = g.Mul(d.Shape[n-4].Dim)
		}
	}
	return m
}

// isOdd reports whether a condition says that a size is odd.
func isOdd(p law.Pred) bool {
	return p.Mod != nil && *p.Mod == graph.Int(2) && p.Rel == "==" && p.Right == graph.Int(1)
}

// differences replaces the conditions that sizes are odd by conditions that differences of two of
// them are even, where one of the two sizes is at most the other. The first laws have the fewest
// conditions.
func differences(l *law.Law) []*law.Law {
	var rest, pairs []law.Pred
	odd := map[graph.Dim]bool{}
	for _, p := range l.Where {
		if isOdd(p) {
			odd[p.Left] = true
		} else {
			rest = append(rest, p)
		}
	}
	for _, p := range rest {
		if p.Mod == nil && p.Rel == "<=" && odd[p.Left] && odd[p.Right] {
			pairs = append(pairs, law.Pred{Left: p.Right.Sub(p.Left), Mod: &two, Rel: "==", Right: graph.Int(0)})
		}
	}
	if len(pairs) < 2 || len(pairs) > 4 {
		return nil
	}
	var out []*law.Law
	for i, a := range pairs {
		for _, b := range pairs[i+1:] {
			m := *l
			m.Where = append(slices.Clone(rest), a, b)
			out = append(out, &m)
		}
	}
	return out
}

// withoutNumber is a size with v in the place of a number: where it is that number, or the size of a
// window over it.
func withoutNumber(d graph.Dim, n int64, v graph.Dim) graph.Dim {
	if c, ok := d.Const(); ok {
		if c == n {
			return v
		}
		return d
	}
	terms, constant := d.Terms()
	if constant != 0 || len(terms) != 1 || terms[0].Coef != 1 || len(terms[0].Atoms) != 1 || len(terms[0].Atoms[0].Args) == 0 {
		return d
	}
	a := terms[0].Atoms[0]
	args := slices.Clone(a.Args)
	for i := range args[:min(2, len(args))] { // the size and the window
		if x, ok := args[i].Dim(); ok {
			args[i] = graph.DimValue(withoutNumber(x, n, v))
		}
	}
	return graph.SizeFunc(a.Name, args...)
}

// absorbed drops an axis that always stands beside the same axis run, which then stands for it too.
func absorbed(l *law.Law) []*law.Law {
	var out []*law.Law
	for _, run := range slices.Sorted(maps.Keys(l.Mentions(l.Outputs()...).Runs)) {
		for _, size := range dims(l) {
			if _, ok := size.IsVar(); !ok {
				continue
			}
			for _, behind := range []bool{false, true} {
				pair := graph.Shape{graph.Axis(size), graph.AxisRun(run)}
				if behind {
					pair[0], pair[1] = pair[1], pair[0]
				}
				length := graph.AxisRunLen(run)
				out = append(out, mapDims(l, "", func(d graph.Dim) graph.Dim {
					has := false
					d.Walk(func(a graph.Atom) { has = has || a.Kind == graph.AtomAxisRun && a.Name == run })
					if has && d != length {
						return d.Sub(graph.Int(1))
					}
					return d
				}, func(s graph.Shape) graph.Shape {
					for i := 0; i+1 < len(s); i++ {
						if s[i] == pair[0] && s[i+1] == pair[1] {
							w := append(slices.Clone(s[:i]), graph.AxisRun(run))
							return append(w, s[i+2:]...)
						}
					}
					return s
				}))
			}
		}
	}
	return out
}

// merged leaves out an axis run, which is no loss where it always stands beside another.
func merged(l *law.Law) []*law.Law {
	names := slices.Sorted(maps.Keys(l.Mentions(l.Outputs()...).Runs))
	if len(names) < 2 {
		return nil
	}
	var out []*law.Law
	for _, run := range names {
		b := &graph.Substitution{Runs: map[string]graph.Shape{run: {}}}
		out = append(out, mapDims(l, "", func(d graph.Dim) graph.Dim { return d.Subst(b) }, func(s graph.Shape) graph.Shape { return s.Subst(b) }))
	}
	return out
}

// conditioned states what holds in one direction as an equation under the condition that both sides
// are defined.
func conditioned(l *law.Law) []*law.Law {
	if !l.OneWay {
		return nil
	}
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	m := *l
	m.OneWay = false
	m.Where = slices.Clone(l.Where)
	for _, n := range slices.Concat(ty.LeftNeeds, ty.RightNeeds) {
		if n.Rel != "<=" {
			return nil
		}
		p := law.Pred{Left: n.Left, Rel: n.Rel, Right: n.Right}
		if !slices.ContainsFunc(m.Where, func(q law.Pred) bool { return q.String() == p.String() }) {
			m.Where = append(m.Where, p)
		}
	}
	return []*law.Law{&m}
}
