package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Steps of optimizers, which ONNX has in a domain of its own: the learning rate, the number
// of steps so far, and then parameters, their gradients and what is remembered of these.

// training is their domain.
const training = "ai.onnx.preview.training"

func trainingOperators() []*operator {
	return []*operator{
		{domain: training, name: "Adagrad", versions: "1", attrs: "decay_factor epsilon norm_coefficient", lower: lowerStep(1, (*update).adagrad)},
		{domain: training, name: "Momentum", versions: "1", attrs: "alpha beta mode norm_coefficient", lower: lowerStep(1, (*update).momentum)},
		{domain: training, name: "Adam", versions: "1", attrs: "alpha beta epsilon norm_coefficient norm_coefficient_post", lower: lowerStep(2, (*update).adam)},
	}
}

// update is one step for one parameter. The rate and the number of steps are scalars.
type update struct {
	*call
	rate, steps *value
	t           graph.DType // of the parameter
}

// lowerStep: an optimizer that remembers so many tensors of each parameter; next gives the
// new parameter, and what is remembered then.
func lowerStep(remembered int, next func(u *update, x, g *value, old []*value) []*value) lowering {
	return func(c *call) {
		each := 2 + remembered
		n := (len(c.in) - 2) / each
		in := c.need(2+each, max(2+each, len(c.in)))
		if len(in) != 2+n*each || len(c.outs) != n*(1+remembered) {
			must.Failf("%d inputs and %d outputs", len(in), len(c.outs))
		}
		for i, v := range in {
			if v == nil {
				must.Failf("input %d is missing", i)
			}
		}
		if in[0].elements() != 1 || in[1].elements() != 1 || !in[0].dtype.IsFloat() || !in[1].dtype.IsInt() {
			must.Failf("a rate %s after %s steps", in[0], in[1])
		}
		for i := range n {
			x := in[2+i]
			c.arithmetic("", x)
			for j := range each {
				if v := in[2+j*n+i]; v.dtype != x.dtype || !slices.Equal(v.dims(), x.dims()) {
					must.Failf("%s for %s", v, x)
				}
			}
			u := &update{call: c, rate: c.im.cast(c.im.reshape(in[0]), x.dtype), steps: c.im.reshape(in[1]), t: x.dtype}
			var old []*value
			for j := range remembered {
				old = append(old, in[2+(2+j)*n+i])
			}
			for j, v := range next(u, x, in[2+n+i], old) {
				c.outs[j*n+i] = v
			}
		}
	}
}

func (u *update) add(x, y *value) *value   { return u.im.do("ewadd", x, y) }
func (u *update) times(x, y *value) *value { return u.im.do("smul", x, y) }

// regularized is the gradient with that of the parameter's own square.
func (u *update) regularized(x, g *value) *value {
	by := u.float("norm_coefficient", 0)
	if by == 0 {
		return g
	}
	return u.add(u.im.scale(x, by), g)
}

// mixed is a times v plus b times w.
func (u *update) mixed(a float64, v *value, b float64, w *value) *value {
	return u.add(u.im.scale(v, a), u.im.scale(w, b))
}

// begun is 1 where there were steps before, else 0: a scalar.
func (u *update) begun() *value { return u.im.cast(u.im.positive(u.steps), u.t) }

func (u *update) adagrad(x, g *value, old []*value) []*value {
	im := u.im
	g = u.regularized(x, g)
	h := u.add(old[0], im.do("ewmul", g, g))
	slower := im.plus(im.scale(im.cast(u.steps, u.t), u.float("decay_factor", 0)), 1)
	rate := im.do("ewdiv", u.rate, slower)
	by := im.plus(im.do("sqrt", h), u.float("epsilon", 1e-6))
	return []*value{im.do("ewsub", x, im.do("ewdiv", u.times(g, rate), by)), h}
}

func (u *update) momentum(x, g *value, old []*value) []*value {
	im, alpha, beta := u.im, u.float("alpha", 0), u.float("beta", 0)
	for _, name := range []string{"alpha", "beta", "norm_coefficient", "mode"} {
		if !u.has(name) {
			must.Failf("its %s is missing", name)
		}
	}
	g = u.regularized(x, g)
	share := g
	if beta != 1 {
		share = u.times(g, im.plus(im.scale(u.begun(), beta-1), 1)) // 1 in the first step
	}
	v := u.add(im.scale(old[0], alpha), share)
	along := v
	switch mode := u.text("mode", ""); mode {
	case "standard":
	case "nesterov":
		along = u.add(g, im.scale(v, alpha))
	default:
		must.Failf("mode is %q", clip(mode))
	}
	return []*value{im.do("ewsub", x, u.times(along, u.rate)), v}
}

// adam: both means begin at zero, for which the rate makes up unless no step was counted.
func (u *update) adam(x, g *value, old []*value) []*value {
	im, alpha, beta := u.im, u.float("alpha", 0.9), u.float("beta", 0.999)
	if !(alpha > 0 && alpha < 1 && beta > 0 && beta < 1) {
		must.Do(unsupported("alpha %g and beta %g must lie between 0 and 1", alpha, beta))
	}
	g = u.regularized(x, g)
	v := u.mixed(alpha, old[0], 1-alpha, g)
	h := u.mixed(beta, old[1], 1-beta, im.do("ewmul", g, g))
	// Powers near 1 are taken off 1, so they are computed in float64.
	t := im.cast(u.steps, graph.Float64)
	t = im.do("ewmax", t, element(t, 1))
	missing := func(keep float64) *value {
		return im.plus(im.do("neg", im.do("exp", im.scale(t, math.Log(keep)))), 1)
	}
	more := im.cast(im.do("ewdiv", im.do("sqrt", missing(beta)), missing(alpha)), u.t)
	more = im.plus(im.do("ewmul", u.begun(), im.plus(more, -1)), 1)
	step := im.do("ewdiv", v, im.plus(im.do("sqrt", h), u.float("epsilon", 1e-6)))
	y := im.do("ewsub", x, u.times(step, im.do("ewmul", u.rate, more)))
	if post := u.float("norm_coefficient_post", 0); post != 0 {
		y = im.scale(y, 1-post)
	}
	return []*value{y, v, h}
}
