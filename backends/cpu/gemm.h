// gemm.h: products of matrices, c = a*b.
//
// After Goto and van de Geijn (2008) and BLIS (Van Zee and van de Geijn, 2015):
// a register tile of MR x NR results, panels of a and b packed in the order in
// which the tile reads them, a block of b in the second level cache.
//
// Packed a: for each block of kc of the k, for each MR rows, kc columns of MR.
// Packed b: for each block of kc of the k, for each NR columns, kc rows of NR;
// the last panel is as narrow as whole vectors allow. Missing rows and columns
// are zeros.

enum {
	MR = TILE_ROWS,
	NV = TILE_VECS,
	NR = TILE_VECS * LANES,
	KC = BLOCK_K,
	MC = BLOCK_M / TILE_ROWS * TILE_ROWS,
	NC = BLOCK_N / (TILE_VECS * LANES) * (TILE_VECS * LANES), // of a b packed on the way
	NCP = 3072 / (TILE_VECS * LANES) * (TILE_VECS * LANES),   // of a b packed before
};

// kblock splits k into equal blocks of at most KC.
INLINE int64_t kblock(int64_t k) {
	int64_t blocks = (k + KC - 1) / KC;
	return (k + blocks - 1) / blocks;
}

static int64_t packed_a(int64_t m, int64_t k) { return up(m, MR) * k + TASO_SLACK; }
static int64_t packed_b(int64_t n, int64_t k) { return up(n, LANES) * k + TASO_SLACK; }
static int64_t gemm_scratch(void) { return (int64_t)KC * NC + (int64_t)MC * KC + 2 * NR * MR + 4 * TASO_SLACK; }

// A tile's surroundings.
typedef struct {
	const float *init;
	float *c;
	int64_t ldinit, ldc;
	const float *rowscale, *rowbias, *colbias;
	int clamp;
	float lo, hi;
} Tile;

// tile computes mr x nv vectors of the result, mr and nv being constants:
// c = init + a*b, and so on. With off, row l of b begins at b + off[l].
INLINE void tile(const int mr, const int nv, const int direct, int64_t k,
                 const float *a, const float *b, const int64_t *off, const Tile *t) {
	V acc[MR][NV];
#pragma GCC unroll 16
	for (int r = 0; r < mr; r++)
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++) acc[r][j] = (V){0};
	for (int64_t l = 0; l < k; l++) {
		V bv[NV];
		const float *bl = direct ? b + off[l] : b;
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++) bv[j] = vload(bl + j * LANES);
#pragma GCC unroll 16
		for (int r = 0; r < mr; r++) {
			V av = vset(a[r]);
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++) acc[r][j] += av * bv[j];
		}
		// The panels of a follow one another; weights come from far away.
		__builtin_prefetch(a + 128 * MR);
		a += MR;
		b += direct ? 0 : nv * LANES;
	}
#pragma GCC unroll 16
	for (int r = 0; r < mr; r++)
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++) {
			V x = acc[r][j];
			if (t->init) x += vload(t->init + r * t->ldinit + j * LANES);
			if (t->rowscale) x *= t->rowscale[r];
			if (t->rowbias) x += t->rowbias[r];
			if (t->colbias) x += vload(t->colbias + j * LANES);
			if (t->clamp) {
				x = VMAX(vset(t->lo), x);
				x = VMIN(vset(t->hi), x);
			}
			vstore(t->c + r * t->ldc + j * LANES, x);
		}
}

typedef void (*Tiler)(int64_t k, const float *a, const float *b, const int64_t *off, const Tile *t);

#define TILER(M, N) \
	static void tile_##M##_##N(int64_t k, const float *a, const float *b, const int64_t *off, const Tile *t) { \
		(void)off; \
		tile(M, N, 0, k, a, b, 0, t); \
	} \
	static void direct_##M##_##N(int64_t k, const float *a, const float *b, const int64_t *off, const Tile *t) { \
		tile(M, N, 1, k, a, b, off, t); \
	}
