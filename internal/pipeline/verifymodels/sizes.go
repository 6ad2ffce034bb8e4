package verifymodels

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/assume"
)

// Models with dynamic sizes are equal for all sizes if they have the same structure, in which
// sizes are variables, or if there is a proof. Else they are compared at several sizes, which the
// verdict names.

// compareSizes is compare for models with dynamic sizes.
func (o Options) compareSizes(ctx context.Context) (*Report, error) {
	a, b := o.A.Graph.Sizing(), o.B.Graph.Sizing()
	if !a.Equal(b) {
		return nil, &Mismatch{fmt.Errorf("the dynamic sizes of the models are %s and %s", a, b)}
	}
	same, err := o.sameForAll()
	if err != nil {
		return nil, err
	}
	fixed := o
	fixed.A, fixed.B = o.A.Fixed(), o.B.Fixed()
	var all *Report
	for _, sizes := range otherSizes(a, o.Seed, same) {
		if fixed.A, err = o.A.At(sizes); err != nil {
			return nil, err
		}
		if fixed.B, err = o.B.At(sizes); err != nil {
			return nil, err
		}
		fixed.A, fixed.B = fixed.A.Fixed(), fixed.B.Fixed()
		r, err := fixed.compare(ctx)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", a.Text(sizes), err)
		}
		r.At = []string{a.Text(sizes)}
		if all = joined(all, r); all.Verdict == ModelsDiffer {
			break
		}
	}
	if same && all.Verdict == ModelsEqual && all.Exact.Structure {
		all.Sizes, all.At = a.Vars(), nil
		all.Assumptions = assume.Join(all.Assumptions, []assume.Name{assume.Sizes})
	}
	all.State()
	return all, nil
}

// sameForAll reports whether the models have one structure for all sizes.
func (o Options) sameForAll() (bool, error) {
	ins, err := pair(o.A, o.B)
	if err != nil {
		return false, &Mismatch{err}
	}
	outs, err := pairOutputs(o.A, o.B)
	if err != nil {
		return false, &Mismatch{err}
	}
	c, err := relate(o.A, o.B, ins, outs)
	if err != nil {
		return false, err
	}
	return c.proved(), nil
}

// mostTried is how far from the lower end of its range a size is drawn.
const mostTried = 9

// otherSizes are the sizes at which models are compared: those at which the graphs are made and,
// unless one is enough, the smallest, and others.
func otherSizes(s *graph.Sizing, seed uint64, one bool) []map[string]int {
	rng := rand.New(rand.NewPCG(seed, 37))
	made, least, drawn := map[string]int{}, map[string]int{}, map[string]int{}
	for _, v := range s.Vars() {
		made[v.Name], least[v.Name] = v.Sample, int(v.Lo)
		drawn[v.Name] = int(v.Lo + rng.Int64N(min(v.Hi-v.Lo, mostTried)+1))
	}
	list := []map[string]int{made}
	for _, x := range []map[string]int{least, drawn} {
		if !one && !slices.ContainsFunc(list, func(y map[string]int) bool { return maps.Equal(x, y) }) {
			list = append(list, x)
		}
	}
	return list
}

// order are conclusions, the one that decides first.
var order = []Conclusion{ModelsDiffer, NotKnown, NotCompared, ModelsAgree, ModelsEqual}

// joined is the report about models that were compared at the sizes of two reports; all is nil
// before the first.
func joined(all, r *Report) *Report {
	if all == nil {
		return r
	}
	first, second := all, r
	if slices.Index(order, r.Verdict) < slices.Index(order, all.Verdict) {
		first, second = r, all
	}
	if first.Verdict == ModelsDiffer || first.Verdict == NotKnown {
		first.Notes = append(first.Notes, fmt.Sprintf("for %s: %s", strings.Join(second.At, "; "), second.Statement))
		return first
	}
	first.At = append(slices.Clone(all.At), r.At...)
	first.Exact.Structure = first.Exact.Structure && second.Exact.Structure
	first.Exhaustive = first.Exhaustive && second.Exhaustive
	if bits := second.Exact.Bits; bits > 0 && (first.Exact.Bits == 0 || bits < first.Exact.Bits) {
		first.Exact.Bits = bits
	}
	first.Runs = cmp.Or(min(first.Runs, second.Runs), first.Runs)
	first.Assumptions = assume.Join(first.Assumptions, second.Assumptions)
	return first
}

// forSizes says for which sizes a verdict holds.
func (r *Report) forSizes() string {
	var parts []string
	switch {
	case len(r.Sizes) > 0:
		sizes := make([]string, len(r.Sizes))
		for i, v := range r.Sizes {
			sizes[i] = v.String()
		}
		parts = append(parts, "all sizes, "+strings.Join(sizes, ", "))
	case len(r.At) > 0:
		parts = append(parts, strings.Join(r.At, "; "))
	}
	if r.Only != "" && len(parts) > 0 {
		parts = append(parts, "only for "+r.Only)
	} else if r.Only != "" {
		parts = append(parts, r.Only)
	}
	if len(parts) == 0 {
		return ""
	}
	return " for " + strings.Join(parts, ", and ")
}
