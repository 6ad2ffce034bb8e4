package graph_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
)

// What is written alike and is not the same: sorts of variables, a run and a
// size, names that hold what stands between names.
func TestIdentityIsNoText(t *testing.T) {
	h, k := graph.Var("h"), graph.Var("k")
	window := func(pad graph.Value) graph.Dim {
		return graph.Func("window", graph.DimValue(h), graph.DimValue(k), graph.VarValue("s", graph.SortStride), pad, graph.IntValue(0))
	}
	same, any := window(graph.VarValue("p", graph.SortSame)), window(graph.VarValue("p", graph.SortPadding))
	name := window(graph.NameValue("p"))
	pairs := [][2]graph.Dim{
		{same, any}, {any, name}, {same, name},
		{graph.Var("a*b"), graph.Var("a").Mul(graph.Var("b"))},
		{graph.Var("a+b"), graph.Var("a").Add(graph.Var("b"))},
		{graph.Var("a+1"), graph.Var("a").Add(graph.Int(1))},
		{graph.Var("2*a"), graph.Var("a").Scale(2)},
		{graph.Var("-a"), graph.Var("a").Neg()},
		{graph.Var("#P"), graph.AxisRunLen("P")},
		{graph.Var("7"), graph.Int(7)},
		{graph.Var("f(a)"), graph.Func("f", graph.DimValue(graph.Var("a")))},
		{graph.Func("f", graph.DimValue(graph.Var("a,b"))), graph.Func("f", graph.DimValue(graph.Var("a")), graph.DimValue(graph.Var("b")))},
		{graph.Func("f", graph.NameValue("a")), graph.Func("f", graph.DimValue(graph.Var("a")))},
		{graph.Func("f", graph.TupleValue(1, 2)), graph.Func("f", graph.NameValue("(1, 2)"))},
		{graph.Func("f", graph.NumberValue(1)), graph.Func("f", graph.NameValue("1.0"))},
		{graph.Func("f", graph.ShapeValue(graph.Shape{graph.AxisRun("P")})), graph.Func("f", graph.ShapeValue(graph.ShapeOf(graph.Var("P.."))))},
		{graph.Func("f", graph.ShapeValue(graph.ShapeOf(same))), graph.Func("f", graph.ShapeValue(graph.ShapeOf(any)))},
		{graph.Var("f()"), graph.Func("f")},
		{graph.Var("a*b").Mul(graph.Var("c")), graph.Var("a").Mul(graph.Var("b*c"))},
	}
	for _, p := range pairs {
		a, b := p[0], p[1]
		if a.String() != b.String() {
			t.Errorf("%s and %s are written differently: the pair shows nothing", a, b)
		}
		if a == b || a.Key() == b.Key() || graph.DimValue(a) == graph.DimValue(b) || graph.DimValue(a).Key() == graph.DimValue(b).Key() ||
			graph.ShapeOf(a).Equal(graph.ShapeOf(b)) || graph.ShapeOf(a).Key() == graph.ShapeOf(b).Key() ||
			graph.ShapeValue(graph.ShapeOf(a)) == graph.ShapeValue(graph.ShapeOf(b)) {
			t.Errorf("two sizes written %s are taken for one", a)
		}
		if d := a.Sub(b); d == graph.Int(0) {
			t.Errorf("two sizes written %s differ by %s", a, d)
		}
		var s graph.Space
		if s.Size(a).Equal(s.Size(b)) {
			t.Errorf("two sizes written %s are one unknown", a)
		}
		x, y := graph.Var("x"), graph.Var("y")
		one, two := a.Mul(x).Add(b.Mul(y)), b.Mul(y).Add(a.Mul(x))
		if one != two || one.String() != two.String() || one == a.Mul(y).Add(b.Mul(x)) {
			t.Errorf("%s is not its own sum in another order", one)
		}
	}
	if graph.ShapeValue(graph.ShapeOf(same)) == graph.ShapeValue(graph.ShapeOf(any)) {
		t.Error("two shapes that differ in a sort are one value")
	}
	if got := graph.WindowOut(h, k, graph.VarValue("s", graph.SortStride), graph.VarValue("p", graph.SortPadding), 0); got != any {
		t.Errorf("got %s, want the window with any padding", got)
	}
}

