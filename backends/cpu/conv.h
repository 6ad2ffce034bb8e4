// conv.h: convolution as a product of the kernels [o, c*kh*kw] with the matrix
// of windows [c*kh*kw, oh*ow], which is never written out: its panels are
// packed from the image when they are needed, or, with few output channels
// where packing does not pay, read in the image itself.

static void pad_image(float *to, const float *x, int64_t c, int64_t h, int64_t w, int64_t top, int64_t left, int64_t xh, int64_t xw) {
	int64_t right = xw - left - w;
	for (int64_t ch = 0; ch < c; ch++) {
		float *t = to + ch * xh * xw;
		__builtin_memset(t, 0, top * xw * 4);
		t += top * xw;
		for (int64_t r = 0; r < h; r++, t += xw, x += w) {
			for (int64_t j = 0; j < left; j++) t[j] = 0;
			__builtin_memcpy(t + left, x, w * 4);
			for (int64_t j = 0; j < right; j++) t[left + w + j] = 0;
		}
		__builtin_memset(t, 0, (xh - top - h) * xw * 4);
	}
}

typedef struct {
	int64_t src, dst, len;
} Run;

// spread copies n elements at distance step; it may write up to LANES - 1
// elements more.
INLINE void spread(float *to, const float *x, int64_t n, int64_t step) {
	if (step == 1) {
		for (int64_t i = 0; i < n; i += LANES) vstore(to + i, vload(x + i));
	} else if (step == 2) {
		for (int64_t i = 0; i < n; i += LANES) {
			V a = vload(x + 2 * i), b = vload(x + 2 * i + LANES);
			vstore(to + i, EVENS(a, b));
		}
	} else {
		for (int64_t i = 0; i < n; i++) to[i] = x[i * step];
	}
}

// pack_windows packs columns [jc, jc+n), rows [p, p+kc) of the matrix of windows.
static void pack_windows(float *to, const taso_conv *g, int64_t p, int64_t kc, int64_t jc, int64_t n) {
	Run runs[NR];
	int64_t plane = g->xh * g->xw;
	for (int64_t j = 0; j < n; j += NR) {
		int64_t w = lmin(NR, n - j), full = up(w, LANES);
		int nruns = 0;
		for (int64_t c = 0; c < w;) {
			int64_t row = (jc + j + c) / g->ow, col = (jc + j + c) % g->ow;
			int64_t len = lmin(w - c, g->ow - col);
			runs[nruns++] = (Run){row * g->sh * g->xw + col * g->sw, c, len};
			c += len;
		}
		int64_t ch = p / (g->kh * g->kw), kh = p / g->kw % g->kh, kw = p % g->kw;
		const float *x = g->x + ch * plane;
		for (int64_t l = 0; l < kc; l++) {
			const float *at = x + kh * g->dh * g->xw + kw * g->dw;
			if (nruns == 1 && g->sw == 1 && w == NR) {
				for (int v = 0; v < NV; v++) vstore(to + v * LANES, vload(at + runs[0].src + v * LANES));
			} else {
				for (int r = 0; r < nruns; r++) spread(to + runs[r].dst, at + runs[r].src, runs[r].len, g->sw);
			}
			to += full;
			if (++kw == g->kw) {
				kw = 0;
				if (++kh == g->kh) kh = 0, x += plane;
			}
		}
	}
}

static void conv_packed(const taso_conv *g) {
	int64_t k = g->c * g->kh * g->kw, n = g->oh * g->ow, kb = kblock(k), nc = NC;
	float *ebuf = g->scratch, *bbuf = ebuf + 2 * MR * NR + TASO_SLACK;
	for (int64_t jc = 0; jc < n; jc += nc) {
		int64_t nn = lmin(nc, n - jc);
		for (int64_t p = 0; p < k; p += kb) {
			int64_t kc = lmin(kb, k - p);
			Tile t = block_tile(&g->tail, g->y, n, jc, p == 0, p + kc == k);
			pack_windows(bbuf, g, p, kc, jc, nn);
			for (int64_t ic = 0; ic < g->o; ic += MC) {
				Tile u = t;
				u.c += ic * n;
				if (u.init) u.init += ic * n;
				if (u.rowscale) u.rowscale += ic;
				if (u.rowbias) u.rowbias += ic;
				inner(lmin(MC, g->o - ic), nn, kc, g->w + p * up(g->o, MR) + ic * kc, bbuf, &u, ebuf);
			}
		}
		finish(&g->tail, g->y, n, g->o, jc, nn);
	}
}

enum {
	DIRECT_COLUMNS = 512,
	DIRECT_CHANNELS = 256, // with more the two ways are alike
	// What packing one piece of a row of windows takes, in products of vectors, and copying a
	// vector of the result to its place.
	PIECE_PRODUCTS = 8,
	COPY_PRODUCTS = 3,
};

// direct_rows is how many output rows are computed at a time.
INLINE int64_t direct_rows(const taso_conv *g) { return lmin(g->oh, lmax(1, DIRECT_COLUMNS / g->xw)); }

