package axioms_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// mutants are laws that differ from l in one place: a condition left out, a
// sort widened, a padding exchanged, a size off by one, operands exchanged.
func mutants(l *law.Law) map[string]*law.Law {
	out := map[string]*law.Law{}
	for i, p := range l.Where {
		m := *l
		m.Where = append(append([]law.Pred{}, l.Where[:i]...), l.Where[i+1:]...)
		out["without "+p.String()] = &m
	}
	wide := map[string]string{graph.SortSame: graph.SortPadding, law.SortZero1: law.SortPointwise1}
	for i, b := range l.Given {
		if to := wide[b.Sort]; to != "" {
			m := *l
			m.Given = append([]law.Binding{}, l.Given...)
			m.Given[i].Sort = to
			out[fmt.Sprintf("%s : %s", b.Name, to)] = &m
		}
	}
	lower, upper := graph.NameValue(graph.SameLower), graph.NameValue(graph.SameUpper)
	seen := map[string]bool{}
	for side, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for k, t := range ts {
			edit := func(name string, at *law.Term, f func(*law.Term) *law.Term) {
				key := fmt.Sprintf("%s in %s, side %d", name, at, side)
				if seen[key] {
					return
				}
				seen[key] = true
				m := *l
				m.LHS, m.RHS = append([]*law.Term{}, l.LHS...), append([]*law.Term{}, l.RHS...)
				text := at.String()
				u := t.Rewrite(func(u *law.Term) *law.Term {
					if u.String() == text {
						return f(u)
					}
					return u
				})
				if side == 0 {
					m.LHS[k] = u
				} else {
					m.RHS[k] = u
				}
				if _, err := m.Types(); err == nil {
					out[key] = &m
				}
			}
			t.Walk(func(u *law.Term) {
				if len(u.Args) == 2 && !u.Op.Commutative && u.Args[0].String() != u.Args[1].String() {
					edit("exchanged", u, func(u *law.Term) *law.Term {
						return &law.Term{Op: u.Op, Attrs: u.Attrs, Args: []*law.Term{u.Args[1], u.Args[0]}, Out: u.Out}
					})
				}
				if u.Fn != "" || u.Op != nil && u.Op.Pointwise && len(u.Args) == 1 {
					edit("dropped", u, func(u *law.Term) *law.Term { return u.Args[0] })
				}
				for i, v := range u.Attrs {
					set := func(name string, w graph.Value) {
						edit(name, u, func(u *law.Term) *law.Term {
							a := append(graph.Attrs{}, u.Attrs...)
							a[i] = w
							return &law.Term{Op: u.Op, Attrs: a, Args: u.Args, Out: u.Out}
						})
					}
					param := u.Op.Params[i].Name
					switch d, isDim := v.Dim(); {
					case v == lower:
						set("same_upper", upper)
					case v == upper:
						set("same_lower", lower)
					case isDim:
						set(param+" one more", graph.DimValue(d.Add(graph.Int(1))))
						set(param+" one less", graph.DimValue(d.Sub(graph.Int(1))))
					}
				}
			})
		}
	}
	return out
}

// survivors are the mutants that are true laws, and why.
var survivors = map[string]string{}

// The instances are enough to tell the axioms from laws that differ a little:
// every mutant is refuted but for those that are true.
func TestMutants(t *testing.T) {
	total, killed := 0, 0
	var alive []string
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		ms := mutants(l)
		names := make([]string, 0, len(ms))
		for name := range ms {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			m := ms[name]
			total++
			dead, equal := false, 0
			each(m, func(n int, v *law.Valuation) bool {
				out, err := evaluate(m, v, uint64(n), l.HasTag(law.TagOrdered))
				dead = !accepted(m, out, err)
				if out == fingerprint.Equal {
					equal++
				}
				return !dead
			})
			id := l.Name + ": " + name
			why, known := survivors[id]
			switch {
			case dead && known:
				t.Errorf("%s: is refuted, and believed true: %s", id, why)
			case dead:
				killed++
			case !known:
				alive = append(alive, fmt.Sprintf("%s (equal on %d)", id, equal))
			}
		}
	}
	t.Logf("%d mutants, %d refuted, %d true", total, killed, len(survivors))
	if len(alive) > 0 {
		t.Errorf("%d mutants are neither refuted nor known to be true:\n%s", len(alive), strings.Join(alive, "\n"))
	}
}
