package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// The text form of a graph, one node a line, operands before their users:
//
//	# comment
//	x : float32[2, 3]
//	w : weight float32[3, 4]
//	y = matmul(x, w)
//	z = split[axis=1, at=2](y)
//	i : float64 = imatmul[n=4]()
//	return y, z.1
//
// A name is a letter or _ followed by letters, digits and _, or any text in
// double quotes with Go's escapes. Output i of an operator with several
// outputs is written name.i. Attributes equal to their default are left out.
// A weight is an input that belongs to the model. An opaque node is written
// with its kind and the types of its outputs,
//
//	n = opaque[kind="Loop", out=(float32[2, 3], int64[])](x, y)
//
// for people: it cannot be read back.
// An element type is written for operators without operands that are not
// float32. The last line is the return.

// String is the graph in its text form; [ParseText] reads it back unless it has
// opaque nodes.
func (g *Graph) String() string {
	var b strings.Builder
	for id := range g.Nodes() {
		b.WriteString(quoteName(g.name[id]))
		op := g.op[id]
		if op == nil {
			b.WriteString(" : ")
			if g.weight[id] {
				b.WriteString("weight ")
			}
			b.WriteString(g.Type(id.Out(0)).String() + "\n")
			continue
		}
		if o := g.opaque[id]; o != nil {
			outs := make([]string, op.Out)
			for i := range outs {
				outs[i] = g.Type(id.Out(i)).String()
			}
			fmt.Fprintf(&b, " = %s[kind=%s, out=(%s)](%s)\n", OpaqueName, strconv.Quote(o.kind),
				strings.Join(outs, ", "), g.nameList(g.Operands(id)))
			continue
		}
		if t := g.DType(id.Out(0)); op.In == 0 && t != Float32 {
			fmt.Fprintf(&b, " : %s", t)
		}
		fmt.Fprintf(&b, " = %s%s(%s)\n", op.Name, op.FormatAttrs(g.attrs[id]), g.nameList(g.Operands(id)))
	}
	fmt.Fprintf(&b, "return %s\n", g.nameList(g.outputs))
	return b.String()
}

func (g *Graph) nameList(ts []Tensor) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = g.tensorName(t)
	}
	return strings.Join(parts, ", ")
}

// quoteName writes a node's name as the text form does: in quotes unless it is
// an identifier and not the word return.
func quoteName(s string) string {
	if isIdent(s) && s != "return" {
		return s
	}
	return strconv.Quote(s)
}

func isIdent(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isIdentByte(s[i]) || i == 0 && s[i] >= '0' && s[i] <= '9' {
			return false
		}
	}
	return true
}

func isIdentByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// TextError is what is wrong with a graph's text, and where.
type TextError struct {
	File      string
	Line, Col int // from 1; Col counts bytes
	Err       error
}

// Error is file:line:col: cause.
func (e *TextError) Error() string { return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Col, e.Err) }

// Unwrap is the cause.
func (e *TextError) Unwrap() error { return e.Err }
