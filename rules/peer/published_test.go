package peer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/rules/peer"
)

// count is what a file holds.
type count struct {
	rules, graphs, illFormed, unsupported int
	both                                  int // ill-formed with unsupported operators
	distinct                              int // sources
	outputs                               map[int]int
}

func counts(f *peer.File) count {
	c := count{rules: len(f.Rules), outputs: map[int]int{}}
	seen := map[string]bool{}
	for i := range f.Rules {
		r := &f.Rules[i]
		seen[r.Source] = true
		switch {
		case r.Fault == nil:
			c.graphs++
			if r.TASO != nil {
				c.outputs[len(r.TASO.Mapped)]++
			}
		case r.Fault.Kind == peer.Unsupported:
			c.unsupported++
		default:
			c.illFormed++
			if len(r.Fault.Operators) > 0 {
				c.both++
			}
		}
	}
	c.distinct = len(seen)
	return c
}

// The published files: nothing is skipped silently.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		file   string
		format peer.Format
		want   count
	}{
		{"taso_graph_subst.pb", peer.TASO, count{rules: 133, graphs: 133, distinct: 129, outputs: map[int]int{1: 120, 2: 13}}},
		{"taso_depth3.pb", peer.TASO, count{rules: 619, graphs: 619, distinct: 577, outputs: map[int]int{1: 535, 2: 84}}},
		{"taso_verifier_equations.txt", peer.Verifier, count{rules: 931, graphs: 931, distinct: 674, outputs: map[int]int{1: 931}}},
		{"tensat_converted.txt", peer.Tensat, count{rules: 120, graphs: 120, distinct: 116, outputs: map[int]int{1: 120}}},
		{"flexflow_graph_subst_3_v2.json", peer.FlexFlow, count{rules: 640, graphs: 528, illFormed: 112, distinct: 628, outputs: map[int]int{1: 473, 2: 55}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			name, data := c.file, golden.Data(t, c.file)
			f, err := peer.Read(name, data, "")
			if err != nil {
				t.Fatal(err)
			}
			got := counts(f)
			if f.Format != c.format || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %+v, want %s: %+v", f.Format, got, c.format, c.want)
			}
			ops := map[string]int{}
			for i := range f.Rules {
				r := &f.Rules[i]
				if r.Source == "" || strings.ContainsAny(r.Source, "\n\r") || r.Name == "" || r.Index != i {
					t.Errorf("rule %d: name %q, source %q", r.Index, r.Name, r.Source)
				}
				if (r.TASO == nil) == (r.Fault == nil) {
					t.Errorf("rule %d: graph %v, fault %v", i, r.TASO, r.Fault)
				}
				if (r.Line > 0) != (f.Format != peer.TASO) {
					t.Errorf("rule %d: line %d", i, r.Line)
				}
				if r.Fault != nil {
					for _, o := range r.Fault.Operators {
						ops[o]++
					}
				}
			}
			for _, o := range slices.Sorted(maps.Keys(ops)) {
				t.Logf("%s: in %d rules", o, ops[o])
			}
		})
	}
}
