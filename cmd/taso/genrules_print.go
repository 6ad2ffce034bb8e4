package main

import (
	"fmt"
	"io"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/genrules/page"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
)

// written is a file that a run wrote, and what is in it.
type written struct{ path, what string }

// write writes the files asked for, certificates before rules.
func (g *genRules) write(rep *genrules.Report) ([]written, error) {
	var done []written
	if g.out != "" {
		if err := rules.Save(g.out, rep.Set); err != nil {
			return nil, err
		}
		done = append(done, written{g.out, plural(rep.Set.Len(), "rule")})
		if cert := certOf(g.out); cert != "" {
			what := plural(rep.Rules.Proved, "certificate")
			if n := len(rep.Set.Lemmas); n > 0 {
				what += ", " + plural(n, "lemma")
			}
			done = append(done, written{cert, what})
		}
	}
	if g.pb != "" {
		pb, err := savePB(g.pb, rep.Set, taso.Reading{})
		if err != nil {
			return nil, err
		}
		what := plural(pb.written, "rule")
		if pb.lost > 0 {
			what += fmt.Sprintf("; %d rules not expressible (taso rules convert names them)", pb.lost)
		}
		done = append(done, written{g.pb, what})
	}
	if g.unproved != "" {
		list := rep.Unproved
		if list == nil {
			list = []genrules.Unproved{}
		}
		if err := atomicfile.WriteFile(g.unproved, func(w io.Writer) error { return writeJSON(w, list) }); err != nil {
			return nil, fmt.Errorf("write unproved: %w", err)
		}
		done = append(done, written{g.unproved, plural(len(list), "candidate") + " not proved"})
	}
	if g.html != "" {
		if err := atomicfile.WriteFile(g.html, func(w io.Writer) error { return page.Write(w, rep) }); err != nil {
			return nil, fmt.Errorf("write page: %w", err)
		}
		done = append(done, written{g.html, fmt.Sprintf("%s, %s not proved", plural(rep.Set.Len(), "rule"), plural(len(rep.Unproved), "candidate"))})
	}
	return done, nil
}
