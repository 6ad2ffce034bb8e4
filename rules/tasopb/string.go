package tasopb

import (
	"fmt"
	"strconv"
	"strings"
)

// maxStringBytes is about the most that String writes for a side: a graph with
// shared operators can be exponentially larger as a term.
const maxStringBytes = 8 << 10

// String returns the rule as terms over the variables x1, x2 …, such as
//
//	matmul[act=none](x1, matmul[act=none](x2, x3)) => …
//
// Variable xN is the one with id -N. Outputs of a split are marked .0, .1 …;
// several mapped outputs stand in parentheses. It is for people: shared
// operators are written out each time, and long terms are cut with "…". What is
// in no term, since nothing uses it, is listed after them.
func (r *Rule) String() string {
	var b printer
	for i, ops := range [][]Operator{r.SrcOps, r.DstOps} {
		side := []Side{Src, Dst}[i]
		for _, op := range r.Unused(side) {
			b.text(fmt.Sprintf("; unused in %s: ", side))
			b.tensor(ops, len(ops), int32(op), 0)
		}
	}
	return r.terms() + b.String()
}

func (r *Rule) terms() string {
	var src, dst printer
	for i := range r.Mapped {
		if i > 0 {
			src.text(", ")
			dst.text(", ")
		}
		m := &r.Mapped[i]
		src.tensor(r.SrcOps, len(r.SrcOps), m.SrcOpID, m.SrcTsID)
		dst.tensor(r.DstOps, len(r.DstOps), m.DstOpID, m.DstTsID)
	}
	if len(r.Mapped) == 1 {
		return src.String() + " => " + dst.String()
	}
	return "(" + src.String() + ") => (" + dst.String() + ")"
}

// A printer writes terms until it is full.
type printer struct {
	strings.Builder
	full bool
}

func (p *printer) text(s string) {
	if p.full {
		return
	}
	if p.Len()+len(s) > maxStringBytes {
		p.full = true
		s = "…"
	}
	p.WriteString(s)
}

// tensor writes output ts of operator op, which must come before operator limit:
// a reference that is out of order, and may be part of a cycle, is not followed.
func (p *printer) tensor(ops []Operator, limit int, op, ts int32) {
	switch {
	case p.full:
	case op < 0:
		p.text("x" + strconv.FormatInt(-int64(op), 10))
		if ts != 0 {
			p.text("." + strconv.Itoa(int(ts)))
		}
	case int(op) >= limit:
		p.text(fmt.Sprintf("<operator %d>.%d", op, ts))
	default:
		o := &ops[op]
		p.operator(o)
		if len(o.Inputs) > 0 {
			p.text("(")
			for i, in := range o.Inputs {
				if p.full {
					return
				}
				if i > 0 {
					p.text(", ")
				}
				p.tensor(ops, int(op), in.OpID, in.TsID)
			}
			p.text(")")
		}
		if o.Type == OpSplit || ts != 0 {
			p.text("." + strconv.Itoa(int(ts)))
		}
	}
}

// operator writes a name and its attributes, in file order. What the term shows
// anyway (the number of inputs, the type) is left out.
func (p *printer) operator(o *Operator) {
	if o.Type.Known() {
		p.text(opTable[o.Type].fn)
	} else {
		p.text(fmt.Sprintf("op%d", int32(o.Type)))
	}
	sep, end := "[", ""
	attr := func(name, value string) {
		p.text(sep + name + "=" + value)
		sep, end = ", ", "]"
	}
	for i := 0; i < len(o.Params); i++ {
		q := o.Params[i]
		v := strconv.Itoa(int(q.Value))
		var next Parameter
		if i+1 < len(o.Params) {
			next = o.Params[i+1]
		}
		switch {
		case q.Key == ParamNumInputs && int(q.Value) == len(o.Inputs):
		case q.Key == ParamOpType && OpType(q.Value) == o.Type:
		case q.Key == ParamKernelH && next.Key == ParamKernelW:
			attr("kernel", v+"x"+strconv.Itoa(int(next.Value)))
			i++
		case q.Key == ParamStrideH && next.Key == ParamStrideW:
			attr("stride", v+"x"+strconv.Itoa(int(next.Value)))
			i++
		case q.Key == ParamPad:
			attr("pad", Padding(q.Value).String())
		case q.Key == ParamActi:
			attr("act", Activation(q.Value).String())
		case q.Key.Known():
			attr(strings.ToLower(q.Key.String()), v)
		default:
			attr("key"+strconv.Itoa(int(q.Key)), v)
		}
	}
	p.text(end)
}
