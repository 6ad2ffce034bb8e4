#include "product.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC optimize("O3")

// keep rounds away bits of the mantissa, ties to even.
static uint32_t keep(uint32_t u, int away) {
  uint32_t odd = u >> away & 1;
  return (u + (1u << (away - 1)) - 1 + odd) & ~((1u << away) - 1);
}

float taso_round(float x, enum taso_rounding r) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  uint32_t size = u & 0x7fffffff, sign = u & 0x80000000;
  if (r == TASO_EXACT || size >= 0x7f800000) return x;
  switch (r) {
  case TASO_TF32: size = keep(size, 13); break;
  case TASO_BF16: size = keep(size, 16); break;
  default:
    if (size < 0x38800000) { // below 2^-14 float16 has steps of 2^-24
      float step = 5.9604645e-08f, part;
      memcpy(&part, &size, sizeof part);
      float n = part / step;
      part = (float)(int)n; // n is below 1024
      if (n - part > 0.5f || (n - part == 0.5f && (int)part % 2)) part++;
      part *= step;
      memcpy(&size, &part, sizeof size);
    } else {
      size = keep(size, 13);
      if (size > 0x477fe000) size = 0x7f800000; // above 65504 it is infinite
    }
  }
  size |= sign;
  memcpy(&x, &size, sizeof x);
  return x;
}

static void part(int64_t m, int64_t n, int64_t k, int64_t from, int64_t to, const float *restrict a, const float *restrict b, float *restrict d) {
  for (int64_t j = 0; j < n; j++) {
    float *restrict out = d + j * m;
    for (int64_t l = from; l < to; l++) {
      const float *restrict in = a + l * m;
      float by = b[l + j * k];
      for (int64_t i = 0; i < m; i++) out[i] += in[i] * by;
    }
  }
}

int taso_product(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *d, int parts) {
  size_t bytes = sizeof *d * (size_t)m * (size_t)n;
  memset(d, 0, bytes);
  float *more = parts > 1 ? malloc(bytes + 1) : NULL;
  if (parts > 1 && !more) return -1;
  for (int p = 0; p < parts; p++) {
    float *to = p ? more : d;
    if (p) memset(more, 0, bytes);
    part(m, n, k, k * p / parts, k * (p + 1) / parts, a, b, to);
    for (int64_t i = 0; p && i < m * n; i++) d[i] += more[i];
  }
  free(more);
  return 0;
}
