package onnx

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Recurrent networks, step by step. What the inputs add to the gates is one product for
// all steps; each step then has one product of its own.

func recurrentOperators() []*operator {
	const attrs = "!activation_alpha !activation_beta activations !clip direction hidden_size !output_sequence layout"
	return []*operator{
		{name: "RNN", versions: "!1 7 14 22", attrs: attrs, lower: lowerRecurrent(1, []string{"Tanh"}, (*recurrence).simple), types: recurrentTypes},
		{name: "GRU", versions: "!1 !3 7 14 22", attrs: attrs + " linear_before_reset",
			lower: lowerRecurrent(3, []string{"Sigmoid", "Tanh"}, (*recurrence).gru), types: recurrentTypes},
		{name: "LSTM", versions: "!1 7 14 22", attrs: attrs + " !input_forget",
			lower: lowerRecurrent(4, []string{"Sigmoid", "Tanh", "Tanh"}, (*recurrence).lstm), types: recurrentTypes},
	}
}

// maxSteps bounds the steps that are written one after another.
const maxSteps = 256

// recurrence is a recurrent network in one direction.
type recurrence struct {
	im     *importer
	hidden int
	batch  graph.Dim
	acts   []string // of our operators
	r      *value   // [hidden, gates*hidden]
	rb     *value   // [gates*hidden], added to the product of the hidden state; nil is zero
	p      *value   // [3*hidden], of the cell's state; nil is zero
	linear bool     // linear_before_reset
}

// step is the next hidden state and cell state, from what the input adds to the gates.
type step func(d *recurrence, x, h, cell *value) (*value, *value)

func lowerRecurrent(gates int, acts []string, next step) lowering {
	return func(c *call) {
		im, in := c.im, c.need(3, 8)
		x := in[0]
		c.arithmetic("", x)
		byBatch := c.flag("layout")
		if x.rank() != 3 || in[1].rank() != 3 || in[2].rank() != 3 {
			must.Failf("%s, %s and %s: want 3 axes each", x, in[1], in[2])
		}
		if byBatch {
			x = im.transpose(x, 1, 0, 2)
		}
		steps, batch, hidden := numberOf(x.size(0)), x.size(1), in[2].sizes()[2]
		dim := func(n int) graph.Dim { return graph.Int(int64(n)) }
		way := c.text("direction", "forward")
		dirs := 1
		if way == "bidirectional" {
			dirs = 2
		}
		for _, v := range in[1:3] {
			if v.sizes()[0] != dirs || v.sizes()[1] != gates*hidden {
				must.Failf("%s: want %d directions of %d", v, dirs, gates*hidden)
			}
		}
		switch {
		case steps > maxSteps:
			must.Do(unsupported("sequence length %d, at most %d is supported: shorten the input", steps, maxSteps))
		case way != "forward" && way != "reverse" && dirs == 1:
			must.Failf("direction is %q", clip(way))
		case c.has("hidden_size") && c.int("hidden_size", 0) != int64(hidden):
			must.Failf("hidden_size is %d, and its weights are for %d", c.int("hidden_size", 0), hidden)
		}
		if long := c.known(4, "sequence lengths"); long != nil {
			for _, n := range long.ints {
				if n != int64(steps) {
					must.Do(unsupported("sequences of different lengths are not supported"))
				}
			}
		}
		// The part of an input for a direction, without that axis.
		part := func(i, dir int) *value {
			v := c.optional(i)
			if v == nil {
				return nil
			}
			axis := 0
			if byBatch && (i == 5 || i == 6) {
				axis = 1
			}
			if v.rank() <= axis || v.size(axis) != dim(dirs) {
				must.Failf("%s: want %d directions", v, dirs)
			}
			return im.reshapeTo(im.slice(v, axis, dir, dir+1), slices.Delete(slices.Clone(v.dims()), axis, axis+1))
		}
		var ys, hs, cs []*value
		for dir := range dirs {
			d := &recurrence{im: im, hidden: hidden, batch: batch, acts: c.activations(acts, dir, dirs), linear: c.flag("linear_before_reset")}
			d.r = im.transpose(part(2, dir), 1, 0)
			all := im.matmul(im.reshapeTo(x, []graph.Dim{batch.Scale(int64(steps)), x.size(2)}), im.transpose(part(1, dir), 1, 0))
			if b := part(3, dir); b != nil {
				if b.rank() != 1 || b.sizes()[0] != 2*gates*hidden {
					must.Failf("%s for %d gates of %d", c.in[3], gates, hidden)
				}
				all = im.elementwise("ewadd", all, im.slice(b, 0, 0, gates*hidden))
				d.rb = im.slice(b, 0, gates*hidden, 2*gates*hidden)
			}
			all = im.reshapeTo(all, []graph.Dim{dim(steps), batch, dim(gates * hidden)})
			if len(c.in) == 8 {
				d.p = part(7, dir)
			}
			state := func(i int) *value {
				if v := part(i, dir); v != nil {
					return v
				}
				return im.broadcastTo(element(x, 0), []graph.Dim{batch, dim(hidden)})
			}
			h, cell := state(5), (*value)(nil)
			if gates == 4 {
				cell = state(6)
			}
			made := make([]*value, steps)
			for i := range steps {
				t := i
				if way == "reverse" || dir == 1 {
					t = steps - 1 - i
				}
				h, cell = next(d, im.reshapeTo(im.slice(all, 0, t, t+1), []graph.Dim{batch, dim(gates * hidden)}), h, cell)
				made[t] = im.reshapeTo(h, []graph.Dim{dim(1), dim(1), batch, dim(hidden)})
			}
			ys, hs = append(ys, im.joined(0, made)), append(hs, im.reshapeTo(h, []graph.Dim{dim(1), batch, dim(hidden)}))
			if cell != nil {
				cs = append(cs, im.reshapeTo(cell, []graph.Dim{dim(1), batch, dim(hidden)}))
			}
		}
		for i, v := range []*value{im.joined(1, ys), im.joined(0, hs), im.joined(0, cs)} {
			if i >= len(c.outs) || v == nil {
				continue
			}
			if byBatch && i == 0 {
				v = im.transpose(v, 2, 0, 1, 3)
			} else if byBatch {
				v = im.transpose(v, 1, 0, 2)
			}
			c.outs[i] = v
		}
	}
}

