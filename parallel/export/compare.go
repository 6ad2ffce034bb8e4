package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/plan"
)

// Tolerance is how far numbers may differ, relative to the largest of a tensor.
const Tolerance = 1e-5

// Comparison is a plan beside what its program computes, and what XLA made of it.
type Comparison struct {
	JAX        string  `json:"jax"` // its version
	Devices    int     `json:"devices"`
	Loss       float64 `json:"loss"`       // of the step on the mesh
	Sequential float64 `json:"sequential"` // of the sequential step
	// Outputs are the differences of all outputs, and Worst is the largest.
	Outputs []Difference `json:"outputs"`
	Worst   float64      `json:"worst"`
	// Lines are what is sent, by kind and bytes.
	Lines []Line `json:"lines"`
	// Named are the sends that XLA, or a program of each device, says otherwise, with why.
	Named []string `json:"named,omitempty"`
	// Wrong is what differs and should not.
	Wrong []string `json:"wrong,omitempty"`
}

// Difference is that of an output on the mesh from the sequential one.
type Difference struct {
	Name string `json:"name"`
	// Relative is the largest difference to the largest element of the sequential one.
	Relative float64 `json:"relative"`
	// Update is the same relative to the largest change of a weight in the step, in which
	// the rounding of the weight counts; 0 where the output takes the place of no input.
	Update float64 `json:"update,omitempty"`
	Finite bool    `json:"finite"`
}

// Line counts what is sent of a kind and size.
type Line struct {
	Kind    string `json:"kind"`
	Devices int    `json:"devices"` // of a group
	Bytes   int64  `json:"bytes"`   // that each has before
	Charged int    `json:"charged"` // in the plan's price
	Plan    int    `json:"plan"`    // in the program
	XLA     int    `json:"xla"`     // as parts of XLA's collectives
}

// Equal reports whether the plan does what it says: numbers within [Tolerance], and
// collectives equal but for what is named.
func (c *Comparison) Equal() bool { return len(c.Wrong) == 0 }

// Text is the comparison as a table for people, and Named and Wrong below it.
func (c *Comparison) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "JAX %s, %d virtual devices: loss %.7g, sequential %.7g; largest difference of %d outputs %.1e\n\n",
		c.JAX, c.Devices, c.Loss, c.Sequential, len(c.Outputs), c.Worst)
	fmt.Fprintf(&b, "%-18s %7s %12s %8s %8s %8s\n", "collective", "devices", "bytes", "charged", "plan", "XLA")
	for _, l := range c.Lines {
		fmt.Fprintf(&b, "%-18s %7d %12d %8d %8d %8d\n", l.Kind, l.Devices, l.Bytes, l.Charged, l.Plan, l.XLA)
	}
	for _, s := range c.Named {
		fmt.Fprintf(&b, "named: %s\n", s)
	}
	for _, s := range c.Wrong {
		fmt.Fprintf(&b, "WRONG: %s\n", s)
	}
	return b.String()
}

// report is what a program says of itself.
type report struct {
	JAX         string       `json:"jax"`
	Devices     int          `json:"devices"`
	Loss        float64      `json:"loss"`
	Sequential  float64      `json:"sequential"`
	Outputs     []Difference `json:"outputs"`
	Collectives []compiled   `json:"collectives"`
}

// compiled is a collective of XLA.
type compiled struct {
	Kind    string   `json:"kind"`
	Sends   []string `json:"sends"`
	Type    string   `json:"type"`
	Bytes   []int64  `json:"bytes"`
	Devices int      `json:"devices"`
	Times   int      `json:"times"`
}

// Runner runs a Python program with JAX, and gives what it writes: a jax.Runtime in a process
// for each, a jax.Process in one for all, which has at least as many virtual devices.
type Runner interface {
	Run(ctx context.Context, program string, args ...string) ([]byte, error)
}

// Compare writes a plan's program, runs it, and compares numbers and collectives. The
// error is that of running it; what differs is in the comparison.
func Compare(ctx context.Context, rt Runner, p *plan.Plan) (*Comparison, error) {
	s, err := newSPMD(p)
	if err != nil {
		return nil, fmt.Errorf("compare with JAX: %w", err)
	}
	text, err := newWriter(p, s).program()
	if err != nil {
		return nil, fmt.Errorf("compare with JAX: %w", err)
	}
	r, err := check(ctx, rt, string(text))
	if err != nil {
		return nil, err
	}
	c := &Comparison{JAX: r.JAX, Devices: r.Devices, Loss: r.Loss, Sequential: r.Sequential, Outputs: r.Outputs}
	if off := c.numbers(); len(off) > 0 {
		d, err := check(ctx, rt, string(text), "--double")
		if err != nil {
			return nil, err
		}
		c.double(off, d.Outputs)
	}
	c.sends(s.list, c.charged(p, s), r.Collectives)
	c.residents(p, s)
	return c, nil
}

