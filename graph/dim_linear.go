package graph

// Linear writes d as factor*v + rest, neither of which mentions the variable v. It reports
// whether that can be: v may stand in no power and no function.
func (d Dim) Linear(v string) (factor, rest Dim, ok bool) {
	factor, rest = Int(0), Int(d.c)
	if d.p == nil {
		return factor, rest, true
	}
	for _, t := range d.p.terms {
		m, n := Int(t.coef), 0
		for _, a := range t.atoms {
			if a.Kind == AtomVar && a.Name == v {
				n++
				continue
			}
			m = m.Mul(a.Dim())
		}
		switch n {
		case 0:
			rest = rest.Add(m)
		case 1:
			factor = factor.Add(m)
		default:
			return factor, rest, false
		}
	}
	return factor, rest, !factor.mentions(v) && !rest.mentions(v)
}
