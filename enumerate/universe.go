package enumerate

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// InputType is a group of inputs of one shape.
type InputType struct {
	Name   string
	Sizes  []int // in the case
	Count  int   // inputs of this type, at most 4
	Weight bool  // not used as the image of a convolution or pool
}

// Universe is what terms are made of.
type Universe struct {
	Types []InputType
	insts []inst
	tmpls []template
	names []string // operator names as given to --ops
}

// inst is an operator with literal attributes, in the case.
type inst struct {
	op    *graph.Op
	attrs graph.Attrs
	ids   []uint32 // identities of the attributes
	nums  []int64  // their values, where they are numbers
}

func newInst(op *graph.Op, attrs graph.Attrs) inst {
	in := inst{op: op, attrs: attrs}
	for _, v := range attrs {
		d, _ := v.Dim()
		n, _ := d.Const()
		in.ids = append(in.ids, valueID(v))
		in.nums = append(in.nums, n)
	}
	return in
}

// values numbers attribute values, so that comparing them is comparing
// numbers. Numbers depend on the order of arrival and decide nothing.
var values struct {
	sync.RWMutex
	ids  map[graph.Value]uint32
	list []graph.Value
}

func valueID(v graph.Value) uint32 {
	values.RLock()
	id := values.ids[v]
	values.RUnlock()
	if id != 0 {
		return id
	}
	values.Lock()
	defer values.Unlock()
	if id = values.ids[v]; id != 0 {
		return id
	}
	if values.ids == nil {
		values.ids = map[graph.Value]uint32{}
	}
	values.list = append(values.list, v)
	id = uint32(len(values.list))
	values.ids[v] = id
	return id
}

func valueOf(id uint32) graph.Value {
	values.RLock()
	defer values.RUnlock()
	return values.list[id-1]
}

// template makes the applications of one operator that fit given operands.
type template struct {
	op    *graph.Op
	arity int
	// insts lists the instances worth trying for operands of these sizes;
	// seams are the positions at which the first operand was joined, as one
	// bit set per axis.
	insts func(a, b []int, seams [2]uint32) []uint16
}

// maxCut is the largest split position that has an instance.
const maxCut = 30

// OperatorNames are the operators that can be enumerated, in canonical order:
// those of the default and then those that are enumerated when asked for.
func OperatorNames() []string {
	names := append(DefaultNames(), "ewsub", "ewdiv", "ewmax", "ewmin", "neg", "softmax")
	for _, o := range functions {
		names = append(names, o.Name)
	}
	return names
}

// functions are the functions of one element beside the rectifier. Modulo a
// prime each is an arbitrary function, so that what is found for one holds for
// any; see anyFunction.
var functions = []*graph.Op{op.Sigmoid, op.Tanh, op.Gelu, op.Exp, op.Sqrt, op.Erf, op.Reciprocal, op.Abs, op.Log, op.HardSwish}

// DefaultNames are the operators of the default universe, in canonical order.
func DefaultNames() []string {
	return []string{"matmul", "ewadd", "ewmul", "smul", "relu", "conv2d", "conv2d_relu", "poolavg", "poolmax",
		"concat", "split", "transpose", "enlarge", "iconv", "imatmul", "one", "cpool"}
}

// Default is TASO's generator set: its operators (SOSP 2019, Table 2, as in
// its public generator) and its typed inputs, two scalars instead of one.
func Default() *Universe {
	u, err := New(nil)
	if err != nil {
		panic(err) // the built-in list is complete
	}
	return u
}

// DefaultTypes are the typed inputs. Sizes: x is [m, k], w is [k, k], images
// are [b, c, h, w], kernels [c, c, kh, kw], d a depthwise kernel [c, 1, 3, 3].
func DefaultTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 3},
		{Name: "w", Sizes: []int{3, 3}, Count: 3},
		{Name: "i", Sizes: []int{1, 2, 4, 5}, Count: 3},
		{Name: "u", Sizes: []int{2, 2, 3, 3}, Count: 3, Weight: true},
		{Name: "v", Sizes: []int{2, 2, 1, 3}, Count: 3, Weight: true},
		{Name: "t", Sizes: []int{2, 2, 3, 1}, Count: 3, Weight: true},
		{Name: "d", Sizes: []int{2, 1, 3, 3}, Count: 1, Weight: true},
		{Name: "s", Sizes: []int{}, Count: 2},
	}
}

