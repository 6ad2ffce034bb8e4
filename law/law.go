package law

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Kind says how a law is held.
type Kind uint8

const (
	// Axiom is assumed by the provers and checked independently.
	Axiom Kind = iota + 1
	// Lemma is proved from the axioms and then used like one.
	Lemma
	// Rule is a generated law with a proof.
	Rule
	// Refute is an equation that must stay false.
	Refute
)

// String is the keyword of k.
func (k Kind) String() string {
	switch k {
	case Axiom:
		return "axiom"
	case Lemma:
		return "lemma"
	case Rule:
		return "rule"
	case Refute:
		return "refute"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Pos is a place in a source text; the zero Pos is no place.
type Pos struct {
	File      string
	Line, Col int
}

// String is file:line:col.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Law is one equation with its conditions.
type Law struct {
	Kind    Kind
	Name    string
	Tags    []string
	Doc     string // the comment before it, without "# "
	Section string
	Given   []Declaration
	Where   []Pred
	LHS     []*Term // the outputs; as many as RHS
	RHS     []*Term
	OneWay  bool // written with =>: used left to right only
	Cite    []string
	Pos     Pos
}

// Declaration introduces a variable: a tensor of a shape, or, where Sort is not
// empty, an attribute or function variable.
type Declaration struct {
	Name  string
	Shape graph.Shape
	Sort  string
	Pos   Pos
}

// Sorts of function variables.
const (
	SortPointwise1 = "pointwise1" // any function of one element
	SortZero1      = "zero1"      // any function of one element with f(0) = 0
)

// IsFuncSort reports whether a variable of the sort is applied to tensors.
func IsFuncSort(sort string) bool { return sort == SortPointwise1 || sort == SortZero1 }

// Pred is a condition on sizes: Left Rel Right, or (Left mod Mod) Rel Right
// where Mod is not nil. Rel is one of == != < <= > >=.
type Pred struct {
	Left  graph.Dim
	Mod   *graph.Dim
	Rel   string
	Right graph.Dim
}

// String is the condition in the law language.
func (p Pred) String() string {
	l := p.Left.String()
	if p.Mod != nil {
		l += " % " + p.Mod.String()
	}
	return l + " " + p.Rel + " " + p.Right.String()
}

// Subst is the condition with variables replaced.
func (p Pred) Subst(b *graph.Substitution) Pred {
	q := Pred{Left: p.Left.Subst(b), Rel: p.Rel, Right: p.Right.Subst(b)}
	if p.Mod != nil {
		m := p.Mod.Subst(b)
		q.Mod = &m
	}
	return q
}

// Holds evaluates the condition; ok is false where it is not decided because
// sizes are symbolic.
func (p Pred) Holds(b *graph.Substitution) (holds, ok bool) { return p.Subst(b).Decide() }

// Decide says whether the condition holds for all sizes, or for none; ok is
// false where it is not decided.
func (p Pred) Decide() (holds, ok bool) {
	l, r := p.Left, p.Right
	if p.Mod != nil {
		m, okm := p.Mod.Const()
		n, okn := l.Const()
		if !okm || !okn || m <= 0 {
			return false, false
		}
		if n %= m; n < 0 {
			n += m
		}
		l = graph.Int(n)
	}
	d := l.Sub(r)
	switch p.Rel {
	case "==":
		if d == graph.Int(0) {
			return true, true
		}
		return false, d.NonZero()
	case "!=":
		if d == graph.Int(0) {
			return false, true
		}
		return true, d.NonZero()
	case "<", ">=":
		if d.NonNegative() {
			return p.Rel == ">=", true
		}
		return p.Rel == "<", d.Neg().Sub(graph.Int(1)).NonNegative()
	case ">", "<=":
		if d.Neg().NonNegative() {
			return p.Rel == "<=", true
		}
		return p.Rel == ">", d.Sub(graph.Int(1)).NonNegative()
	}
	return false, false
}

// Find returns the binding of a name.
func (l *Law) Find(name string) (*Declaration, bool) {
	for i := range l.Given {
		if l.Given[i].Name == name {
			return &l.Given[i], true
		}
	}
	return nil, false
}

// HasTag reports whether the law carries a tag.
func (l *Law) HasTag(tag string) bool { return slices.Contains(l.Tags, tag) }
