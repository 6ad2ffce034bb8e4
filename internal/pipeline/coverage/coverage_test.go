package coverage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
)

type params = []tasopb.Parameter

func in(ids ...int32) (out []tasopb.Tensor) {
	for _, id := range ids {
		out = append(out, tasopb.Tensor{OpID: id})
	}
	return out
}

func op(t tasopb.OpType, p params, inputs ...int32) tasopb.Operator {
	return tasopb.Operator{Type: t, Inputs: in(inputs...), Params: p}
}

func conv(act tasopb.Activation, x, w int32) tasopb.Operator {
	return op(tasopb.OpConv2D, params{{Key: tasopb.ParamKernelH, Value: 3}, {Key: tasopb.ParamKernelW, Value: 3},
		{Key: tasopb.ParamStrideH, Value: 1}, {Key: tasopb.ParamStrideW, Value: 1},
		{Key: tasopb.ParamPad, Value: int32(tasopb.PadSame)}, {Key: tasopb.ParamActi, Value: int32(act)}}, x, w)
}

func concat(axis, rank int32, x, y int32) tasopb.Operator {
	return op(tasopb.OpConcat, params{{Key: tasopb.ParamNumInputs, Value: 2}, {Key: tasopb.ParamAxis, Value: axis},
		{Key: tasopb.ParamNumDim, Value: rank}}, x, y)
}

// rule maps the last operator of each side.
func rule(src, dst []tasopb.Operator) tasopb.Rule {
	return tasopb.Rule{SrcOps: src, DstOps: dst,
		Mapped: []tasopb.MapOutput{{SrcOpID: int32(len(src) - 1), DstOpID: int32(len(dst) - 1)}}}
}

type ops = []tasopb.Operator

// handmade are equalities of every kind with respect to smallSet.
func handmade() *tasopb.RuleCollection {
	add, mul, relu := tasopb.OpEwAdd, tasopb.OpEwMul, tasopb.OpRelu
	return &tasopb.RuleCollection{Rules: []tasopb.Rule{
		// relu(conv(x, w)) = conv_relu(x, w): the rule of the set at one padding and stride
		rule(ops{conv(tasopb.ActNone, -7, -10), op(relu, nil, 0)}, ops{conv(tasopb.ActRelu, -7, -10)}),
		// (x + y) + (z + u) = (x + z) + (y + u): by associativity and commutativity
		rule(ops{op(add, nil, -1, -2), op(add, nil, -3, -3), op(add, nil, 0, 1)},
			ops{op(add, nil, -1, -3), op(add, nil, -2, -3), op(add, nil, 0, 1)}),
		// x * (y * z) = (x * y) * z: not in the set
		rule(ops{op(mul, nil, -2, -3), op(mul, nil, -1, 0)}, ops{op(mul, nil, -1, -2), op(mul, nil, 0, -3)}),
		// x + y = x * y
		rule(ops{op(add, nil, -1, -2)}, ops{op(mul, nil, -1, -2)}),
		// concat of convolutions = grouped convolution, for equal sizes only
		rule(ops{conv(tasopb.ActNone, -7, -10), conv(tasopb.ActNone, -8, -11), concat(1, 4, 0, 1)},
			ops{concat(1, 4, -7, -8), concat(0, 4, -10, -11), conv(tasopb.ActNone, 0, 1)}),
		// dropout has no meaning here
		rule(ops{op(tasopb.OpDropout, nil, -1)}, ops{op(relu, nil, -1)}),
	}}
}

const smallSet = `
rule conv_relu_
  given p : padding, s : stride, X : [b, c, h, w], W : [o, c, kh, kw]
  then  relu(conv2d[stride=s, pad=p](X, W)) == conv2d[stride=s, pad=p, act=relu](X, W)
rule assoc_
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))
`

func small(t testing.TB) *rules.Set {
	t.Helper()
	laws, err := law.Parse("small", []byte(smallSet))
	if err != nil {
		t.Fatal(err)
	}
	set := &rules.Set{}
	for _, l := range laws {
		r, err := rules.New(l)
		if err != nil {
			t.Fatal(err)
		}
		r.Status = rules.Proved
		set.Add(r)
	}
	return set
}

func TestRun(t *testing.T) {
	rep, err := Run(context.Background(), Options{Collection: handmade(), Set: small(t)})
	if err != nil {
		t.Fatal(err)
	}
	type short struct {
		Kind  Kind
		Sizes Sizes
	}
	want := []short{{InSet, General}, {Derived, General}, {Gap, General}, {Refuted, Literal}, {Gap, Tied}, {Untyped, General}}
	best := rep.Best()
	if len(best) != len(want) {
		t.Fatalf("%d verdicts, want %d", len(best), len(want))
	}
	for i, v := range best {
		if v.Rule != i || (short{v.Kind, v.Sizes}) != want[i] {
			t.Errorf("equality %d: %s, %s, want %v\n%s\n%s", v.Rule, v.Kind, v.Sizes, want[i], v.Law, v.Reason)
		}
		switch v.Kind {
		case InSet, Derived, Gap:
			if len(v.By) == 0 || v.Law == "" {
				t.Errorf("equality %d: what it follows from is not said", i)
			}
		default:
			if v.Reason == "" {
				t.Errorf("equality %d: %s without a reason", i, v.Kind)
			}
		}
		if v.Sizes == Tied && v.General == "" {
			t.Errorf("equality %d: no counterexample to the general form", i)
		}
	}
	var gaps []int
	for _, v := range rep.Gaps() {
		gaps = append(gaps, v.Rule)
	}
	if want := []int{2, 4, 4, 5}; !reflect.DeepEqual(gaps, want) {
		t.Errorf("gaps %v, want %v", gaps, want)
	}
}

// The report does not depend on the number of workers.
func TestRunWorkers(t *testing.T) {
	var reps []*Report
	for _, n := range []int{1, 3} {
		rep, err := Run(context.Background(), Options{Collection: handmade(), Set: small(t), Workers: n})
		if err != nil {
			t.Fatal(err)
		}
		reps = append(reps, rep)
	}
	if !reflect.DeepEqual(reps[0], reps[1]) {
		t.Errorf("one worker: %+v\nthree: %+v", reps[0], reps[1])
	}
}

func TestRunErrors(t *testing.T) {
	if _, err := Run(context.Background(), Options{}); err == nil {
		t.Error("no collection: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Collection: handmade(), Set: small(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func ExampleRun() {
	relu := tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}}
	twice := tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: 0}}}
	c := &tasopb.RuleCollection{Rules: []tasopb.Rule{{
		SrcOps: []tasopb.Operator{relu, twice}, DstOps: []tasopb.Operator{relu},
		Mapped: []tasopb.MapOutput{{SrcOpID: 1, DstOpID: 0}},
	}}}
	rep, err := Run(context.Background(), Options{Collection: c, Set: &rules.Set{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range rep.Gaps() {
		fmt.Println(v.Kind, v.By)
		fmt.Println(v.Law)
	}
	// Output:
	// gap [relu_relu]
	// rule rule_0
	//   given X1 : [P1..]
	//   then  relu(relu(X1)) == relu(X1)
}
