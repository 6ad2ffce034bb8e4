package widen

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// mostTransposes bounds the transposes of a law whose permutations become variables.
const mostTransposes = 3

// permutations replaces the permutations of all transposes by a variable, its inverse, a second
// variable, or both one after the other. Tensors get any number of axes, around one axis that
// concats and slices name.
func permutations(l *law.Law) []*law.Law {
	var trans, named []string // applications, by text
	rank := 0
	ok := true
	one := func(list []string, s string) []string {
		for _, t := range list {
			if t == s {
				return list
			}
		}
		return append(list, s)
	}
	l.EachTerm(func(u *law.Term) {
		switch {
		case u.Op == nil, u.Op.Pointwise, u.Op.Elementwise, u.Op.Name == "smul":
		case u.Op.Name == "transpose", u.Op.Name == "each_transpose":
			p, isTuple := u.Attrs[u.Op.ParamIndex("perm")].Tuple()
			if ok = ok && isTuple; ok {
				rank = len(p)
			}
			trans = one(trans, u.AppString())
		case u.Op.Name == "concat", u.Op.Name == "slice", u.Op.Name == "softmax", u.Op.Name == "partition", u.Op.Name == "combine":
			named = one(named, u.AppString())
		case u.Op.Name == "replicate", u.Op.Name == "reduce":
		default:
			ok = false
		}
	})
	if !ok || len(trans) == 0 || len(trans) > mostTransposes || len(named) > 2 {
		return nil
	}
	// The axis that is named, counted in the variables.
	for _, d := range l.Given {
		if d.Sort != "" || len(d.Shape) == 0 {
			continue
		}
		if n := len(d.Shape); n != rank && n != rank+1 || d.Shape.HasAxisRun() {
			return nil
		}
	}
	q, p := graph.VarValue(fresh(l, "q"), graph.SortPerm), graph.VarValue(fresh(l, "p"), graph.SortPerm)
	inverse, _ := graph.PermInverse(q)
	after, _ := graph.PermAfter(q, p)
	choices := []graph.Value{q, inverse, p, after}
	var out []*law.Law
	places := 1
	if len(named) > 0 {
		places = rank
	}
	for place := range places {
		var around func(s graph.Shape) graph.Shape
		around = func(s graph.Shape) graph.Shape {
			if len(s) == 0 {
				return s
			}
			if len(s) > rank { // members of a family
				return append(graph.Shape{s[0]}, around(s[1:])...)
			}
			if len(named) == 0 {
				return graph.Shape{graph.AxisRun("S")}
			}
			return graph.Shape{graph.AxisRun("A"), s[place], graph.AxisRun("B")}
		}
		at := []graph.Value{}
		if len(named) > 0 {
			here := graph.DimValue(graph.AxisRunLen("A"))
			moved, okm := graph.PermAt(inverse, here)
			back, okb := graph.PermAt(q, here)
			if !okm || !okb {
				return out
			}
			at = []graph.Value{here, moved, back}
		}
		for n := range power(len(choices), len(trans)-1) {
			perms := map[string]graph.Value{}
			for i, t := range trans {
				if i == 0 {
					perms[t] = q
					continue
				}
				perms[t], n = choices[n%len(choices)], n/len(choices)
			}
			for m := range power(len(at), len(named)) {
				axes := map[string]graph.Value{}
				for _, t := range named {
					axes[t], m = at[m%len(at)], m/len(at)
				}
				w := rewrite(l, func(old, u *law.Term) *law.Term {
					if old.Op == nil {
						return u
					}
					if v, ok := perms[old.AppString()]; ok {
						return setAttr(u, u.Op.ParamIndex("perm"), v)
					}
					if v, ok := axes[old.AppString()]; ok {
						return setAttr(u, 0, v)
					}
					return u
				})
				for i := range w.Given {
					if w.Given[i].Sort == "" {
						w.Given[i].Shape = around(w.Given[i].Shape)
					}
				}
				have := law.MentionsOf(w.Outputs()...)
				for _, v := range []graph.Value{q, p} {
					if name, _, _ := v.Var(); have.Names[name] {
						w.Given = append(w.Given, law.Declaration{Name: name, Sort: graph.SortPerm})
					}
				}
				out = append(out, w)
			}
		}
	}
	return out
}

// power is how many lists of n things there are; 1 of no things in 0 places.
func power(n, places int) int {
	p := 1
	for range places {
		p *= n
	}
	return p
}
