package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Primitive is t with every split replaced by the slices that it stands for.
// vars are the shapes of the tensor variables in t. A term that cannot be typed
// stays as it is.
func Primitive(t *law.Term, vars map[string]graph.Shape) *law.Term {
	shapes := map[*law.Term]graph.Shape{}
	if _, err := law.TypeOf(&graph.Facts{}, t, vars, shapes); err != nil {
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
	nodes []node
	ids   map[string]int
}

// node is a term: a head applied to nodes.
type node struct {
	head string // operator, attributes and output; or a variable's name
	args []int
	term *law.Term
}

func newBank() *bank { return &bank{ids: map[string]int{}} }

// head names what is applied in t.
func head(t *law.Term) string {
	switch {
	case t.IsVar():
		return "v " + t.Var
	case t.Fn != "":
		return "f " + t.Fn
	}
	return "o " + t.Op.Name + t.Op.FormatAttrs(t.Attrs) + "." + strconv.Itoa(t.Out)
}

func key(head string, args []int) string {
	var b strings.Builder
	b.WriteString(head)
	for _, a := range args {
		fmt.Fprintf(&b, "\x00%d", a)
	}
	return b.String()
}

// add is the number of a term.
func (b *bank) add(t *law.Term) int {
	memo := map[*law.Term]int{}
	var rec func(u *law.Term) int
	rec = func(u *law.Term) int {
		if i, ok := memo[u]; ok {
			return i
		}
		args := make([]int, len(u.Args))
		for i, a := range u.Args {
			args[i] = rec(a)
		}
		i := b.apply(u, args)
		memo[u] = i
		return i
	}
	return rec(t)
}

// apply is the head of t applied to nodes.
func (b *bank) apply(t *law.Term, args []int) int {
	h := head(t)
	k := key(h, args)
	if i, ok := b.ids[k]; ok {
		return i
	}
	u := t
	if len(args) > 0 {
		c := *t
		c.Args = make([]*law.Term, len(args))
		for i, a := range args {
			c.Args[i] = b.nodes[a].term
		}
		u = &c
	}
	b.nodes = append(b.nodes, node{h, args, u})
	b.ids[k] = len(b.nodes) - 1
	return len(b.nodes) - 1
}

// replace is the node u with the subterm at path replaced by v.
func (b *bank) replace(u int, path []int, v int) int {
	if len(path) == 0 {
		return v
	}
	n := b.nodes[u]
	args := append([]int(nil), n.args...)
	args[path[0]] = b.replace(args[path[0]], path[1:], v)
	return b.apply(n.term, args)
}
