package parallel

import (
	"maps"
	"slices"
)

// Clone is a laying that goes on from where this one is, each in its own way: the axes that
// both have are laid out once.
func (l *Laying) Clone() *Laying {
	c := *l
	c.degrees, c.insts, c.laws = slices.Clone(l.degrees), slices.Clip(slices.Clone(l.insts)), maps.Clone(l.laws)
	return &c
}
