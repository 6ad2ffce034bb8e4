package taso

import (
	"fmt"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// opNames are the operators with a direct counterpart.
var opNames = map[tasopb.OpType]string{
	tasopb.OpConv2D: "conv2d", tasopb.OpPool2DMax: "poolmax", tasopb.OpPool2DAvg: "poolavg",
	tasopb.OpRelu: "relu", tasopb.OpSigmoid: "sigmoid", tasopb.OpTanh: "tanh",
	tasopb.OpConcat: "concat", tasopb.OpSplit: "split", tasopb.OpTranspose: "transpose",
	tasopb.OpEwAdd: "ewadd", tasopb.OpEwMul: "ewmul", tasopb.OpMatmul: "matmul", tasopb.OpMul: "smul",
	tasopb.OpEnlarge: "enlarge", tasopb.OpConstantImm: "imatmul", tasopb.OpConstantIconv: "iconv",
	tasopb.OpConstantOne: "one", tasopb.OpConstantPool: "cpool",
}

// params reads an operator's parameters, noting the first that is missing.
type params struct {
	o   *tasopb.Operator
	err error
}

func (p *params) get(k tasopb.ParamKey) int64 {
	v, ok := p.o.Param(k)
	if !ok && p.err == nil {
		p.err = fmt.Errorf("%w: parameter %s is missing", ErrInvalid, k)
	}
	return int64(v)
}

func (p *params) has(k tasopb.ParamKey) bool { _, ok := p.o.Param(k); return ok }

// apply translates one operator over its inputs; the result has one tensor for
// each output. r is the rank of the result.
func (t *translator) apply(o *tasopb.Operator, in []tensor, r *rank) ([]tensor, error) {
	switch {
	case o.Type.Parallel():
		return t.layout(o, in)
	case o.Type == tasopb.OpLinear:
		return t.linear(o, in)
	}
	name, ok := opNames[o.Type]
	if !ok {
		return nil, fmt.Errorf("%w: operator %s", ErrUnsupported, o.Type)
	}
	op, ok := graph.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("%w: operator %s", ErrUnsupported, o.Type)
	}
	p := &params{o: o}
	var attrs graph.Attrs
	fused := false // the activation is an attribute
	ints := func(ks ...tasopb.ParamKey) {
		for _, k := range ks {
			attrs = append(attrs, graph.IntValue(p.get(k)))
		}
	}
	switch o.Type {
	case tasopb.OpConv2D:
		fused = true
		for i, k := range []tasopb.ParamKey{tasopb.ParamKernelH, tasopb.ParamKernelW} {
			if !p.has(k) || len(in[1].shape) != 4 {
				continue
			}
			err := t.facts.Eq(in[1].shape[2+i].Dim, graph.Int(p.get(k)))
			if err != nil && t.point != nil && t.point.target {
				in = slices.Clone(in)
				in[1], err = t.otherKernel(in[1], 2+i, p.get(k))
			}
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrTyping, k, err)
			}
		}
		pad, err := t.padding(p)
		if err != nil {
			return nil, err
		}
		groups := graph.Int(1)
		if t.reading.Grouped || in[1].pool {
			groups = t.groupsOf(in[0], in[1])
		}
		if in[1].pool && len(in[1].shape) == 4 {
			// The kernel of averages has a channel for each group.
			if err := t.facts.Eq(in[1].shape[0].Dim, groups); err != nil {
				return nil, fmt.Errorf("%w: groups: %w", ErrTyping, err)
			}
		}
		act, err := activation(p)
		if err != nil {
			return nil, err
		}
		attrs = graph.Attrs{stride(p), pad, graph.DimValue(groups), act}
	case tasopb.OpPool2DMax, tasopb.OpPool2DAvg:
		ints(tasopb.ParamKernelH, tasopb.ParamKernelW)
		pad, err := t.padding(p)
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, stride(p), pad)
		if o.Type == tasopb.OpPool2DAvg {
			attrs = append(attrs, t.open.border)
		}
	case tasopb.OpConcat:
		ints(tasopb.ParamAxis)
	case tasopb.OpSplit:
		if n := p.get(tasopb.ParamNumOutputs); n != 2 {
			return nil, fmt.Errorf("%w: split into %d", ErrUnsupported, n)
		}
		axis := p.get(tasopb.ParamAxis)
		if axis < 0 || axis >= int64(len(in[0].seams)) || in[0].seams[axis] == nil {
			if in[0].void { // wherever it is cut
				attrs = graph.Attrs{graph.IntValue(axis), graph.IntValue(1)}
				break
			}
			return nil, fmt.Errorf("%w: %s along axis %d", ErrNoSeam, in[0].term, axis)
		}
		s := in[0].seams[axis]
		for _, tie := range s.ties {
			if err := t.facts.Eq(tie[0], tie[1]); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrNoSeam, err)
			}
		}
		attrs = graph.Attrs{graph.IntValue(axis), graph.DimValue(t.facts.Norm(s.at))}
	case tasopb.OpTranspose:
		perm, err := permutation(p.get(tasopb.ParamPerm), p.get(tasopb.ParamNumDim))
		if err != nil {
			return nil, err
		}
		attrs = graph.Attrs{graph.TupleValue(perm...)}
	case tasopb.OpEnlarge:
		if len(in) != 1 {
			return nil, fmt.Errorf("%w: enlarge to the size of a tensor", ErrUnsupported)
		}
		ints(tasopb.ParamKernelH, tasopb.ParamKernelW)
	case tasopb.OpConstantImm:
		attrs = graph.Attrs{graph.DimValue(t.fresh())}
	case tasopb.OpConstantIconv, tasopb.OpConstantPool:
		attrs = graph.Attrs{graph.DimValue(t.fresh())}
		ints(tasopb.ParamKernelH, tasopb.ParamKernelW)
	case tasopb.OpConstantOne:
		attrs = graph.Attrs{graph.ShapeValue(t.freshShape(r))}
	}
	if p.err != nil {
		return nil, p.err
	}
	for _, later := range op.Params[min(len(attrs), len(op.Params)):] { // TASO's operators are as ours once were
		if later.Late {
			attrs = append(attrs, later.Default)
		}
	}
	if len(attrs) != len(op.Params) {
		return nil, fmt.Errorf("%w: operator %s has other attributes here", ErrUnsupported, o.Type)
	}
	out, err := t.node(op, attrs, in)
	if err != nil {
		return nil, err
	}
	if n, ok := o.Param(tasopb.ParamNumDim); ok && t.point != nil && !out[0].void {
		for _, x := range in {
			if len(x.shape) != int(n) {
				return nil, fmt.Errorf("%w: %d axes, where NUMDIM is %d", ErrTyping, len(x.shape), n)
			}
		}
	}
	if o.Type == tasopb.OpConcat {
		if out, err = t.concat(op, attrs, in, out); err != nil {
			return nil, err
		}
	}
	if !fused && p.has(tasopb.ParamActi) {
		act, err := activation(p)
		if err != nil {
			return nil, err
		}
		if fn, _ := act.Name(); fn != "none" {
			f, _ := graph.Lookup(fn)
			return t.node(f, nil, out[:1])
		}
	}
	return out, nil
}

