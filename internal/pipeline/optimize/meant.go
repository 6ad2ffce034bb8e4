package optimize

import (
	"slices"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// Two strategies of the search name laws of this program: the phases of the normal form, and the
// saturation by laws about networks. Generated laws have other names. Where the laws of a search
// lack a named law, those stand in for it that state the same, more, or a special case of it. So
// the named law says what to do; what is done is a rewrite by the laws of the search.

// meant are the uses of o.Laws that a use of a law of this program means.
func (o *Options) meant(u use) ([]use, error) {
	if have, ok := o.uses[u]; ok {
		return have, nil
	}
	if slices.ContainsFunc(o.Laws, func(l *law.Law) bool { return l.Name == u.law }) {
		return []use{u}, nil
	}
	ours, err := DefaultLaws(true)
	if err != nil {
		return nil, err
	}
	var out []use
	if k := slices.IndexFunc(ours, func(l *law.Law) bool { return l.Name == u.law }); k >= 0 {
		out = standIns(ours[k], u.back, foreign(ours, o.Laws))
	}
	if o.uses == nil {
		o.uses = map[use][]use{}
	}
	o.uses[u] = out
	return out, nil
}

// foreign are those of the laws that no law of this program has the name of.
func foreign(ours, laws []*law.Law) (out []*law.Law) {
	own := map[string]bool{}
	for _, l := range ours {
		own[l.Name] = true
	}
	for _, l := range laws {
		if !own[l.Name] {
			out = append(out, l)
		}
	}
	return out
}

// standIns are the directions of laws that state what a direction of a law states, more, or a
// special case of it, in the order of the laws.
func standIns(of *law.Law, back bool, laws []*law.Law) (out []use) {
	if of.OneWay && back {
		return nil
	}
	want := law.OneDirection(of, back)
	for _, l := range laws {
		for _, b := range []bool{false, true} {
			if l.OneWay && b {
				continue
			}
			if d := law.OneDirection(l, b); rules.Covers(d, want) || rules.Covers(want, d) {
				out = append(out, use{l.Name, b})
			}
		}
	}
	return out
}
