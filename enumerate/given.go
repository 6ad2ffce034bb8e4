package enumerate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/law"
)

// given is an operator with attribute values that a list of operators names, such as
// "poolmax[kh=3, kw=3, stride=(2, 2), pad=valid]". A convolution may end in the size of its
// kernels: "conv2d[pad=valid] 1x1".
type given struct {
	text   string
	family string // the name that the attributes follow
	op     *graph.Op
	attrs  graph.Attrs
	kernel [2]int // height and width; 0: any
}

// caseKernels are the inputs for the sizes of kernels that a list may name.
var caseKernels = map[string]InputType{
	"3x3": {Name: "u", Sizes: []int{2, 2, 3, 3}, Count: 2, Weight: true},
	"1x3": {Name: "v", Sizes: []int{2, 2, 1, 3}, Count: 2, Weight: true},
	"3x1": {Name: "t", Sizes: []int{2, 2, 3, 1}, Count: 2, Weight: true},
	"1x1": {Name: "o", Sizes: []int{2, 2, 1, 1}, Count: 2, Weight: true},
}

// trialShapes are input shapes. An operator of a list must be defined at one of them.
var trialShapes = [][]int{{2, 3}, {3, 3}, {1, 2, 4, 5}, {2, 3, 6}, {2, 2, 3, 3}, {6}}

// SplitList splits a list of operators at the commas that are not inside brackets.
func SplitList(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// parseGiven reads an operator with attribute values.
func parseGiven(text string) (given, error) {
	fail := func(format string, args ...any) (given, error) {
		return given{}, fmt.Errorf("operator %q: %s", text, fmt.Sprintf(format, args...))
	}
	end := strings.LastIndexByte(text, ']')
	if end < 0 {
		return fail("no ] follows [")
	}
	g := given{text: text, family: text[:strings.IndexByte(text, '[')]}
	name, act := g.family, graph.Value{}
	if name == "conv2d_relu" {
		name, act = "conv2d", graph.NameValue("relu")
	}
	o, ok := graph.Lookup(name)
	if !ok {
		o, ok = general.CompositeOps()[name]
	}
	if !ok {
		return fail("there is no operator %s%s", name, suggest.OneOf(name, OperatorNames()))
	}
	if kernel := strings.TrimSpace(text[end+1:]); kernel != "" {
		ty, ok := caseKernels[kernel]
		if !ok || o != op.Conv2D {
			return fail("%q follows the attributes; only a convolution has a kernel there: 1x1, 1x3, 3x1 or 3x3", kernel)
		}
		g.kernel = [2]int(ty.Sizes[2:])
	}
	if o.In > 2 || o.Out != 1 {
		return fail("it has %d operands and %d results; operators of at most 2 and 1 are enumerated", o.In, o.Out)
	}
	args, declared := "()", ""
	if o.In > 0 {
		args = "(" + strings.Join([]string{"X", "Y"}[:o.In], ", ") + ")"
		declared = "given " + strings.Join([]string{"X : [1]", "Y : [1]"}[:o.In], ", ")
	}
	term := name + strings.TrimSuffix(text[len(g.family):end+1], "[]") + args
	l, err := law.ParseLawOver(general.CompositeOps(), fmt.Sprintf("rule operator %s then %s == %s", declared, term, term))
	var faults law.Errors
	if errors.As(err, &faults) { // their places are in a text that nobody wrote
		var all []string
		for _, f := range faults {
			all = append(all, f.Msg)
		}
		slices.Sort(all) // both sides of the law have them
		return fail("%s", strings.Join(slices.Compact(all), "; "))
	}
	if err != nil {
		return fail("%v", err)
	}
	t := l.LHS[0]
	if t.Op != o {
		return fail("it stands for %s", t)
	}
	for i, v := range t.Attrs {
		if _, _, variable := v.Var(); variable {
			return fail("attribute %s is a variable", o.Params[i].Name)
		}
	}
	g.op, g.attrs = o, t.Attrs
	if act != (graph.Value{}) {
		g.attrs[o.ParamIndex("act")] = act
	}
	return g, nil
}

// defined reports whether an operator can be evaluated at some shape of the case.
func (g *given) defined() bool {
	choices := trialShapes
	if g.op.In == 0 {
		choices = [][]int{nil}
	}
	for _, a := range choices {
		for _, b := range choices {
			sizes := [][]int{a, b}[:g.op.In]
			in := make([]graph.Shape, len(sizes))
			for i, s := range sizes {
				in[i] = graph.Sizes(s...)
			}
			var f graph.Unifier
			outs, err := g.op.InferShapes(&f, g.attrs, in)
			if err != nil || len(f.Needs) > 0 {
				continue
			}
			if out, ok := outs[0].Concrete(); ok {
				if _, err := g.op.Program(g.attrs, sizes, [][]int{out}); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// add adds the instances of an operator that a list gives with attribute values.
func (g *given) add(u *Universe) {
	if g.op == op.Conv2D {
		u.addConv(g.attrs, g.kernel)
		return
	}
	u.insts = append(u.insts, newInst(g.op, g.attrs))
	list := []uint16{uint16(len(u.insts) - 1)}
	u.template(g.op, func(_, _ []int, _ seamSet) []uint16 { return list })
}

// suitedToGiven completes the inputs of a list without a preset: images and matrices where
// operators take these, and the kernels that the list names.
func suitedToGiven(types []InputType, list []given, want map[string]bool) []InputType {
	types = slices.Clone(types)
	has := func(fits func(InputType) bool) bool { return slices.ContainsFunc(types, fits) }
	images := slices.ContainsFunc(imageFamilies, func(f family) bool { return want[f.name] })
	if images && !has(func(ty InputType) bool { return len(ty.Sizes) == 4 && isImage(ty.Sizes, nil) }) {
		types = append(types, imageTypes()[:3]...)
	}
	if want["matmul"] && !has(func(ty InputType) bool { return len(ty.Sizes) == 2 }) {
		types = append(types, DefaultTypes()[:2]...)
	}
	kernels, depthwise := map[string]bool{}, false
	for _, g := range list {
		if g.kernel != [2]int{} {
			kernels[fmt.Sprintf("%dx%d", g.kernel[0], g.kernel[1])] = true
			depthwise = depthwise || g.attrs[g.op.ParamIndex("groups")] != graph.IntValue(1)
		}
	}
	if len(kernels) == 0 {
		return types
	}
	types = slices.DeleteFunc(types, func(ty InputType) bool { return ty.Weight && !ty.Defined })
	for _, k := range []string{"3x3", "1x3", "3x1", "1x1"} {
		if kernels[k] {
			types = append(types, caseKernels[k])
		}
	}
	if depthwise {
		types = append(types, InputType{Name: "d", Sizes: []int{2, 1, general.CaseKernel, general.CaseKernel}, Count: 1, Weight: true})
	}
	return types
}
