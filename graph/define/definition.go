package define

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Definition is an operator as a text defines it.
type Definition struct {
	Name string
	Doc  string // the comment above it
	Line int    // where it begins, from 1

	operands []operand
	shaped   bool     // it has operands with shapes
	out      []linear // the shape of the result
	at       []string // the index of an entry
	body     *node
}

type operand struct {
	name  string
	shape []linear
}

// linear is a sum of numbers and multiples of names. Names are different, in order of first use.
type linear struct {
	c int64
	t []factor
}

type factor struct {
	name string
	k    int64
}

func number(n int64) linear    { return linear{c: n} }
func variable(s string) linear { return linear{t: []factor{{s, 1}}} }
func (a linear) coef(s string) int64 {
	for _, f := range a.t {
		if f.name == s {
			return f.k
		}
	}
	return 0
}

// maxCoef bounds the numbers of a linear expression; [Definition.check] meets all that are made.
const maxCoef = 1 << 60

// sum is a + k*b, which must not be too large: else it panics with errLarge.
func sum(a, k, b int64) int64 {
	p := k * b
	if k != 0 && (p/k != b || p > maxCoef || p < -maxCoef) || a+p > maxCoef || a+p < -maxCoef {
		panic(errLarge)
	}
	return a + p
}

// plus is a + k*b.
func (a linear) plus(b linear, k int64) linear {
	out := linear{c: sum(a.c, k, b.c), t: append([]factor(nil), a.t...)}
	for _, f := range b.t {
		found := false
		for i := range out.t {
			if out.t[i].name == f.name {
				out.t[i].k, found = sum(out.t[i].k, k, f.k), true
			}
		}
		if !found {
			out.t = append(out.t, factor{f.name, sum(0, k, f.k)})
		}
	}
	rest := out.t[:0]
	for _, f := range out.t {
		if f.k != 0 {
			rest = append(rest, f)
		}
	}
	out.t = rest
	return out
}

// subst replaces names.
func (a linear) subst(by map[string]linear) linear {
	out := number(a.c)
	for _, f := range a.t {
		b, ok := by[f.name]
		if !ok {
			b = variable(f.name)
		}
		out = out.plus(b, f.k)
	}
	return out
}

