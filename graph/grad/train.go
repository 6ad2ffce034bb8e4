package grad

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Options say how a graph is trained. The zero value is gradient descent by the cross
// entropy along the first axis, the rate being an input.
type Options struct {
	Loss Loss
	// Axis is that of the classes in an output; a negative one counts from the end.
	Axis      int
	Optimizer Optimizer
	// Rate is the learning rate; 0: a scalar input of the step, "rate".
	Rate float64
	// Momentum is that of SGD.
	Momentum float64
	// Beta1, Beta2 and Epsilon are Adam's; 0: 0.9, 0.999 and 1e-8.
	Beta1, Beta2, Epsilon float64
	// Weights are the inputs of the graph that are trained; nil: those of [Trained].
	Weights []graph.NodeID
	// Stored: batch normalizations use the statistics of the model, which stay. Else
	// they use those of the batch, and those of the model follow by Share of the
	// difference in each step; 0: 0.1.
	Stored bool
	Share  float64
	// Group: those of the batch are of so many samples each, one group after the other, as in
	// training by micro-batches of so many (ghost batch normalization: Hoffer et al., NeurIPS
	// 2017); those of the model follow their average. 0: of all samples.
	Group int
}

// Step is a training step.
type Step struct {
	// Graph has the inputs of the trained graph and then the labels, the rate if it is
	// no constant, and the state. Its outputs are the loss, and then what each of Next
	// becomes.
	Graph *graph.Graph
	// Labels are the inputs for the labels of the outputs of floating-point types.
	Labels []graph.NodeID
	// Next are the weights, statistics and state that the step brings forward: output
	// 1+i of the graph is for Next[i].
	Next []Kept
}

// Kept is an input of a training step that an output takes the place of in the next one.
type Kept struct {
	Input graph.NodeID
	// State: it is none of the trained graph; Init is the value of all its elements
	// before the first step.
	State bool
	Init  float64
}

// Trained lists the inputs that are trained by default: the weights of floating-point
// types with at least one axis, but for the statistics of batch normalizations. Scalars
// usually are constants of the network.
func Trained(g *graph.Graph) []graph.NodeID {
	fixed := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		if statistics(g, id) {
			for _, t := range g.Operands(id)[3:] {
				fixed[t.Node] = true
			}
		}
	}
	var out []graph.NodeID
	for _, id := range g.Inputs() {
		if t := id.Out(0); g.IsWeight(id) && !fixed[id] && g.DType(t).IsFloat() && len(g.Sizes(t)) > 0 {
			out = append(out, id)
		}
	}
	return out
}

// statistics reports whether a node is normalized by statistics that are operands 3
// and 4.
func statistics(g *graph.Graph, id graph.NodeID) bool {
	return g.Op(id) != nil && g.Op(id).Name == "batchnorm"
}

// trainer writes a training step.
type trainer struct {
	opt   Options
	c     *graph.Calc
	by    []graph.Tensor  // the weights
	rate  graph.Tensor    // where it is an input
	left  [2]graph.Tensor // 1/(1 - beta^t)
	step  Step
	names []string       // of the inputs of Next
	out   []graph.Tensor // what they become
}

// Train makes the training step of a graph.
func Train(g *graph.Graph, opt Options) (*Step, error) {
	s, err := train(g, opt)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", err)
	}
	return s, nil
}

func (o *Options) fill(g *graph.Graph) error {
	for _, d := range []struct {
		v    *float64
		none float64
	}{{&o.Beta1, 0.9}, {&o.Beta2, 0.999}, {&o.Epsilon, 1e-8}, {&o.Share, 0.1}} {
		if *d.v == 0 {
			*d.v = d.none
		}
	}
	for _, d := range []struct {
		name      string
		v, lo, hi float64
	}{{"rate", o.Rate, 0, math.MaxFloat32}, {"momentum", o.Momentum, 0, 1}, {"beta1", o.Beta1, 0, 1}, {"beta2", o.Beta2, 0, 1},
		{"epsilon", o.Epsilon, 0, math.MaxFloat32}, {"share", o.Share, 0, 1}} {
		if !(d.v >= d.lo && d.v <= d.hi) {
			return fmt.Errorf("%s %v is not in %v to %v", d.name, d.v, d.lo, d.hi)
		}
	}
	if o.Loss > MeanSquare || o.Optimizer > Adam {
		return fmt.Errorf("loss %d or optimizer %d is not known", o.Loss, o.Optimizer)
	}
	if o.Weights == nil {
		o.Weights = Trained(g)
	}
	if len(o.Weights) == 0 {
		return errors.New("there is no weight to train")
	}
	for i, id := range o.Weights {
		if id == 0 || int(id) > g.Len() || g.Op(id) != nil || !g.DType(id.Out(0)).IsFloat() {
			return fmt.Errorf("node %d is no input of a floating-point type", id)
		}
		if slices.Contains(o.Weights[:i], id) {
			return fmt.Errorf("weight %s is listed twice", g.Name(id))
		}
	}
	return nil
}

