// isa_avx2.c: the kernels for processors with AVX2 and FMA.
#include "kernels.h"

#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include <immintrin.h>

#define LANES 8
#define TILE_ROWS 6
#define TILE_VECS 2
#define BLOCK_K 256
#define BLOCK_M 192
#define BLOCK_N 480
#define VMAX(a, x) ((V)_mm256_max_ps((__m256)(a), (__m256)(x)))
#define VMIN(a, x) ((V)_mm256_min_ps((__m256)(a), (__m256)(x)))
#define VSQRT(x) ((V)_mm256_sqrt_ps((__m256)(x)))
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define VM __m256i
#define VLANE _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define VMASK(lo, hi) _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32((int)(lo)), VLANE), _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(hi)), VLANE))
#define VLOADM(p, m) ((V)_mm256_maskload_ps(p, m))
#define VSTOREM(p, x, m) _mm256_maskstore_ps(p, m, (__m256)(x))
#define PAIRS(acc, x, b) ((acc) + (VI)_mm256_madd_epi16((__m256i)(x), (__m256i)(b)))
#define QUADS 0
#define TABLE_NAME "avx2"
#include "isa.h"

const taso_table *taso_table_avx2(void) {
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &table : 0;
}
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
const taso_table *taso_table_avx2(void) { return 0; }
#endif
