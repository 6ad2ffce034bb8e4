package genrules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// headline writes the sides of a law with the attributes that it depends on. An attribute
// is left out where all uses of its operator have the same value and that is the default,
// or a variable of its own that both sides have: then the law says the same for any value.
func headline(before, after []*law.Term) (string, string) {
	h := headliner{values: map[attribute]map[graph.Value]bool{}, sides: map[*graph.Op]int{}, users: map[graph.Value]map[*graph.Op]bool{}}
	for i, side := range [][]*law.Term{before, after} {
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				if u.Op == nil {
					return
				}
				h.sides[u.Op] |= 1 << i
				for k, v := range u.Attrs {
					note(h.values, attribute{u.Op, k}, v)
					note(h.users, v, u.Op)
				}
			})
		}
	}
	return h.side(before), h.side(after)
}

// note adds a member to the set of a key.
func note[K, V comparable](sets map[K]map[V]bool, key K, member V) {
	if sets[key] == nil {
		sets[key] = map[V]bool{}
	}
	sets[key][member] = true
}

// attribute is a parameter of an operator.
type attribute struct {
	op    *graph.Op
	param int
}

// headliner writes terms of one law.
type headliner struct {
	values map[attribute]map[graph.Value]bool
	sides  map[*graph.Op]int // that have an operator: 1 before, 2 after, 3 both
	users  map[graph.Value]map[*graph.Op]bool
}

func (h *headliner) side(ts []*law.Term) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = h.term(t)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (h *headliner) term(t *law.Term) string {
	if t.IsVar() {
		return t.Var
	}
	name := t.Fn
	if t.Op != nil {
		name = t.Op.Name + h.attrs(t)
	}
	if len(t.Args) == 0 {
		return name
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = h.term(a)
	}
	s := name + "(" + strings.Join(args, ", ") + ")"
	if t.Op != nil && t.Op.Out > 1 {
		s += fmt.Sprintf(".%d", t.Out)
	}
	return s
}

// attrs are the attributes of an operator that are written.
func (h *headliner) attrs(t *law.Term) string {
	var parts []string
	for k, p := range t.Op.Params {
		v := t.Attrs[k]
		_, _, variable := v.Var()
		same := len(h.values[attribute{t.Op, k}]) == 1
		if same && (v == p.Default || variable && h.sides[t.Op] == 3 && len(h.users[v]) == 1) {
			continue
		}
		parts = append(parts, p.Name+"="+v.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// change says which operators a rule removes and adds: "removes 2 matmul, adds a concat".
func change(before, after []*law.Term) string {
	count := map[string]int{}
	for sign, side := range map[int][]*law.Term{-1: before, 1: after} {
		var nodes law.Nodes
		seen := map[int]bool{}
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				if u.IsVar() || seen[nodes.App(u)] {
					return
				}
				seen[nodes.App(u)] = true
				if u.Op != nil {
					count[u.Op.Name] += sign
				} else {
					count["function"] += sign
				}
			})
		}
	}
	var removed, added []string
	for _, op := range slices.Sorted(maps.Keys(count)) {
		switch n := count[op]; {
		case n < 0:
			removed = append(removed, number(-n, op))
		case n > 0:
			added = append(added, number(n, op))
		}
	}
	var out []string
	if len(removed) > 0 {
		out = append(out, "removes "+strings.Join(removed, " and "))
	}
	if len(added) > 0 {
		out = append(out, "adds "+strings.Join(added, " and "))
	}
	if len(out) == 0 {
		return "same operators, less work"
	}
	return strings.Join(out, ", ")
}

// number is "a relu", "an ewadd", "2 matmul".
func number(n int, op string) string {
	switch {
	case n > 1:
		return fmt.Sprintf("%d %s", n, op)
	case strings.ContainsRune("aeiou", rune(op[0])):
		return "an " + op
	}
	return "a " + op
}
