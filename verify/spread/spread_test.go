package spread_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/smt"
	"github.com/taso-go/taso/verify/spread"
	"pgregory.net/rapid"
)

// readBroadcasting evaluates a term, element-wise operators broadcasting: an
// account of its own, which knows neither the operator broadcast nor patterns.
func readBroadcasting(t *law.Term, in map[string]interp.Tensor[float64]) (interp.Tensor[float64], error) {
	if t.IsVar() {
		return in[t.Var], nil
	}
	args := make([]interp.Tensor[float64], len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = readBroadcasting(a, in); err != nil {
			return args[i], err
		}
	}
	if t.Op == op.EWAdd || t.Op == op.EWMul {
		return elementwise(t.Op, args[0], args[1])
	}
	out, err := interp.Apply(interp.Float{}, t.Op, t.Attrs, args)
	if err != nil {
		return interp.Tensor[float64]{}, err
	}
	return out[t.Out], nil
}

func elementwise(o *graph.Op, x, y interp.Tensor[float64]) (z interp.Tensor[float64], err error) {
	n := max(len(x.Sizes), len(y.Sizes))
	z.Sizes = make([]int, n)
	size := func(t interp.Tensor[float64], i int) int { // of axis i of n
		if i -= n - len(t.Sizes); i >= 0 {
			return t.Sizes[i]
		}
		return 1
	}
	for i := range z.Sizes {
		a, b := size(x, i), size(y, i)
		if a != b && a != 1 && b != 1 {
			return z, errors.New("sizes do not fit")
		}
		z.Sizes[i] = max(a, b)
	}
	cell := func(t interp.Tensor[float64], at []int) float64 {
		p := 0
		for i := range at {
			if s := size(t, i); s > 1 {
				p = p*s + at[i]
			}
		}
		return t.Data[p]
	}
	graph.Each(z.Sizes, func(_ int, at []int) {
		if o == op.EWAdd {
			z.Data = append(z.Data, cell(x, at)+cell(y, at))
		} else {
			z.Data = append(z.Data, cell(x, at)*cell(y, at))
		}
	})
	return z, nil
}

// compareBroadcasting says whether the left side is defined and, if so, how the
// right side differs: "values", "shape", "defined" or "".
func compareBroadcasting(l *law.Law, in map[string]interp.Tensor[float64]) (defined bool, kind string) {
	var sides [2][]interp.Tensor[float64]
	for k, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			x, err := readBroadcasting(t, in)
			if err != nil {
				return k > 0, "defined"
			}
			sides[k] = append(sides[k], x)
		}
	}
	for i, x := range sides[0] {
		y := sides[1][i]
		if !slices.Equal(x.Sizes, y.Sizes) {
			return true, "shape"
		}
		if !slices.Equal(x.Data, y.Data) {
			return true, "values"
		}
	}
	return true, ""
}

