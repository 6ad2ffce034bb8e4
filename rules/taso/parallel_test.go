package taso_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// lay is one of FlexFlow's operators over a tensor: a dimension and a degree.
func lay(ty tasopb.OpType, dim, degree, in int32) tasopb.Operator {
	return tasopb.Operator{Type: ty, Inputs: []tasopb.Tensor{{OpID: in}}, Params: []tasopb.Parameter{
		{Key: tasopb.ParamParallelDim, Value: dim}, {Key: tasopb.ParamParallelDegree, Value: degree}}}
}

// on is another operator over tensors; joined along an axis, if it is at least 0.
func on(ty tasopb.OpType, axis int32, in ...int32) tasopb.Operator {
	o := tasopb.Operator{Type: ty}
	for _, id := range in {
		o.Inputs = append(o.Inputs, tasopb.Tensor{OpID: id})
	}
	if axis >= 0 {
		o.Params = []tasopb.Parameter{{Key: tasopb.ParamNumInputs, Value: int32(len(in))}, {Key: tasopb.ParamAxis, Value: axis}}
	}
	return o
}

func linear(act tasopb.Activation, in ...int32) tasopb.Operator {
	o := on(tasopb.OpLinear, -1, in...)
	o.Params = []tasopb.Parameter{{Key: tasopb.ParamActi, Value: int32(act)}}
	return o
}

// side is a rule whose last operators are its outputs.
func parallelRule(src, dst []tasopb.Operator) tasopb.Rule {
	return tasopb.Rule{SrcOps: src, DstOps: dst, Mapped: []tasopb.MapOutput{{SrcOpID: int32(len(src) - 1), DstOpID: int32(len(dst) - 1)}}}
}

