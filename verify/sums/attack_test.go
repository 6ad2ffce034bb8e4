package sums_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// number is a term of X, Y and Z as text, and its value at points; nil: it has none there.
type number struct {
	text string
	at   []*big.Rat
}

var unary = map[string]func(x *big.Rat) *big.Rat{
	"neg(%s)":  func(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) },
	"relu(%s)": func(x *big.Rat) *big.Rat { return larger(x, new(big.Rat)) },
	"abs(%s)":  func(x *big.Rat) *big.Rat { return new(big.Rat).Abs(x) },
	"clip[lo=-1.0, hi=2.0](%s)": func(x *big.Rat) *big.Rat {
		return smaller(larger(x, big.NewRat(-1, 1)), big.NewRat(2, 1))
	},
	"reciprocal(%s)": func(x *big.Rat) *big.Rat {
		if x.Sign() == 0 {
			return nil
		}
		return new(big.Rat).Inv(x)
	},
}

var binary = map[string]func(x, y *big.Rat) *big.Rat{
	"ewadd(%s, %s)": func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) },
	"ewsub(%s, %s)": func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) },
	"ewmul(%s, %s)": func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) },
	"ewmax(%s, %s)": larger,
	"ewmin(%s, %s)": smaller,
	"ewdiv(%s, %s)": func(x, y *big.Rat) *big.Rat {
		if y.Sign() == 0 {
			return nil
		}
		return new(big.Rat).Quo(x, y)
	},
}

func larger(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) >= 0 {
		return x
	}
	return y
}

func smaller(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

// key is what a term is at some of the points.
func (n number) key(points []int) string {
	var b strings.Builder
	for _, i := range points {
		if n.at[i] == nil {
			b.WriteString("-;")
		} else {
			b.WriteString(n.at[i].RatString() + ";")
		}
	}
	return b.String()
}

// agree reports whether terms have the same value wherever both have one, and whether they
// have one anywhere.
func agree(x, y number) (same, some bool) {
	for i := range x.at {
		if x.at[i] == nil || y.at[i] == nil {
			continue
		}
		if some = true; x.at[i].Cmp(y.at[i]) != 0 {
			return false, true
		}
	}
	return true, some
}

// numbersTo are random terms, with values at random points, of which those from 0 to some-1
// are in one order and positive.
func numbersTo(rng *rand.Rand, n, points, some int) []number {
	all := []number{{text: "X"}, {text: "Y"}, {text: "Z"}}
	for p := range points {
		vs := []int64{rng.Int64N(13) - 6, rng.Int64N(13) - 6, rng.Int64N(13) - 6}
		den := int64(1 + rng.IntN(4))
		if p < some {
			vs, den = []int64{7 + rng.Int64N(9), 3 + rng.Int64N(4), 1 + rng.Int64N(2)}, 1
		}
		for i := range all {
			all[i].at = append(all[i].at, big.NewRat(vs[i], den))
		}
	}
	us, bs := sortedKeys(unary), sortedKeys(binary)
	seen := map[string]bool{"X": true, "Y": true, "Z": true}
	for len(all) < n {
		// Small operands are more likely.
		pick := func() number { return all[int(float64(len(all))*rng.Float64()*rng.Float64()*rng.Float64())] }
		x, y := pick(), pick()
		t := number{at: make([]*big.Rat, points)}
		if rng.IntN(3) == 0 {
			f := us[rng.IntN(len(us))]
			t.text = fmt.Sprintf(f, x.text)
			for i := range t.at {
				if x.at[i] != nil {
					t.at[i] = unary[f](x.at[i])
				}
			}
		} else {
			f := bs[rng.IntN(len(bs))]
			t.text = fmt.Sprintf(f, x.text, y.text)
			for i := range t.at {
				if x.at[i] != nil && y.at[i] != nil {
					t.at[i] = binary[f](x.at[i], y.at[i])
				}
			}
		}
		if !seen[t.text] && len(t.text) < 70 {
			seen[t.text] = true
			all = append(all, t)
		}
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Laws that hold at some points and not at others have no proof, and no proof of another
// law is one of them. Of those that hold at all points that are tried, most have one.
func TestPlausible(t *testing.T) {
	const some, points = 5, 60
	rng := rand.New(rand.NewPCG(11, 12))
	want := sweep.Size(1500, 25_000)
	all := numbersTo(rng, max(3000, want), points, some)
	buckets := map[string][]number{}
	first := make([]int, some)
	for i := range first {
		first[i] = i
	}
	var keys []string
	for _, x := range all {
		if slices.Contains(x.at, nil) && !slices.ContainsFunc(x.at, func(r *big.Rat) bool { return r != nil }) {
			continue
		}
		k := x.key(first)
		if buckets[k] == nil {
			keys = append(keys, k)
		}
		buckets[k] = append(buckets[k], x)
	}
	var proofs [][]int64
	var fails []*law.Law
	holds, proved, tried := 0, 0, 0
	for round := 0; len(fails) < want && round < 200; round++ {
		for _, k := range keys {
			b := buckets[k]
			if len(b) < 2 || len(fails) >= want {
				continue
			}
			x, y := b[rng.IntN(len(b))], b[rng.IntN(len(b))]
			same, both := agree(x, y)
			if x.text == y.text || !both {
				continue
			}
			text := "rule a [ordered, real] given X : [n], Y : [n], Z : [n] then " + x.text + " == " + y.text
			l, err := law.ParseLaw(text)
			if err != nil {
				t.Fatal(err)
			}
			if same && holds >= want/10 {
				continue
			}
			m, p, err := sums.Show(t.Context(), l, 0)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case same:
				if holds++; p == nil {
					t.Logf("no proof: %s", text)
					continue
				}
				proved++
				proofs = append(proofs, p)
				if _, err := meaning.Check(m, p); err != nil {
					t.Errorf("%v: %s", err, text)
				}
			case p != nil:
				t.Errorf("proved, and false: %s", text)
			default:
				fails = append(fails, l)
			}
		}
	}
	for _, l := range fails {
		for range min(len(proofs), 4) {
			p := proofs[rng.IntN(len(proofs))]
			tried++
			if c, err := meaning.Check(l, p); err == nil && c.Shows(l) {
				t.Errorf("false, and %v is accepted:\n%s", p, law.Format(l))
			}
		}
	}
	t.Logf("%d laws hold at all points, %d of them are proved; %d false laws, none of which is; %d proofs of others", holds, proved, len(fails), tried)
	if len(fails) < want || proved < holds/3 || proved == 0 {
		t.Errorf("%d false laws, %d of %d proved", len(fails), proved, holds)
	}
}
