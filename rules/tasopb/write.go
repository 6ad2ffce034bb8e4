package tasopb

import "google.golang.org/protobuf/encoding/protowire"

// Marshal encodes the collection. Equal collections give equal bytes: fields are
// written in the order of their numbers, unknown fields last, numbers in their
// shortest form, negative ones in ten bytes as the format demands.
func (c *RuleCollection) Marshal() []byte {
	var b []byte
	var scratch writer
	for i := range c.Rules {
		b = protowire.AppendTag(b, fieldRule, protowire.BytesType)
		b = protowire.AppendBytes(b, scratch.rule(&c.Rules[i]))
	}
	return append(b, c.Unknown...)
}

// A writer keeps one buffer for each depth of nesting, since a message's length
// stands before the message.
type writer struct {
	ruleBuf, opBuf, leafBuf []byte
}

func (w *writer) rule(r *Rule) []byte {
	b := w.ruleBuf[:0]
	for i := range r.SrcOps {
		b = protowire.AppendTag(b, fieldSrcOp, protowire.BytesType)
		b = protowire.AppendBytes(b, w.operator(&r.SrcOps[i]))
	}
	for i := range r.DstOps {
		b = protowire.AppendTag(b, fieldDstOp, protowire.BytesType)
		b = protowire.AppendBytes(b, w.operator(&r.DstOps[i]))
	}
	for i := range r.Mapped {
		m := &r.Mapped[i]
		leaf := appendInt32(w.leafBuf[:0], fieldSrcOpID, m.SrcOpID)
		leaf = appendInt32(leaf, fieldDstOpID, m.DstOpID)
		leaf = appendInt32(leaf, fieldSrcTsID, m.SrcTsID)
		leaf = appendInt32(leaf, fieldDstTsID, m.DstTsID)
		w.leafBuf = append(leaf, m.Unknown...)
		b = protowire.AppendTag(b, fieldMapped, protowire.BytesType)
		b = protowire.AppendBytes(b, w.leafBuf)
	}
	w.ruleBuf = append(b, r.Unknown...)
	return w.ruleBuf
}

func (w *writer) operator(o *Operator) []byte {
	b := appendInt32(w.opBuf[:0], fieldType, int32(o.Type))
	for i := range o.Inputs {
		in := &o.Inputs[i]
		leaf := appendInt32(w.leafBuf[:0], fieldOpID, in.OpID)
		leaf = appendInt32(leaf, fieldTsID, in.TsID)
		w.leafBuf = append(leaf, in.Unknown...)
		b = protowire.AppendTag(b, fieldInput, protowire.BytesType)
		b = protowire.AppendBytes(b, w.leafBuf)
	}
	for i := range o.Params {
		p := &o.Params[i]
		leaf := appendInt32(w.leafBuf[:0], fieldKey, int32(p.Key))
		leaf = appendInt32(leaf, fieldValue, p.Value)
		w.leafBuf = append(leaf, p.Unknown...)
		b = protowire.AppendTag(b, fieldPara, protowire.BytesType)
		b = protowire.AppendBytes(b, w.leafBuf)
	}
	w.opBuf = append(b, o.Unknown...)
	return w.opBuf
}

// appendInt32 appends a field of type int32. The format extends the sign to 64
// bits before encoding.
func appendInt32(b []byte, field protowire.Number, v int32) []byte {
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(int64(v)))
}
