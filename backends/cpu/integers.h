// integers.h: products of whole numbers that are held as floats, with sums below 2^31. They
// are computed with integers of fewer bits, and so exactly: a sum is rounded once, where it
// becomes a float.
//
// b is packed ahead: as pairs of 16 bits, whose products are added up two at a time in
// integers of 32 bits, or, with the instructions for it, as quads of bytes, whose products
// are added up four at a time, none of them saturating. Bytes hold 256 numbers: columns of
// b and rows of a are moved to where these are, and what that adds is taken away again
// (all of it modulo 2^32, within which the result is). Where a column or a row does not fit,
// pairs are taken, or each product by itself.
//
// Packed b: 16 integers, of which the first is 1 for quads; for each column its sum and how
// far it was moved; then panels of CI columns, of each column a word of 32 bits after the
// other: words of a row of panels side by side. Words are filled up with zeros.

enum { CI = 2 * LANES, RI = 8, BI = 64 };

typedef int8_t VB __attribute__((vector_size(LANES)));
typedef int16_t VS __attribute__((vector_size(LANES * 2)));
typedef int8_t VBU __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef int16_t VSU __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
typedef int32_t VIU __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

static int64_t packed_ints(int64_t n, int64_t k) { return 16 + 2 * up(n, CI) + up(n, CI) * (up(k, 4) / 2) + TASO_SLACK; }
static int64_t ints_scratch(int64_t k) { return BI * (up(k, 4) / 2 + 2) + up(k, 4) + CI * RI + 4 * TASO_SLACK; }

static void pack_ints(float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs) {
	int32_t *head = (int32_t *)to, *sums = head + 16, *moves = sums + up(n, CI), *words = moves + up(n, CI);
	int quads = QUADS;
	for (int64_t j = 0; quads && j < n; j++) {
		float lo = b[j * bcs], hi = lo;
		for (int64_t l = 0; l < k; l++) {
			float x = b[l * brs + j * bcs];
			lo = x < lo ? x : lo, hi = x > hi ? x : hi;
		}
		quads = hi - lo <= 255;
	}
	head[0] = quads;
	int64_t kw = (k + (quads ? 3 : 1)) / (quads ? 4 : 2);
	for (int64_t j = 0; j < up(n, CI); j++) {
		int32_t sum = 0, move = 0;
		for (int64_t l = 0; j < n && l < k; l++) {
			int32_t x = (int32_t)b[l * brs + j * bcs];
			sum += x;
			if (quads && (l == 0 || x < move)) move = x;
		}
		sums[j] = sum, moves[j] = move;
		for (int64_t w = 0; w < kw; w++) {
			uint32_t word = 0;
			for (int64_t i = 0; i < (quads ? 4 : 2); i++) {
				int64_t l = w * (quads ? 4 : 2) + i;
				if (j >= n || l >= k) break;
				int32_t x = (int32_t)b[l * brs + j * bcs];
				word |= quads ? (uint32_t)(uint8_t)(x - move) << (8 * i) : (uint32_t)(uint16_t)x << (16 * i);
			}
			words[(j / CI * kw + w) * CI + j % CI] = (int32_t)word;
		}
	}
}

// A tile is up to RI rows of CI columns.
#define INT_TILE(NAME, DOT, ATTR) \
	ATTR static void NAME(const int rows, int64_t kw, const int32_t *a, int64_t lda, const int32_t *b, int32_t *to) { \
		VI acc[RI][2]; \
		for (int r = 0; r < RI; r++) acc[r][0] = acc[r][1] = (VI){0}; \
		if (rows == RI) { \
			for (int64_t w = 0; w < kw; w++) { \
				VI b0 = *(const VIU *)(b + w * CI), b1 = *(const VIU *)(b + w * CI + LANES); \
				_Pragma("GCC unroll 8") for (int r = 0; r < RI; r++) { \
					VI x = a[r * lda + w] - (VI){0}; \
					acc[r][0] = DOT(acc[r][0], x, b0), acc[r][1] = DOT(acc[r][1], x, b1); \
				} \
			} \
		} else { \
			for (int r = 0; r < rows; r++) \
				for (int64_t w = 0; w < kw; w++) { \
					VI x = a[r * lda + w] - (VI){0}; \
					acc[r][0] = DOT(acc[r][0], x, *(const VIU *)(b + w * CI)); \
					acc[r][1] = DOT(acc[r][1], x, *(const VIU *)(b + w * CI + LANES)); \
				} \
		} \
		for (int r = 0; r < rows; r++) { \
			*(VIU *)(to + r * CI) = acc[r][0]; \
			*(VIU *)(to + r * CI + LANES) = acc[r][1]; \
		} \
	}
INT_TILE(pairs_tile, PAIRS, )
#ifdef QUADS_TARGET
INT_TILE(quads_tile, QUADS_DOT, QUADS_TARGET)
#else
#define quads_tile pairs_tile // never called: nothing is packed so
#endif

