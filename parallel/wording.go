package parallel

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// wording is how general a law of a strategy is.
type wording int

const (
	divided wording = iota // so is the number of groups, of which a member has its part
	general                // sizes and the degree are variables
	apart                  // those of shards too that are as small as a window
	grouped                // likewise, of groups of which an attribute holds the number
	partly                 // those are that attributes do not hold
	literal                // none is
)

// worded is the statement that the members of a result are r; nil: there is none of that
// wording that another one is not.
func (q *spreading) worded(out int, r Role, how wording) (*law.Law, map[string]graph.Dim) {
	if how == apart {
		small := false
		for i, r := range q.in {
			small = small || r.Kind == Shard && q.sizes[i][r.Axis] > 1 && q.sizes[i][r.Axis] <= q.literal() && q.literal() > 1
		}
		if !small {
			return nil, nil
		}
		also := *q
		also.apart = true
		return also.law(out, r, true)
	}
	if how == divided {
		if all := groups(q.op, q.whole); all == 0 || q.degree == 1 || all%q.degree != 0 || max(1, groups(q.op, q.member)) != all/q.degree {
			return nil, nil
		}
		also := *q
		also.divided = true
		return also.law(out, r, true)
	}
	if how == grouped {
		also := *q
		also.apart = true
		if also.multiple = groups(q.op, q.member); also.multiple < 2 {
			return nil, nil
		}
		return also.law(out, r, true)
	}
	if how != partly {
		return q.law(out, r, how == general)
	}
	fits := func(l *law.Law) bool {
		if l == nil {
			return false
		}
		_, err := l.Types()
		return err == nil
	}
	if l, _ := q.law(out, r, false); !fits(l) {
		return nil, nil
	}
	if l, _ := q.law(out, r, true); fits(l) {
		return nil, nil
	}
	var sizes, free []int // the largest first: those of samples
	for _, x := range q.sizes {
		sizes = append(sizes, x...)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	slices.Reverse(sizes)
	state := func(free []int, degree bool) (*law.Law, map[string]graph.Dim) {
		return q.stated(out, r, func(n int) bool { return !slices.Contains(free, n) }, degree)
	}
	for _, n := range sizes {
		if more := append(slices.Clone(free), n); n > q.literal() {
			if l, _ := state(more, true); fits(l) {
				free = more
			}
		}
	}
	degree := true
	if l, _ := state(free, false); fits(l) {
		degree = false
	}
	if len(free) == 0 && degree {
		return nil, nil
	}
	return state(free, degree)
}

// paired is the grouped law with two groups instead of as many as there are, to be evaluated; l
// where that is none.
func (q *spreading) paired(out int, r Role, l *law.Law) *law.Law {
	m, all := groups(q.op, q.member), groups(q.op, q.whole)
	if m < 4 || all%m != 0 {
		return l
	}
	also := *q
	also.apart, also.multiple = true, 2
	also.member, also.whole = replaced(q.op, q.member, m, graph.Int(2)), replaced(q.op, q.whole, all, graph.Int(int64(2*all/m)))
	also.sizes = make([][]int, len(q.sizes))
	for i, x := range q.sizes {
		for _, n := range x {
			if n%m == 0 {
				n = n / m * 2
			}
			also.sizes[i] = append(also.sizes[i], n)
		}
	}
	few, _ := also.law(out, r, true)
	if few == nil {
		return l
	}
	if _, err := few.Types(); err != nil {
		return l
	}
	return few
}

// ofGroups are the roles of operands in which a member has its part of the groups: those
// that are given, and of each other operand shards of the axis that has groups; nil: there
// is none.
func ofGroups(in []Role, sizes [][]int, groups, degree int) []Role {
	if groups < 2 || groups%degree != 0 {
		return nil
	}
	out, some := slices.Clone(in), false
	for i, r := range in {
		if r.Kind != Copy {
			continue
		}
		k := slices.IndexFunc(sizes[i], func(n int) bool { return n%groups == 0 })
		for j, n := range sizes[i] { // behind the samples, if both may be meant
			if n%groups == 0 && j == 1 {
				k = j
			}
		}
		if k >= 0 {
			out[i], some = Role{Kind: Shard, Axis: k}, true
		}
	}
	if !some {
		return nil
	}
	return out
}

// replaced are attributes with another value for a number of groups.
func replaced(o *graph.Op, attrs graph.Attrs, groups int, by graph.Dim) graph.Attrs {
	out := slices.Clone(attrs)
	for i, p := range o.Params {
		if d, ok := attrs[i].Dim(); ok && p.Sort == "int" && d == graph.Int(int64(groups)) {
			out[i] = graph.DimValue(by)
			break
		}
	}
	return out
}

// groups is a number among the attributes of an operator, from 2 on; 0: there is none.
func groups(o *graph.Op, attrs graph.Attrs) int {
	for i, p := range o.Params {
		if d, ok := attrs[i].Dim(); ok && p.Sort == "int" {
			if n, ok := d.Const(); ok && n > 1 && n < graph.MaxSize {
				return int(n)
			}
		}
	}
	return 0
}
