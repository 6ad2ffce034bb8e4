// mathfn.h: elementary functions by lanes, to a few units in the last place of
// float32. Coefficients are Chebyshev interpolations of the functions named.

INLINE V vabs(V x) { return (V)((VI)x & 0x7fffffff); }

// vexp: exp(x) = 2^n exp(r), |r| <= log(2)/2, by the series of degree 7.
INLINE V vexp(V x) {
	V hi = vset(89.0f), lo = vset(-104.0f);
	x = VMIN(hi, x);
	x = VMAX(lo, x);
	const float magic = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer
	V n = (x * 1.44269504f + magic) - magic;
	V r = x - n * 0.693359375f;
	r = r + n * 2.12194440e-4f;
	V p = vset(1.98412698e-4f);
	p = p * r + 1.38888889e-3f;
	p = p * r + 8.33333333e-3f;
	p = p * r + 4.16666667e-2f;
	p = p * r + 1.66666667e-1f;
	p = p * r + 0.5f;
	p = p * r + 1.0f;
	p = p * r + 1.0f;
	// Two factors, since 2^n alone may leave the range of normal numbers.
	VI k = __builtin_convertvector(vsel(n == n, n, (V){0}), VI);
	VI k1 = k >> 1, k2 = k - k1;
	return p * (V)((k1 + 127) << 23) * (V)((k2 + 127) << 23);
}

// vlog: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log(m) = 2 atanh((m-1)/(m+1)).
INLINE V vlog(V x) {
	VI small = x < 1.17549435e-38f;
	V y = vsel(small, x * 8388608.0f, x); // subnormal numbers times 2^23
	VI bits = (VI)y;
	VI e = ((bits - 0x3f3504f3) >> 23);
	V m = (V)(bits - (e << 23));
	V fe = __builtin_convertvector(e, V) - vsel(small, vset(23.0f), (V){0});
	V s = (m - 1.0f) / (m + 1.0f), z = s * s;
	V p = vset(2.0f / 9);
	p = p * z + 2.0f / 7;
	p = p * z + 2.0f / 5;
	p = p * z + 2.0f / 3;
	V r = s * z * p + 2.0f * s;
	r = r + fe * -2.12194440e-4f;
	r = r + fe * 0.693359375f;
	V inf = vset(__builtin_inff());
	r = vsel(x == inf, inf, r);
	r = vsel(x == 0.0f, -inf, r);
	return vsel((x < 0.0f) | (x != x), vset(__builtin_nanf("")), r);
}

INLINE V vsigmoid(V x) { return 1.0f / (1.0f + vexp(-x)); }

// vtanh: an odd polynomial near 0, 1 - 2/(exp(2x)+1) elsewhere.
INLINE V vtanh(V x) {
	V t = vabs(x), s = x * x;
	V p = vset(-6.045165099e-03f);
	p = p * s + 2.096132911e-02f;
	p = p * s + -5.384326318e-02f;
	p = p * s + 1.333271885e-01f;
	p = p * s + -3.333332843e-01f;
	V near = p * s * x + x;
	V far = 1.0f - 2.0f / (vexp(2.0f * t) + 1.0f);
	far = (V)((VI)far | ((VI)x & (VI)vset(-0.0f)));
	return vsel(t < 0.625f, near, far);
}

