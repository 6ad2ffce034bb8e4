package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

type tensor = interp.Tensor[float64]

// oracle is a backend over the interpreter, rounding to float32 after each
// node, with places where faults may be put in. Without any it is right.
type oracle struct {
	// node, if not nil, computes a node instead of the interpreter; it returns
	// nil to leave it to that.
	node func(op *graph.Op, a graph.Attrs, in []tensor, out [][]int) []tensor
	// lacks is an operator that it does not support.
	lacks string

	noCheck      bool // inputs are not checked
	noShapeCheck bool // the sizes of weights are not checked
	ignoreCancel bool // contexts are not asked
	lateWeights  bool // weights are read when running
	ownResults   bool // results are overwritten by the next run
	eatsInputs   bool // inputs are overwritten
	stale        bool // a run that is cancelled leaves something for the next
	runsClosed   bool // a closed plan runs
	closeTwice   bool // closing twice fails
	freeOp       string
	earlyProfile bool
	notNamed     bool // errors do not name the node
}

func (o *oracle) Info() backends.Info {
	return backends.Info{Name: "oracle", Device: "interpreter", Version: "1", Threads: 1}
}
func (o *oracle) Close() error { return nil }

func (o *oracle) Supports(g *graph.Graph, id graph.NodeID) error {
	op := g.Op(id)
	if op == nil {
		return nil
	}
	if _, _, ok := g.Opaque(id); ok || op.Name == o.lacks {
		u := &backends.Unsupported{Backend: "oracle", Node: g.Name(id), Op: op.Name, Why: "it is not known"}
		if o.notNamed {
			u.Node = ""
		}
		return u
	}
	return nil
}

type oraclePlan struct {
	o       *oracle
	g       *graph.Graph
	m       *model.Model
	weights map[graph.NodeID]tensor
	handed  []backends.Tensor
	times   []backends.OpTime
	left    float64
	closed  bool
}

func (o *oracle) Compile(ctx context.Context, m *model.Model, _ backends.CompileOptions) (backends.Plan, error) {
	if m == nil || m.Graph == nil {
		return nil, errors.New("no graph")
	}
	if err := ctx.Err(); err != nil && !o.ignoreCancel {
		return nil, err
	}
	for id := range m.Graph.Nodes() {
		if err := o.Supports(m.Graph, id); err != nil {
			return nil, err
		}
	}
	p := &oraclePlan{o: o, g: m.Graph, m: m}
	return p, p.load()
}

func (p *oraclePlan) load() error {
	p.weights = map[graph.NodeID]tensor{}
	for _, id := range p.g.Inputs() {
		if !p.g.IsWeight(id) {
			continue
		}
		t, w := p.g.Type(id.Out(0)), p.m.Weights[id]
		if w == nil {
			return fmt.Errorf("weight %s has no numbers", p.g.Name(id))
		}
		if !p.o.noShapeCheck && (w.DType != t.DType || !slices.Equal(w.Sizes, t.Sizes)) {
			return fmt.Errorf("weight %s is no %s", p.g.Name(id), t)
		}
		x := tensor{Sizes: t.Sizes}
		raw, err := w.Read()
		if err != nil {
			return fmt.Errorf("weight %s: %w", p.g.Name(id), err)
		}
		read, err := backends.FromBytes(graph.TensorType{DType: w.DType, Sizes: w.Sizes}, raw)
		if err != nil {
			return fmt.Errorf("weight %s: %w", p.g.Name(id), err)
		}
		x.Data = read.Float64s()
		p.weights[id] = x
	}
	return nil
}

func (p *oraclePlan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	if p.closed && !p.o.runsClosed {
		return nil, errors.New("closed")
	}
	if err := backends.CheckInputs(p.g, in); err != nil {
		if !p.o.noCheck || len(in) == 0 {
			return nil, err
		}
	}
	if p.o.lateWeights {
		if err := p.load(); err != nil {
			return nil, err
		}
	}
	val := map[graph.Tensor]tensor{}
	next := 0
	p.times = nil
	for id := range p.g.Nodes() {
		if p.g.Op(id) == nil {
			x, ok := p.weights[id]
			if !ok {
				x = tensor{Sizes: in[next].Sizes}
				x.Data = in[next].Float64s()
				for k := range in[next].F32 {
					x.Data[k] += p.left
					if p.o.eatsInputs {
						in[next].F32[k] = 0
					}
				}
				next++
			}
			val[id.Out(0)] = x
			continue
		}
		if err := ctx.Err(); err != nil && !p.o.ignoreCancel {
			if p.o.stale {
				p.left = 1e-3
			}
			return nil, err
		}
		start := time.Now()
		out, err := p.node(id, val)
		if err != nil {
			return nil, err
		}
		for i, x := range out {
			val[id.Out(i)] = x
		}
		p.times = append(p.times, backends.OpTime{Node: id, Name: p.g.Name(id), Op: p.g.Op(id).Name,
			Seconds: max(1e-9, cost.FromDuration(time.Since(start)))})
	}
	p.left = 0
	return p.results(val)
}

