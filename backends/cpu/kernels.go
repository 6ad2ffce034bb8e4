package cpu

import "unsafe"

// ptr points into memory of this package (memory.go), never at Go values, so
// that it may be handed to C inside structs.
type ptr = unsafe.Pointer

// at is p advanced by n elements of 4 bytes.
func at(p ptr, n int) ptr { return unsafe.Add(p, 4*n) }

// bytesAt is the memory at p as n bytes.
func bytesAt(p ptr, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// bytesPtr is p advanced by n bytes.
func bytesPtr(p ptr, n int) ptr { return unsafe.Add(p, n) }

// f32 is the memory at p as n floats.
func f32(p ptr, n int) []float32 { return unsafe.Slice((*float32)(p), n) }

// i32 is the memory at p as n 32-bit integers.
func i32(p ptr, n int) []int32 { return unsafe.Slice((*int32)(p), n) }

// slack is how many elements past its end memory may be read (TASO_SLACK).
const slack = 64

// Codes of chain operations and the modes of their operands, as in kernels.h.
const (
	opCopy int32 = iota
	opRelu
	opSigmoid
	opTanh
	opGelu
	opExp
	opSqrt
	opErf
	opReciprocal
	opNeg
	opAbs
	opLog
	opHardSwish
	opStep
	opLeakyRelu
	opElu
	opClip
	opHardSigmoid
	opAdd
	opMul
	opSub
	opRSub
	opDiv
	opRDiv
	opMax
	opMin
	opAffine
	opRsqrt
	opSin
	opCos
	opFloor
	opCeil
	opRound
	opSign
	opIsNaN
	opIsInf
	opLess
	opLessEqual
	opMore
	opMoreEqual
	opEqual
	opWhole
	opTake
)

const (
	modeNone int32 = iota
	modeScalar
	modeRow
	modeCol
	modeFull
	modeRows
)

// chainOp is one operation of a chain: taso_op, field by field.
type chainOp struct {
	code, mode int32
	a, b       float32
	p, q       ptr
	n, apart   int // of modeRows
}

// tail is what a kernel does to a result last: taso_tail.
type tail struct {
	init, rowScale, rowBias, colBias ptr
	clamp                            bool
	lo, hi                           float32
	ops                              ptr // nops chainOps
	nops, row0, off0, rowLen         int
}

// gemm is a product of matrices: taso_gemm.
type gemm struct {
	m, n, k  int
	a        ptr
	ars, acs int
	ap       ptr
	b        ptr
	brs, bcs int
	bp       ptr
	c        ptr
	ldc      int
	tail     tail
	scratch  ptr
}

// conv is a convolution of one image and one group: taso_conv.
type conv struct {
	o, c, kh, kw, oh, ow, sh, sw, dh, dw int
	x                                    ptr
	xh, xw                               int
	w, y                                 ptr
	tail                                 tail
	scratch                              ptr
	way                                  int32
}

// Ways in which convolutions read the image.
const (
	bestWay int32 = iota
	inPlace
	packedWindows
)

// Kinds of windows.
const (
	depthwise int32 = iota
	poolMax
	poolAvg
	poolAvgInside
)

// window is a depthwise convolution or a pool of one image: taso_window.
type window struct {
	c, h, w, oh, ow, kh, kw, sh, sw, dh, dw, top, left int
	x, k, y                                            ptr
	kind                                               int32
	tail                                               tail
	scratch                                            ptr
}

// axis is one axis of a copy: its size and its strides on both sides, in
// elements.
type axis struct{ n, from, to int }

// call is a call of chain, or of move: the arguments of these.
type call struct {
	y, x            ptr
	rows, n, rowMod int
	ops             ptr
	nops            int
	bytes           int // 0: a chain
	axes            []axis
}

// together are calls that can be made one after the other, at once. They say how long each
// took when they were last made, in ticks of some clock.
type together interface {
	run()
	ticks(i int) int64
	free()
}

// Kinds of reductions.
const (
	reduceSum int32 = iota
	reduceMean
	reduceMax
)

// wideType is a type of 8 bytes.
type wideType int32

const (
	wideSigned wideType = iota
	wideUnsigned
	wideDouble
)

// table is the kernels for one instruction set. What they compute is written
// in kernels.h; goTable (kernels_go.go) is the plain version of all.
type table interface {
	name() string
	gemmScratch() int
	packedA(m, k int) int
	packedB(n, k int) int
	packA(to, a ptr, m, k, ars, acs int)
	packB(to, b ptr, n, k, brs, bcs int)
	gemm(*gemm)
	convScratch(*conv) int
	conv(*conv)
	windowScratch(*window) int
	window(*window)
	dots(y, x, k ptr, rows, n int, tail *tail)
	padImage(to, x ptr, c, h, w, top, left, xh, xw int)
	weave(y, x ptr, planes, rows, n, step, per, plane, line int)
	chain(y, x ptr, rows, n, rowMod int, ops ptr, nops int)
	softmax(y, x ptr, outer, n, inner int)
	layerNorm(y, x, scale, bias ptr, rows, n int, eps float32)
	reduce(y, x ptr, outer, n, inner int, kind int32)
	lerp(y, x ptr, outer, n, m, inner int, i0, i1, t ptr)
	move(to, from ptr, bytes int, axes []axis)
	together([]call) (together, error)
	zip(y, x, p ptr, n int, single bool, t wideType, code int32)
	product(c, a, b ptr, m, n, k, ars, acs int, t wideType)
	packedInts(n, k int) int
	packInts(to, b ptr, n, k, brs, bcs int)
	intsScratch(k int) int
	ints(*gemm)
}
