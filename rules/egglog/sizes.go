package egglog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// sizes are the size variables of a rewrite: patterns bind those that stand alone,
// equations are solved for the others.
type sizes struct {
	bound    map[string]bool // true: by a tensor's axis, so that it is at least 1
	order    []string        // of bound
	runs     map[string]bool // runs that are bound
	pending  []equation
	unknowns int
}

// equation says that a size of the law is what a name stands for.
type equation struct {
	size graph.Dim
	name string
}

func newSizes() sizes { return sizes{bound: map[string]bool{}, runs: map[string]bool{}} }

func (s *sizes) bind(name string, axis bool) {
	if _, ok := s.bound[name]; !ok {
		s.order = append(s.order, name)
	}
	s.bound[name] = s.bound[name] || axis
}

// dim is a pattern for a size: that of an axis, or an attribute.
func (s *sizes) dim(d graph.Dim, axis bool) (string, error) {
	if n, ok := d.Const(); ok {
		return fmt.Sprint(n), nil
	}
	if v, ok := d.IsVar(); ok {
		s.bind(v, axis)
		return v, nil
	}
	if err := polynomial(d); err != nil {
		return "", err
	}
	s.unknowns++
	name := fmt.Sprintf("d-%d", s.unknowns)
	s.pending = append(s.pending, equation{d, name})
	return name, nil
}

// shape is a pattern for a shape.
func (s *sizes) shape(sh graph.Shape, axis bool) (string, error) {
	if run, ok := wholeRun(sh); ok {
		s.runs[run] = true
		return runShape(run), nil
	}
	return shapeOf(sh, func(d graph.Dim) (string, error) { return s.dim(d, axis) })
}

// shapeExpr computes a shape.
func (s *sizes) shapeExpr(sh graph.Shape) (string, error) {
	if run, ok := wholeRun(sh); ok {
		if !s.runs[run] {
			return "", fmt.Errorf("this side does not tell the axes %s", run)
		}
		return runShape(run), nil
	}
	return shapeOf(sh, s.expr)
}

// runShape is the variable for a shape that is nothing but a run.
func runShape(run string) string { return "s-" + run }

// wholeRun is the run that a shape is.
func wholeRun(sh graph.Shape) (string, bool) {
	if len(sh) == 1 && sh[0].AxisRun != "" {
		return sh[0].AxisRun, true
	}
	return "", false
}

func shapeOf(sh graph.Shape, dim func(graph.Dim) (string, error)) (string, error) {
	if len(sh) > MaxRank {
		return "", fmt.Errorf("a shape of %d axes", len(sh))
	}
	words := []string{fmt.Sprintf("Shape-%d", len(sh))}
	for _, it := range sh {
		if it.AxisRun != "" {
			return "", fmt.Errorf("the axes %s beside others", it.AxisRun)
		}
		w, err := dim(it.Dim)
		if err != nil {
			return "", err
		}
		words = append(words, w)
	}
	return "(" + strings.Join(words, " ") + ")", nil
}

// polynomial refuses a size that is not made of size variables by sums and products.
func polynomial(d graph.Dim) (err error) {
	d.Walk(func(a graph.Atom) {
		if a.Kind != graph.AtomVar && err == nil {
			err = fmt.Errorf("the size %s", d)
		}
	})
	return err
}

// solve writes the equations as conditions, such that every size is computed before it
// is used, and asks for at least 1 where no axis says so.
func (s *sizes) solve() (conds []string, err error) {
	for len(s.pending) > 0 {
		var rest []equation
		for _, e := range s.pending {
			open := s.open(e.size)
			if len(open) == 0 {
				x, err := s.expr(e.size)
				if err != nil {
					return nil, err
				}
				conds = append(conds, fmt.Sprintf("(= %s %s)", e.name, x))
				continue
			}
			value, ok := s.isolate(e, open)
			if !ok {
				rest = append(rest, e)
				continue
			}
			s.bind(open[0], false)
			x, err := s.expr(e.size)
			if err != nil {
				return nil, err
			}
			conds = append(conds, fmt.Sprintf("(= %s %s)", open[0], value), fmt.Sprintf("(= %s %s)", e.name, x))
		}
		if len(rest) == len(s.pending) {
			return nil, fmt.Errorf("this side does not tell the sizes of %s", rest[0].size)
		}
		s.pending = rest
	}
	for _, v := range s.order {
		if !s.bound[v] {
			conds = append(conds, fmt.Sprintf("(>= %s 1)", v))
		}
	}
	return conds, nil
}

// open are the variables of a size that are not bound.
func (s *sizes) open(d graph.Dim) []string {
	var out []string
	d.Walk(func(a graph.Atom) {
		if _, ok := s.bound[a.Name]; !ok && !slices.Contains(out, a.Name) {
			out = append(out, a.Name)
		}
	})
	return out
}

// isolate solves an equation for the one variable that is open: it is what is left
// over of the name, divided by the factor before it.
func (s *sizes) isolate(e equation, open []string) (string, bool) {
	if len(open) != 1 {
		return "", false
	}
	factor, rest, ok := e.size.Linear(open[0])
	if !ok {
		return "", false
	}
	r, err := s.expr(rest)
	if err != nil {
		return "", false
	}
	value := e.name
	if rest != graph.Int(0) {
		value = fmt.Sprintf("(- %s %s)", e.name, r)
	}
	if factor == graph.Int(1) {
		return value, true
	}
	f, err := s.expr(factor)
	// A division by what may be 0 has no value in egglog, and the rewrite is not used.
	return fmt.Sprintf("(/ %s %s)", value, f), err == nil
}

// expr computes a size from bound variables.
func (s *sizes) expr(d graph.Dim) (string, error) {
	if err := polynomial(d); err != nil {
		return "", err
	}
	if open := s.open(d); len(open) > 0 {
		return "", fmt.Errorf("this side does not tell the size %s", open[0])
	}
	terms, constant := d.Terms()
	out := ""
	for _, t := range terms {
		x := ""
		for _, a := range t.Atoms {
			x = binary("*", x, a.Name)
		}
		if t.Coef != 1 {
			x = binary("*", fmt.Sprint(t.Coef), x)
		}
		out = binary("+", out, x)
	}
	if constant != 0 || out == "" {
		out = binary("+", out, fmt.Sprint(constant))
	}
	return out, nil
}

func binary(op, x, y string) string {
	if x == "" {
		return y
	}
	return fmt.Sprintf("(%s %s %s)", op, x, y)
}
