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
	fm, err := general.ParseForm("0 0 0 0 0 0")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := p.Law(fm)
	fmt.Println(law.FormatOutputs(l.LHS), l.Given[0].Shape, fm, err)
	// Output:
	// X1 : [2, 3]: transpose(transpose(X1)) == X1
	// transpose(transpose(X1)) [n1, n2] 0 0 0 0 0 0 <nil>
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

// What is no form is an error, and a form is read again as it is written.
func FuzzParseForm(f *testing.F) {
	for _, text := range []string{"0 0 0 0 0 0", "4 3 1 1 1 1", "3 3 0 0 0 0 cnoANZ", "0 2 0 0 0 0 c", "0 3 0 0 0 0 d", "0 4 0 0 0 0", "0 0 0 0 0", "00 0 0 0 0 0", ""} {
		f.Add(text)
	}
	p, err := general.ParsePair("weights X2\nrule pair given X1 : [1, 2, 4, 5], X2 : [2, 2, 3, 3] then conv2d[stride=(1, 1), pad=same_lower](X1, X2) == conv2d[stride=(1, 1), pad=same_lower](X1, enlarge[kh=3, kw=3](X2))")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fm, err := general.ParseForm(text)
		if err != nil {
			return
		}
		if again, err := general.ParseForm(fm.String()); err != nil || again != fm || fm.String() != text {
			t.Errorf("%q becomes %q, %v", text, again, err)
		}
		// The pair has a law or an error in each.
		if _, err := p.Law(fm); err == nil {
			p.Narrower(fm)
		}
	})
}

func ExampleParseForm() {
	p, err := general.ParsePair("weights X2\nrule pair given X1 : [1, 2, 4, 5], X2 : [2, 2, 1, 3] then conv2d[stride=(1, 1), pad=same_lower](X1, X2) == conv2d[stride=(1, 1), pad=same_lower](X1, enlarge[kh=3, kw=3](X2))")
	if err != nil {
		fmt.Println(err)
		return
	}
	// Heights are any size and odd, both widths are one odd size.
	fm, err := general.ParseForm("3 3 0 0 0 0 nNoN")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := p.Law(fm)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Given[2].Shape, l.RHS[0].Args[1], l.Where)
	_, err = general.ParseForm("3 3 0 0 0 0 x")
	fmt.Println(err)
	// Output:
	// [n5, n6, n7, n8] enlarge[kh=n9, kw=n8](X2) [n8 % 2 == 1 n9 % 2 == 1 n7 <= n9]
	// there is no form "3 3 0 0 0 0 x"
}
