// product.h multiplies matrices as the libraries' modes do.
#ifndef TASO_FAKE_PRODUCT_H
#define TASO_FAKE_PRODUCT_H

#include <stdint.h>

enum taso_rounding { TASO_EXACT, TASO_TF32, TASO_F16, TASO_BF16 }; // of operands

float taso_round(float x, enum taso_rounding r);

// taso_product sets d [m, n] to the product of a [m, k] and b [k, n], column by
// column without gaps, sums in the order of k, in so many parts that are added at the end.
// It is 0, or -1 where memory is out.
int taso_product(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *d, int parts);

#endif
