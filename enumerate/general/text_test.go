package general_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/law"
)

func ExampleParsePair() {
	p, err := general.ParsePair("weights\nrule pair given X1 : [2, 3] then transpose(transpose(X1)) == X1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	fm, err := general.ParseForm("0 0 0 0 0")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := p.Law(fm)
	fmt.Println(law.FormatOutputs(l.LHS), l.Given[0].Shape, fm, err)
	// Output:
	// X1 : [2, 3]: transpose(transpose(X1)) == X1
	// transpose(transpose(X1)) [n1, n2] 0 0 0 0 0 <nil>
}

// What is no pair is an error, and a pair is read again as it is written.
func FuzzParsePair(f *testing.F) {
	f.Add("weights\nrule pair given X1 : [2, 3] then transpose(transpose(X1)) == X1")
	f.Add("weights X2\nrule pair given X1 : [1, 2, 4, 5], X2 : [2, 2, 3, 3] then relu(conv2d[stride=(1, 1), pad=same_lower](X1, X2)) == conv2d[stride=(1, 1), pad=same_lower, act=relu](X1, X2)")
	f.Add("weights\nrule pair given X1 : [2, 3], X2 : [3] then bias(X1, X2) == bias(X1, X2)")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := general.ParsePair(text)
		if err != nil {
			return
		}
		again, err := general.ParsePair(p.Text())
		if err != nil || again.Text() != p.Text() {
			t.Errorf("%q becomes\n%q, %v", text, p.Text(), err)
		}
		// Whatever it says, it has a law or an error in each form.
		for _, fm := range append(p.Asked(), p.Least()) {
			if _, err := p.Law(fm); err != nil {
				continue
			}
			p.Narrower(fm)
		}
	})
}
