package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/onnx"
)

// Commands that need no numbers keep dynamic dimensions as variables. Their verdicts hold for all
// sizes in the ranges.

// dynamicHelp is part of the help of commands that take a model for all sizes.
const dynamicHelp = `
MODEL is an ONNX file, a graph as text (NAME.graph, as taso show prints it), or a built-in model
(taso models). Dynamic dimensions stay dynamic: what is reported holds for all sizes at which the
model is defined, or for those of --range sequence=1..512 or --range height=32..512/8 (multiples of
8). --shape sequence=128 fixes a size. A model that cannot be read for all sizes needs --shape, but
for a dynamic batch, which is 1 unless --batch sets it; the report names the node that is in the
way. docs/models.md has more.`

// addDynamic adds the flags of a command that takes models for all sizes.
func (k *modelFlags) addDynamic(c *cobra.Command) {
	k.allSizes = true
	c.Flags().StringArrayVar(&k.ranges, "range", nil, "`NAME=FROM..TO/STEP`: sizes that a dynamic dimension may have (sequence=1..512), /STEP only multiples (height=32..512/8); repeatable")
	under(c, modelHeading, "range")
}

// addCostShape adds the flag for the sizes at which costs are taken.
func (k *modelFlags) addCostShape(c *cobra.Command) {
	c.Flags().StringArrayVar(&k.costShapes, "cost-shape", nil, "`NAME=SIZE,SIZE`: sizes of a dynamic dimension at which models are compared (sequence=128,512); repeatable")
	under(c, modelHeading, "cost-shape")
}

// parseRanges reads NAME=FROM..TO or NAME=FROM..TO/STEP; without TO there is no upper bound. With a
// step the sizes are its multiples.
func parseRanges(list []string) (ranges map[string]graph.Range, steps map[string]int, err error) {
	ranges, steps = map[string]graph.Range{}, map[string]int{}
	for _, s := range list {
		name, text, ok := strings.Cut(s, "=")
		text, by, stepped := strings.Cut(text, "/")
		from, to, both := strings.Cut(text, "..")
		if !ok || name == "" || !both {
			return nil, nil, fmt.Errorf("--range %s: want NAME=FROM..TO or NAME=FROM..TO/STEP, such as sequence=1..512 or height=32..512/8", s)
		}
		if _, twice := ranges[name]; twice {
			return nil, nil, fmt.Errorf("--range %s: %s is given twice", s, name)
		}
		lo, hi, step := int64(1), int64(graph.Unbounded), int64(1)
		for _, part := range []struct {
			text  string
			to    *int64
			given bool
			what  string
		}{{from, &lo, from != "", "size"}, {to, &hi, to != "", "size"}, {by, &step, stepped, "step"}} {
			if !part.given {
				continue
			}
			n, err := strconv.ParseInt(part.text, 10, 64)
			if err != nil || n < 1 || n > graph.Unbounded {
				return nil, nil, fmt.Errorf("--range %s: %q is not a %s; want a whole number from 1 to %d", s, part.text, part.what, graph.Unbounded)
			}
			*part.to = n
		}
		switch {
		case hi < lo:
			return nil, nil, fmt.Errorf("--range %s: the range is empty", s)
		case hi/step*step < lo:
			return nil, nil, fmt.Errorf("--range %s: no multiple of %d is in the range", s, step)
		}
		ranges[name] = graph.Range{Lo: lo, Hi: hi}
		if stepped {
			steps[name] = int(step)
		}
	}
	return ranges, steps, nil
}

// parseCostShapes reads NAME=SIZE,SIZE: the first sizes are those of the search, and all are
// those at which a result must not lose.
func parseCostShapes(list []string) (map[string][]int, error) {
	out := map[string][]int{}
	for _, s := range list {
		name, parts, err := parseList("--cost-shape", s, out)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil || n < 1 || n > graph.Unbounded {
				return nil, fmt.Errorf("--cost-shape %s: %q is not a size; want a whole number from 1 to %d", s, part, graph.Unbounded)
			}
			out[name] = append(out[name], int(n))
		}
	}
	return out, nil
}

// readDynamic reads a file for all sizes, where it leaves some open that no flag gives. It
// returns no model, and why, if the file has to be read at fixed sizes.
func (k *modelFlags) readDynamic(name string, opt onnx.ReadOptions) (m *model.Model, rep *onnx.Report, why, err error) {
	ranges, steps, err := parseRanges(k.ranges)
	if err != nil {
		return nil, nil, nil, err
	}
	costs, err := parseCostShapes(k.costShapes)
	if err != nil {
		return nil, nil, nil, err
	}
	opt.Dynamic, opt.Typical, opt.Ranges, opt.Samples = true, k.typical, ranges, map[string]int{}
	opt.Variables, opt.Steps = k.rangeOf, steps
	for dim, sizes := range costs {
		opt.Samples[dim] = sizes[0]
	}
	m, rep, why = onnx.Read(name, opt)
	if why != nil {
		return nil, nil, why, nil
	}
	if err := unknownDims("--range", slices.Sorted(maps.Keys(ranges)), rep); err != nil {
		return nil, nil, nil, err
	}
	return m, rep, nil, unknownDims("--cost-shape", slices.Sorted(maps.Keys(costs)), rep)
}

