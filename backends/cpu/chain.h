// chain.h: elementwise operations, one after the other over pieces that stay in
// the first level cache.

enum { PIECE = 1024 };

// EACH stores f of every element; x is the element, p its operand.
#define EACH1(EXPR) \
	do { \
		int64_t i = 0; \
		for (; i + LANES <= n; i += LANES) { \
			V x = vload(src + i); \
			vstore(dst + i, (EXPR)); \
		} \
		if (i < n) { \
			V x = vloadn(src + i, n - i); \
			vstoren(dst + i, (EXPR), n - i); \
		} \
	} while (0)
#define EACH2(EXPR) \
	do { \
		int64_t i = 0; \
		if (step) { \
			for (; i + LANES <= n; i += LANES) { \
				V x = vload(src + i), p = vload(ptr + i); \
				vstore(dst + i, (EXPR)); \
			} \
			if (i < n) { \
				V x = vloadn(src + i, n - i), p = vloadn(ptr + i, n - i); \
				vstoren(dst + i, (EXPR), n - i); \
			} \
		} else { \
			V p = vset(ptr[0]); \
			EACH1(EXPR); \
		} \
	} while (0)

static void apply_op(float *dst, const float *src, int64_t n, const taso_op *o, int64_t row, int64_t col, int64_t off) {
	const float *ptr = o->p;
	int step = 0;
	switch (o->mode) {
	case TASO_ROW: ptr += row; break;
	case TASO_COL: ptr += col, step = 1; break;
	case TASO_FULL: ptr += off, step = 1; break;
	}
	V zero = {0}, a = vset(o->a), b = vset(o->b);
	switch (o->code) {
	case TASO_COPY: if (dst != src) __builtin_memmove(dst, src, n * 4); break;
	case TASO_RELU: EACH1(VMAX(zero, x)); break;
	case TASO_SIGMOID: EACH1(vsigmoid(x)); break;
	case TASO_TANH: EACH1(vtanh(x)); break;
	case TASO_GELU: EACH1(vgelu(x)); break;
	case TASO_EXP: EACH1(vexp(x)); break;
	case TASO_SQRT: EACH1(vsqrt(x)); break;
	case TASO_ERF: EACH1(verf(x)); break;
	case TASO_RECIPROCAL: EACH1(1.0f / x); break;
	case TASO_NEG: EACH1(-x); break;
	case TASO_ABS: EACH1(vabs(x)); break;
	case TASO_STEP: EACH1(vsel(x > 0.0f, vset(1.0f), zero)); break;
	case TASO_LOG: EACH1(vlog(x)); break;
	case TASO_HARDSWISH: EACH1(x * VMIN(vset(1.0f), VMAX(zero, x * (1.0f / 6) + 0.5f))); break;
	case TASO_SIN: EACH1(vwave(x, 0)); break;
	case TASO_COS: EACH1(vwave(x, 1)); break;
	case TASO_FLOOR: EACH1(vfloor(x)); break;
	case TASO_CEIL: EACH1(-vfloor(-x)); break;
	case TASO_ROUND: EACH1(vround(x)); break;
	case TASO_SIGN: EACH1(vsel(x > 0.0f, vset(1.0f), vsel(x < 0.0f, vset(-1.0f), x))); break;
	case TASO_ISNAN: EACH1(vsel(x != x, vset(1.0f), zero)); break;
	case TASO_ISINF: EACH1(vsel(vabs(x) == vset(__builtin_inff()), vset(1.0f), zero)); break;
	case TASO_LEAKYRELU: EACH1(vsel(x < 0.0f, a * x, x)); break;
	case TASO_ELU: EACH1(vsel(x < 0.0f, a * (vexp(x) - 1.0f), x)); break;
	case TASO_CLIP: EACH1(VMIN(b, VMAX(a, x))); break;
	case TASO_HARDSIGMOID: EACH1(VMIN(vset(1.0f), VMAX(zero, a * x + b))); break;
	case TASO_ADD: EACH2(x + p); break;
	case TASO_MUL: EACH2(x * p); break;
	case TASO_SUB: EACH2(x - p); break;
	case TASO_RSUB: EACH2(p - x); break;
	case TASO_DIV: EACH2(x / p); break;
	case TASO_RDIV: EACH2(p / x); break;
	case TASO_MAX: EACH2(nmax(p, x)); break;
	case TASO_MIN: EACH2(nmin(p, x)); break;
	case TASO_LESS: EACH2(vsel(x < p, vset(1.0f), zero)); break;
	case TASO_LESSEQUAL: EACH2(vsel(x <= p, vset(1.0f), zero)); break;
	case TASO_MORE: EACH2(vsel(x > p, vset(1.0f), zero)); break;
	case TASO_MOREEQUAL: EACH2(vsel(x >= p, vset(1.0f), zero)); break;
	case TASO_EQUAL: EACH2(vsel(x == p, vset(1.0f), zero)); break;
	case TASO_WHOLE: EACH1(x + zero); break;
	case TASO_TAKE:
		__builtin_memcpy(dst, ptr, n * 4);
		break;
	case TASO_RSQRT: EACH1(1.0f / vsqrt(x + a)); break;
	case TASO_AFFINE: {
		int64_t at = o->mode == TASO_ROW ? row : 0;
		V p = vset(o->p[at]), q = vset(o->q[at]);
		EACH1(x * p + q);
		break;
	}
	}
}

// apply_rows is apply_op where the operand's rows are apart: row by row.
static void apply_rows(float *dst, const float *src, int64_t n, const taso_op *o, int64_t off) {
	taso_op full = *o;
	full.mode = TASO_FULL;
	int64_t r = off / o->n, at = off % o->n;
	for (int64_t i = 0; i < n; r++, at = 0) {
		int64_t len = lmin(n - i, o->n - at);
		full.p = o->p + r * o->apart + at;
		apply_op(dst + i, src + i, len, &full, 0, 0, 0);
		i += len;
	}
}

static void apply_ops(float *dst, const float *src, int64_t n, const taso_op *ops, int64_t nops, int64_t row, int64_t col, int64_t off) {
	if (!nops && dst != src) __builtin_memmove(dst, src, n * 4);
	for (int64_t i = 0; i < n; i += PIECE) {
		int64_t len = lmin(PIECE, n - i);
		for (int64_t k = 0; k < nops; k++)
			if (ops[k].mode == TASO_ROWS)
				apply_rows(dst + i, k ? dst + i : src + i, len, ops + k, off + i);
			else
				apply_op(dst + i, k ? dst + i : src + i, len, ops + k, row, col + i, off + i);
	}
}

static void chain(float *y, const float *x, int64_t rows, int64_t n, int64_t rowmod, const taso_op *ops, int64_t nops) {
	for (int64_t r = 0; r < rows; r++) apply_ops(y + r * n, x + r * n, n, ops, nops, r % rowmod, 0, r * n);
}
