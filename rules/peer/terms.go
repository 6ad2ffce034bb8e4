package peer

import (
	"strings"

	"github.com/taso-go/taso/internal/must"
)

// readVerifier reads equations in function notation. Both directions are
// claimed: the verifier of TASO proves equality.
func readVerifier(f *File, data []byte) {
	p := newParser(notationVerifier, string(data))
	for p.more() {
		var r pair
		if f.faulty(func() { r = p.rule() }) {
			p.skipLine()
			continue
		}
		f.add(build(notationVerifier, true, r))
	}
	f.stop()
}

// readTensat reads s-expressions, one rule after another, however they are
// spread over lines. Two rules in a row that take the two halves of one split
// are one rule with two outputs; in the multi form any two are.
func readTensat(f *File, data []byte) {
	p := newParser(notationTensat, string(data))
	multi := f.Format == TensatMulti
	var held *pair // read, and not yet added
	for p.more() {
		var r pair
		if f.faulty(func() { r = p.rule() }) {
			p.skipLine()
			continue
		}
		switch {
		case held != nil && (multi || halves(*held, r)):
			f.add(build(notationTensat, false, *held, r))
			held = nil
		case held != nil:
			f.add(build(notationTensat, false, *held))
			held = &r
		default:
			held = &r
		}
	}
	if f.stop(); held == nil {
		return
	}
	last := build(notationTensat, false, *held)
	if multi {
		last.TASO = nil
		last.Fault = &Fault{Kind: IllFormed, Err: at(held.pos, "a rule without a second one: in this format two make a rule")}
	}
	f.add(last)
}

// halves reports whether the right sides are the two parts of one split.
func halves(a, b pair) bool {
	return a.rhs.name == "split_0" && b.rhs.name == "split_1" &&
		(&expr{args: a.rhs.args, call: true}).String() == (&expr{args: b.rhs.args, call: true}).String()
}

// parser reads rules: two terms with a sign between them.
type parser struct {
	*scanner
	sign string
	term func(depth int) expr
	read bool // a rule, or part of one
}

func newParser(n notation, src string) *parser {
	p := &parser{scanner: newScanner(src), sign: "=="}
	p.term = p.application
	if n == notationTensat {
		p.sign, p.term = "=>", p.list
	}
	return p
}

// more reports whether there is another rule; there is at least one.
func (p *parser) more() bool {
	end := p.atEnd()
	if end && !p.read {
		must.Do(errEmpty)
	}
	return !end
}

func (p *parser) rule() (r pair) {
	p.space()
	p.nodes, p.read = 0, true
	from := p.at
	r.pos = p.pos()
	r.lhs = p.term(0)
	p.expect(p.sign)
	r.rhs = p.term(0)
	r.source = p.src[from:p.at]
	return r
}

// checkDepth refuses a term nested to that depth.
func (p *parser) checkDepth(depth int) {
	if depth > MaxDepth {
		failAt(p.pos(), "too large: terms nested more than %d deep", MaxDepth)
	}
}

// application reads f(x,y).
func (p *parser) application(depth int) expr {
	p.checkDepth(depth)
	e := p.name()
	if !p.take("(") {
		return e
	}
	e.call = true
	for !p.take(")") {
		if len(e.args) > 0 {
			p.expect(",", ")")
		}
		e.args = append(e.args, p.term(depth+1))
	}
	return e
}

// list reads (f x y).
func (p *parser) list(depth int) expr {
	p.checkDepth(depth)
	place := p.pos()
	if !p.take("(") {
		return p.atom()
	}
	e := p.atom()
	e.call, e.pos = true, place
	for !p.take(")") {
		e.args = append(e.args, p.term(depth+1))
	}
	return e
}

// atom reads a variable, such as ?input_1, a number or a name.
func (p *parser) atom() expr {
	p.space()
	start := p.at
	return p.word(func(c byte) bool {
		switch c {
		case '?', '-':
			return p.at == start
		case '@', '.': // shapes of inputs: name@1_2
			return p.at > start
		}
		return isNameByte(c)
	})
}

// constantNames are the names that take no arguments.
var constantNames = []string{"Imatmul", "Iewmul"}

// name reads a name or number. Where equations run together, a variable or a
// constant at the end of one is followed by the first letter of the next:
// input_ and digits, and the names of constants, end a name.
func (p *parser) name() expr {
	p.space()
	rest := p.src[p.at:]
	n := 0
	for _, c := range constantNames {
		if strings.HasPrefix(rest, c) {
			n = len(c)
		}
	}
	if number, ok := strings.CutPrefix(rest, "input_"); ok {
		digits := 0
		for digits < len(number) && number[digits] >= '0' && number[digits] <= '9' {
			digits++
		}
		if digits > 0 {
			n = len("input_") + digits
		}
	}
	if n == 0 {
		first := true
		return p.word(func(c byte) bool {
			minus := first && c == '-'
			first = false
			return minus || isNameByte(c)
		})
	}
	end := p.at + n
	return p.word(func(byte) bool { return p.at < end })
}
