// simd.h: vectors of LANES floats, in the compiler's vector extension. An
// instruction set's file defines LANES and, where it has better ones, VMAX and
// VMIN, and then includes the kernels.

typedef float V __attribute__((vector_size(LANES * 4)));
typedef int32_t VI __attribute__((vector_size(LANES * 4)));
typedef float VU __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE V vload(const float *p) { return *(const VU *)p; }
INLINE void vstore(float *p, V x) { *(VU *)p = x; }
INLINE V vset(float x) { return x - (V){0}; }

// A VM is a choice of neighbouring lanes, of which vmask(lo, hi) are lo to hi-1. vloadm
// reads these and nothing else; the others are 0. vstorem writes these.
#ifdef VM
INLINE VM vmask(int64_t lo, int64_t hi) { return VMASK(lo, hi); }
INLINE V vloadm(const float *p, VM m) { return VLOADM(p, m); }
INLINE void vstorem(float *p, V x, VM m) { VSTOREM(p, x, m); }
#else
typedef struct {
	int64_t lo, hi;
} VM;
INLINE VM vmask(int64_t lo, int64_t hi) { return (VM){lo, hi}; }
INLINE V vloadm(const float *p, VM m) {
	if (m.lo == 0 && m.hi == LANES) return vload(p);
	float t[LANES] = {0};
	for (int64_t i = m.lo; i < m.hi; i++) t[i] = p[i];
	return vload(t);
}
INLINE void vstorem(float *p, V x, VM m) {
	float t[LANES];
	vstore(t, x);
	for (int64_t i = m.lo; i < m.hi; i++) p[i] = t[i];
}
#endif

// vloadn and vstoren move the first n < LANES elements; the others read as 0.
INLINE V vloadn(const float *p, int64_t n) { return vloadm(p, vmask(0, n)); }
INLINE void vstoren(float *p, V x, int64_t n) { vstorem(p, x, vmask(0, n)); }

// vsel is m ? x : y by lanes; a lane of m is all ones or zero.
INLINE V vsel(VI m, V x, V y) { return (V)((m & (VI)x) | (~m & (VI)y)); }

// vmax(a, x) and vmin(a, x): x where it is not a number.
#ifndef VMAX
#define VMAX(a, x) vsel((a) > (x), (a), (x))
#define VMIN(a, x) vsel((a) < (x), (a), (x))
#endif

// nmax and nmin: what is not a number where either is not.
INLINE V nmax(V a, V x) { return vsel(a != a, a, VMAX(a, x)); }
INLINE V nmin(V a, V x) { return vsel(a != a, a, VMIN(a, x)); }

INLINE float hsum(V x) {
	float t[LANES], s = 0;
	vstore(t, x);
	for (int h = LANES / 2; h > 0; h /= 2)
		for (int i = 0; i < h; i++) t[i] += t[i + h];
	s = t[0];
	return s;
}
INLINE float hmax(V x) {
	float t[LANES];
	vstore(t, x);
	float m = t[0];
	for (int i = 1; i < LANES; i++) m = (t[i] > m || t[i] != t[i]) ? t[i] : m;
	return m;
}

INLINE int64_t lmin(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t lmax(int64_t a, int64_t b) { return a > b ? a : b; }
INLINE int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
