// cublaslt.c: the fake cuBLASLt: products of float32 matrices that lie column by column.
#include "core.h"
#include "driver.h"
#include "operand.h"
#include "product.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

struct desc {
  struct taso_object o;
  int compute, ta, tb;
  unsigned epilogue;
  uint64_t bias;
};

struct layout {
  struct taso_object o;
  uint64_t rows, cols;
  int64_t ld, stride;
  int batch;
};

struct preference {
  struct taso_object o;
  uint64_t workspace;
  uint32_t align[4]; // of a, b, c, d
};

struct handle {
  struct taso_object o;
  int device;
};

typedef struct { // cublasLtMatmulAlgo_t, whose content is the library's
  uint64_t mark, id, workspace, shape, unused[4];
} algo;

typedef struct { // cublasLtMatmulHeuristicResult_t
  algo algo;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} result;

_Static_assert(sizeof(algo) == 64 && sizeof(result) == 96, "as the library has them");

API(size_t, cublasLtGetVersion, (void)) {
  LOCKED;
  return taso_enter(TASO_CUBLASLT, __func__ + 5, 0) ? 0 : (size_t)taso_settings.cublaslt_version;
}

API(int, cublasLtCreate, (void **handle)) {
  ENTER(TASO_CUBLASLT, 1);
  if (!handle) return taso_refuse(INVALID_VALUE, "NULL");
  if (taso_capturing("cublasLtCreate")) return NOT_INITIALIZED; // it allocates
  struct handle *h = taso_new(TASO_LT, sizeof *h);
  if (!h) return ALLOC_FAILED;
  h->device = taso_device();
  *handle = h;
  return 0;
}

API(int, cublasLtDestroy, (void *handle)) {
  GIVES(TASO_CUBLASLT, 1);
  if (!taso_is(handle, TASO_LT)) return taso_refuse(NOT_INITIALIZED, "no handle");
  taso_end(handle);
  return wrong;
}

// Descriptors. They belong to no context.

static int computes(int compute) { return compute == 68 || compute == 69 || compute == 74 || compute == 75 || compute == 77; }

API(int, cublasLtMatmulDescCreate, (void **desc, int compute, int scale)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!desc || !computes(compute) || scale) return taso_refuse(INVALID_VALUE, "compute type %d, scale type %d: the fake has float32 only", compute, scale);
  struct desc *d = taso_new(TASO_LT_DESC, sizeof *d);
  if (!d) return ALLOC_FAILED;
  d->compute = compute;
  d->epilogue = 1;
  *desc = d;
  return 0;
}

API(int, cublasLtMatmulDescDestroy, (void *desc)) {
  GIVES(TASO_CUBLASLT, 0);
  if (!taso_is(desc, TASO_LT_DESC)) return taso_refuse(INVALID_VALUE, "no descriptor");
  taso_end(desc);
  return wrong;
}

// SET copies an attribute's value where it has the right size.
#define SET(field, want) \
  if (bytes != (want)) return taso_refuse(INVALID_VALUE, "attribute %d has %zu bytes, not %zu", attribute, (size_t)(want), bytes); \
  memcpy(&(field), value, want); \
  break

API(int, cublasLtMatmulDescSetAttribute, (void *desc, int attribute, const void *value, size_t bytes)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!taso_is(desc, TASO_LT_DESC) || !value) return taso_refuse(INVALID_VALUE, "no descriptor, or no value");
  struct desc *d = desc, was = *d;
  switch (attribute) {
  case 3: SET(d->ta, 4);
  case 4: SET(d->tb, 4);
  case 7: SET(d->epilogue, 4);
  case 8: SET(d->bias, 8);
  default: return taso_refuse(INVALID_VALUE, "the fake has no attribute %d", attribute);
  }
  if ((unsigned)d->ta > 1 || (unsigned)d->tb > 1 || (d->epilogue != 1 && d->epilogue != 2 && d->epilogue != 4 && d->epilogue != 6)) {
    *d = was;
    return taso_refuse(INVALID_VALUE, "attribute %d has a value that the fake has not", attribute);
  }
  return 0;
}

API(int, cublasLtMatrixLayoutCreate, (void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!layout || type) return taso_refuse(INVALID_VALUE, "type %d: the fake has float32 only", type);
  struct layout *l = taso_new(TASO_LT_LAYOUT, sizeof *l);
  if (!l) return ALLOC_FAILED;
  l->rows = rows, l->cols = cols, l->ld = ld, l->batch = 1;
  *layout = l;
  return 0;
}

API(int, cublasLtMatrixLayoutDestroy, (void *layout)) {
  GIVES(TASO_CUBLASLT, 0);
  if (!taso_is(layout, TASO_LT_LAYOUT)) return taso_refuse(INVALID_VALUE, "no layout");
  taso_end(layout);
  return wrong;
}