// What FlexFlow's operators are read as, worked out by hand.
func TestParallel(t *testing.T) {
	type ops = []tasopb.Operator
	relu := func(in int32) tasopb.Operator { return on(tasopb.OpRelu, -1, in) }
	any := taso.Reading{AnyDegree: true}
	unity := taso.Reading{Linear: taso.Replica0}
	for _, c := range []struct {
		name    string
		rule    tasopb.Rule
		reading taso.Reading
		law     string // expected, or
		err     error
	}{
		{"partition", parallelRule(ops{lay(tasopb.OpPartition, 1, 2, -1)}, ops{relu(-1)}), taso.Reading{},
			`X : [a, 2*b, P..] then combine[axis=1](partition[axis=1, on=2](X)) == relu(X)`, nil},
		{"combine", parallelRule(ops{lay(tasopb.OpCombine, 0, 3, -1)}, ops{relu(-1)}), unity,
			`X : [3*a, P..] then combine[axis=0](partition[axis=0, on=3](X)) == relu(X)`, nil},
		{"replicate", parallelRule(ops{lay(tasopb.OpReplicate, 1, 2, -1)}, ops{on(tasopb.OpConcat, 1, -1, -1)}), taso.Reading{},
			`X : [a, b, P..] then combine[axis=1](replicate[on=2](X)) == concat[axis=1](X, X)`, nil},
		{"reduce", parallelRule(ops{lay(tasopb.OpReduce, 0, 2, -1)}, ops{lay(tasopb.OpReduce, 0, 2, -1), relu(0)}), taso.Reading{},
			`X : [2*a, P..] then reduce(partition[axis=0, on=2](X)) == relu(reduce(partition[axis=0, on=2](X)))`, nil},
		{"any degree", parallelRule(ops{lay(tasopb.OpReduce, 0, 2, -1)}, ops{lay(tasopb.OpReduce, 0, 2, -1), relu(0)}), any,
			`X : [g*a, P..] where 2 <= g then reduce(partition[axis=0, on=g](X)) == relu(reduce(partition[axis=0, on=g](X)))`, nil},
		{"equal degrees", parallelRule(ops{lay(tasopb.OpPartition, 0, 2, -1), lay(tasopb.OpPartition, 1, 4, 0), lay(tasopb.OpPartition, 2, 2, 1)}, ops{relu(-1)}), any,
			`X : [g*a, h*b, g*c, P..] where 2 <= g and 2 <= h then combine[axis=2](partition[axis=2, on=g](combine[axis=1](partition[axis=1, on=h](combine[axis=0](partition[axis=0, on=g](X)))))) == relu(X)`, nil},
		{"linear, each replica", parallelRule(ops{linear(tasopb.ActRelu, -1, -2)}, ops{linear(tasopb.ActNone, -1, -2), relu(0)}), taso.Reading{},
			`X : [r, b, i], W : [r, o, i] then relu(matmul(X, transpose[perm=(0, 2, 1)](W))) == relu(matmul(X, transpose[perm=(0, 2, 1)](W)))`, nil},
		{"linear, the first replica", parallelRule(ops{linear(tasopb.ActNone, -1, -2)}, ops{linear(tasopb.ActNone, -1, -2), relu(0)}), unity,
			`X : [r, b, i], W : [s, o, i] then matmul(slice[axis=0, lo=0, hi=1](X), transpose[perm=(0, 2, 1)](slice[axis=0, lo=0, hi=1](W)))
			 == relu(matmul(slice[axis=0, lo=0, hi=1](X), transpose[perm=(0, 2, 1)](slice[axis=0, lo=0, hi=1](W))))`, nil},

		// The sum of two tensors is that of two parts, and of two only.
		{"two parts", parallelRule(ops{on(tasopb.OpEwAdd, -1, -1, -2)}, ops{on(tasopb.OpConcat, 0, -1, -2), lay(tasopb.OpReduce, 0, 2, 0)}), taso.Reading{},
			`X : [a, P..], Y : [a, P..] then ewadd(X, Y) == reduce(partition[axis=0, on=2](concat[axis=0](X, Y)))`, nil},
		{"any number of them", parallelRule(ops{on(tasopb.OpEwAdd, -1, -1, -2)}, ops{on(tasopb.OpConcat, 0, -1, -2), lay(tasopb.OpReduce, 0, 2, 0)}), any, "", taso.ErrTyping},

		// A cut passes what does not touch it.
		{"a cut behind a partition", parallelRule(ops{on(tasopb.OpConcat, 0, -1, -2), lay(tasopb.OpPartition, 0, 2, 0), on(tasopb.OpSplit, 0, 1)}, ops{relu(-1)}), taso.Reading{}, "", nil},
		{"no cut behind a sum along it", parallelRule(ops{on(tasopb.OpConcat, 0, -1, -2), lay(tasopb.OpReduce, 0, 2, 0), on(tasopb.OpSplit, 0, 1)}, ops{relu(-1)}), taso.Reading{}, "", taso.ErrNoSeam},
		{"no such dimension", parallelRule(ops{linear(tasopb.ActNone, -1, -2), lay(tasopb.OpPartition, 3, 2, 0)}, ops{relu(-1)}), taso.Reading{}, "", taso.ErrTyping},
		{"far dimension", parallelRule(ops{lay(tasopb.OpPartition, 8, 2, -1)}, ops{relu(-1)}), taso.Reading{}, "", taso.ErrTyping},
		{"a bias", parallelRule(ops{linear(tasopb.ActNone, -1, -2, -3)}, ops{relu(-1)}), taso.Reading{}, "", taso.ErrUnsupported},
		{"a reading that is not there", parallelRule(ops{linear(tasopb.ActNone, -1, -2)}, ops{relu(-1)}), taso.Reading{Linear: "last"}, "", taso.ErrInvalid},
	} {
		for i := range c.rule.SrcOps {
			if o := &c.rule.SrcOps[i]; o.Type == tasopb.OpSplit {
				o.Params = []tasopb.Parameter{{Key: tasopb.ParamNumOutputs, Value: 2}, {Key: tasopb.ParamAxis, Value: 0}}
			}
		}
		if !taso.Parallel(&c.rule) {
			t.Errorf("%s: not parallel", c.name)
		}
		tr := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{c.rule}}, c.reading)[0]
		if c.law == "" {
			if !errors.Is(tr.Err, c.err) || (tr.Err == nil) != (c.err == nil) {
				t.Errorf("%s: %v, want %v", c.name, tr.Err, c.err)
			}
			continue
		}
		if tr.Err != nil {
			t.Errorf("%s: %v", c.name, tr.Err)
			continue
		}
		want, err := law.ParseLaw("rule x given " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		if law.ID(want) != law.ID(tr.Law) {
			t.Errorf("%s:\n%swant\n%s", c.name, law.Format(tr.Law), law.Format(want))
		}
	}
}

// A protocol buffer of TASO has no operators of FlexFlow.
func TestParallelIsNoTASO(t *testing.T) {
	r := parallelRule([]tasopb.Operator{lay(tasopb.OpPartition, 0, 2, -1)}, []tasopb.Operator{on(tasopb.OpRelu, -1, -1)})
	if err := r.Validate(); err == nil {
		t.Error("valid in a file of TASO's")
	}
	if ps := r.Problems(tasopb.Allow{Parallel: true}); len(ps) > 0 {
		t.Error(ps)
	}
}

func ExampleParallel() {
	r := parallelRule([]tasopb.Operator{lay(tasopb.OpReplicate, 0, 2, -1), lay(tasopb.OpReduce, 0, 2, 0)},
		[]tasopb.Operator{on(tasopb.OpEwAdd, -1, -1, -1)})
	fmt.Println(taso.Parallel(&r), r.String())
	fmt.Print(law.Format(taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{r}}, taso.Reading{})[0].Law))
	// Output:
	// true reduce[parallel_dim=0, parallel_degree=2](replicate[parallel_dim=0, parallel_degree=2](x1)) => ewadd(x1, x1)
	// rule rule_0
	//   given X1 : [n1, P1..]
	//   then  reduce(partition[axis=0, on=2](combine[axis=0](replicate[on=2](X1)))) == ewadd(X1, X1)
}