// conv_direct, for stride 1: the output is computed as if its rows were as long
// as the padded image's (xw), so that a row of the matrix of windows is a piece
// of the image at a constant distance; the surplus columns are left out when
// the rows are copied to their place.
static void conv_direct(const taso_conv *g) {
	int64_t k = g->c * g->kh * g->kw, n = g->oh * g->ow, rows = direct_rows(g), kb = kblock(k);
	int64_t ld = up((rows - 1) * g->xw + g->ow, NR);
	int64_t *off = (int64_t *)g->scratch;
	float *ybuf = g->scratch + 2 * k + TASO_SLACK;
	int64_t *to = off;
	for (int64_t ch = 0; ch < g->c; ch++)
		for (int64_t kh = 0; kh < g->kh; kh++)
			for (int64_t kw = 0; kw < g->kw; kw++) *to++ = (ch * g->xh + kh * g->dh) * g->xw + kw * g->dw;
	const taso_tail *tail = &g->tail;
	for (int64_t r0 = 0; r0 < g->oh; r0 += rows) {
		int64_t nr = lmin(rows, g->oh - r0), cols = (nr - 1) * g->xw + g->ow;
		const float *x = g->x + r0 * g->xw;
		for (int64_t p = 0; p < k; p += kb) {
			int64_t kc = lmin(kb, k - p);
			const float *a = g->w + p * up(g->o, MR);
			for (int64_t j = 0; j < cols; j += NR) {
				int nv = (int)((lmin(NR, cols - j) + LANES - 1) / LANES);
				for (int64_t i = 0; i < g->o; i += MR) {
					int mr = (int)lmin(MR, g->o - i);
					Tile t = {0};
					t.c = ybuf + i * ld + j;
					t.ldc = t.ldinit = ld;
					if (p) t.init = t.c;
					if (p + kc == k) {
						t.rowscale = tail->rowscale ? tail->rowscale + i : 0;
						t.rowbias = tail->rowbias ? tail->rowbias + i : 0;
						t.clamp = tail->clamp && !tail->init && !tail->colbias;
						t.lo = tail->lo, t.hi = tail->hi;
					}
					directs[mr - 1][nv - 1](kc, a + i * kc, x + j, off + p, &t);
				}
			}
		}
		for (int64_t i = 0; i < g->o; i++) {
			float *y = g->y + i * n + r0 * g->ow;
			for (int64_t r = 0; r < nr; r++) __builtin_memcpy(y + r * g->ow, ybuf + i * ld + r * g->xw, g->ow * 4);
			// What lies as the result does, not as ybuf, is added here.
			taso_op ops[3];
			int nops = 0;
			if (tail->init) ops[nops++] = (taso_op){TASO_ADD, TASO_FULL, 0, 0, tail->init, 0};
			if (tail->colbias) ops[nops++] = (taso_op){TASO_ADD, TASO_COL, 0, 0, tail->colbias, 0};
			if (nops && tail->clamp) ops[nops++] = (taso_op){TASO_CLIP, TASO_NONE, tail->lo, tail->hi, 0, 0};
			if (nops) apply_ops(y, y, nr * g->ow, ops, nops, 0, r0 * g->ow, i * n + r0 * g->ow);
		}
		finish(tail, g->y, n, g->o, r0 * g->ow, nr * g->ow);
	}
}

// vectors is how many a row of n columns is computed as.
INLINE int64_t vectors(int64_t n) { return (n + LANES - 1) / LANES; }

// in_place reports whether the image is read in place. That computes the columns between the
// rows of the result too, once for each output channel, and copies the result; packing moves,
// for each row of the matrix of windows, a piece for every row of the result and every panel.
// (BenchmarkConvWays, from which the two constants are, times both.)
static int in_place(const taso_conv *g) {
	if (g->way != TASO_BESTWAY) return g->way == TASO_INPLACE;
	if (g->sh != 1 || g->sw != 1 || g->o > DIRECT_CHANNELS) return 0;
	int64_t rows = direct_rows(g), rest = g->oh % rows, n = g->oh * g->ow, k = g->c * g->kh * g->kw;
	int64_t computed = g->oh / rows * vectors((rows - 1) * g->xw + g->ow);
	if (rest) computed += vectors((rest - 1) * g->xw + g->ow);
	int64_t surplus = g->o * (computed - vectors(n)), copies = g->o * computed * COPY_PRODUCTS / k;
	return surplus + copies <= PIECE_PRODUCTS * (g->oh + (n + NR - 1) / NR);
}

static int64_t conv_scratch(const taso_conv *g) {
	int64_t k = g->c * g->kh * g->kw;
	if (in_place(g)) return 2 * k + 2 * TASO_SLACK + up((direct_rows(g) - 1) * g->xw + g->ow, NR) * up(g->o, MR);
	return 2 * MR * NR + 2 * TASO_SLACK + NC * kblock(k);
}

static void conv(const taso_conv *g) {
	if (in_place(g))
		conv_direct(g);
	else
		conv_packed(g);
}

// weave puts rows together of which every step-th element was computed apart.
static void weave(float *y, const float *x, int64_t planes, int64_t rows, int64_t n, int64_t step, int64_t per, int64_t plane, int64_t line) {
	for (int64_t c = 0; c < planes; c++) {
		for (int64_t r = 0; r < rows; r++) {
			float *to = y + c * plane + r * line;
			int64_t at = c * rows + r;
			if (step == 2) {
				const float *a = x + at * ((n + 1) / 2), *b = x + per + at * (n / 2);
				for (int64_t j = 0; j < n / 2; j++) to[2 * j] = a[j], to[2 * j + 1] = b[j];
				if (n % 2) to[n - 1] = a[n / 2];
				continue;
			}
			for (int64_t p = 0; p < step; p++) {
				int64_t m = (n - p + step - 1) / step;
				const float *from = x + p * per + at * m;
				for (int64_t j = 0; j < m; j++) to[j * step + p] = from[j];
			}
		}
	}
}