#if TILE_VECS == 3
#define TILERS(M) TILER(M, 1) TILER(M, 2) TILER(M, 3)
#define ROWOF(K, M) {K##_##M##_1, K##_##M##_2, K##_##M##_3}
#else
#define TILERS(M) TILER(M, 1) TILER(M, 2)
#define ROWOF(K, M) {K##_##M##_1, K##_##M##_2}
#endif
TILERS(1) TILERS(2) TILERS(3) TILERS(4)
#if TILE_ROWS >= 6
TILERS(5) TILERS(6)
#endif
#if TILE_ROWS >= 8
TILERS(7) TILERS(8)
#endif

#if TILE_ROWS == 8
#define ALLROWS(K) {ROWOF(K, 1), ROWOF(K, 2), ROWOF(K, 3), ROWOF(K, 4), ROWOF(K, 5), ROWOF(K, 6), ROWOF(K, 7), ROWOF(K, 8)}
#elif TILE_ROWS == 6
#define ALLROWS(K) {ROWOF(K, 1), ROWOF(K, 2), ROWOF(K, 3), ROWOF(K, 4), ROWOF(K, 5), ROWOF(K, 6)}
#else
#define ALLROWS(K) {ROWOF(K, 1), ROWOF(K, 2), ROWOF(K, 3), ROWOF(K, 4)}
#endif
static const Tiler tilers[MR][NV] = ALLROWS(tile);
static const Tiler directs[MR][NV] = ALLROWS(direct);

// edge runs a tile whose last vector is partly outside: n columns are valid.
// It goes through a buffer of MR x NR.
static void edge(Tiler f, int64_t k, const float *a, const float *b, const int64_t *off, const Tile *t, int mr, int64_t n, float *buf) {
	Tile u = *t;
	float *cb = buf + MR * NR;
	u.c = buf;
	u.ldc = NR;
	if (t->init) {
		for (int r = 0; r < mr; r++) __builtin_memcpy(buf + r * NR, t->init + r * t->ldinit, n * 4);
		u.init = buf;
		u.ldinit = NR;
	}
	if (t->colbias) {
		__builtin_memcpy(cb, t->colbias, n * 4);
		u.colbias = cb;
	}
	f(k, a, b, off, &u);
	for (int r = 0; r < mr; r++) __builtin_memcpy(t->c + r * t->ldc, buf + r * NR, n * 4);
}

// inner multiplies a packed block of a (m rows) with a packed block of b (n
// columns) over kc. t is at the block's first result.
static void inner(int64_t m, int64_t n, int64_t kc, const float *a, const float *b, const Tile *t, float *buf) {
	for (int64_t j = 0; j < n; j += NR) {
		int64_t w = lmin(NR, n - j);
		int nv = (int)((w + LANES - 1) / LANES);
		const float *bj = b + j * kc;
		for (int64_t i = 0; i < m; i += MR) {
			int mr = (int)lmin(MR, m - i);
			Tile u = *t;
			u.c += i * t->ldc + j;
			if (u.init) u.init += i * t->ldinit + j;
			if (u.rowscale) u.rowscale += i;
			if (u.rowbias) u.rowbias += i;
			if (u.colbias) u.colbias += j;
			Tiler f = tilers[mr - 1][nv - 1];
			if (w == nv * LANES)
				f(kc, a + i * kc, bj, 0, &u);
			else
				edge(f, kc, a + i * kc, bj, 0, &u, mr, w, buf);
		}
	}
}

// pack_rows packs rows [0, m) and columns [0, kc) of a into panels.
static void pack_rows(float *to, const float *a, int64_t m, int64_t kc, int64_t ars, int64_t acs) {
	for (int64_t i = 0; i < m; i += MR) {
		int64_t mr = lmin(MR, m - i);
		const float *ai = a + i * ars;
		if (mr == MR && ars == 1) {
			for (int64_t l = 0; l < kc; l++)
				for (int r = 0; r < MR; r++) to[l * MR + r] = ai[l * acs + r];
		} else if (mr == MR && acs == 1) {
			int64_t l = 0;
			for (; l + 4 <= kc; l += 4)
				for (int r = 0; r + 4 <= MR; r += 4) transpose4(to + l * MR + r, MR, ai + r * ars + l, ars);
			for (int r = MR / 4 * 4; r < MR; r++)
				for (int64_t p = 0; p < l; p++) to[p * MR + r] = ai[r * ars + p];
			for (; l < kc; l++)
				for (int r = 0; r < MR; r++) to[l * MR + r] = ai[r * ars + l];
		} else {
			for (int64_t l = 0; l < kc; l++)
				for (int r = 0; r < MR; r++) to[l * MR + r] = r < mr ? ai[r * ars + l * acs] : 0;
		}
		to += MR * kc;
	}
}

