package egglog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// MaxRank is the most axes of a tensor.
const MaxRank = 4

// Ruleset is the name of the ruleset that a program adds its rewrites to.
const Ruleset = "taso"

// InputRuleset is that of rewrites whose source is nothing but a tensor: each matches
// all tensors of some shape, those too that it made before.
const InputRuleset = "taso-inputs"

// Write writes rules, each in its usable directions, as a program; written counts
// those of which something was. What could not be written is listed.
func Write(rs []*rules.Rule) (program []byte, written int, skips []rules.Skip) {
	p := &programWriter{ops: map[string]*graph.Op{}, seen: map[string]bool{}}
	for _, r := range rs {
		n := len(p.skips)
		said := p.rule(r)
		if said > 0 {
			written++
			continue
		}
		if !slices.ContainsFunc(p.skips[n:], func(s rules.Skip) bool { return s.Instance == "" }) {
			p.skips = append(p.skips, rules.Skip{Rule: r.ID(), Reason: rules.NoInstance})
		}
	}
	return []byte(p.prelude() + p.body.String()), written, p.skips
}

// programWriter collects what the rules need.
type programWriter struct {
	body  strings.Builder
	ops   map[string]*graph.Op
	seen  map[string]bool // rewrites
	skips []rules.Skip
}

// rule writes the instances of a rule and says how many.
func (p *programWriter) rule(r *rules.Rule) (said int) {
	skip := func(instance string, err error) {
		p.skips = append(p.skips, rules.Skip{Rule: r.ID(), Instance: instance, Reason: err.Error()})
	}
	if !r.Forward && !r.Backward {
		skip("", fmt.Errorf("no direction is usable"))
		return 0
	}
	if r.Law.HasTag(law.TagReal) {
		skip("", fmt.Errorf("it holds where every term has a value, of which egglog knows nothing"))
		return 0
	}
	instances, err := withoutRuns(r.Law)
	if err != nil {
		skip("", err)
		return 0
	}
	var text strings.Builder
	for _, in := range instances {
		for _, way := range []struct {
			on       bool
			name     string
			src, dst []*law.Term
		}{{r.Forward, "left to right", in.law.LHS, in.law.RHS}, {r.Backward, "right to left", in.law.RHS, in.law.LHS}} {
			if !way.on {
				continue
			}
			label := strings.TrimPrefix(in.label+", "+way.name, ", ")
			w, err := newRewrite(&in, way.src, way.dst)
			if err != nil {
				skip(label, err)
				continue
			}
			said++
			// That operands may be exchanged is said once, in the prelude.
			if s := w.String(); !p.seen[s] && !slices.Equal(w.lhs, w.rhs) {
				p.seen[s] = true
				text.WriteString(s)
			}
			for _, t := range slices.Concat(way.src, way.dst) {
				t.Walk(func(u *law.Term) {
					if u.Op != nil && !isMap(u) {
						p.ops[u.Op.Name] = u.Op
					}
				})
			}
		}
	}
	if text.Len() > 0 {
		fmt.Fprintf(&p.body, "\n; %s: %s\n%s", r.ID(), rules.Describe(r.Law), text.String())
	}
	return said
}

// prelude declares what the rewrites speak of.
func (p *programWriter) prelude() string {
	var b strings.Builder
	b.WriteString(`; Rewrites of tensor programs, each a law. A tensor is (t-input "name"), a function of one
; element (t-map "relu" X), or an operator with its attributes before its operands; of
; several outputs the number stands first. Integers are i64, shapes are Shape, other
; attributes texts: "(1, 1)", "same_upper". Say the shape of each tensor of yours, with
; (set (t-shape X) (Shape-2 2 3)); it is a condition of most rewrites. Then
; (run taso 5), or (run-schedule (saturate (run taso))) where that comes to an end.
(datatype Shape`)
	for n := range MaxRank + 1 {
		fmt.Fprintf(&b, " (Shape-%d%s)", n, strings.Repeat(" i64", n))
	}
	b.WriteString(`)
(sort Tensor)
(constructor t-input (String) Tensor)
(constructor t-map (String Tensor) Tensor)
(function t-shape (Tensor) Shape :no-merge)
; functions of one element with f(0) = 0, and the ways to pad that keep the size
(relation t-zero (String))
(relation t-same (String))
`)
	for _, o := range graph.Ops() {
		if o.IsFunction() && len(o.Params) == 0 && o.KeepsZero(nil) {
			fmt.Fprintf(&b, "(t-zero %q)\n", o.Name)
		}
	}
	fmt.Fprintf(&b, "(t-same %q)\n(t-same %q)\n", graph.SameUpper, graph.SameLower)
	var names []string
	for name := range p.ops {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(constructor(p.ops[name]))
	}
	fmt.Fprintf(&b, "(ruleset %s)\n; whatever the tensor is: these never come to an end\n(ruleset %s)\n", Ruleset, InputRuleset)
	b.WriteString("; operands that may be exchanged: the rules count on it\n")
	for _, name := range names {
		if o := p.ops[name]; o.Commutative {
			b.WriteString(exchange(o))
		}
	}
	return b.String()
}

// constructor declares an operator.
func constructor(o *graph.Op) string {
	var sorts []string
	if o.Out > 1 {
		sorts = append(sorts, "i64")
	}
	for _, q := range o.Params {
		sorts = append(sorts, sortOf(q.Sort))
	}
	for range o.In {
		sorts = append(sorts, "Tensor")
	}
	return fmt.Sprintf("(constructor t-%s (%s) Tensor)\n", o.Name, strings.Join(sorts, " "))
}

// exchange says that the two operands of an operator may be exchanged.
func exchange(o *graph.Op) string {
	head := "t-" + o.Name
	for _, q := range o.Params {
		head += " " + attr(q.Name)
	}
	return fmt.Sprintf("(rewrite (%s A B) (%s B A) :ruleset %s)\n", head, head, Ruleset)
}

// sortOf is what attributes of a sort are in egglog.
func sortOf(sort string) string {
	switch sort {
	case "int", "axis", "flag", law.SortMesh:
		return "i64"
	case "shape":
		return "Shape"
	}
	return "String"
}

// isMap says whether a term is a function of one element of another.
func isMap(t *law.Term) bool { return t.Fn != "" || t.Op != nil && t.Op.IsFunction() }
