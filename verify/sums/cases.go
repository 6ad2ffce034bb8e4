package sums

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// run decides one law.
type run struct {
	p       *Prover
	l       *law.Law
	ordered bool
	res     *Result
	// unanswered counts questions that Z3 left unanswered, of all cases.
	unanswered int
}

// cases decides the cases of a law's axis runs, all together.
func (r *run) cases(ctx context.Context) (_ answer, err error) {
	defer graph.CatchTooLarge(&err)
	ks, byRank := r.runCases()
	all := start()
	for _, k := range ks {
		a, err := r.prove(ctx, k)
		if err != nil {
			return a, err
		}
		if all.and(a); !all.equal.shown {
			break
		}
	}
	if byRank {
		all.within(axesLimit)
		if len(ks) == 0 {
			all.reason = fmt.Sprintf("there are too many axis runs, or no tensors of at most %d axes have the given shapes", r.p.cfg.MaxRank)
		}
	}
	return all, nil
}

// prove decides a case, in general where that is possible; else by the values
// of a variable that was left open.
func (r *run) prove(ctx context.Context, k meaning.Case) (answer, error) {
	a, open, err := r.attempt(ctx, k)
	if err != nil {
		return a, err
	}
	if a.equal.shown && a.forward.shown && (a.backward.shown || r.l.OneWay) {
		return a, nil
	}
	next, ok := choose(open)
	if !ok {
		r.need(a)
		return a, nil
	}
	for _, limit := range []struct {
		n, most int
		what    string
	}{{r.res.Cases, r.p.cfg.MaxCases, "cases"}, {r.res.Queries, maxQueries / 2, "questions to Z3"},
		{r.unanswered, 2 * maxUnanswered, "questions that Z3 leaves unanswered"}} {
		if limit.n >= limit.most {
			a.reason = strings.TrimPrefix(a.reason+fmt.Sprintf("; more than %d %s", limit.most, limit.what), "; ")
			r.need(a)
			return a, nil
		}
	}
	all := start()
	for _, v := range r.values(k, next) {
		b, err := r.prove(ctx, v)
		if err != nil {
			return b, err
		}
		if all.and(b); !all.equal.shown && !a.equal.shown {
			return all, nil
		}
	}
	limit, err := r.limitOf(ctx, k, next)
	if err != nil {
		return a, err
	}
	all.within(limit)
	return a.or(all), nil
}

// limitOf is the limit of the values that are tried of a variable: none if
// these are all that the conditions of the law permit.
func (r *run) limitOf(ctx context.Context, k meaning.Case, o graph.Open) (limit, error) {
	switch o.Sort {
	case graph.SortSame, graph.SortBorder, graph.SortPadding, meaning.SortWritten, meaning.SortValues:
		return 0, nil
	case graph.SortStride:
		return strideLimit, nil
	}
	g, end := r.guide(ctx)
	defer end()
	none, err := meaning.NoMore(r.l, k, o.Name, r.p.cfg.MaxGroups, g)
	if none || err != nil {
		return 0, err
	}
	return groupsLimit, nil
}

// maxNeeds bounds the conditions that a result lists for a direction.
const maxNeeds = 12

// need notes what a case could not show of the directions.
func (r *run) need(a answer) {
	add := func(to *[]string, more []string) {
		for _, n := range more {
			if !slices.Contains(*to, n) && len(*to) < maxNeeds {
				*to = append(*to, n)
			}
		}
	}
	add(&r.res.ForwardNeeds, a.forwardNeeds)
	add(&r.res.BackwardNeeds, a.backwardNeeds)
}

// kinds are the kinds of variables in the order in which they are tried by
// value, those with few values first.
var kinds = []string{graph.SortSame, graph.SortBorder, "int", graph.SortPadding, meaning.SortWritten, meaning.SortValues, graph.SortStride}

func choose(open []graph.Open) (graph.Open, bool) {
	for _, k := range kinds {
		for _, o := range open {
			if o.Sort == k {
				return o, true
			}
		}
	}
	return graph.Open{}, false
}

// values are the cases of a variable.
func (r *run) values(k meaning.Case, o graph.Open) []meaning.Case {
	if o.Sort != graph.SortStride {
		out, _ := k.Values(o, r.p.cfg.MaxGroups)
		return out
	}
	var out []meaning.Case
	for h := int64(1); h <= r.p.cfg.MaxStride; h++ {
		for w := int64(1); w <= r.p.cfg.MaxStride; w++ {
			out = append(out, k.Attr(o.Name, graph.TupleValue(h, w)))
		}
	}
	return out
}

// guide answers by Z3 what one engine asks; end is called when it asks no more.
func (r *run) guide(ctx context.Context) (g guide, end func()) {
	g = guide{&solver{ctx: ctx, z: r.p.z, s: r.p.s}}
	g.fail(r.p.s.Push())
	return g, func() {
		r.res.Queries += g.queries
		r.unanswered += g.unknown
		_ = r.p.s.Pop()
	}
}

// attempt decides a case as it stands, and lists the variables it left open.
func (r *run) attempt(ctx context.Context, k meaning.Case) (answer, []graph.Open, error) {
	r.res.Cases++
	g, end := r.guide(ctx)
	defer end()
	d, err := meaning.Decide(r.l, k, r.ordered, g)
	if err != nil || d.Never {
		return start(), nil, err // defined nowhere
	}
	a := answer{reason: d.Reason, forwardNeeds: d.ForwardNeeds, backwardNeeds: d.BackwardNeeds,
		equal: extent{shown: d.Equal}, forward: extent{shown: d.Forward}, backward: extent{shown: d.Backward}}
	if d.Engine == nil {
		return a, nil, nil
	}
	a.defined = !g.impossible(d.Engine, nil)
	if !a.equal.shown && len(k.Words) > 0 {
		a.reason += " " + k.String()
	}
	return a, d.Open, g.err
}
