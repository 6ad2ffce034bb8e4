package search

import (
	"slices"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law/rewrite"
)

// Move is a use of a law that was found, to be made later: at these roots, the
// direction's variables being these tensors.
type Move struct {
	Direction   *rewrite.Direction
	Roots, Vars []bank.Tensor
}

// Moves holds all moves of a network and is kept up to date while the network is
// rewritten: after a rewrite only the nodes near what changed are matched again,
// those from which a pattern reaches it.
type Moves struct {
	r    *Rewriter
	at   []place // by the node of the first root
	near int     // how far patterns reach down from a root
	seen [3][]uint32
	turn uint32
}

// place is what is known of a node.
type place struct {
	live      bool
	one, many []Move // laws with one root, and with several
}

// NewMoves finds all moves of a rewriter's network.
func NewMoves(r *Rewriter) *Moves {
	m := &Moves{r: r, near: r.rules.depth}
	for n := bank.Node(1); int(n) <= r.Net.Len(); n++ {
		m.find(n, true)
	}
	return m
}

// At lists the moves whose first root is computed by a node. The caller must not
// write to it.
func (m *Moves) At(n bank.Node) (one, many []Move) {
	if int(n) >= len(m.at) {
		return nil, nil
	}
	return m.at[n].one, m.at[n].many
}

// Len is the number of moves.
func (m *Moves) Len() int {
	n := 0
	for i := range m.at {
		n += len(m.at[i].one) + len(m.at[i].many)
	}
	return n
}

// find matches at a node again: laws with several roots, and if all is set those
// with one.
func (m *Moves) find(n bank.Node, all bool) {
	for int(n) >= len(m.at) {
		m.at = append(m.at, place{})
	}
	p := place{live: m.r.Net.Live(n)}
	if !all {
		p.one = m.at[n].one
	}
	if p.live {
		m.r.at(n, all, true, func(x *Match) bool {
			if len(x.Conds) > 0 {
				return true
			}
			mv := Move{x.Direction, slices.Clone(x.Roots), slices.Clone(x.Vars)}
			if len(x.Roots) > 1 {
				p.many = append(p.many, mv)
			} else {
				p.one = append(p.one, mv)
			}
			return true
		})
	}
	m.at[n] = p
}

// Near lists the nodes at which moves may have come or gone since a mark of the
// network: all of whom laws with one root must be matched at again, and then
// others where that is so of laws with several.
func (m *Moves) Near(mark bank.Mark) (all, several []bank.Node) {
	m.turn++
	net := m.r.Net
	for i := range m.seen {
		for len(m.seen[i]) <= net.Len() {
			m.seen[i] = append(m.seen[i], 0)
		}
	}
	first := func(i int, n bank.Node) bool {
		old := m.seen[i][n]
		m.seen[i][n] = m.turn
		return old != m.turn
	}
	net.Changed(mark, func(n bank.Node, moved bool) {
		known := int(n) < len(m.at) && m.at[n].live
		if (moved || known != net.Live(n)) && first(0, n) {
			all = append(all, n)
		}
	})
	// Up to the roots of patterns.
	for from, depth := 0, 1; depth < m.near; depth++ {
		end := len(all)
		for ; from < end; from++ {
			m.users(all[from], func(u bank.Node) {
				if first(0, u) {
					all = append(all, u)
				}
			})
		}
	}
	if len(m.r.rules.many) == 0 {
		return all, nil
	}
	// Down to the variables that roots share, and up to the first roots.
	below := slices.Clone(all)
	for _, n := range all {
		first(1, n)
	}
	for from, depth := 0, 0; depth < m.r.rules.down; depth++ {
		end := len(below)
		for ; from < end; from++ {
			for _, t := range net.Operands(below[from]) {
				if x, _ := net.NodeOf(t); first(1, x) {
					below = append(below, x)
				}
			}
		}
	}
	for _, n := range below {
		first(2, n)
	}
	up := below
	for from, depth := 0, 0; depth < m.r.rules.down; depth++ {
		end := len(up)
		for ; from < end; from++ {
			m.users(up[from], func(u bank.Node) {
				if first(2, u) {
					up = append(up, u)
				}
			})
		}
	}
	for _, n := range up {
		if m.seen[0][n] != m.turn && m.r.rules.many[net.Op(n)] != nil {
			several = append(several, n)
		}
	}
	return all, several
}

func (m *Moves) users(n bank.Node, f func(bank.Node)) {
	for k := range m.r.Net.NumOut(n) {
		m.r.Net.Users(m.r.Net.Out(n, k), func(u bank.Node, _ int) bool {
			f(u)
			return true
		})
	}
}

// was is what was known of a node before an update.
type was struct {
	node bank.Node
	place
}

// Update brings the moves up to date with what changed since a mark, before the mark
// ends. Should the network go back to the mark, Restore goes back too.
func (m *Moves) Update(mark bank.Mark) (before []was) {
	all, several := m.Near(mark)
	before = make([]was, 0, len(all)+len(several))
	save := func(n bank.Node) {
		w := was{node: n}
		if int(n) < len(m.at) {
			w.place = m.at[n]
		}
		before = append(before, w)
	}
	for _, n := range all {
		save(n)
		m.find(n, true)
	}
	for _, n := range several {
		save(n)
		m.find(n, false)
	}
	return before
}

// Restore undoes an update, after the network.
func (m *Moves) Restore(before []was) {
	for i := range before {
		m.at[before[i].node] = before[i].place
	}
	m.at = m.at[:min(len(m.at), m.r.Net.Len()+1)]
}

// Fresh calls f with each move that an update has found and that was not there
// before.
func (m *Moves) Fresh(before []was, f func(*Move)) {
	for i := range before {
		w, now := &before[i], &m.at[before[i].node]
		fresh(w.one, now.one, f)
		fresh(w.many, now.many, f)
	}
}

func fresh(old, now []Move, f func(*Move)) {
	for i := range now {
		if !slices.ContainsFunc(old, now[i].equal) {
			f(&now[i])
		}
	}
}

func (m *Move) equal(n Move) bool {
	return m.Direction == n.Direction && slices.Equal(m.Roots, n.Roots) && slices.Equal(m.Vars, n.Vars)
}
