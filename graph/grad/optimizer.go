package grad

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/suggest"
)

// Optimizer says how a weight follows from its derivative.
type Optimizer uint8

const (
	// SGD is gradient descent: w - rate*d; with momentum m it remembers v, 0 at first,
	// and v' = m*v + d takes the place of d.
	SGD Optimizer = iota
	// Adam (Kingma and Ba) remembers averages of d and of d², 0 at first,
	//
	//	m' = beta1*m + (1-beta1)*d         v' = beta2*v + (1-beta2)*d²
	//
	// and beta1 and beta2 to the number of steps, 1 at first; then
	// w - rate * m'/(1-beta1^t) / (sqrt(v'/(1-beta2^t)) + epsilon).
	Adam
)

var optimizers = map[string]Optimizer{"sgd": SGD, "adam": Adam}

// OptimizerNames lists the names that [ParseOptimizer] takes.
func OptimizerNames() []string { return []string{"sgd", "adam"} }

// ParseOptimizer is the optimizer of a name.
func ParseOptimizer(name string) (Optimizer, error) {
	o, ok := optimizers[name]
	if !ok {
		return 0, fmt.Errorf("unknown optimizer %q%s", name, suggest.OneOf(name, OptimizerNames()))
	}
	return o, nil
}

// String is the name of the optimizer.
func (o Optimizer) String() string { return OptimizerNames()[min(int(o), 1)] }

// prepare adds the state that all weights share.
func (t *trainer) prepare() error {
	if t.opt.Optimizer != Adam || len(t.by) == 0 {
		return nil
	}
	for i, beta := range []float64{t.opt.Beta1, t.opt.Beta2} {
		old, err := t.state(fmt.Sprintf("beta%d_power", i+1), t.by[0], nil, 1)
		if err != nil {
			return err
		}
		err = t.c.Do(func() {
			next := t.c.Times(old, beta, 1)
			left := t.c.Sub(t.c.Number(old, 1, 1), next)
			t.next(next)
			t.left[i] = t.c.Op("reciprocal", nil, left)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// update writes what a weight becomes, and its state.
func (t *trainer) update(w, d graph.Tensor) error {
	name, sizes := t.c.Graph().Name(w.Node), t.c.Sizes(w)
	switch {
	case t.opt.Optimizer == Adam:
		m, err := t.state(name+"_m", w, sizes, 0)
		if err != nil {
			return err
		}
		v, err := t.state(name+"_v", w, sizes, 0)
		if err != nil {
			return err
		}
		return t.c.Do(func() {
			c := t.c
			m = c.Add(c.Times(m, t.opt.Beta1, 1), c.Times(d, 1-t.opt.Beta1, 1))
			v = c.Add(c.Times(v, t.opt.Beta2, 1), c.Times(c.Mul(d, d), 1-t.opt.Beta2, 1))
			t.next(m)
			t.next(v)
			root := c.Plus(c.Op("sqrt", nil, c.Op("smul", nil, v, t.like(v, t.left[1]))), t.opt.Epsilon)
			d = c.Div(c.Op("smul", nil, m, t.like(m, t.left[0])), root)
			t.next(c.Sub(w, t.rated(d)))
		})
	case t.opt.Momentum != 0:
		v, err := t.state(name+"_momentum", w, sizes, 0)
		if err != nil {
			return err
		}
		return t.c.Do(func() {
			v = t.c.Add(t.c.Times(v, t.opt.Momentum, 1), d)
			t.next(v)
			t.next(t.c.Sub(w, t.rated(v)))
		})
	}
	return t.c.Do(func() { t.next(t.c.Sub(w, t.rated(d))) })
}

// rated is d times the rate.
func (t *trainer) rated(d graph.Tensor) graph.Tensor {
	if t.opt.Rate != 0 {
		return t.c.Times(d, t.opt.Rate, 1)
	}
	return t.c.Op("smul", nil, d, t.like(d, t.rate))
}

// like is x as the element type of d.
func (t *trainer) like(d, x graph.Tensor) graph.Tensor {
	from, to := t.c.DType(x), t.c.DType(d)
	if from == to {
		return x
	}
	return t.c.Op("cast", graph.Named{"to": graph.NameValue(to.String()), "mode": graph.NameValue(graph.CastMode(from, to))}, x)
}