func train(g *graph.Graph, opt Options) (*Step, error) {
	if err := opt.fill(g); err != nil {
		return nil, err
	}
	if opt.Group < 0 {
		return nil, fmt.Errorf("statistics of groups of %d samples", opt.Group)
	}
	for id := range g.Nodes() {
		if opt.Group > 0 && !opt.Stored && statistics(g, id) {
			if n := g.Sizes(g.Operands(id)[0])[0]; n%opt.Group != 0 {
				return nil, fmt.Errorf("node %s: statistics of groups of %d samples, there are %d", g.Name(id), opt.Group, n)
			}
		}
	}
	var b graph.Builder
	t := &trainer{opt: opt}
	var batch [][2]graph.Tensor // stored and current statistics
	c, at, err := copied(&b, g, func(c *graph.Calc, id graph.NodeID, in []graph.Tensor) ([]graph.Tensor, bool) {
		if opt.Stored || !statistics(g, id) {
			return nil, false
		}
		if opt.Group > 0 {
			y, mean, variance := grouped(c, in, opt.Group, g.Attrs(id)[0])
			batch = append(batch, [2]graph.Tensor{in[3], mean}, [2]graph.Tensor{in[4], variance})
			return []graph.Tensor{y}, true
		}
		mean, variance := moments(c, in[0])
		batch = append(batch, [2]graph.Tensor{in[3], mean}, [2]graph.Tensor{in[4], variance})
		y := c.Op(g.Op(id).Name, graph.Named{"eps": g.Attrs(id)[0]}, in[0], in[1], in[2], mean, variance)
		return []graph.Tensor{y}, true
	})
	if err != nil {
		return nil, err
	}
	t.c = c
	loss, fixed, err := t.loss(g, at)
	if err != nil {
		return nil, err
	}
	if opt.Rate == 0 {
		if t.rate, err = b.AddInput(fresh(b.Graph(), "rate"), graph.Float32); err != nil {
			return nil, err
		}
	}
	for _, id := range opt.Weights {
		t.by = append(t.by, at(id.Out(0)))
	}
	d, err := t.back(loss, fixed)
	if err != nil {
		return nil, err
	}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	for i, w := range t.by {
		t.step.Next, t.names = append(t.step.Next, Kept{Input: w.Node}), append(t.names, b.Graph().Name(w.Node))
		at := len(t.out)
		t.out = append(t.out, graph.Tensor{})
		if err := t.update(w, d[i]); err != nil {
			return nil, fmt.Errorf("weight %s: %w", b.Graph().Name(w.Node), err)
		}
		// The weight's own is written last.
		last := len(t.out) - 1
		t.out[at] = t.out[last]
		t.out = t.out[:last]
	}
	if err := t.follow(batch); err != nil {
		return nil, err
	}
	return t.finish(&b, loss)
}

// loss writes the labels and the loss.
func (t *trainer) loss(g *graph.Graph, at func(graph.Tensor) graph.Tensor) (loss graph.Tensor, fixed map[graph.NodeID]bool, err error) {
	var ys []graph.Tensor
	for _, y := range g.Outputs() {
		if g.DType(y).IsFloat() {
			ys = append(ys, y)
		}
	}
	if len(ys) == 0 {
		return loss, nil, errors.New("no output is of a floating-point type")
	}
	fixed = map[graph.NodeID]bool{}
	for _, y := range ys {
		name := "label"
		if len(ys) > 1 {
			name += "_" + g.Name(y.Node)
		}
		typ, err := t.opt.Loss.labelOf(g.Type(y), t.opt.Axis)
		if err != nil {
			return loss, nil, fmt.Errorf("output %s: %w", g.Name(y.Node), err)
		}
		label, err := t.c.AddInput(fresh(t.c.Graph(), name), typ.DType, typ.Sizes...)
		if err != nil {
			return loss, nil, err
		}
		t.step.Labels = append(t.step.Labels, label.Node)
		err = t.c.Do(func() { loss = t.c.Total(loss, t.opt.Loss.write(t.c, at(y), label, t.opt.Axis, fixed)) })
		if err != nil {
			return loss, nil, fmt.Errorf("loss of output %s: %w", g.Name(y.Node), err)
		}
	}
	return loss, fixed, named(t.c.Builder, loss, "loss")
}

