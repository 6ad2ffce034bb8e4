package audit

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/rules/tasopb"
)

// This file evaluates rules of TASO's operators on concrete tensors, straight
// from the file, without laws, types or proofs: what an audit says is held
// against it.

type num = interp.Tensor[uint64]

// cut is a tensor and where it was last joined along each axis, 0 for nowhere.
type cut struct {
	num
	seam []int
}

var errUndefined = errors.New("undefined")

// sideOf evaluates one side; the inputs are by id.
func sideOf(ops []tasopb.Operator, sem Semantics, same string, in map[int32]num, z fingerprint.Zp) ([][]cut, error) {
	out := make([][]cut, len(ops))
	for i := range ops {
		var args []cut
		for _, x := range ops[i].Inputs {
			if x.OpID < 0 {
				t := in[x.OpID]
				args = append(args, cut{t, make([]int, len(t.Sizes))})
			} else {
				args = append(args, out[x.OpID][x.TsID])
			}
		}
		var err error
		if out[i], err = applyPeer(&ops[i], sem, same, args, z); err != nil {
			return nil, fmt.Errorf("operator %d: %w", i, err)
		}
	}
	return out, nil
}

func applyPeer(o *tasopb.Operator, sem Semantics, same string, in []cut, z fingerprint.Zp) ([]cut, error) {
	get := func(k tasopb.ParamKey) int64 { v, _ := o.Param(k); return int64(v) }
	run := func(name string, attrs graph.Attrs, seam []int, args ...cut) ([]cut, error) {
		op, _ := graph.Lookup(name)
		var ts []num
		for _, a := range args {
			ts = append(ts, a.num)
		}
		rs, err := interp.Apply[uint64](z, op, attrs, ts)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUndefined, err)
		}
		var out []cut
		for _, r := range rs {
			out = append(out, cut{r, seam})
		}
		return out, nil
	}
	activate := func(out []cut, err error) ([]cut, error) {
		if err != nil || get(tasopb.ParamActi) == 0 {
			return out, err
		}
		return run(tasopb.Activation(get(tasopb.ParamActi)).String(), graph.Attrs{}, out[0].seam, out[0])
	}
	switch o.Type {
	case tasopb.OpRelu:
		return run("relu", graph.Attrs{}, in[0].seam, in[0])
	case tasopb.OpEwAdd, tasopb.OpEwMul:
		name := map[tasopb.OpType]string{tasopb.OpEwAdd: "ewadd", tasopb.OpEwMul: "ewmul"}[o.Type]
		a, b := in[0], in[1]
		if sem.Broadcast {
			var err error
			if a, b, err = spreadPair(a, b); err != nil {
				return nil, err
			}
		}
		// TASO's generator follows the first operand that was joined.
		seam := slices.Clone(a.seam)
		for i := range seam {
			if seam[i] == 0 && i < len(b.seam) {
				seam[i] = b.seam[i]
			}
		}
		return run(name, graph.Attrs{}, seam, a, b)
	case tasopb.OpMatmul:
		if len(in[0].Sizes) != 2 || len(in[1].Sizes) != 2 {
			return nil, errUndefined
		}
		return activate(run("matmul", graph.Attrs{}, []int{in[0].seam[0], in[1].seam[1]}, in[0], in[1]))
	case tasopb.OpConcat:
		axis := int(get(tasopb.ParamAxis))
		if len(in[0].Sizes) != int(get(tasopb.ParamNumDim)) {
			return nil, errUndefined
		}
		seam := slices.Clone(in[0].seam)
		seam[axis] = in[0].Sizes[axis]
		return run("concat", graph.Attrs{graph.IntValue(int64(axis))}, seam, in[0], in[1])
	case tasopb.OpSplit:
		axis := int(get(tasopb.ParamAxis))
		if axis >= len(in[0].seam) || in[0].seam[axis] == 0 {
			return nil, errUndefined
		}
		seam := slices.Clone(in[0].seam)
		seam[axis] = 0
		return run("split", graph.Attrs{graph.IntValue(int64(axis)), graph.IntValue(int64(in[0].seam[axis]))}, seam, in[0])
	case tasopb.OpConv2D:
		x, w := in[0], in[1]
		if len(x.Sizes) != 4 || len(w.Sizes) != 4 || x.Sizes[1]%w.Sizes[1] != 0 {
			return nil, errUndefined
		}
		if k, ok := o.Param(tasopb.ParamKernelH); ok && w.Sizes[2] != int(k) {
			return nil, errUndefined
		}
		if k, ok := o.Param(tasopb.ParamKernelW); ok && w.Sizes[3] != int(k) {
			return nil, errUndefined
		}
		groups := x.Sizes[1] / w.Sizes[1]
		if groups != 1 && !sem.Reading.Grouped {
			return nil, errUndefined
		}
		pad := graph.NameValue(same)
		if get(tasopb.ParamPad) == 1 {
			pad = graph.NameValue(graph.Valid)
		}
		conv, _ := graph.Lookup("conv2d")
		attrs := conv.MustAttr(map[string]graph.Value{"stride": graph.TupleValue(get(tasopb.ParamStrideH), get(tasopb.ParamStrideW)),
			"pad": pad, "groups": graph.IntValue(int64(groups))})
		return activate(run("conv2d", attrs, []int{x.seam[0], w.seam[0], 0, 0}, x, w))
	}
	return nil, fmt.Errorf("operator %s is not evaluated here", o.Type)
}

