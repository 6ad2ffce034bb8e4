package law

import (
	"fmt"
	"strings"
	"testing"
)

// Hostile input ends in an error, in little memory, not in a panic.
func TestParseLimits(t *testing.T) {
	law := func(given, then string) string {
		return "axiom a\n given X : [n]" + given + "\n then " + then + " == X\n"
	}
	var lets strings.Builder
	lets.WriteString("axiom a\n given X : [n]\n let f0(X) = ewadd(X, X)\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&lets, " let f%d(X) = f%d(f%d(X))\n", i, i-1, i-1)
	}
	lets.WriteString(" then f59(X) == X\n")
	for _, c := range []struct{ name, src, want string }{
		{"nested terms", law("", strings.Repeat("relu(", 2000)+"X"+strings.Repeat(")", 2000)), "nested more than"},
		{"nested tuples", law("", strings.Repeat("(", 2_000_000)), "nested more than"},
		{"nested sizes", law(", Y : ["+strings.Repeat("strided(", 5000)+"n", "X"), "nested more than"},
		{"summands", law(", Y : [n"+strings.Repeat("+n", 1000)+"]", "X"), "summands"},
		{"factors", law(", Y : [n"+strings.Repeat("*n", 1000)+"]", "X"), "factors"},
		{"number", law(", Y : [99999999999999999999999]", "X"), "is more than"},
		{"coefficient", law(", Y : [2000000000*2000000000*n]", "X"), "is more than"},
		{"name", law(", "+strings.Repeat("Y", 1000)+" : [n]", "X"), "name of 1000 bytes"},
		{"macros", lets.String(), "term of more than"},
		{"file", strings.Repeat(" ", maxFileSize+1), "at most"},
		{"many faults", strings.Repeat("$", 3*maxErrors), "unexpected character"},
	} {
		laws, err := Parse("f", []byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			msg := fmt.Sprint(err)
			t.Errorf("%s: error %.200s, want one with %q", c.name, msg, c.want)
		}
		if len(laws) != 0 {
			t.Errorf("%s: accepted", c.name)
		}
		if errs, ok := err.(Errors); ok && len(errs) > maxErrors+1 {
			t.Errorf("%s: %d faults, want at most %d", c.name, len(errs), maxErrors+1)
		}
	}
}

// What is written in different ways and means the same.
func TestParseSame(t *testing.T) {
	for _, c := range [][2]string{
		{"axiom a given X : [a], Y : [b] then split[axis=0, at=a](concat[axis=0](X, Y)) == (X, Y)",
			"axiom a given X : [a], Y : [b] then (split[axis=0, at=a](concat[axis=0](X, Y)).0, split[axis=0, at=a](concat[axis=0](X, Y)).1) == (X, Y)"},
		{"axiom a given X : [n] let f(Y) = ewmul(Y, X) let g(X) = f(f(X)) then g(X) == X",
			"axiom a given X : [n] then ewmul(ewmul(X, X), X) == X"},
		{"axiom a given X : [a+b] then slice[axis=0, lo=a+b-a, hi=b*a](X) == X",
			"axiom a given X : [b+a] then slice[axis=0, lo=b, hi=a*b](X) == X"},
		{"axiom a given s : stride, X : [strided(h, (1, 1), 0), window(h, 3, s, same_upper, 0)] then X == X",
			"axiom a given s : stride, X : [h, strided(h, s, 0)] then X == X"},
		{"axiom a given X : [n] # a comment\n then (X, relu(X)).1 == X", "axiom a given X : [n] then relu(X) == X"},
	} {
		a, err := ParseLaw(c[0])
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		b, err := ParseLaw(c[1])
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		if Format(a) != Format(b) {
			t.Errorf("not the same:\n%s\n%s", Format(a), Format(b))
		}
	}
}
