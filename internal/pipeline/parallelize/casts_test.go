package parallelize

import (
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel"
)

// wrongCasts are rows of which exact numbers on virtual devices would not tell that they are wrong, or
// of integers: a cast of partial sums rounds each of them, and positions are no sums.
var wrongCasts = []wrong{
	{"rounded partial sums", partial + "cast[to=float16](y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6]\n then reduce(cast[to=float16](X0)) == cast[to=float16](reduce(X0))", summed},
	{"wider partial sums", partial + "cast[to=float64](y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6]\n then reduce(cast[to=float64](X0)) == cast[to=float64](reduce(X0))", summed},
	{"a member rounded for all", partial + "cast[to=float16](y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{cop},
		"given X0 : [2, 4, 6]\n then cast[to=float16](X0) == replicate[on=2](cast[to=float16](reduce(X0)))", summed},
	{"truncated partial sums", partial + "cast[to=int32](y)\nreturn z", "z", []parallel.Role{sum}, []parallel.Role{sum},
		"given X0 : [2, 4, 6]\n then reduce(cast[to=int32](X0)) == cast[to=int32](reduce(X0))", summed},
	{"rows at zeros of positions", "x : float32[4, 8]\ni : int32[4]\ny = gather[axis=0](x, i)\nreturn y", "y", []parallel.Role{cop, first}, []parallel.Role{first},
		"given X0 : [4, 8], X1 : [4]\n then each_gather[over=[2], axis=0](replicate[on=2](X0), lift[on=2](X1)) == lift[on=2](gather[axis=0](X0, X1))", nil},
}

// The checker says no to what only rounding tells from the truth, and to positions that are dealt out
// as if they were sums.
func TestWrongCasts(t *testing.T) {
	s := strategies
	for _, w := range wrongCasts {
		t.Run(w.name, func(t *testing.T) {
			p, forged := w.plan(t, s)
			l := p.Laying
			proofs := map[string]*law.Proof{}
			for name := range l.Laws() {
				proofs[name] = l.Evidence(name)
			}
			var with, without []law.Instance
			for _, in := range l.Proof().Instances {
				if in.Law == forged.Name {
					in.Dims = nil // sizes are numbers
					with = append(with, in)
					continue
				}
				with, without = append(with, in), append(without, in)
			}
			axiom := *forged
			axiom.Kind = law.Axiom
			for _, c := range []string{certificate(t, l, without, nil, proofs), certificate(t, l, with, []*law.Law{&axiom}, proofs)} {
				f := file(t, p, c)
				_, err := Check(ctx, f, "plan.json", cluster(t), nil, false)
				var rejected *optimize.Rejected
				if !errors.As(err, &rejected) || !strings.Contains(err.Error(), "network") && !strings.Contains(err.Error(), "forged") {
					t.Errorf("the checker says %v", err)
				}
			}
			// A proof of something else, or that the equation is so by itself.
			proofs[forged.Name] = &law.Proof{}
			f := file(t, p, certificate(t, l, with, nil, proofs))
			if _, err := Check(ctx, f, "plan.json", cluster(t), nil, false); err == nil || !strings.Contains(err.Error(), "forged") {
				t.Errorf("with an empty proof: %v", err)
			}
		})
	}
}
