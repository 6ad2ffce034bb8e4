package graph

import (
	"fmt"
	"slices"
	"strings"
)

// ParseText reads a graph in its text form, as written by [Graph.String]. file
// is the name used in errors. The first error is returned, as a *TextError;
// package graph/op must be imported for operators to be known.
func ParseText(file, text string) (*Graph, error) {
	lines := strings.Split(text, "\n")
	var statements []*statement
	b := textBuilder{defs: map[string]*statement{}, nodes: map[string]NodeID{}}
	for i, line := range lines {
		if s := readStatement(file, line, i+1); s != nil {
			statements = append(statements, s)
			if s.defines && b.defs[s.name] == nil {
				b.defs[s.name] = s
			}
		}
	}
	var outputs []Tensor
	for _, s := range statements {
		var err error
		switch {
		case outputs != nil:
			err = s.errorf(s.col, "text after the return")
		case s.defines && b.defs[s.name] != s:
			err = s.errorf(s.col, "%s is defined on line %d already", quoteName(s.name), b.defs[s.name].line)
		case s.err != nil:
			err = s.err
		case s.isReturn:
			outputs, err = b.tensors(s)
		default:
			err = b.add(s)
		}
		if err != nil {
			return nil, err
		}
	}
	end := statement{file: file, line: len(lines)}
	if outputs == nil {
		return nil, end.errorf(1, "the graph ends without a return")
	}
	g, err := b.Finish(outputs...)
	if err != nil {
		return nil, end.fail(1, err)
	}
	return g, nil
}

// textBuilder adds the nodes that a text describes.
type textBuilder struct {
	Builder
	defs  map[string]*statement // the first that defines a name
	nodes map[string]NodeID     // those added
}

// add adds the node of a statement.
func (b *textBuilder) add(s *statement) error {
	if s.op == nil {
		input := b.AddInput
		if s.weight {
			input = b.AddWeight
		}
		x, err := input(s.name, s.dtype, s.sizes...)
		if err != nil {
			return s.fail(s.col, err)
		}
		b.nodes[s.name] = x.Node
		return nil
	}
	in, err := b.tensors(s)
	if err != nil {
		return err
	}
	if s.typed && len(in) > 0 && s.op.DTypes == nil && b.g.DType(in[0]) != s.dtype {
		return s.errorf(s.opCol, "node %s has element type %s, but %s is %s",
			quoteName(s.name), s.dtype, b.g.tensorName(in[0]), b.g.DType(in[0]))
	}
	id, err := b.Builder.add(s.name, s.op, s.attrs, in, s.dtype)
	if err != nil {
		return s.fail(s.opCol, err)
	}
	b.nodes[s.name] = id
	return nil
}

// tensors are what a statement refers to.
func (b *textBuilder) tensors(s *statement) ([]Tensor, error) {
	out := make([]Tensor, len(s.args))
	for i, a := range s.args {
		id, ok := b.nodes[a.name]
		if !ok {
			return nil, s.errorf(a.col, "%s", b.undefined(a.name, s))
		}
		n := b.g.NumOut(id)
		switch {
		case a.out < 0 && n > 1:
			return nil, s.errorf(a.col, "%s has %d outputs: write %s.0", quoteName(a.name), n, quoteName(a.name))
		case a.out >= int64(n):
			return nil, s.errorf(a.col, "%s has no output %d", quoteName(a.name), a.out)
		}
		out[i] = id.Out(int(max(a.out, 0)))
	}
	return out, nil
}

// undefined explains a name that no line above a statement defines.
func (b *textBuilder) undefined(name string, user *statement) string {
	def := b.defs[name]
	if def == nil {
		return quoteName(name) + " is not defined"
	}
	if path := b.cycle(def, user); path != nil {
		return "cycle: " + strings.Join(path, " -> ")
	}
	return fmt.Sprintf("%s is used before its definition on line %d", quoteName(name), def.line)
}

// cycle follows what a definition refers to back to its user: the names on the way,
// the user first and last, or nil.
func (b *textBuilder) cycle(def, user *statement) []string {
	from := map[*statement]*statement{def: user} // who uses it
	queue := []*statement{def}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s == user {
			path := []string{quoteName(s.name)}
			for s = from[s]; s != user; s = from[s] {
				path = append(path, quoteName(s.name))
			}
			slices.Reverse(path)
			return append([]string{quoteName(user.name)}, path...)
		}
		for _, a := range s.args {
			if d := b.defs[a.name]; d != nil && from[d] == nil {
				from[d] = s
				queue = append(queue, d)
			}
		}
	}
	return nil
}
