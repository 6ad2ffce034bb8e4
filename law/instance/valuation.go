package instance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Valuation says what the variables of a law stand for in one instance: sizes,
// runs and attributes in Substitution, function variables, by names that a ring knows,
// in Fns. Tensors are left to whoever evaluates.
type Valuation struct {
	graph.Substitution
	Fns map[string]string
}

// NewValuation is one that says nothing yet.
func NewValuation() *Valuation {
	return &Valuation{
		Substitution: graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}},
		Fns:          map[string]string{},
	}
}

// String lists the values by name: "k=2, n=1, p=valid, P=[2, 3]".
func (v *Valuation) String() string {
	var out []string
	add := func(name string, x any) { out = append(out, fmt.Sprintf("%s=%v", name, x)) }
	for k, x := range v.Dims {
		add(k, x)
	}
	for k, x := range v.Runs {
		add(k, x)
	}
	for k, x := range v.Attrs {
		add(k, x)
	}
	for k, x := range v.Fns {
		add(k, x)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// any lets the function variables of a law stand for functions of which nothing is
// known but, of some, that they keep zero.
func (v *Valuation) any(l *law.Law) {
	for _, b := range l.Given {
		switch b.Sort {
		case law.SortPointwise1:
			v.Fns[b.Name] = "any:" + b.Name
		case law.SortZero1:
			v.Fns[b.Name] = "zero:" + b.Name
		}
	}
}

// Draw gives every variable of a law a value as it is met, in what is given and
// then in attributes: size and run by their names, attr by the sort; ok is false
// where attr has no value.
func Draw(l *law.Law, size func(name string) int, run func() []int, attr func(sort string) (graph.Value, bool)) (v *Valuation, ok bool) {
	v = NewValuation()
	v.any(l)
	atom := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			if _, met := v.Dims[a.Name]; !met {
				v.Dims[a.Name] = graph.Int(int64(size(a.Name)))
			}
		case graph.AtomAxisRun:
			if _, met := v.Runs[a.Name]; !met {
				v.Runs[a.Name] = graph.Sizes(run()...)
			}
		}
	}
	var perms []string
	for _, b := range l.Given {
		switch {
		case b.Sort == "":
			b.Shape.Walk(atom)
		case b.Sort == graph.SortPerm:
			perms = append(perms, b.Name)
		case !law.IsFuncSort(b.Sort):
			if v.Attrs[b.Name], ok = attr(b.Sort); !ok {
				return nil, false
			}
		}
	}
	l.EachTerm(func(u *law.Term) {
		for _, x := range u.Attrs {
			x.Walk(atom)
		}
	})
	return v, drawPerms(l, v, perms, size)
}