func (c *Comparison) wrong(format string, args ...any) {
	c.Wrong = append(c.Wrong, fmt.Sprintf(format, args...))
}

func (c *Comparison) named(format string, args ...any) {
	c.Named = append(c.Named, fmt.Sprintf(format, args...))
}

// check runs a program's comparison with its sequential step.
func check(ctx context.Context, rt Runner, text string, more ...string) (*report, error) {
	out, err := rt.Run(ctx, text, append([]string{"--check"}, more...)...)
	if err != nil {
		return nil, fmt.Errorf("compare with JAX: %w", err)
	}
	r := &report{}
	if err := json.Unmarshal(out, r); err != nil {
		return nil, fmt.Errorf("compare with JAX: read the report: %w", err)
	}
	return r, nil
}

// numbers lists the outputs that differ by more than [Tolerance].
func (c *Comparison) numbers() (off []int) {
	for i, d := range c.Outputs {
		c.Worst = max(c.Worst, d.Relative)
		switch {
		case !d.Finite:
			c.wrong("output %s: not all elements are finite", d.Name)
		case !(d.Relative <= Tolerance):
			off = append(off, i)
		}
	}
	return off
}

// double looks at outputs that differ once more, in float64: what does not differ there
// by a hundred-thousandth of [Tolerance] did by rounding, which an optimizer may enlarge
// without bound (Adam divides a derivative by its size).
func (c *Comparison) double(off []int, double []Difference) {
	for _, i := range off {
		d := c.Outputs[i]
		if i < len(double) && double[i].Finite && double[i].Relative <= 1e-5*Tolerance && double[i].Update <= Tolerance {
			c.named("output %s: differs by %.1e of its largest element by rounding: in float64 by %.1e", d.Name, d.Relative, double[i].Relative)
			continue
		}
		c.wrong("output %s: differs by %.1e of its largest element", d.Name, d.Relative)
	}
}

// residents names what lies otherwise behind the step than before it.
func (c *Comparison) residents(p *plan.Plan, s *spmd) {
	of := p.Training.Graph
	for _, i := range slices.Sorted(maps.Keys(s.next)) {
		in := of.Inputs()[s.next[i]]
		if a, b := s.ins[s.next[i]], s.outs[i]; !a.equal(b) {
			c.named("%s lies as %s before the step and as %s behind it: moved between steps", of.Name(in), a.text(), b.text())
		}
	}
}

// key is a kind of collective with its size.
type key struct {
	kind    string
	devices int
	bytes   int64
}

// sends compares the program's collectives with XLA's, by the names of sends.
func (c *Comparison) sends(list []Send, charged map[string]int, got []compiled) {
	lines := map[key]*Line{}
	line := func(k key) *Line {
		if lines[k] == nil {
			lines[k] = &Line{Kind: k.kind, Devices: k.devices, Bytes: k.bytes}
		}
		return lines[k]
	}
	left := map[string]map[Message]int{} // of each send, what is not yet found
	devices := map[string]int{}
	for _, s := range list {
		left[s.Name], devices[s.Name] = map[Message]int{}, s.Devices
		for _, m := range s.As {
			left[s.Name][m] += s.Times
			l := line(key{m.Kind, s.Devices, m.Bytes})
			l.Plan += s.Times
			l.Charged += charged[s.Name]
		}
		if s.Why != "" {
			c.named("%s: %s is said as %s of %d bytes: %s", s.Name, strings.Join(s.Nodes, "+"), s.As[0].Kind, s.As[0].Bytes, s.Why)
		}
	}
	for _, x := range got {
		var found []string
		for _, b := range x.Bytes {
			k := key{x.Kind, x.Devices, b}
			if x.Kind == "collective-permute" {
				for _, n := range x.Sends {
					k.devices = devices[n]
				}
			}
			line(k).XLA += x.Times
			name, decomposed := take(left, x, b)
			switch {
			case name == "" || devices[name] != k.devices:
				c.wrong("XLA sends %s of %d bytes among %d devices (%s), which is not in the plan", x.Kind, b, x.Devices, strings.Join(x.Sends, ", "))
			case decomposed != "":
				c.named("%s: XLA has made %s and a slice of a %s of %d bytes", name, x.Kind, decomposed, b)
			default:
				found = append(found, name)
			}
		}
		if len(found) > 1 {
			c.named("XLA has combined %d %s into one: %s", len(found), x.Kind, strings.Join(found, ", "))
		}
	}
	for _, s := range list {
		for _, m := range slices.Compact(slices.Clone(s.As)) {
			n := left[s.Name][m]
			switch twin := same(list, left, s, m); {
			case n == 0:
			case n < 0:
				c.wrong("%s: XLA sends %s of %d bytes %d times too often (%s)", s.Name, m.Kind, m.Bytes, -n, strings.Join(s.Nodes, "+"))
			case n == s.Times-1:
				c.named("%s: XLA sends %s of %d bytes once and not in each of %d micro-batches", s.Name, m.Kind, m.Bytes, s.Times)
			case s.constant && n == s.Times:
				c.named("%s: XLA has folded a %s of %d bytes, of what depends on no input (%s)", s.Name, m.Kind, m.Bytes, strings.Join(s.Nodes, "+"))
			case twin != "" && n == s.Times:
				c.named("%s: XLA has removed a %s of %d bytes, of the same as %s", s.Name, m.Kind, m.Bytes, twin)
			default:
				c.wrong("%s: XLA does not send %s of %d bytes (%s), %d times", s.Name, m.Kind, m.Bytes, strings.Join(s.Nodes, "+"), n)
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(lines), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.devices, b.devices), cmp.Compare(a.bytes, b.bytes))
	}) {
		c.Lines = append(c.Lines, *lines[k])
	}
}