// New builds a universe over the named operators (those of the default if names
// is empty) and the default inputs, less the types no operator can use.
func New(names []string) (*Universe, error) {
	if len(names) == 0 {
		names = DefaultNames()
	}
	want := map[string]bool{}
	known := OperatorNames()
	for _, n := range names {
		ok := false
		for _, k := range known {
			ok = ok || k == n
		}
		if !ok {
			return nil, fmt.Errorf("operator %q is not one of %s", n, strings.Join(known, ", "))
		}
		want[n] = true
	}
	u := &Universe{}
	for _, k := range known {
		if want[k] {
			u.names = append(u.names, k)
		}
	}
	for _, ty := range DefaultTypes() {
		use := len(ty.Sizes) == 2 || len(ty.Sizes) == 0 && want["smul"]
		if len(ty.Sizes) == 4 {
			use = want["conv2d"] || want["conv2d_relu"] || want["poolavg"] || want["poolmax"]
			if ty.Weight {
				use = want["conv2d"] || want["conv2d_relu"]
			}
		}
		if use {
			u.Types = append(u.Types, ty)
		}
	}
	u.addTemplates(want)
	if len(u.insts) > 250 {
		return nil, fmt.Errorf("%d operator instances, at most 250", len(u.insts))
	}
	return u, nil
}

// Operators are the names of the enumerated operators.
func (u *Universe) Operators() []string { return u.names }

func (u *Universe) add(o *graph.Op, named map[string]graph.Value) uint16 {
	u.insts = append(u.insts, newInst(o, o.MustAttr(named)))
	return uint16(len(u.insts) - 1)
}

// The case's window attributes. With odd kernels and stride 1 both SAME
// paddings agree; the general form is found by typing a candidate anew.
var (
	caseStride = graph.TupleValue(1, 1)
	casePad    = graph.NameValue(graph.SameLower)
)

const caseKernel = 3

type named = map[string]graph.Value

