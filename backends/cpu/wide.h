// wide.h: elements of 8 bytes: integers, which wrap around modulo 2^64, and doubles.

enum { WIDE = LANES / 2 }; // elements in a vector
typedef int64_t WI __attribute__((vector_size(LANES * 4)));
typedef uint64_t WN __attribute__((vector_size(LANES * 4)));
typedef double WD __attribute__((vector_size(LANES * 4)));
typedef uint64_t WNU __attribute__((vector_size(LANES * 4), aligned(8), may_alias));
typedef double WDU __attribute__((vector_size(LANES * 4), aligned(8), may_alias));

INLINE WN wsel(WI m, WN x, WN y) { return ((WN)m & x) | (~(WN)m & y); }
INLINE WD dsel(WI m, WD x, WD y) { return (WD)wsel(m, (WN)x, (WN)y); }

// EACH sets y to E of a, elements of x, and b, those of p, or p[0] for all (p[0] - 0,
// which leaves -0 what it is).
#define EACH(T, W, E) \
	do { \
		int64_t i = 0; \
		W one = (W){0}; \
		if (single) one = p[0] - one; \
		for (; i + WIDE <= n; i += WIDE) { \
			W a = *(const W##U *)(x + i), b = one; \
			if (!single) b = *(const W##U *)(p + i); \
			*(W##U *)(y + i) = E; \
		} \
		if (i < n) { \
			T s[WIDE] = {0}, t[WIDE] = {0}; \
			__builtin_memcpy(s, x + i, (n - i) * sizeof(T)); \
			if (!single) __builtin_memcpy(t, p + i, (n - i) * sizeof(T)); \
			W a = *(const W##U *)s, b = one; \
			if (!single) b = *(const W##U *)t; \
			*(W##U *)s = E; \
			__builtin_memcpy(y + i, s, (n - i) * sizeof(T)); \
		} \
	} while (0)

// zip_ints: the order is that of integers with a sign, or without.
static void zip_ints(uint64_t *y, const uint64_t *x, const uint64_t *p, int64_t n, int single, int sign, int32_t code) {
	switch (code) {
	case TASO_ADD: EACH(uint64_t, WN, a + b); break;
	case TASO_SUB: EACH(uint64_t, WN, a - b); break;
	case TASO_RSUB: EACH(uint64_t, WN, b - a); break;
	case TASO_MUL: EACH(uint64_t, WN, a * b); break;
	case TASO_MAX:
		if (sign) EACH(uint64_t, WN, wsel((WI)a > (WI)b, a, b));
		else EACH(uint64_t, WN, wsel((WI)(a > b), a, b));
		break;
	case TASO_MIN:
		if (sign) EACH(uint64_t, WN, wsel((WI)a < (WI)b, a, b));
		else EACH(uint64_t, WN, wsel((WI)(a < b), a, b));
		break;
	}
}

// zip_doubles: the larger and the smaller are not a number where either is not.
static void zip_doubles(double *y, const double *x, const double *p, int64_t n, int single, int32_t code) {
	switch (code) {
	case TASO_ADD: EACH(double, WD, a + b); break;
	case TASO_SUB: EACH(double, WD, a - b); break;
	case TASO_RSUB: EACH(double, WD, b - a); break;
	case TASO_MUL: EACH(double, WD, a * b); break;
	case TASO_DIV: EACH(double, WD, a / b); break;
	case TASO_RDIV: EACH(double, WD, b / a); break;
	case TASO_MAX: EACH(double, WD, dsel((a > b) | (a != a), a, b)); break;
	case TASO_MIN: EACH(double, WD, dsel((a < b) | (a != a), a, b)); break;
	}
}

static void zip(void *y, const void *x, const void *p, int64_t n, int32_t single, int32_t type, int32_t code) {
	if (type == TASO_DOUBLE) zip_doubles(y, x, p, n, single, code);
	else zip_ints(y, x, p, n, single, type == TASO_SIGNED, code);
}

// Products of matrices of 8-byte elements: c = a*b, b and c in rows of n. Blocks of a few
// rows and vectors stay in registers.
enum { WIDE_ROWS = 4, WIDE_VECS = 4 };
#define PRODUCT(NAME, T, W) \
	INLINE void NAME##_block(T *c, const T *a, const T *b, int64_t rows, int64_t cols, int64_t n, int64_t k, int64_t ars, int64_t acs) { \
		if (rows == WIDE_ROWS && cols == WIDE_VECS * WIDE) { \
			W sum[WIDE_ROWS][WIDE_VECS] = {{{0}}}; \
			for (int64_t l = 0; l < k; l++) \
				for (int r = 0; r < WIDE_ROWS; r++) { \
					T f = a[r * ars + l * acs]; \
					for (int v = 0; v < WIDE_VECS; v++) sum[r][v] += *(const W##U *)(b + l * n + v * WIDE) * f; \
				} \
			for (int r = 0; r < WIDE_ROWS; r++) \
				for (int v = 0; v < WIDE_VECS; v++) *(W##U *)(c + r * n + v * WIDE) = sum[r][v]; \
			return; \
		} \
		for (int64_t r = 0; r < rows; r++) { \
			T sum[WIDE_VECS * WIDE] = {0}; \
			for (int64_t l = 0; l < k; l++) { \
				T f = a[r * ars + l * acs]; \
				for (int64_t j = 0; j < cols; j++) sum[j] += b[l * n + j] * f; \
			} \
			__builtin_memcpy(c + r * n, sum, cols * sizeof(T)); \
		} \
	} \
	static void NAME(T *c, const T *a, const T *b, int64_t m, int64_t n, int64_t k, int64_t ars, int64_t acs) { \
		for (int64_t j = 0; j < n; j += WIDE_VECS * WIDE) \
			for (int64_t i = 0; i < m; i += WIDE_ROWS) \
				NAME##_block(c + i * n + j, a + i * ars, b + j, lmin(WIDE_ROWS, m - i), lmin(WIDE_VECS * WIDE, n - j), n, k, ars, acs); \
	}
PRODUCT(product_ints, uint64_t, WN)
PRODUCT(product_doubles, double, WD)

static void product(void *c, const void *a, const void *b, int64_t m, int64_t n, int64_t k, int64_t ars, int64_t acs, int32_t type) {
	if (type == TASO_DOUBLE) product_doubles(c, a, b, m, n, k, ars, acs);
	else product_ints(c, a, b, m, n, k, ars, acs);
}
