package enumerate

import (
	"sync"

	"github.com/taso-go/taso/graph"
)

// inst is an operator with literal attributes, in the case.
type inst struct {
	op    *graph.Op
	attrs graph.Attrs
	ids   []uint32 // identities of the attributes
	nums  []int64  // their values, where they are numbers
	key   string   // orders instances by what they are
}

func newInst(op *graph.Op, attrs graph.Attrs) inst {
	in := inst{op: op, attrs: attrs}
	for _, v := range attrs {
		d, _ := v.Dim()
		n, _ := d.Const()
		in.ids = append(in.ids, valueID(v))
		in.nums = append(in.nums, n)
	}
	in.key = op.Name + " " + attrs.Key()
	return in
}

// values numbers attribute values, so that comparing them is comparing
// numbers. Numbers depend on the order of arrival and decide nothing.
var values struct {
	sync.RWMutex
	ids  map[graph.Value]uint32
	list []graph.Value
}

func valueID(v graph.Value) uint32 {
	values.RLock()
	id := values.ids[v]
	values.RUnlock()
	if id != 0 {
		return id
	}
	values.Lock()
	defer values.Unlock()
	if id = values.ids[v]; id != 0 {
		return id
	}
	if values.ids == nil {
		values.ids = map[graph.Value]uint32{}
	}
	values.list = append(values.list, v)
	id = uint32(len(values.list))
	values.ids[v] = id
	return id
}

func valueOf(id uint32) graph.Value {
	values.RLock()
	defer values.RUnlock()
	return values.list[id-1]
}
