// window.h: operators that slide a window within each channel: depthwise
// convolution, max and average pools.
//
// A channel is first copied with its border into scratch, its columns sorted
// by their remainder modulo the stride: [rows][sw][xq]. So the cells that one
// kernel column meets in neighbouring outputs are neighbours.

INLINE int64_t window_rows(const taso_window *g) { return (g->oh - 1) * g->sh + (g->kh - 1) * g->dh + 1; }
INLINE int64_t window_xq(const taso_window *g) { return g->ow + (g->kw - 1) * g->dw / g->sw; }

static int64_t window_scratch(const taso_window *g) {
	return window_rows(g) * g->sw * window_xq(g) + up(g->ow, LANES) + 3 * TASO_SLACK;
}

// sort_columns copies one channel.
static void sort_columns(float *to, const float *x, const taso_window *g, float fill) {
	int64_t rows = window_rows(g), xq = window_xq(g);
	for (int64_t r = 0; r < rows; r++) {
		int64_t at = r - g->top;
		for (int64_t ph = 0; ph < g->sw; ph++, to += xq) {
			// Column q holds column q*sw + ph - left of the image.
			int64_t q0 = g->left > ph ? (g->left - ph + g->sw - 1) / g->sw : 0;
			int64_t q1 = (g->w + g->left - ph + g->sw - 1) / g->sw;
			if (at < 0 || at >= g->h) q0 = q1 = xq;
			q0 = lmin(q0, xq);
			q1 = lmax(q0, lmin(q1, xq));
			for (int64_t q = 0; q < q0; q++) to[q] = fill;
			if (q1 > q0) spread(to + q0, x + at * g->w + q0 * g->sw + ph - g->left, q1 - q0, g->sw);
			for (int64_t q = q1; q < xq; q++) to[q] = fill;
		}
	}
}

// A channel with an element that is not a number takes a slower maximum, which
// such an element wins.
enum { POOLMAX_NAN = -1 };

// odd reports whether an element is not a number, or infinite: zero times it is
// not zero.
static int odd(const float *x, int64_t n) {
	V s[4] = {{0}, {0}, {0}, {0}};
	int64_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES)
		for (int u = 0; u < 4; u++) s[u] += vload(x + i + u * LANES) * 0.0f;
	for (; i < n; i += LANES) s[0] += (n - i < LANES ? vloadn(x + i, n - i) : vload(x + i)) * 0.0f;
	return hsum((s[0] + s[1]) + (s[2] + s[3])) != 0;
}

// window_channel computes one channel. kind, kh, kw, sw and the distances dh and dw
// between rows and columns of the window are constants in the copies made for common
// windows.
INLINE void window_channel(const taso_window *g, const int kind, const int kh, const int kw, const int sw, const int64_t dh,
                           const int64_t dw, const float *s, const float *k, const float *cols, float *y, int safe) {
	int64_t xq = window_xq(g), line = g->sw * xq;
	for (int64_t i = 0; i < g->oh; i++, y += g->ow) {
		float per = 0;
		if (kind == TASO_POOLAVG) per = (float)(kh * kw);
		if (kind == TASO_POOLAVG_INSIDE) {
			int64_t r = i * g->sh - g->top;
			per = (float)(lmin(r + kh, g->h) - lmax(r, 0));
		}
		const float *si = s + i * g->sh * line;
		for (int64_t j = 0; j < g->ow; j += LANES) {
			V acc = kind == TASO_POOLMAX || kind == POOLMAX_NAN ? vload(si + j) : (V){0};
			for (int a = 0; a < kh; a++) {
				const float *row = si + a * dh * line + j;
				int64_t ph = 0, q = 0;
				for (int b = 0; b < kw; b++) {
					V x = vload(row + ph * xq + q);
					ph += dw % sw, q += dw / sw;
					if (ph >= sw) ph -= sw, q++;
					if (kind == TASO_DEPTHWISE)
						acc += k[a * kw + b] * x;
					else if (kind == TASO_POOLMAX)
						acc = VMAX(acc, x);
					else if (kind == POOLMAX_NAN)
						acc = nmax(acc, x);
					else
						acc += x;
				}
			}
			if (kind == TASO_POOLAVG) acc /= per;
			if (kind == TASO_POOLAVG_INSIDE) acc /= per * vload(cols + j);
			if (j + LANES <= g->ow || !safe || (g->oh - i) * g->ow - j >= LANES)
				vstore(y + j, acc);
			else
				vstoren(y + j, acc, g->ow - j);
		}
	}
}

