package op_test

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// evalEntry is the value of an expression, the unknowns being bound variables
// with values.
func evalEntry(e *graph.Expr, in []tensor, env map[graph.Sym]int64) (float64, error) {
	if e.Direct != nil {
		said := *e
		said.Direct = nil
		y, err := evalEntry(&said, in, env)
		if err != nil || !math.IsNaN(y) {
			return y, err
		}
		// Nothing is said but that it is a function.
		args := make([]float64, len(e.Direct.Args))
		for i, a := range e.Direct.Args {
			if args[i], err = evalEntry(a, in, env); err != nil {
				return 0, err
			}
		}
		return e.Direct.Fn.Float(args), nil
	}
	num := func(i graph.Index) (int64, error) {
		n := i.Constant()
		for k := 0; k < i.Len(); k++ {
			v, c := i.Term(k)
			x, ok := env[v]
			if !ok {
				return 0, fmt.Errorf("unknown %d has no value", v)
			}
			n += c * x
		}
		return n, nil
	}
	holds := func(gs []graph.Guard) (bool, error) {
		for _, g := range gs {
			n, err := num(g.E)
			if err != nil {
				return false, err
			}
			if g.Eq && n != 0 || n < 0 {
				return false, nil
			}
		}
		return true, nil
	}
	args := func(f func(x float64)) error {
		for _, a := range e.Args {
			x, err := evalEntry(a, in, env)
			if err != nil {
				return err
			}
			f(x)
		}
		return nil
	}
	switch e.Kind {
	case graph.ExprNumber:
		n, err := num(e.Size)
		return float64(n), err
	case graph.ExprRead:
		flat := 0
		for i, at := range e.At {
			n, err := num(at)
			if err != nil {
				return 0, err
			}
			if n < 0 || int(n) >= in[e.In].Sizes[i] {
				return 0, fmt.Errorf("input %d is read at %d along axis %d of %v", e.In, n, i, in[e.In].Sizes)
			}
			flat = flat*in[e.In].Sizes[i] + int(n)
		}
		return in[e.In].Data[flat], nil
	case graph.ExprAdd:
		sum := 0.0
		return sum, args(func(x float64) { sum += x })
	case graph.ExprMul:
		p := 1.0
		err := args(func(x float64) { p *= x })
		return p, err
	case graph.ExprInv:
		p := 1.0
		err := args(func(x float64) { p = 1 / x })
		return p, err
	case graph.ExprFn:
		name, _ := e.Fn.Name()
		y := 0.0
		err := args(func(x float64) { y = interp.Float{}.Fn(name, x) })
		return y, err
	case graph.ExprSum, graph.ExprMax:
		sum, most := 0.0, math.Inf(-1)
		var rec func(i int) error
		rec = func(i int) error {
			if i == len(e.Over) {
				ok, err := holds(e.If)
				if err != nil || !ok {
					return err
				}
				return args(func(x float64) { sum, most = sum+x, math.Max(most, x) })
			}
			n, err := num(e.Over[i].N)
			for k := int64(0); k < n && err == nil; k++ {
				env[e.Over[i].Var] = k
				err = rec(i + 1)
			}
			delete(env, e.Over[i].Var)
			return err
		}
		err := rec(0)
		if e.Kind == graph.ExprMax {
			sum = most
		}
		return sum, err
	}
	return 0, fmt.Errorf("kind %d is not known", e.Kind)
}

// checkEntry compares an operator's entry with its meaning.
func checkEntry(t rapid.TB, o *graph.Op, a named, in ...tensor) {
	t.Helper()
	attrs, err := o.Attr(a)
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.Apply(interp.Float{}, o, attrs, in)
	if err != nil {
		return // not defined
	}
	shapes := make([]graph.Shape, len(in))
	for i, x := range in {
		shapes[i] = graph.Sizes(x.Sizes...)
	}
	graph.Each(out[0].Sizes, func(flat int, idx []int) {
		var s graph.Space
		at := make([]graph.Index, len(idx))
		for i, n := range idx {
			at[i] = graph.IndexInt(int64(n))
		}
		e, err := o.Entry(&s, attrs, shapes, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := evalEntry(e, in, map[graph.Sym]int64{})
		if err != nil {
			t.Fatalf("%s%s at %v: %v", o.Name, o.FormatAttrs(attrs), idx, err)
		}
		if want := out[0].Data[flat]; math.Abs(got-want) > 1e-9 {
			t.Fatalf("%s%s of %v at %v: entry %g, meaning %g", o.Name, o.FormatAttrs(attrs), shapes, idx, got, want)
		}
	})
	entered[o.Name] = true
	checkEach(t, o, attrs, in)
}

// entered notes the operators whose entry a test has compared.
var entered = map[string]bool{}

func drawShape(t *rapid.T, min, max int) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 3), min, max).Draw(t, "shape")
}

