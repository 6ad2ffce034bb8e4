package graph

import (
	"slices"
	"strconv"
)

// key is a text that only expressions have that differ in the names of their
// variables at most, and the variables that are not bound in e, in the order in
// which they occur. Variables of one value play no part.
func (l *lowering) key(e *Expr) (string, []Sym) {
	k := keyer{l: l, b: make([]byte, 0, 128)}
	k.expr(e)
	free := k.vars[:0:0]
	for _, v := range k.vars {
		if !slices.Contains(k.bound, v) {
			free = append(free, v)
		}
	}
	return string(k.b), free
}

type keyer struct {
	l           *lowering
	b           []byte
	vars, bound []Sym
}

func (k *keyer) int(n int64) {
	k.b = strconv.AppendInt(k.b, n, 10)
	k.b = append(k.b, ' ')
}

func (k *keyer) expr(e *Expr) {
	k.b = append(k.b, '(', 'a'+byte(e.Kind))
	switch e.Kind {
	case ExprNumber:
		k.index(e.Size)
	case ExprRead:
		k.int(int64(e.In))
		for _, at := range e.At {
			k.index(at)
		}
	case ExprFn:
		k.b = e.Fn.appendKey(k.b)
	}
	for _, b := range e.Over {
		k.int(int64(k.l.of(b.Var)))
		k.bound = append(k.bound, b.Var)
		k.index(b.Var.Index())
	}
	for _, g := range e.If {
		k.b = append(k.b, '?')
		if g.Eq {
			k.b = append(k.b, '=')
		}
		k.index(g.E)
	}
	for _, a := range e.Args {
		k.expr(a)
	}
	if e.Direct != nil {
		k.b = appendString(append(k.b, '='), e.Direct.Fn.Name)
		for _, a := range e.Direct.Args {
			k.expr(a)
		}
	}
	if e.Shift != nil {
		k.b = append(k.b, '-')
		k.expr(e.Shift)
	}
	k.b = append(k.b, ')')
}

func (k *keyer) index(e Index) {
	k.int(e.c)
	for _, t := range e.t {
		n := k.l.of(t.sym)
		if n == 1 {
			continue
		}
		k.b = append(k.b, '+')
		k.int(t.k)
		if n > 1 {
			k.sym(t.sym, n)
			continue
		}
		name, args, _ := k.l.s.App(t.sym)
		k.b = appendString(k.b, name)
		for _, a := range args {
			k.index(a)
		}
	}
	k.b = append(k.b, ',')
}

func (k *keyer) sym(v Sym, n int) {
	i := slices.Index(k.vars, v)
	if i < 0 {
		i = len(k.vars)
		k.vars = append(k.vars, v)
		k.b = append(k.b, '#')
		k.int(int64(n))
	}
	k.b = append(k.b, '$')
	k.int(int64(i))
}
