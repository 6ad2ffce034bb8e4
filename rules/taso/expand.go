package taso

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// instance is a law without runs and attribute variables.
type instance struct {
	law   *law.Law
	label string
}

// maxInstances bounds the instances of one rule.
const maxInstances = 256

func instancesOf(l *law.Law, reading Reading, ranks []int) ([]instance, error) {
	open, err := reading.open()
	if err != nil {
		return nil, err
	}
	l = atDegree(l, reading.Degree)
	out := []instance{{law: l}}
	expand := func(f func(*law.Law) ([]instance, error)) error {
		var next []instance
		for _, in := range out {
			more, err := f(in.law)
			if err != nil {
				return err
			}
			for _, m := range more {
				m.label = strings.TrimPrefix(in.label+", "+m.label, ", ")
				next = append(next, m)
			}
		}
		if len(next) > maxInstances {
			return fmt.Errorf("more than %d instances", maxInstances)
		}
		out = next
		return nil
	}
	if err := expand(func(m *law.Law) ([]instance, error) { return instantiateRuns(m, ranks) }); err != nil {
		return nil, err
	}
	for _, b := range l.Given {
		if b.Sort == "" {
			continue
		}
		values, err := valuesOf(b.Sort, open)
		if err != nil {
			return nil, err
		}
		if v, ok := onlyDefault(l, b); ok {
			values = []graph.Value{v}
		}
		if err := expand(func(m *law.Law) ([]instance, error) { return instantiateAttr(m, b, values) }); err != nil {
			return nil, err
		}
	}
	for i := range out {
		out[i].law = literalWindows(out[i].law)
	}
	return out, nil
}

// onlyDefault is the one value of a variable that TASO's format can say: the default of
// the late parameters that it is given to, as TASO's operators have none such.
func onlyDefault(l *law.Law, b law.Declaration) (v graph.Value, ok bool) {
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil {
			return
		}
		for i, p := range t.Op.Params {
			if p.Late && t.Attrs[i] == graph.VarValue(b.Name, b.Sort) {
				v, ok = p.Default, true
			}
		}
	})
	return v, ok
}

// valuesOf are the values that stand for a variable of a sort.
func valuesOf(sort string, open openValues) ([]graph.Value, error) {
	switch sort {
	case graph.SortStride:
		return []graph.Value{graph.TupleValue(1, 1), graph.TupleValue(2, 2)}, nil
	case graph.SortPadding:
		return []graph.Value{open.same, graph.NameValue(graph.Valid)}, nil
	case graph.SortSame:
		return []graph.Value{open.same}, nil
	case graph.SortAct:
		return []graph.Value{graph.NameValue("none"), graph.NameValue("relu")}, nil
	case graph.SortBorder:
		return []graph.Value{open.border}, nil
	case law.SortPointwise1, law.SortZero1:
		return []graph.Value{graph.NameValue("relu")}, nil
	}
	return nil, fmt.Errorf("variables of sort %s", sort)
}

func instantiateAttr(l *law.Law, b law.Declaration, values []graph.Value) ([]instance, error) {
	var out []instance
	for _, v := range values {
		bind := &graph.Substitution{Attrs: map[string]graph.Value{b.Name: v}}
		fns := map[string]string{}
		if law.IsFuncSort(b.Sort) {
			fns[b.Name], _ = v.Name()
		}
		m := l.SubstFns(fns, bind)
		if name, sort, ok := v.Var(); ok {
			if _, has := m.Find(name); !has {
				m.Given = append(m.Given, law.Declaration{Name: name, Sort: sort})
			}
		}
		out = append(out, instance{m, b.Name + " = " + v.String()})
	}
	return out, nil
}

// instantiateRuns puts axes for the runs so that all tensors with runs have as
// many axes as one of ranks says.
func instantiateRuns(l *law.Law, ranks []int) ([]instance, error) {
	var runs []string
	seen := map[string]bool{}
	note := func(s graph.Shape) {
		for _, it := range s {
			if it.AxisRun != "" && !seen[it.AxisRun] {
				seen[it.AxisRun] = true
				runs = append(runs, it.AxisRun)
			}
		}
	}
	var shapes []graph.Shape
	for _, b := range l.Given {
		if b.Sort == "" && b.Shape.HasAxisRun() {
			shapes = append(shapes, b.Shape)
			note(b.Shape)
		}
	}
	l.EachTerm(func(u *law.Term) {
		for _, v := range u.Attrs {
			if s, ok := v.Shape(); ok && s.HasAxisRun() {
				shapes = append(shapes, s)
				note(s)
			}
		}
	})
	if len(runs) == 0 {
		return []instance{{law: l}}, nil
	}
	if len(runs) > 4 {
		return nil, errors.New("more than 4 axis runs")
	}
	var out []instance
	err := law.EachAxes(runs, slices.Max(ranks), l.Mentions(l.Outputs()...).Sizes, func(b *graph.Substitution, label string) error {
		rank := len(shapes[0].Subst(b))
		for _, s := range shapes {
			if n := len(s.Subst(b)); n != rank || !slices.Contains(ranks, n) {
				return nil
			}
		}
		out = append(out, instance{l.Subst(b), label})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("tensors cannot all have %s axes", either(ranks))
	}
	return out, nil
}

// either is such as "2 or 4".
func either(ns []int) string {
	var b strings.Builder
	for i, n := range ns {
		if i > 0 {
			b.WriteString(" or ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// literalWindows makes the windows of pools, constants and enlarged kernels
// 3 by 3 where their sizes are variables.
func literalWindows(l *law.Law) *law.Law {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil || u.Op.ParamIndex("kh") < 0 {
			return
		}
		for _, name := range []string{"kh", "kw"} {
			d, _ := u.Attrs[u.Op.ParamIndex(name)].Dim()
			if v, ok := d.IsVar(); ok {
				b.Dims[v] = graph.Int(3)
			}
		}
	})
	if len(b.Dims) == 0 {
		return l
	}
	return l.Subst(b)
}