func drawSize(t *rapid.T, label string) int { return rapid.IntRange(1, 4).Draw(t, label) }

// TestEntries ties the two ways of saying what an operator computes together.
func TestEntries(t *testing.T) {
	checks := map[string]func(t *rapid.T){
		"matmul": func(t *rapid.T) {
			b := drawShape(t, 0, 2)
			m, k, n := drawSize(t, "m"), drawSize(t, "k"), drawSize(t, "n")
			checkEntry(t, op.MatMul, nil, fill(1, append(b[:len(b):len(b)], m, k)...), fill(2, append(b[:len(b):len(b)], k, n)...))
		},
		"concat": func(t *rapid.T) {
			x := drawShape(t, 1, 4)
			a := rapid.IntRange(0, len(x)-1).Draw(t, "axis")
			checkEntry(t, op.Concat, named{"axis": n(int64(a))}, fill(1, x...), fill(2, moved(x, a, drawSize(t, "other"))...))
		},
		"slice": func(t *rapid.T) {
			x := drawShape(t, 1, 4)
			a := rapid.IntRange(0, len(x)-1).Draw(t, "axis")
			lo := rapid.IntRange(0, x[a]-1).Draw(t, "lo")
			hi := rapid.IntRange(lo+1, x[a]).Draw(t, "hi")
			checkEntry(t, op.Slice, named{"axis": n(int64(a)), "lo": n(int64(lo)), "hi": n(int64(hi))}, fill(1, x...))
		},
		"transpose": func(t *rapid.T) {
			x := drawShape(t, 0, 4)
			axes := make([]int64, len(x))
			for i := range axes {
				axes[i] = int64(i)
			}
			perm := rapid.Permutation(axes).Draw(t, "perm")
			checkEntry(t, op.Transpose, named{"perm": tuple(perm...)}, fill(1, x...))
		},
		"broadcast": func(t *rapid.T) {
			x := drawShape(t, 0, 3)
			to := append(drawShape(t, 0, 2), x...)
			for i := len(to) - len(x); i < len(to); i++ {
				if to[i] == 1 {
					to[i] = drawSize(t, "to")
				}
			}
			checkEntry(t, op.Broadcast, named{"shape": graph.ShapeValue(s(to...))}, fill(1, x...))
		},
		"ewadd": func(t *rapid.T) {
			x := drawShape(t, 0, 3)
			checkEntry(t, op.EWAdd, nil, fill(1, x...), fill(2, x...))
		},
		"ewmul": func(t *rapid.T) {
			x := drawShape(t, 0, 3)
			checkEntry(t, op.EWMul, nil, fill(1, x...), fill(2, x...))
		},
		"smul": func(t *rapid.T) {
			checkEntry(t, op.SMul, nil, fill(1, drawShape(t, 0, 3)...), tensor{Data: []float64{-3}})
		},
		"enlarge": func(t *rapid.T) {
			w := []int{drawSize(t, "o"), drawSize(t, "c"), drawSize(t, "h"), drawSize(t, "w")}
			kh, kw := w[2]+rapid.IntRange(0, 3).Draw(t, "dh"), w[3]+rapid.IntRange(0, 3).Draw(t, "dw")
			checkEntry(t, op.Enlarge, named{"kh": n(int64(kh)), "kw": n(int64(kw))}, fill(1, w...))
		},
		"one": func(t *rapid.T) {
			checkEntry(t, op.One, named{"shape": graph.ShapeValue(s(drawShape(t, 0, 3)...))})
		},
		"imatmul": func(t *rapid.T) { checkEntry(t, op.IMatMul, named{"n": n(int64(drawSize(t, "n")))}) },
		"iconv": func(t *rapid.T) {
			checkEntry(t, op.IConv, named{"c": n(int64(drawSize(t, "c"))), "kh": n(int64(drawSize(t, "kh"))), "kw": n(int64(drawSize(t, "kw")))})
		},
		"cpool": func(t *rapid.T) {
			checkEntry(t, op.CPool, named{"c": n(int64(drawSize(t, "c"))), "kh": n(int64(drawSize(t, "kh"))), "kw": n(int64(drawSize(t, "kw")))})
		},
		"conv2d": func(t *rapid.T) {
			groups, c, per := rapid.IntRange(1, 3).Draw(t, "groups"), rapid.IntRange(1, 2).Draw(t, "c"), rapid.IntRange(1, 2).Draw(t, "o")
			size := [2]int{rapid.IntRange(1, 6).Draw(t, "h"), rapid.IntRange(1, 6).Draw(t, "w")}
			g := drawApart(t, size, 3)
			act := rapid.SampledFrom([]string{"none", "relu"}).Draw(t, "act")
			checkEntry(t, op.Conv2D, named{"stride": g.strideValue(), "pad": g.padValue(), "groups": n(int64(groups)), "act": name(act), "dilation": g.dilationValue()},
				fill(1, 1, groups*c, size[0], size[1]), fill(2, groups*per, c, g.k[0], g.k[1]))
		},
	}
	for _, o := range []*graph.Op{op.PoolMax, op.PoolAvg} {
		checks[o.Name] = func(t *rapid.T) {
			size := [2]int{rapid.IntRange(1, 6).Draw(t, "h"), rapid.IntRange(1, 6).Draw(t, "w")}
			g := drawGeometry(t, size)
			a := named{"kh": n(int64(g.k[0])), "kw": n(int64(g.k[1])), "stride": g.strideValue(), "pad": g.padValue()}
			if o == op.PoolAvg {
				a["border"] = name(rapid.SampledFrom([]string{"counted", "excluded"}).Draw(t, "border"))
			}
			checkEntry(t, o, a, fill(1, 2, 2, size[0], size[1]))
		}
	}
	maps.Copy(checks, modelEntries)
	for _, o := range graph.Ops() {
		if o.Pointwise && len(o.Params) == 0 {
			checks[o.Name] = func(t *rapid.T) { checkEntry(t, o, nil, fill(1, drawShape(t, 0, 3)...)) }
		}
		if o.Expand != nil {
			if o.Entry != nil {
				t.Errorf("operator %s is derived and has an entry", o.Name)
			}
			continue
		}
		check := checks[o.Name]
		if check == nil || o.Entry == nil {
			t.Errorf("operator %s: its entry is compared with nothing", o.Name)
			continue
		}
		t.Run(o.Name, func(t *testing.T) { rapid.Check(t, check) })
		if !entered[o.Name] {
			t.Errorf("operator %s: never defined", o.Name)
		}
	}
}