// pack_cols packs rows [0, kc) and columns [0, n) of b into panels.
static void pack_cols(float *to, const float *b, int64_t n, int64_t kc, int64_t brs, int64_t bcs) {
	for (int64_t j = 0; j < n; j += NR) {
		int64_t w = lmin(NR, n - j), full = up(w, LANES);
		const float *bj = b + j * bcs;
		if (bcs == 1 && w == NR) {
			for (int64_t l = 0; l < kc; l++)
				for (int v = 0; v < NV; v++) vstore(to + l * NR + v * LANES, vload(bj + l * brs + v * LANES));
		} else if (brs == 1) {
			int64_t c = 0;
			for (; c + 4 <= w; c += 4) {
				int64_t l = 0;
				for (; l + 4 <= kc; l += 4) transpose4(to + l * full + c, full, bj + c * bcs + l, bcs);
				for (; l < kc; l++)
					for (int64_t q = c; q < c + 4; q++) to[l * full + q] = bj[q * bcs + l];
			}
			for (; c < full; c++)
				for (int64_t l = 0; l < kc; l++) to[l * full + c] = c < w ? bj[c * bcs + l] : 0;
		} else {
			for (int64_t l = 0; l < kc; l++)
				for (int64_t c = 0; c < full; c++) to[l * full + c] = c < w ? bj[l * brs + c * bcs] : 0;
		}
		to += full * kc;
	}
}

static void pack_a(float *to, const float *a, int64_t m, int64_t k, int64_t ars, int64_t acs) {
	int64_t kb = kblock(k);
	for (int64_t p = 0; p < k; p += kb) pack_rows(to + p * up(m, MR), a + p * acs, m, lmin(kb, k - p), ars, acs);
}

static void pack_b(float *to, const float *b, int64_t n, int64_t k, int64_t brs, int64_t bcs) {
	int64_t kb = kblock(k);
	for (int64_t p = 0; p < k; p += kb) pack_cols(to + p * up(n, LANES), b + p * brs, n, lmin(kb, k - p), brs, bcs);
}

// block_tile is the surroundings of the block at column jc, for the part p of
// the k: the first part starts from the tail's init, the last one finishes.
INLINE Tile block_tile(const taso_tail *tail, float *c, int64_t ldc, int64_t jc, int first, int last) {
	Tile t = {0};
	t.c = c + jc;
	t.ldc = ldc;
	t.ldinit = ldc;
	t.init = first ? (tail->init ? tail->init + jc : 0) : t.c;
	if (last) {
		t.rowscale = tail->rowscale;
		t.rowbias = tail->rowbias;
		t.colbias = tail->colbias ? tail->colbias + jc : 0;
		t.clamp = tail->clamp;
		t.lo = tail->lo;
		t.hi = tail->hi;
	}
	return t;
}

// finish applies the tail's further operations to columns [jc, jc+n).
static void finish(const taso_tail *tail, float *c, int64_t ldc, int64_t m, int64_t jc, int64_t n) {
	if (!tail->nops) return;
	for (int64_t i = 0; i < m; i++)
		apply_ops(c + i * ldc + jc, c + i * ldc + jc, n, tail->ops, tail->nops,
		          tail->row0 + i, jc, tail->off0 + i * tail->rowlen + jc);
}

