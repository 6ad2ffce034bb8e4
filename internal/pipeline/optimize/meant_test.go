package optimize

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// renamed are the laws of this program under other names, with their sides exchanged where that
// says the same, as generated laws could be.
func renamed(t *testing.T) []*law.Law {
	t.Helper()
	ours, err := DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	var out []*law.Law
	for _, l := range ours {
		m := *l
		if m.Name = "other_" + l.Name; !l.OneWay {
			m.LHS, m.RHS = l.RHS, l.LHS
		}
		out = append(out, &m)
	}
	return append(out, rules.Exchanges(out)...)
}

// Laws stand in for those of this program in the direction in which they state the same, whatever
// they are called.
func TestStandIns(t *testing.T) {
	var laws []*law.Law
	for _, text := range []string{
		"rule same given A : [P.., n] then slice[axis=#P, lo=0, hi=n](A) => A",
		"rule special given f : pointwise1, A : [n], B : [n] then concat[axis=0](f(A), f(B)) == f(concat[axis=0](A, B))",
		"rule other given A : [n] then ewadd(A, A) == ewadd(A, A)",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, l)
	}
	o := &Options{Laws: laws}
	for _, c := range []struct {
		of   use
		want []use
	}{
		{use{"slice_all", false}, []use{{"same", false}}},
		{use{"pointwise_concat", true}, []use{{"special", false}}},
		{use{"pointwise_concat", false}, []use{{"special", true}}},
		{use{"conv_relu", true}, nil},
		{use{"same", false}, []use{{"same", false}}},
		{use{"no_such_law", false}, nil},
	} {
		got, err := o.meant(c.of)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%v means %v, want %v", c.of, got, c.want)
		}
	}
	few, err := aboutNetworks(renamed(t))
	if err != nil || len(few) < 50 {
		t.Errorf("%d laws about networks under other names: %v", len(few), err)
	}
}

// The normal form does not depend on the names of laws: with other laws that state the same, a
// form of a model is proved equal without a search. The weights of the form are found by the laws
// of the search, too: without the law that folds, none of them is found.
func TestProveByOtherLaws(t *testing.T) {
	ctx := context.Background()
	laws := renamed(t)
	for _, name := range []string{"nasrnn+gates", "squeezenet+fused", "mobilenetv2+fold"} {
		of, _, _ := strings.Cut(name, "+")
		a, err := models.Build(of+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		b, err := models.Build(name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prove(ctx, a, b, Options{Laws: laws, Tries: 1, Method: Descend})
		if err != nil || !p.Equal || p.Tried > 0 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if name != "mobilenetv2+fold" {
			continue
		}
		var less []*law.Law
		for _, l := range laws {
			if l.Name != "other_fold_batchnorm" && l.Name != "other_batchnorm_conv" {
				less = append(less, l)
			}
		}
		if p, err = Prove(ctx, a, b, Options{Laws: less, Tries: 1, Method: Descend}); err != nil || p.Equal {
			t.Errorf("%s without its law: %+v, %v", name, p, err)
		}
	}
	bad, err := law.ParseLaw("rule bad given A : [n] then relu(A) => A")
	if err != nil {
		t.Fatal(err)
	}
	a, err := models.Build("nasrnn-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Prove(ctx, a, a, Options{Laws: []*law.Law{bad}}); err == nil {
		t.Errorf("a law that is not proved is used: %+v", p)
	}
}
