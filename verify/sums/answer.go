package sums

import (
	"fmt"
	"strings"
)

// limit is a set of kinds of values of which only some were tried.
type limit uint8

const (
	strideLimit limit = 1 << iota
	groupsLimit
	axesLimit
)

// extent says whether something was shown, and of which values: of all where
// up is empty.
type extent struct {
	shown bool
	up    limit
}

func (e extent) all() bool { return e.shown && e.up == 0 }

// and is what is shown of two sets of values together.
func (e extent) and(f extent) extent { return extent{e.shown && f.shown, e.up | f.up} }

// answer is what one case, or several together, gave.
type answer struct {
	equal, forward, backward extent
	reason                   string // why not equal
	// defined: both sides may be defined at once. Where they never are, or the
	// conditions of the law cannot hold, an answer says nothing.
	defined bool
	// What the target of a direction needs and its source does not.
	forwardNeeds, backwardNeeds []string
}

// start is what no cases at all give.
func start() answer {
	yes := extent{shown: true}
	return answer{equal: yes, forward: yes, backward: yes}
}

// and adds a case.
func (a *answer) and(b answer) {
	a.forward, a.backward = a.forward.and(b.forward), a.backward.and(b.backward)
	a.defined = a.defined || b.defined
	if a.equal = a.equal.and(b.equal); !b.equal.shown {
		a.reason = b.reason
	}
}

// within limits what was shown to the values that were tried. If in none of
// these the law says anything, nothing was shown.
func (a *answer) within(l limit) {
	for _, e := range []*extent{&a.equal, &a.forward, &a.backward} {
		e.up |= l
		e.shown = e.shown && (a.defined || l == 0)
	}
	if !a.defined && l != 0 && a.reason == "" {
		a.reason = "the conditions hold in no case that was tried, or a side is never defined there"
	}
}

// or is what is known from a case as it stands, a, and by values, b. What was
// shown in general needs no values.
func (a answer) or(b answer) answer {
	pick := func(x, y extent) extent {
		if x.shown {
			return x
		}
		return y
	}
	out := answer{equal: pick(a.equal, b.equal), forward: pick(a.forward, b.forward), backward: pick(a.backward, b.backward)}
	// Values that are all there are say whether the law is ever defined.
	out.defined = b.defined || a.defined && b.equal.up != 0
	out.reason = b.reason
	return out
}

// UpTo is what was shown by trying values up to limits. It says nothing of
// larger values, and is no proof.
type UpTo struct {
	// Strides, Groups and Axes are the largest stride along an axis, number of
	// groups and number of axes of a tensor that were tried; 0: all are meant.
	Strides, Groups int64
	Axes            int
	// Proved, Equal, Forward and Backward are those of a Result, up to these
	// limits.
	Proved, Equal, Forward, Backward bool
}

// String lists the limits: "strides to 3, groups to 3".
func (u UpTo) String() string {
	var parts []string
	if u.Groups > 0 {
		parts = append(parts, fmt.Sprintf("groups to %d", u.Groups))
	}
	if u.Strides > 0 {
		parts = append(parts, fmt.Sprintf("strides to %d", u.Strides))
	}
	if u.Axes > 0 {
		parts = append(parts, fmt.Sprintf("tensors of at most %d axes", u.Axes))
	}
	return strings.Join(parts, ", ")
}

// conclude fills in a result.
func (a answer) conclude(res *Result, oneWay bool, cfg Config) {
	if a.forward.shown {
		res.ForwardNeeds = nil
	}
	if a.backward.shown {
		res.BackwardNeeds = nil
	}
	if a.equal.shown && !a.defined {
		res.Reason = "the conditions cannot hold, or a side is never defined"
		return
	}
	forward, backward := a.equal.and(a.forward), a.equal.and(a.backward)
	proved := forward
	if !oneWay {
		proved = proved.and(backward)
	}
	res.Equal, res.Forward, res.Backward, res.Proved = a.equal.all(), forward.all(), backward.all(), proved.all()
	var up limit
	for _, e := range []extent{a.equal, forward, backward} {
		if e.shown {
			up |= e.up
		}
	}
	if up != 0 {
		u := &UpTo{Proved: proved.shown, Equal: a.equal.shown, Forward: forward.shown, Backward: backward.shown}
		if up&strideLimit != 0 {
			u.Strides = cfg.MaxStride
		}
		if up&groupsLimit != 0 {
			u.Groups = cfg.MaxGroups
		}
		if up&axesLimit != 0 {
			u.Axes = cfg.MaxRank
		}
		res.UpTo = u
	}
	switch {
	case res.Proved:
	case !a.equal.shown:
		res.Reason = a.reason
	case !forward.shown:
		res.Reason = "the left side may be defined where the right one is not" + unless(res.ForwardNeeds)
	case !backward.shown && !oneWay:
		res.Reason = "the right side may be defined where the left one is not" + unless(res.BackwardNeeds)
	default:
		res.Reason = fmt.Sprintf("shown only for %s", res.UpTo)
	}
}

func unless(needs []string) string {
	if len(needs) == 0 {
		return ""
	}
	return ", unless " + strings.Join(needs, " and ")
}
