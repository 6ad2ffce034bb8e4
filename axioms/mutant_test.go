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

// survivors are the mutants that are true laws, and why. A new law whose mutant
// is true gets its line here, by hand.
var survivors = map[string]string{
	"imatmul_diagonals: exchanged in matmul(ewmul(X, imatmul[n=n]()), ewmul(Y, imatmul[n=n]())), side 0":        "diagonal matrices commute",
	"smul_assoc: exchanged in smul(A, B), side 1":                                                               "scalars commute",
	"smul_scalar: exchanged in smul(A, B), side 0":                                                              "scalars commute",
	"smul_comm: exchanged in smul(A, B), side 0":                                                                "scalars commute",
	"smul_comm: exchanged in smul(B, A), side 1":                                                                "scalars commute",
	"concat_one: exchanged in concat[axis=#P](one[shape=[P.., a, S..]](), one[shape=[P.., b, S..]]()), side 0":  "the parts are made of the same numbers",
	"conv_same_odd: same_upper in conv2d[pad=same_lower, groups=g, act=a](X, W), side 1":                        "for odd windows the two SAME paddings are one",
	"conv_iconv: kh one more in iconv[c=c, kh=kh, kw=kw](), side 0":                                             "the identity kernel may have any size",
	"conv_iconv: kw one more in iconv[c=c, kh=kh, kw=kw](), side 0":                                             "the identity kernel may have any size",
	"poolavg_same_odd: same_upper in poolavg[kh=kh, kw=kw, pad=same_lower, border=d](X), side 1":                "for odd windows the two SAME paddings are one",
	"cpool_concat: exchanged in concat[axis=0](cpool[c=a, kh=kh, kw=kw](), cpool[c=b, kh=kh, kw=kw]()), side 0": "the parts are made of the same numbers",
	"cpool_slice: c one more in cpool[c=c, kh=kh, kw=kw](), side 0":                                             "a slice that ends before the last channel",
	"cpool_poolmax: kh one more in poolmax[kh=kh, kw=kw, pad=q](cpool[c=c, kh=m, kw=n]()), side 0":              "the window may have any size",
	"cpool_poolmax: kw one more in poolmax[kh=kh, kw=kw, pad=q](cpool[c=c, kh=m, kw=n]()), side 0":              "the window may have any size",
	"poolmax_poolmax_same: without k % 2 == 1":                                                                  "one odd window of the two is enough",
	"poolmax_poolmax_same: without l % 2 == 1":                                                                  "one odd window of the two is enough",
	"poolmax_poolmax_same: without m % 2 == 1":                                                                  "one odd window of the two is enough",
	"poolmax_poolmax_same: without n % 2 == 1":                                                                  "one odd window of the two is enough",
	"poolmax_same_odd: same_upper in poolmax[kh=kh, kw=kw, pad=same_lower](X), side 1":                          "for odd windows the two SAME paddings are one",
	"relu_relu: dropped in relu(relu(X)), side 0":                                                               "what is rectified again is not negative",
	"relu_square: dropped in relu(ewmul(X, X)), side 0":                                                         "what is rectified again is not negative",
	"relu_ewadd: dropped in relu(ewadd(relu(X), relu(Y))), side 0":                                              "what is rectified again is not negative",
	"relu_matmul: dropped in relu(matmul(relu(X), relu(Y))), side 0":                                            "what is rectified again is not negative",
	"relu_conv: dropped in relu(conv2d[stride=s, pad=p, groups=g](relu(X), relu(W))), side 0":                   "what is rectified again is not negative",
	"relu_poolavg: dropped in relu(poolavg[kh=kh, kw=kw, stride=s, pad=p, border=d](relu(X))), side 0":          "what is rectified again is not negative",
	"relu_one: dropped in relu(one[shape=[P..]]()), side 0":                                                     "what is rectified again is not negative",
	"relu_imatmul: dropped in relu(imatmul[n=n]()), side 0":                                                     "what is rectified again is not negative",
	"relu_iconv: dropped in relu(iconv[c=c, kh=kh, kw=kw]()), side 0":                                           "what is rectified again is not negative",
	"relu_cpool: dropped in relu(cpool[c=c, kh=kh, kw=kw]()), side 0":                                           "what is rectified again is not negative",
}

// The instances are enough to tell the axioms from laws that differ a little:
// every mutant is refuted but for those that are true.
func TestMutants(t *testing.T) {
	total, killed := 0, 0
	var alive []string
	met := map[string]bool{}
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
			met[id] = true
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
	for id := range survivors {
		if !met[id] {
			t.Errorf("%s: no such mutant", id)
		}
	}
	t.Logf("%d mutants, %d refuted, %d true", total, killed, len(survivors))
	if len(alive) > 0 {
		t.Errorf("%d mutants are neither refuted nor known to be true; strengthen the instances, or note in survivors why they are:\n%s", len(alive), strings.Join(alive, "\n"))
	}
}
