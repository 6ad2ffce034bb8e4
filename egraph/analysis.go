package egraph

// Changed says which side of a merge of analysis data the result differs from.
type Changed uint8

// The values of Changed form a bit set.
const (
	Unchanged    Changed = 0
	LeftChanged  Changed = 1
	RightChanged Changed = 2
	BothChanged  Changed = LeftChanged | RightChanged
)

// Analysis keeps a datum of type D for every class: the same for each member,
// and for facts that only hold at the time, the meet of what members say.
type Analysis[D any] interface {
	// Make returns the datum of node n, judging by its symbol and its
	// children's data (g.Data(g.Find(g.Child(n, i)))). An error says that n is
	// ill-formed: Add returns it and n is not added. Make must not change g,
	// and must not look at n's class, which may not exist yet.
	Make(g *EGraph[D], n NodeID) (D, error)
	// Merge returns the datum of a class that takes in another, and which of
	// a and b it differs from. An error is a contradiction: the union or
	// rebuild fails with a *ConflictError. For rebuilding to end, data must
	// not change for ever along a chain of merges.
	Merge(a, b D) (D, Changed, error)
}

// EGraph is a Graph with a datum per class.
type EGraph[D any] struct {
	Graph
	analysis Analysis[D]
	data     []D // by node, valid at names of classes
}

// New returns an empty graph with an analysis, which may be nil: then data are
// zero.
func New[D any](a Analysis[D], o Options) *EGraph[D] {
	g := &EGraph[D]{analysis: a, data: make([]D, 1, max(o.Nodes, 60)+1)}
	if a != nil {
		g.hooks = &binding[D]{g}
	}
	g.init(o)
	return g
}

// Data returns the datum of class c. After a union it is that of the merged
// class; data that depend on it are up to date after Rebuild.
func (g *EGraph[D]) Data(c ClassID) D {
	if g.analysis == nil {
		var zero D
		return zero
	}
	return g.data[g.find(NodeID(c))]
}

// NodeData returns the datum of n's class.
func (g *EGraph[D]) NodeData(n NodeID) D { return g.Data(ClassID(n)) }

// binding implements hooks, apart from EGraph's own methods.
type binding[D any] struct{ g *EGraph[D] }

func (b *binding[D]) makeData(n NodeID) error {
	d, err := b.g.analysis.Make(b.g, n)
	if err != nil {
		return err
	}
	b.g.data = append(b.g.data, d)
	return nil
}

func (b *binding[D]) skipData(NodeID) {
	var zero D
	b.g.data = append(b.g.data, zero)
}

func (b *binding[D]) mergeData(w, l NodeID) (Changed, error) {
	d, ch, err := b.g.analysis.Merge(b.g.data[w], b.g.data[l])
	if err == nil {
		b.g.data[w] = d
	}
	return ch, err
}

func (b *binding[D]) remakeData(n, c NodeID) (bool, error) {
	made, err := b.g.analysis.Make(b.g, n)
	if err != nil {
		return false, err
	}
	d, ch, err := b.g.analysis.Merge(b.g.data[c], made)
	if err == nil {
		b.g.data[c] = d
	}
	return ch&LeftChanged != 0, err
}

func (b *binding[D]) resetData() {
	clear(b.g.data) // drop what the data point to
	b.g.data = b.g.data[:1]
}