// What a Space claims to know of windows and groups whose attributes are
// variables is true of every value of them.
func TestWhatIsKnownOfVariablesIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [2]int{rapid.IntRange(1, 7).Draw(t, "h"), 5}
		g := drawGeometry(t, size)
		strideVar, padVar := graph.VarValue("s", graph.SortStride), graph.VarValue("p", graph.SortPadding)
		if strings.HasPrefix(g.pad, "same") {
			padVar = graph.VarValue("p", rapid.SampledFrom([]string{graph.SortPadding, graph.SortSame}).Draw(t, "sort"))
		} else if g.pad == "valid" && rapid.Bool().Draw(t, "literal") {
			padVar = g.padValue()
		}
		if rapid.Bool().Draw(t, "stride") {
			strideVar = g.strideValue()
		}
		var s graph.Space
		h, k, at := s.Var("h"), s.Var("k"), s.Var("at")
		env := map[graph.Sym]int64{h: int64(size[0]), k: int64(g.k[0]), at: int64(rapid.IntRange(-3, 9).Draw(t, "at"))}
		s.Window(h.Index(), k.Index(), strideVar, padVar, 0, at.Index())
		groups, c, per := rapid.IntRange(1, 3).Draw(t, "groups"), rapid.IntRange(1, 3).Draw(t, "c"), rapid.IntRange(1, 3).Draw(t, "o")
		for n, size := range map[string]int{"g": groups, "c": c, "m": groups * per} {
			v, _ := s.Size(graph.Var(n)).IsSym()
			env[v] = int64(size)
		}
		gc, _ := s.Size(graph.Var("g").Mul(graph.Var("c"))).IsSym()
		env[gc] = int64(groups * c)
		s.Groups(graph.Var("g"), graph.Var("m"), graph.Var("c"), at.Index())
		// The same, with the number of output channels written as a product.
		go1 := graph.Var("g").Mul(graph.Var("o"))
		for d, size := range map[graph.Dim]int{graph.Var("o"): per, go1: groups * per} {
			v, _ := s.Size(d).IsSym()
			env[v] = int64(size)
		}
		front := rapid.IntRange(0, 2).Draw(t, "front")
		s.Groups(graph.Var("g"), go1, graph.Var("c"), at.Index().Sub(s.Size(graph.Var("o")).Scale(int64(front))))
		var value func(v graph.Sym) int64
		num := func(e graph.Index) int64 {
			n := e.Constant()
			for i := 0; i < e.Len(); i++ {
				v, c := e.Term(i)
				n += c * value(v)
			}
			return n
		}
		value = func(v graph.Sym) int64 {
			if n, ok := env[v]; ok {
				return n
			}
			name, args, ok := s.App(v)
			if !ok {
				t.Fatalf("unknown %d has no value", v)
			}
			word, of, _ := strings.Cut(name, " ")
			by := int64(0) // of a product with a size, or a quotient by one
			for d, n := range map[graph.Dim]int{graph.Var("c"): c, graph.Var("o"): per} {
				if graph.ShapeOf(d).Key() == of {
					by = int64(n)
				}
			}
			switch word {
			case "start":
				return num(args[2])*int64(g.stride[0]) - int64(g.first[0])
			case "window", "strided":
				return int64(g.out[0])
			case "times":
				return num(args[0]) * by
			case "floor":
				return graph.FloorDiv(num(args[0]), by)
			case "group":
				return num(args[0]) / int64(per) * int64(c)
			case "div1", "div2", "div3":
				n := int64(word[3] - '0')
				return int64(math.Floor(float64(num(args[0])) / float64(n)))
			case "max0":
				return max(num(args[0]), 0)
			}
			t.Fatalf("function %s is not known", name)
			return 0
		}
		for _, f := range s.Unifier() {
			all, some := true, false
			for _, g := range f.If {
				all = all && (g.Eq && num(g.E) == 0 || !g.Eq && num(g.E) >= 0)
			}
			for _, g := range f.Any {
				some = some || g.Eq && num(g.E) == 0 || !g.Eq && num(g.E) >= 0
			}
			if all && !some {
				for _, g := range f.Any {
					t.Errorf("not true: %s >= 0", s.String(g.E))
				}
			}
		}
	})
}

