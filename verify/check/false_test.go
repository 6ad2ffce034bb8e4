package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// trueLaws are true; falseRules use them for rules that are false, or not shown.
const trueLaws = `
axiom zero
  given X : [P..], Y : [P..]
  then  ewadd(X, ewsub(Y, Y)) == X
axiom first
  given X : [a], Y : [b]
  then  slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X
axiom before_ones
  given X : [a]
  then  slice[axis=0, lo=0, hi=a](concat[axis=0](X, one[shape=[b]]())) == X
axiom cut_cut
  given X : [n]
  then  slice[axis=0, lo=0, hi=a](slice[axis=0, lo=0, hi=a+b](X)) == slice[axis=0, lo=0, hi=a](slice[axis=0, lo=0, hi=a+2*b](X))
axiom small
  given X : [n], Y : [m]
  where n <= m
  then  slice[axis=0, lo=0, hi=n](Y) == slice[axis=0, lo=0, hi=n](relu(Y))
axiom unequal
  given X : [n]
  where n != k
  then  relu(X) == one[shape=[n]]()
axiom exactly
  given X : [n]
  where n == k
  then  relu(X) == one[shape=[n]]()
axiom odd
  given X : [n]
  where n % 2 == 1
  then  relu(X) == X
axiom by_any
  given X : [n]
  where n % k == 0
  then  relu(X) == X
axiom zero_slice
  given f : zero1, X : [n]
  then  f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))
axiom same_pool
  given q : same, s : stride, X : [b, c, h, w]
  then  poolmax[kh=k, kw=l, stride=s, pad=q](X) == relu(poolmax[kh=k, kw=l, stride=s, pad=q](X))
axiom pool_twice
  given p : padding, s : stride, X : [b, c, h, w]
  then  poolmax[kh=k, kw=l, stride=s, pad=p](X) == relu(poolmax[kh=k, kw=l, stride=s, pad=p](X))
axiom halved
  given X : [2*n]
  then  relu(X) == X
axiom unused
  given X : [n], Y : [m]
  then  relu(X) == X
axiom one_is
  then  one[shape=[n]]() == relu(one[shape=[n]]())
axiom one_of_products
  then  one[shape=[a*b*c*d*e*f]]() == relu(one[shape=[a*b*c*d*e*f]]())
axiom first_pad
  given q : padding, X : [b, c, h, w], Y : [b, c, window(h,k,(1,1),q,0), window(w,k,(1,1),q,1)]
  then  ewadd(Y, ewsub(poolmax[kh=k, kw=k, pad=q](X), poolmax[kh=k, kw=k, pad=q](X))) => Y
axiom copies
  given X : [a]
  then  sign(reducesum[axes=(0)](broadcast[shape=[n, a]](one[shape=[a]]()))) == one[shape=[a]]()
axiom some_places
  given X : [n], I : [k]
  then  slice[axis=0, lo=i-1, hi=j](gather[axis=0](X, I)) => gather[axis=0](X, slice[axis=0, lo=i-1, hi=j](I))
`

