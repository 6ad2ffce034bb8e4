package law

import (
	"testing"
)

// FuzzParse: the parser never panics, reports faults in order, and what it
// accepts is formatted to a text that reads back as the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"# Doc.\naxiom a\n given X : [n], Y : [n]\n then ewadd(X, Y) == ewadd(Y, X)\n cite taso19",
		"section \"S\"\nrefute r [ordered]\n given f : zero1, W : [o, c, m, n]\n where m <= k and k-m % 2 == 0\n" +
			" then enlarge[kh=k, kw=n](f(W)) => f(enlarge[kh=k, kw=n](W))",
		"lemma l\n given s : stride, p : padding, X : [b, g*c, h, w], W : [o, c, k, k]\n" +
			" let conv(X, W) = conv2d[stride=s, pad=p, groups=g](X, W)\n then relu(conv(X, W)) == conv2d[stride=s, pad=p, groups=g, act=relu](X, W)",
		"rule r\n given X : [P.., a, S..], Y : [P.., b, S..]\n then split[axis=#P, at=a](concat[axis=#P](X, Y)) == (X, Y)",
		"rule r\n given s : stride, p : padding\n then poolmax[kh=2, kw=3, stride=s, pad=p](one[shape=[b, c, h, w]]())" +
			" == one[shape=[b, c, window(h, 2, s, p, 0), window(w, 3, s, p, 1)]]()",
		"axiom a given X : [strided(h, (2, 2), 0), -2*a*b+3] then X == transpose[perm=(1, 0)](X).0",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		laws, err := Parse("f", src)
		if err != nil {
			errs, ok := err.(Errors)
			if !ok || len(errs) == 0 {
				t.Fatalf("error %v is not a list of faults", err)
			}
			for i := 1; i < len(errs); i++ {
				a, b := errs[i-1].Pos, errs[i].Pos
				if a.Line > b.Line || a.Line == b.Line && a.Col > b.Col {
					t.Fatalf("faults out of order:\n%v", err)
				}
			}
		}
		for _, l := range laws {
			text := Format(l)
			if len(text) > 1<<18 {
				continue // macros written out
			}
			again, err := ParseLaw(text)
			if err != nil {
				t.Fatalf("formatted text does not parse: %v\n%s", err, text)
			}
			if got := Format(again); got != text {
				t.Fatalf("not read back:\n%s\n%s", text, got)
			}
		}
	})
}
