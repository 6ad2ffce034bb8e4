package tasowalk

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// TASOWalkOps is the depth of TASO's public enumerator.
const TASOWalkOps = 3

// TASOVisits counts the graphs that TASO visits; see doc.go.
type TASOVisits struct {
	Ops     int      `json:"ops"`
	Visits  uint64   `json:"visits"`   // graph_guid at the end of TASO's run
	ByDepth []uint64 `json:"by_depth"` // visits of 0, 1, .. operators
	// Ordered[k] is the number of visits of graphs that are visited in k
	// orders of their operators, k from 1 to Ops factorial.
	Ordered []uint64 `json:"ordered"`
	// Unordered is the number of different graphs over named inputs.
	Unordered uint64 `json:"unordered"`
	// Distinct is the number of different graphs up to the names of inputs of
	// equal shape and the operands of commutative operators.
	Distinct uint64 `json:"distinct"`
}

// TASOWalk replays TASO's walk of up to ops operators (at most [TASOWalkOps])
// and counts. Tensors have TASO's own values: 32-bit integers that wrap, from
// the C library's random numbers, with sums for average pools, maxima from 0,
// x(x+1)+1 for relu. The tensors of a last operator are computed only as far as
// it takes to tell them from those that are there.
func TASOWalk(ctx context.Context, ops int) (*TASOVisits, error) {
	if ops < 0 || ops > TASOWalkOps {
		return nil, fmt.Errorf("TASO's walk over %d operators: want 0 to %d", ops, TASOWalkOps)
	}
	parts := make([]*tasoWalk, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range parts {
		parts[i] = newTASOWalk(ops, i, len(parts))
		wg.Add(1)
		go func() {
			defer wg.Done()
			parts[i].walk(ctx, 0)
		}()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("TASO's walk: %w", err)
	}
	v := &TASOVisits{Ops: ops, ByDepth: make([]uint64, ops+1), Ordered: make([]uint64, tasoOrders+1)}
	seen := map[uint64]struct{}{}
	for _, w := range parts {
		for i, n := range w.byDepth {
			v.ByDepth[i] += n
			v.Visits += n
		}
		for k, n := range w.ordered {
			v.Ordered[k] += n
		}
		for g := range w.seen {
			seen[g] = struct{}{}
		}
	}
	v.Distinct = uint64(len(seen))
	for k := 1; k <= tasoOrders; k++ {
		v.Unordered += v.Ordered[k] / uint64(k)
	}
	return v, nil
}

// tasoNode is a tensor of a walk: an input or an output of one of its operators.
type tasoNode struct {
	tasoTensor
	ref int8 // an input's number, or tasoOut(operator, output)
}

// tasoStep is an operator of a walk with the refs of its operands, -1 if none.
type tasoStep struct {
	op   int8
	a, b int8
}

const (
	tasoInputs = 20
	tasoOrders = 6 // of TASOWalkOps operators
)

func tasoOut(op, output int) int8 { return int8(tasoInputs + 2*op + output) }

// tasoProducer is the operator of a walk that yields ref, -1 for an input.
func tasoProducer(ref int8) int {
	if ref < tasoInputs {
		return -1
	}
	return int(ref-tasoInputs) / 2
}

// tasoWalk visits the sequences whose first operator, counted, is part modulo
// parts; the empty one belongs to part 0.
type tasoWalk struct {
	depth   int
	part    int
	parts   int
	firsts  int
	machine *tasoMachine
	nodes   []tasoNode
	steps   []tasoStep
	byDepth []uint64
	ordered []uint64
	orders  [][TASOWalkOps]int8 // of the present sequence
	seen    map[uint64]struct{}
}

func newTASOWalk(depth, part, parts int) *tasoWalk {
	w := &tasoWalk{depth: depth, part: part, parts: parts, machine: newTASOMachine(), byDepth: make([]uint64, depth+1),
		ordered: make([]uint64, tasoOrders+1), seen: map[uint64]struct{}{}}
	for i, x := range w.machine.inputs() {
		w.nodes = append(w.nodes, tasoNode{x, int8(i)})
	}
	return w
}

// walk visits the present sequence, whose tensors differ, and its extensions.
func (w *tasoWalk) walk(ctx context.Context, at int) {
	if at > 0 || w.part == 0 {
		w.visit()
	}
	if at == w.depth || ctx.Err() != nil {
		return
	}
	n := len(w.nodes)
	for op := range tasoOps {
		o := &tasoOps[op]
		switch {
		case o.constant:
			w.apply(ctx, at, op, -1, -1)
		case o.unary:
			for j := 0; j < n; j++ {
				if o.inputsOnly && w.nodes[j].ref >= tasoInputs {
					continue
				}
				w.apply(ctx, at, op, j, -1)
			}
		default:
			for j := 0; j < n; j++ {
				if o.kind == tasoConv && w.nodes[j].ref < tasoInputs && tasoShapes[w.nodes[j].ref].weight {
					continue
				}
				from := 0
				if o.rising {
					from = j + 1
				}
				for k := from; k < n; k++ {
					if j == k && o.kind == tasoScale {
						continue
					}
					w.apply(ctx, at, op, j, k)
				}
			}
		}
	}
}

// apply extends the sequence by operator op of nodes j and k, if it accepts
// them and yields only new tensors.
func (w *tasoWalk) apply(ctx context.Context, at, op, j, k int) {
	var a, b *tasoTensor
	step := tasoStep{int8(op), -1, -1}
	if j >= 0 {
		a, step.a = &w.nodes[j].tasoTensor, w.nodes[j].ref
	}
	if k >= 0 {
		b, step.b = &w.nodes[k].tasoTensor, w.nodes[k].ref
	}
	outs := w.machine.layoutsOf(op, a, b)
	if len(outs) == 0 {
		return
	}
	if at == 0 {
		w.firsts++
		if w.firsts%w.parts != w.part {
			return
		}
	}
	// Tensors of a walk differ, so only one and the same is equal to itself.
	if j == k && tasoOps[op].kind == tasoMatmul {
		return
	}
	n := len(w.nodes)
	for i, l := range outs {
		e := tasoExpr{op: op, out: i, layout: l, a: a, b: b}
		x := tasoTensor{layout: l}
		if at+1 < w.depth {
			x.data = w.machine.evaluate(&e)
		}
		head, known := int32(0), false
		for m := range w.nodes {
			y := &w.nodes[m].tasoTensor
			if y.layout != l {
				continue
			}
			if !known {
				head, known = w.machine.element(&e, 0), true
			}
			if y.data[0] == head && w.machine.equal(&e, &x, y) {
				w.nodes = w.nodes[:n]
				return
			}
		}
		if x.data == nil && i+1 < len(outs) {
			x.data = w.machine.evaluate(&e) // for the comparison with the next output
		}
		w.nodes = append(w.nodes, tasoNode{x, tasoOut(at, i)})
	}
	w.steps = append(w.steps, step)
	w.walk(ctx, at+1)
	w.steps = w.steps[:len(w.steps)-1]
	w.nodes = w.nodes[:n]
}

// visit counts the present sequence.
func (w *tasoWalk) visit() {
	w.byDepth[len(w.steps)]++
	w.orders = w.orders[:0]
	perm := [TASOWalkOps]int8{}
	w.permute(0, 0, &perm)
	w.ordered[len(w.orders)]++
	// Each order of a graph is visited; the graph is named in one with the least operators.
	ops := w.operators(&w.orders[0])
	for i := range w.orders {
		if w.operators(&w.orders[i]) < ops {
			return
		}
	}
	least := ^uint64(0)
	for i := range w.orders {
		if w.operators(&w.orders[i]) == ops {
			least = w.encode(&w.orders[i], ops, least)
		}
	}
	w.seen[least] = struct{}{}
}

// operators writes the operators in the order perm.
func (w *tasoWalk) operators(perm *[TASOWalkOps]int8) uint64 {
	ops := uint64(1)
	for i := range w.steps {
		ops = ops<<5 | uint64(w.steps[perm[i]].op)
	}
	return ops
}

// permute collects the orders of the steps, the present one first. An order is one of TASO's if
// operands come before their use and the operands of operators that take them
// in rising order only, and that are not commutative, stay in that order.
func (w *tasoWalk) permute(at int, used uint8, perm *[TASOWalkOps]int8) {
	if at == len(w.steps) {
		w.orders = append(w.orders, *perm)
		return
	}
next:
	for i, s := range w.steps {
		if used>>i&1 != 0 {
			continue
		}
		pa, pb := tasoProducer(s.a), tasoProducer(s.b)
		for _, p := range [2]int{pa, pb} {
			if p >= 0 && used>>p&1 == 0 {
				continue next
			}
		}
		perm[at] = int8(i)
		if tasoOps[s.op].kind == tasoConcat && pa >= 0 && pb >= 0 && pa != pb && place(perm, at, pa) > place(perm, at, pb) {
			continue
		}
		w.permute(at+1, used|1<<i, perm)
	}
}

func place(perm *[TASOWalkOps]int8, n, step int) int {
	for i := range n {
		if int(perm[i]) == step {
			return i
		}
	}
	return -1
}

// encode writes the sequence in the order perm, its operators ops first, with its
// inputs numbered, among those of their shape, by first use: the least of bound
// and such numbers over the orders of commutative operands.
func (w *tasoWalk) encode(perm *[TASOWalkOps]int8, ops, bound uint64) uint64 {
	n, swaps := len(w.steps), 0
	var where [TASOWalkOps]int8
	for i := range n {
		where[perm[i]] = int8(i)
		if tasoOps[w.steps[perm[i]].op].commutes {
			swaps |= 1 << i
		}
	}
	for flip := 0; flip <= swaps; flip++ {
		if flip&^swaps != 0 {
			continue
		}
		var name, next [tasoInputs]int8
		key := ops
		for i := 0; i < n; i++ {
			s := &w.steps[perm[i]]
			args := [2]int8{s.a, s.b}
			if flip>>i&1 != 0 {
				args = [2]int8{s.b, s.a}
			}
			for _, r := range args {
				c := uint64(31)
				switch {
				case r >= tasoInputs:
					c = uint64(tasoOut(int(where[tasoProducer(r)]), int(r-tasoInputs)&1))
				case r >= 0:
					first := tasoShapes[r].first
					if name[r] == 0 {
						next[first]++
						name[r] = int8(first) + next[first]
					}
					c = uint64(name[r] - 1)
				}
				key = key<<5 | c
			}
		}
		bound = min(bound, key)
	}
	return bound
}