// The laws under broadcasting: what is said of them, and how they fail. The
// names of published ones are those of their positions in TASO's file.
var broadcastCases = []struct {
	law    string
	status law.Status
	kind   string
}{
	{"rule_22 given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)", law.Proved, ""},
	{"rule_31 given X : [m, k], Y : [k, n], Z : [k, n] then ewadd(matmul(X, Y), matmul(X, Z)) == matmul(X, ewadd(Y, Z))", law.Proved, ""},
	{"rule_5 given X : [m, k], Y : [k, n], Z : [n, n] then ewadd(matmul(X, Y), matmul(matmul(X, Y), Z)) == matmul(X, ewadd(Y, matmul(Y, Z)))", law.Proved, ""},
	{"rule_15 given X : [n, n], Y : [n, k], Z : [k, m] then matmul(ewadd(Y, matmul(X, Y)), Z) == ewadd(matmul(Y, Z), matmul(X, matmul(Y, Z)))", law.Proved, ""},
	{"rule_45 given X : [P..], Y : [P..], Z : [P..] then ewadd(ewmul(X, Y), ewmul(Z, ewmul(X, Y))) == ewmul(X, ewadd(Y, ewmul(Y, Z)))", law.Proved, ""},
	{"rule_33 given q : same, X : [o, c, 3, 3], Y : [o, c, 3, 3], Z : [o, c, 3, 3] then conv2d[pad=q, act=relu](ewadd(Z, ewadd(X, Y)), ewadd(Z, ewadd(X, Y))) == conv2d[pad=q, act=relu](ewadd(Y, ewadd(X, Z)), ewadd(Y, ewadd(X, Z)))", law.Proved, ""},
	{"functions given X : [P..], Y : [P..] then relu(ewadd(relu(relu(X)), Y)) == relu(ewadd(Y, relu(X)))", law.Proved, ""},
	{"transposed_sum given X : [m, n], Y : [m, n], Z : [n, m] then ewadd(matmul(X, Z), matmul(Y, Z)) == transpose(matmul(transpose(Z), transpose(ewadd(X, Y))))", law.Proved, ""},
	{"sliced given X : [P.., n], Y : [P.., n] then ewadd(slice[axis=#P, lo=0, hi=1](relu(X)), slice[axis=#P, lo=0, hi=1](relu(Y))) == slice[axis=#P, lo=0, hi=1](ewadd(relu(X), relu(Y)))", law.Proved, ""},
	{"scaled given q : same, X : [b, c, h, w], Y : [b, c, h, w], W : [o, c, k, l], A : [] then smul(conv2d[pad=q](ewmul(X, Y), W), A) == conv2d[pad=q](ewmul(Y, smul(X, A)), W)", law.Proved, ""},
	{"rule_6 given X : [m, n], Y : [n, n], Z : [n, k] then matmul(ewadd(X, matmul(X, Y)), Z) == matmul(X, ewadd(Z, matmul(Y, Z)))", law.Refuted, "defined"},
	{"rule_59 given q : same, X : [o, c, 3, 3], Y : [o, c, 3, 3], Z : [b, c, h, w] then conv2d[pad=q](Z, ewadd(X, Y)) == ewadd(conv2d[pad=q](Z, X), conv2d[pad=q](Z, Y))", law.Refuted, "values"},
	{"rule_60 given q : same, X : [b, c, h, w], Y : [b, c, h, w], W : [o, c, 3, 3] then conv2d[pad=q](ewadd(X, Y), W) == ewadd(conv2d[pad=q](X, W), conv2d[pad=q](Y, W))", law.Refuted, "values"},
	{"rule_71 given X : [m, n], Y : [m, n], Z : [m, n] then concat[axis=1](ewadd(X, Y), ewadd(Y, Z)) == ewadd(concat[axis=1](X, Y), concat[axis=1](Y, Z))", law.Refuted, "shape"},
	{"rule_73 given X : [m, a], Z : [a, n], Y : [m, b], W : [b, n] then ewadd(matmul(X, Z), matmul(Y, W)) == matmul(concat[axis=1](X, Y), concat[axis=0](Z, W))", law.Refuted, "defined"},
	{"rule_83 given X : [a, n], Y : [a, n], Z : [b, n], W : [b, n] then concat[axis=0](ewmul(X, Y), ewmul(Z, W)) == ewmul(concat[axis=0](X, Z), concat[axis=0](Y, W))", law.Refuted, "shape"},
	{"rule_103 given X : [b, c, h, w], Y : [b, d, h, w], Z : [b, c, h, w], W : [b, d, h, w] then ewadd(concat[axis=1](X, Y), concat[axis=1](Z, W)) == ewadd(concat[axis=1](Z, Y), concat[axis=1](X, W))", law.Refuted, "defined"},
	{"pooled given X : [b, c, h, w], Y : [b, c, h, w] then poolavg[kh=3, kw=3, pad=same_upper](ewadd(X, Y)) == ewadd(poolavg[kh=3, kw=3, pad=same_upper](X), poolavg[kh=3, kw=3, pad=same_upper](Y))", law.Refuted, "values"},
	{"ones given X : [P..] then ewmul(X, one[shape=[P..]]()) == X", law.Refuted, "shape"},
	{"vectors given X : [m, n], Y : [m, n] then transpose(ewadd(X, Y)) == ewadd(transpose(X), transpose(Y))", law.Refuted, "defined"},
}

