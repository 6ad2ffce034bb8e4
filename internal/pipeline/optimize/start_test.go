package optimize

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
)

// Auto goes on from the cheaper of two saturations, by all laws and by those about
// networks.
func TestStart(t *testing.T) {
	machine, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	laws, err := DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	few, err := aboutNetworks(laws)
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	for _, name := range []string{"squeezenet-tiny", "nasrnn"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		from := func(method Method, laws []*law.Law) int64 {
			t.Helper()
			o, err := Options{Model: m, Cost: machine, Method: method, Laws: laws}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			n, st, err := o.saturate(context.Background())
			if err != nil || st == nil {
				t.Fatal(err, st)
			}
			p := search.NewPricer(n.Net, o.Target, cost.Picoseconds{Model: o.Cost})
			if p.Err() != nil {
				t.Fatal(p.Err())
			}
			return p.Cost()
		}
		all, some, auto := from(Saturate, laws), from(Saturate, few), from(Auto, laws)
		t.Logf("%s: %d by all laws, %d by those about networks, %d", name, all, some, auto)
		if auto != min(all, some) {
			t.Errorf("%s: %d by all laws, %d by those about networks, and auto begins at %d", name, all, some, auto)
		}
		differ = differ || all != some
	}
	if !differ {
		t.Error("both saturations come to the same: the test does not tell them apart")
	}
}

// Laws about networks are told by what they say.
func TestAboutNetworks(t *testing.T) {
	all, err := DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	few, err := aboutNetworks(all)
	if err != nil || len(few) != len(want) {
		t.Fatalf("%d laws of %d: %v", len(few), len(want), err)
	}
	if few, err = aboutNetworks(axioms.ByKind(law.Axiom)); err != nil || len(few) > 0 {
		t.Errorf("%d of the axioms: %v", len(few), err)
	}
	other := *want[0]
	other.Given = want[1].Given
	if few, err = aboutNetworks([]*law.Law{&other, want[1]}); err != nil || len(few) != 1 || few[0] != want[1] {
		t.Errorf("another law of the same name: %v, %v", few, err)
	}
}
