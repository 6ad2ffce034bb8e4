package axioms_test

import (
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// The laws with the tag parallel are those with operators on meshes: others are never
// left out where there is no mesh, and none of these is put there.
func TestParallelTag(t *testing.T) {
	mesh := map[*graph.Op]bool{op.Partition: true, op.Combine: true, op.Replicate: true, op.Reduce: true,
		op.Lift: true, op.Drop: true, op.Halo: true, op.AllReduce: true, op.ReduceScatter: true, op.AllGather: true,
		op.AllToAll: true, op.Pipeline: true, op.Batch: true}
	n := 0
	for _, l := range axioms.Default() {
		on := false
		for _, side := range [][]*law.Term{l.LHS, l.RHS} {
			for _, term := range side {
				term.Walk(func(u *law.Term) {
					if u.Op != nil {
						one, _, _ := u.Op.Member(u.Attrs)
						on = on || mesh[u.Op] || one != nil
					}
				})
			}
		}
		if on {
			n++
		}
		if tag := l.HasTag(law.TagParallel); tag != on {
			t.Errorf("%s: %s: tag %s is %v, operators on meshes %v", l.Pos, l.Name, law.TagParallel, tag, on)
		}
	}
	if n == 0 {
		t.Error("no laws about meshes")
	}
}