// The copies for windows of 3x3 and 5x5, the loops over which are unrolled.
INLINE void window_kind(const taso_window *g, const int kind, const float *s, const float *k, const float *cols, float *y, int safe) {
	if (g->dh > 1 || g->dw > 1) {
		if (g->kh == 3 && g->kw == 3 && g->sw == 1)
			window_channel(g, kind, 3, 3, 1, g->dh, g->dw, s, k, cols, y, safe);
		else
			window_channel(g, kind, (int)g->kh, (int)g->kw, (int)g->sw, g->dh, g->dw, s, k, cols, y, safe);
	} else if (g->kh == 3 && g->kw == 3 && g->sw == 1)
		window_channel(g, kind, 3, 3, 1, 1, 1, s, k, cols, y, safe);
	else if (g->kh == 3 && g->kw == 3 && g->sw == 2)
		window_channel(g, kind, 3, 3, 2, 1, 1, s, k, cols, y, safe);
	else if (g->kh == 5 && g->kw == 5 && g->sw == 1)
		window_channel(g, kind, 5, 5, 1, 1, 1, s, k, cols, y, safe);
	else
		window_channel(g, kind, (int)g->kh, (int)g->kw, (int)g->sw, 1, 1, s, k, cols, y, safe);
}

// window_tail does to a channel what kernels with registers do before they store.
static void window_tail(const taso_window *g, int64_t c) {
	const taso_tail *t = &g->tail;
	int64_t n = g->oh * g->ow;
	taso_op ops[4];
	int nops = 0;
	if (t->init) ops[nops++] = (taso_op){TASO_ADD, TASO_COL, 0, 0, t->init + c * n, 0};
	if (t->rowscale) ops[nops++] = (taso_op){TASO_MUL, TASO_SCALAR, 0, 0, t->rowscale + c, 0};
	if (t->rowbias) ops[nops++] = (taso_op){TASO_ADD, TASO_SCALAR, 0, 0, t->rowbias + c, 0};
	if (t->colbias) ops[nops++] = (taso_op){TASO_ADD, TASO_COL, 0, 0, t->colbias, 0};
	if (nops) apply_ops(g->y + c * n, g->y + c * n, n, ops, nops, 0, 0, 0);
	ops[0] = (taso_op){TASO_CLIP, TASO_NONE, t->lo, t->hi, 0, 0};
	if (t->clamp) apply_ops(g->y + c * n, g->y + c * n, n, ops, 1, 0, 0, 0);
}

static void window(const taso_window *g) {
	Depth f = depth_for(g);
	if (f) {
		depthwise(g, f);
		return;
	}
	float *cols = g->scratch, *s = cols + up(g->ow, LANES);
	for (int64_t j = 0; j < up(g->ow, LANES); j++) {
		int64_t c = j * g->sw - g->left;
		cols[j] = j < g->ow ? (float)(lmin(c + g->kw, g->w) - lmax(c, 0)) : 1;
	}
	float fill = g->kind == TASO_POOLMAX ? -__builtin_inff() : 0;
	for (int64_t c = 0; c < g->c; c++) {
		const float *x = g->x + c * g->h * g->w, *k = g->k + c * g->kh * g->kw;
		float *y = g->y + c * g->oh * g->ow;
		// A last vector may run into the next rows or channel, which are written
		// later; in the last channel, not beyond its end.
		int safe = c + 1 == g->c || g->oh * g->ow < LANES;
		sort_columns(s, x, g, fill);
		switch (g->kind) {
		case TASO_DEPTHWISE:
			window_kind(g, TASO_DEPTHWISE, s, k, cols, y, safe);
			window_tail(g, c);
			break;
		case TASO_POOLMAX:
			if (odd(x, g->h * g->w))
				window_channel(g, POOLMAX_NAN, (int)g->kh, (int)g->kw, (int)g->sw, 1, 1, s, 0, cols, y, safe);
			else
				window_kind(g, TASO_POOLMAX, s, 0, cols, y, safe);
			break;
		case TASO_POOLAVG: window_kind(g, TASO_POOLAVG, s, 0, cols, y, safe); break;
		default: window_kind(g, TASO_POOLAVG_INSIDE, s, 0, cols, y, safe); break;
		}
	}
	finish(&g->tail, g->y, g->oh * g->ow, g->c, 0, g->oh * g->ow);
}
