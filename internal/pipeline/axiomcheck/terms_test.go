package axiomcheck

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// unsampled are the operators that do not occur among the samples, and why.
var unsampled = map[string]string{
	"ewpow": irrational, "batchnorm": irrational, "layernorm": irrational, "softmax": irrational,
	"acos": irrational, "acosh": irrational, "asin": irrational, "asinh": irrational, "atan": irrational, "atanh": irrational,
	"cos": irrational, "cosh": irrational, "sin": irrational, "sinh": irrational, "tan": irrational, "tanh": irrational,
	"elu": irrational, "erf": irrational, "exp": irrational, "gelu": irrational, "log": irrational, "sigmoid": irrational,
	"sqrt": irrational, "rsqrt": irrational,
	"ewint": "proofs, and so rationals, know nothing of it",
}

const irrational = "it takes rationals to other numbers"

// What is asked about consistency is asked about every operator.
func TestSamplesHaveAllOperators(t *testing.T) {
	in := map[*graph.Op]bool{}
	dilated := false
	for _, x := range newSamples().all {
		x.term.Walk(func(u *law.Term) {
			if u.Op != nil {
				in[u.Op] = true
				if i := u.Op.ParamIndex("dilation"); i >= 0 && u.Attrs[i] != u.Op.Params[i].Default {
					dilated = true
				}
			}
		})
	}
	for _, op := range graph.Ops() {
		if why := unsampled[op.Name]; in[op] == (why != "") {
			t.Errorf("operator %s: among the samples %v, but it is said: %q", op.Name, in[op], why)
		}
	}
	if !dilated {
		t.Error("no convolution is dilated")
	}
}
