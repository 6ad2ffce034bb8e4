// kernels.h: what the Go side calls. Every instruction set has one table of
// these functions (tables at the end); all work on float32 in row-major order.
// Lengths and strides count elements. Memory that is read in whole vectors may
// be read up to TASO_SLACK elements past its end, never written there.
#ifndef TASO_KERNELS_H
#define TASO_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { TASO_SLACK = 64 };

// Operations of a chain. x is the running value, p the operand.
enum {
	TASO_COPY,
	TASO_RELU,
	TASO_SIGMOID,
	TASO_TANH,
	TASO_GELU,
	TASO_EXP,
	TASO_SQRT,
	TASO_ERF,
	TASO_RECIPROCAL,
	TASO_NEG,
	TASO_ABS,
	TASO_LOG,
	TASO_HARDSWISH,
	TASO_STEP,        // x > 0 ? 1 : 0
	TASO_LEAKYRELU,   // x < 0 ? a*x : x
	TASO_ELU,         // x < 0 ? a*(exp(x)-1) : x
	TASO_CLIP,        // min(max(x, a), b)
	TASO_HARDSIGMOID, // min(max(a*x+b, 0), 1)
	TASO_ADD,         // x + p, and so on
	TASO_MUL,
	TASO_SUB,  // x - p
	TASO_RSUB, // p - x
	TASO_DIV,  // x / p
	TASO_RDIV, // p / x
	TASO_MAX,
	TASO_MIN,
	TASO_AFFINE, // x*p + q, p and q per row, or one for all
	TASO_RSQRT,  // 1/sqrt(x + a)
	TASO_SIN,
	TASO_COS,
	TASO_FLOOR,
	TASO_CEIL,
	TASO_ROUND, // to the nearest integer, the even one of two
	TASO_SIGN,
	TASO_ISNAN,
	TASO_ISINF,
	TASO_LESS,      // x < p ? 1 : 0, and so on
	TASO_LESSEQUAL,
	TASO_MORE,      // x > p
	TASO_MOREEQUAL, // x >= p
	TASO_EQUAL,
	TASO_WHOLE, // x + 0: 0 without a sign
	TASO_TAKE   // p: what a chain starts from where it lies in rows
};

// Where the operand of an element lies.
enum {
	TASO_NONE,
	TASO_SCALAR, // p[0]
	TASO_ROW,    // p[row]
	TASO_COL,    // p[column]
	TASO_FULL,   // p[place of the element in the whole tensor]
	TASO_ROWS    // the same, where rows of n are apart from one another: p[place/n*apart + place%n]
};

typedef struct {
	int32_t code, mode;
	float a, b;
	const float *p, *q;
	int64_t n, apart; // of TASO_ROWS
} taso_op;

// The last thing done to a product before it is stored: add what was there
// (init), add a bias, bound from below and above.
typedef struct {
	const float *init; // added to the product; NULL: nothing. Strides as the result
	const float *rowscale; // times this, by rows; init must be NULL
	const float *rowbias, *colbias;
	int32_t clamp;
	float lo, hi;
	// Further operations on the finished rows; their row is row0 + row, their
	// place off0 + row*rowlen + column.
	const taso_op *ops;
	int64_t nops, row0, off0, rowlen;
} taso_tail;

typedef struct {
	int64_t m, n, k;
	const float *a; // a[i*ars + l*acs], or packed: ap
	int64_t ars, acs;
	const float *ap;
	const float *b; // b[l*brs + j*bcs], or packed: bp
	int64_t brs, bcs;
	const float *bp;
	float *c; // c[i*ldc + j]
	int64_t ldc;
	taso_tail tail;
	float *scratch; // gemm_scratch elements
} taso_gemm;

// One image and one group of channels of a convolution: the image is already
// padded (or needs no padding).
typedef struct {
	int64_t o, c, kh, kw;       // output channels, input channels, kernel
	int64_t oh, ow, sh, sw;     // output cells, stride
	int64_t dh, dw;             // dilation
	const float *x;             // padded image: x[(ch*xh + row)*xw + col]
	int64_t xh, xw;
	const float *w;             // packed by pack_a with m = o, k = c*kh*kw
	float *y;                   // y[o][oh][ow]
	taso_tail tail;
	float *scratch;             // conv_scratch elements
	int32_t way;                // TASO_BESTWAY ...
} taso_conv;

// How a convolution reads the image: in place (stride 1 only), its windows packed, or as is
// expected to be faster.
enum { TASO_BESTWAY, TASO_INPLACE, TASO_PACKED };