// readFixed reads a file again, at fixed sizes; why says why it is not read for all.
func (k *modelFlags) readFixed(name string, why error) (*model.Model, *onnx.Report, error) {
	k.files, k.sized, k.unused, k.inputs, k.allSizes = 0, 0, nil, nil, false
	m, rep, err := k.read(name)
	if err != nil {
		return nil, nil, fixedBecause(err, why)
	}
	if len(rep.Open) > 0 {
		k.fixed = why
	}
	return m, rep, nil
}

// unknownDims is the error of a flag that names what is no dynamic dimension of the model.
func unknownDims(flag string, names []string, rep *onnx.Report) error {
	var have []string
	for _, v := range rep.Dynamic {
		have = append(have, v.Key())
	}
	for _, name := range names {
		switch {
		case slices.Contains(have, name):
			continue
		case slices.ContainsFunc(rep.Source.Open(), func(o onnx.OpenSize) bool { return o.Dim == name }):
			return fmt.Errorf("%s %s: the dimension has a fixed size by another flag", flag, name)
		}
		if len(have) == 0 {
			return fmt.Errorf("%s %s: the model has no dynamic dimension", flag, name)
		}
		return fmt.Errorf("%s %s: no dynamic dimension has this name; there are %s", flag, name, strings.Join(have, ", "))
	}
	return nil
}

// keepRanges lets models that are read after this one have its ranges.
func (k *modelFlags) keepRanges(rep *onnx.Report) {
	if rep == nil || len(rep.Dynamic) == 0 {
		return
	}
	k.rangeOf = map[string]graph.SizeVar{}
	for _, v := range rep.Dynamic {
		k.rangeOf[v.Name] = v.SizeVar
	}
}

// fixedBecause adds to the error of a file that needs sizes why it is not read without, unless that
// is the error.
func fixedBecause(err, why error) error {
	if e := (*onnx.Error)(nil); errors.As(why, &e) {
		e.File = ""
	}
	text := why.Error()
	if strings.Contains(err.Error(), text) {
		return err
	}
	return fmt.Errorf("%w\nWithout sizes it cannot be read: %s", err, text)
}

// furtherSizes are sizes at which a result must not lose, besides those that the graph is made
// with: those of --cost-shape, or smaller and larger ones.
func (k *modelFlags) furtherSizes(m *model.Model) ([]map[string]int, error) {
	s := m.Graph.Sizing()
	if s == nil {
		return nil, nil
	}
	given, err := parseCostShapes(k.costShapes)
	if err != nil {
		return nil, err
	}
	of := map[string]onnx.Variable{}
	for _, v := range k.vars {
		of[v.Name] = v
	}
	var list []map[string]int
	add := func(size func(v graph.SizeVar) int) {
		sizes := map[string]int{}
		same := true
		for _, v := range s.Vars() {
			sizes[v.Name] = int(min(max(int64(size(v)), v.Lo), v.Hi))
			same = same && sizes[v.Name] == v.Sample
		}
		if !same && !slices.ContainsFunc(list, func(x map[string]int) bool { return maps.Equal(x, sizes) }) {
			list = append(list, sizes)
		}
	}
	most := 0
	for _, sizes := range given {
		most = max(most, len(sizes))
	}
	for i := range most {
		add(func(v graph.SizeVar) int {
			if sizes := given[of[v.Name].Key()]; len(sizes) > 0 {
				return sizes[min(i, len(sizes)-1)] / max(of[v.Name].Step, 1)
			}
			return v.Sample
		})
	}
	if len(given) == 0 {
		for _, part := range []int{16, 4} {
			add(func(v graph.SizeVar) int { return v.Sample / part })
		}
		add(larger)
	}
	return list, nil
}

// larger is a large size of a dimension: the end of its range, unless that is far away. Else it is 4
// for a batch of 1, and twice the size for others.
func larger(v graph.SizeVar) int {
	switch {
	case v.Hi <= int64(8*v.Sample):
		return int(v.Hi)
	case v.Sample == 1:
		return 4
	}
	return 2 * v.Sample
}

// fedElsewhere is what is fed at the sizes of furtherSizes.
func (k *modelFlags) fedElsewhere(m *model.Model, sources map[string]feed.Source, rep *onnx.Report) (further []judge.Sized, err error) {
	list, err := k.furtherSizes(m)
	if err != nil {
		return nil, err
	}
	for _, sizes := range list {
		at, err := m.At(sizes)
		if err != nil {
			return nil, err
		}
		fed, err := feed.Make(feed.Of(at), sources, k.seed)
		if err != nil {
			continue // what --input gives has other sizes
		}
		in, err := ortInputs(fed, rep)
		if err != nil {
			return nil, err
		}
		further = append(further, judge.Sized{Sizes: m.Graph.Sizing().Text(sizes), Inputs: in})
	}
	return further, nil
}
