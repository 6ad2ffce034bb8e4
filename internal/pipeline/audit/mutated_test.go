package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// mutated is how many mutated rules of each file are audited; TASO_MUTATED_RULES is
// another number, 0 for one mutant of every rule.
var mutated = sweep.Size(10, 30)

// Counterexamples to rules with one thing changed are evaluated by what the audit does not
// use, straight from the rule and in the reading that they are about: all refute the rule
// there, and as it is printed.
func TestMutatedPublished(t *testing.T) {
	most := mutated
	if n, err := strconv.Atoi(os.Getenv("TASO_MUTATED_RULES")); err == nil {
		most = n
	}
	for _, name := range []string{"taso_graph_subst.pb", "taso_depth3.pb", "tensat_converted.txt", "flexflow_graph_subst_3_v2.json",
		"taso_verifier_equations.txt"} {
		t.Run(name, func(t *testing.T) {
			f, err := peer.Read(name, golden.Data(t, name), "")
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewSource(11))
			m := &peer.File{Path: name, Format: f.Format}
			for _, i := range rng.Perm(len(f.Rules)) {
				if most > 0 && len(m.Rules) >= most {
					break
				}
				r := f.Rules[i]
				if r.TASO == nil {
					continue
				}
				if r.TASO = mutateRule(r.TASO, rng); r.TASO == nil {
					continue
				}
				r.Index, r.Source = len(m.Rules), r.TASO.String()
				r.Name = fmt.Sprintf("mutant of rule %d", i)
				m.Rules = append(m.Rules, r)
			}
			reps, err := Run(context.Background(), []*peer.File{m}, Options{NoSet: true, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			tally := map[string]int{}
			for i, r := range reps[0].Rules {
				tally["verdict "+string(r.Verdict)]++
				for _, g := range r.Readings {
					for k, w := range []Direction{g.Forward, g.Backward} {
						if w.Reason == unconfirmed {
							t.Errorf("%s: %s: %s", r.Source, g.Semantics, w.Reason)
						}
						if w.Counterexample == nil {
							continue
						}
						what := judge(m.Rules[i].TASO, k, g, w.Counterexample)
						tally[what]++
						if what != "right" && what != "not evaluated" {
							t.Errorf("rule %d, %s, direction %d: %s\n%s\n%s\nof\n%s", i, g.Semantics, k, what, r.Source, w.Counterexample.Witness, w.Counterexample.Law)
						}
					}
				}
			}
			for _, k := range slices.Sorted(maps.Keys(tally)) {
				t.Logf("%s: %d", k, tally[k])
			}
			if tally["right"] == 0 || tally["not evaluated"]*5 > tally["right"] {
				t.Errorf("%d counterexamples were evaluated, %d not", tally["right"], tally["not evaluated"])
			}
		})
	}
}

// mutateRule changes one thing; nil if that makes no rule.
func mutateRule(r *tasopb.Rule, rng *rand.Rand) *tasopb.Rule {
	for range 40 {
		m := &tasopb.Rule{Mapped: slices.Clone(r.Mapped)}
		m.SrcOps, m.DstOps = copyOps(r.SrcOps), copyOps(r.DstOps)
		ops := m.DstOps
		if rng.Intn(3) == 0 || len(ops) == 0 {
			ops = m.SrcOps
		}
		if len(ops) == 0 || !mutateOp(&ops[rng.Intn(len(ops))], r, rng) {
			continue
		}
		if m.String() != r.String() && len(m.Problems(tasopb.Allow{BareSides: true, FreeVariables: true, Repeated: true, Parallel: true})) == 0 {
			return m
		}
	}
	return nil
}

func copyOps(ops []tasopb.Operator) []tasopb.Operator {
	out := slices.Clone(ops)
	for i := range out {
		out[i].Inputs, out[i].Params = slices.Clone(out[i].Inputs), slices.Clone(out[i].Params)
	}
	return out
}

func mutateOp(o *tasopb.Operator, r *tasopb.Rule, rng *rand.Rand) bool {
	switch n := rng.Intn(4); {
	case n == 0 && len(o.Inputs) > 1:
		slices.Reverse(o.Inputs)
	case n == 1 && len(o.Inputs) > 0:
		inputs := ids(r)
		if len(inputs) == 0 {
			return false
		}
		o.Inputs[rng.Intn(len(o.Inputs))] = tasopb.Tensor{OpID: inputs[rng.Intn(len(inputs))]}
	case n == 2 && len(o.Params) > 0:
		p := &o.Params[rng.Intn(len(o.Params))]
		switch p.Key {
		case tasopb.ParamPad:
			p.Value = 1 - p.Value
		case tasopb.ParamStrideH, tasopb.ParamStrideW, tasopb.ParamKernelH, tasopb.ParamKernelW:
			p.Value = 1 + rng.Int31n(3)
		case tasopb.ParamActi:
			p.Value = 2 - p.Value
		case tasopb.ParamAxis, tasopb.ParamParallelDim:
			p.Value = rng.Int31n(4)
		case tasopb.ParamParallelDegree:
			p.Value = 2 + rng.Int31n(3)
		default:
			return false
		}
	default:
		to := map[tasopb.OpType]tasopb.OpType{tasopb.OpEwAdd: tasopb.OpEwMul, tasopb.OpEwMul: tasopb.OpEwAdd, tasopb.OpRelu: tasopb.OpTanh,
			tasopb.OpPool2DAvg: tasopb.OpPool2DMax, tasopb.OpPool2DMax: tasopb.OpPool2DAvg, tasopb.OpReplicate: tasopb.OpPartition,
			tasopb.OpPartition: tasopb.OpCombine, tasopb.OpCombine: tasopb.OpReduce, tasopb.OpReduce: tasopb.OpReplicate}[o.Type]
		if to == 0 {
			return false
		}
		o.Type = to
	}
	return true
}

// judge evaluates a counterexample, and is "right" if it refutes the rule in its reading as
// it says.
func judge(r *tasopb.Rule, k int, g Reading, c *Counterexample) string {
	sem, err := FindSemantics(g.Semantics)
	if err != nil {
		return err.Error()
	}
	in := map[int32]array{}
	for _, x := range c.Witness.Inputs {
		id, err := strconv.Atoi(strings.TrimPrefix(x.Term, "X"))
		if err != nil {
			return err.Error()
		}
		if x.Entries != nil || count(x.Shape) > 1<<16 {
			return "not evaluated"
		}
		p := -1
		in[int32(-id)] = fill(x.Shape, func([]int) float64 {
			if p++; x.Values == nil {
				return 0
			}
			return number(x.Values[p])
		})
	}
	// What a reading leaves open, some choice refutes.
	sames, borders := []string{sem.Reading.Same}, []string{sem.Reading.Border}
	if sem.Reading.Same == taso.AnySame {
		sames = []string{graph.SameUpper, graph.SameLower}
	}
	if sem.Reading.Border == taso.AnyBorder {
		borders = []string{"counted", "excluded"}
	}
	said := ""
	for _, same := range sames {
		for _, border := range borders {
			e := &straight{same: same, excluded: border == "excluded", grouped: sem.Reading.Grouped || g.Grouped,
				broadcast: sem.Broadcast, replica0: sem.Reading.Linear == taso.Replica0}
			switch what := e.judge(r, k, in, c); what {
			case "right", "not evaluated":
				return what
			default:
				said = what
			}
		}
	}
	return said
}

func (e *straight) judge(r *tasopb.Rule, k int, in map[int32]array, c *Counterexample) string {
	if k == 1 {
		r = turned(r)
	}
	from, err := e.side(r.SrcOps, in)
	switch {
	case errors.Is(err, errOther):
		return "not evaluated"
	case err != nil:
		return "wrong: the source is " + err.Error()
	}
	to, err := e.side(r.DstOps, in)
	switch {
	case errors.Is(err, errOther):
		return "not evaluated"
	case err != nil && c.Witness.Kind == "defined":
		return "right"
	case err != nil:
		return "otherwise: the target is " + err.Error()
	}
	get := func(side [][]array, op, ts int32) array {
		if op < 0 {
			return in[op]
		}
		return side[op][ts]
	}
	equal := true
	for i, m := range r.Mapped {
		x, y := get(from, m.SrcOpID, m.SrcTsID), get(to, m.DstOpID, m.DstTsID)
		if x.open != "" || y.open != "" {
			return "not evaluated"
		}
		if !slices.Equal(x.shape, y.shape) {
			if c.Witness.Kind == "shape" && c.Witness.Output == i && c.Witness.Left == fmt.Sprint(x.shape) && c.Witness.Right == fmt.Sprint(y.shape) {
				return "right"
			}
			return fmt.Sprintf("otherwise: output %d has shape %v, or %v", i, x.shape, y.shape)
		}
		for p := range x.data {
			if near(x.data[p], y.data[p]) {
				continue
			}
			equal = false
			if c.Witness.Kind == "values" && c.Witness.Output == i {
				cell := c.Witness.Cell
				if near(x.at(cell...), number(c.Witness.Left)) && near(y.at(cell...), number(c.Witness.Right)) {
					return "right"
				}
			}
		}
	}
	if equal && c.Witness.Kind == "values" || c.Witness.Kind != "values" {
		return "wrong: both sides are defined, and of one shape" + map[bool]string{true: ", and equal"}[equal]
	}
	return "otherwise: the sides have other values than it says"
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-7*(1+math.Abs(x)+math.Abs(y)) }

// number reads 3, -1/2 or "about 0.76".
func number(s string) float64 {
	s = strings.TrimPrefix(s, "about ")
	num, den, frac := strings.Cut(s, "/")
	x, err := strconv.ParseFloat(num, 64)
	if err != nil {
		return math.NaN()
	}
	if frac {
		y, _ := strconv.ParseFloat(den, 64)
		x /= y
	}
	return x
}
