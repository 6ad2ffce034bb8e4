package peer

// readTensat reads s-expressions, one rule after another, however they are
// spread over lines. Two rules in a row that take the two halves of one split
// are one rule with two outputs; in the multi form any two are.
func readTensat(f *File, data []byte) error {
	p := newTensatParser(string(data))
	if p.atEnd() {
		return &Error{File: f.Path, Err: errEmpty}
	}
	multi := f.Format == TensatMulti
	var held *pair // read, and not yet added
	for !p.atEnd() {
		r, err := p.rule()
		if err != nil {
			return fileError(f.Path, err)
		}
		switch {
		case held != nil && (multi || halves(*held, r)):
			err = f.add(build(notationTensat, false, *held, r))
			held = nil
		case held != nil:
			err = f.add(build(notationTensat, false, *held))
			held = &r
		default:
			held = &r
		}
		if err != nil {
			return err
		}
	}
	if held == nil {
		return nil
	}
	last := build(notationTensat, false, *held)
	if multi {
		last.TASO = nil
		last.Fault = &Fault{Kind: IllFormed, Err: at(held.pos, "a rule without a second one: in this format two make a rule")}
	}
	return f.add(last)
}

// halves reports whether the right sides are the two parts of one split.
func halves(a, b pair) bool {
	return a.rhs.name == "split_0" && b.rhs.name == "split_1" &&
		(&expr{args: a.rhs.args, call: true}).String() == (&expr{args: b.rhs.args, call: true}).String()
}

type tensatParser struct{ *scanner }

func newTensatParser(src string) *tensatParser { return &tensatParser{newScanner(src)} }

func (p *tensatParser) rule() (r pair, err error) {
	p.space()
	p.nodes = 0
	from := p.at
	r.pos = p.pos()
	if r.lhs, err = p.term(0); err != nil {
		return r, err
	}
	if err = p.expect("=>"); err != nil {
		return r, err
	}
	if r.rhs, err = p.term(0); err != nil {
		return r, err
	}
	r.source = p.src[from:p.at]
	return r, nil
}

func (p *tensatParser) term(depth int) (expr, error) {
	if err := p.tooDeep(depth); err != nil {
		return expr{}, err
	}
	place := p.pos()
	if !p.take("(") {
		return p.atom()
	}
	e, err := p.atom()
	if err != nil {
		return e, err
	}
	e.call, e.pos = true, place
	for !p.take(")") {
		a, err := p.term(depth + 1)
		if err != nil {
			return e, err
		}
		e.args = append(e.args, a)
	}
	return e, nil
}

// atom reads a variable, such as ?input_1, a number or a name.
func (p *tensatParser) atom() (expr, error) {
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
