package egglog

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// expansion is a law in which the runs that are left stand for whole shapes.
type expansion struct {
	law   *law.Law
	label string
}

// maxInstances bounds the instances of a rule.
const maxInstances = 64

// withoutRuns puts axes for the runs of a law that stand beside axes or count them, in
// all ways in which no tensor has more than MaxRank axes.
func withoutRuns(l *law.Law) ([]expansion, error) {
	runs := expanded(l)
	if len(runs) == 0 {
		return []expansion{{law: l}}, nil
	}
	if len(runs) > 3 {
		return nil, fmt.Errorf("%d axis runs", len(runs))
	}
	var out []expansion
	err := law.EachAxes(runs, MaxRank, l.Mentions(l.Outputs()...).Sizes, func(b *graph.Substitution, label string) error {
		m := l.Subst(b)
		ty, err := m.Types()
		if err != nil {
			return nil // such as an axis that is not there
		}
		for _, s := range ty.Shape {
			if len(s) > MaxRank {
				return nil
			}
		}
		if out = append(out, expansion{m, label}); len(out) > maxInstances {
			return fmt.Errorf("more than %d numbers of axes", maxInstances)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no tensors of up to %d axes", MaxRank)
	}
	return out, nil
}

// expanded are the runs that are not just the shape of tensors, in order of
// occurrence.
func expanded(l *law.Law) []string {
	ty, err := l.Types()
	if err != nil {
		return nil
	}
	var runs []string
	whole, seen := map[string]bool{}, map[string]bool{}
	note := func(s graph.Shape) {
		for _, it := range s {
			if it.AxisRun == "" {
				it.Dim.Walk(func(a graph.Atom) {
					if a.Kind == graph.AtomAxisRun {
						whole[a.Name] = false
					}
				})
				continue
			}
			if !seen[it.AxisRun] {
				seen[it.AxisRun] = true
				runs = append(runs, it.AxisRun)
				if _, no := whole[it.AxisRun]; !no {
					whole[it.AxisRun] = true
				}
			}
			if len(s) > 1 {
				whole[it.AxisRun] = false
			}
		}
	}
	for _, g := range l.Given {
		if g.Sort == "" {
			note(g.Shape)
		}
	}
	l.EachTerm(func(u *law.Term) {
		note(ty.Shape[u])
		for _, v := range u.Attrs {
			if s, ok := v.Shape(); ok {
				note(s)
				continue
			}
			v.Walk(func(a graph.Atom) {
				if a.Kind == graph.AtomAxisRun {
					whole[a.Name] = false
				}
			})
		}
	})
	for _, c := range l.Where {
		for _, d := range []graph.Dim{c.Left, c.Right} {
			d.Walk(func(a graph.Atom) {
				if a.Kind == graph.AtomAxisRun {
					whole[a.Name] = false
				}
			})
		}
	}
	var out []string
	for _, r := range runs {
		if !whole[r] {
			out = append(out, r)
		}
	}
	return out
}
