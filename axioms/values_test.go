package axioms_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules/builtin"
)

// meant is what function variables and numbers of laws are taken to be where it is asked where
// both sides have values.
type meant struct {
	fn, zero string // of sort pointwise1, and of sort zero1
	number   float64
}

var (
	totals   = []meant{{"exp", "tanh", 0.5}, {"sigmoid", "relu", 0}, {"abs", "abs", -0.5}, {"cos", "sin", -2}}
	partials = []meant{{"log", "sqrt", 0.5}, {"reciprocal", "atanh", 0}, {"sqrt", "asin", -0.5}}
)

// ofTotal are the laws about functions that are true only of those that have values
// everywhere: 0 times what has no value has none.
var ofTotal = []string{"iconv_image_zero", "zero_smul_iconv", "zero_smul_imatmul"}

// fed are numbers among which each function above has a value, and none.
var fed = []float64{-2, 0, 1, 0.5, -0.5, 3, -1, 2}

// valuesDiffer finds an instance of a law in which an entry of one side has a value in IEEE
// arithmetic and that of the other has none, for finite inputs.
func valuesDiffer(t *testing.T, l *law.Law, as []meant) (where string, tried int) {
	t.Helper()
	p, err := instance.New(l)
	if err != nil {
		t.Fatal(err)
	}
	scope := instance.Scope{Acts: []graph.Value{graph.NameValue("none"), graph.NameValue("log"), graph.NameValue("reciprocal")}}
	instance.Instances(l, scope, func(v *instance.Valuation) bool {
		for _, with := range as {
			w := *v
			w.Fns, w.Attrs = maps.Clone(v.Fns), maps.Clone(v.Attrs)
			for _, g := range l.Given {
				switch g.Sort {
				case law.SortPointwise1:
					w.Fns[g.Name] = with.fn
				case law.SortZero1:
					w.Fns[g.Name] = with.zero
				case graph.SortNumber:
					w.Attrs[g.Name] = graph.NumberValue(with.number)
				}
			}
			given, ok, err := p.Given(&w)
			if !ok || err != nil {
				continue
			}
			in, err := p.At(&w, given)
			if err != nil {
				continue
			}
			if out, _ := in.Shapes(); out != instance.Equal || in.Compile(1<<12) != nil {
				continue
			}
			for round := range 3 {
				inputs := make([][]float64, len(given))
				for k := range given {
					inputs[k] = make([]float64, graph.NumElements(given[k]))
					for j := range inputs[k] {
						inputs[k][j] = fed[(j*(k+1)+3*k+5*round+7*tried)%len(fed)]
					}
				}
				tried++
				val := instance.Run[float64](in, interp.Float{}, inputs)
				if !instance.Placed(in, val, interp.Float{}.Integer) {
					continue
				}
				for k := range p.Out[0] {
					x, y := val[p.Out[0][k]], val[p.Out[1][k]]
					for j := range x {
						if isReal(x[j]) != isReal(y[j]) {
							where = l.Name + ": " + with.fn + ", " + graph.NumberValue(with.number).String() + ": " +
								graph.NumberValue(x[j]).String() + " and " + graph.NumberValue(y[j]).String()
							return false
						}
					}
				}
			}
		}
		return tried < sweep.Size(90, 600)
	})
	return where, tried
}

func isReal(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Both sides of every law have values at the same finite inputs, whatever functions its
// variables stand for, unless the law says that it is about inputs for which all its terms
// have values.
func TestValues(t *testing.T) {
	more, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	laws, differ := 0, 0
	var total []string
	for _, l := range append(axioms.Default(), more...) {
		if l.Kind == law.Refute {
			continue
		}
		where, tried := valuesDiffer(t, l, totals)
		if tried > 0 {
			laws++
		}
		if where != "" {
			differ++
			if l.HasTag(law.TagReal) {
				t.Log(where)
			} else {
				t.Errorf("%s: %s", l.Pos, where)
			}
			continue
		}
		if !slices.ContainsFunc(l.Given, func(g law.Declaration) bool { return law.IsFuncSort(g.Sort) }) {
			continue
		}
		if where, _ := valuesDiffer(t, l, partials); where != "" {
			t.Log(where)
			total = append(total, l.Name)
		}
	}
	t.Logf("%d laws evaluated, the sides of %d have values at different inputs", laws, differ)
	if laws < 500 {
		t.Errorf("only %d laws evaluated", laws)
	}
	if slices.Sort(total); !slices.Equal(total, ofTotal) {
		t.Errorf("true only of functions with values everywhere: %q, want %q", total, ofTotal)
	}
	// A difference is seen where there is one.
	for _, text := range []string{
		"rule a given X : [n], Y : [n] then ewadd(Y, ewsub(log(X), log(X))) == Y",
		"rule b given X : [n] then ewmul(sqrt(X), sqrt(X)) == X",
		"rule c given X : [n] then exp(log(X)) == X",
		"rule d given X : [n], Y : [n] then ewdiv(ewmul(X, Y), Y) == X",
		"rule e given f : pointwise1, X : [n], Y : [n] then ewadd(Y, ewsub(f(X), f(X))) == Y",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		if where, _ := valuesDiffer(t, l, partials); where == "" {
			t.Errorf("%s: no difference is seen", text)
		}
	}
}