// verf_parts: erf(x) for |x| < 1 and erfc(|x|) for |x| >= 1, both by lanes.
INLINE void verf_parts(V x, V *near, V *tail) {
	V s = x * x;
	V p = vset(7.875875050e-05f);
	p = p * s + -8.016864283e-04f;
	p = p * s + 5.189087423e-03f;
	p = p * s + -2.685421201e-02f;
	p = p * s + 1.128359472e-01f;
	p = p * s + -3.761262667e-01f;
	p = p * s + 1.128379166e+00f;
	*near = p * x;
	V t = vabs(x), tt = t * t; // beyond 4.2, where erfc is 3e-9, the square does all
	t = VMIN(vset(4.2f), t);
	V q = vset(-1.206428790e-05f);
	q = q * t + 2.962636230e-04f;
	q = q * t + -3.285388656e-03f;
	q = q * t + 2.204368506e-02f;
	q = q * t + -1.020417820e-01f;
	q = q * t + 3.592785830e-01f;
	q = q * t + -1.124818618e+00f;
	q = q * t + -1.066730922e-03f;
	*tail = vexp(q - tt);
}
INLINE V verf(V x) {
	V near, tail;
	verf_parts(x, &near, &tail);
	V far = 1.0f - tail;
	far = (V)((VI)far | ((VI)x & (VI)vset(-0.0f)));
	return vsel(vabs(x) < 1.0f, near, vsel(x == x, far, x));
}
// vgelu: x times the normal distribution function, x/2 (1 + erf(x/sqrt 2)).
INLINE V vgelu(V x) {
	V near, tail, z = x * 0.707106781f, h = 0.5f * x;
	verf_parts(z, &near, &tail);
	V far = vsel(x < 0.0f, h * tail, h * (2.0f - tail));
	return vsel(vabs(z) < 1.0f, h + h * near, vsel(x == x, far, x));
}

#ifdef VSQRT
INLINE V vsqrt(V x) { return VSQRT(x); }
#else
INLINE V vsqrt(V x) {
	V y;
	for (int i = 0; i < LANES; i++) y[i] = __builtin_sqrtf(x[i]);
	return y;
}
#endif

// vround: to the nearest integer, the even one of two. Adding 2^23 to what is below it
// leaves no fraction.
INLINE V vround(V x) {
	V t = vabs(x), r = (t + 8388608.0f) - 8388608.0f;
	r = (V)((VI)r | ((VI)x & (VI)vset(-0.0f)));
	return vsel(t < 8388608.0f, r, x);
}
INLINE V vfloor(V x) {
	V r = vround(x);
	V down = vsel(r > x, r - 1.0f, r);
	return (V)((VI)down | ((VI)x & (VI)vset(-0.0f))); // of -0 it is -0
}

// vwave: sin(x), or cos(x) where more is 1. The angle less n times pi/2 is taken in float64,
// where pi/2 is a number of 25 bits, whose multiples are exact, and the rest; series to
// the degrees 11 and 12 follow. Angles of 2^26 and more are left to the library.
INLINE V vwave(V x, int more) {
	typedef double D __attribute__((vector_size(LANES * 8)));
	typedef int64_t DI __attribute__((vector_size(LANES * 8)));
	VI far = ~(vabs(x) < 67108864.0f);
	D d = __builtin_convertvector(vsel(far, (V){0}, x), D);
	const double magic = 6755399441055744.0; // 1.5 * 2^52
	D shifted = d * 0.63661977236758134308 + magic, n = shifted - magic;
	DI q = (DI)shifted + more;
	D r = d - n * 1.57079631090164184570 - n * 1.58932547735281966916e-08, z = r * r;
	D s = z * (-1.0 / 39916800) + 1.0 / 362880;
	s = s * z - 1.0 / 5040;
	s = s * z + 1.0 / 120;
	s = s * z - 1.0 / 6;
	s = s * z * r + r;
	D c = z * (1.0 / 479001600) - 1.0 / 3628800;
	c = c * z + 1.0 / 40320;
	c = c * z - 1.0 / 720;
	c = c * z + 1.0 / 24;
	c = c * z - 0.5;
	c = c * z + 1.0;
	DI odd = -(q & 1);
	DI y = (odd & (DI)c) | (~odd & (DI)s);
	y ^= (q & 2) << 62; // the third and the fourth quarter are negative
	V f = __builtin_convertvector((D)y, V);
	int any = 0;
	for (int i = 0; i < LANES; i++) any |= far[i];
	if (any)
		for (int i = 0; i < LANES; i++)
			if (far[i]) f[i] = more ? (float)__builtin_cos(x[i]) : (float)__builtin_sin(x[i]);
	return f;
}
