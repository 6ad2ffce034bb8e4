package saturate

import (
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
)

// Options say what may be used and how long. Laws and Price are needed; the zero
// values of the others work.
type Options struct {
	// Laws that may be used, with distinct names. None may be a refuted one; that
	// they hold is not asked.
	Laws []*law.Law
	// Compiled, if not nil, compiles the laws, or has compiled them already.
	Compiled *rewrite.Cache
	// Price of applications.
	Price Price
	// Target says which elementwise operators go into the kernel of an operand; nil:
	// none does.
	Target *lower.Target
	// Nodes of one e-graph at which growth stops, and four more for each node of the
	// piece; 0 is DefaultNodes.
	Nodes int
	// Merging is the number of rounds in which laws of several roots are used; 0 is
	// DefaultMerging, less than 0 none.
	Merging int
	// Growth is the number of rounds, after all others, in which laws are used also
	// where more is run behind than in front; 0 is none.
	Growth int
	// Part is the number of nodes above which a part of the network is cut further;
	// 0 is DefaultPart, less than 0: the network is not cut.
	Part int
	// Passes over the network: the next cuts, and saturates, what the last one made;
	// 0 is DefaultPasses. It ends earlier where nothing changes.
	Passes int
	// Best is the number of alternatives kept of each part; 0 is 1.
	Best int
	// Score judges a part by more than a sum of prices, in the unit of these. With
	// it the best alternative by Score is taken; nil: by the sum.
	Score func(*graph.Graph) (int64, error)
	// Extract is how to extract; "": [extract.Auto]. [extract.MIP] ends when the program
	// from outside has solved its problems, or with the context.
	Extract extract.Method
	// ExtractSteps bounds the extraction from one e-graph; 0 is DefaultExtractSteps.
	ExtractSteps int64
}

// Defaults of Options.
const (
	DefaultNodes        = 1000
	DefaultMerging      = 8
	DefaultPart         = 80
	DefaultPasses       = 3
	DefaultExtractSteps = 1 << 19
)

func or(n, zero int) int {
	if n == 0 {
		return zero
	}
	return n
}

func (o *Options) nodes() int  { return or(o.Nodes, DefaultNodes) }
func (o *Options) best() int   { return max(o.Best, 1) }
func (o *Options) passes() int { return or(o.Passes, DefaultPasses) }
func (o *Options) extractSteps() int64 {
	if o.ExtractSteps == 0 {
		return DefaultExtractSteps
	}
	return o.ExtractSteps
}
func (o *Options) part() int {
	if o.Part < 0 {
		return int(^uint(0) >> 1)
	}
	return or(o.Part, DefaultPart)
}

// phases of the saturation of one piece.
func (o *Options) phases() []phase {
	const all = 1 << 17
	turns := [kinds]int{shrinks: all, orders: 64, grows: all}
	out := []phase{{turns: turns, rounds: 6}}
	if n := or(o.Merging, DefaultMerging); n > 0 {
		turns[merges] = all
		out = append(out, phase{turns: turns, rounds: n})
	}
	if o.Growth > 0 {
		turns = [kinds]int{shrinks: all, orders: 64, grows: 64, merges: all}
		out = append(out, phase{turns: turns, rounds: o.Growth, growth: true})
	}
	return out
}

// Stats say what a saturation did.
type Stats struct {
	Classes    int         // of all e-graphs
	Nodes      int         // live ones
	Iterations int         // rounds
	Stop       tensor.Stop // of the e-graph that stopped earliest
	Bytes      int64       // of the largest e-graph
	// Uses counts, by law, how often it changed an e-graph.
	Uses map[string]int
	// Parts of the network as it came, and the different ones among them.
	Parts, Pieces int
	// Before and After are the sums of prices, in picoseconds, of what was cut into
	// parts, as it came and as the last pass left it. First is what was extracted from
	// the e-graphs of the first pass, and Bound at most what anything costs that these
	// hold.
	Before, After, First, Bound int64
	Passes                      int
}

// measure adds what an e-graph became.
func (s *Stats) measure(g *tensor.Graph) {
	s.Classes, s.Nodes, s.Bytes = g.E().NumClasses(), g.E().Live(), g.Bytes()
	s.Uses = map[string]int{}
	g.EachInstance(func(l *law.Law, _ bool) { s.Uses[l.Name]++ })
}
