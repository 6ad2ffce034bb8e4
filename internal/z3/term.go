package z3

import (
	"errors"
	"fmt"
)

// Sort is a set of values that terms range over.
type Sort struct {
	c   *Context
	raw raw
	err error
}

// Err is the error that made this sort, nil if it is well formed.
func (s Sort) Err() error { return s.c.check("sort", "", s.c, s.raw, s.err) }

// String is the sort in SMT-LIB form, or its error.
func (s Sort) String() string {
	if err := s.Err(); err != nil {
		return "!(" + err.Error() + ")"
	}
	return s.c.rawSortString(s.raw)
}

// Func is a declared, uninterpreted function: all that is known of it is what
// is asserted.
type Func struct {
	c    *Context
	name string
	raw  raw
	err  error
}

// Err is the error that made this function, nil if it is well formed.
func (f Func) Err() error { return f.c.check("function ", f.name, f.c, f.raw, f.err) }

// Term is an expression. The zero Term is ill formed. Terms are immutable
// values, valid until their context closes.
type Term struct {
	c   *Context
	raw raw
	err error
}

// Err is the first error in the making of this term, nil if it is well formed.
func (t Term) Err() error { return t.c.check("term", "", t.c, t.raw, t.err) }

// String is the term in SMT-LIB form, or its error.
func (t Term) String() string {
	if err := t.Err(); err != nil {
		return "!(" + err.Error() + ")"
	}
	return t.c.rawString(t.raw)
}

// Equal tells whether two well-formed terms are the same expression. It does
// no reasoning: x+y and y+x are not Equal.
func (t Term) Equal(u Term) bool {
	return t.c == u.c && t.raw == u.raw && t.raw != 0
}

// Sort is the sort of the term.
func (t Term) Sort() Sort {
	if err := t.Err(); err != nil {
		return Sort{c: t.c, err: err}
	}
	r, err := t.c.rawSortOf(t.raw)
	return Sort{c: t.c, raw: r, err: err}
}

// check tells why an operand (its context, handle and error) cannot be used in
// c. What and name make the error's Op; they come apart because building terms
// is hot and errors are rare.
func (c *Context) check(what, name string, of *Context, r raw, err error) error {
	switch {
	case err != nil:
		return err
	case of == nil || r == 0:
		return &Error{Op: what + name, Code: CodeInvalidArg, Msg: "zero value"}
	case of != c:
		return &Error{Op: what + name, Code: CodeInvalidArg, Msg: "belongs to another context"}
	}
	return c.ready()
}

// raws is the handles of terms, or the first error among them.
func (c *Context) raws(what, name string, terms []Term) ([]raw, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	out := make([]raw, len(terms))
	for i, t := range terms {
		if err := c.check(what, name, t.c, t.raw, t.err); err != nil {
			return nil, err
		}
		out[i] = t.raw
	}
	return out, nil
}

func (c *Context) term(r raw, err error) Term { return Term{c: c, raw: r, err: err} }

func (c *Context) op(what string, o op, least int, args ...Term) Term {
	r, err := c.raws(what, "", args)
	if err != nil {
		return c.term(0, err)
	}
	if len(args) < least {
		return c.term(0, &Error{Op: what, Code: CodeInvalidArg, Msg: fmt.Sprintf("needs at least %d arguments, has %d", least, len(args))})
	}
	return c.term(c.rawOp(what, o, r))
}

// Bool is the sort of formulas.
func (c *Context) Bool() Sort { return c.boolean }

// Int is the sort of the integers, all of them.
func (c *Context) Int() Sort { return c.integer }

// Uninterpreted is a sort of which only the name is known. The same name is
// the same sort.
func (c *Context) Uninterpreted(name string) Sort {
	if err := c.ready(); err != nil {
		return Sort{c: c, err: err}
	}
	r, err := c.rawUninterpreted(name)
	return Sort{c: c, raw: r, err: err}
}

// Func declares an uninterpreted function. The same name, domain and range are
// the same function; the same name with others is another function.
func (c *Context) Func(name string, domain []Sort, rng Sort) Func {
	f := Func{c: c, name: name}
	in := make([]raw, len(domain))
	for i, s := range domain {
		if f.err = c.check("sort", "", s.c, s.raw, s.err); f.err != nil {
			f.err = fmt.Errorf("z3: function %s: argument %d: %w", name, i, f.err)
			return f
		}
		in[i] = s.raw
	}
	if f.err = c.check("sort", "", rng.c, rng.raw, rng.err); f.err != nil {
		f.err = fmt.Errorf("z3: function %s: range: %w", name, f.err)
		return f
	}
	f.raw, f.err = c.rawFunc(name, in, rng.raw)
	return f
}

// Apply is the term f(args...). Its error tells of a wrong number of arguments
// or a wrong sort.
func (f Func) Apply(args ...Term) Term {
	if err := f.Err(); err != nil {
		return Term{c: f.c, err: err}
	}
	r, err := f.c.raws("apply ", f.name, args)
	if err != nil {
		return Term{c: f.c, err: err}
	}
	return f.c.term(f.c.rawApp(f.name, f.raw, r))
}

// Const is a constant: a function without arguments.
func (c *Context) Const(name string, s Sort) Term { return c.Func(name, nil, s).Apply() }

