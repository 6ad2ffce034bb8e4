package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// Models whose files leave the batch open are not equal because they are so for a batch
// of 1.
func TestOtherBatch(t *testing.T) {
	// shaped is a file with one node.
	shaped := func(name string, batch int64, op string, sizes ...int64) string {
		f := newFile()
		f.input("x", floatType, batch, 2, 3)
		in := []string{"x"}
		if op == "Reshape" {
			f.integers("sizes", 1, 6)
			in = append(in, "sizes")
		}
		n := f.node(op, "y", in...)
		if strings.HasPrefix(op, "Reduce") { // over the batch
			setInt(setInts(n, "axes", 0), "keepdims", 1)
		}
		f.output("y", sizes...)
		return f.write(t, name)
	}
	flat, fixed := shaped("flat", 0, "Flatten", 0, 6), shaped("fixed", 1, "Flatten", 1, 6)
	one := shaped("one", 0, "Reshape", 1, 6)
	largest, mean := shaped("largest", 0, "ReduceMax", 1, 2, 3), shaped("mean", 0, "ReduceMean", 1, 2, 3)
	for _, c := range []struct {
		a, b   string
		args   []string
		status int
		want   string
	}{
		{largest, mean, nil, 1, "differ for n = 5\n"},
		{largest, mean, []string{"--batch", "1"}, 0, "equal for axis 0 of x = 1 (exact on random residues, error probability < 2^-"},
		{flat, flat, nil, 0, "equal for all sizes, n = 1 or more (proved for all inputs)\n"},
		{flat, one, nil, 1, "not reached: batch 3: "},
		{flat, fixed, nil, 0, "note: flat.onnx has a dynamic batch and fixed.onnx does not: they are compared for batch 1\n"},
		{one, one, nil, 0, "note: the models are compared for batch 1 only: for batch 3, "},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"verify", c.a, c.b}, c.args...)
		if got := run(args, nil, &stdout, &stderr); got != c.status || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("taso %s: status %d, want %d and %q\n%s%s", strings.Join(args, " "), got, c.status, c.want, stdout.String(), stderr.String())
		}
	}
}

// What is not known for one batch is not known.
func TestForBoth(t *testing.T) {
	equal, agree, unknown, differ := verifymodels.ModelsEqual, verifymodels.ModelsAgree, verifymodels.NotKnown, verifymodels.ModelsDiffer
	for _, c := range []struct{ one, other, want verifymodels.Conclusion }{
		{equal, equal, equal}, {equal, agree, agree}, {agree, equal, agree}, {equal, unknown, unknown}, {agree, unknown, unknown},
		{equal, verifymodels.NotCompared, unknown}, {equal, differ, differ},
	} {
		r := func(v verifymodels.Conclusion) *verifymodels.Report {
			return &verifymodels.Report{Verdict: v, Agree: v == equal || v == agree, Runs: 1}
		}
		got := forBoth(r(c.one), r(c.other))
		got.State()
		if got.Verdict != c.want || got.Agree != (c.want == equal || c.want == agree) {
			t.Errorf("%s for 1 and %s for 3: %s, agree %t", c.one, c.other, got.Statement, got.Agree)
		}
		if both := strings.Contains(got.Statement, "for batch 1 and 3"); both != got.Agree {
			t.Errorf("%s for 1 and %s for 3: %s", c.one, c.other, got.Statement)
		}
	}
}
