package egraph

// Typing gives every node a type, a number that the caller interned. Nodes that
// are equal have one type: a union of two classes of different types is a
// contradiction.
type Typing interface {
	// TypeOf returns the type of node n, judging by its symbol and the types of
	// its children (g.Type(g.Child(n, i))). An error says that n is ill-formed:
	// Add returns it and n is not added. TypeOf must not change g, and must not
	// look at n's class, which does not exist yet.
	TypeOf(g *Graph, n NodeID) (uint32, error)
	// Differ says in words that two types are not the same; it is the Err of a
	// *ConflictError.
	Differ(a, b uint32) error
}

// Type returns the type of node n, 0 without a typing.
func (g *Graph) Type(n NodeID) uint32 { return g.types[n] }