API(int, cublasLtMatrixLayoutSetAttribute, (void *layout, int attribute, const void *value, size_t bytes)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!taso_is(layout, TASO_LT_LAYOUT) || !value) return taso_refuse(INVALID_VALUE, "no layout, or no value");
  struct layout *l = layout;
  switch (attribute) {
  case 5: SET(l->batch, 4);
  case 6: SET(l->stride, 8);
  default: return taso_refuse(INVALID_VALUE, "the fake has no attribute %d", attribute);
  }
  return 0;
}

API(int, cublasLtMatmulPreferenceCreate, (void **preference)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!preference) return taso_refuse(INVALID_VALUE, "NULL");
  struct preference *p = taso_new(TASO_LT_PREFERENCE, sizeof *p);
  if (!p) return ALLOC_FAILED;
  for (int i = 0; i < 4; i++) p->align[i] = 256;
  *preference = p;
  return 0;
}

API(int, cublasLtMatmulPreferenceDestroy, (void *preference)) {
  GIVES(TASO_CUBLASLT, 0);
  if (!taso_is(preference, TASO_LT_PREFERENCE)) return taso_refuse(INVALID_VALUE, "no preference");
  taso_end(preference);
  return wrong;
}

API(int, cublasLtMatmulPreferenceSetAttribute, (void *preference, int attribute, const void *value, size_t bytes)) {
  ENTER(TASO_CUBLASLT, 0);
  if (!taso_is(preference, TASO_LT_PREFERENCE) || !value) return taso_refuse(INVALID_VALUE, "no preference, or no value");
  struct preference *p = preference;
  switch (attribute) {
  case 1: SET(p->workspace, 8);
  case 5: SET(p->align[0], 4);
  case 6: SET(p->align[1], 4);
  case 7: SET(p->align[2], 4);
  case 8: SET(p->align[3], 4);
  default: return taso_refuse(INVALID_VALUE, "the fake has no attribute %d", attribute);
  }
  return 0;
}

// Problems: d [m, n] = a [m, k] * b [k, n] + c.

struct matrix {
  int64_t rows, cols, ld, stride; // as stored
};

struct problem {
  int64_t m, n, k, batch;
  struct matrix a, b, c, d;
  int ta, tb, compute;
  unsigned epilogue;
};

static int matrix(struct matrix *m, const void *layout, int batch, const char *name) {
  if (!taso_is(layout, TASO_LT_LAYOUT)) return taso_refuse(INVALID_VALUE, "%s has no layout", name);
  const struct layout *l = layout;
  *m = (struct matrix){(int64_t)l->rows, (int64_t)l->cols, l->ld, l->stride};
  if (m->rows < 1 || m->cols < 1) return taso_refuse(INVALID_VALUE, "%s is %lld by %lld", name, (long long)m->rows, (long long)m->cols);
  if (m->ld < m->rows)
    return taso_refuse(INVALID_VALUE, "%s has a leading dimension of %lld, and columns of %lld", name, (long long)m->ld, (long long)m->rows);
  if (l->batch != batch || batch < 1) return taso_refuse(INVALID_VALUE, "%s has a batch of %d, the result one of %d", name, l->batch, batch);
  if (m->rows > INT32_MAX || m->cols > INT32_MAX || m->ld > INT32_MAX) return taso_refuse(NOT_SUPPORTED, "%s has more than 2^31 - 1 rows or columns", name);
  if (m->stride < 0) return taso_refuse(NOT_SUPPORTED, "%s has a negative stride", name);
  return 0;
}

// describe fills a problem, and refuses one that makes no sense.
static int describe(struct problem *p, const void *desc, const void *a, const void *b, const void *c, const void *d) {
  if (!taso_is(desc, TASO_LT_DESC)) return taso_refuse(INVALID_VALUE, "no descriptor");
  if (!taso_is(d, TASO_LT_LAYOUT)) return taso_refuse(INVALID_VALUE, "d has no layout");
  const struct desc *e = desc;
  int batch = ((const struct layout *)d)->batch, bad;
  memset(p, 0, sizeof *p);
  if ((bad = matrix(&p->a, a, batch, "a")) || (bad = matrix(&p->b, b, batch, "b")) || (bad = matrix(&p->c, c, batch, "c")) ||
      (bad = matrix(&p->d, d, batch, "d")))
    return bad;
  p->m = e->ta ? p->a.cols : p->a.rows;
  p->k = e->ta ? p->a.rows : p->a.cols;
  p->n = e->tb ? p->b.rows : p->b.cols;
  p->batch = batch, p->ta = e->ta, p->tb = e->tb, p->compute = e->compute, p->epilogue = e->epilogue;
  if ((e->tb ? p->b.cols : p->b.rows) != p->k || p->c.rows != p->m || p->d.rows != p->m || p->c.cols != p->n || p->d.cols != p->n)
    return taso_refuse(INVALID_VALUE, "sizes do not agree: a is %lld by %lld, b %lld by %lld, c %lld by %lld, d %lld by %lld", (long long)p->m,
                       (long long)p->k, (long long)(e->tb ? p->b.cols : p->b.rows), (long long)p->n, (long long)p->c.rows, (long long)p->c.cols,
                       (long long)p->d.rows, (long long)p->d.cols);
  if (batch > 1 && p->d.stride < p->d.ld * (p->n - 1) + p->m) return taso_refuse(INVALID_VALUE, "results of the batch overlap");
  if (e->epilogue & 4 && !e->bias) return taso_refuse(NOT_SUPPORTED, "an epilogue with a bias, and no bias pointer");
  return 0;
}