// concat joins the inputs from the third on; the first two are in out.
func (t *translator) concat(op *graph.Op, attrs graph.Attrs, in, out []tensor) ([]tensor, error) {
	if len(in) < 2 {
		return nil, fmt.Errorf("%w: concat of %d tensors", ErrUnsupported, len(in))
	}
	for _, x := range in[2:] {
		var err error
		if out, err = t.node(op, attrs, []tensor{out[0], x}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// node applies an operator to its first inputs and types the result.
func (t *translator) node(op *graph.Op, attrs graph.Attrs, in []tensor) ([]tensor, error) {
	if attrs == nil {
		attrs = graph.Attrs{}
	}
	if len(in) < op.In {
		return nil, fmt.Errorf("%w: %s of %d tensors", ErrUnsupported, op.Name, len(in))
	}
	in = in[:op.In]
	shapes := make([]graph.Shape, len(in))
	seams := make([][]*seam, len(in))
	term := &law.Term{Op: op, Attrs: attrs}
	pool := op.Name == "cpool"
	for i, x := range in {
		shapes[i], seams[i] = x.shape, x.seams
		term.Args = append(term.Args, x.term)
		// What is done to a kernel of one channel leaves it one.
		switch op.Name {
		case "enlarge", "smul", "relu", "ewadd", "ewmul":
			pool = pool || x.pool
		case "concat":
			d, _ := attrs[0].Dim()
			pool = pool || x.pool && d != graph.Int(1)
		}
	}
	void := slices.ContainsFunc(in, func(x tensor) bool { return x.void })
	if t.point != nil && !void {
		if err := t.point.meet(t.facts, op, shapes, seams); err != nil {
			return nil, err
		}
	}
	after := seamsOf(op, attrs, seams, shapes)
	if void {
		return t.point.voids(term, after), nil
	}
	inferred, err := op.InferShapes(t.facts, attrs, shapes)
	switch {
	case err != nil && t.point != nil && t.point.target:
		return t.point.voids(term, after), nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	out := make([]tensor, len(inferred))
	for i := range out {
		out[i] = tensor{term: term.Output(i), shape: inferred[i], pool: pool}
		if out[i].seams = after[i]; len(out[i].seams) == 0 {
			out[i].seams = make([]*seam, len(inferred[i]))
		}
	}
	return out, nil
}

func stride(p *params) graph.Value {
	return graph.TupleValue(p.get(tasopb.ParamStrideH), p.get(tasopb.ParamStrideW))
}

func (t *translator) padding(p *params) (graph.Value, error) {
	switch pad := tasopb.Padding(p.get(tasopb.ParamPad)); pad {
	case tasopb.PadSame:
		return t.open.same, nil
	case tasopb.PadValid:
		return graph.NameValue(graph.Valid), nil
	default:
		return graph.Value{}, fmt.Errorf("%w: padding %s", ErrUnsupported, pad)
	}
}

func activation(p *params) (graph.Value, error) {
	a := tasopb.Activation(p.get(tasopb.ParamActi))
	if a == tasopb.ActNone {
		return graph.NameValue("none"), nil
	}
	if name := a.String(); graph.IsActivation(name) {
		return graph.NameValue(name), nil
	}
	return graph.Value{}, fmt.Errorf("%w: activation %s", ErrUnsupported, a)
}

// permutation reads n digits in base n, the first axis highest.
func permutation(code, n int64) ([]int64, error) {
	if n < 1 || n > 8 {
		return nil, fmt.Errorf("%w: permutation of %d axes", ErrUnsupported, n)
	}
	perm := make([]int64, n)
	for i := n - 1; i >= 0; i-- {
		perm[i] = code % n
		code /= n
	}
	return perm, nil
}

func permutationCode(perm []int64) int64 {
	code := int64(0)
	for _, p := range perm {
		code = code*int64(len(perm)) + p
	}
	return code
}

// byAge sorts size variables by creation, those that the solver made last.
func (t *translator) byAge(names []string) {
	age := func(n string) int {
		if k, ok := t.order[n]; ok {
			return k
		}
		return len(t.order)
	}
	sort.SliceStable(names, func(i, j int) bool {
		if x, y := age(names[i]), age(names[j]); x != y {
			return x < y
		}
		return names[i] < names[j]
	})
}
