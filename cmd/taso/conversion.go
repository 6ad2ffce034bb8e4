package main

import "github.com/taso-go/taso/rules"

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
