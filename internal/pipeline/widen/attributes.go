package widen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// sorts are the sorts of attribute variables that stand for a constant of a parameter, the most
// general first.
var sorts = map[string][]string{
	graph.SortStride:  {graph.SortStride},
	graph.SortPadding: {graph.SortPadding, graph.SortSame},
	graph.SortAct:     {graph.SortAct},
	graph.SortBorder:  {graph.SortBorder},
	graph.SortNumber:  {graph.SortNumber},
}

// attributes replaces constants of window operators by variables: first in all applications of an
// operator, to tensors or to families of shards, then in one.
func attributes(l *law.Law) []*law.Law {
	var out []*law.Law
	done := map[string]bool{}
	for _, op := range operatorsOf(l) {
		for _, param := range op.Params {
			key := base(op) + "." + param.Name
			if done[key] || sorts[param.Sort] == nil {
				continue
			}
			done[key] = true
			fits := func(u *law.Term) bool {
				if u.Op == nil || base(u.Op) != base(op) {
					return false
				}
				_, _, isVar := u.Attrs[u.Op.ParamIndex(param.Name)].Var()
				return !isVar
			}
			var at []string
			l.EachTerm(func(u *law.Term) {
				if text := u.String(); fits(u) && !slices.Contains(at, text) {
					at = append(at, text)
				}
			})
			for _, sort := range sorts[param.Sort] {
				name := fresh(l, param.Name[:1])
				if len(at) > 0 {
					all := withAttr(l, name, sort, param.Name, fits)
					out = append(out, all)
					if param.Name == "dilation" {
						out = append(out, withWindows(all, graph.VarValue(name, sort)))
					}
				}
				if len(at) < 2 {
					continue
				}
				for _, text := range at {
					out = append(out, withAttr(l, name, sort, param.Name, func(u *law.Term) bool { return fits(u) && u.String() == text }))
				}
			}
		}
	}
	return out
}

// mostSettings bounds the applications that share a setting, if some of them get a variable of their own.
const mostSettings = 5

// settings replaces a setting that several applications share, of any operators, by a variable in some
// of them. The setting is a constant or a variable.
func settings(l *law.Law) []*law.Law {
	type shared struct {
		param graph.Param
		value graph.Value
	}
	at := map[string][]string{} // applications, by parameter and value
	var list []shared
	key := func(s shared) string { return s.param.Name + "=" + s.value.String() }
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil {
			return
		}
		for i, p := range u.Op.Params {
			s := shared{p, u.Attrs[i]}
			if sorts[p.Sort] == nil {
				continue
			}
			if at[key(s)] == nil {
				list = append(list, s)
			}
			if text := u.String(); !slices.Contains(at[key(s)], text) {
				at[key(s)] = append(at[key(s)], text)
			}
		}
	})
	var out []*law.Law
	for _, s := range list {
		texts := at[key(s)]
		_, was, isVar := s.value.Var()
		if len(texts) > mostSettings {
			continue
		}
		for _, sort := range sorts[s.param.Sort] {
			name := fresh(l, s.param.Name[:1])
			for mask := 1<<len(texts) - 1; mask > 0; mask-- {
				all := mask == 1<<len(texts)-1
				if isVar && (sort != sorts[s.param.Sort][0] || mask&1 == 1 && (!all || was == sort)) {
					continue
				}
				out = append(out, withAttr(l, name, sort, s.param.Name, func(u *law.Term) bool {
					if u.Op == nil {
						return false
					}
					k := u.Op.ParamIndex(s.param.Name)
					i := slices.Index(texts, u.String())
					return k >= 0 && i >= 0 && mask>>i&1 == 1 && u.Attrs[k] == s.value
				}))
			}
		}
	}
	return out
}

// withWindows is a law with the sizes of results of convolutions, where attributes have them, for a
// dilation.
func withWindows(l *law.Law, dilation graph.Value) *law.Law {
	return eachPlace(l, func(p place) graph.Dim {
		terms, constant := p.size.Terms()
		if !p.attr || constant != 0 || len(terms) != 1 || terms[0].Coef != 1 || len(terms[0].Atoms) != 1 {
			return p.size
		}
		a := terms[0].Atoms[0]
		if a.Name != "window" || len(a.Args) != 5 {
			return p.size
		}
		args := slices.Clone(a.Args)
		k, _ := args[1].Dim()
		step := graph.SizeFunc("step", dilation, args[4])
		args[1] = graph.DimValue(k.Mul(step).Sub(step).Add(graph.Int(1)))
		return graph.SizeFunc(a.Name, args...)
	})
}

// base is the name of an operator, or of the one that it applies to each shard.
func base(op *graph.Op) string { return strings.TrimPrefix(op.Name, graph.EachPrefix) }

