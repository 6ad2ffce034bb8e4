package taso

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
)

// Written is a rule in TASO's format: an instance of one of ours, in one direction.
type Written struct {
	Rule     string // identity of ours
	Instance string // what stands for its variables, as in [rules.Skip]
	Backward bool   // from its right side to its left side
	TASO     tasopb.Rule
}

// To writes rules in TASO's format, each in its usable directions. The
// format knows neither axis runs nor attribute variables, so a rule becomes
// instances: tensors of 2 and of 4 axes, strides 1 and 2, SAME and VALID
// padding, no activation and relu, relu for any function, windows of 3 by 3.
// A split is written where it cuts at the last concatenation. What is written
// is read back under the same reading, and skipped unless it says an instance
// of the rule: where sizes are tied that the format leaves free, for example.
// Equal instances are written once.
func To(rs []*rules.Rule, reading Reading) (*tasopb.RuleCollection, []rules.Skip) {
	c := &tasopb.RuleCollection{}
	all, skips := Instances(rs, reading, MatrixAndImage...)
	for _, w := range all {
		c.Rules = append(c.Rules, w.TASO)
	}
	return c, skips
}

// MatrixAndImage are the numbers of axes that [To] tries.
var MatrixAndImage = []int{2, 4}

// Instances is [To] with the rule that each instance comes from. Where a rule has
// axis runs, all its tensors that have them get as many axes as one of ranks says.
func Instances(rs []*rules.Rule, reading Reading, ranks ...int) ([]Written, []rules.Skip) {
	var out []Written
	var skips []rules.Skip
	seen := map[string]bool{}
	for _, r := range rs {
		skip := func(instance, reason string) {
			skips = append(skips, rules.Skip{Rule: r.ID(), Instance: instance, Reason: reason})
		}
		if !r.Forward && !r.Backward {
			skip("", "no direction is usable")
			continue
		}
		if t := bareSide(r.Law); t != "" {
			skip("", "a side is the input "+t)
			continue
		}
		instances, err := instancesOf(r.Law, reading, ranks)
		if err != nil {
			skip("", err.Error())
			continue
		}
		said := 0
		for _, in := range instances {
			written, err := encodeRule(in.law, r, reading)
			if err != nil {
				skip(in.label, err.Error())
				continue
			}
			said++
			for _, w := range written {
				key := string((&tasopb.RuleCollection{Rules: []tasopb.Rule{w.TASO}}).Marshal())
				if !seen[key] {
					seen[key] = true
					w.Instance = in.label
					out = append(out, w)
				}
			}
		}
		if said == 0 && (len(instances) > 1 || instances[0].label != "") {
			skip("", rules.NoInstance)
		}
	}
	return out, skips
}

func bareSide(l *law.Law) string {
	for _, t := range l.Outputs() {
		if t.IsVar() {
			return t.Var
		}
	}
	return ""
}

// encodeRule writes an instance of a rule in its usable directions and reads
// it back.
func encodeRule(l *law.Law, r *rules.Rule, reading Reading) ([]Written, error) {
	for _, p := range l.Where {
		holds, decided := p.Holds(&graph.Substitution{})
		if !decided {
			return nil, fmt.Errorf("the condition %s", p)
		}
		if !holds {
			return nil, fmt.Errorf("the condition %s does not hold", p)
		}
	}
	if _, err := l.Types(); err != nil {
		return nil, fmt.Errorf("shapes do not fit: %w", err)
	}
	e := &encoder{law: l, vars: map[string]int32{}, parallel: reading.Degree > 0}
	var err error
	if e.open, err = reading.open(); err != nil {
		return nil, err
	}
	var out []Written
	for _, way := range []struct {
		on, back bool
		src, dst []*law.Term
	}{{r.Forward, false, l.LHS, l.RHS}, {r.Backward, true, l.RHS, l.LHS}} {
		if !way.on {
			continue
		}
		w, err := e.rule(way.src, way.dst)
		if err != nil {
			return nil, err
		}
		back := fromRule(&w, 0, reading)
		if back.Err != nil {
			return nil, fmt.Errorf("read back: %w", back.Err)
		}
		if !rules.Instance(splitForm(atDegree(r.Law, reading.Degree)), back.Law) {
			return nil, errors.New("without its shapes the rule would say more")
		}
		out = append(out, Written{Rule: r.ID(), Backward: way.back, TASO: w})
	}
	return out, nil
}