// joined is a concatenation; none of nothing.
func (im *importer) joined(axis int, parts []*value) *value {
	if len(parts) == 0 {
		return nil
	}
	v := parts[0]
	for _, w := range parts[1:] {
		v = im.apply("concat", attrs{"axis": graph.IntValue(axis)}, v, w)
	}
	return v
}

// activations are the functions of a direction, or the ones that are meant if none are named.
func (c *call) activations(missing []string, dir, dirs int) []string {
	names := missing
	if a := c.typed("activations", onnxStrings, anyList); a != nil {
		if len(a.GetStrings()) != dirs*len(missing) {
			must.Failf("%d activations, want %d", len(a.GetStrings()), dirs*len(missing))
		}
		names = nil
		for _, s := range a.GetStrings()[dir*len(missing) : (dir+1)*len(missing)] {
			names = append(names, string(s))
		}
	}
	var own []string
	for _, name := range names {
		found := ""
		for onnx, op := range unary {
			if strings.EqualFold(onnx, name) {
				found = op
			}
		}
		if found == "" {
			must.Do(unsupported("its activation is %q", clip(name)))
		}
		own = append(own, found)
	}
	return own
}

// gate is part i of what all gates have.
func (d *recurrence) gate(v *value, i int) *value {
	return d.im.slice(v, v.rank()-1, i*d.hidden, (i+1)*d.hidden)
}

func (d *recurrence) act(i int, v *value) *value { return d.im.do(d.acts[i], v) }

func (d *recurrence) add(x, y *value) *value {
	if y == nil {
		return x
	}
	return d.im.elementwise("ewadd", x, y)
}

func (d *recurrence) simple(x, h, _ *value) (*value, *value) {
	return d.act(0, d.add(d.add(x, d.im.matmul(h, d.r)), d.rb)), nil
}

// lstm: gates for input, output, forgetting, and the new part of the cell.
func (d *recurrence) lstm(x, h, cell *value) (*value, *value) {
	s := d.add(d.add(x, d.im.matmul(h, d.r)), d.rb)
	times := func(x, y *value) *value { return d.im.elementwise("ewmul", x, y) }
	gate := func(i, peephole int, cell *value) *value {
		v := d.gate(s, i)
		if d.p != nil {
			v = d.add(v, times(cell, d.gate(d.p, peephole)))
		}
		return d.act(0, v)
	}
	in, forget := gate(0, 0, cell), gate(2, 2, cell)
	cell = d.add(times(forget, cell), times(in, d.act(1, d.gate(s, 3))))
	return times(gate(1, 1, cell), d.act(2, cell)), cell
}

// gru: gates for updating and resetting, and the new part of the hidden state.
func (d *recurrence) gru(x, h, _ *value) (*value, *value) {
	im := d.im
	bias := func(v *value, i int) *value {
		if d.rb == nil {
			return v
		}
		return d.add(v, d.gate(d.rb, i))
	}
	s := im.matmul(h, d.r)
	update := d.act(0, bias(d.add(d.gate(x, 0), d.gate(s, 0)), 0))
	reset := d.act(0, bias(d.add(d.gate(x, 1), d.gate(s, 1)), 1))
	var fresh *value
	if d.linear {
		fresh = im.do("ewmul", reset, bias(d.gate(s, 2), 2))
	} else {
		fresh = bias(im.matmul(im.do("ewmul", reset, h), d.gate(d.r, 2)), 2)
	}
	fresh = d.act(1, d.add(d.gate(x, 2), fresh))
	one := im.scalar(update, 1)
	return im.do("ewadd", im.do("ewmul", im.do("ewsub", one, update), fresh), im.do("ewmul", update, h)), nil
}
