// depthwise.h: depthwise convolutions of the common kernels and strides, which read the
// image in place: columns outside of it are lanes that are not loaded, rows outside are
// zeros. Sums are made in the order of window.h.

// depth_store finishes a vector of results of a channel: n of them, at place off of it.
INLINE void depth_store(const taso_window *g, int64_t c, int64_t off, V x, int64_t n) {
	const taso_tail *t = &g->tail;
	int64_t at = c * g->oh * g->ow + off;
	if (t->init) x += n == LANES ? vload(t->init + at) : vloadn(t->init + at, n);
	if (t->rowscale) x *= t->rowscale[c];
	if (t->rowbias) x += t->rowbias[c];
	if (t->colbias) x += n == LANES ? vload(t->colbias + off) : vloadn(t->colbias + off, n);
	if (t->clamp) {
		x = VMAX(vset(t->lo), x);
		x = VMIN(vset(t->hi), x);
	}
	if (n == LANES)
		vstore(g->y + at, x);
	else
		vstoren(g->y + at, x, n);
}

// depth_mask are the lanes of a vector that begins at column c0 which lie in the image.
INLINE VM depth_mask(const taso_window *g, int64_t c0) {
	int64_t lo = lmin(lmax(0, -c0), LANES);
	return vmask(lo, lmax(lo, lmin(LANES, g->w - c0)));
}

// STRIP is about how many elements of a channel are read before the next columns: they
// stay in the first level cache.
enum { STRIP = 4096 };

// depth_dense is stride 1. It walks down the rows of the image; each row is part of kh
// rows of the result, of which the oldest is then complete.
INLINE void depth_dense(const int kh, const int kw, const taso_window *g, int64_t c, int64_t i0, int64_t i1) {
	const float *x = g->x + c * g->h * g->w, *k = g->k + c * kh * kw;
	for (int64_t j = 0; j < g->ow; j += LANES) {
		int64_t n = lmin(LANES, g->ow - j), c0 = j - g->left;
		VM m[7];
#pragma GCC unroll 7
		for (int b = 0; b < kw; b++) m[b] = depth_mask(g, c0 + b);
		V acc[7] = {{0}};
		for (int64_t r = i0 - g->top; r < i1 - 1 - g->top + kh; r++) {
			V v[7];
			int inside = r >= 0 && r < g->h;
#pragma GCC unroll 7
			for (int b = 0; b < kw; b++) v[b] = inside ? vloadm(x + r * g->w + c0 + b, m[b]) : (V){0};
#pragma GCC unroll 7
			for (int a = kh - 1; a >= 0; a--) {
				V s = a ? acc[a - 1] : (V){0};
#pragma GCC unroll 7
				for (int b = 0; b < kw; b++) s += k[a * kw + b] * v[b];
				acc[a] = s;
			}
			int64_t i = r + g->top - (kh - 1);
			if (i >= i0) depth_store(g, c, i * g->ow + j, acc[kh - 1], n);
		}
	}
}

// depth_halved is stride 2: the columns of a row that neighbouring results meet are every
// other one of two vectors.
INLINE void depth_halved(const int kh, const int kw, const taso_window *g, int64_t c, int64_t i0, int64_t i1) {
	const float *x = g->x + c * g->h * g->w, *k = g->k + c * kh * kw;
	for (int64_t j = 0; j < g->ow; j += LANES) {
		int64_t n = lmin(LANES, g->ow - j), c0 = 2 * j - g->left;
		VM m[8];
#pragma GCC unroll 4
		for (int b = 0; b < kw; b += 2) m[b] = depth_mask(g, c0 + b), m[b + 1] = depth_mask(g, c0 + b + LANES);
		for (int64_t i = i0; i < i1; i++) {
			V acc = {0};
			for (int a = 0; a < kh; a++) {
				int64_t r = 2 * i + a - g->top;
				int inside = r >= 0 && r < g->h;
				const float *row = x + r * g->w + c0;
#pragma GCC unroll 4
				for (int b = 0; b < kw; b += 2) {
					V u = inside ? vloadm(row + b, m[b]) : (V){0}, v = inside ? vloadm(row + b + LANES, m[b + 1]) : (V){0};
					acc += k[a * kw + b] * EVENS(u, v);
					if (b + 1 < kw) acc += k[a * kw + b + 1] * ODDS(u, v);
				}
			}
			depth_store(g, c, i * g->ow + j, acc, n);
		}
	}
}

typedef void (*Depth)(const taso_window *g, int64_t c, int64_t i0, int64_t i1);

#define DEPTH(NAME, K) \
	static void NAME##_##K(const taso_window *g, int64_t c, int64_t i0, int64_t i1) { NAME(K, K, g, c, i0, i1); }
DEPTH(depth_dense, 3)
DEPTH(depth_dense, 5)
DEPTH(depth_dense, 7)
DEPTH(depth_halved, 3)
DEPTH(depth_halved, 5)

// depth_for is what computes such windows in place, or nothing.
static Depth depth_for(const taso_window *g) {
	if (g->kind != TASO_DEPTHWISE || g->kh != g->kw || g->sh != g->sw || g->dh > 1 || g->dw > 1) return 0;
	if (g->sh == 1) return g->kh == 3 ? depth_dense_3 : g->kh == 5 ? depth_dense_5 : g->kh == 7 ? depth_dense_7 : 0;
	if (g->sh == 2) return g->kh == 3 ? depth_halved_3 : g->kh == 5 ? depth_halved_5 : 0;
	return 0;
}

static void depthwise(const taso_window *g, Depth f) {
	int64_t n = g->oh * g->ow, rows = lmax(8, STRIP / g->w);
	for (int64_t c = 0; c < g->c; c++) {
		for (int64_t i = 0; i < g->oh; i += rows) f(g, c, i, lmin(i + rows, g->oh));
		const taso_tail *t = &g->tail;
		if (t->nops) apply_ops(g->y + c * n, g->y + c * n, n, t->ops, t->nops, t->row0 + c, 0, t->off0 + c * t->rowlen);
	}
}
