package spread

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// Laws of broadcast at given ranks.
//
// "broadcast[shape=[P.., n, S..]](X), X : [P.., 1, S..]" does not say where P
// ends: in an e-graph such a law has to guess, and is then used on the goal's
// own terms only. A goal over shapes without runs needs it at a few ranks; at
// each, P and S are some axes each, in a few ways, and nothing is left to guess.

// rankedSession is a session whose goals mention broadcast and no axis runs.
type rankedSession struct {
	*verify.Session
	general []*law.Law        // those that guess
	ranks   map[int]bool      // for which they are there
	ranked  map[string]ranked // by the name of the instance
}

// ranked says what a law at a rank is an instance of.
type ranked struct {
	law  string
	runs map[string][]string // the size variables that stand for a run
}

func newRankedSession(laws []*law.Law) (*rankedSession, error) {
	s := &rankedSession{ranks: map[int]bool{}, ranked: map[string]ranked{}}
	var rest []*law.Law
	for _, l := range laws {
		if mentionsBroadcast(l) && len(runsOf(l)) > 1 {
			s.general = append(s.general, l)
		} else {
			rest = append(rest, l)
		}
	}
	var err error
	s.Session, err = verify.NewSession(nil, rest...)
	return s, err
}

// Prove is Session.Prove with the laws of broadcast at the goal's ranks; the
// instances of a proof are those of the laws given.
func (s *rankedSession) Prove(ctx context.Context, goal *law.Law) (verify.Verdict, error) {
	for _, r := range ranksOf(goal) {
		if s.ranks[r] {
			continue
		}
		s.ranks[r] = true
		for _, l := range s.general {
			if err := s.addAt(l, r); err != nil {
				return verify.Verdict{}, err
			}
		}
	}
	v, err := s.Session.Prove(ctx, goal)
	if err != nil || v.Proof == nil {
		return v, err
	}
	p := &law.Proof{}
	for _, in := range v.Proof.Instances {
		p.Instances = append(p.Instances, s.generalize(in))
	}
	v.Proof = p
	return v, nil
}

// addAt adds a law for each way in which its broadcasts are of a rank.
func (s *rankedSession) addAt(l *law.Law, rank int) error {
	runs := runsOf(l)
	single := 0 // axes that are not of runs
	for _, it := range broadcastShape(l) {
		if it.AxisRun == "" {
			single++
		}
	}
	lens := make([]int, len(runs))
	var rec func(i, left int) error
	rec = func(i, left int) error {
		if i < len(runs)-1 {
			for n := 0; n <= left; n++ {
				lens[i] = n
				if err := rec(i+1, left-n); err != nil {
					return err
				}
			}
			return nil
		}
		lens[i] = left
		b := &graph.Substitution{Runs: map[string]graph.Shape{}}
		r := ranked{l.Name, map[string][]string{}}
		for k, run := range runs {
			b.Runs[run] = graph.Shape{}
			r.runs[run] = []string{}
			for j := 0; j < lens[k]; j++ {
				name := fmt.Sprintf("%s@%d", run, j)
				r.runs[run] = append(r.runs[run], name)
				b.Runs[run] = append(b.Runs[run], graph.Axis(graph.Var(name)))
			}
		}
		at := l.Subst(b)
		at.Name = fmt.Sprintf("%s%v", l.Name, lens)
		s.ranked[at.Name] = r
		return s.Add(at)
	}
	if rank < single {
		return nil
	}
	return rec(0, rank-single)
}

// generalize is the instance of the law that an instance at a rank stands for.
func (s *rankedSession) generalize(in law.Instance) law.Instance {
	r, ok := s.ranked[in.Law]
	if !ok {
		return in
	}
	in.Law = r.law
	in.Dims, in.Runs = maps.Clone(in.Dims), map[string]graph.Shape{}
	for run, names := range r.runs {
		in.Runs[run] = graph.Shape{}
		for _, n := range names {
			in.Runs[run] = append(in.Runs[run], graph.Axis(in.Dims[n]))
			delete(in.Dims, n)
		}
	}
	return in
}

// eachBroadcast calls f for the shapes to which a law broadcasts.
func eachBroadcast(l *law.Law, f func(graph.Shape)) {
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		t.Walk(func(u *law.Term) {
			if u.Op == op.Broadcast {
				s, _ := u.Attrs[0].Shape()
				f(s)
			}
		})
	}
}

func mentionsBroadcast(l *law.Law) bool {
	found := false
	eachBroadcast(l, func(graph.Shape) { found = true })
	return found
}

// broadcastShape is the largest shape to which a law broadcasts.
func broadcastShape(l *law.Law) graph.Shape {
	var most graph.Shape
	eachBroadcast(l, func(s graph.Shape) {
		if len(s) > len(most) {
			most = s
		}
	})
	return most
}

// ranksOf lists the ranks to which a law broadcasts.
func ranksOf(l *law.Law) []int {
	ranks := map[int]bool{}
	eachBroadcast(l, func(s graph.Shape) { ranks[len(s)] = true })
	return slices.Sorted(maps.Keys(ranks))
}

// runsOf lists the axis runs of a law by name.
func runsOf(l *law.Law) []string {
	_, runs := law.Variables(l)
	slices.Sort(runs)
	return runs
}