func broadcastLaws(t testing.TB) []*law.Law {
	t.Helper()
	var out []*law.Law
	for _, c := range broadcastCases {
		l, err := law.ParseLaw("rule " + c.law)
		if err != nil {
			t.Fatalf("%s: %v", c.law, err)
		}
		out = append(out, l)
	}
	return out
}

func theAxioms() []*law.Law { return axioms.ByKind(law.Axiom) }

// replayBroadcasting replays a witness, and evaluates the law itself on it by
// another account of broadcasting.
func replayBroadcasting(t *testing.T, l *law.Law, v spread.Verdict) {
	t.Helper()
	w, err := v.Witness.Replay(v.Pattern)
	if err != nil {
		t.Errorf("%s: %v", l.Name, err)
		return
	}
	b := &graph.Substitution{Attrs: map[string]graph.Value{}}
	for n, x := range w.Attrs {
		b.Attrs[n] = graph.NameValue(x)
	}
	in := map[string]interp.Tensor[float64]{}
	for _, x := range w.Inputs {
		y := interp.Tensor[float64]{Sizes: x.Shape, Data: make([]float64, graph.NumElements(x.Shape))}
		for i, s := range x.Values {
			num, den, frac := strings.Cut(s, "/")
			a, _ := strconv.ParseFloat(num, 64)
			if y.Data[i] = a; frac {
				b, _ := strconv.ParseFloat(den, 64)
				y.Data[i] /= b
			}
		}
		in[x.Term] = y
	}
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		sized := false
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				v.Walk(func(graph.Atom) { sized = true })
			}
		})
		if sized {
			return // the law alone does not say for which sizes
		}
	}
	if _, kind := compareBroadcasting(l.Subst(b), in); kind != w.Kind {
		t.Errorf("%s: kind %q, evaluated %q\n%s", l.Name, w.Kind, kind, w)
	}
}

// decide decides one law from these laws.
func decide(ctx context.Context, l *law.Law, laws []*law.Law, opts spread.Options) (spread.Verdict, error) {
	b, err := spread.New(laws...)
	if err != nil {
		return spread.Verdict{}, err
	}
	return b.Decide(ctx, l, opts)
}

