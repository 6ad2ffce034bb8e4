package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// TestFormulas: of every function of one element the formula is what its value is.
func TestFormulas(t *testing.T) {
	xs := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-310, -1e-310, 1e-40, 3e38, -3e38, 1e300}
	for i := range 400 {
		x := float64(i-200) / 16
		xs = append(xs, x, math.Exp(x))
	}
	params := [][]float64{{0.1, 0.4}, {-0.3, 2}, {0, 1}, {0.5, 0.25}, {-2, math.Inf(1)}}
	n := 0
	for _, op := range graph.Ops() {
		if !op.IsFunction() {
			continue
		}
		n++
		f, err := op.ParseFormula()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, p := range params {
			p = p[:len(op.Params)]
			value := op.Value(p)
			for _, x := range xs {
				got, want := f.Eval(x, p), value(x)
				if !(got == want && math.Signbit(got) == math.Signbit(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%s(%v) with parameters %v: the formula %s is %v, the value %v", op.Name, x, p, op.Formula, got, want)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("%d functions of one element", n)
	}
}

// TestBadFormulas: what is no formula is an error that says why.
func TestBadFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"":          `operator f: formula "": 1:1: expected operand, found 'EOF'`,
		"x + y":     `operator f: formula "x + y": y is no parameter`,
		"sine(x)":   `operator f: formula "sine(x)": sine of 1 operands is not known`,
		"max(x)":    `operator f: formula "max(x)": max of 1 operands is not known`,
		"x % 2":     `operator f: formula "x % 2": % of 2 operands is not known`,
		"!x":        `operator f: formula "!x": it is no expression of a function of one element`,
		`x + "one"`: `operator f: formula "x + \"one\"": strconv.ParseFloat: parsing "\"one\"": invalid syntax`,
	} {
		op := graph.Op{Name: "f", Formula: text}
		if _, err := op.ParseFormula(); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
