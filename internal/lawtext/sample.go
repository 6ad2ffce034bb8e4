package lawtext

import "github.com/taso-go/taso/law"

// Sample is one in so many laws, and each that is the first with an operator, a sort, a
// relation in a condition, a tag, a kind, or in one direction only.
func Sample(laws []*law.Law, part int) (out []*law.Law) {
	met := map[any]bool{}
	for i, l := range laws {
		n := len(met)
		met[l.Kind] = true
		if l.OneWay {
			met["one way"] = true
		}
		l.EachTerm(func(u *law.Term) { met[u.Op] = true })
		for _, d := range l.Given {
			met["sort "+d.Sort] = true
		}
		for _, p := range l.Where {
			met["where "+p.Rel] = true
			if p.Mod != nil {
				met["modulo"] = true
			}
		}
		for _, tag := range l.Tags {
			met["tag "+tag] = true
		}
		if i%part == 0 || len(met) > n {
			out = append(out, l)
		}
	}
	return out
}
