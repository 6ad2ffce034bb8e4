package enumerate

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/suggest"
)

// Universe is what terms are made of.
type Universe struct {
	Types []InputType
	insts []inst
	tmpls []template
	names []string // operator names as given to --ops
	// seq says that the inputs are those of sequences: operators take tensors of
	// two to four axes.
	seq bool
	// mesh is the size of each axis of a mesh; 0: there are none.
	mesh int
	// whole says that weights and constants are images of convolutions and pools at
	// every level.
	whole bool
}

// dataFrom is the smallest level whose convolutions and pools have images that depend
// on an input that is no weight, but in a universe that is whole. Of level 4 three
// graphs in five have others, nearly all of what is left undecided is about these, and
// few of the rules that are kept.
const dataFrom = 4

// template makes the applications of one operator that fit given operands.
type template struct {
	op    *graph.Op
	arity int
	image bool // its first operand is the image of a convolution or pool
	// insts lists the instances worth trying for operands of these sizes;
	// seams are the positions at which the first operand was joined, as one
	// bit set per axis.
	insts func(a, b []int, seams seamSet) []uint16
}

// seamSet is positions along each of the first axes of a tensor, as bit sets.
type seamSet [seamAxes]uint32

// seamAxes is the number of axes along which tensors are joined.
const seamAxes = 3

// maxCut is the largest split position that has an instance.
const maxCut = 30

// maxAxes is the most axes of a tensor that operators of sequences make.
const maxAxes = 4

// Default is TASO's generator set: its operators (SOSP 2019, Table 2, as in
// its public generator) and its typed inputs, two scalars instead of one.
func Default() *Universe {
	u, err := New(nil)
	if err != nil {
		panic(err) // the built-in list is complete
	}
	return u
}

// New builds a universe over the named operators (those of the default if names
// is empty) and the inputs that suit them, less the types no operator can use.
// The name of a preset stands for its operators and sets the inputs. An operator may be given with
// attribute values, such as "poolmax[kh=3, kw=3, stride=(2, 2), pad=valid]"; a convolution also
// with the size of its kernels, "conv2d[pad=valid] 1x1".
func New(names []string) (*Universe, error) {
	if len(names) == 0 {
		names = DefaultNames()
	}
	u := &Universe{}
	var types []InputType
	preset := ""
	want := map[string]bool{}
	var list []given
	ownTypes := false // of a preset whose operators have attributes: all its inputs are used
	for _, n := range names {
		if strings.Contains(n, "[") {
			g, err := parseGiven(n)
			if err != nil {
				return nil, err
			}
			if g.op != op.Conv2D && !g.defined() {
				return nil, fmt.Errorf("operator %q: it is defined at no shape that is enumerated", n)
			}
			if !slices.ContainsFunc(list, func(o given) bool { return o.text == g.text }) {
				list = append(list, g)
			}
			continue
		}
		if p, ok := presetOf(n); ok {
			if preset != "" && preset != n {
				return nil, fmt.Errorf("presets %s and %s together: each has inputs of its own", preset, n)
			}
			preset, types, u.whole, u.mesh = n, p.Types(), p.Whole, p.Mesh
			for _, o := range p.Ops {
				if !strings.Contains(o, "[") {
					want[o] = true
					continue
				}
				g, err := parseGiven(o)
				if err != nil {
					return nil, fmt.Errorf("preset %s: %w", n, err)
				}
				list, ownTypes = append(list, g), true
			}
			continue
		}
		if err := enumerable(n); err != nil {
			return nil, err
		}
		if _, ok := definedFamily(n); !ok && !slices.ContainsFunc(families, func(f family) bool { return f.name == n }) {
			return nil, fmt.Errorf("unknown operator or preset %q%s", n, suggest.OneOf(n, slices.Concat(OperatorNames(), presetNames())))
		}
		want[n] = true
	}
	slices.SortFunc(list, func(a, b given) int { return strings.Compare(a.text, b.text) })
	families := familiesOf(want)
	for _, f := range families {
		if want[f.name] {
			u.names = append(u.names, f.name)
		}
	}
	named := maps.Clone(want) // also those that are given with attributes
	for _, g := range list {
		u.names = append(u.names, g.text)
		named[g.family] = true
	}
	if preset == "" {
		types = suitedToGiven(suited(families, named), list, named)
	}
	if want["split"] && !u.whole {
		types = append(slices.Clone(types), joined()...)
	}
	for _, ty := range types {
		if used(ty, named) || ty.Defined || ownTypes {
			u.Types = append(u.Types, ty)
		}
	}
	u.seq = slices.ContainsFunc(u.Types, func(ty InputType) bool { return len(ty.Sizes) == 3 })
	for _, f := range families {
		if want[f.name] {
			f.add(u)
		}
	}
	for _, g := range list {
		g.add(u)
	}
	if len(u.insts) > 250 {
		return nil, fmt.Errorf("%d operator instances, at most 250", len(u.insts))
	}
	return u, nil
}