// back writes the derivatives of the loss by the weights.
func (t *trainer) back(loss graph.Tensor, fixed map[graph.NodeID]bool) ([]graph.Tensor, error) {
	var one graph.Tensor
	if err := t.c.Do(func() { one = t.c.Number(loss, 1, 1) }); err != nil {
		return nil, err
	}
	return Back(t.c, []graph.Tensor{loss}, []graph.Tensor{one}, t.by, fixed)
}

// state adds a tensor of state of the element type of like.
func (t *trainer) state(name string, like graph.Tensor, sizes []int, init float64) (graph.Tensor, error) {
	name = fresh(t.c.Graph(), name)
	x, err := t.c.AddWeight(name, t.c.DType(like), sizes...)
	t.step.Next, t.names = append(t.step.Next, Kept{x.Node, true, init}), append(t.names, name)
	return x, err
}

// next is what the next of Next becomes.
func (t *trainer) next(x graph.Tensor) { t.out = append(t.out, x) }

// moments are the average and the variance of each channel of a batch.
func moments(c *graph.Calc, x graph.Tensor) (mean, variance graph.Tensor) {
	sizes := c.Sizes(x)
	beside := []int{0}
	column := slices.Repeat([]int{1}, len(sizes)-1)
	column[0] = sizes[1]
	for i := 2; i < len(sizes); i++ {
		beside = append(beside, i)
	}
	mean = c.Mean(x, false, beside...)
	apart := c.Sub(x, c.Broadcast(c.Reshape(mean, column...), sizes...))
	return mean, c.Mean(c.Mul(apart, apart), false, beside...)
}

// grouped normalizes each group of samples by its own statistics; mean and variance are
// their averages over groups.
func grouped(c *graph.Calc, in []graph.Tensor, samples int, eps graph.Value) (y, mean, variance graph.Tensor) {
	sizes := c.Sizes(in[0])
	apart := append([]int{sizes[0] / samples, samples}, sizes[1:]...) // groups, samples, channels, ...
	row, column := slices.Repeat([]int{1}, len(apart)), slices.Repeat([]int{1}, len(apart)-2)
	row[0], row[2], column[0] = apart[0], apart[2], apart[2]
	beside := []int{1}
	for i := 3; i < len(apart); i++ {
		beside = append(beside, i)
	}
	all := func(x graph.Tensor) graph.Tensor { return c.Broadcast(c.Reshape(x, row...), apart...) }
	x := c.Reshape(in[0], apart...)
	means := c.Mean(x, false, beside...)
	x = c.Sub(x, all(means))
	variances := c.Mean(c.Mul(x, x), false, beside...)
	deviation := c.Op("sqrt", nil, c.Add(variances, c.Const(variances, "fill",
		graph.Named{"shape": graph.ShapeValue(graph.Sizes(c.Sizes(variances)...)), "value": eps, "den": graph.IntValue(1)})))
	x = c.Div(x, all(deviation))
	x = c.Reshape(x, sizes...)
	y = c.Add(c.Mul(x, c.Broadcast(c.Reshape(in[1], column...), sizes...)), c.Broadcast(c.Reshape(in[2], column...), sizes...))
	return y, c.Mean(means, false, 0), c.Mean(variances, false, 0)
}

// follow brings the statistics of the model forward. Statistics that several nodes read
// follow the first of them; those that are no inputs are computed anew in each step.
func (t *trainer) follow(batch [][2]graph.Tensor) error {
	g, done := t.c.Graph(), map[graph.NodeID]bool{}
	for _, s := range batch {
		old := s[0].Node
		if g.Op(old) != nil || done[old] || slices.Contains(t.by, s[0]) {
			continue
		}
		done[old] = true
		t.step.Next, t.names = append(t.step.Next, Kept{Input: old}), append(t.names, g.Name(old))
		err := t.c.Do(func() {
			t.next(t.c.Add(s[0], t.c.Times(t.c.Sub(s[1], s[0]), t.opt.Share, 1)))
		})
		if err != nil {
			return fmt.Errorf("statistics %s: %w", g.Name(old), err)
		}
	}
	return nil
}

// finish names the outputs and removes what none of them needs.
func (t *trainer) finish(b *graph.Builder, loss graph.Tensor) (*Step, error) {
	for i, x := range t.out {
		if err := named(b, x, t.names[i]+"_next"); err != nil {
			return nil, err
		}
	}
	var labels []string
	for _, id := range t.step.Labels {
		labels = append(labels, b.Graph().Name(id))
	}
	g, err := b.Finish(append([]graph.Tensor{loss}, t.out...)...)
	if err != nil {
		return nil, err
	}
	t.step.Graph = g.WithoutDead()
	for i, name := range labels {
		t.step.Labels[i], _ = t.step.Graph.Find(name)
	}
	for i, name := range t.names {
		t.step.Next[i].Input, _ = t.step.Graph.Find(name)
	}
	return &t.step, nil
}
