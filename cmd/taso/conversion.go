package main

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/rules"
)

// conversion is what became of a set in a form that does not hold all rules: one of
// the set becomes instances there, each a rule.
type conversion struct {
	written int // rules of the file
	skips   []rules.Skip
	lost    int // rules of the set of which nothing was written
}

// count notes how many rules were written, and counts those that are lost.
func (o *conversion) count(written int) {
	o.written, o.lost = written, 0
	for _, s := range o.skips {
		if s.Instance == "" {
			o.lost++
		}
	}
}

// summary is such as "52 rules; 7 of ours it cannot say, of others not every
// instance: 7 a side is an input".
func (o *conversion) summary() string {
	s := plural(o.written, "rule")
	if len(o.skips) == 0 {
		return s
	}
	return fmt.Sprintf("%s; %d of ours it cannot say, of others not every instance: %s", s, o.lost, o.reasons())
}

// maxReasons bounds the reasons of a summary.
const maxReasons = 4

// reasons counts why rules and instances were skipped, most frequent first.
func (o *conversion) reasons() string {
	n := map[string]int{}
	for _, s := range o.skips {
		n[s.Reason]++
	}
	list := byCount(n)
	for i, r := range list {
		if i == maxReasons {
			list = append(list[:i], fmt.Sprintf("%d other reasons", len(list)-i))
			break
		}
		list[i] = fmt.Sprintf("%s %s", count(n[r]), r)
	}
	return strings.Join(list, "; ")
}