// spreadPair brings two tensors to one shape as ONNX does.
func spreadPair(a, b cut) (cut, cut, error) {
	rank := max(len(a.Sizes), len(b.Sizes))
	at := func(s []int, i int) int {
		if i += len(s) - rank; i >= 0 {
			return s[i]
		}
		return 1
	}
	sizes := make([]int, rank)
	for i := range sizes {
		x, y := at(a.Sizes, i), at(b.Sizes, i)
		if x != y && x != 1 && y != 1 {
			return a, b, errUndefined
		}
		sizes[i] = max(x, y)
	}
	spread := func(t cut) cut {
		out := cut{num{Sizes: sizes, Data: make([]uint64, graph.NumElements(sizes))}, make([]int, rank)}
		copy(out.seam[rank-len(t.seam):], t.seam)
		st := graph.Strides(t.Sizes)
		graph.Each(sizes, func(flat int, idx []int) {
			p := 0
			for i, n := range t.Sizes {
				if n > 1 {
					p += idx[rank-len(t.Sizes)+i] * st[i]
				}
			}
			out.Data[flat] = t.Data[p]
		})
		return out
	}
	return spread(a), spread(b), nil
}

// ids lists the inputs of both sides, in order.
func ids(r *tasopb.Rule) []int32 {
	var out []int32
	for _, ops := range [][]tasopb.Operator{r.SrcOps, r.DstOps} {
		for _, o := range ops {
			for _, x := range o.Inputs {
				if x.OpID < 0 && !slices.Contains(out, x.OpID) {
					out = append(out, x.OpID)
				}
			}
		}
	}
	return out
}

// What an audit calls proved, in a direction under a reading, holds on random
// small tensors of any shapes: where the source is defined so is the target,
// and they are equal.
func TestProvedHolds(t *testing.T) {
	f, rep := published(t, "taso_graph_subst.pb")
	rng := rand.New(rand.NewSource(5))
	tries, enough := sweep.Size(400, 2000), sweep.Size(3, 10)
	directions, idle, evaluated := 0, 0, 0
	for i, rule := range rep.Rules {
		r := f.Rules[i].TASO
		four := slices.ContainsFunc(append(slices.Clone(r.SrcOps), r.DstOps...), func(o tasopb.Operator) bool {
			n, _ := o.Param(tasopb.ParamNumDim)
			return o.Type == tasopb.OpConv2D || n == 4
		})
		kernel := map[int32]bool{}
		for _, o := range append(slices.Clone(r.SrcOps), r.DstOps...) {
			if o.Type == tasopb.OpConv2D && o.Inputs[1].OpID < 0 {
				kernel[o.Inputs[1].OpID] = true
			}
		}
		for _, g := range rule.Readings {
			sem, err := FindSemantics(g.Semantics)
			if err != nil {
				t.Fatal(err)
			}
			for k, w := range []Direction{g.Forward, g.Backward} {
				if w.Verdict != Proved {
					continue
				}
				directions++
				defined := 0
				for try := 0; try < tries && defined < enough; try++ {
					rank := 1 + rng.Intn(3)
					if four {
						rank = 4
					}
					in := map[int32]num{}
					for _, id := range ids(r) {
						n := rank
						if sem.Broadcast && rng.Intn(8) == 0 {
							n = 1 + rng.Intn(rank)
						}
						sizes := make([]int, n)
						for a := range sizes {
							sizes[a] = 1 + rng.Intn(2)
							if rng.Intn(6) == 0 {
								sizes[a] = 4
							}
							if four && a >= 2 && (id <= -10 && rng.Intn(4) > 0 || kernel[id]) {
								sizes[a] = 3
							}
						}
						in[id] = num{Sizes: sizes, Data: fingerprint.Random(rng.Uint64(), fmt.Sprint(id), graph.NumElements(sizes))}
					}
					same := sem.Reading.Same
					if same != graph.SameUpper && same != graph.SameLower {
						same = []string{graph.SameUpper, graph.SameLower}[rng.Intn(2)]
					}
					z := fingerprint.Zp{Key: uint64(try)}
					source, target := r.SrcOps, r.DstOps
					if k == 1 {
						source, target = target, source
					}
					from, err := sideOf(source, sem, same, in, z)
					if err != nil {
						if !errors.Is(err, errUndefined) {
							t.Fatalf("rule %d: %v", i, err)
						}
						continue
					}
					defined++
					evaluated++
					to, err := sideOf(target, sem, same, in, z)
					for _, m := range r.Mapped {
						x, y := m.SrcOpID, m.DstOpID
						xs, ys := m.SrcTsID, m.DstTsID
						if k == 1 {
							x, y, xs, ys = y, x, ys, xs
						}
						if err != nil || !slices.Equal(from[x][xs].Sizes, to[y][ys].Sizes) || !slices.Equal(from[x][xs].Data, to[y][ys].Data) {
							var shapes []string
							for _, id := range ids(r) {
								shapes = append(shapes, fmt.Sprint(id, in[id].Sizes))
							}
							t.Fatalf("rule %d, %s, direction %d is called proved and fails with %v: %v\n%s", i, sem.Name, k, shapes, err, rule.Source)
						}
					}
				}
				if defined == 0 {
					idle++
				}
			}
		}
	}
	t.Logf("%d directions that are called proved, %d evaluations; %d never defined in the shapes drawn", directions, evaluated, idle)
	if idle*5 > directions {
		t.Errorf("%d of %d directions are not tested: the shapes are badly drawn", idle, directions)
	}
}