func (u *Universe) addTemplates(want map[string]bool) {
	fixed := func(i uint16) func(a, b []int, _ [2]uint32) []uint16 {
		list := []uint16{i}
		return func(_, _ []int, _ [2]uint32) []uint16 { return list }
	}
	image := func(i uint16) func(a, b []int, _ [2]uint32) []uint16 {
		list := []uint16{i}
		return func(a, _ []int, _ [2]uint32) []uint16 {
			if len(a) != 4 {
				return nil
			}
			return list
		}
	}
	num := graph.IntValue
	simple := func(o *graph.Op, n named) {
		u.tmpls = append(u.tmpls, template{op: o, arity: o.In, insts: fixed(u.add(o, n))})
	}
	for _, name := range OperatorNames() {
		if !want[name] {
			continue
		}
		switch name {
		case "matmul":
			// Of matrices; broaden finds the batched form.
			list := []uint16{u.add(op.MatMul, nil)}
			u.tmpls = append(u.tmpls, template{op: op.MatMul, arity: 2, insts: func(a, b []int, _ [2]uint32) []uint16 {
				if len(a) != 2 || len(b) != 2 {
					return nil
				}
				return list
			}})
		case "ewadd":
			simple(op.EWAdd, nil)
		case "ewmul":
			simple(op.EWMul, nil)
		case "smul":
			simple(op.SMul, nil)
		case "relu":
			simple(op.Relu, nil)
		case "ewsub":
			simple(op.EWSub, nil)
		case "ewdiv":
			simple(op.EWDiv, nil)
		case "ewmax":
			simple(op.EWMax, nil)
		case "ewmin":
			simple(op.EWMin, nil)
		case "neg":
			simple(op.Neg, nil)
		case "softmax":
			for axis := range 2 {
				i := u.add(op.Softmax, named{"axis": num(int64(axis))})
				u.tmpls = append(u.tmpls, template{op: op.Softmax, arity: 1, insts: func(a, _ []int, _ [2]uint32) []uint16 {
					if len(a) != 2 {
						return nil
					}
					return []uint16{i}
				}})
			}
		case "conv2d":
			u.addConv(graph.NameValue("none"))
		case "conv2d_relu":
			u.addConv(graph.NameValue("relu"))
		case "poolavg", "poolmax":
			o := op.PoolAvg
			if name == "poolmax" {
				o = op.PoolMax
			}
			i := u.add(o, named{"kh": num(caseKernel), "kw": num(caseKernel), "stride": caseStride, "pad": casePad})
			u.tmpls = append(u.tmpls, template{op: o, arity: 1, insts: image(i)})
		case "concat":
			for axis := 0; axis < 2; axis++ {
				simple(op.Concat, named{"axis": num(int64(axis))})
			}
		case "split":
			u.addSplit()
		case "transpose":
			simple(op.Transpose, nil)
		case "enlarge":
			i := u.add(op.Enlarge, named{"kh": num(caseKernel), "kw": num(caseKernel)})
			u.tmpls = append(u.tmpls, template{op: op.Enlarge, arity: 1, insts: func(a, _ []int, _ [2]uint32) []uint16 {
				if len(a) == 4 && a[2] <= caseKernel && a[3] <= caseKernel && (a[2] < caseKernel || a[3] < caseKernel) {
					return []uint16{i}
				}
				return nil
			}})
		case "iconv":
			simple(op.IConv, named{"c": num(2), "kh": num(caseKernel), "kw": num(caseKernel)})
		case "imatmul":
			simple(op.IMatMul, named{"n": num(3)})
		case "one":
			simple(op.One, named{"shape": graph.ShapeValue(graph.Sizes(1, 2, 4, 5))})
			simple(op.One, named{"shape": graph.ShapeValue(graph.Sizes(2, 3))})
		case "cpool":
			simple(op.CPool, named{"c": num(2), "kh": num(caseKernel), "kw": num(caseKernel)})
		default:
			for _, o := range functions {
				if o.Name == name {
					simple(o, nil)
				}
			}
		}
	}
}

// addConv adds convolution with 1 to 8 groups; the groups follow from the
// operands' channels.
func (u *Universe) addConv(act graph.Value) {
	var byGroups [9]uint16
	for g := 1; g <= 8; g++ {
		byGroups[g] = u.add(op.Conv2D, named{"stride": caseStride, "pad": casePad,
			"groups": graph.IntValue(int64(g)), "act": act})
	}
	u.tmpls = append(u.tmpls, template{op: op.Conv2D, arity: 2, insts: func(a, b []int, _ [2]uint32) []uint16 {
		if len(a) != 4 || len(b) != 4 || a[1]%b[1] != 0 {
			return nil
		}
		g := a[1] / b[1]
		if g > 8 || b[0]%g != 0 {
			return nil
		}
		return byGroups[g : g+1]
	}})
}

func (u *Universe) addSplit() {
	for axis := 0; axis < 2; axis++ {
		var at [maxCut + 1]uint16
		for p := 1; p <= maxCut; p++ {
			at[p] = u.add(op.Split, named{"axis": graph.IntValue(int64(axis)), "at": graph.IntValue(int64(p))})
		}
		axis := axis
		u.tmpls = append(u.tmpls, template{op: op.Split, arity: 1, insts: func(a, _ []int, seams [2]uint32) []uint16 {
			if len(a) < 2 || seams[axis] == 0 {
				return nil
			}
			var out []uint16
			for p := 1; p <= maxCut && p < a[axis]; p++ {
				if seams[axis]&(1<<p) != 0 {
					out = append(out, at[p])
				}
			}
			return out
		}})
	}
}

// String lists the universe for reports.
func (u *Universe) String() string {
	var parts []string
	for _, t := range u.Types {
		parts = append(parts, fmt.Sprintf("%d %s%v", t.Count, t.Name, t.Sizes))
	}
	sort.Strings(parts)
	return strings.Join(u.names, " ") + "; inputs " + strings.Join(parts, ", ")
}
