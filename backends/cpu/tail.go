package cpu

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/taso-go/taso/lower"
)

// fusion is the tail of a step.
type fusion struct {
	ops       []chainOp
	args      [][2]*value // operands p, q of ops, nil if they have none
	n, rowMod int         // row length, and number of rows after which row operands repeat
	registers bool        // the kernel can scale, add and bound in registers
	tail      tail        // what settle made of it
	block     *block
}

// unaryCodes are the functions of one element without parameters.
var unaryCodes = map[string]int32{
	"relu": opRelu, "sigmoid": opSigmoid, "tanh": opTanh, "gelu": opGelu, "exp": opExp, "sqrt": opSqrt,
	"erf": opErf, "reciprocal": opReciprocal, "neg": opNeg, "abs": opAbs, "log": opLog, "hardswish": opHardSwish,
	"step": opStep, "sin": opSin, "cos": opCos, "floor": opFloor, "ceil": opCeil, "round": opRound, "sign": opSign,
	"isnan": opIsNaN, "isinf": opIsInf, lower.StepWhole: opWhole,
}

// unaryParams are those with parameters: the names of a and b.
var unaryParams = map[string]struct {
	code int32
	a, b string
}{
	"leakyrelu":   {opLeakyRelu, "alpha", ""},
	"elu":         {opElu, "alpha", ""},
	"rsqrt":       {opRsqrt, "eps", ""},
	"clip":        {opClip, "lo", "hi"},
	"hardsigmoid": {opHardSigmoid, "alpha", "beta"},
}

// binaryCodes are the functions of two elements, and the same with the operands
// exchanged.
var binaryCodes = map[string][2]int32{
	"ewadd": {opAdd, opAdd}, "ewmul": {opMul, opMul}, "ewmax": {opMax, opMax}, "ewmin": {opMin, opMin},
	"ewsub": {opSub, opRSub}, "ewdiv": {opDiv, opRDiv}, "affine": {opAffine, opAffine},
	"ewless": {opLess, opMore}, "ewlessequal": {opLessEqual, opMoreEqual}, "ewequal": {opEqual, opEqual},
}

// stepCode is the operation that a function of a tail is; with parameters, a and
// b are the names of the attributes that they are.
func stepCode(fn string, reversed bool) (code int32, a, b string, ok bool) {
	if p, ok := unaryParams[fn]; ok {
		return p.code, p.a, p.b, true
	}
	if c, ok := binaryCodes[fn]; ok {
		if reversed {
			return c[1], "", "", true
		}
		return c[0], "", "", true
	}
	code, ok = unaryCodes[fn]
	return code, "", "", ok
}

// bindTail makes the tail of a kernel, nil if it takes none.
func (b *binder) bindTail(k *lower.Kernel) (*fusion, error) {
	if k.Tail == nil {
		return nil, nil
	}
	f := &fusion{n: k.Tail.N, rowMod: k.Tail.Mod, registers: k.As == "conv2d" || k.As == "matmul" || k.As == "depthwise"}
	if k.Kind == lower.Chain {
		if x := b.value(k.In[0]); !x.Dense() {
			f.add(chainOp{code: opTake, mode: modeRows}, x, nil)
		}
	}
	for i := range k.Tail.Steps {
		s := &k.Tail.Steps[i]
		code, nameA, nameB, ok := stepCode(s.Fn, s.Reversed)
		if !ok {
			return nil, fmt.Errorf("function %s: there is no kernel", s.Fn)
		}
		op := chainOp{code: code, mode: int32(s.Mode)}
		for _, p := range []struct {
			name string
			to   *float32
		}{{nameA, &op.a}, {nameB, &op.b}} {
			if p.name == "" {
				continue
			}
			x, err := b.attrs(s.Node).Real(p.name)
			if err != nil {
				return nil, err
			}
			*p.to = float32(x)
		}
		f.add(op, b.value(s.Args[0]), b.value(s.Args[1]))
	}
	f.pair()
	return f, nil
}

// add adds an operation.
func (f *fusion) add(op chainOp, p, q *value) {
	if op.mode == modeRows {
		op.n, op.apart, _ = p.Rows()
	}
	f.ops, f.args = append(f.ops, op), append(f.args, [2]*value{p, q})
}

// pair makes a product and the sum behind it one operation, where the operands of both
// are one value for all or one a row: each operation is a pass over the result.
func (f *fusion) pair() {
	for i := 0; i+1 < len(f.ops); i++ {
		mode := f.ops[i].mode
		if f.ops[i].code == opMul && f.ops[i+1].code == opAdd && f.ops[i+1].mode == mode && (mode == modeScalar || mode == modeRow) {
			f.ops[i].code, f.args[i][1] = opAffine, f.args[i+1][0]
			f.ops, f.args = slices.Delete(f.ops, i+1, i+2), slices.Delete(f.args, i+1, i+2)
		}
	}
}

// settle makes the kernel's tail, once the memory has its place. What the
// registers can do is taken from the front of the operations: a scale by rows,
// then additions of a whole tensor, of one value a row or one a column, then a
// bound below and above.
func (f *fusion) settle() error {
	ops, args := f.ops, f.args
	take := func() { ops, args = ops[1:], args[1:] }
	f.tail = tail{}
	var init, rowScale, rowBias, colBias *value
	var rowBiasOf *value
	if f.registers {
		if len(ops) > 0 && ops[0].code == opAffine && ops[0].mode == modeRow {
			rowScale, rowBiasOf = args[0][0], args[0][1]
			take()
		}
	adds:
		for len(ops) > 0 && ops[0].code == opAdd {
			switch ops[0].mode {
			case modeFull:
				if init != nil || rowScale != nil {
					break adds
				}
				init = args[0][0]
			case modeRow:
				if rowBias != nil || rowBiasOf != nil {
					break adds
				}
				rowBias = args[0][0]
			case modeCol:
				if colBias != nil {
					break adds
				}
				colBias = args[0][0]
			default:
				break adds
			}
			take()
		}
		if len(ops) > 0 && (ops[0].code == opRelu || ops[0].code == opClip) {
			f.tail.clamp, f.tail.lo, f.tail.hi = true, 0, infinity
			if ops[0].code == opClip {
				f.tail.lo, f.tail.hi = ops[0].a, ops[0].b
			}
			take()
		}
	}
	if rowBias == nil {
		rowBias = rowBiasOf
	}
	f.tail.init, f.tail.rowScale = init.ptr(), rowScale.ptr()
	f.tail.rowBias, f.tail.colBias = rowBias.ptr(), colBias.ptr()
	f.tail.nops = len(ops)
	if len(ops) == 0 {
		return nil
	}
	var err error
	f.block.free()
	if f.block, err = newBlock(len(ops) * int(unsafe.Sizeof(chainOp{}))); err != nil {
		return err
	}
	f.tail.ops = f.block.p
	for i, o := range ops {
		o.p, o.q = args[i][0].ptr(), args[i][1].ptr()
		unsafe.Slice((*chainOp)(f.tail.ops), len(ops))[i] = o
	}
	return nil
}

// free releases what settle has allocated; f may be nil.
func (f *fusion) free() {
	if f != nil {
		f.block.free()
	}
}

// moved is the tail for the part of a result that begins at row row and
// element off, in rows of n elements.
func (t tail) moved(row, off, n int) tail {
	t.row0, t.off0, t.rowLen = row, off, n
	if t.init != nil {
		t.init = at(t.init, off)
	}
	if t.rowScale != nil {
		t.rowScale = at(t.rowScale, row)
	}
	if t.rowBias != nil {
		t.rowBias = at(t.rowBias, row)
	}
	return t
}
