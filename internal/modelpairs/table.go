package modelpairs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts are numbers of pairs by answer, and the time that the answers took.
type Counts struct {
	Pairs   int
	Answers [NotRead + 1]int
	Seconds float64
}

func (c *Counts) add(o Outcome) {
	c.Pairs++
	c.Answers[o.Answer]++
	c.Seconds += o.Seconds
}

// Table counts outcomes by kind of change and by operator. The zero value is empty.
type Table struct {
	Kinds     map[string]*Counts // "= kind" of equal pairs, "≠ kind" of others
	Operators map[string]*Counts
	All       Counts
	Dropped   map[string]int // tries that gave no pair, by the reason
	NoPair    int            // numbers that gave none
}

// Add counts a pair; one without a kind is only counted as such.
func (t *Table) Add(p *Pair, o Outcome) {
	if t.Kinds == nil {
		t.Kinds, t.Operators, t.Dropped = map[string]*Counts{}, map[string]*Counts{}, map[string]int{}
	}
	for why, n := range p.Dropped {
		t.Dropped[why] += n
	}
	if p.Kind == "" {
		t.NoPair++
		return
	}
	t.All.add(o)
	for _, at := range []struct {
		m   map[string]*Counts
		key string
	}{{t.Kinds, p.Label()}, {t.Operators, p.Operator}} {
		if at.m[at.key] == nil {
			at.m[at.key] = &Counts{}
		}
		at.m[at.key].add(o)
	}
}

// Label is the kind of change with "=" for equal pairs and "≠" for others.
func (p *Pair) Label() string {
	if p.Equal {
		return "= " + p.Kind
	}
	return "≠ " + p.Kind
}

// String is the table by kind, with all pairs in its last line.
func (t *Table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s %7s %7s %11s %12s %9s %9s %9s\n", "kind of change", "pairs", "right", "wrong equal", "wrong differ", "not known", "not read", "seconds")
	row := func(name string, c *Counts) {
		fmt.Fprintf(&b, "%-26s %7d %7d %11d %12d %9d %9d %9.1f\n", name, c.Pairs, c.Answers[Right], c.Answers[WrongEqual], c.Answers[WrongDiffer], c.Answers[NotKnown], c.Answers[NotRead], c.Seconds)
	}
	for _, k := range slices.Sorted(maps.Keys(t.Kinds)) {
		row(k, t.Kinds[k])
	}
	row("all", &t.All)
	return b.String()
}

// Spread is how many pairs there are of each operator.
type Spread struct{ Operators map[string]*Counts }

// String names the operators with the fewest pairs, and the median.
func (s *Spread) String() string {
	names := slices.Sorted(maps.Keys(s.Operators))
	slices.SortStableFunc(names, func(a, b string) int { return s.Operators[a].Pairs - s.Operators[b].Pairs })
	var b strings.Builder
	fmt.Fprintf(&b, "%d operators, median %d; fewest", len(names), s.Operators[names[len(names)/2]].Pairs)
	for _, n := range names[:min(len(names), 12)] {
		fmt.Fprintf(&b, " %s %d", n, s.Operators[n].Pairs)
	}
	return b.String()
}