func (p *oraclePlan) node(id graph.NodeID, val map[graph.Tensor]tensor) (out []tensor, err error) {
	var args []tensor
	for _, t := range p.g.Operands(id) {
		args = append(args, val[t])
	}
	op, a := p.g.Op(id), p.g.Attrs(id)
	if p.o.node != nil {
		var sizes [][]int
		for i := range p.g.NumOut(id) {
			sizes = append(sizes, p.g.Sizes(id.Out(i)))
		}
		out = p.o.node(op, a, args, sizes)
	}
	if out == nil {
		// The evaluator of graphs knows which operators are of integers.
		if out, err = p.alone(id, args); err != nil {
			return nil, err
		}
	}
	for i := range out {
		if p.g.DType(id.Out(i)) == graph.Float32 {
			for k, v := range out[i].Data {
				out[i].Data[k] = float64(float32(v))
			}
		}
	}
	return out, nil
}

// alone evaluates a graph of one node.
func (p *oraclePlan) alone(id graph.NodeID, args []tensor) ([]tensor, error) {
	var b graph.Builder
	var in []graph.Tensor
	for i, t := range p.g.Operands(id) {
		x, err := b.AddInput(fmt.Sprint("x", i), p.g.DType(t), p.g.Sizes(t)...)
		if err != nil {
			return nil, err
		}
		in = append(in, x)
	}
	apply := func() (graph.NodeID, error) { return b.Apply("", p.g.Op(id), p.g.Attrs(id), in...) }
	if len(in) == 0 {
		apply = func() (graph.NodeID, error) {
			return b.Constant("", p.g.DType(id.Out(0)), p.g.Op(id), p.g.Attrs(id))
		}
	}
	n, err := apply()
	if err != nil {
		return nil, err
	}
	var outs []graph.Tensor
	for i := range p.g.NumOut(id) {
		outs = append(outs, n.Out(i))
	}
	g, err := b.Finish(outs...)
	if err != nil {
		return nil, err
	}
	return interp.EvalGraph(context.Background(), interp.Float{}, g, args)
}

func (p *oraclePlan) results(val map[graph.Tensor]tensor) ([]backends.Tensor, error) {
	var out []backends.Tensor
	for _, t := range p.g.Outputs() {
		x, err := backends.Zeros(p.g.Type(t))
		if err != nil {
			return nil, err
		}
		for k, v := range val[t].Data {
			switch {
			case x.F32 != nil:
				x.F32[k] = float32(v)
			case x.F64 != nil:
				x.F64[k] = v
			default:
				x.I64[k] = int64(v)
			}
		}
		backends.RoundTo(x.DType, x.F32)
		out = append(out, x)
	}
	if p.o.ownResults {
		for i := range p.handed {
			copy(p.handed[i].F32, out[i].F32)
			copy(p.handed[i].I64, out[i].I64)
		}
		p.handed = append(p.handed[:0], out...)
	}
	return out, nil
}

func (p *oraclePlan) Profile() []backends.OpTime {
	if p.o.earlyProfile && p.times == nil {
		return []backends.OpTime{{}}
	}
	return p.times
}
func (p *oraclePlan) PeakBytes() int64 { return 4096 }
func (p *oraclePlan) Close() error {
	if p.closed && p.o.closeTwice {
		return errors.New("closed twice")
	}
	p.closed = true
	return nil
}

func (o *oracle) Target() *lower.Target { return lower.CPU() }

func (o *oracle) Measure(ctx context.Context, ap cost.Application, opt backends.MeasureOptions) (cost.Sample, error) {
	op, a, in, out := ap.Op, ap.Attrs, ap.In, ap.Out
	if err := ctx.Err(); err != nil && !o.ignoreCancel {
		return cost.Sample{}, err
	}
	if op == nil {
		return cost.Sample{}, errors.New("no operator")
	}
	var args []tensor
	for _, t := range in {
		args = append(args, tensor{Sizes: t.Sizes, Data: make([]float64, graph.NumElements(t.Sizes))})
	}
	if !o.noCheck {
		var gb graph.Builder
		var ts []graph.Tensor
		for i, t := range in {
			x, err := gb.AddInput(fmt.Sprint("x", i), t.DType, t.Sizes...)
			if err != nil {
				return cost.Sample{}, err
			}
			ts = append(ts, x)
		}
		id, err := gb.Apply("y", op, a, ts...)
		if err != nil {
			return cost.Sample{}, err
		}
		if !slices.Equal(gb.Sizes(id.Out(0)), out[0].Sizes) {
			return cost.Sample{}, errors.New("the result has other sizes")
		}
	}
	start := time.Now()
	if _, err := interp.Apply(interp.Float{}, op, a, args); err != nil {
		return cost.Sample{}, err
	}
	s := max(1e-9, cost.FromDuration(time.Since(start)))
	if op.Name == o.freeOp {
		s = 0
	}
	return cost.Sample{Seconds: s, Runs: 5, Source: cost.Measured}, nil
}

// coarse rounds to 11 bits behind the point.
func coarse(x float64) float64 { return math.Round(x*2048) / 2048 }