// The algorithms: the first adds halves and keeps them in the workspace, the second is
// faster than it is thought to be, the last does with anything.
enum { ALGOS = 3, MARK = 0x1a };
static const double times[ALGOS] = {1, 0.8, 1.5};

static uint64_t workspace_of(int id, const struct problem *p) {
  if (id == 0) return ((uint64_t)(2 * p->m * p->n * p->batch) * 4 + (256 << 10) + 255) / 256 * 256;
  return id == 1 ? 64 << 10 : 0;
}

// wants is the alignment in bytes that an algorithm wants of operands and columns.
static uint32_t wants(int id) { return id == 2 ? 4 : 16; }

static int columns_aligned(int id, const struct problem *p) {
  const struct matrix *list[] = {&p->a, &p->b, &p->c, &p->d};
  for (int i = 0; i < 4; i++)
    if (list[i]->ld * 4 % wants(id) || (p->batch > 1 && list[i]->stride * 4 % wants(id))) return 0;
  return 1;
}

static uint64_t shape_of(const struct problem *p) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < sizeof *p; i++) h = (h ^ ((const unsigned char *)p)[i]) * 0x100000001b3ull;
  return h;
}

API(int, cublasLtMatmulAlgoGetHeuristic, (void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int most, void *results, int *n)) {
  ENTER(TASO_CUBLASLT, 1);
  if (n) *n = 0;
  if (!taso_is(handle, TASO_LT)) return taso_refuse(NOT_INITIALIZED, "no handle");
  if (!taso_is(preference, TASO_LT_PREFERENCE) || most < 1 || !results || !n) return taso_refuse(INVALID_VALUE, "%d results", most);
  struct problem p;
  int bad = describe(&p, desc, a, b, c, d);
  if (bad) return bad;
  const struct preference *want = preference;
  result *out = results;
  for (int id = 0; id < ALGOS && *n < most; id++) {
    int fits = workspace_of(id, &p) <= want->workspace && columns_aligned(id, &p);
    for (int i = 0; i < 4; i++) fits &= want->align[i] % wants(id) == 0;
    if (!fits) continue;
    uint64_t w = workspace_of(id, &p);
    out[(*n)++] = (result){{MARK, (uint64_t)id, w, shape_of(&p), {0}}, w, 0, 1, {0}};
  }
  return *n ? 0 : taso_refuse(NOT_SUPPORTED, "no algorithm");
}

struct work {
  struct problem p;
  float alpha, beta;
  const float *a, *b, *c, *bias;
  float *d;
  void *workspace;
  size_t bytes;
  int id;
};

static size_t extent(const struct matrix *m, int64_t batch) {
  return sizeof(float) * (size_t)((batch - 1) * m->stride + (m->cols - 1) * m->ld + m->rows);
}

static int misplaced(const struct work *w) {
  int own = w->c == w->d;
  const struct taso_operand list[] = {
      {"a", w->a, extent(&w->p.a, w->p.batch), 0},
      {"b", w->b, extent(&w->p.b, w->p.batch), 0},
      {"c", w->c, own || w->beta == 0 ? 0 : extent(&w->p.c, w->p.batch), 0},
      {"d", w->d, extent(&w->p.d, w->p.batch), 1},
      {"the bias", w->bias, w->bias ? sizeof(float) * (size_t)w->p.m : 0, 0},
      {"the workspace", w->workspace, w->bytes, 1},
  };
  return taso_operands_bad("cublasLtMatmul", list, sizeof list / sizeof *list);
}

// pack copies op(matrix) without gaps, rounded.
static void pack(float *to, const float *from, const struct matrix *m, int t, enum taso_rounding r) {
  int64_t rows = t ? m->cols : m->rows, cols = t ? m->rows : m->cols;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) to[i + j * rows] = taso_round(t ? from[j + i * m->ld] : from[i + j * m->ld], r);
}

