package graph

import (
	"encoding/binary"
	"strconv"
)

// Two kinds of identity. Within a process equal sizes, values and items are
// equal Go values, and tables are keyed by them, or by the numbers of what they
// hold (appendID). Where a text is wanted, Key is one that only equal things
// have, the same in every process; a printed text is none: it leaves out the
// sorts of variables.

// Key is a text that only equal sizes have.
func (d Dim) Key() string { return string(d.appendKey(nil)) }

// Key is a text that only equal values have.
func (v Value) Key() string { return string(v.appendKey(nil)) }

// Key is a text that only equal shapes have.
func (s Shape) Key() string { return string(s.appendKey(nil)) }

// Key is a text that only equal lists of attributes have.
func (a Attrs) Key() string {
	b := strconv.AppendInt(nil, int64(len(a)), 10)
	b = append(b, '(')
	for _, v := range a {
		b = v.appendKey(b)
	}
	return string(b)
}

func (d Dim) appendKey(b []byte) []byte {
	if d.TooLarge() {
		b = append(b, 'L')
		b = strconv.AppendUint(b, d.p.num, 10)
		return append(b, ';')
	}
	b = strconv.AppendInt(b, d.c, 10)
	if d.p != nil {
		for _, t := range d.p.terms {
			b = append(b, '+')
			b = strconv.AppendInt(b, t.coef, 10)
			b = append(b, '*')
			for _, a := range t.atoms {
				b = append(b, a.id.key...)
			}
		}
	}
	return append(b, ';')
}

func (s Shape) appendKey(b []byte) []byte {
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, '[')
	for _, it := range s {
		if it.AxisRun != "" {
			b = appendString(append(b, 'r'), it.AxisRun)
		} else {
			b = it.Dim.appendKey(append(b, 'd'))
		}
	}
	return b
}

func (v Value) appendKey(b []byte) []byte {
	switch v.kind {
	case KindDim:
		return v.dim.appendKey(append(b, 'd'))
	case KindName:
		return appendString(append(b, 'n'), v.str)
	case KindVar:
		return appendString(appendString(append(b, 'v'), v.str), v.sort)
	case KindNumber:
		return appendString(append(b, 'x'), v.str)
	case KindShape:
		return v.ext.shape.appendKey(append(b, 's'))
	case KindTuple:
		b = strconv.AppendInt(append(b, 't'), int64(len(v.ext.tuple)), 10)
		for _, n := range v.ext.tuple {
			b = append(b, ',')
			b = strconv.AppendInt(b, n, 10)
		}
		return append(b, ';')
	case KindPerm, KindAxis:
		return v.dim.appendKey(appendWord(append(b, "pa"[v.kind-KindPerm]), v.ext.word))
	}
	return append(b, '-')
}

func (d Dim) appendID(b []byte) []byte {
	b = binary.AppendVarint(b, d.c)
	if d.p == nil {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, d.p.num)
}

func (s Shape) appendID(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	for _, it := range s {
		b = appendID(b, it.AxisRun)
		if it.AxisRun == "" {
			b = it.Dim.appendID(b)
		}
	}
	return b
}

func appendID(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (v Value) appendID(b []byte) []byte {
	b = append(b, byte(v.kind))
	switch v.kind {
	case KindDim:
		return v.dim.appendID(b)
	case KindName, KindNumber:
		return appendID(b, v.str)
	case KindVar:
		return appendID(appendID(b, v.str), v.sort)
	case KindShape:
		return v.ext.shape.appendID(b)
	case KindTuple:
		b = binary.AppendUvarint(b, uint64(len(v.ext.tuple)))
		for _, n := range v.ext.tuple {
			b = binary.AppendVarint(b, n)
		}
	case KindPerm, KindAxis:
		return v.dim.appendID(appendWord(b, v.ext.word))
	}
	return b
}

// tooLarge reports whether a size in v is too large.
func (v Value) tooLarge() bool {
	switch v.kind {
	case KindDim, KindAxis:
		return v.dim.TooLarge()
	case KindShape:
		return v.ext.shape.TooLarge()
	}
	return false
}

// TooLarge reports whether a size of s is, see [Dim.TooLarge].
func (s Shape) TooLarge() bool {
	for _, it := range s {
		if it.Dim.TooLarge() {
			return true
		}
	}
	return false
}
