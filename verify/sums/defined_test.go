package sums_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph/define"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// Factors that may be negative stay within relu and maxima.
func TestNegativeFactors(t *testing.T) {
	const head = "op negative_a(X : [n]) : [n] at i = %s\nop negative_b(X : [n]) : [n] at i = %s\n"
	for i, c := range []struct {
		a, b  string
		holds bool
	}{
		{"sum k in -1..-1 of relu(k * X[i])", "sum k in -1..-1 of k * relu(X[i])", false},
		{"sum k in i - n..i - n of relu(k * X[i])", "sum k in i - n..i - n of k * relu(X[i])", false},
		{"sum k in 0 - n..0 - n of max(k * X[i], k)", "sum k in 0 - n..0 - n of k * max(X[i], 1)", false},
		{"relu((i - 1) * X[i])", "(i - 1) * relu(X[i])", false},
		{"sum k in 1..n of relu(k * X[i])", "sum k in 1..n of k * relu(X[i])", true},
		{"sum k in 0..i of relu(k * X[i])", "sum k in 0..i of k * relu(X[i])", true},
	} {
		text := fmt.Sprintf(head, c.a, c.b) + "rule x [ordered] given X : [n] then negative_a(X) == negative_b(X)"
		text = strings.ReplaceAll(text, "negative_", fmt.Sprintf("negative%d_", i)) // a name has one meaning
		ls, err := law.Parse("negative.rules", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := sums.Certify(t.Context(), ls[0]); err != nil || (p != nil) != c.holds {
			t.Errorf("%s == %s: proved %v, %v", c.a, c.b, p != nil, err)
		}
	}
}

// place is where an entry is evaluated.
type place struct {
	x    []int64
	i    int64
	vars map[string]int64
}

// written is an entry as text and as a function that shares no code with package define.
type written struct {
	text string
	at   func(p place) int64
}

// entries draws random entries of one vector X. Their values are integers.
type entries struct {
	rng   *rand.Rand
	bound []string // variables in scope
	whole []string // those of them that index X
}

func (d *entries) pick(of ...string) string { return of[d.rng.IntN(len(of))] }

func (d *entries) leaf() written {
	switch d.rng.IntN(6) {
	case 0:
		n := d.rng.Int64N(5) - 2
		if n < 0 {
			return written{fmt.Sprintf("(0 - %d)", -n), func(place) int64 { return n }}
		}
		return written{fmt.Sprint(n), func(place) int64 { return n }}
	case 1:
		return written{"i", func(p place) int64 { return p.i }}
	case 2, 3:
		if len(d.bound) > 0 {
			k := d.pick(d.bound...)
			return written{k, func(p place) int64 { return p.vars[k] }}
		}
	case 4:
		if len(d.whole) > 0 {
			k := d.pick(d.whole...)
			return written{"X[" + k + "]", func(p place) int64 { return p.x[p.vars[k]] }}
		}
		return written{"X[n - 1 - i]", func(p place) int64 { return p.x[int64(len(p.x))-1-p.i] }}
	}
	return written{"X[i]", func(p place) int64 { return p.x[p.i] }}
}

// indexRange is a range of a bound variable. whole: it indexes X.
type indexRange struct {
	text   string
	lo, hi func(n, i int64) int64
	whole  bool
}

var ranges = []indexRange{
	{"0..i", func(n, i int64) int64 { return 0 }, func(n, i int64) int64 { return i }, true},
	{"i..n - 1", func(n, i int64) int64 { return i }, func(n, i int64) int64 { return n - 1 }, true},
	{"-1..0", func(n, i int64) int64 { return -1 }, func(n, i int64) int64 { return 0 }, false},
	{"i - n..i - n", func(n, i int64) int64 { return i - n }, func(n, i int64) int64 { return i - n }, false},
	{"1 - n..0", func(n, i int64) int64 { return 1 - n }, func(n, i int64) int64 { return 0 }, false},
	{"i - 1..1", func(n, i int64) int64 { return i - 1 }, func(n, i int64) int64 { return 1 }, false}, // may be empty
}

func (d *entries) entry(depth int) written {
	if depth == 0 {
		return d.leaf()
	}
	sub := func() written { return d.entry(d.rng.IntN(depth)) }
	switch d.rng.IntN(9) {
	case 0:
		x := sub()
		return written{"relu(" + x.text + ")", func(p place) int64 { return max(x.at(p), 0) }}
	case 1:
		x, y := sub(), sub()
		return written{"(" + x.text + " + " + y.text + ")", func(p place) int64 { return x.at(p) + y.at(p) }}
	case 2:
		x, y := sub(), sub()
		return written{"(" + x.text + " - " + y.text + ")", func(p place) int64 { return x.at(p) - y.at(p) }}
	case 3, 4:
		x, y := sub(), sub()
		return written{"(" + x.text + " * " + y.text + ")", func(p place) int64 { return x.at(p) * y.at(p) }}
	case 5:
		x, y := sub(), sub()
		if d.rng.IntN(2) == 0 {
			return written{"min(" + x.text + ", " + y.text + ")", func(p place) int64 { return min(x.at(p), y.at(p)) }}
		}
		return written{"max(" + x.text + ", " + y.text + ")", func(p place) int64 { return max(x.at(p), y.at(p)) }}
	case 6:
		x, y := sub(), sub()
		return written{"where(i < n - 1, " + x.text + ", " + y.text + ")", func(p place) int64 {
			if p.i < int64(len(p.x))-1 {
				return x.at(p)
			}
			return y.at(p)
		}}
	}
	if len(d.bound) > 1 {
		return d.leaf()
	}
	k := []string{"k", "l"}[len(d.bound)]
	r := ranges[d.rng.IntN(len(ranges))]
	old := *d
	d.bound = append(slices.Clone(d.bound), k)
	if r.whole {
		d.whole = append(slices.Clone(d.whole), k)
	}
	x := sub()
	d.bound, d.whole = old.bound, old.whole
	kind := "sum"
	if r.text != "i - 1..1" && d.rng.IntN(3) == 0 {
		kind = d.pick("max", "min")
	}
	return over(kind, k, r, x)
}

// over is a sum, maximum or minimum of x.
func over(kind, k string, r indexRange, x written) written {
	return written{"(" + kind + " " + k + " in " + r.text + " of " + x.text + ")", func(p place) int64 {
		n := int64(len(p.x))
		lo, hi := r.lo(n, p.i), r.hi(n, p.i)
		inner := place{p.x, p.i, map[string]int64{}}
		for name, v := range p.vars {
			inner.vars[name] = v
		}
		var out int64
		for v := lo; v <= hi; v++ {
			inner.vars[k] = v
			switch y := x.at(inner); {
			case kind == "sum":
				out += y
			case v == lo, kind == "max" && y > out, kind == "min" && y < out:
				out = y
			}
		}
		return out
	}}
}

// twins are two entries that are equal if a factor is not negative.
func (d *entries) twins() [2]written {
	r := ranges[d.rng.IntN(len(ranges))]
	d.bound = []string{"k"}
	f, x, y := d.leaf(), d.entry(1), d.entry(1)
	d.bound = nil
	product := func(x written) written {
		return written{"(" + f.text + " * " + x.text + ")", func(p place) int64 { return f.at(p) * x.at(p) }}
	}
	larger := func(x, y written) written {
		return written{"max(" + x.text + ", " + y.text + ")", func(p place) int64 { return max(x.at(p), y.at(p)) }}
	}
	if d.rng.IntN(2) == 0 {
		y = written{"0", func(place) int64 { return 0 }}
	}
	return [2]written{over("sum", "k", r, product(larger(x, y))), over("sum", "k", r, larger(product(x), product(y)))}
}

// Of operators that texts define, no two that differ somewhere are proved equal.
func TestPlausibleDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	d := &entries{rng: rng}
	var inputs [][]int64
	for n := 1; n <= 4; n++ {
		for range 8 {
			x := make([]int64, n)
			for i := range x {
				x[i] = rng.Int64N(9) - 4
			}
			inputs = append(inputs, x)
		}
	}
	// The first inputs, of one sign, tell few entries apart.
	few := [][]int64{{2}, {3, 1}, {5, 2, 1}}
	values := func(w written, xs [][]int64) (out []int64) {
		for _, x := range xs {
			for i := range x {
				out = append(out, w.at(place{x, int64(i), nil}))
			}
		}
		return out
	}
	type operator struct {
		written
		name string
		all  []int64
	}
	seen := map[string]bool{}
	made := 0
	register := func(w written) operator {
		o := operator{w, fmt.Sprintf("drawn%d", made), values(w, inputs)}
		made++
		ds, err := define.Parse("drawn.ops", fmt.Sprintf("op %s(X : [n]) : [n] at i = %s", o.name, w.text))
		if err == nil {
			err = define.Register(ds)
		}
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	fails, holds, proved := 0, 0, 0
	compare := func(x, y operator) {
		l, err := law.ParseLaw(fmt.Sprintf("rule a [ordered] given X : [n] then %s(X) == %s(X)", x.name, y.name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := sums.Certify(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.Equal(x.all, y.all)
		switch {
		case same:
			holds++
		case p != nil:
			t.Errorf("proved, and false: %s == %s", x.text, y.text)
		default:
			fails++
		}
		if same && p != nil {
			proved++
		}
	}
	for made < 400 {
		if w := d.twins(); !seen[w[0].text] {
			seen[w[0].text] = true
			compare(register(w[0]), register(w[1]))
		}
	}
	// Entries that agree on few inputs are plausible equals.
	buckets := map[string][]operator{}
	for made < 900 {
		w := d.entry(1 + rng.IntN(4))
		key := fmt.Sprint(values(w, few))
		if b := buckets[key]; len(w.text) < 90 && !seen[w.text] && len(b) < 6 {
			seen[w.text] = true
			o := register(w)
			for _, y := range b {
				compare(o, y)
			}
			buckets[key] = append(b, o)
		}
	}
	t.Logf("none of %d false laws is proved; %d of %d laws that hold at all points are", fails, proved, holds)
	if fails < 200 || proved < 20 {
		t.Errorf("%d false laws, %d proved", fails, proved)
	}
}
