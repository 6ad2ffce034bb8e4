package plan

import (
	"errors"

	"github.com/taso-go/taso/parallel"
)

// Means are which layouts along a mesh axis are looked at.
type Means string

// The means. Among what they allow the least cost is chosen.
const (
	// Data gives each device its samples and all of the weights: gradients are added up.
	Data Means = "data"
	// FSDP is Data with weights and state in parts, which are gathered where they are
	// needed (ZeRO-3).
	FSDP Means = "fsdp"
	// Megatron gives each device all samples and parts of the weights; only partial sums are
	// sent.
	Megatron Means = "megatron"
	// Sparse gives each device its samples and a part of the weights of which a sample uses a
	// part only: experts, of which there are matrices side by side, or else tables. Of the
	// other weights it has all of them; SparseFSDP has parts of these, too.
	Sparse     Means = "sparse"
	SparseFSDP Means = "sparse, fsdp"
	// Tensor is Megatron with each weight in parts that is multiplied by or looked up in: copies
	// are often faster, and need more memory. Parts of results are gathered, too, such as those of
	// scores of words.
	Tensor Means = "tensor"
	// All is every layout.
	All Means = "all"
	// Micro deals samples out in time: weights and state lie whole, as they do without the
	// axis, gradients are added up over micro-batches, and nothing that depends on all
	// micro-batches is read by one of them. It is that of axes in time, and of no others.
	Micro Means = "micro-batches"
)

// ErrMeans is wrapped by the error where no layout is within the means, such as one by
// samples of a graph without an axis of them.
var ErrMeans = errors.New("no sharding of all operators was found among those considered")

// AllMeans lists those of devices that are looked at for any model.
func AllMeans() []Means { return []Means{Data, FSDP, Megatron, All} }

// known reports whether there are such means of devices.
func (p Means) known() bool {
	switch p {
	case Data, FSDP, Megatron, Sparse, SparseFSDP, Tensor, All:
		return true
	}
	return false
}

// whole is the role of a tensor that an axis does not deal out: there is one for all its
// members. Only along axes in time tensors are left whole, since whole tensors would be those of one
// device.
var whole = parallel.Role{}

// fresh reports whether an input that is no weight may lie so; samples is the number of
// the axis of its samples.
func (p Means) fresh(r parallel.Role, samples int) bool {
	switch p {
	case Data, FSDP, Sparse, SparseFSDP, Micro:
		return r == parallel.Role{Kind: parallel.Shard, Axis: samples}
	case Megatron, Tensor:
		return r.Kind == parallel.Copy
	}
	return r.Kind == parallel.Copy || r.Kind == parallel.Shard
}

// resident reports whether a weight may lie so that is not sparse.
func (p Means) resident(r parallel.Role) bool {
	switch p {
	case Data, Sparse:
		return r.Kind == parallel.Copy
	case FSDP, SparseFSDP:
		return r.Kind == parallel.Shard
	case Micro:
		return r == whole
	}
	return r.Kind == parallel.Copy || r.Kind == parallel.Shard
}

// sparse reports whether the means tell sparse weights from others.
func (p Means) sparse() bool { return p == Sparse || p == SparseFSDP }

// stays reports whether a weight that no output takes the place of may lie so.
func (p Means) stays(r parallel.Role) bool {
	if p == FSDP || p.sparse() {
		return r.Kind == parallel.Copy
	}
	return p.resident(r)
}

// converts reports whether members in one role may be made of those in another; of: the
// tensor is a weight as it lies on the devices, or what takes its place.
func (p Means) converts(from, to parallel.Role, of bool) bool {
	switch {
	case from.Blocks > 0 || to.Blocks > 0:
		return false // operators hand on blocks of parts, and use them
	case p == Micro: // what does not depend on samples is made whole rather than of copies
		return from == whole || from.Kind == parallel.Sum && to == whole
	case from.Kind == parallel.Copy || from.Kind == parallel.First:
		return true // each device has all it needs
	case p == All || p == Tensor && !of || p.sparse():
		return true
	case from.Kind == parallel.Sum && to.Kind == parallel.Copy:
		return true
	case p == FSDP:
		return from.Kind == parallel.Sum || of
	}
	return false
}