// carriedCase applies an operator to tensors with the axes 2, 3 and to the same
// with one axis 6 in their place; runShapes and runAttrs have a run there.
type carriedCase struct {
	op        *graph.Op
	two, one  named
	runAttrs  named
	in        []tensor
	runShapes []graph.Shape
	at        int // where the two axes are
}

// An operator that takes a shape with an axis run carries the run's axes along:
// two axes give what one axis of their product gives. See graph.Op.Entry.
func TestRunsAreCarriedAlong(t *testing.T) {
	flat := func(x tensor, at int) tensor {
		sizes := append([]int{}, x.Sizes[:at]...)
		sizes = append(append(sizes, x.Sizes[at]*x.Sizes[at+1]), x.Sizes[at+2:]...)
		return tensor{Sizes: sizes, Data: x.Data}
	}
	run := graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Var("a")), graph.Axis(graph.Var("b"))}
	shape := func(front ...int) graph.Value { return graph.ShapeValue(s(append(front, 2, 4)...)) }
	for _, c := range append(modelCarried, []carriedCase{
		{op.EWAdd, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 2, 4)}, []graph.Shape{run, run}, 0},
		{op.EWMul, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 2, 4)}, []graph.Shape{run, run}, 0},
		{op.SMul, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4), {Data: []float64{2}}}, []graph.Shape{run, {}}, 0},
		{op.Relu, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4)}, []graph.Shape{run}, 0},
		{op.MatMul, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 4, 5)},
			[]graph.Shape{run, {graph.AxisRun("P"), graph.Axis(graph.Var("b")), graph.Axis(graph.Var("c"))}}, 0},
		{op.Concat, named{"axis": n(3)}, named{"axis": n(2)}, named{"axis": graph.DimValue(graph.AxisRunLen("P").Add(graph.Int(1)))},
			[]tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 2, 1)}, []graph.Shape{run, run}, 0},
		{op.Slice, named{"axis": n(2), "lo": n(1), "hi": n(2)}, named{"axis": n(1), "lo": n(1), "hi": n(2)},
			named{"axis": graph.DimValue(graph.AxisRunLen("P")), "lo": n(1), "hi": n(2)}, []tensor{fill(1, 2, 3, 2, 4)}, []graph.Shape{run}, 0},
		{op.One, named{"shape": shape(2, 3)}, named{"shape": shape(6)}, named{"shape": graph.ShapeValue(run)}, nil, nil, 0},
		{op.Broadcast, named{"shape": shape(2, 3)}, named{"shape": shape(6)}, named{"shape": graph.ShapeValue(run)},
			[]tensor{fill(1, 2, 3, 1, 4)}, []graph.Shape{{graph.AxisRun("P"), graph.Axis(graph.Int(1)), graph.Axis(graph.Var("b"))}}, 0},
	}...) {
		if c.runAttrs == nil {
			c.runAttrs = named{}
		}
		var f graph.Unifier
		if _, err := c.op.InferShapes(&f, c.op.MustAttr(c.runAttrs), c.runShapes); err != nil {
			t.Errorf("%s takes no runs: %v", c.op.Name, err)
		}
		two, err := interp.Apply(interp.Float{}, c.op, c.op.MustAttr(c.two), c.in)
		if err != nil {
			t.Fatalf("%s: %v", c.op.Name, err)
		}
		var in []tensor
		for _, x := range c.in {
			if c.at < len(x.Sizes)-1 && len(x.Sizes) > 2 {
				x = flat(x, c.at)
			}
			in = append(in, x)
		}
		compare(t, c.op, c.one, in, flat(two[0], c.at+inResult[c.op]))
		carried[c.op.Name] = true
	}
	// Every other operator refuses runs.
	for _, o := range graph.Ops() {
		if carried[o.Name] || o.Pointwise || o.Expand != nil {
			continue
		}
		in := make([]graph.Shape, o.In)
		for i := range in {
			in[i] = graph.Shape{graph.AxisRun("P"), graph.Axis(graph.Var("b")), graph.Axis(graph.Var("c")), graph.Axis(graph.Var("d"))}
		}
		attrs := make(graph.Attrs, len(o.Params))
		for i, p := range o.Params {
			attrs[i] = map[string]graph.Value{"int": n(1), "stride": tuple(1, 1), "padding": name("valid"), "act": name("none"),
				"border": name("counted"), "perm": tuple(0, 1, 2, 3), "tuple": tuple(1, 1), "number": graph.NumberValue(0), "dtype": name("int64"),
				"name": name("linear_half_pixel"), "shape": graph.ShapeValue(graph.Sizes(2, 3, 4, 5))}[p.Sort]
		}
		var f graph.Unifier
		if _, err := o.InferShapes(&f, attrs, in); err == nil && o.In > 0 {
			t.Errorf("operator %s takes runs and is not in the table", o.Name)
		}
	}
}

var carried = map[string]bool{}

// inResult is how many axes further behind the result has the axes that are carried along.
var inResult = map[*graph.Op]int{op.Partition: 1, op.Pipeline: 1, op.Replicate: 1, op.Lift: 1, op.Combine: -1, op.Batch: -1, op.Reduce: -1, op.Drop: -1}

func ExampleOp_entry() {
	var s graph.Space
	i, j := s.Var("i"), s.Var("j")
	in := []graph.Shape{{graph.Axis(graph.Var("m")), graph.Axis(graph.Var("a"))}, {graph.Axis(graph.Var("m")), graph.Axis(graph.Var("b"))}}
	attrs := op.Concat.MustAttr(named{"axis": graph.IntValue(1)})
	e, err := op.Concat.Entry(&s, attrs, in, []graph.Index{i.Index(), j.Index()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, part := range e.Args {
		read := part.Args[0]
		fmt.Printf("input %d at [%s, %s] if %s >= 0\n", read.In, s.String(read.At[0]), s.String(read.At[1]), s.String(part.If[0].E))
	}
	// Output:
	// input 0 at [i, j] if -j+a-1 >= 0
	// input 1 at [i, j-a] if j-a >= 0
}
