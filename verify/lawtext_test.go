package verify

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// reader reads laws written in one line each, so that these tests need neither
// the parser nor the axioms of other packages:
//
//	name (one or two) | X : [P.., a+b, 3], s : stride | a != b | lhs == rhs
type reader struct {
	s     string
	at    int
	sorts map[string]string
	err   string
}

func (r *reader) space() {
	for r.at < len(r.s) && r.s[r.at] == ' ' {
		r.at++
	}
}

func (r *reader) peek() byte {
	r.space()
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

func (r *reader) eat(tok string) bool {
	r.space()
	if strings.HasPrefix(r.s[r.at:], tok) {
		r.at += len(tok)
		return true
	}
	return false
}

func (r *reader) want(tok string) {
	if !r.eat(tok) && r.err == "" {
		r.err = fmt.Sprintf("want %q at %q", tok, r.s[r.at:])
		r.at = len(r.s)
	}
}

func (r *reader) word() string {
	r.space()
	i := r.at
	for r.at < len(r.s) && (r.s[r.at] == '_' || unicode.IsLetter(rune(r.s[r.at])) || unicode.IsDigit(rune(r.s[r.at]))) {
		r.at++
	}
	if i == r.at {
		r.want("a word")
	}
	return r.s[i:r.at]
}

func (r *reader) dim() graph.Dim {
	d := r.product()
	for {
		switch {
		case r.eat("+"):
			d = d.Add(r.product())
		case r.eat("-"):
			d = d.Sub(r.product())
		default:
			return d
		}
	}
}

func (r *reader) product() graph.Dim {
	factor := func() graph.Dim {
		if r.eat("#") {
			return graph.RunLen(r.word())
		}
		w := r.word()
		if n, err := strconv.Atoi(w); err == nil {
			return graph.Int(int64(n))
		}
		return graph.Var(w)
	}
	d := factor()
	for r.eat("*") {
		d = d.Mul(factor())
	}
	return d
}

func (r *reader) shape() graph.Shape {
	s := graph.Shape{}
	r.want("[")
	for r.peek() != ']' && r.err == "" {
		back := r.at
		w := r.word()
		if r.eat("..") {
			s = append(s, graph.Run(w))
		} else {
			r.at = back
			s = append(s, graph.Axis(r.dim()))
		}
		r.eat(",")
	}
	r.want("]")
	return s
}

func (r *reader) attr(sort string) graph.Value {
	if r.peek() == '[' {
		return graph.ShapeValue(r.shape())
	}
	if r.eat("(") {
		var xs []int64
		for !r.eat(")") && r.err == "" {
			n, _ := strconv.ParseInt(r.word(), 10, 64)
			xs = append(xs, n)
			r.eat(",")
		}
		return graph.TupleValue(xs...)
	}
	if sort == "int" || sort == "axis" {
		return graph.DimValue(r.dim())
	}
	w := r.word()
	if s, ok := r.sorts[w]; ok {
		return graph.VarValue(w, s)
	}
	return graph.NameValue(w)
}

func (r *reader) term() *law.Term {
	w := r.word()
	if _, ok := r.sorts[w]; ok && r.eat("(") {
		t := law.Call(w, r.term())
		r.want(")")
		return t
	}
	op, ok := graph.Lookup(w)
	if !ok {
		return law.V(w)
	}
	named := map[string]graph.Value{}
	if r.eat("[") {
		for !r.eat("]") && r.err == "" {
			name := r.word()
			r.want("=")
			if i := op.ParamIndex(name); i >= 0 {
				named[name] = r.attr(op.Params[i].Sort)
			} else {
				r.want("a parameter, not " + name)
			}
			r.eat(",")
		}
	}
	attrs, err := op.Attr(named)
	if err != nil && r.err == "" {
		r.err = err.Error()
	}
	t := law.Apply(op, attrs)
	r.want("(")
	for !r.eat(")") && r.err == "" {
		t.Args = append(t.Args, r.term())
		r.eat(",")
	}
	if r.eat(".") {
		n, _ := strconv.Atoi(r.word())
		t = t.Output(n)
	}
	return t
}

func (r *reader) side() []*law.Term {
	if !r.eat("(") {
		return []*law.Term{r.term()}
	}
	var out []*law.Term
	for !r.eat(")") && r.err == "" {
		out = append(out, r.term())
		r.eat(",")
	}
	return out
}

func readLaw(line string) (*law.Law, error) {
	part := strings.Split(line, "|")
	if len(part) != 4 {
		return nil, fmt.Errorf("%q: want 4 parts", line)
	}
	head := strings.Fields(part[0])
	l := &law.Law{Kind: law.Axiom, Name: head[0], Tags: head[1:]}
	sorts := map[string]string{}
	var failed string
	with := func(s string, f func(r *reader)) {
		r := &reader{s: s, sorts: sorts}
		f(r)
		if r.space(); r.err == "" && r.at < len(r.s) {
			r.err = fmt.Sprintf("what is %q", r.s[r.at:])
		}
		if failed == "" && r.err != "" {
			failed = r.err
		}
	}
	with(part[1], func(r *reader) {
		for r.peek() != 0 && r.err == "" {
			b := law.Binding{Name: r.word()}
			r.want(":")
			if r.peek() == '[' {
				b.Shape = r.shape()
			} else {
				b.Sort = r.word()
				sorts[b.Name] = b.Sort
			}
			l.Given = append(l.Given, b)
			r.eat(",")
		}
	})
	with(part[2], func(r *reader) {
		for r.peek() != 0 && r.err == "" {
			p := law.Pred{Left: r.dim()}
			for _, rel := range []string{"==", "!=", "<=", ">=", "<", ">"} {
				if r.eat(rel) {
					p.Rel = rel
					break
				}
			}
			p.Right = r.dim()
			l.Where = append(l.Where, p)
			r.eat(",")
		}
	})
	with(part[3], func(r *reader) {
		l.LHS = r.side()
		if r.eat("=>") {
			l.OneWay = true
		} else {
			r.want("==")
		}
		l.RHS = r.side()
	})
	if failed != "" {
		return nil, fmt.Errorf("%q: %s", line, failed)
	}
	return l, nil
}

// readLaws reads one law a line; empty lines and those with # are skipped.
func readLaws(t testing.TB, text string) []*law.Law {
	t.Helper()
	var out []*law.Law
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		l, err := readLaw(line)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}