// splitForm is the law with the slices that are parts of a split written so.
func splitForm(l *law.Law) *law.Law {
	ty, err := l.Types()
	if err != nil {
		return l
	}
	m := *l
	m.LHS, m.RHS = nil, nil
	var rec func(t *law.Term) *law.Term
	rec = func(t *law.Term) *law.Term {
		u := *t
		if t.Op != nil && t.Op.Name == "slice" {
			if s, n, ok := law.AsSplit(t, ty); ok {
				u = *s.Output(n)
			}
		}
		u.Args = make([]*law.Term, len(t.Args))
		for i, a := range t.Args {
			u.Args[i] = rec(a)
		}
		return &u
	}
	for i := range l.LHS {
		m.LHS, m.RHS = append(m.LHS, rec(l.LHS[i])), append(m.RHS, rec(l.RHS[i]))
	}
	return &m
}

// encoder writes terms as operators.
type encoder struct {
	law  *law.Law
	open openValues
	vars map[string]int32
	side *encoded
	// parallel: FlexFlow's operators may be used.
	parallel bool
}

// encoded is one side.
type encoded struct {
	ops   []tasopb.Operator
	nodes law.Nodes
	at    map[int]int32 // operator of an application
	seams map[int][]*seam
	ty    *law.Typing
}

func (e *encoder) rule(src, dst []*law.Term) (tasopb.Rule, error) {
	var r tasopb.Rule
	var outs [2][]tasopb.Tensor
	clear(e.vars)
	for i, side := range [2][]*law.Term{src, dst} {
		ty := &law.Typing{Shape: map[*law.Term]graph.Shape{}}
		e.side = &encoded{at: map[int]int32{}, seams: map[int][]*seam{}, ty: ty}
		for _, t := range side {
			if _, err := law.TypeOf(&graph.Unifier{}, t, e.law.VarShapes(), ty.Shape); err != nil {
				return r, err
			}
			x, err := e.tensor(t)
			if err != nil {
				return r, err
			}
			outs[i] = append(outs[i], x)
		}
		if i == 0 {
			r.SrcOps = e.side.ops
		} else {
			r.DstOps = e.side.ops
		}
	}
	for i := range outs[0] {
		r.Mapped = append(r.Mapped, tasopb.MapOutput{SrcOpID: outs[0][i].OpID, SrcTsID: outs[0][i].TsID,
			DstOpID: outs[1][i].OpID, DstTsID: outs[1][i].TsID})
	}
	if ps := r.Problems(tasopb.Allow{Parallel: e.parallel}); len(ps) > 0 {
		return r, ps
	}
	return r, nil
}

// tensor writes a term and what it depends on.
func (e *encoder) tensor(t *law.Term) (tasopb.Tensor, error) {
	if t.IsVar() {
		id, ok := e.vars[t.Var]
		if !ok {
			id = -1 - int32(len(e.vars))
			e.vars[t.Var] = id
		}
		e.side.seams[e.side.nodes.Of(t)] = make([]*seam, len(e.side.ty.Shape[t]))
		return tasopb.Tensor{OpID: id}, nil
	}
	if t.Op == nil {
		return tasopb.Tensor{}, fmt.Errorf("the function %s", t.Fn)
	}
	if e.parallel {
		if x, ok, err := e.layout(t); ok || err != nil {
			return x, err
		}
	}
	app, key := t, e.side.nodes.Of(t)
	if t.Op.Name == "slice" {
		s, n, ok := law.AsSplit(t, e.side.ty)
		if !ok {
			return tasopb.Tensor{}, errors.New("a slice that is not a part of a split")
		}
		app = s.Output(n)
	}
	var o tasopb.Operator
	var seams [][]*seam
	var shapes []graph.Shape
	for _, a := range app.Args {
		x, err := e.tensor(a)
		if err != nil {
			return tasopb.Tensor{}, err
		}
		o.Inputs = append(o.Inputs, x)
		seams = append(seams, e.side.seams[e.side.nodes.Of(a)])
		shapes = append(shapes, e.side.ty.Shape[a])
	}
	after := seamsOf(app.Op, app.Attrs, seams, shapes)
	if after[app.Out] == nil {
		after[app.Out] = make([]*seam, len(e.side.ty.Shape[t]))
	}
	e.side.seams[key] = after[app.Out]
	op := e.side.nodes.App(app)
	id, ok := e.side.at[op]
	if !ok {
		if err := e.operator(&o, app, seams, shapes); err != nil {
			return tasopb.Tensor{}, err
		}
		id = int32(len(e.side.ops))
		e.side.ops = append(e.side.ops, o)
		e.side.at[op] = id
	}
	return tasopb.Tensor{OpID: id, TsID: int32(app.Out)}, nil
}

