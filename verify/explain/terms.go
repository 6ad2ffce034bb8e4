package explain

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Primitive is t with every split replaced by the slices that it stands for.
// vars are the shapes of the tensor variables in t. A term that cannot be typed
// stays as it is.
func Primitive(t *law.Term, vars map[string]graph.Shape) *law.Term {
	shapes := map[*law.Term]graph.Shape{}
	if _, err := law.TypeOf(&graph.Unifier{}, t, vars, shapes); err != nil {
		return t
	}
	u, err := law.Primitive(t, shapes)
	if err != nil {
		return t
	}
	return u
}

// bank holds terms, equal ones once, numbered from 0; arguments come before
// what they are arguments of.
type bank struct {
	law.Nodes
	heads law.Nodes // of terms without their arguments
	nodes []node
}

// node is a term as a head applied to nodes.
type node struct {
	head int // number of an operator with attributes and output, or of a variable
	args []int
}

func newBank() *bank { return &bank{} }

// at is the node of a number.
func (b *bank) at(i int) *node {
	for k := len(b.nodes); k <= i; k++ {
		t := b.All()[k]
		h := *t
		h.Args = nil
		n := node{head: b.heads.Of(&h)}
		for _, a := range t.Args {
			n.args = append(n.args, b.Of(a))
		}
		b.nodes = append(b.nodes, n)
	}
	return &b.nodes[i]
}

func (b *bank) args(i int) []int { return b.at(i).args }

func (b *bank) head(i int) int { return b.at(i).head }

func (b *bank) term(i int) *law.Term { return b.All()[i] }

// replace is the node u with the subterm at path replaced by v.
func (b *bank) replace(u int, path []int, v int) int {
	if len(path) == 0 {
		return v
	}
	t := *b.term(u)
	t.Args = slices.Clone(t.Args)
	t.Args[path[0]] = b.term(b.replace(b.args(u)[path[0]], path[1:], v))
	return b.Of(&t)
}
