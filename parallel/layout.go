package parallel

import (
	"fmt"
	"strconv"
	"strings"
)

// RoleKind says what the members along a mesh axis are to the tensor that they stand for.
type RoleKind uint8

const (
	// Unknown: none of the others was shown.
	Unknown RoleKind = iota
	// Shard: parts along an axis, in order.
	Shard
	// Copy: each member is the tensor.
	Copy
	// Sum: the members add up to the tensor.
	Sum
	// First: the first member is the tensor, the others are zeros.
	First
)

// Role is what the members along a mesh axis are to the tensor that they stand for.
type Role struct {
	Kind RoleKind
	// Axis, of shards, is the axis of a member along which they are parts.
	Axis int
	// Level, of shards, is how many other mesh axes deal out the same axis in larger parts.
	Level int
	// Before and After are the places of the neighbours that a shard has beside its own
	// along Axis, zeros at both ends.
	Before, After int
	// Blocks, of shards: the axis is so many blocks one behind the other, of each of which
	// a member has its part, such as samples of groups where an axis is both; 0: it is one.
	Blocks int
}

// String is the role as text: "shard 0", "shard 2 with 1 before and 1 behind", "shard 1 of
// 32 blocks", "copy", "sum", "first", "unknown".
func (r Role) String() string {
	switch r.Kind {
	case Shard:
		s := "shard " + strconv.Itoa(r.Axis)
		if r.Before > 0 || r.After > 0 {
			s += fmt.Sprintf(" with %d before and %d behind", r.Before, r.After)
		}
		if r.Blocks > 0 {
			s += fmt.Sprintf(" of %d blocks", r.Blocks)
		}
		return s
	case Copy:
		return "copy"
	case Sum:
		return "sum"
	case First:
		return "first"
	}
	return "unknown"
}

// ParseRole reads a role as [Role.String] writes it.
func ParseRole(text string) (Role, error) {
	for _, k := range []RoleKind{Unknown, Copy, Sum, First} {
		if text == (Role{Kind: k}).String() {
			return Role{Kind: k}, nil
		}
	}
	r := Role{Kind: Shard}
	if n, _ := fmt.Sscanf(text, "shard %d of %d blocks", &r.Axis, &r.Blocks); n == 2 && r.Blocks > 0 && text == r.String() {
		return r, nil
	}
	r = Role{Kind: Shard}
	if n, _ := fmt.Sscanf(text, "shard %d with %d before and %d behind", &r.Axis, &r.Before, &r.After); n == 0 || text != r.String() {
		return Role{}, fmt.Errorf("%q is no role: shard 0, copy, sum, first, unknown are", text)
	}
	return r, nil
}

// Dimension is one of the mesh of devices.
type Dimension struct {
	Name string `json:"name"` // a, b, ...
	Size int    `json:"size"`
}

// Digit is a dimension of the mesh along which a mesh axis lies, at the first Size places.
type Digit struct{ Dim, Size int }

// Axis is a mesh axis: the leading axes of different tensors that operators carry along
// to each other are one.
type Axis struct {
	Size int
	// Along are the dimensions of the mesh, the most significant first; more than one
	// where an axis is split into two or made of two.
	Along []Digit
}

// Spread is a mesh axis of a tensor.
type Spread struct {
	Axis int // in [PCG.Axes]
	Role Role
}

// Layout is how a tensor lies on the mesh: its leading axes, outermost first. A whole
// tensor has none.
type Layout []Spread

// LayoutText is a layout as text, such as "a=2 shard 0, b=4 sum", or "" of a whole tensor.
func (p *PCG) LayoutText(l Layout) string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = fmt.Sprintf("%s=%d %s", p.axisName(s.Axis), p.Axes[s.Axis].Size, s.Role)
	}
	return strings.Join(parts, ", ")
}

// axisName is the dimension, or dimensions, along which an axis lies.
func (p *PCG) axisName(axis int) string {
	var b strings.Builder
	for _, d := range p.Axes[axis].Along {
		b.WriteString(p.Mesh[d.Dim].Name)
	}
	return b.String()
}

// MeshText is the mesh as text, such as "a=2, b=4"; "" of one device.
func (p *PCG) MeshText() string {
	parts := make([]string, len(p.Mesh))
	for i, d := range p.Mesh {
		parts[i] = fmt.Sprintf("%s=%d", d.Name, d.Size)
	}
	return strings.Join(parts, ", ")
}