// True is the formula that holds.
func (c *Context) True() Term { return c.op("true", opTrue, 0) }

// False is the formula that does not.
func (c *Context) False() Term { return c.op("false", opFalse, 0) }

// Not is the negation of a formula.
func (c *Context) Not(a Term) Term { return c.op("not", opNot, 1, a) }

// And is the conjunction; of nothing, true.
func (c *Context) And(a ...Term) Term { return c.op("and", opAnd, 0, a...) }

// Or is the disjunction; of nothing, false.
func (c *Context) Or(a ...Term) Term { return c.op("or", opOr, 0, a...) }

// Implies is the formula a ⇒ b.
func (c *Context) Implies(a, b Term) Term { return c.op("implies", opImplies, 2, a, b) }

// Iff is the formula a ⇔ b.
func (c *Context) Iff(a, b Term) Term { return c.op("iff", opIff, 2, a, b) }

// Eq is the formula a = b; both have one sort.
func (c *Context) Eq(a, b Term) Term { return c.op("=", opEq, 2, a, b) }

// Ite is the term "if cond then a else b".
func (c *Context) Ite(cond, a, b Term) Term { return c.op("ite", opIte, 3, cond, a, b) }

// IntVal is an integer literal.
func (c *Context) IntVal(v int64) Term {
	if err := c.ready(); err != nil {
		return c.term(0, err)
	}
	return c.term(c.rawInt64(v, c.integer.raw))
}

// BigInt is an integer literal of any size, in decimal digits with an optional
// minus sign.
func (c *Context) BigInt(digits string) Term {
	if err := c.ready(); err != nil {
		return c.term(0, err)
	}
	return c.term(c.rawNumeral(digits, c.integer.raw))
}

// Add is the sum of at least one integer.
func (c *Context) Add(a ...Term) Term { return c.op("+", opAdd, 1, a...) }

// Sub is the first integer minus the others.
func (c *Context) Sub(a ...Term) Term { return c.op("-", opSub, 1, a...) }

// Mul is the product of at least one integer.
func (c *Context) Mul(a ...Term) Term { return c.op("*", opMul, 1, a...) }

// Mod is the remainder of SMT-LIB's integer division: 0 ≤ Mod(a,b) < |b|, so
// that it is never negative, unlike Go's. For b = 0 it is an unknown function of a.
func (c *Context) Mod(a, b Term) Term { return c.op("mod", opMod, 2, a, b) }

// Le is a ≤ b over the integers.
func (c *Context) Le(a, b Term) Term { return c.op("<=", opLe, 2, a, b) }

// Lt is a < b over the integers.
func (c *Context) Lt(a, b Term) Term { return c.op("<", opLt, 2, a, b) }

// Quantifier is a quantified formula in the making.
type Quantifier struct {
	// ID names it in statistics, traces and errors.
	ID string
	// Weight makes E-matching reluctant: an instance whose cost (weight plus
	// generation) is beyond Z3's thresholds waits. 0 is eager.
	Weight uint
	// Bound are the quantified variables: distinct constants that occur in
	// Body. Outside the quantifier the same constants stay free.
	Bound []Term
	// Patterns are the triggers. Each is a multi-pattern: a non-empty list of
	// applications that together contain every bound variable; the body is
	// instantiated where all of a list match. Empty lets Z3 choose.
	Patterns [][]Term
	// Body is the formula.
	Body Term
}

// ForAll is the formula "for all Bound, Body".
func (c *Context) ForAll(q Quantifier) Term {
	what := "forall " + q.ID
	bad := func(code Code, msg string) Term {
		return c.term(0, &Error{Op: what, Code: code, Msg: msg})
	}
	bound, err := c.raws(what, "", q.Bound)
	if err != nil {
		return c.term(0, err)
	}
	body, err := c.raws(what, "", []Term{q.Body})
	if err != nil {
		return c.term(0, err)
	}
	isBound := map[raw]bool{}
	for i, b := range bound {
		switch {
		case !c.rawIsApp(b):
			return bad(CodeInvalidArg, "bound variable "+q.Bound[i].String()+" is not a constant")
		case isBound[b]:
			return bad(CodeInvalidArg, "bound variable "+q.Bound[i].String()+" twice")
		}
		isBound[b] = true
	}
	var patterns []raw
	for _, p := range q.Patterns {
		terms, err := c.raws(what, "", p)
		if err != nil {
			return c.term(0, err)
		}
		if len(terms) == 0 {
			return bad(CodeInvalidPattern, "empty pattern")
		}
		for i, t := range terms {
			// Z3 takes a bare variable, and then never matches it.
			if isBound[t] || !c.rawIsApp(t) {
				return bad(CodeInvalidPattern, "pattern "+p[i].String()+" is not an application")
			}
		}
		r, err := c.rawPattern(what, terms)
		if err != nil {
			return c.term(0, err)
		}
		patterns = append(patterns, r)
	}
	r, err := c.rawQuantifier(what, q.ID, q.Weight, bound, patterns, body[0])
	if e := (*Error)(nil); errors.As(err, &e) && e.Code == CodeInvalidPattern {
		e.Msg += ": each multi-pattern must contain every bound variable and no interpreted symbol at its top"
	}
	return c.term(r, err)
}
