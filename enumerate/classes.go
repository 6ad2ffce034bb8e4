package enumerate

import "github.com/taso-go/taso/fingerprint"

// classes are the terms that agree in the case, up to renaming of inputs: what fingerprints show.
type classes struct {
	parent []int32                    // of each term, in a union-find forest
	first  map[fingerprint.Hash]int32 // the first term with a fingerprint; nil after the last level
	ranked map[fingerprint.Hash]int32 // the same for those of small numbers; see Session.Ordered
}

// add makes room for n terms, each in a class of its own.
func (c *classes) add(n int) {
	for range n {
		c.parent = append(c.parent, int32(len(c.parent)))
	}
}

// meet notes the fingerprint of a term, and returns the first term that has it.
func (c *classes) meet(t int32, h fingerprint.Hash) int32 {
	if first, ok := c.first[h]; ok {
		return first
	}
	if c.first != nil {
		c.first[h] = t
	}
	return t
}

func (c *classes) find(i int32) int32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

func (c *classes) union(a, b int32) {
	a, b = c.find(a), c.find(b)
	if a > b {
		a, b = b, a
	}
	c.parent[b] = a
}
