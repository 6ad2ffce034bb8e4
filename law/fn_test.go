package law_test

import (
	"testing"

	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Laws about functions of integers are read, and read again as they are printed: their
// names are no words of the language.
func TestFunctionsOfIntegers(t *testing.T) {
	for _, fn := range []string{"quo", "rem", "mod", "bitand", "bitor", "bitxor", "shl", "shr"} {
		l, err := law.ParseLaw("rule r given X : [n], Y : [n] then ewint[fn=" + fn + "](X, Y) == ewint[fn=" + fn + "](X, Y)")
		if err != nil {
			t.Errorf("%s: %v", fn, err)
			continue
		}
		if back, err := law.ParseLaw(law.Format(l)); err != nil || law.Format(back) != law.Format(l) {
			t.Errorf("%s: %v", law.Format(l), err)
		}
	}
}