// row_panel is nv vectors of one row times a panel of b, from column j on.
INLINE void row_panel(const int nv, const taso_gemm *g, int64_t j) {
	enum { SETS = 4 }; // sums wait for those before them
	V acc[SETS][NV];
#pragma GCC unroll 4
	for (int s = 0; s < SETS; s++)
#pragma GCC unroll 4
		for (int v = 0; v < nv; v++) acc[s][v] = (V){0};
	int64_t kb = g->bp ? kblock(g->k) : g->k, brs = g->bp ? nv * LANES : g->brs;
	for (int64_t p = 0; p < g->k; p += kb) {
		int64_t kc = lmin(kb, g->k - p), l = 0;
		const float *a = g->a + p * g->acs, *bl = g->bp ? g->bp + p * up(g->n, LANES) + j * kc : g->b + j;
		for (; l + SETS <= kc; l += SETS) {
#pragma GCC unroll 4
			for (int s = 0; s < SETS; s++, a += g->acs, bl += brs) {
				V x = vset(*a);
#pragma GCC unroll 4
				for (int v = 0; v < nv; v++) acc[s][v] += x * vload(bl + v * LANES);
			}
		}
		for (; l < kc; l++, a += g->acs, bl += brs) {
			V x = vset(*a);
#pragma GCC unroll 4
			for (int v = 0; v < nv; v++) acc[0][v] += x * vload(bl + v * LANES);
		}
	}
	const taso_tail *t = &g->tail;
#pragma GCC unroll 4
	for (int v = 0; v < nv; v++, j += LANES) {
		V x = (acc[0][v] + acc[1][v]) + (acc[2][v] + acc[3][v]);
		int64_t n = lmin(LANES, g->n - j);
		VM m = vmask(0, n);
		if (t->init) x += vloadm(t->init + j, m);
		if (t->rowscale) x *= t->rowscale[0];
		if (t->rowbias) x += t->rowbias[0];
		if (t->colbias) x += vloadm(t->colbias + j, m);
		if (t->clamp) {
			x = VMAX(vset(t->lo), x);
			x = VMIN(vset(t->hi), x);
		}
		vstorem(g->c + j, x, m);
	}
}

// row is a product of one row: nothing of b is used twice, so it is read once, as it lies or
// as it was packed.
static void row(const taso_gemm *g) {
	for (int64_t j = 0; j < g->n; j += NR) {
		switch ((lmin(NR, g->n - j) + LANES - 1) / LANES) {
		case 1: row_panel(1, g, j); break;
		case 2: row_panel(2, g, j); break;
#if TILE_VECS == 3
		case 3: row_panel(3, g, j); break;
#endif
		}
	}
	finish(&g->tail, g->c, g->ldc, 1, 0, g->n);
}

static void gemm(const taso_gemm *g) {
	if (g->m == 1 && g->a && (g->bp || g->bcs == 1)) {
		row(g);
		return;
	}
	int64_t kb = kblock(g->k), nc = g->bp ? NCP : NC;
	float *bbuf = g->scratch, *abuf = bbuf + (int64_t)KC * NC + TASO_SLACK, *ebuf = abuf + (int64_t)MC * KC + TASO_SLACK;
	for (int64_t jc = 0; jc < g->n; jc += nc) {
		int64_t n = lmin(nc, g->n - jc);
		for (int64_t p = 0; p < g->k; p += kb) {
			int64_t kc = lmin(kb, g->k - p);
			Tile t = block_tile(&g->tail, g->c, g->ldc, jc, p == 0, p + kc == g->k);
			const float *b = bbuf;
			if (g->bp)
				b = g->bp + p * up(g->n, LANES) + jc * kc;
			else
				pack_cols(bbuf, g->b + p * g->brs + jc * g->bcs, n, kc, g->brs, g->bcs);
			for (int64_t ic = 0; ic < g->m; ic += MC) {
				int64_t m = lmin(MC, g->m - ic);
				const float *a = abuf;
				if (g->ap)
					a = g->ap + p * up(g->m, MR) + ic * kc;
				else
					pack_rows(abuf, g->a + ic * g->ars + p * g->acs, m, kc, g->ars, g->acs);
				Tile u = t;
				u.c += ic * g->ldc;
				if (u.init) u.init += ic * g->ldc;
				if (u.rowscale) u.rowscale += ic;
				if (u.rowbias) u.rowbias += ic;
				inner(m, n, kc, a, b, &u, ebuf);
			}
		}
		finish(&g->tail, g->c, g->ldc, g->m, jc, n);
	}
}
