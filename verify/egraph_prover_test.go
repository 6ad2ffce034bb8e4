package verify

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
)

func lawsByName(ls []*law.Law) map[string]*law.Law {
	m := map[string]*law.Law{}
	for _, l := range ls {
		m[l.Name] = l
	}
	return m
}

func TestEGraphProvesTrueGoals(t *testing.T) {
	laws := readLaws(t, testAxioms)
	goals := readLaws(t, trueGoals)
	p := &EGraph{Laws: laws, Workers: 2}
	vs, err := p.Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != Proved {
			t.Errorf("%s: %s %s (%d nodes, %d rounds)", goals[i].Name, v.Status, v.Reason, v.Nodes, v.Iters)
			continue
		}
		t.Logf("%-18s %6.2f ms %5d nodes %2d rounds %2d instances %v", goals[i].Name, v.Seconds*1e3, v.Nodes, v.Iters, len(v.Proof.Instances), v.Proof.Laws())
	}
}

func TestEGraphLeavesFalseGoals(t *testing.T) {
	laws := readLaws(t, testAxioms)
	goals := readLaws(t, falseGoals)
	vs, err := (&EGraph{Laws: laws, Workers: 2}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status != Unknown {
			t.Errorf("%s: %s", goals[i].Name, v.Status)
			for _, in := range v.Proof.Instances {
				t.Logf("%s %v %v", in.Law, in.Tensors, in.Dims)
			}
		}
		t.Logf("%-18s %6.2f ms %5d nodes %2d rounds %s", goals[i].Name, v.Seconds*1e3, v.Nodes, v.Iters, v.Reason)
	}
}
