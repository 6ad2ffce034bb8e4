package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A node that lies on the devices of another stage is not said to be of this one, where it would take
// as much less as these are more.
func TestOwn(t *testing.T) {
	p := stagesApart(t)
	if err := p.settle(); err != nil {
		t.Fatal(err)
	}
	lies := 0
	for c := 1; c <= 6; c++ {
		was := 0
		for id, x := range p.Pipeline.Clusters {
			if x == c {
				was = p.Pipeline.Of[id]
			}
		}
		for _, to := range []int{was - 1, was + 1} {
			if to < 1 || to > len(p.Pipeline.Stages) {
				continue
			}
			q, l := *p, *p.Pipeline
			l.Of = slices.Clone(l.Of)
			for id, x := range l.Clusters {
				if x == c {
					l.Of[id] = to
				}
			}
			q.Pipeline = &l
			if _, err := p.Training.Stages(l.Of); err != nil {
				continue // another mistake
			}
			err := q.settle()
			if was == 1 { // has one device and no axes: another stage's first device may do as much
				if err != nil {
					t.Errorf("cluster %d of stage 1 told to be of %d: %v", c, to, err)
				}
				continue
			}
			lies++
			if err == nil || !strings.Contains(err.Error(), "lies along an axis of stage "+fmt.Sprint(was)) {
				t.Errorf("cluster %d of stage %d told to be of %d: %v", c, was, to, err)
			}
		}
	}
	if lies == 0 {
		t.Error("no cluster was told to be of another stage")
	}
}
