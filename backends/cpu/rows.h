// rows.h: softmax, layer normalization, reductions, interpolation: each works
// on the middle axis of [outer, n, inner].

// vloadf is vloadn with the value of the missing lanes.
INLINE V vloadf(const float *p, int64_t n, float fill) {
	static const int32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	VI lane;
	__builtin_memcpy(&lane, lanes, sizeof lane);
	return vsel(lane < (int32_t)n, vloadn(p, n), vset(fill));
}

static float row_max(const float *x, int64_t n) {
	V m = vset(-__builtin_inff());
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES) m = nmax(m, vload(x + i));
	if (i < n) {
		V t = vloadf(x + i, n - i, -__builtin_inff());
		m = nmax(m, t);
	}
	return hmax(m);
}

static float row_sum(const float *x, int64_t n) {
	V s[4] = {{0}, {0}, {0}, {0}};
	int64_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES)
		for (int u = 0; u < 4; u++) s[u] += vload(x + i + u * LANES);
	for (; i + LANES <= n; i += LANES) s[0] += vload(x + i);
	if (i < n) s[1] += vloadn(x + i, n - i);
	return hsum((s[0] + s[1]) + (s[2] + s[3]));
}

static float row_dot(const float *x, const float *k, int64_t n) {
	V s[4] = {{0}, {0}, {0}, {0}};
	int64_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES)
		for (int u = 0; u < 4; u++) s[u] += vload(x + i + u * LANES) * vload(k + i + u * LANES);
	for (; i + LANES <= n; i += LANES) s[0] += vload(x + i) * vload(k + i);
	if (i < n) s[1] += vloadn(x + i, n - i) * vloadn(k + i, n - i);
	return hsum((s[0] + s[1]) + (s[2] + s[3]));
}

static void dots(float *y, const float *x, const float *k, int64_t rows, int64_t n, const taso_tail *tail) {
	for (int64_t r = 0; r < rows; r++) y[r] = row_dot(x + r * n, k + r * n, n);
	finish(tail, y, 1, rows, 0, 1);
}

static void softmax_row(float *y, const float *x, int64_t n) {
	V m = vset(row_max(x, n)), s = {0};
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		V e = vexp(vload(x + i) - m);
		vstore(y + i, e);
		s += e;
	}
	if (i < n) {
		V e = vexp(vloadf(x + i, n - i, -__builtin_inff()) - m);
		vstoren(y + i, e, n - i);
		s += vloadf(y + i, n - i, 0);
	}
	float sum = hsum(s);
	for (i = 0; i + LANES <= n; i += LANES) vstore(y + i, vload(y + i) / sum);
	for (; i < n; i++) y[i] /= sum;
}

static void softmax(float *y, const float *x, int64_t outer, int64_t n, int64_t inner) {
	for (int64_t o = 0; o < outer; o++, x += n * inner, y += n * inner) {
		if (inner == 1) {
			softmax_row(y, x, n);
			continue;
		}
		for (int64_t i = 0; i < inner; i += LANES) {
			int64_t w = lmin(LANES, inner - i);
			V m = vset(-__builtin_inff()), s = {0};
			for (int64_t l = 0; l < n; l++) {
				V t = w == LANES ? vload(x + l * inner + i) : vloadn(x + l * inner + i, w);
				m = VMAX(m, t);
			}
			for (int64_t l = 0; l < n; l++) {
				V e = vexp((w == LANES ? vload(x + l * inner + i) : vloadn(x + l * inner + i, w)) - m);
				s += e;
				w == LANES ? vstore(y + l * inner + i, e) : vstoren(y + l * inner + i, e, w);
			}
			for (int64_t l = 0; l < n; l++) {
				V e = (w == LANES ? vload(y + l * inner + i) : vloadn(y + l * inner + i, w)) / s;
				w == LANES ? vstore(y + l * inner + i, e) : vstoren(y + l * inner + i, e, w);
			}
		}
	}
}

static void layernorm(float *y, const float *x, const float *scale, const float *bias, int64_t rows, int64_t n, float eps) {
	for (int64_t r = 0; r < rows; r++, x += n, y += n) {
		float mean = row_sum(x, n) / n;
		V s = {0};
		int64_t i = 0;
		for (; i + LANES <= n; i += LANES) {
			V d = vload(x + i) - mean;
			s += d * d;
		}
		float var = hsum(s);
		for (; i < n; i++) var += (x[i] - mean) * (x[i] - mean);
		float inv = 1.0f / __builtin_sqrtf(var / n + eps);
		for (i = 0; i + LANES <= n; i += LANES)
			vstore(y + i, (vload(x + i) - mean) * inv * vload(scale + i) + vload(bias + i));
		for (; i < n; i++) y[i] = (x[i] - mean) * inv * scale[i] + bias[i];
	}
}

static void reduce(float *y, const float *x, int64_t outer, int64_t n, int64_t inner, int32_t kind) {
	for (int64_t o = 0; o < outer; o++, x += n * inner, y += inner) {
		if (inner == 1) {
			float v = kind == 2 ? row_max(x, n) : row_sum(x, n);
			y[0] = kind == 1 ? v / n : v;
			continue;
		}
		for (int64_t i = 0; i < inner; i += LANES) {
			int64_t w = lmin(LANES, inner - i);
			V m = kind == 2 ? vset(-__builtin_inff()) : (V){0};
			for (int64_t l = 0; l < n; l++) {
				V t = w == LANES ? vload(x + l * inner + i) : vloadn(x + l * inner + i, w);
				if (kind == 2)
					m = nmax(m, t);
				else
					m += t;
			}
			if (kind == 1) m /= (float)n;
			w == LANES ? vstore(y + i, m) : vstoren(y + i, m, w);
		}
	}
}

static void lerp(float *y, const float *x, int64_t outer, int64_t n, int64_t m, int64_t inner,
                 const int32_t *i0, const int32_t *i1, const float *t) {
	for (int64_t o = 0; o < outer; o++, x += n * inner)
		for (int64_t j = 0; j < m; j++, y += inner) {
			const float *a = x + i0[j] * inner, *b = x + i1[j] * inner;
			if (t[j] == 0) {
				__builtin_memcpy(y, a, inner * 4);
				continue;
			}
			int64_t i = 0;
			for (; i + LANES <= inner; i += LANES) {
				V u = vload(a + i);
				vstore(y + i, u + (vload(b + i) - u) * t[j]);
			}
			for (; i < inner; i++) y[i] = a[i] + (b[i] - a[i]) * t[j];
		}
}
