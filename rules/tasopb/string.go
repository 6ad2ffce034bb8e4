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
	return r.Format(func(side Side, i int) string { return r.Side(side)[i].String() })
}

// Side is the operators of a side.
func (r *Rule) Side(side Side) []Operator {
	if side == Dst {
		return r.DstOps
	}
	return r.SrcOps
}

// Format is [Rule.String] with other names and attributes of operators.
func (r *Rule) Format(operator func(side Side, i int) string) string {
	var unused strings.Builder
	text := map[Side]*printer{}
	for _, side := range []Side{Src, Dst} {
		own := func(i int) string { return operator(side, i) }
		rest := printer{ops: r.Side(side), operator: own}
		for _, op := range r.Unused(side) {
			rest.text(fmt.Sprintf("; unused in %s: ", side))
			rest.tensor(len(rest.ops), int32(op), 0)
		}
		unused.WriteString(rest.String())
		text[side] = &printer{ops: r.Side(side), operator: own}
	}
	for i, m := range r.Mapped {
		if i > 0 {
			text[Src].text(", ")
			text[Dst].text(", ")
		}
		text[Src].tensor(len(r.SrcOps), m.SrcOpID, m.SrcTsID)
		text[Dst].tensor(len(r.DstOps), m.DstOpID, m.DstTsID)
	}
	form := "(%s) => (%s)%s"
	if len(r.Mapped) == 1 {
		form = "%s => %s%s"
	}
	return fmt.Sprintf(form, text[Src], text[Dst], unused.String())
}

// A printer writes terms of a side until it is full.
type printer struct {
	strings.Builder
	ops      []Operator
	operator func(i int) string
	full     bool
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
func (p *printer) tensor(limit int, op, ts int32) {
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
		o := &p.ops[op]
		p.text(p.operator(int(op)))
		if len(o.Inputs) > 0 {
			p.text("(")
			for i, in := range o.Inputs {
				if p.full {
					return
				}
				if i > 0 {
					p.text(", ")
				}
				p.tensor(int(op), in.OpID, in.TsID)
			}
			p.text(")")
		}
		if o.Type == OpSplit || ts != 0 {
			p.text("." + strconv.Itoa(int(ts)))
		}
	}
}

// String is the operator's name and its attributes, in file order. What the term
// shows anyway (the number of inputs, the type) is left out.
func (o *Operator) String() string {
	var attrs []string
	attr := func(name, value string) { attrs = append(attrs, name+"="+value) }
	name := o.Type.Function()
	if !o.Type.Known() {
		name = fmt.Sprintf("op%d", int32(o.Type))
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
	if attrs == nil {
		return name
	}
	return name + "[" + strings.Join(attrs, ", ") + "]"
}
