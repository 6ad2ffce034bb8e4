package graph

import (
	"strconv"
	"strings"
)

// Words is the size as people write it, with the quotients of windows as floor(n/2) and
// ceil(n/2). Laws have other names for these, which String gives.
func (d Dim) Words() string {
	terms, c := d.Terms()
	var b strings.Builder
	for _, t := range terms {
		floor := false
		if len(t.Atoms) == 1 {
			if floor = t.Atoms[0].floor(); floor { // ceil((n+1)/2) is floor(n/2)+1
				c += t.Coef
			}
		}
		switch {
		case t.Coef < 0:
			b.WriteByte('-')
		case b.Len() > 0:
			b.WriteByte('+')
		}
		if n := max(t.Coef, -t.Coef); n != 1 {
			b.WriteString(strconv.FormatInt(n, 10) + "*")
		}
		for i, a := range t.Atoms {
			if i > 0 {
				b.WriteByte('*')
			}
			b.WriteString(a.words(floor))
		}
	}
	switch {
	case len(terms) == 0:
		return strconv.FormatInt(c, 10)
	case c > 0:
		b.WriteByte('+')
		fallthrough
	case c < 0:
		b.WriteString(strconv.FormatInt(c, 10))
	}
	return b.String()
}

// floor reports whether the atom is written as one that is rounded down, and 1.
func (a Atom) floor() bool {
	x, _, ok := a.collapsed()
	_, c := x.Terms()
	return ok && c == 1
}

func (a Atom) words(floor bool) string {
	x, by, ok := a.collapsed()
	if !ok {
		return a.Dim().String()
	}
	name := "ceil"
	if floor {
		name, x = "floor", x.Sub(Int(1))
	}
	text := x.Words()
	if terms, c := x.Terms(); len(terms)+min(1, int(max(c, -c))) > 1 {
		text = "(" + text + ")"
	}
	return name + "(" + text + "/" + strconv.FormatInt(by, 10) + ")"
}

// ceiling is the atom as x/by, rounded up.
func (a Atom) ceiling() (x Dim, by int64, ok bool) {
	if a.Kind != AtomFunc || a.Name != fnStrided {
		return x, 0, false
	}
	axis, ok := axisArg(a.Args[2])
	if !ok {
		return x, 0, false
	}
	by, ok = strideOf(a.Args[1], axis)
	x, _ = a.Args[0].Dim()
	return x, by, ok
}

// collapsed is the atom as x/by, rounded up, where x is no such quotient itself:
// ceil((ceil(y/n)+k)/by) is ceil((y+k*n)/(n*by)).
func (a Atom) collapsed() (x Dim, by int64, ok bool) {
	x, by, ok = a.ceiling()
	for ok {
		terms, k := x.Terms()
		if len(terms) != 1 || terms[0].Coef != 1 || len(terms[0].Atoms) != 1 {
			break
		}
		y, n, is := terms[0].Atoms[0].ceiling()
		product, fits := MulInt(n, by)
		if !is || !fits {
			break
		}
		x, by = y.Add(Int(k).Scale(n)), product
	}
	return x, by, ok
}