// operator sets type and parameters.
func (e *encoder) operator(o *tasopb.Operator, t *law.Term, seams [][]*seam, shapes []graph.Shape) error {
	found := false
	for ty, name := range opNames {
		if name == t.Op.Name {
			o.Type, found = ty, true
		}
	}
	if !found {
		return fmt.Errorf("the operator %s", t.Op.Name)
	}
	for i, p := range t.Op.Params {
		if p.Late && p.Written(t.Attrs[i]) {
			return fmt.Errorf("%s %s of the operator %s", p.Name, t.Attrs[i], t.Op.Name)
		}
	}
	w := &paramWriter{o: o}
	switch t.Op.Name {
	case "matmul":
		if len(shapes[0]) != 2 {
			return errors.New("a product of batches")
		}
		w.put(tasopb.ParamActi, int64(tasopb.ActNone))
	case "conv2d":
		for i, k := range []tasopb.ParamKey{tasopb.ParamKernelH, tasopb.ParamKernelW} {
			if n, ok := shapes[1][2+i].Dim.Const(); ok {
				w.put(k, n)
			}
		}
		w.stride(t.Attrs[0])
		w.pad(t.Attrs[1], e.open.same)
		w.act(t.Attrs[3])
	case "poolmax", "poolavg":
		w.size(tasopb.ParamKernelH, t.Attrs[0])
		w.size(tasopb.ParamKernelW, t.Attrs[1])
		w.stride(t.Attrs[2])
		w.pad(t.Attrs[3], e.open.same)
		w.put(tasopb.ParamActi, int64(tasopb.ActNone))
		if len(t.Attrs) > 4 && t.Attrs[4] != e.open.border {
			return fmt.Errorf("border %s", t.Attrs[4])
		}
	case "concat":
		w.put(tasopb.ParamNumInputs, 2)
		w.put(tasopb.ParamNumDim, int64(len(shapes[0])))
		w.size(tasopb.ParamAxis, t.Attrs[0])
	case "split":
		w.put(tasopb.ParamNumOutputs, 2)
		w.size(tasopb.ParamAxis, t.Attrs[0])
		if err := atSeam(t, seams[0]); err != nil {
			return err
		}
	case "transpose":
		perm, _ := t.Attrs[0].Tuple()
		w.put(tasopb.ParamNumDim, int64(len(perm)))
		w.put(tasopb.ParamPerm, permutationCode(perm))
		w.put(tasopb.ParamOutShuffle, 0)
	case "enlarge":
		w.size(tasopb.ParamKernelH, t.Attrs[0])
		w.size(tasopb.ParamKernelW, t.Attrs[1])
	case "iconv", "cpool":
		w.size(tasopb.ParamKernelH, t.Attrs[1])
		w.size(tasopb.ParamKernelW, t.Attrs[2])
	}
	return w.err
}

// atSeam requires the split to cut at the last concatenation.
func atSeam(t *law.Term, seams []*seam) error {
	axis, _ := t.Attrs[0].Dim()
	at, _ := t.Attrs[1].Dim()
	n, ok := axis.Const()
	if !ok || n < 0 || n >= int64(len(seams)) || seams[n] == nil {
		return errors.New("a split where nothing was joined")
	}
	s := seams[n]
	for _, tie := range s.ties {
		if tie[0] != tie[1] {
			return errors.New("a split where two tensors were joined at different places")
		}
	}
	if s.at != at {
		return errors.New("a split that does not cut at the last concatenation")
	}
	return nil
}

// paramWriter writes parameters; err is the first that cannot be written.
type paramWriter struct {
	o   *tasopb.Operator
	err error
}

func (w *paramWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *paramWriter) put(k tasopb.ParamKey, v int64) {
	if v < 0 || v > 1<<30 {
		w.fail("%s = %d", k, v)
		return
	}
	w.o.Params = append(w.o.Params, tasopb.Parameter{Key: k, Value: int32(v)})
}

func (w *paramWriter) size(k tasopb.ParamKey, v graph.Value) {
	d, _ := v.Dim()
	n, ok := d.Const()
	if !ok {
		w.fail("%s = %s, which is not a number", k, v)
		return
	}
	w.put(k, n)
}

func (w *paramWriter) stride(v graph.Value) {
	s, ok := v.Tuple()
	if !ok || len(s) != 2 {
		w.fail("stride %s", v)
		return
	}
	w.put(tasopb.ParamStrideH, s[0])
	w.put(tasopb.ParamStrideW, s[1])
}

func (w *paramWriter) pad(v, same graph.Value) {
	switch v {
	case same:
		w.put(tasopb.ParamPad, int64(tasopb.PadSame))
	case graph.NameValue(graph.Valid):
		w.put(tasopb.ParamPad, int64(tasopb.PadValid))
	default:
		w.fail("padding %s", v)
	}
}

func (w *paramWriter) act(v graph.Value) {
	name, _ := v.Name()
	for _, a := range []tasopb.Activation{tasopb.ActNone, tasopb.ActSigmoid, tasopb.ActRelu, tasopb.ActTanh} {
		if a.String() == name {
			w.put(tasopb.ParamActi, int64(a))
			return
		}
	}
	w.fail("activation %s", v)
}
