package taso_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// Laws of layouts in FlexFlow's operators at degree 4, and the reason why others have
// no form there.
func TestInstancesParallel(t *testing.T) {
	for _, c := range []struct{ law, want, skip string }{
		{"X : [g*a, S..] then relu(combine[axis=0](partition[axis=0, on=g](X))) == combine[axis=0](partition[axis=0, on=g](relu(X)))",
			"relu(partition[parallel_dim=0, parallel_degree=4](x1)) => partition[parallel_dim=0, parallel_degree=4](relu(x1))", ""},
		{"X : [a, b, S..] then relu(combine[axis=1](replicate[on=g](X))) == combine[axis=1](replicate[on=g](relu(X)))",
			"relu(replicate[parallel_dim=1, parallel_degree=4](x1)) => replicate[parallel_dim=1, parallel_degree=4](relu(x1))", ""},
		{"X : [r, g*b, i], W : [r, o, i] then matmul(reduce(partition[axis=1, on=g](X)), transpose[perm=(0, 2, 1)](W)) == reduce(partition[axis=1, on=g](matmul(X, transpose[perm=(0, 2, 1)](W))))",
			"linear[act=none](reduce[parallel_dim=1, parallel_degree=4](x1), x2) => reduce[parallel_dim=1, parallel_degree=4](linear[act=none](x1, x2))", ""},
		{"X : [3*a, S..] then relu(combine[axis=0](partition[axis=0, on=3](X))) == combine[axis=0](partition[axis=0, on=3](relu(X)))",
			"relu(partition[parallel_dim=0, parallel_degree=3](x1)) => partition[parallel_dim=0, parallel_degree=3](relu(x1))", ""},
		{"X : [g*a, b, c] then relu(combine[axis=0](partition[axis=0, on=g](X))) == combine[axis=0](partition[axis=0, on=g](relu(X)))", "", "without its shapes the rule would say more"},
		{"X : [g*a, b, c] then relu(partition[axis=0, on=g](X)) == partition[axis=0, on=g](relu(X))", "", "partition, a family that is no tensor of the format"},
		{"X : [g*a, b, c] then combine[axis=0](relu(partition[axis=0, on=g](X))) == relu(X)", "", "combine, a family that is no tensor of the format"},
		{"X : [g*a, b, c] then relu(combine[axis=1](partition[axis=0, on=g](X))) == combine[axis=1](partition[axis=0, on=g](relu(X)))", "", "combine of partition, which no operator of the format is"},
		{"X : [a, b, c] then relu(drop(replicate[on=g](X))) == drop(replicate[on=g](relu(X)))", "", "drop of replicate, which no operator of the format is"},
	} {
		r := mustRule("rule x given " + c.law)
		all, skips := taso.Instances([]*rules.Rule{r}, taso.Reading{Degree: 4}, 3, 5)
		if c.want == "" {
			if len(all) > 0 || len(skips) == 0 || !strings.Contains(skips[0].Reason, c.skip) {
				t.Errorf("%s: %d written, %v", c.law, len(all), skips)
			}
			continue
		}
		found := false
		for _, w := range all {
			if found = found || w.TASO.String() == c.want; !w.Backward {
				back := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{w.TASO}}, taso.Reading{})[0]
				if back.Err != nil {
					t.Errorf("%s: %v", c.law, back.Err)
				} else if _, err := law.ParseLaw(law.Format(back.Law)); err != nil {
					t.Error(err)
				}
			}
		}
		if !found {
			t.Errorf("%s: %v, skipped %v", c.law, all, skips)
		}
		// TASO's own form has no such operators.
		if pb, _ := taso.To([]*rules.Rule{r}, taso.Reading{}); len(pb.Rules) > 0 {
			t.Errorf("%s: written for TASO", c.law)
		}
	}
}
