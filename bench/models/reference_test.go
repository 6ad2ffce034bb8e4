package models

import (
	"context"
	"math"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// numbers evaluates a network on given inputs; the numbers of its weights are by name.
func numbers(t testing.TB, n *Network, feed map[string][]float64) (out []interp.Tensor[float64], weights map[string][]float64) {
	t.Helper()
	weights = map[string][]float64{}
	var in []interp.Tensor[float64]
	for _, id := range n.Graph.Inputs() {
		name := n.Graph.Name(id)
		x := interp.Tensor[float64]{Sizes: n.Graph.Sizes(id.Out(0)), Data: feed[name]}
		if w := n.Weights[id]; w != nil {
			raw, err := w.Read()
			if err != nil {
				t.Fatal(err)
			}
			for ; len(raw) > 0; raw = raw[w.DType.Bytes():] {
				k, v := model.Element(w.DType, raw)
				x.Data = append(x.Data, float64(k)+v)
			}
			weights[name] = x.Data
		}
		in = append(in, x)
	}
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, n.Graph, in)
	if err != nil {
		t.Fatal(err)
	}
	return out, weights
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// The layer of experts is what GShard says, position by position: a position goes to two
// experts if they have room left, and gets what they say in the shares of their scores.
func TestMixture(t *testing.T) {
	const rows, group, experts, M, H = 8, 4, 3, 2, 3
	const room = 2 * group / experts // 2 places for 8/3 positions: some are left out
	n := newNet(1, 1, biased)
	x := n.input("x", rows, M)
	c := language{EncoderConfig: EncoderConfig{Batch: 2, Sequence: 4, Hidden: M, Inner: H}, experts: experts, group: group}
	net := n.finish(n.mixture(x, c))

	first, second := []int{0, 1, 0, 0, 2, 2, 1, 2}, []int{1, 0, 2, 1, 0, 1, 0, 1}
	feed := map[string][]float64{"choice": make([]float64, rows*experts), "dispatch": make([]float64, rows*experts*room)}
	for i := range rows * M {
		feed["x"] = append(feed["x"], math.Sin(float64(3*i+1)))
	}
	sent := map[[2]int]bool{} // a position, and an expert with room for it
	taken := map[[2]int]int{}
	for p := range rows {
		for e := range experts {
			if e != first[p] && e != second[p] {
				feed["choice"][p*experts+e] = -1000
				continue
			}
			if at := taken[[2]int{p / group, e}]; at < room {
				feed["dispatch"][(p*experts+e)*room+at] = 1
				sent[[2]int{p, e}] = true
			}
			taken[[2]int{p / group, e}]++
		}
	}
	out, w := numbers(t, net, feed)
	left := 0
	for p := range rows {
		score := func(e int) (s float64) {
			for m := range M {
				s += feed["x"][p*M+m] * w["gate_w"][m*experts+e]
			}
			return math.Exp(s)
		}
		total := score(first[p]) + score(second[p])
		for m := range M {
			want := 0.0
			for _, e := range []int{first[p], second[p]} {
				if !sent[[2]int{p, e}] {
					left++
					continue
				}
				for h := range H {
					inner := 0.0
					for k := range M {
						inner += feed["x"][p*M+k] * w["up_w"][(e*M+k)*H+h]
					}
					want += score(e) / total * max(inner, 0) * w["down_w"][(e*H+h)*M+m]
				}
			}
			near(t, "mixture", out[0].Data[p*M+m], want)
		}
	}
	if left == 0 {
		t.Error("every position found room")
	}
}

// Recurrent layers are LSTMs above each other, step by step.
func TestRecurrent(t *testing.T) {
	c := recurrent{samples: 2, layers: 2, steps: 3, vocabulary: 5, width: 4, hidden: 3, task: predict}
	tokens := []float64{1, 4, 0, 2, 2, 3}
	out, w := numbers(t, c.build(1), map[string][]float64{"source_text": tokens})
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for b := range c.samples {
		h, cell := make([][]float64, c.layers), make([][]float64, c.layers)
		for l := range h {
			h[l], cell[l] = make([]float64, c.hidden), make([]float64, c.hidden)
		}
		for step := range c.steps {
			word := int(tokens[b*c.steps+step])
			x := w["source_words"][word*c.width : (word+1)*c.width]
			for l := range h {
				p := []string{"source_lstm0_", "source_lstm1_"}[l]
				gates := make([]float64, 4*c.hidden)
				for g := range gates {
					gates[g] = w[p+"b"][g]
					for i, v := range x {
						gates[g] += v * w[p+"wx"][i*len(gates)+g]
					}
					for i, v := range h[l] {
						gates[g] += v * w[p+"wh"][i*len(gates)+g]
					}
				}
				next := make([]float64, c.hidden)
				for i := range next {
					in, forget, value, open := gates[i], gates[c.hidden+i], gates[2*c.hidden+i], gates[3*c.hidden+i]
					cell[l][i] = sigmoid(forget)*cell[l][i] + sigmoid(in)*math.Tanh(value)
					next[i] = sigmoid(open) * math.Tanh(cell[l][i])
				}
				h[l], x = next, next
			}
			for v := range c.vocabulary {
				want := w["word_b"][v]
				for i, s := range x {
					want += s * w["word_w"][i*c.vocabulary+v]
				}
				near(t, "score", out[0].Data[(b*c.steps+step)*c.vocabulary+v], want)
			}
		}
	}
}
