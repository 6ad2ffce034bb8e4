package audit

import (
	"fmt"
	"io"
	"math/rand"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Bounds of the example of [Shards].
const (
	exampleDraws = 200 // valuations looked at, of which the one with most elements is shown
	exampleCells = 16  // elements of its largest tensor
)

// Shards writes what both sides of a law compute on a small example, a tensor a line,
// and of one that is spread over a mesh a line for each member: what each device has.
// Nothing is written of a law that spreads nothing, or of which no example is found
// that both sides are defined on.
func Shards(w io.Writer, l *law.Law) error {
	if !laysOut(l) {
		return nil
	}
	p, err := instance.New(l)
	if err != nil {
		return err
	}
	in := example(p, l)
	if in == nil {
		return nil
	}
	inputs, next := make([][]interp.Q, len(in.Given)), int64(1)
	for i, sizes := range in.Given {
		for range graph.NumElements(sizes) {
			inputs[i] = append(inputs[i], interp.Q{Num: next, Den: 1})
			next++
		}
	}
	vals := instance.Run(in, interp.Rational{}, inputs)
	mesh := make([]int, len(p.Nodes)) // axes of the mesh in front
	for i, n := range p.Nodes {
		for _, a := range n.Args {
			mesh[i] = max(mesh[i], mesh[a])
		}
		if n.Term.Op != nil {
			switch layoutOf(n.Term) {
			case graph.LayoutMakes:
				mesh[i]++
			case graph.LayoutEnds:
				mesh[i] = max(mesh[i]-1, 0) // an input may be spread already
			}
		}
	}
	fmt.Fprintln(w, "for example")
	shown := make([]bool, len(p.Nodes))
	var show func(i int)
	show = func(i int) {
		if shown[i] {
			return
		}
		shown[i] = true
		for _, a := range p.Nodes[i].Args {
			show(a)
		}
		writeMembers(w, p.Nodes[i].Term.String(), in.Steps[i].Sizes, mesh[i], vals[i])
	}
	for side, name := range []string{"left side", "right side"} {
		fmt.Fprintf(w, "  %s\n", name)
		for _, o := range p.Out[side] {
			show(o)
		}
	}
	return nil
}

// example is the largest small instance of some on which both sides are defined; nil if
// there is none.
func example(p *instance.Program, l *law.Law) *instance.Instance {
	s := instance.NewSampler(l, instance.Scope{MaxSize: 4, MaxElements: exampleCells, Runs: []graph.Shape{{}}})
	rng := rand.New(rand.NewSource(1))
	var best *instance.Instance
	most := 0
	for range exampleDraws {
		v, ok := s.Sample(rng)
		if !ok {
			continue
		}
		given, ok, err := p.Given(v)
		if !ok || err != nil {
			continue
		}
		in, err := p.At(v, given)
		if err != nil {
			continue
		}
		if out, _ := in.Shapes(); out != instance.Equal {
			continue
		}
		cells := 0
		for _, st := range in.Steps {
			cells = max(cells, graph.NumElements(st.Sizes))
		}
		if cells > most && cells <= exampleCells && in.Compile(exampleCells) == nil {
			best, most = in, cells
		}
	}
	return best
}

// writeMembers writes a tensor with so many axes of a mesh in front.
func writeMembers(w io.Writer, term string, sizes []int, mesh int, vals []interp.Q) {
	list := func(qs []interp.Q) string {
		out := make([]string, len(qs))
		for i, q := range qs {
			switch q.Den {
			case 0:
				out[i] = "?" // no fraction
			case 1:
				out[i] = fmt.Sprint(q.Num)
			default:
				out[i] = fmt.Sprintf("%d/%d", q.Num, q.Den)
			}
		}
		return "[" + strings.Join(out, " ") + "]"
	}
	if mesh == 0 {
		fmt.Fprintf(w, "    %s : %v = %s\n", term, sizes, list(vals))
		return
	}
	fmt.Fprintf(w, "    %s, %v members : %v\n", term, sizes[:mesh], sizes[mesh:])
	n := graph.NumElements(sizes[mesh:])
	for i := range graph.NumElements(sizes[:mesh]) {
		fmt.Fprintf(w, "      member %v = %s\n", instance.Place(sizes[:mesh], i), list(vals[i*n:(i+1)*n]))
	}
}