// String writes a as the language has it.
func (a linear) String() string {
	var b strings.Builder
	for _, f := range a.t {
		k := f.k
		switch {
		case k < 0:
			b.WriteString(map[bool]string{true: "-", false: " - "}[b.Len() == 0])
			k = -k
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if k != 1 {
			fmt.Fprintf(&b, "%d*", k)
		}
		b.WriteString(f.name)
	}
	switch {
	case b.Len() == 0:
		return fmt.Sprint(a.c)
	case a.c > 0:
		fmt.Fprintf(&b, " + %d", a.c)
	case a.c < 0:
		fmt.Fprintf(&b, " - %d", -a.c)
	}
	return b.String()
}

// kind is what a node of an entry is.
type kind uint8

const (
	isNumber  kind = iota // the number n
	isIndex               // an index or size as a number
	isRead                // an element of operand in at index
	isElement             // the element of operand in at the place
	isAdd
	isSub
	isMul
	isDiv
	isNeg
	isPower // of args[0], n
	isCall  // a function of one element
	isLarger
	isSmaller
	isSum // of args[0] over name in lo..hi
	isMost
	isLeast
	isWhere // args[0] where conds hold, else args[1]
)

type node struct {
	kind  kind
	n     int64
	name  string // of a function or a bound variable
	in    int
	index []linear
	lo    linear // of a range; of isIndex, what it is
	hi    linear
	conds []condition
	args  []*node
}

// condition is a rel b.
type condition struct {
	a, b linear
	rel  string
}

// precedence of nodes: what binds weaker stands in parentheses.
func (k kind) precedence() int {
	switch k {
	case isAdd, isSub:
		return 1
	case isSum, isMost, isLeast:
		return 2 // its body takes the rest of the product
	case isMul, isDiv:
		return 3
	case isNeg:
		return 4
	case isPower:
		return 5
	}
	return 6
}

var words = map[kind]string{isAdd: " + ", isSub: " - ", isMul: " * ", isDiv: " / ", isSum: "sum", isMost: "max", isLeast: "min",
	isLarger: "max", isSmaller: "min"}

func (d *Definition) write(b *strings.Builder, e *node, least int) {
	p := e.kind.precedence()
	if p < least {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch e.kind {
	case isNumber:
		fmt.Fprint(b, e.n)
	case isIndex:
		b.WriteString(e.lo.String())
	case isElement:
		b.WriteString(d.operands[e.in].name)
	case isRead:
		b.WriteString(d.operands[e.in].name + list(e.index))
	case isAdd, isSub, isMul, isDiv:
		d.write(b, e.args[0], p)
		b.WriteString(words[e.kind])
		d.write(b, e.args[1], p+1)
	case isNeg:
		b.WriteByte('-')
		d.write(b, e.args[0], p)
	case isPower:
		d.write(b, e.args[0], p+1)
		fmt.Fprintf(b, "^%d", e.n)
	case isCall:
		b.WriteString(e.name + "(")
		d.write(b, e.args[0], 0)
		b.WriteByte(')')
	case isLarger, isSmaller:
		b.WriteString(words[e.kind] + "(")
		d.write(b, e.args[0], 0)
		b.WriteString(", ")
		d.write(b, e.args[1], 0)
		b.WriteByte(')')
	case isSum, isMost, isLeast:
		fmt.Fprintf(b, "%s %s in %s..%s of ", words[e.kind], e.name, e.lo, e.hi)
		d.write(b, e.args[0], 2)
	case isWhere:
		b.WriteString("where(")
		for i, c := range e.conds {
			if i > 0 {
				b.WriteString(" and ")
			}
			fmt.Fprintf(b, "%s %s %s", c.a, c.rel, c.b)
		}
		b.WriteString(", ")
		d.write(b, e.args[0], 0)
		b.WriteString(", ")
		d.write(b, e.args[1], 0)
		b.WriteByte(')')
	}
}

func list(ls []linear) string {
	parts := make([]string, len(ls))
	for i, l := range ls {
		parts[i] = l.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// String is the definition in canonical form, on one line. Two definitions with the same text
// define the same operator.
func (d *Definition) String() string {
	var b strings.Builder
	b.WriteString("op " + d.Name + "(")
	for i, p := range d.operands {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name)
		if d.shaped {
			b.WriteString(" : " + list(p.shape))
		}
	}
	b.WriteByte(')')
	if d.shaped {
		b.WriteString(" : " + list(d.out))
		if len(d.at) > 0 {
			b.WriteString(" at " + strings.Join(d.at, ", "))
		}
	}
	b.WriteString(" = ")
	d.write(&b, d.body, 0)
	return b.String()
}

// Examples are small sizes of the operands that fit the definition; nil if tensors of any shape
// fit. Size variables get the sizes 2 and 3 in turn.
func (d *Definition) Examples() [][]int {
	if !d.shaped {
		return nil
	}
	at := map[string]int64{}
	var out [][]int
	for _, p := range d.operands {
		sizes := []int{}
		for _, s := range p.shape {
			n := s.c
			for _, f := range s.t {
				if at[f.name] == 0 {
					at[f.name] = int64(2 + len(at)%2)
				}
				n += f.k * at[f.name]
			}
			sizes = append(sizes, int(n))
		}
		out = append(out, sizes)
	}
	return out
}

// Register makes the operators of definitions known to the program, see [graph.Define]. None is
// known if there is an error.
func Register(ds []*Definition) error {
	var ops []*graph.Op
	for _, d := range ds {
		op := d.Op()
		if err := graph.Definable(op); err != nil {
			return err
		}
		ops = append(ops, op)
	}
	for _, op := range ops {
		if _, err := graph.Define(op); err != nil {
			return err
		}
	}
	return nil
}