// TestFalseRules: each rule would follow from true laws if one condition were
// forgotten.
func TestFalseRules(t *testing.T) {
	laws, err := law.Parse("laws", []byte(trueLaws))
	if err != nil {
		t.Fatal(err)
	}
	use := check.Laws{}
	for _, l := range laws {
		use[l.Name] = l
	}
	zero := func(y, run string) law.InstanceText {
		return inst("zero", binds{"X": "X", "Y": y}, nil, binds{"P": run}, nil, nil)
	}
	const (
		big    = "reshape[shape=[524288, 524288, 524288, 524288]](Z)"
		five   = "reshape[shape=[65536, 65536, 65536, 65536, 65536]](Z)"
		sum    = "a+b+c+d+e+f+g+h+i+j+k+l"
		four   = "[524288, 524288, 524288, 524288]"
		pool   = "poolmax[kh=k, kw=l, stride=s, pad=p](Z)"
		out    = "[b, c, window(h,k,s,p,0), window(w,l,s,p,1)]"
		conv   = "conv2d[pad=valid, groups=g](Z, W)"
		look   = "gather[axis=0](X, I)"
		cut    = "slice[axis=0, lo=0, hi=5](Z)"
		folded = "broadcast[shape=[n]](reducesum[axes=(0)](" + cut + "))"
		edge   = "slice[axis=0, lo=0, hi=window(h-5,2,(2,2),(1,1,1,1),0)](Z)"
	)
	for _, c := range []struct {
		name, law string
		proof     []law.InstanceText
		want      string // in the reason, "" for acceptance
	}{
		{"elements that wrap to 0", "given X : " + four + ", Z : [1048576, 1048576, 1048576, 1048576] then ewadd(X, ewsub(" + big + ", " + big + ")) == X",
			[]law.InstanceText{zero(big, four)}, "do not become"},
		{"elements that are as many", "given X : [65536, 65536, 65536, 65536, 65536], Z : [1048576, 1048576, 1048576, 1048576] then ewadd(X, ewsub(" + five + ", " + five + ")) == X",
			[]law.InstanceText{zero(five, "[65536, 65536, 65536, 65536, 65536]")}, ""},
		{"what is infinite less itself", "given X : [n], Z : [n] then X => ewadd(X, ewsub(leakyrelu[alpha=inf](Z), leakyrelu[alpha=inf](Z)))",
			[]law.InstanceText{zero("leakyrelu[alpha=inf](Z)", "[n]")}, "no real number"},
		{"a bound that is infinite", "given X : [n], Z : [n] then X => ewadd(X, ewsub(clip[lo=inf, hi=inf](Z), clip[lo=inf, hi=inf](Z)))",
			[]law.InstanceText{zero("clip[lo=inf, hi=inf](Z)", "[n]")}, "no real number"},
		{"a bound that is absent", "given X : [n], Z : [n] then X => ewadd(X, ewsub(clip[lo=0.0, hi=inf](Z), clip[lo=0.0, hi=inf](Z)))",
			[]law.InstanceText{zero("clip[lo=0.0, hi=inf](Z)", "[n]")}, ""},

		{"a power of a sum", "given X : [a, b, c, d, e, f, g, h, i, j, k, l] then relu(X) == relu(X)",
			[]law.InstanceText{inst("one_of_products", nil, binds{"a": sum, "b": sum, "c": sum, "d": sum, "e": sum, "f": sum}, nil, nil, nil)}, "terms"},
		{"a size function below 1 on an axis", "given X : [n], Z : [window(h, k, (2, 2), valid, 0)+4] where 6 <= k then X => ewadd(X, ewsub(" + folded + ", " + folded + "))",
			[]law.InstanceText{zero(folded, "[n]")}, "does not give"},
		{"a pool on one side", "given s : stride, p : padding, X : " + out + ", Z : [b, c, h, w] then X => ewadd(X, ewsub(" + pool + ", " + pool + "))",
			[]law.InstanceText{zero(pool, out)}, "does not give"},
		{"a pool on one side, left to right", "given s : stride, p : padding, X : " + out + ", Z : [b, c, h, w] then ewadd(X, ewsub(" + pool + ", " + pool + ")) => X",
			[]law.InstanceText{zero(pool, out)}, ""},
		{"groups on one side", "given X : [b, o, h, w], Z : [b, g*c, h, w], W : [o, c, 1, 1] then X => ewadd(X, ewsub(" + conv + ", " + conv + "))",
			[]law.InstanceText{zero(conv, "[b, o, h, w]")}, "g divides o"},
		{"groups on one side that divide", "given X : [b, g*o, h, w], Z : [b, g*c, h, w], W : [g*o, c, 1, 1] then X == ewadd(X, ewsub(" + conv + ", " + conv + "))",
			[]law.InstanceText{zero(conv, "[b, g*o, h, w]")}, ""},
		{"a size that may be 0", "given X : [n], A : [a], B : [b] then X => slice[axis=0, lo=0, hi=n](concat[axis=0](X, one[shape=[a-b]]()))",
			[]law.InstanceText{inst("before_ones", binds{"X": "X"}, binds{"a": "n", "b": "a-b"}, nil, nil, nil)}, "does not give"},
		{"a size that may be 0 and is not", "given X : [n], A : [a], B : [b] where b < a then X == slice[axis=0, lo=0, hi=n](concat[axis=0](X, one[shape=[a-b]]()))",
			[]law.InstanceText{inst("before_ones", binds{"X": "X"}, binds{"a": "n", "b": "a-b"}, nil, nil, nil)}, ""},
		{"a size that is never 1", "given X : [n] then X == slice[axis=0, lo=0, hi=n](concat[axis=0](X, one[shape=[0-n]]()))",
			[]law.InstanceText{inst("before_ones", binds{"X": "X"}, binds{"a": "n", "b": "0-n"}, nil, nil, nil)}, "never"},
		{"sides undefined for other sizes", "given X : [n] then slice[axis=0, lo=0, hi=a](slice[axis=0, lo=0, hi=a+b](X)) == slice[axis=0, lo=0, hi=a](slice[axis=0, lo=0, hi=a+2*b](X))",
			nil, "do not make"},
		{"a condition the other way round", "given X : [n], Y : [m] where m <= n then slice[axis=0, lo=0, hi=n](Y) == slice[axis=0, lo=0, hi=n](relu(Y))",
			[]law.InstanceText{inst("small", binds{"X": "X", "Y": "Y"}, binds{"n": "n", "m": "m"}, nil, nil, nil)}, ""},
		{"a condition that nothing gives", "given X : [n], Y : [m] where m <= 2*n then concat[axis=0](X, relu(Y)) == concat[axis=0](X, Y)",
			[]law.InstanceText{inst("odd", binds{"X": "Y"}, binds{"n": "m"}, nil, nil, nil)}, "not given"},
		{"sizes that need not differ", "given X : [n] then relu(X) == one[shape=[n]]()",
			[]law.InstanceText{inst("unequal", binds{"X": "X"}, binds{"n": "n", "k": "2"}, nil, nil, nil)}, "not given"},
		{"sizes that are the same", "given X : [n] then relu(X) == one[shape=[n]]()",
			[]law.InstanceText{inst("unequal", binds{"X": "X"}, binds{"n": "n", "k": "n"}, nil, nil, nil)}, "is false"},
		{"sizes that differ", "given X : [n+2] then relu(X) == one[shape=[n+2]]()",
			[]law.InstanceText{inst("unequal", binds{"X": "X"}, binds{"n": "n+2", "k": "1"}, nil, nil, nil)}, ""},
		{"sizes that need not be the same", "given X : [n] where n <= 3 then relu(X) == one[shape=[n]]()",
			[]law.InstanceText{inst("exactly", binds{"X": "X"}, binds{"n": "n", "k": "3"}, nil, nil, nil)}, "does not give"},
		{"sizes that are", "given X : [n] where n <= 3 and 3 <= n then relu(X) == one[shape=[n]]()",
			[]law.InstanceText{inst("exactly", binds{"X": "X"}, binds{"n": "n", "k": "3"}, nil, nil, nil)}, ""},
		{"a remainder of another divisor", "given X : [n] where n % 3 == 1 then relu(X) == X",
			[]law.InstanceText{inst("odd", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, "not given"},
		{"a remainder that is none", "given X : [n] where n % 2 == 3 then relu(X) == X",
			[]law.InstanceText{inst("odd", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, "not given"},
		{"a remainder of an even size", "given X : [2*n] where n % 2 == 1 then relu(X) == X",
			[]law.InstanceText{inst("odd", binds{"X": "X"}, binds{"n": "2*n"}, nil, nil, nil)}, "not given"},
		{"a remainder by 0", "given X : [4] then relu(X) == X",
			[]law.InstanceText{inst("by_any", binds{"X": "X"}, binds{"n": "4", "k": "0"}, nil, nil, nil)}, "never"},
		{"a remainder by a size", "given X : [n*k] then relu(X) == X",
			[]law.InstanceText{inst("by_any", binds{"X": "X"}, binds{"n": "n*k", "k": "k"}, nil, nil, nil)}, "not given"},
		{"a slope that is infinite", "given X : [n] then leakyrelu[alpha=inf](slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](leakyrelu[alpha=inf](X))",
			[]law.InstanceText{inst("zero_slice", binds{"X": "X"}, binds{"n": "n"}, nil, nil, binds{"f": "leakyrelu[alpha=inf]"})}, "no real number"},
		{"a function that is 1 at 0", "given X : [n] then exp(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](exp(X))",
			[]law.InstanceText{inst("zero_slice", binds{"X": "X"}, binds{"n": "n"}, nil, nil, binds{"f": "exp"})}, "not of sort zero1"},
		{"a function of which nothing is known", "given f : pointwise1, X : [n] then f(slice[axis=0, lo=0, hi=1](X)) == slice[axis=0, lo=0, hi=1](f(X))",
			[]law.InstanceText{inst("zero_slice", binds{"X": "X"}, binds{"n": "n"}, nil, nil, binds{"f": "f"})}, "not of sort zero1"},
		{"any padding for a same one", "given p : padding, X : [b, c, h, w] then poolmax[kh=2, kw=2, pad=p](X) == relu(poolmax[kh=2, kw=2, pad=p](X))",
			[]law.InstanceText{inst("same_pool", binds{"X": "X"}, binds{"b": "b", "c": "c", "h": "h", "w": "w", "k": "2", "l": "2"}, nil, binds{"q": "p", "s": "(1, 1)"}, nil)}, "sort same"},
		{"a padding of one variable for that of another", "given p : padding, q : same, s : stride, X : [b, c, h, w] then poolmax[kh=2, kw=2, stride=s, pad=p](X) == relu(poolmax[kh=2, kw=2, stride=s, pad=p](X))",
			[]law.InstanceText{inst("pool_twice", binds{"X": "X"}, binds{"b": "b", "c": "c", "h": "h", "w": "w", "k": "2", "l": "2"}, nil, binds{"p": "q", "s": "s"}, nil)}, "do not make"},
		{"a size that is no multiple", "given X : [n] then relu(X) == X",
			[]law.InstanceText{inst("halved", binds{"X": "X"}, binds{"n": "n"}, nil, nil, nil)}, "want [2*n]"},
		{"a tensor that no side has, undefined", "given X : [n], Z : [c], B : [b] then X => relu(X)",
			[]law.InstanceText{inst("unused", binds{"X": "X", "Y": "slice[axis=0, lo=0, hi=b](Z)"}, binds{"n": "n", "m": "b"}, nil, nil, nil)}, "does not give"},
		{"a run with a size that may be 0", "given X : [n], A : [a], B : [b] then relu(X) == relu(X)",
			[]law.InstanceText{inst("zero", binds{"X": "one[shape=[a-b]]()", "Y": "one[shape=[a-b]]()"}, nil, binds{"P": "[a-b]"}, nil, nil)}, "does not give"},
		{"a window of other pads", "given p : padding, q : padding, X : [b, c, h, w], Y : [b, c, window(h,k,(1,1),q,0), window(w,k,(1,1),q,1)] then ewadd(Y, ewsub(poolmax[kh=k, kw=k, pad=q](X), poolmax[kh=k, kw=k, pad=q](X))) == Y",
			[]law.InstanceText{inst("first_pad", binds{"X": "X", "Y": "Y"}, binds{"b": "b", "c": "c", "h": "h", "w": "w", "k": "k"}, nil, binds{"q": "p"}, nil)}, "has shape"},
		{"a one-way law backwards", "given q : padding, X : [b, c, h, w], Y : [b, c, window(h,k,(1,1),q,0), window(w,k,(1,1),q,1)] then Y => ewadd(Y, ewsub(poolmax[kh=k, kw=k, pad=q](X), poolmax[kh=k, kw=k, pad=q](X)))",
			[]law.InstanceText{inst("first_pad", binds{"X": "X", "Y": "Y"}, binds{"b": "b", "c": "c", "h": "h", "w": "w", "k": "k"}, nil, binds{"q": "q"}, nil)}, "does not give"},
		{"an end that a size function of nothing gives", "given X : [n], Z : [m] then ewadd(broadcast[shape=[window(h-5,2,(2,2),(1,1,1,1),0)]](reducesum[axes=(0)](X)), " + edge + ") => " +
			"ewadd(broadcast[shape=[window(h-5,2,(2,2),(1,1,1,1),0)]](reducesum[axes=(0)](slice[axis=0, lo=0, hi=n](concat[axis=0](X, one[shape=[h-5]]())))), " + edge + ")",
			[]law.InstanceText{inst("before_ones", binds{"X": "X"}, binds{"a": "n", "b": "h-5"}, nil, nil, nil)}, "does not give"},
		{"places where none are read", "given X : [n], I : [k] then I => ewadd(I, ewsub(" + look + ", " + look + "))",
			[]law.InstanceText{inst("zero", binds{"X": "I", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, "places that are looked up"},
		{"places that are read, right to left", "given X : [n], I : [k] then ewadd(I, ewsub(" + look + ", " + look + ")) => I",
			[]law.InstanceText{inst("zero", binds{"X": "I", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, ""},
		{"places of another tensor", "given X : [n], I : [k], J : [k] then gather[axis=0](X, J) => ewadd(gather[axis=0](X, J), ewsub(" + look + ", " + look + "))",
			[]law.InstanceText{inst("zero", binds{"X": "gather[axis=0](X, J)", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, "places that are looked up"},
		{"places in a longer table", "given X : [n], Y : [m], I : [k] then gather[axis=0](concat[axis=0](X, Y), I) => ewadd(gather[axis=0](concat[axis=0](X, Y), I), ewsub(" + look + ", " + look + "))",
			[]law.InstanceText{inst("zero", binds{"X": "gather[axis=0](concat[axis=0](X, Y), I)", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, "places that are looked up"},
		{"places in a shorter table", "given X : [n], Z : [m+n], I : [k] then ewadd(gather[axis=0](Z, I), " + look + ") == ewadd(ewadd(gather[axis=0](Z, I), " + look + "), ewsub(gather[axis=0](Z, I), gather[axis=0](Z, I)))",
			[]law.InstanceText{inst("zero", binds{"X": "ewadd(gather[axis=0](Z, I), " + look + ")", "Y": "gather[axis=0](Z, I)"}, nil, binds{"P": "[k]"}, nil, nil)}, ""},
		{"some places", "given X : [n], I : [k] then slice[axis=0, lo=1, hi=2](slice[axis=0, lo=1, hi=k](" + look + ")) => gather[axis=0](X, slice[axis=0, lo=1, hi=2](slice[axis=0, lo=1, hi=k](I)))",
			[]law.InstanceText{inst("some_places", binds{"X": "X", "I": "I"}, binds{"n": "n", "k": "k", "i": "2", "j": "k"}, nil, nil, nil),
				inst("some_places", binds{"X": "X", "I": "slice[axis=0, lo=1, hi=k](I)"}, binds{"n": "n", "k": "k-1", "i": "2", "j": "2"}, nil, nil, nil)}, ""},
		{"all places of some", "given X : [n], I : [k] then gather[axis=0](X, slice[axis=0, lo=1, hi=2](I)) => slice[axis=0, lo=1, hi=2](" + look + ")",
			[]law.InstanceText{inst("some_places", binds{"X": "X", "I": "I"}, binds{"n": "n", "k": "k", "i": "2", "j": "2"}, nil, nil, nil)}, "places that are looked up"},
		{"places of both of two that are joined", "given X : [n], I : [k], J : [k], Y : [k] then slice[axis=0, lo=0, hi=k](gather[axis=0](X, concat[axis=0](I, J))) => ewadd(slice[axis=0, lo=0, hi=k](gather[axis=0](X, concat[axis=0](I, J))), ewsub(" + look + ", " + look + "))",
			[]law.InstanceText{inst("zero", binds{"X": "slice[axis=0, lo=0, hi=k](gather[axis=0](X, concat[axis=0](I, J)))", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, ""},
		{"places of one of two of which some are read", "given X : [n], I : [k], J : [k] then gather[axis=0](X, slice[axis=0, lo=0, hi=k](concat[axis=0](J, I))) => ewadd(gather[axis=0](X, slice[axis=0, lo=0, hi=k](concat[axis=0](J, I))), ewsub(" + look + ", " + look + "))",
			[]law.InstanceText{inst("zero", binds{"X": "gather[axis=0](X, slice[axis=0, lo=0, hi=k](concat[axis=0](J, I)))", "Y": look}, nil, binds{"P": "[k]"}, nil, nil)}, "places that are looked up"},
		{"a sum of no copies", "given X : [2] then sign(reducesum[axes=(0)](broadcast[shape=[0, 2]](one[shape=[2]]()))) == one[shape=[2]]()",
			[]law.InstanceText{inst("copies", binds{"X": "X"}, binds{"a": "2", "n": "0"}, nil, nil, nil)}, "is never at least 0"},
		{"a size of 0 that no term has", "given X : [2] then relu(X) == X",
			[]law.InstanceText{inst("by_any", binds{"X": "X"}, binds{"n": "2", "k": "0"}, nil, nil, nil)}, "size 0"},
		{"a tensor without elements", "given X : [2], E : [0] then relu(X) == X", nil, "tensor E: shape [0] has no elements"},
		{"a constant without elements", "given X : [2] then concat[axis=0](X, one[shape=[0]]()) == X", nil, "one[shape=[0]]"},
		{"a size for a run", "given X : [P..] then ewadd(X, ewsub(X, X)) == X",
			[]law.InstanceText{inst("zero", binds{"X": "X", "Y": "X"}, binds{"P": "2"}, nil, nil, nil)}, "run P is not bound"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := law.TextEntry("r", "rule r\n "+c.law, c.proof)
			l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
			if err == nil {
				_, err = check.Rule(l, p, use)
			}
			switch {
			case c.want == "" && err != nil:
				t.Errorf("rejected: %v", err)
			case c.want != "" && err == nil:
				t.Errorf("accepted, want a reason with %q", c.want)
			case c.want != "" && !strings.Contains(err.Error(), c.want):
				t.Errorf("reason %q, want it to hold %q", err, c.want)
			}
			var z check.Z3
			defer z.Close()
			if l == nil {
				return
			}
			if zerr := z.Rule(context.Background(), l, p, use); (zerr == nil) != (err == nil) {
				t.Errorf("z3 disagrees: %v", zerr)
			}
		})
	}
}

// TestReadBefore: what a rule means does not depend on a rule that was read
// before it, in which a padding of the same name is a same one.
func TestReadBefore(t *testing.T) {
	laws, err := law.Parse("laws", []byte(trueLaws))
	if err != nil {
		t.Fatal(err)
	}
	use := check.Laws{}
	for _, l := range laws {
		use[l.Name] = l
	}
	const out, strided = "[a, b, window(c,e,s,q,0), window(d,g,s,q,1)]", "[a, b, strided(c,s,0), strided(d,s,1)]"
	if _, err := law.ParseLaw("rule first given q : same, s : stride then one[shape=" + out + "]() == one[shape=" + out + "]()"); err != nil {
		t.Fatal(err)
	}
	pool := "poolmax[kh=e, kw=g, stride=s, pad=p](B)"
	for _, c := range []struct {
		axes string
		ok   bool
	}{{out, false}, {strided, true}} {
		wide := "broadcast[shape=" + c.axes + "](A)"
		e := law.TextEntry("r", "rule r given q : padding, p : same, s : stride, A : [], B : [a, b, c, d] then ewadd("+pool+", ewsub("+wide+", "+wide+")) == "+pool,
			[]law.InstanceText{inst("zero", binds{"X": pool, "Y": "broadcast[shape=" + strided + "](A)"}, nil, binds{"P": strided}, nil, nil)})
		l, p, err := e.Decode(func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok })
		if err == nil {
			_, err = check.Rule(l, p, use)
		}
		if (err == nil) != c.ok {
			t.Errorf("axes %s: %v", c.axes, err)
		}
	}
}
