package lift

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// solver finds what the variables of a law are for all sizes.
type solver struct {
	in, out *law.Instance
	eqs     []equation
}

// equation says that a law's polynomial is a size of the network.
type equation struct{ law, is graph.Dim }

// shapes compares a shape of the law with that of a tensor. As many axes are in a run as at
// the samples.
func (s *solver) shapes(law, is graph.Shape) error {
	for _, it := range law {
		n := 1
		if it.AxisRun != "" {
			n = len(s.in.Runs[it.AxisRun])
		}
		if len(is) < n {
			return fmt.Errorf("shape %s is not %s", is, law)
		}
		if it.AxisRun == "" {
			s.eqs = append(s.eqs, equation{it.Dim, is[0].Dim})
		} else if run, ok := s.out.Runs[it.AxisRun]; !ok {
			s.out.Runs[it.AxisRun] = slices.Clone(is[:n])
		} else if !run.Equal(is[:n]) {
			return fmt.Errorf("axes %s.. are %s and %s", it.AxisRun, run, is[:n])
		}
		is = is[n:]
	}
	if len(is) > 0 {
		return fmt.Errorf("%d axes are left", len(is))
	}
	return nil
}

// values compares an attribute of the law with that of a term, which has another value at
// the samples.
func (s *solver) values(law, is, at graph.Value) {
	if name, _, ok := law.Var(); ok {
		s.out.Attrs[name] = is
		return
	}
	if d, ok := law.Dim(); ok {
		if x, ok := is.Dim(); ok {
			s.eqs = append(s.eqs, equation{d, x})
		}
		return
	}
	if p, ok := law.Shape(); ok {
		if x, ok := is.Shape(); ok {
			_ = s.shapes(p, x) // what does not fit is for the checker to say
		}
	}
}

// solve finds sizes from equations in which one is not known yet, again and again. What no
// equation determines is as at the samples.
func (s *solver) solve() error {
	known := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: s.out.Runs, Attrs: s.out.Attrs}
	for progress := true; progress; {
		progress = false
		for _, e := range s.eqs {
			name, several := s.unknown(e.law)
			if name == "" || several {
				continue
			}
			factor, rest, ok := e.law.Linear(name)
			if !ok {
				continue
			}
			x, ok := e.is.Sub(s.put(rest, known)).Quo(s.put(factor, known))
			if !ok {
				continue
			}
			s.out.Dims[name], progress = x, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.in.Dims)) {
		if _, ok := s.out.Dims[name]; !ok {
			s.out.Dims[name] = s.in.Dims[name]
		}
	}
	for name, v := range s.in.Attrs {
		if _, ok := s.out.Attrs[name]; !ok {
			s.out.Attrs[name] = v
		}
	}
	for name, r := range s.in.Runs {
		if _, ok := s.out.Runs[name]; !ok {
			s.out.Runs[name] = r
		}
	}
	return nil
}

// put replaces the variables of the law that are known.
func (s *solver) put(d graph.Dim, known *graph.Substitution) graph.Dim {
	known.Dims = s.out.Dims
	return d.Subst(known)
}

// unknown is a variable of the law in d that is not known, and whether there are several.
func (s *solver) unknown(d graph.Dim) (name string, several bool) {
	d.Walk(func(a graph.Atom) {
		if a.Kind != graph.AtomVar {
			return
		}
		if _, ok := s.out.Dims[a.Name]; ok || a.Name == name {
			return
		}
		name, several = a.Name, name != ""
	})
	return name, several
}
