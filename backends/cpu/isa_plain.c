// isa_plain.c: the kernels for any processor, in vectors of four floats, which
// the compiler maps to what there is (SSE2, NEON).
#include "kernels.h"

#define LANES 4
#define TILE_ROWS 4
#define TILE_VECS 2
#define BLOCK_K 256
#define BLOCK_M 128
#define BLOCK_N 480
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define PAIRS(acc, x, b) ((acc) + ((x) << 16 >> 16) * ((b) << 16 >> 16) + ((x) >> 16) * ((b) >> 16))
#define QUADS 0
#define TABLE_NAME "plain"
#include "isa.h"

const taso_table *taso_table_plain(void) { return &table; }