// take finds the send of a part of a collective among its names, and crosses it off.
// decomposed is the send's kind where XLA says it as an all-reduce of which it keeps a part.
func take(left map[string]map[Message]int, x compiled, bytes int64) (name, decomposed string) {
	for _, as := range []string{x.Kind, "reduce-scatter"} {
		if as != x.Kind && x.Kind != "all-reduce" {
			continue
		}
		m := Message{as, bytes}
		for _, n := range x.Sends {
			if left[n][m] > 0 {
				left[n][m] -= x.Times
				if as != x.Kind {
					decomposed = as
				}
				return n, decomposed
			}
		}
	}
	return "", ""
}

// same is another send of the same tensor, kind, size and mesh axis that XLA kept: of two XLA
// keeps one.
func same(list []Send, left map[string]map[Message]int, s Send, m Message) string {
	for _, t := range list {
		if t.Name != s.Name && t.Axis == s.Axis && t.of == s.of && slices.Contains(t.As, m) && left[t.Name][m] == 0 {
			return t.Name
		}
	}
	return ""
}

// sent is a collective of the plan.
type sent struct {
	kind    parallel.Kind
	devices int
	bytes   int64
}

// charged compares sends with the collectives that the simulator charges, and says by send
// how often that is.
func (c *Comparison) charged(p *plan.Plan, s *spmd) map[string]int {
	charged := map[string]int{}
	plain, err := p.With(nil)
	if v := p.Saving; v != nil && err == nil {
		c.named("%d results are made again for the backward pass by the plan and %d put aside: the program does neither, and sends them once", len(v.Again), len(v.Away))
	}
	var list []plan.Sent
	if err == nil {
		list, err = plain.Sent()
	}
	if err != nil {
		c.wrong("what is charged is not known: %v", err)
		return charged
	}
	count, nodes := map[sent]int{}, map[sent][]string{}
	for _, x := range list {
		k := sent{x.Kind, p.Mesh.Degrees[x.Axis], x.Bytes}
		count[k]++
		if name := s.g.Name(x.Node); !slices.Contains(nodes[k], name) {
			nodes[k] = append(nodes[k], name)
		}
	}
	for _, x := range s.list {
		k := sent{x.Kind, x.Devices, x.Bytes}
		n := min(count[k], x.Times)
		count[k] -= n
		charged[x.Name] = n
		what := fmt.Sprintf("%s: %s (%s of %d bytes)", x.Name, strings.Join(x.Nodes, "+"), x.Kind, x.Bytes)
		switch {
		case n == x.Times:
		case x.out:
			c.named("%s puts an output together, for which a plan is not charged", what)
		default:
			c.wrong("%s is sent %d times, charged %d times", what, x.Times, n)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(count), func(a, b sent) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.devices, b.devices), cmp.Compare(a.bytes, b.bytes))
	}) {
		switch n := count[k]; {
		case n == 0:
		case k.kind == parallel.Scatter || k.kind == parallel.Broadcast:
			c.named("%d %s of %d bytes (%s) is charged and not sent: in a program of each device all have it", n, k.kind, k.bytes, strings.Join(nodes[k], ", "))
		default:
			c.wrong("%d %s of %d bytes among %d devices is charged and not sent (%s)", n, k.kind, k.bytes, k.devices, strings.Join(nodes[k], ", "))
		}
	}
	return charged
}