static int run(const void *data) {
  struct work w;
  memcpy(&w, data, sizeof w);
  const struct problem *p = &w.p;
  if (misplaced(&w)) return taso_lose(700, "a product outside of memory");
  if (taso_settings.empty) return 0;
  if (w.bytes) taso_scribble(w.workspace, w.bytes);
  enum taso_rounding r = p->compute == 77 ? TASO_TF32 : p->compute == 74 ? TASO_F16 : p->compute == 75 ? TASO_BF16 : TASO_EXACT;
  float *a = malloc(sizeof *a * (size_t)(p->m * p->k + p->k * p->n + p->m * p->n)), *b = a + p->m * p->k, *d = b + p->k * p->n;
  if (!a) return taso_lose(719, "out of memory of the host");
  for (int64_t s = 0; s < p->batch; s++) {
    pack(a, w.a + s * p->a.stride, &p->a, p->ta, r);
    pack(b, w.b + s * p->b.stride, &p->b, p->tb, r);
    if (taso_product(p->m, p->n, p->k, a, b, d, w.id == 0 ? 2 : 1)) {
      free(a);
      return taso_lose(719, "out of memory of the host");
    }
    const float *c = w.c + s * p->c.stride;
    float *out = w.d + s * p->d.stride;
    for (int64_t j = 0; j < p->n; j++)
      for (int64_t i = 0; i < p->m; i++) {
        float v = w.alpha * d[i + j * p->m];
        if (w.beta != 0) v += w.beta * c[i + j * p->c.ld];
        if (w.bias) v += w.bias[i];
        if (p->epilogue & 2) v = v > 0 ? v : 0; // of NaN it is 0, as the library's is
        out[i + j * p->d.ld] = v;
      }
  }
  free(a);
  return 0;
}

API(int, cublasLtMatmul, (void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb, const void *beta, const void *c,
                          void *lc, void *d, void *ld, const void *chosen, void *workspace, size_t bytes, void *stream)) {
  ENTER(TASO_CUBLASLT, 1);
  if (!taso_is(handle, TASO_LT)) return taso_refuse(NOT_INITIALIZED, "no handle");
  if (!alpha || !beta || !a || !b || !c || !d) return taso_refuse(INVALID_VALUE, "NULL");
  struct work w;
  memset(&w, 0, sizeof w);
  int bad = describe(&w.p, desc, la, lb, lc, ld);
  if (bad) return bad;
  memcpy(&w.alpha, alpha, sizeof w.alpha);
  memcpy(&w.beta, beta, sizeof w.beta);
  w.a = a, w.b = b, w.c = c, w.d = d;
  w.bias = w.p.epilogue & 4 ? (const float *)((struct desc *)desc)->bias : NULL;
  w.id = ALGOS - 1;
  if (chosen) {
    algo g;
    memcpy(&g, chosen, sizeof g);
    if (g.mark != MARK || g.id >= ALGOS) return taso_refuse(INVALID_VALUE, "no algorithm");
    if (g.shape != shape_of(&w.p)) return taso_refuse(NOT_SUPPORTED, "the algorithm is for another product");
    w.id = (int)g.id;
    if (w.id < taso_settings.refuse) return taso_refuse(NOT_SUPPORTED, "algorithm %d, whatever the list says", w.id);
    w.workspace = workspace, w.bytes = g.workspace;
    if (bytes < g.workspace || (g.workspace && !workspace))
      return taso_refuse(INVALID_VALUE, "a workspace of %zu bytes, the algorithm wants %llu", bytes, (unsigned long long)g.workspace);
    if ((uintptr_t)workspace % 256) return taso_refuse(INVALID_VALUE, "the workspace is at %p, no multiple of 256", workspace);
  }
  const void *list[] = {a, b, c, d};
  for (int i = 0; i < 4; i++)
    if ((uintptr_t)list[i] % wants(w.id)) return taso_refuse(NOT_SUPPORTED, "operand %d at %p is no multiple of %u", i, list[i], wants(w.id));
  if ((uintptr_t)w.bias % 4) return taso_refuse(NOT_SUPPORTED, "the bias is at %p", (const void *)w.bias);
  if (c == d && memcmp(&w.p.c, &w.p.d, sizeof w.p.c)) return taso_refuse(INVALID_VALUE, "c is d, and laid out in another way");
  if (taso_stream_good(stream)) return INVALID_VALUE;
  if (misplaced(&w)) return taso_refuse(INVALID_VALUE, "outside of memory"); // a GPU would find out later
  double flops = 2.0 * (double)(w.p.m * w.p.n * w.p.k * w.p.batch);
  return taso_issue(stream, run, (TASO_LAUNCH_NS + flops / 10000) * times[w.id], &w, sizeof w) ? 14 : 0;
}
