package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel"
)

// Memory is what a device needs in a step that is done in the order of the graph, in bytes,
// one micro-batch after the other.
// All numbers are modelled: each tensor takes the bytes of its member from the start of the
// operator or collective that makes it to the end of the last one that reads it, views
// take nothing, outputs stay, and what becomes a weight is written over it if nobody
// reads the weight afterwards. Fragmentation and the workspace of kernels are not counted.
type Memory struct {
	// Weights is what weights and state take, as they are resident, Inputs the other inputs.
	// Both are there for the whole step.
	Weights int64 `json:"weights"`
	Inputs  int64 `json:"inputs"`
	// Peak is the most that is taken at once, Weights and Inputs with it, on the device that
	// needs most; At is the node at which, the first.
	Peak int64  `json:"peak"`
	At   string `json:"at"`
	// Alive is what is taken then, the largest first.
	Alive []Alive `json:"alive"`
	// Host is the most that is at the host for a device at once, Again how many results are made again
	// and Away how many are put aside ([Saving]).
	Host  int64 `json:"host,omitempty"`
	Again int   `json:"again,omitempty"`
	Away  int   `json:"away,omitempty"`
}

// Alive is a result that is kept, or an input.
type Alive struct {
	Node  string `json:"node"`
	Bytes int64  `json:"bytes"`
	// What it is: weight, input, activation (of the forward part), gradient, update, or the name of
	// the collective that made it.
	What string `json:"what"`
}

// Memory is that of the worst device of a plan. Without stages that is the first one: it has a member of each
// tensor, and all members of a tensor are equally large.
func (p *Plan) Memory() (*Memory, error) {
	if p.Pipeline != nil {
		return p.stagesMemory(), nil
	}
	prog, err := p.program()
	if err != nil {
		return nil, err
	}
	m := prog.memory(p)
	if s := p.Saving; s != nil {
		m.Host, m.Again, m.Away = prog.beside(), len(s.Again), len(s.Away)
	}
	return m, nil
}

func (p *program) memory(of *Plan) *Memory {
	g := of.Laying.Graph()
	m := &Memory{Weights: p.weights, Inputs: p.inputs}
	last := p.lives()
	at, peak := p.peak(last)
	m.Peak = peak
	for _, l := range p.lie {
		what := "input"
		if l.weight {
			what = "weight"
		}
		m.Alive = append(m.Alive, Alive{g.Name(l.node), l.bytes, what})
	}
	if at >= 0 {
		m.At = g.Name(p.slots[at].node)
	}
	// Of what slots without time between made or read the last.
	for i, s := range p.slots {
		if i > at {
			break
		}
		if s.output > 0 && last[i] >= at {
			m.Alive = append(m.Alive, Alive{g.Name(s.node), s.output, s.what()})
		}
	}
	slices.SortStableFunc(m.Alive, func(a, b Alive) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	return m
}

// what a result is.
func (s *slot) what() string {
	switch {
	case s.kind != parallel.None:
		return s.kind.String()
	case s.host != here:
		return "fetched"
	case s.class == "forward":
		return "activation"
	case s.class == "backward":
		return "gradient"
	}
	return s.class
}

// MemoryError says that a plan needs more memory than a device has.
type MemoryError struct {
	// Need is the peak of the plan and Have what there is, in bytes.
	Need, Have int64
	// At is the node at which the peak is.
	At string
	// Lies is what weights, state and inputs take of it, which is there whatever is done, and Least the
	// least that was found with results that are made again or put aside ([Saving]); 0: nothing
	// was tried.
	Lies, Least int64
}

// Over is by how many bytes the plan misses.
func (e *MemoryError) Over() int64 { return e.Need - e.Have }

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("a device needs %d bytes at node %s, %d more than the %d it has", e.Need, e.At, e.Over(), e.Have)
	if e.Lies > 0 {
		text += fmt.Sprintf("; weights, state and inputs are %d of them", e.Lies)
	}
	if e.Least > 0 {
		text += fmt.Sprintf(", and with recomputation and offloading it still needs %d", e.Least)
	}
	return text
}

// IsNone reports whether an error says that there is no plan of a kind, or none that fits:
// no failure of a search among several.
func IsNone(err error) bool {
	var over *MemoryError
	return errors.Is(err, ErrMeans) || errors.Is(err, errLinks) || errors.As(err, &over)
}

// closer is which of two errors says more about how to make a plan fit: that of the one that
// misses by less, else the first.
func closer(a, b error) error {
	var x, y *MemoryError
	if a == nil || errors.As(b, &y) && (!errors.As(a, &x) || y.least() < x.least()) {
		return b
	}
	return a
}

// least is the least that a plan was found to need.
func (e *MemoryError) least() int64 {
	if e.Least > 0 {
		return e.Least
	}
	return e.Need
}
