// isa_avx512.c: the kernels for processors with AVX-512 (F, VL, DQ, BW) and FMA.
#include "kernels.h"

#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define LANES 16
#define TILE_ROWS 8
#define TILE_VECS 3
#define BLOCK_K 256
#define BLOCK_M 256
#define BLOCK_N 480
#define VMAX(a, x) ((V)_mm512_max_ps((__m512)(a), (__m512)(x)))
#define VMIN(a, x) ((V)_mm512_min_ps((__m512)(a), (__m512)(x)))
#define VSQRT(x) ((V)_mm512_sqrt_ps((__m512)(x)))
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define VM __mmask16
#define VMASK(lo, hi) ((__mmask16)((1u << (hi)) - (1u << (lo))))
#define VLOADM(p, m) ((V)_mm512_maskz_loadu_ps(m, p))
#define VSTOREM(p, x, m) _mm512_mask_storeu_ps(p, m, (__m512)(x))
#define PAIRS(acc, x, b) ((acc) + (VI)_mm512_madd_epi16((__m512i)(x), (__m512i)(b)))
#define QUADS (__builtin_cpu_supports("avx512vnni") != 0)
#define QUADS_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,avx512vnni")))
#define QUADS_DOT(acc, x, b) ((VI)_mm512_dpbusd_epi32((__m512i)(acc), (__m512i)(b), (__m512i)(x)))
#define TABLE_NAME "avx512"
#include "isa.h"

const taso_table *taso_table_avx512(void) {
	__builtin_cpu_init();
	int ok = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma");
	return ok ? &table : 0;
}
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
const taso_table *taso_table_avx512(void) { return 0; }
#endif