// Sliding windows within channels: depthwise convolution and pools.
typedef struct {
	int64_t c, h, w, oh, ow, kh, kw, sh, sw, dh, dw, top, left; // dh, dw: dilation; 1 of pools
	const float *x, *k; // k: kernels [c, kh, kw] of a depthwise convolution
	float *y;
	int32_t kind; // TASO_DEPTHWISE ...
	taso_tail tail;
	float *scratch; // window_scratch elements
} taso_window;

enum { TASO_DEPTHWISE, TASO_POOLMAX, TASO_POOLAVG, TASO_POOLAVG_INSIDE };

// Types of 8 bytes.
enum { TASO_SIGNED, TASO_UNSIGNED, TASO_DOUBLE };

enum { TASO_MAXRANK = 32 };

typedef struct {
	int32_t rank, bytes; // bytes of an element: 4 or 8
	int64_t size[TASO_MAXRANK], from[TASO_MAXRANK], to[TASO_MAXRANK];
} taso_move;

// A call of chain or of move, one of several that are made together.
typedef struct {
	float *y;
	const float *x;
	int64_t rows, n, rowmod;
	const taso_op *ops;
	int64_t nops;
	const taso_move *move; // NULL: a chain
	int64_t ticks;         // how long the last one took, in ticks of some clock
} taso_call;

typedef struct {
	const char *name;
	int64_t mr, nr, lanes;
	int64_t (*gemm_scratch)(void);
	int64_t (*packed_a)(int64_t m, int64_t k);
	int64_t (*packed_b)(int64_t n, int64_t k);
	void (*pack_a)(float *to, const float *a, int64_t m, int64_t k, int64_t ars, int64_t acs);
	void (*pack_b)(float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs);
	void (*gemm)(const taso_gemm *);
	int64_t (*conv_scratch)(const taso_conv *);
	void (*conv)(const taso_conv *);
	int64_t (*window_scratch)(const taso_window *);
	void (*window)(const taso_window *);
	// dots: y[r] is the product of rows r of x and of k, both [rows, n].
	void (*dots)(float *y, const float *x, const float *k, int64_t rows, int64_t n, const taso_tail *);
	void (*pad_image)(float *to, const float *x, int64_t c, int64_t h, int64_t w,
	                  int64_t top, int64_t left, int64_t xh, int64_t xw);
	// weave: element j of a row of n is element j/step of that row of part j%step. Parts are
	// [planes, rows, ceil((n - j%step)/step)] and per apart; rows of y are line apart, planes plane.
	void (*weave)(float *y, const float *x, int64_t planes, int64_t rows, int64_t n, int64_t step, int64_t per, int64_t plane, int64_t line);
	// chain: rows of n elements; the row number of an operand is row % rowmod.
	void (*chain)(float *y, const float *x, int64_t rows, int64_t n, int64_t rowmod, const taso_op *, int64_t nops);
	// softmax over the middle of [outer, n, inner].
	void (*softmax)(float *y, const float *x, int64_t outer, int64_t n, int64_t inner);
	void (*layernorm)(float *y, const float *x, const float *scale, const float *bias, int64_t rows, int64_t n, float eps);
	// reduce over the middle of [outer, n, inner]: kind 0 sum, 1 mean, 2 max.
	void (*reduce)(float *y, const float *x, int64_t outer, int64_t n, int64_t inner, int32_t kind);
	// lerp along the middle: y[.., j, ..] = x[.., i0[j], ..] + (x[.., i1[j], ..] - x[.., i0[j], ..])*t[j]
	void (*lerp)(float *y, const float *x, int64_t outer, int64_t n, int64_t m, int64_t inner,
	             const int32_t *i0, const int32_t *i1, const float *t);
	void (*move)(void *to, const void *from, const taso_move *);
	// together makes calls one after the other.
	void (*together)(taso_call *, int64_t n);
	// zip: y is TASO_ADD to TASO_MIN of x and p, n elements of a type of 8 bytes; single:
	// p is one element for all. y may be x or p.
	void (*zip)(void *y, const void *x, const void *p, int64_t n, int32_t single, int32_t type, int32_t code);
	// product: c [m, n] is a, at strides, times b [k, n], of elements of a type of 8 bytes.
	void (*product)(void *c, const void *a, const void *b, int64_t m, int64_t n, int64_t k, int64_t ars, int64_t acs, int32_t type);
	// ints: a product of whole numbers below 2^15 whose sums are below 2^31; bp is packed by
	// pack_ints, and of the tail there are operations alone.
	int64_t (*packed_ints)(int64_t n, int64_t k);
	void (*pack_ints)(float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs);
	int64_t (*ints_scratch)(int64_t k);
	void (*ints)(const taso_gemm *);
} taso_table;