// withAttr is a law with a variable as a parameter of the applications that change selects.
func withAttr(l *law.Law, name, sort, param string, change func(*law.Term) bool) *law.Law {
	v := graph.VarValue(name, sort)
	m := rewrite(l, func(old, u *law.Term) *law.Term {
		if !change(old) {
			return u
		}
		return setAttr(u, u.Op.ParamIndex(param), v)
	})
	m.Given = append([]law.Declaration{{Name: name, Sort: sort}}, m.Given...)
	return m
}

func setAttr(u *law.Term, k int, v graph.Value) *law.Term {
	w := *u
	w.Attrs = slices.Clone(u.Attrs)
	w.Attrs[k] = v
	return &w
}

// rewrite is a law with its terms rebuilt from the operands up: f gets an application and the same
// with rebuilt operands.
func rewrite(l *law.Law, f func(old, u *law.Term) *law.Term) *law.Law {
	memo := map[*law.Term]*law.Term{}
	var build func(t *law.Term) *law.Term
	build = func(t *law.Term) *law.Term {
		if t.IsVar() {
			return t
		}
		if r := memo[t]; r != nil {
			return r
		}
		u := *t
		u.Args = make([]*law.Term, len(t.Args))
		for i, a := range t.Args {
			u.Args[i] = build(a)
		}
		memo[t] = f(t, &u)
		return memo[t]
	}
	m := *l
	m.LHS, m.RHS = nil, nil
	for _, t := range l.LHS {
		m.LHS = append(m.LHS, build(t))
	}
	for _, t := range l.RHS {
		m.RHS = append(m.RHS, build(t))
	}
	m.Given = slices.Clone(l.Given)
	return &m
}

func operatorsOf(l *law.Law) (ops []*graph.Op) {
	l.EachTerm(func(u *law.Term) {
		if u.Op != nil && !slices.Contains(ops, u.Op) {
			ops = append(ops, u.Op)
		}
	})
	return ops
}

// fresh is a name for a variable or an axis run that a law does not have.
func fresh(l *law.Law, stem string) string {
	used := l.Mentions(l.Outputs()...)
	taken := func(name string) bool {
		if used.Names[name] || used.Sizes[name] || used.Runs[name] {
			return true
		}
		_, ok := l.Find(name)
		return ok
	}
	if !taken(stem) {
		return stem
	}
	for i := 1; ; i++ {
		if name := stem + strconv.Itoa(i); !taken(name) {
			return name
		}
	}
}

// bounds lets the slices of a law that begin at 0 begin anywhere, and end anywhere where the end
// is a number. Where the end is a variable, it is also tried as the size of the slice, which other
// sizes of the law depend on.
func bounds(l *law.Law) []*law.Law {
	picked := map[string]bool{}
	var lo, hi graph.Value
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil {
			return
		}
		k := u.Op.ParamIndex("lo")
		if k < 0 || base(u.Op) != "slice" || len(picked) > 0 && (u.Attrs[k] != lo || u.Attrs[k+1] != hi) {
			return
		}
		if d, ok := u.Attrs[k].Dim(); !ok || d != graph.Int(0) {
			return
		}
		lo, hi = u.Attrs[k], u.Attrs[k+1]
		picked[u.AppString()] = true
	})
	if len(picked) == 0 {
		return nil
	}
	first := graph.Var(fresh(l, "i")).Sub(graph.Int(1))
	end, _ := hi.Dim()
	if end.TooLarge() {
		return nil
	}
	moved := func(from *law.Law, end graph.Dim) *law.Law {
		return rewrite(from, func(old, u *law.Term) *law.Term {
			if old.Op == nil || !picked[old.AppString()] {
				return u
			}
			k := u.Op.ParamIndex("lo")
			return setAttr(setAttr(u, k, graph.DimValue(first)), k+1, graph.DimValue(end))
		})
	}
	j := graph.Var(fresh(l, "j"))
	if _, ok := end.Const(); ok {
		return []*law.Law{moved(l, j)}
	}
	out := []*law.Law{moved(l, end)}
	name, ok := end.IsVar()
	if !ok {
		return out
	}
	// The end becomes j, and the size of the slice, where other terms have it, j minus the begin.
	size := &graph.Substitution{Dims: map[string]graph.Dim{name: j.Sub(first)}}
	shape := func(s graph.Shape) graph.Shape { return s.Subst(size) }
	m := mapDims(moved(l, j), "", func(d graph.Dim) graph.Dim { return d.Subst(size) }, shape)
	m.Where = nil
	last := &graph.Substitution{Dims: map[string]graph.Dim{name: j}}
	for _, p := range l.Where {
		p.Left, p.Right = p.Left.Subst(last), p.Right.Subst(last)
		m.Where = append(m.Where, p)
	}
	return append(out, m)
}