// suited is the inputs for a list of operators without a preset: those of the
// default, or those that the operators ask for.
func suited(families []family, want map[string]bool) []InputType {
	var types []InputType
	for _, f := range families {
		if !want[f.name] || f.types == nil {
			continue
		}
		for _, ty := range f.types() {
			if !slices.ContainsFunc(types, func(o InputType) bool { return o.Name == ty.Name }) {
				types = append(types, ty)
			}
		}
	}
	if types == nil {
		types = DefaultTypes()
	}
	return types
}

// used reports whether an operator can use inputs of a type.
func used(ty InputType, want map[string]bool) bool {
	needs := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return want[n] })
	}
	switch {
	case len(ty.Sizes) == 0:
		return want["smul"]
	case len(ty.Sizes) == 1:
		return needs("bias", "scale", "bias2d", "scale2d", "scalekernel", "gather", "scatteradd", "lead")
	case ty.Name == "r":
		return want["enlarge"]
	case ty.Weight:
		return needs("conv2d", "conv2d_relu", "scalekernel", "batchnormkernel")
	case ty.Name == "i", ty.Name == "j":
		return needs("conv2d", "conv2d_relu", "poolavg", "poolmax", "batchnorm", "bias2d", "scale2d", "batchnormbias", "pad")
	}
	return true
}

func presetNames() []string {
	var out []string
	for _, p := range Presets() {
		out = append(out, p.Name)
	}
	return out
}

// Operators are the names of the enumerated operators.
func (u *Universe) Operators() []string { return u.names }

// Ops are the operators that laws over this universe are written with: those
// enumerated and those that their attributes name. nil if some operators are
// composites, which may be written with any.
func (u *Universe) Ops() []*graph.Op {
	seen := map[*graph.Op]bool{}
	ops := []*graph.Op{}
	put := func(o *graph.Op) {
		if !seen[o] {
			seen[o] = true
			ops = append(ops, o)
		}
	}
	for _, in := range u.insts {
		if general.IsComposite(in.op) {
			return nil
		}
		put(in.op)
		for _, v := range in.attrs {
			if name, ok := v.Name(); ok {
				if o, ok := graph.Lookup(name); ok {
					put(o)
				}
			}
		}
	}
	return ops
}

// String lists the universe for reports.
func (u *Universe) String() string {
	var parts []string
	for _, t := range u.Types {
		parts = append(parts, fmt.Sprintf("%d %s%v", t.Count, t.Name, t.Sizes))
	}
	sort.Strings(parts)
	out := strings.Join(u.names, " ") + "; inputs " + strings.Join(parts, ", ")
	for _, n := range u.names {
		if o, ok := graph.Lookup(n); ok && o.Definition != nil {
			out += "; " + o.Definition.String()
		}
	}
	return out
}
