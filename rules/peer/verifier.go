package peer

import (
	"strings"
)

// readVerifier reads equations in function notation. Both directions are
// claimed: the verifier of TASO proves equality.
func readVerifier(f *File, data []byte) error {
	p := &verifierParser{newScanner(string(data))}
	if p.atEnd() {
		return &Error{File: f.Path, Err: errEmpty}
	}
	for !p.atEnd() {
		r, err := p.rule()
		if err != nil {
			return fileError(f.Path, err)
		}
		if err := f.add(build(notationVerifier, true, r)); err != nil {
			return err
		}
	}
	return nil
}

type verifierParser struct{ *scanner }

func (p *verifierParser) rule() (r pair, err error) {
	p.space()
	p.nodes = 0
	from := p.at
	r.pos = p.pos()
	if r.lhs, err = p.term(0); err != nil {
		return r, err
	}
	if err = p.expect("=="); err != nil {
		return r, err
	}
	if r.rhs, err = p.term(0); err != nil {
		return r, err
	}
	r.source = p.src[from:p.at]
	return r, nil
}

func (p *verifierParser) term(depth int) (expr, error) {
	if err := p.tooDeep(depth); err != nil {
		return expr{}, err
	}
	e, err := p.name()
	if err != nil {
		return e, err
	}
	if !p.take("(") {
		return e, nil
	}
	e.call = true
	for !p.take(")") {
		if len(e.args) > 0 {
			if err := p.expect(",", ")"); err != nil {
				return e, err
			}
		}
		a, err := p.term(depth + 1)
		if err != nil {
			return e, err
		}
		e.args = append(e.args, a)
	}
	return e, nil
}

// constantNames are the names that take no arguments.
var constantNames = []string{"Imatmul", "Iewmul"}

// name reads a name or number. Where equations run together, a variable or a
// constant at the end of one is followed by the first letter of the next:
// input_ and digits, and the names of constants, end a name.
func (p *verifierParser) name() (expr, error) {
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