// The order of terms and factors depends on what they are, not on which was met
// first: of many processes this one is one order of arrival, so names are new
// in each round.
func TestOrderOfArrival(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	want := ""
	for round := range 20 {
		tag := fmt.Sprintf("q%02d", round)
		atoms := []func() graph.Dim{}
		for _, sort := range []string{graph.SortSame, graph.SortPadding, graph.SortStride, "z"} {
			atoms = append(atoms, func() graph.Dim { return graph.Func("g"+tag, graph.VarValue("p", sort)) })
		}
		atoms = append(atoms, func() graph.Dim { return graph.Var("a" + tag) }, func() graph.Dim { return graph.AxisRunLen("A" + tag) })
		for _, i := range rng.Perm(len(atoms)) {
			atoms[i]()
		}
		sum := graph.Int(0)
		for _, i := range rng.Perm(len(atoms)) {
			sum = sum.Add(atoms[i]().Scale(int64(i + 1))).Add(atoms[i]().Mul(atoms[0]()))
		}
		if got := strings.ReplaceAll(sum.String()+" "+sum.Key(), tag, "q??"); want == "" {
			want = got
		} else if got != want {
			t.Fatalf("round %d: got\n%s\nwant\n%s", round, got, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	a, b := graph.Var("a"), graph.Var("b")
	big := graph.Int(1 << 62)
	env := &graph.Substitution{Dims: map[string]graph.Dim{"a": big, "b": graph.Int(4)}}
	for i, d := range []graph.Dim{
		big.Add(big), big.Mul(graph.Int(4)), big.Scale(-4), graph.Int(math.MinInt64).Neg(), graph.Int(-2).Sub(graph.Int(math.MaxInt64)),
		a.Mul(b).Subst(env), a.Add(a).Add(b).Subst(env), big.Mul(a).Mul(big), a.Mul(big).Add(a.Mul(big)), a.Scale(math.MinInt64).Neg(),
		big.Add(a).Mul(graph.Int(2)), graph.Int(0).Mul(big.Mul(big)), big.Mul(big).Scale(0), big.Mul(big).Sub(big.Mul(big)),
		graph.WindowOut(graph.Int(math.MaxInt64), graph.Int(1), graph.TupleValue(1, 1), graph.TupleValue(1, 1, 1, 1), 0),
		graph.Func("f", graph.DimValue(big.Mul(big))), graph.Func("f", graph.ShapeValue(graph.ShapeOf(big.Mul(big)))),
	} {
		if !d.TooLarge() {
			t.Errorf("%d: got %s, want a size that is too large", i, d)
			continue
		}
		e := d.Subst(env)
		if _, ok := d.Const(); ok || d.NonNegative() || d.NonZero() || d == e || d.Key() == e.Key() || !e.TooLarge() || !d.Sub(d).TooLarge() {
			t.Errorf("%d: something is known of a size that is too large", i)
		}
		if graph.ShapeOf(d).Equal(graph.ShapeOf(d)) || graph.DimValue(d) == graph.DimValue(e) || graph.ShapeValue(graph.ShapeOf(d)) == graph.ShapeValue(graph.ShapeOf(e)) {
			t.Errorf("%d: a size that is too large is the same as one", i)
		}
		for _, f := range []*graph.Unifier{{}, graph.Solver(), graph.ExactSolver()} {
			if f.Eq(d, d) == nil || f.Eq(d, e) == nil || f.Eq(a, d) == nil || f.Le(d, d) == nil || f.Le(graph.Int(1), d) == nil || f.Divides(graph.Int(1), d) == nil || f.Divides(d, d) == nil {
				t.Errorf("%d: inference takes a size that is too large", i)
			}
		}
		if _, err := d.Eval(env); err == nil {
			t.Errorf("%d: a size that is too large has a value", i)
		}
	}
}

// Sizes beyond the limits of a polynomial are too large: they cost no time, equal
// nothing, and those within the limits are exact.
func TestLimitsOfSizes(t *testing.T) {
	sumOf := func(letter string, n int) graph.Dim {
		d := graph.Int(0)
		for i := range n {
			d = d.Add(graph.Var(fmt.Sprint(letter, i)))
		}
		return d
	}
	nested := graph.Var("n")
	for range 40 {
		nested = graph.Func("f", graph.DimValue(nested), graph.DimValue(nested))
	}
	power := graph.Var("x")
	for range 10 {
		power = power.Mul(power)
	}
	long := graph.Var(strings.Repeat("n", 1<<15))
	three := sumOf("a", 60).Mul(sumOf("b", 60)).Mul(sumOf("c", 60))
	for what, d := range map[string]graph.Dim{
		"a product of three sums": three, "its sum": three.Add(graph.Int(1)), "its quotient's product": three.Mul(sumOf("d", 60)),
		"a sum of 1000": sumOf("s", 1000), "functions of functions": nested, "a power of 1024": power,
		"a long name":    long.Add(graph.Int(1)).Mul(graph.Var("y")),
		"a substitution": graph.Var("p").Mul(graph.Var("q")).Subst(&graph.Substitution{Dims: map[string]graph.Dim{"p": sumOf("a", 60), "q": sumOf("b", 60)}}),
	} {
		if !d.TooLarge() || d == three && what != "a product of three sums" || d.NonNegative() || d.Sub(d) == graph.Int(0) {
			t.Errorf("%s: something is known of it", what)
		}
		if _, ok := d.Quo(graph.Var("a0")); ok {
			t.Errorf("%s is divided", what)
		}
		if graph.Solver().Eq(d, d) == nil {
			t.Errorf("%s equals itself", what)
		}
	}
	x, y := sumOf("a", 20), sumOf("b", 20)
	if q, ok := x.Mul(y).Quo(y); !ok || q != x {
		t.Errorf("a product of 400 terms: divided %s, %t", q, ok)
	}
	if q, ok := x.Mul(y).Add(graph.Int(1)).Quo(y); ok {
		t.Errorf("one more than a product of 400 terms: divided, %s", q)
	}
	if !x.Mul(y).Sub(graph.Int(400)).NonNegative() || x.Mul(y).Sub(graph.Int(401)).NonNegative() {
		t.Error("a product of 20 and 20 sizes is at least 400")
	}
}

// Index arithmetic panics with an error that is caught as one.
func TestIndexTooLarge(t *testing.T) {
	var s graph.Space
	x := s.Var("x").Index()
	big := graph.IndexInt(1 << 62)
	for i, f := range []func(){
		func() { big.Add(big) }, func() { big.AddInt(math.MaxInt64) }, func() { x.Scale(1 << 62).Scale(2) },
		func() { x.Scale(1 << 62).Add(x.Scale(1 << 62)) }, func() { big.AddScaled(big, -3) },
		func() { s.Size(graph.Int(1 << 62).Mul(graph.Int(4))) },
	} {
		err := func() (err error) {
			defer graph.CatchTooLarge(&err)
			f()
			return nil
		}()
		if err == nil {
			t.Errorf("%d: no error", i)
		}
	}
}

// naive is a polynomial kept as a map from sorted lists of atoms, with numbers
// of any length.
type naive map[string]*big.Int

func (p naive) add(k string, n *big.Int) {
	if p[k] == nil {
		p[k] = new(big.Int)
	}
	if p[k].Add(p[k], n); p[k].Sign() == 0 {
		delete(p, k)
	}
}

func (p naive) plus(q naive) naive {
	out := naive{}
	for _, r := range []naive{p, q} {
		for k, n := range r {
			out.add(k, n)
		}
	}
	return out
}

func (p naive) times(q naive) naive {
	out := naive{}
	for k, n := range p {
		for l, m := range q {
			exps := []byte(k) // an exponent for each atom
			for i := range exps {
				exps[i] += l[i]
			}
			out.add(string(exps), new(big.Int).Mul(n, m))
		}
	}
	return out
}

func (p naive) equal(q naive) bool {
	for k, n := range p.plus(naive{}) {
		if q[k] == nil || q[k].Cmp(n) != 0 {
			return false
		}
	}
	return len(p) == len(q)
}

func (p naive) at(values []int64) *big.Int {
	sum := new(big.Int)
	for k, n := range p {
		m := new(big.Int).Set(n)
		for i := range k {
			m.Mul(m, new(big.Int).Exp(big.NewInt(values[i]), big.NewInt(int64(k[i])), nil))
		}
		sum.Add(sum, m)
	}
	return sum
}

// Random expressions over atoms with misleading names against polynomials of
// big integers: the same polynomial is the same Dim and conversely, values
// agree, and what does not fit 63 bits is too large.
func TestDimRing(t *testing.T) {
	names := []string{"a", "b", "a*b", "a+b", "2*a", "-1", "#P", "a)", "a,b", "", " ", "f(a)", "0", "a\x00"}
	atoms := []graph.Dim{}
	for _, n := range names {
		atoms = append(atoms, graph.Var(n))
	}
	atoms = append(atoms, graph.AxisRunLen("P"), graph.Func("f", graph.DimValue(graph.Var("a"))), graph.Func("f", graph.NameValue("a")),
		graph.Func("f", graph.VarValue("a", "same")), graph.Func("f", graph.VarValue("a", "padding")))
	unit := strings.Repeat("\x00", len(atoms))
	rng := rand.New(rand.NewSource(2))
	type both struct {
		d graph.Dim
		p naive
	}
	leaf := func() both {
		switch rng.Intn(4) {
		case 0:
			n := rng.Int63n(7) - 3
			if rng.Intn(12) == 0 {
				n = []int64{math.MaxInt64, math.MinInt64, 1 << 31, -1 << 32}[rng.Intn(4)]
			}
			p := naive{}
			p.add(unit, big.NewInt(n))
			return both{graph.Int(n), p}
		default:
			i := rng.Intn(len(atoms))
			e := []byte(unit)
			e[i] = 1
			return both{atoms[i], naive{string(e): big.NewInt(1)}}
		}
	}
	var make func(depth int) both
	make = func(depth int) both {
		if depth == 0 {
			return leaf()
		}
		x, y := make(rng.Intn(depth)), make(rng.Intn(depth))
		minus := naive{unit: big.NewInt(-1)}
		switch rng.Intn(4) {
		case 0:
			return both{x.d.Add(y.d), x.p.plus(y.p)}
		case 1:
			return both{x.d.Sub(y.d), x.p.plus(y.p.times(minus))}
		case 2:
			return both{x.d.Neg(), x.p.times(minus)}
		}
		return both{x.d.Mul(y.d), x.p.times(y.p)}
	}
	pool := []both{}
	large := 0
	for range 6000 {
		x := make(4)
		if x.d.TooLarge() {
			large++
			continue
		}
		for _, y := range pool[max(0, len(pool)-30):] {
			if same := x.p.equal(y.p); same != (x.d == y.d) || same != (x.d.Key() == y.d.Key()) {
				t.Fatalf("%q and %q: equal polynomials %v, equal sizes %v", x.d, y.d, same, x.d == y.d)
			}
		}
		pool = append(pool, x)
		values := []int64{}
		b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
		for i := range atoms {
			n := int64(1)
			if i < len(names) {
				n = rng.Int63n(9) - 4
				b.Dims[names[i]] = graph.Int(n)
			}
			values = append(values, n)
		}
		values[len(names)] = 2
		b.Runs["P"] = graph.Sizes(5, 6)
		if strings.Contains(x.d.Key(), "f1:f1(") { // functions have no values
			continue
		}
		want := x.p.at(values)
		switch got, err := x.d.Eval(b); {
		case err == nil && want.Cmp(big.NewInt(got)) != 0:
			t.Fatalf("%q at %v: got %d, want %s", x.d, values, got, want)
		case err != nil && want.IsInt64() && !x.d.Subst(b).TooLarge():
			t.Fatalf("%q at %v: %v", x.d, values, err)
		}
	}
	if large == 0 || len(pool) < 4000 {
		t.Errorf("%d expressions, %d too large: the test shows less than it should", len(pool), large)
	}
}
