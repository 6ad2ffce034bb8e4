package meaning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// images are terms with their shapes, and what operators make of an image of the shape
// at %s; T is the term.
var images = [][2]string{
	{"X", "[a, b, 3, 2]"}, {"Z", "[a, b, h, w]"}, {"iconv[c=a, kh=3, kw=2]()", "[a, a, 3, 2]"},
	{"iconv[c=a, kh=h, kw=w]()", "[a, a, h, w]"}, {"cpool[c=a, kh=2, kw=3]()", "[a, 1, 2, 3]"},
	{"cpool[c=a, kh=h, kw=w]()", "[a, 1, h, w]"}, {"enlarge[kh=3, kw=3](Y)", "[a, b, 3, 3]"},
	{"concat[axis=2](X, one[shape=[a, b, 2, 2]]())", "[a, b, 5, 2]"}, {"one[shape=[a, b, h, w]]()", "[a, b, h, w]"},
}

var made = []string{
	"poolmax[kh=2, kw=3, pad=same_upper](T)", "poolmax[kh=3, kw=3, pad=same_lower](T)", "poolmax[kh=2, kw=1, pad=(1, 0, 1, 0)](pad[before=(0, 0, 1, 0), after=(0, 0, 0, 0)](T))",
	"poolmax[kh=k, kw=m, pad=same_upper](T)", "poolavg[kh=3, kw=2, pad=same_upper](T)",
	"relu(T)", "neg(T)", "ewmul(T, T)", "ewmul(T, relu(T))", "ewadd(T, relu(T))", "ewadd(T, T)", "ewadd(T, ewmul(T, T))", "ewmul(T, ewmul(T, T))", "ewmul(ewmul(T, T), ewmul(T, T))",
	"ewadd(T, one[shape=S]())", "ewsub(T, one[shape=S]())", "ewsub(T, relu(T))",
	"conv2d[pad=same_upper](T, W)", "conv2d[pad=same_lower, act=relu](T, T)",
}

// Maxima of numbers, of what grows, and beside 0, and sums over literal ranges, have at
// every place the value that their terms have there: in true order and any other,
// written out and not.
func TestMaxima(t *testing.T) {
	const given = "# .\nrule a\n  given X : [a, b, 3, 2], Y : [a, b, 1, 3], Z : [a, b, h, w], W : [d, b, 3, 1]\n  then %s == %[1]s\n"
	rng := rand.New(rand.NewPCG(9, 10))
	n := &tally{skipped: map[string]int{}, ops: map[string]int{}}
	refused := 0
	want := sweep.Size(400, 1200)
	for range want {
		base := images[rng.IntN(len(images))]
		text := base[0]
		for range 1 + rng.IntN(4) {
			text = strings.ReplaceAll(strings.ReplaceAll(made[rng.IntN(len(made))], "T", text), "S", base[1])
		}
		ls, err := law.Parse("test", fmt.Appendf(nil, given, text))
		if err != nil {
			t.Fatal(err)
		}
		l := ls[0]
		ordered, written := rng.IntN(3) > 0, rng.IntN(2) > 0
		es, err := meaning.EntriesOf(l, ordered, written, sums.NewRecorder(context.Background()))
		if err != nil {
			refused++
			continue
		}
		j := eval.New(l)
		if j.Unjudged() != "" {
			refused++
			continue
		}
		if ordered {
			err = compareEntries(eval.Rational(), l, es, 4, rng, n)
		} else {
			err = compareEntries(eval.Modular(), l, es, 4, rng, n)
		}
		if err != nil {
			t.Errorf("ordered %v, written out %v: %v\n%s", ordered, written, err, law.Format(l))
		}
	}
	t.Logf("%d terms, %d cells, %d without a value; skipped %v; refused %d; operators %v", n.terms, n.cells, n.bad, n.skipped, refused, n.ops)
	if n.terms < want/3 {
		t.Errorf("%d terms", n.terms)
	}
}
