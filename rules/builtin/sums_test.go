package builtin_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/sums"
)

// The laws of heads, of parts and of language models hold for all sizes, both ways: both sides are the same
// sums.
func TestSums(t *testing.T) {
	var laws []*law.Law
	for _, some := range []func() ([]*law.Law, error){builtin.Heads, builtin.Parts, builtin.Language} {
		ls, err := some()
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, ls...)
	}
	p, err := sums.New(sums.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, l := range laws {
		res, err := p.Prove(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if !res.Proved {
			t.Errorf("law %s is not proved: %s", l.Name, res.Reason)
		}
	}
}
