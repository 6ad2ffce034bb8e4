package broadcast_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
)

// Where a sum is broadcast along channels, a convolution of it has more groups than one of
// the operand, if groups are what channels say. With the groups of the law, which both have,
// no sum along channels is broadcast unless there is but one channel.
func TestGroupsOfChannels(t *testing.T) {
	l, err := law.ParseLaw(`rule r
	  given X : [n, c*g, h, w], Y : [n, c*g, h, w], W : [o*g, c, kh, kw]
	  then (conv2d[pad=valid, groups=g](ewadd(X, Y), W), conv2d[pad=valid, groups=g](X, W))
	    => (conv2d[pad=valid, groups=g](ewadd(Y, X), W), conv2d[pad=valid, groups=g](X, W))`)
	if err != nil {
		t.Fatal(err)
	}
	// apart says whether two convolutions of a pattern have groups that differ.
	apart := func(opts broadcast.Options) bool {
		p, err := broadcast.All(l, opts)
		if err != nil || !p.Complete || len(p.OneSided) > 0 || len(p.Laws) == 0 || p.Laws[0].Axes != 0 {
			t.Fatalf("%v, %+v", err, p)
		}
		for _, b := range p.Laws {
			groups := map[string]bool{}
			for _, out := range b.Law.LHS {
				groups[out.Attrs[out.Op.ParamIndex("groups")].String()] = true
			}
			if len(groups) > 1 {
				if text := law.Format(b.Law); !strings.Contains(text, "X : [n, 1,") {
					t.Errorf("groups differ without a need:\n%s", text)
				}
				return true
			}
		}
		return false
	}
	if apart(broadcast.Options{}) || !apart(broadcast.Options{Groups: true}) {
		t.Errorf("groups differ: %v as the law gives them, %v as channels say; want false and true",
			apart(broadcast.Options{}), apart(broadcast.Options{Groups: true}))
	}
}

// A side whose groups follow from its operands has a shape where the law's do not fit.
func TestExplicitGroups(t *testing.T) {
	l, err := law.ParseLaw(`rule r
	  given X : [1, 1, 1, 1], Y : [1, 2, 1, 1], W : [2, 1, 3, 5]
	  then ewadd(conv2d[pad=same_lower](X, W), conv2d[pad=same_lower, groups=2](Y, W)) => conv2d[pad=same_lower](ewadd(X, Y), W)`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broadcast.Explicit(l, broadcast.Options{}); err == nil {
		t.Error("one group of two channels: no error")
	}
	m, err := broadcast.Explicit(l, broadcast.Options{Groups: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := law.FormatOutputs(m.RHS); !strings.Contains(text, "groups=2") {
		t.Errorf("the right side is %s", text)
	}
	if got := broadcast.NewTyper(l, broadcast.Options{Groups: true}).At(nil); got != nil {
		t.Errorf("the typer says %v", got)
	}
}