// int_row packs a row of a: quads and how far they were moved and their sum, or pairs. It
// reports whether the row fits.
static int int_row(int32_t *words, int32_t *moved, int32_t *sum, const float *x, int64_t k, int quads) {
	int64_t l = 0;
	*moved = *sum = 0;
	if (!quads) {
		int16_t *to = (int16_t *)words;
		for (; l + LANES <= k; l += LANES) *(VSU *)(to + l) = __builtin_convertvector(__builtin_convertvector(vload(x + l), VI), VS);
		for (; l < k; l++) to[l] = (int16_t)x[l];
		for (; l < up(k, 2); l++) to[l] = 0;
		return 1;
	}
	float lo = x[0], hi = x[0];
	V vlo = vset(lo), vhi = vset(hi);
	for (; l + LANES <= k; l += LANES) vlo = VMIN(vlo, vload(x + l)), vhi = VMAX(vhi, vload(x + l));
	for (int i = 0; i < LANES; i++) lo = vlo[i] < lo ? vlo[i] : lo, hi = vhi[i] > hi ? vhi[i] : hi;
	for (; l < k; l++) lo = x[l] < lo ? x[l] : lo, hi = x[l] > hi ? x[l] : hi;
	if (!(hi - lo <= 255)) return 0;
	int32_t move = lo < -128 || hi > 127 ? (int32_t)lo + 128 : 0, s = 0;
	int8_t *to = (int8_t *)words;
	VI vs = {0};
	for (l = 0; l + LANES <= k; l += LANES) {
		VI y = __builtin_convertvector(vload(x + l), VI) - move;
		vs += y;
		*(VBU *)(to + l) = __builtin_convertvector(y, VB);
	}
	for (int i = 0; i < LANES; i++) s += vs[i];
	for (; l < k; l++) {
		int32_t y = (int32_t)x[l] - move;
		to[l] = (int8_t)y, s += y;
	}
	for (; l < up(k, 4); l++) to[l] = 0;
	*moved = move, *sum = s;
	return 1;
}

// each_product is a row of the result, each product by itself.
static void each_product(float *c, const float *x, int64_t n, int64_t k, const int32_t *moves, const int32_t *words, int64_t kw) {
	for (int64_t j = 0; j < n; j++) {
		uint32_t sum = 0;
		for (int64_t l = 0; l < k; l++) {
			uint32_t word = (uint32_t)words[(j / CI * kw + l / 4) * CI + j % CI];
			sum += (uint32_t)(int32_t)x[l] * ((word >> (8 * (l % 4)) & 255) + (uint32_t)moves[j]);
		}
		c[j] = (float)(int32_t)sum;
	}
}

// ints: c = a*b and the tail's operations.
static void ints(const taso_gemm *g) {
	const int32_t *head = (const int32_t *)g->bp, *sums = head + 16, *moves = sums + up(g->n, CI), *words = moves + up(g->n, CI);
	int quads = head[0];
	int64_t k = g->k, kw = (k + (quads ? 3 : 1)) / (quads ? 4 : 2);
	float *line = g->scratch;
	int32_t *rows = (int32_t *)(line + up(k, 4) + TASO_SLACK), *moved = rows + BI * kw + TASO_SLACK, *sum = moved + BI, *tile = sum + BI;
	for (int64_t ic = 0; ic < g->m; ic += BI) {
		int64_t m = lmin(BI, g->m - ic);
		int fits[BI];
		for (int64_t i = 0; i < m; i++) {
			const float *x = g->a + (ic + i) * g->ars;
			if (g->acs != 1) {
				for (int64_t l = 0; l < k; l++) line[l] = x[l * g->acs];
				x = line;
			}
			fits[i] = int_row(rows + i * kw, moved + i, sum + i, x, k, quads);
			if (!fits[i]) {
				for (int64_t w = 0; w < kw; w++) rows[i * kw + w] = 0;
				each_product(g->c + (ic + i) * g->ldc, x, g->n, k, moves, words, kw);
			}
		}
		for (int64_t j = 0; j < g->n; j += CI) {
			int64_t cols = lmin(CI, g->n - j);
			for (int64_t i = 0; i < m; i += RI) {
				int r1 = (int)lmin(RI, m - i);
				(quads ? quads_tile : pairs_tile)(r1, kw, rows + i * kw, kw, words + j * kw, tile);
				for (int r = 0; r < r1; r++) {
					if (!fits[i + r]) continue;
					uint32_t mv = (uint32_t)moved[i + r], s = (uint32_t)sum[i + r];
					float *c = g->c + (ic + i + r) * g->ldc + j;
					// (a + mv) * (b + move): sums are of b before it was moved.
					if (quads)
						for (int64_t q = 0; q < cols; q++)
							c[q] = (float)(int32_t)((uint32_t)tile[r * CI + q] + mv * (uint32_t)sums[j + q] + s * (uint32_t)moves[j + q]);
					else
						for (int64_t q = 0; q < cols; q++) c[q] = (float)tile[r * CI + q];
				}
			}
		}
	}
	finish(&g->tail, g->c, g->ldc, g->m, 0, g->n);
}
