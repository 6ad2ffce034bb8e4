package parallel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// asked is a question for the strategies of an operator.
type asked struct {
	g      *graph.Graph
	id     graph.NodeID
	degree int
}

func (a asked) of(s *Strategies) ([]*Strategy, error) {
	var sizes [][]int
	for _, t := range a.g.Operands(a.id) {
		sizes = append(sizes, a.g.Sizes(t))
	}
	return s.Of(context.Background(), a.g.Op(a.id), a.g.Attrs(a.id), sizes, a.degree)
}

// say is all that strategies say, with proofs.
func say(s *Strategies, all []*Strategy) (out string) {
	for _, st := range all {
		out += fmt.Sprintln(st.In, st.Out, st.Attrs, st.whole)
		for k, l := range st.Laws {
			out += fmt.Sprintln(law.Format(l), st.dims[k], s.Proof(l.Name))
		}
	}
	return out
}

// Several goroutines that ask in an order of their own are told what one is that asks alone:
// names of laws and proofs do not depend on who came first.
func TestStrategiesConcurrent(t *testing.T) {
	var list []asked
	for seed := range uint64(12) {
		g := randomModel(rand.New(rand.NewPCG(seed, 5)))
		for id := range g.Nodes() {
			for _, degree := range []int{2, 3} {
				if g.Op(id) != nil {
					list = append(list, asked{g, id, degree})
				}
			}
		}
	}
	alone := NewStrategies()
	want := make([]string, len(list))
	some := 0
	for i, a := range list {
		all, err := a.of(alone)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = say(alone, all)
		some += len(all)
	}
	if some < 3*len(list)/2 {
		t.Errorf("%d strategies of %d operators", some, len(list))
	}
	shared := NewStrategies()
	var wg sync.WaitGroup
	for worker := range uint64(6) {
		order := rand.New(rand.NewPCG(worker, 9)).Perm(len(list))
		wg.Go(func() {
			for _, i := range order {
				all, err := list[i].of(shared)
				if err != nil {
					t.Error(err)
				} else if have := say(shared, all); have != want[i] {
					t.Errorf("%s by %d:\n%s\nalone:\n%s", list[i].g.Op(list[i].id).Name, list[i].degree, have, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// What was cancelled is not remembered.
func TestStrategiesCancelled(t *testing.T) {
	g := randomModel(rand.New(rand.NewPCG(1, 5)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, other := NewStrategies(), NewStrategies()
	cancelled := 0
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			continue
		}
		var sizes [][]int
		for _, x := range g.Operands(id) {
			sizes = append(sizes, g.Sizes(x))
		}
		if _, err := s.Of(ctx, g.Op(id), g.Attrs(id), sizes, 2); errors.Is(err, context.Canceled) {
			cancelled++
		}
		a := asked{g, id, 2}
		have, err := a.of(s)
		want, err2 := a.of(other)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if say(s, have) != say(other, want) {
			t.Errorf("after it was cancelled: %s, else %s", say(s, have), say(other, want))
		}
	}
	if cancelled == 0 {
		t.Error("nothing was cancelled")
	}
}