func TestUnderBroadcasting(t *testing.T) {
	ctx := context.Background()
	b, err := spread.New(theAxioms()...)
	if err != nil {
		t.Fatal(err)
	}
	g := smt.NewGrounder(theAxioms(), smt.GroundOptions{})
	defer g.Close()
	var cert bytes.Buffer
	w := law.NewCertWriter(&cert, axioms.Text())
	patterns := 0
	for i, l := range broadcastLaws(t) {
		c := broadcastCases[i]
		v, err := b.Decide(ctx, l, spread.Options{})
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		kind := ""
		if v.Witness != nil {
			kind = v.Witness.Kind
		}
		if v.Status != c.status || kind != c.kind {
			t.Errorf("%s: %s %s: %s", l.Name, v.Status, kind, v.Reason)
			if v.Pattern != nil {
				t.Log(law.Format(v.Pattern))
			}
			continue
		}
		if v.Status == law.Refuted {
			replayBroadcasting(t, l, v)
			if v.Axes == 0 || !strings.HasPrefix(v.Reason, "under broadcasting") {
				t.Errorf("%s: %d axes, %s", l.Name, v.Axes, v.Reason)
			}
			continue
		}
		if !v.Complete || len(v.Proofs) != v.Patterns {
			t.Errorf("%s: %+v", l.Name, v)
		}
		// Every pattern's proof convinces Z3 and, below, the checker.
		k := 0
		if _, err := broadcast.Each(l, broadcast.Options{}, func(p broadcast.Pattern) bool {
			if v.Patterns == 0 {
				return false
			}
			proof := v.Proofs[k]
			k++
			if got := g.Ground(ctx, p.Law, proof); got.Status != law.Proved {
				t.Errorf("pattern %d of %s: %s\n%s", k, l.Name, got.Reason, law.Format(p.Law))
			}
			goal := *p.Law
			goal.Name = fmt.Sprintf("%s_%d", l.Name, k)
			if err := w.Rule(law.NewCertRule(goal.Name, &goal, proof)); err != nil {
				t.Fatal(err)
			}
			patterns++
			return true
		}); err != nil {
			t.Error(err)
		}
		if v.Patterns > 0 && k != v.Patterns {
			t.Errorf("%s: %d patterns, %d decided", l.Name, k, v.Patterns)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rep, err := check.File(ctx, &cert, "broadcast.cert", check.Options{SHA256: axioms.SHA256()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Rejected {
		t.Error(r)
	}
	if rep.Rules != patterns || patterns < 50 {
		t.Errorf("%d of %d patterns accepted", rep.Rules, patterns)
	}
}

// A law that is proved holds for all inputs of its shapes, with axes of size 1
// or missing, for which its left side is defined.
func TestProvedUnderBroadcasting(t *testing.T) {
	for i, l := range broadcastLaws(t) {
		if broadcastCases[i].status != law.Proved {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			broadcast := 0
			rapid.Check(t, func(t *rapid.T) {
				in, b, same := drawBroadcasting(t, l)
				q := rapid.SampledFrom([]string{graph.SameUpper, graph.SameLower}).Draw(t, "same")
				b.Attrs = map[string]graph.Value{"q": graph.NameValue(q)}
				defined, kind := compareBroadcasting(l.Subst(b), in)
				if defined && kind != "" {
					t.Fatalf("%v: %s", in, kind)
				}
				if defined && !same {
					broadcast++
				}
			})
			if broadcast == 0 {
				t.Error("nothing was ever broadcast")
			}
		})
	}
}

func drawBroadcasting(t *rapid.T, l *law.Law) (in map[string]interp.Tensor[float64], b *graph.Substitution, same bool) {
	b = &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
	draw := func(a graph.Atom) {
		if a.Kind == graph.AtomAxisRun {
			if b.Runs[a.Name] == nil {
				b.Runs[a.Name] = graph.Sizes(rapid.SliceOfN(rapid.IntRange(1, 3), 0, 3).Draw(t, a.Name)...)
			}
		} else if _, ok := b.Dims[a.Name]; !ok {
			b.Dims[a.Name] = graph.Int(rapid.Int64Range(1, 3).Draw(t, a.Name))
		}
	}
	in, same = map[string]interp.Tensor[float64]{}, true
	odds := rapid.IntRange(1, 9).Draw(t, "odds")
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		g.Shape.Walk(draw)
		sizes, _ := g.Shape.Subst(b).Concrete()
		sizes = slices.Clone(sizes)
		for i, n := range sizes {
			if n > 1 && rapid.IntRange(0, odds).Draw(t, "single") == 0 {
				sizes[i], same = 1, false
			}
		}
		if len(sizes) > 0 && rapid.IntRange(0, 2*odds).Draw(t, "missing") == 0 {
			sizes, same = sizes[1:], false
		}
		x := interp.Tensor[float64]{Sizes: sizes}
		for range graph.NumElements(sizes) {
			x.Data = append(x.Data, float64(rapid.IntRange(-3, 3).Draw(t, "cell")))
		}
		in[g.Name] = x
	}
	return in, b, same
}

// Bounds make a law unknown, never proved.
func TestUnderBroadcastingBounds(t *testing.T) {
	ctx := context.Background()
	l := broadcastLaws(t)[0]
	v, err := decide(ctx, l, theAxioms(), spread.Options{Patterns: broadcast.Options{Patterns: 2}})
	if err != nil || v.Status != law.Unknown || v.Complete || !strings.Contains(v.Reason, "more than 2 patterns") {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = decide(ctx, l, nil, spread.Options{})
	if err != nil || v.Status != law.Unknown || v.Pattern == nil || !v.Complete {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = decide(ctx, l, nil, spread.Options{True: true})
	if err != nil || v.Status != law.Unknown || v.Axes != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if v, err = decide(done, l, theAxioms(), spread.Options{}); err == nil && v.Status == law.Proved {
		t.Errorf("out of time: %+v", v)
	}
	bad := *l
	bad.LHS = []*law.Term{law.V("Z")}
	if _, err = decide(ctx, &bad, theAxioms(), spread.Options{}); err == nil {
		t.Error("an ill-typed law is decided")
	}
	if _, err = spread.New(l, l); err == nil {
		t.Error("two laws of one name")
	}
}

// A law that is false without broadcasting is said to be.
func TestUnderBroadcastingFalse(t *testing.T) {
	l, err := law.ParseLaw("rule r given X : [n, n], Y : [n, n] then matmul(X, Y) == matmul(Y, X)")
	if err != nil {
		t.Fatal(err)
	}
	v, err := decide(context.Background(), l, theAxioms(), spread.Options{})
	if err != nil || v.Status != law.Refuted || v.Axes != 0 || v.Reason != "even without broadcasting the sides differ" {
		t.Errorf("%+v, %v", v, err)
	}
}

func published(t testing.TB) []taso.Translation {
	t.Helper()
	c, err := tasopb.Unmarshal(golden.Data(t, "taso_graph_subst.pb"))
	if err != nil {
		t.Fatal(err)
	}
	return taso.From(c, taso.Reading{Same: taso.AnySame})
}

// TASO's published rules under broadcasting: 24 whose two sides are defined and
// differ; 11 whose right side is not defined where the left side is, which
// TASO does not apply there; 4 that are not defined so without broadcasting
// either; all others are proved.
func TestPublishedUnderBroadcasting(t *testing.T) {
	b, err := spread.New(theAxioms()...)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range published(t) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		v, err := b.Decide(context.Background(), r.Law, spread.Options{})
		if err != nil {
			t.Fatal(err)
		}
		key := v.Status.String()
		if v.Status == law.Refuted {
			key = v.Witness.Kind
			if v.Axes == 0 {
				key = "even without"
			} else {
				replayBroadcasting(t, r.Law, v)
			}
		}
		got[key]++
	}
	want := map[string]int{"proved": 94, "values": 4, "shape": 20, "defined": 11, "even without": 4}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkUnderBroadcasting(b *testing.B) {
	laws := published(b)
	for b.Loop() {
		d, err := spread.New(theAxioms()...)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range laws {
			if _, err := d.Decide(context.Background(), r.Law, spread.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func ExampleProver() {
	l, _ := law.ParseLaw("rule add given X : [m, n], Y : [m, n], Z : [m, n] then concat[axis=1](ewadd(X, Y), ewadd(Y, Z)) == ewadd(concat[axis=1](X, Y), concat[axis=1](Y, Z))")
	v, err := decide(context.Background(), l, axioms.ByKind(law.Axiom), spread.Options{})
	fmt.Println(v.Status, v.Reason, err)
	fmt.Println(v.Pattern.VarShapes(), "left", v.Witness.Left, "right", v.Witness.Right)
	// Output:
	// refuted under broadcasting the sides differ in shape <nil>
	// map[X:[1, 2] Y:[1, 1] Z:[1, 2]] left [1 4] right [1 3]
}

// Two goroutines need two provers, which share what they find.
func ExampleProver_Another() {
	b, err := spread.New(axioms.ByKind(law.Axiom)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := b.Another()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{
		"rule a given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) => matmul(ewadd(X, Y), Z)",
		"rule b given A : [i, j], B : [i, j], C : [j, k] then ewadd(matmul(A, C), matmul(B, C)) => matmul(ewadd(A, B), C)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := c.Decide(context.Background(), l, spread.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(l.Name, v.Status)
		c = b
	}
	// Output:
	// a proved
	// b proved
}

func ExampleProver_Decide() {
	b, err := spread.New(axioms.ByKind(law.Axiom)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, _ := law.ParseLaw("rule add given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)")
	v, err := b.Decide(context.Background(), l, spread.Options{})
	fmt.Println(v.Status, v.Patterns, v.Complete, v.Proofs[1].Laws(), err)
	// Output: proved 3 true [broadcast_matmul_rows matmul_ewadd_left] <nil>
}