// The tables, best first, NULL where the processor lacks the instructions or
// the program was built for another one.
const taso_table *taso_table_avx512(void);
const taso_table *taso_table_avx2(void);
const taso_table *taso_table_plain(void);


// A Go program cannot call a C function through a pointer: these do.
static inline int64_t taso_gemm_scratch(const taso_table *t) { return t->gemm_scratch(); }
static inline int64_t taso_packed_a(const taso_table *t, int64_t m, int64_t k) { return t->packed_a(m, k); }
static inline int64_t taso_packed_b(const taso_table *t, int64_t n, int64_t k) { return t->packed_b(n, k); }
static inline void taso_pack_a(const taso_table *t, float *to, const float *a, int64_t m, int64_t k, int64_t ars, int64_t acs) { t->pack_a(to, a, m, k, ars, acs); }
static inline void taso_pack_b(const taso_table *t, float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs) { t->pack_b(to, b, n, k, brs, bcs); }
static inline void taso_run_gemm(const taso_table *t, const taso_gemm *g) { t->gemm(g); }
static inline int64_t taso_conv_scratch(const taso_table *t, const taso_conv *g) { return t->conv_scratch(g); }
static inline void taso_run_conv(const taso_table *t, const taso_conv *g) { t->conv(g); }
static inline int64_t taso_window_scratch(const taso_table *t, const taso_window *g) { return t->window_scratch(g); }
static inline void taso_run_window(const taso_table *t, const taso_window *g) { t->window(g); }
static inline void taso_dots(const taso_table *t, float *y, const float *x, const float *k, int64_t rows, int64_t n, const taso_tail *tail) { t->dots(y, x, k, rows, n, tail); }
static inline void taso_pad_image(const taso_table *t, float *to, const float *x, int64_t c, int64_t h, int64_t w, int64_t top, int64_t left, int64_t xh, int64_t xw) { t->pad_image(to, x, c, h, w, top, left, xh, xw); }
static inline void taso_weave(const taso_table *t, float *y, const float *x, int64_t planes, int64_t rows, int64_t n, int64_t step, int64_t per, int64_t plane, int64_t line) { t->weave(y, x, planes, rows, n, step, per, plane, line); }
static inline void taso_chain(const taso_table *t, float *y, const float *x, int64_t rows, int64_t n, int64_t rowmod, const taso_op *ops, int64_t nops) { t->chain(y, x, rows, n, rowmod, ops, nops); }
static inline void taso_softmax(const taso_table *t, float *y, const float *x, int64_t outer, int64_t n, int64_t inner) { t->softmax(y, x, outer, n, inner); }
static inline void taso_layernorm(const taso_table *t, float *y, const float *x, const float *scale, const float *bias, int64_t rows, int64_t n, float eps) { t->layernorm(y, x, scale, bias, rows, n, eps); }
static inline void taso_reduce(const taso_table *t, float *y, const float *x, int64_t outer, int64_t n, int64_t inner, int32_t kind) { t->reduce(y, x, outer, n, inner, kind); }
static inline void taso_lerp(const taso_table *t, float *y, const float *x, int64_t outer, int64_t n, int64_t m, int64_t inner, const int32_t *i0, const int32_t *i1, const float *w) { t->lerp(y, x, outer, n, m, inner, i0, i1, w); }
static inline void taso_zip(const taso_table *t, void *y, const void *x, const void *p, int64_t n, int32_t single, int32_t type, int32_t code) { t->zip(y, x, p, n, single, type, code); }
static inline void taso_product(const taso_table *t, void *c, const void *a, const void *b, int64_t m, int64_t n, int64_t k, int64_t ars, int64_t acs, int32_t type) { t->product(c, a, b, m, n, k, ars, acs, type); }
static inline void taso_together(const taso_table *t, taso_call *c, int64_t n) { t->together(c, n); }
static inline int64_t taso_packed_ints(const taso_table *t, int64_t n, int64_t k) { return t->packed_ints(n, k); }
static inline void taso_pack_ints(const taso_table *t, float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs) { t->pack_ints(to, b, n, k, brs, bcs); }
static inline int64_t taso_ints_scratch(const taso_table *t, int64_t k) { return t->ints_scratch(k); }
static inline void taso_run_ints(const taso_table *t, const taso_gemm *g) { t->ints(g); }
static inline void taso_run_move(const taso_table *t, void *to, const void *from, const taso_move *m) { t->move(to, from, m); }

#endif
