package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

const axioms = `
# Axioms for the tests of this package.
axiom add_comm
  given X : [P..], Y : [P..]
  then  ewadd(X, Y) == ewadd(Y, X)
axiom relu_concat
  given f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..]
  then  f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))
axiom zero_slice
  given f : zero1, X : [n]
  then  f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))
axiom slice_first
  given X : [a], Y : [b]
  then  slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X
axiom enlarge_same
  given X : [o, c, h, w]
  then  enlarge[kh=h, kw=w](X) == X
axiom slice_all
  given X : [n]
  then  slice[axis=0, lo=0, hi=n](X) == X
axiom matmul_assoc
  given A : [B.., m, k], X : [B.., k, l], Y : [B.., l, n]
  then  matmul(A, matmul(X, Y)) == matmul(matmul(A, X), Y)
axiom conv_relu
  given s : stride, p : padding, X : [b, c, h, w], W : [o, c, i, j]
  then  conv2d[stride=s, pad=p, act=relu](X, W) == relu(conv2d[stride=s, pad=p](X, W))
axiom same_conv
  given q : same, X : [b, c, h, w]
  then  conv2d[pad=q](X, iconv[c=c, kh=3, kw=3]()) == X
axiom odd_only
  given X : [n]
  where n % 2 == 1
  then  relu(X) == X
axiom small_only
  given X : [n], Y : [m]
  where n < m
  then  concat[axis=0](X, Y) == concat[axis=0](X, Y)
axiom one_way
  given X : [n], Y : [m]
  then  slice[axis=0, lo=1, hi=n](X) => slice[axis=0, lo=1, hi=n](relu(X))
axiom both_halves
  given X : [a], Y : [b]
  then  (slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)), slice[axis=0, lo=a, hi=a+b](concat[axis=0](X, Y))) == (X, Y)
axiom both_cuts
  given X : [n]
  then  (slice[axis=0, lo=0, hi=k](X), slice[axis=0, lo=0, hi=m](X)) == (relu(slice[axis=0, lo=0, hi=k](X)), slice[axis=0, lo=0, hi=m](X))
axiom cut_twice
  given X : [n]
  then  (slice[axis=0, lo=0, hi=k](X), X) => (slice[axis=0, lo=0, hi=k](relu(X)), X)
lemma swapped
  given X : [P..], Y : [P..]
  then  ewadd(Y, X) == ewadd(X, Y)
refute false_law
  given X : [n]
  then  relu(X) == X
`

type binds = map[string]string

func inst(name string, tensors, dims, runs, attrs, fns binds) law.InstanceText {
	return law.InstanceText{Law: name, Tensors: tensors, Dims: dims, Runs: runs, Attrs: attrs, Fns: fns}
}

func use(t testing.TB) check.Laws {
	t.Helper()
	laws, err := law.Parse("axioms", []byte(axioms))
	if err != nil {
		t.Fatal(err)
	}
	out := check.Laws{}
	for _, l := range laws {
		if l.Kind == law.Axiom {
			out[l.Name] = l
		}
	}
	return out
}

func run(t testing.TB, text string, proof ...law.InstanceText) (*check.Result, error) {
	t.Helper()
	laws := use(t)
	e := law.TextEntry("r", text, proof)
	l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := laws[n]; return ax, ok })
	if err != nil {
		return nil, err
	}
	r, err := check.Rule(l, p, laws)
	var z check.Z3
	defer z.Close()
	if e := z.Rule(context.Background(), l, p, laws); err == nil && e != nil {
		t.Errorf("%s: z3 disagrees: %v", text, e)
	}
	return r, err
}

