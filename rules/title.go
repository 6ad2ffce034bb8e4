package rules

import (
	"strings"

	"github.com/taso-go/taso/law"
)

// Titles are the rules of the set as lines, by identity: the equation and its conditions. Rules whose
// lines would be the same differ in shapes, kinds of variables or tags, which are added to them.
func (s *Set) Titles() map[string]string {
	titles, count := make(map[string]string, len(s.Rules)), map[string]int{}
	for _, r := range s.Rules {
		t := title(r.Law)
		titles[r.ID()] = t
		count[t]++
	}
	for _, r := range s.Rules {
		if t := titles[r.ID()]; count[t] > 1 {
			titles[r.ID()] = t + details(r.Law)
		}
	}
	return titles
}

func title(l *law.Law) string {
	rel := " == "
	if l.OneWay {
		rel = " => "
	}
	t := law.FormatOutputs(l.LHS) + rel + law.FormatOutputs(l.RHS)
	for i, p := range l.Where {
		if i == 0 {
			t += " where "
		} else {
			t += " and "
		}
		t += p.String()
	}
	return t
}

// details are the variables and tags of a law.
func details(l *law.Law) string {
	var parts []string
	for _, g := range l.Given {
		of := g.Sort
		if of == "" {
			of = g.Shape.String()
		}
		parts = append(parts, g.Name+" : "+of)
	}
	t := ""
	if len(parts) > 0 {
		t = " given " + strings.Join(parts, ", ")
	}
	if len(l.Tags) > 0 {
		t += " [" + strings.Join(l.Tags, ", ") + "]"
	}
	return t
}