func TestRule(t *testing.T) {
	chain := "rule r\n given A : [m, k], B : [k, l], C : [l, n]\n then matmul(A, matmul(B, C)) == matmul(matmul(A, B), C)"
	chainDims := binds{"m": "m", "k": "k", "l": "l", "n": "n"}
	tensors := binds{"A": "A", "X": "B", "Y": "C"}
	run0 := binds{"B": "[]"}
	conv := "rule r\n given s : stride, p : padding, X : [b, c, h, w], W : [o, c, 3, 3]\n" +
		" then conv2d[stride=s, pad=p, act=relu](X, W) == relu(conv2d[stride=s, pad=p](X, W))"
	convDims := binds{"b": "b", "c": "c", "h": "h", "w": "w", "o": "o", "i": "3", "j": "3"}
	convArgs := binds{"X": "X", "W": "W"}
	first := "rule r\n given X : [a], Y : [b]\n then slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y))) %s X"
	firstInst := inst("slice_first", binds{"X": "X", "Y": "slice[axis=0, lo=1, hi=2](Y)"}, binds{"a": "a", "b": "1"}, nil, nil, nil)
	half := "rule r\n given X : [a], Z : [c]\n then "
	halfOf := func(text string) string {
		return strings.ReplaceAll(half+text, "H", "slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=0, hi=b](Z)))")
	}
	halfInst := inst("both_halves", binds{"X": "X", "Y": "slice[axis=0, lo=0, hi=b](Z)"}, binds{"a": "a", "b": "b"}, nil, nil, nil)
	cuts := "rule r\n given X : [n]\n then slice[axis=0, lo=0, hi=2](X) == relu(slice[axis=0, lo=0, hi=2](X))"
	cutsInst := inst("both_cuts", binds{"X": "X"}, binds{"n": "n", "k": "2", "m": "5"}, nil, nil, nil)
	relu := "rule r\n given X : [n]\n then relu(X) == X"
	leaky := "rule r\n given X : [n], Y : [n]\n then leakyrelu[alpha=0.1](concat[axis=0](X, Y)) == concat[axis=0](leakyrelu[alpha=0.1](X), leakyrelu[alpha=0.1](Y))"
	leakyInst := func(f string) law.InstanceText {
		return inst("relu_concat", binds{"X": "X", "Y": "Y"}, binds{"a": "n", "b": "n"}, binds{"P": "[]", "S": "[]"}, nil, binds{"f": f})
	}
	clip := "rule r\n given X : [n]\n then clip[lo=%[1]f, hi=%[2]f](slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](clip[lo=%[1]f, hi=%[2]f](X))"
	clipInst := func(f string) law.InstanceText {
		return inst("zero_slice", binds{"X": "X"}, binds{"n": "n"}, nil, nil, binds{"f": f})
	}
	for _, c := range []struct {
		name, law string
		proof     []law.InstanceText
		want      string // in the reason, "" for acceptance
	}{
		{"chain", chain, []law.InstanceText{inst("matmul_assoc", tensors, chainDims, run0, nil, nil)}, ""},
		{"no proof", chain, nil, "do not make"},
		{"both sides the same", "rule r\n given X : [n]\n then relu(X) == relu(X)", nil, ""},
		{"no such law", chain, []law.InstanceText{inst("nothing", tensors, chainDims, run0, nil, nil)}, `no axiom or proved lemma "nothing"`},
		{"a lemma that is not proved", chain, []law.InstanceText{inst("swapped", tensors, nil, nil, nil, nil)}, "no axiom or proved lemma"},
		{"a refute is no law", relu, []law.InstanceText{inst("false_law", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, "no axiom"},
		{"tensor not bound", chain, []law.InstanceText{inst("matmul_assoc", binds{"A": "A", "X": "B"}, chainDims, run0, nil, nil)}, "tensor Y is not bound"},
		{"size not bound", chain, []law.InstanceText{inst("matmul_assoc", tensors, binds{"m": "m", "k": "k", "l": "l"}, run0, nil, nil)}, "size n is not bound"},
		{"run not bound", chain, []law.InstanceText{inst("matmul_assoc", tensors, chainDims, nil, nil, nil)}, "run B is not bound"},
		{"something else bound", chain, []law.InstanceText{inst("matmul_assoc", tensors, chainDims, binds{"B": "[]", "P": "[m]"}, nil, nil)}, "variables are bound"},
		{"wrong size", chain, []law.InstanceText{inst("matmul_assoc", tensors, binds{"m": "m", "k": "k", "l": "l", "n": "n+1"}, run0, nil, nil)}, "want [l, n+1]"},
		{"wrong run", chain, []law.InstanceText{inst("matmul_assoc", tensors, chainDims, binds{"B": "[m]"}, nil, nil)}, "has shape"},
		{"wrong tensors", chain, []law.InstanceText{inst("matmul_assoc", binds{"A": "B", "X": "A", "Y": "C"}, chainDims, run0, nil, nil)}, "has shape"},
		{"size that is no variable", chain, []law.InstanceText{inst("matmul_assoc", tensors, binds{"m": "m", "k": "k", "l": "l", "n": "q"}, run0, nil, nil)}, "q is not a size"},
		{"numbers that overflow", "rule r\n given X : [1048576*n]\n then relu(X) == relu(X)", []law.InstanceText{
			inst("slice_all", binds{"X": "X"}, binds{"n": "1048577*n"}, nil, nil, nil)}, "want [1048577*n]"},
		{"tensor that is no variable", chain, []law.InstanceText{inst("matmul_assoc", binds{"A": "A", "X": "B", "Y": "Q"}, chainDims, run0, nil, nil)}, "tensor Q"},
		{"ill-typed rule", "rule r\n given A : [m, k], B : [k, l]\n then matmul(B, A) == matmul(A, B)", nil, "left side"},
		{"sides of two shapes", "rule r\n given A : [m, k]\n then relu(A) == transpose(A)", nil, "has shape"},
		{"congruence", "rule r\n given X : [n], Y : [n]\n then relu(ewadd(X, Y)) == relu(ewadd(Y, X))",
			[]law.InstanceText{inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[n]"}, nil, nil)}, ""},
		{"equal to something else", "rule r\n given X : [n], Y : [n]\n then relu(ewadd(X, Y)) == relu(X)",
			[]law.InstanceText{inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[n]"}, nil, nil)}, "do not make"},
		{"runs of the rule", "rule r\n given X : [P..], Y : [P..]\n then ewadd(X, Y) == ewadd(Y, X)",
			[]law.InstanceText{inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[P..]"}, nil, nil)}, ""},
		{"attributes", conv, []law.InstanceText{inst("conv_relu", convArgs, convDims, nil, binds{"s": "s", "p": "p"}, nil)}, ""},
		{"wrong stride", conv, []law.InstanceText{inst("conv_relu", convArgs, convDims, nil, binds{"s": "(1, 1)", "p": "p"}, nil)}, "do not make"},
		{"stride for a padding", conv, []law.InstanceText{inst("conv_relu", convArgs, convDims, nil, binds{"s": "s", "p": "s"}, nil)}, "padding"},
		{"padding for a same", "rule r\n given p : padding, X : [b, c, h, w]\n then relu(X) == X",
			[]law.InstanceText{inst("same_conv", binds{"X": "X"}, binds{"b": "b", "c": "c", "h": "h", "w": "w"}, nil, binds{"q": "p"}, nil)}, "same"},
		{"valid for a same", "rule r\n given X : [b, c, h, w]\n then conv2d[pad=valid](X, iconv[c=c, kh=3, kw=3]()) == X",
			[]law.InstanceText{inst("same_conv", binds{"X": "X"}, binds{"b": "b", "c": "c", "h": "h", "w": "w"}, nil, binds{"q": "valid"}, nil)}, "not a value of sort same"},
		{"relu is a function", "rule r\n given X : [n], Y : [n]\n then relu(concat[axis=0](X, Y)) == concat[axis=0](relu(X), relu(Y))",
			[]law.InstanceText{inst("relu_concat", binds{"X": "X", "Y": "Y"}, binds{"a": "n", "b": "n"}, binds{"P": "[]", "S": "[]"}, nil, binds{"f": "relu"})}, ""},
		{"ewadd is not", "rule r\n given X : [n], Y : [n]\n then relu(concat[axis=0](X, Y)) == concat[axis=0](relu(X), relu(Y))",
			[]law.InstanceText{inst("relu_concat", binds{"X": "X", "Y": "Y"}, binds{"a": "n", "b": "n"}, binds{"P": "[]", "S": "[]"}, nil, binds{"f": "ewadd"})}, "is no function of the rule"},
		{"any function for one with f(0) = 0", "rule r\n given g : pointwise1, X : [n]\n then g(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](g(X))",
			[]law.InstanceText{inst("zero_slice", binds{"X": "X"}, binds{"n": "n"}, nil, nil, binds{"f": "g"})}, "is not of sort zero1"},
		{"one with f(0) = 0 for any", "rule r\n given g : zero1, X : [n], Y : [n]\n then g(concat[axis=0](X, Y)) == concat[axis=0](g(X), g(Y))",
			[]law.InstanceText{inst("relu_concat", binds{"X": "X", "Y": "Y"}, binds{"a": "n", "b": "n"}, binds{"P": "[]", "S": "[]"}, nil, binds{"f": "g"})}, ""},
		{"a function with parameters", leaky, []law.InstanceText{leakyInst("leakyrelu[alpha=0.1]")}, ""},
		{"other parameters", leaky, []law.InstanceText{leakyInst("leakyrelu[alpha=0.2]")}, "do not make"},
		{"without its parameters", leaky, []law.InstanceText{leakyInst("leakyrelu")}, "is no function of the rule"},
		{"a parameter that is no number", leaky, []law.InstanceText{leakyInst("leakyrelu[alpha=(1, 2)]")}, "is no function of the rule"},
		{"a parameter that the rule has not", leaky, []law.InstanceText{leakyInst("leakyrelu[alpha=e]")}, "e"},
		{"a parameter of the rule", strings.Replace(strings.ReplaceAll(leaky, "0.1", "e"), "given ", "given e : number, ", 1),
			[]law.InstanceText{leakyInst("leakyrelu[alpha=e]")}, ""},
		{"a function that is 0 at 0 for its parameters", fmt.Sprintf(clip, 0.0, 6.0), []law.InstanceText{clipInst("clip[lo=0.0, hi=6.0]")}, ""},
		{"and for others is not", fmt.Sprintf(clip, 1.0, 6.0), []law.InstanceText{clipInst("clip[lo=1.0, hi=6.0]")}, "is not of sort zero1"},
		{"a condition that is not given", relu, []law.InstanceText{inst("odd_only", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, "not given"},
		{"a condition that is given", "rule r\n given X : [n]\n where n % 2 == 1\n then relu(X) == X", []law.InstanceText{inst("odd_only", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, ""},
		{"a condition that is decided", "rule r\n given X : [3]\n then relu(X) == X", []law.InstanceText{inst("odd_only", binds{"X": "X"}, binds{"n": "3"}, nil, nil, nil)}, ""},
		{"a condition that is false", "rule r\n given X : [4]\n then relu(X) == X", []law.InstanceText{inst("odd_only", binds{"X": "X"}, binds{"n": "4"}, nil, nil, nil)}, "is false"},
		{"an inequality that is not given", "rule r\n given X : [n], Y : [m]\n then concat[axis=0](X, Y) == concat[axis=0](X, Y)",
			[]law.InstanceText{inst("small_only", binds{"X": "X", "Y": "Y"}, binds{"n": "n", "m": "m"}, nil, nil, nil)}, "does not give"},
		{"an inequality that follows", "rule r\n given X : [n], Y : [m]\n where n + 2 <= m\n then concat[axis=0](X, Y) == concat[axis=0](X, Y)",
			[]law.InstanceText{inst("small_only", binds{"X": "X", "Y": "Y"}, binds{"n": "n", "m": "m"}, nil, nil, nil)}, ""},
		{"what is cut off may be undefined", strings.ReplaceAll(first, "%s", "=="), []law.InstanceText{firstInst}, "can only be written =>"},
		{"but not left to right", strings.ReplaceAll(first, "%s", "=>"), []law.InstanceText{firstInst}, ""},
		{"nor the other way round", "rule r\n given X : [a], Y : [b]\n then X => slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y)))",
			[]law.InstanceText{firstInst}, "left to right"},
		{"one output of two", halfOf("X => H"), []law.InstanceText{halfInst}, "left to right"},
		{"one output of two, both ways", halfOf("H == X"), []law.InstanceText{halfInst}, "can only be written =>"},
		{"one output of two, where it is defined", halfOf("H => X"), []law.InstanceText{halfInst}, ""},
		{"one output of two, the other given", strings.Replace(halfOf("X == H"), "then", "where b <= c then", 1), []law.InstanceText{halfInst}, ""},
		{"an output beside one that may be undefined", cuts, []law.InstanceText{cutsInst}, "does not give"},
		{"an output beside one that is not", strings.Replace(cuts, "then", "where 5 <= n then", 1), []law.InstanceText{cutsInst}, ""},
		{"an output of a one-way law whose left side may be undefined", "rule r given X : [n] then X => X", []law.InstanceText{
			inst("cut_twice", binds{"X": "X"}, binds{"n": "n", "k": "2"}, nil, nil, nil)}, "left to right"},
		{"a size of zero", "rule r\n given X : [n]\n then relu(X) == relu(X)", []law.InstanceText{inst("slice_all", binds{"X": "X"}, binds{"n": "0"}, nil, nil, nil)}, "want [0]"},
		{"split beside slice", "rule r\n given X : [n]\n then split[axis=0, at=1](X).0 => slice[axis=0, lo=0, hi=1](X)", nil, ""},
		{"slice beside split", "rule r\n given X : [n]\n then slice[axis=0, lo=0, hi=1](X) => split[axis=0, at=1](X).0", nil, "does not give"},
		{"a law of one way where its left side is defined", "rule r\n given X : [n]\n then slice[axis=0, lo=1, hi=n](relu(X)) => slice[axis=0, lo=1, hi=n](X)",
			[]law.InstanceText{inst("one_way", binds{"X": "X", "Y": "X"}, binds{"n": "n", "m": "n"}, nil, nil, nil)}, ""},
		{"two outputs, one shown", "rule r\n given X : [n], Y : [n]\n then (ewadd(X, Y), ewadd(X, relu(Y))) == (ewadd(Y, X), ewadd(relu(Y), X))",
			[]law.InstanceText{inst("add_comm", binds{"X": "X", "Y": "Y"}, nil, binds{"P": "[n]"}, nil, nil)}, "output 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := run(t, c.law, c.proof...)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("rejected: %v", err)
			case c.want == "" && !r.Forward:
				t.Error("accepted without a direction")
			case c.want != "" && err == nil:
				t.Errorf("accepted, want a reason with %q", c.want)
			case c.want != "" && !strings.Contains(err.Error(), c.want):
				t.Errorf("reason %q, want it to hold %q", err, c.want)
			}
		})
	}
}
