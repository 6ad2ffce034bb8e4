// cudnn.c: the fake cuDNN: its old convolution calls, on dense float32 tensors in NCHW order.
#include "core.h"
#include "driver.h"
#include "operand.h"
#include "product.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { NOT_INITIALIZED, BAD_PARAM, NOT_SUPPORTED, EXECUTION_FAILED, ALLOC_FAILED, STATUSES };

// status is the code of the version.
static int status(enum status s) {
  static const int eight[STATUSES] = {1, 3, 9, 8, 2}, nine[STATUSES] = {1001, 2000, 3000, 5000, 4000};
  return taso_settings.cudnn_version < 90000 ? eight[s] : nine[s];
}

#define REFUSE(s, ...) return taso_refuse(status(s), __VA_ARGS__)

struct tensor {
  struct taso_object o;
  int n, c, h, w;
};

struct conv {
  struct taso_object o;
  int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups, math;
};

struct activation {
  struct taso_object o;
  int mode, set;
};

struct handle {
  struct taso_object o;
  void *stream;
};

typedef struct { // cudnnConvolutionFwdAlgoPerf_t
  int algo, status;
  float time;
  size_t memory;
  int determinism, math, reserved[3];
} perf;

_Static_assert(sizeof(perf) == 48, "as the library has it");

API(size_t, cudnnGetVersion, (void)) {
  LOCKED;
  return taso_enter(TASO_CUDNN, __func__ + 5, 0) ? 0 : (size_t)taso_settings.cudnn_version;
}

API(size_t, cudnnGetCudartVersion, (void)) {
  LOCKED;
  return taso_enter(TASO_CUDNN, __func__ + 5, 0) ? 0 : (size_t)taso_settings.cudnn_cuda;
}

API(const char *, cudnnGetErrorString, (int code)) {
  static const char *const names[STATUSES] = {"CUDNN_STATUS_NOT_INITIALIZED", "CUDNN_STATUS_BAD_PARAM", "CUDNN_STATUS_NOT_SUPPORTED",
                                              "CUDNN_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_INTERNAL_ERROR"};
  for (int s = 0; s < STATUSES; s++)
    if (code == status((enum status)s)) return names[s];
  return code ? "CUDNN_UNKNOWN_STATUS" : "CUDNN_STATUS_SUCCESS";
}

API(int, cudnnCreate, (void **handle)) {
  ENTER(TASO_CUDNN, 1);
  if (!handle) REFUSE(BAD_PARAM, "NULL");
  if (taso_capturing("cudnnCreate")) return status(NOT_INITIALIZED); // it allocates
  struct handle *h = taso_new(TASO_DNN, sizeof *h);
  if (!h) return status(ALLOC_FAILED);
  *handle = h;
  return 0;
}

API(int, cudnnDestroy, (void *handle)) {
  GIVES(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  taso_end(handle);
  return wrong;
}

API(int, cudnnSetStream, (void *handle, void *stream)) {
  ENTER(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  if (taso_stream_good(stream)) REFUSE(BAD_PARAM, "no stream");
  ((struct handle *)handle)->stream = stream;
  return 0;
}

// Descriptors. They belong to no context.

static int create(void **desc, enum taso_kind kind, size_t bytes) {
  if (!desc) REFUSE(BAD_PARAM, "NULL");
  void *d = taso_new(kind, bytes);
  if (!d) return status(ALLOC_FAILED);
  *desc = d;
  return 0;
}

static int destroy(void *desc, enum taso_kind kind, int wrong) {
  if (!taso_is(desc, kind)) REFUSE(BAD_PARAM, "no such descriptor");
  taso_end(desc);
  return wrong;
}

API(int, cudnnCreateTensorDescriptor, (void **desc)) {
  ENTER(TASO_CUDNN, 0);
  return create(desc, TASO_DNN_TENSOR, sizeof(struct tensor));
}

API(int, cudnnDestroyTensorDescriptor, (void *desc)) {
  GIVES(TASO_CUDNN, 0);
  return destroy(desc, TASO_DNN_TENSOR, wrong);
}

API(int, cudnnCreateFilterDescriptor, (void **desc)) {
  ENTER(TASO_CUDNN, 0);
  return create(desc, TASO_DNN_FILTER, sizeof(struct tensor));
}

API(int, cudnnDestroyFilterDescriptor, (void *desc)) {
  GIVES(TASO_CUDNN, 0);
  return destroy(desc, TASO_DNN_FILTER, wrong);
}

API(int, cudnnCreateConvolutionDescriptor, (void **desc)) {
  ENTER(TASO_CUDNN, 0);
  return create(desc, TASO_DNN_CONV, sizeof(struct conv));
}

API(int, cudnnDestroyConvolutionDescriptor, (void *desc)) {
  GIVES(TASO_CUDNN, 0);
  return destroy(desc, TASO_DNN_CONV, wrong);
}

API(int, cudnnCreateActivationDescriptor, (void **desc)) {
  ENTER(TASO_CUDNN, 0);
  return create(desc, TASO_DNN_ACT, sizeof(struct activation));
}

API(int, cudnnDestroyActivationDescriptor, (void *desc)) {
  GIVES(TASO_CUDNN, 0);
  return destroy(desc, TASO_DNN_ACT, wrong);
}

static int dims(struct tensor *t, int format, int type, int n, int c, int h, int w) {
  if (n < 1 || c < 1 || h < 1 || w < 1 || format < 0 || format > 2) REFUSE(BAD_PARAM, "format %d, sizes %d, %d, %d, %d", format, n, c, h, w);
  if (format || type) REFUSE(NOT_SUPPORTED, "format %d, type %d: the fake has NCHW and float32 only", format, type);
  if ((long long)n * c * h * w >= 1ll << 31) REFUSE(NOT_SUPPORTED, "a tensor of 2^31 elements or more");
  t->n = n, t->c = c, t->h = h, t->w = w;
  return 0;
}

API(int, cudnnSetTensor4dDescriptor, (void *desc, int format, int type, int n, int c, int h, int w)) {
  ENTER(TASO_CUDNN, 0);
  if (!taso_is(desc, TASO_DNN_TENSOR)) REFUSE(BAD_PARAM, "no descriptor");
  return dims(desc, format, type, n, c, h, w);
}

API(int, cudnnSetFilter4dDescriptor, (void *desc, int type, int format, int k, int c, int h, int w)) {
  ENTER(TASO_CUDNN, 0);
  if (!taso_is(desc, TASO_DNN_FILTER)) REFUSE(BAD_PARAM, "no descriptor");
  return dims(desc, format, type, k, c, h, w);
}

API(int, cudnnSetConvolution2dDescriptor, (void *desc, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode, int compute)) {
  ENTER(TASO_CUDNN, 0);
  if (!taso_is(desc, TASO_DNN_CONV)) REFUSE(BAD_PARAM, "no descriptor");
  if (pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1 || dilation_h < 1 || dilation_w < 1 || mode < 0 || mode > 1)
    REFUSE(BAD_PARAM, "padding %d, %d, stride %d, %d, dilation %d, %d", pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w);
  if (mode != 1 || compute) REFUSE(NOT_SUPPORTED, "mode %d, compute type %d: the fake has cross-correlation in float32 only", mode, compute);
  struct conv *c = desc;
  c->pad_h = pad_h, c->pad_w = pad_w, c->stride_h = stride_h, c->stride_w = stride_w, c->dilation_h = dilation_h, c->dilation_w = dilation_w;
  c->groups = 1, c->math = 0;
  return 0;
}

API(int, cudnnSetConvolutionGroupCount, (void *desc, int groups)) {
  ENTER(TASO_CUDNN, 0);
  if (!taso_is(desc, TASO_DNN_CONV) || groups < 1) REFUSE(BAD_PARAM, "%d groups", groups);
  ((struct conv *)desc)->groups = groups;
  return 0;
}

API(int, cudnnSetConvolutionMathType, (void *desc, int math)) {
  ENTER(TASO_CUDNN, 0);
  if (!taso_is(desc, TASO_DNN_CONV) || math < 0 || math > 3) REFUSE(BAD_PARAM, "math %d", math);
  ((struct conv *)desc)->math = math;
  return 0;
}

API(int, cudnnSetActivationDescriptor, (void *desc, int mode, int nan, double coef)) {
  ENTER(TASO_CUDNN, 0);
  (void)coef; // of clipped relu and elu
  if (!taso_is(desc, TASO_DNN_ACT) || mode < 0 || mode > 6 || nan < 0 || nan > 1) REFUSE(BAD_PARAM, "mode %d, nan %d", mode, nan);
  struct activation *a = desc;
  a->mode = mode, a->set = 1 + nan;
  return 0;
}

// Problems.

struct problem {
  struct tensor x, f, y;
  struct conv c;
};

static int size(int in, int pad, int window, int stride, int dilation) { return 1 + (in + 2 * pad - (dilation * (window - 1) + 1)) / stride; }

static int describe(struct problem *p, const void *x, const void *f, const void *conv, const void *y) {
  if (!taso_is(x, TASO_DNN_TENSOR) || !taso_is(f, TASO_DNN_FILTER) || !taso_is(conv, TASO_DNN_CONV) || !taso_is(y, TASO_DNN_TENSOR))
    REFUSE(BAD_PARAM, "no descriptor");
  memset(p, 0, sizeof *p);
  p->x = *(const struct tensor *)x, p->f = *(const struct tensor *)f, p->c = *(const struct conv *)conv, p->y = *(const struct tensor *)y;
  const struct conv *c = &p->c;
  if (!p->x.n || !p->f.n || !p->y.n || !c->groups) REFUSE(BAD_PARAM, "a descriptor that was not set");
  if (p->x.c != p->f.c * c->groups || p->f.n % c->groups)
    REFUSE(BAD_PARAM, "%d channels, filters of %d, %d groups, %d results", p->x.c, p->f.c, c->groups, p->f.n);
  if (p->x.h + 2 * c->pad_h < c->dilation_h * (p->f.h - 1) + 1 || p->x.w + 2 * c->pad_w < c->dilation_w * (p->f.w - 1) + 1)
    REFUSE(BAD_PARAM, "the filter is larger than the padded image");
  int h = size(p->x.h, c->pad_h, p->f.h, c->stride_h, c->dilation_h), w = size(p->x.w, c->pad_w, p->f.w, c->stride_w, c->dilation_w);
  if (p->y.n != p->x.n || p->y.c != p->f.n || p->y.h != h || p->y.w != w)
    REFUSE(BAD_PARAM, "the result has sizes %d, %d, %d, %d, not %d, %d, %d, %d", p->y.n, p->y.c, p->y.h, p->y.w, p->x.n, p->f.n, h, w);
  return 0;
}

// The algorithms, by their numbers, with how long they take compared with the first.
enum { IMPLICIT, PRECOMP, GEMM, DIRECT, FFT, FFT_TILING, WINOGRAD, WINOGRAD_NONFUSED, ALGOS };
static const double times[ALGOS] = {1.5, 1, 1.2, 0, 3, 2, 0.6, 0.8};
static const int order[ALGOS] = {WINOGRAD, WINOGRAD_NONFUSED, PRECOMP, GEMM, IMPLICIT, FFT_TILING, FFT, DIRECT};

// workspace is the bytes that an algorithm wants, or -1 where it cannot do the problem.
static long long workspace(int algo, const struct problem *p) {
  const struct conv *c = &p->c;
  int plain = c->stride_h == 1 && c->stride_w == 1 && c->dilation_h == 1 && c->dilation_w == 1, r = p->f.h, s = p->f.w;
  long long k = p->f.n, ch = p->f.c, spots = (long long)p->y.h * p->y.w;
  int tall = p->x.h + 2 * c->pad_h, wide = p->x.w + 2 * c->pad_w;
  switch (algo) {
  case IMPLICIT: return 0;
  case PRECOMP: return 4096 + spots * 8;
  case GEMM: return c->dilation_h == 1 && c->dilation_w == 1 ? 4 * ch * r * s * spots : -1;
  case FFT: return plain && c->pad_h < r && c->pad_w < s && tall <= 256 && wide <= 256 ? 8 * (k * ch + (k + ch) * p->x.n) * tall * wide : -1;
  case FFT_TILING: return plain && c->pad_h < r && c->pad_w < s && r <= 32 && s <= 32 ? 8 * (k * ch + (k + ch) * p->x.n) * 1024 : -1;
  case WINOGRAD: return plain && r == 3 && s == 3 ? 64 * k * ch : -1;
  case WINOGRAD_NONFUSED: return plain && r == s && (r == 3 || r == 5) ? 4 * 36 * (k * ch + (k + ch) * p->x.n * ((spots + 15) / 16)) : -1;
  }
  return -1;
}

static double flops(const struct problem *p) { return 2.0 * p->y.n * p->y.c * p->y.h * p->y.w * p->f.c * p->f.h * p->f.w; }
static double takes(int algo, const struct problem *p) { return (TASO_LAUNCH_NS + flops(p) / 5000) * times[algo]; }

API(int, cudnnGetConvolutionForwardAlgorithm_v7, (void *handle, void *x, void *f, void *conv, void *y, int most, int *n, void *results)) {
  ENTER(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  if (most < 1 || !n || !results) REFUSE(BAD_PARAM, "%d results", most);
  struct problem p;
  int bad = describe(&p, x, f, conv, y);
  if (bad) return bad;
  perf *out = results;
  *n = 0;
  // Those that can do it come first. What is named for tensor cores may be faster arithmetic than was asked for.
  for (int can = 1; can >= 0; can--)
    for (int i = 0; i < ALGOS && *n < most; i++) {
      int algo = order[i];
      long long bytes = workspace(algo, &p);
      if ((bytes >= 0) != can) continue;
      out[(*n)++] = (perf){.algo = algo, .status = can ? 0 : status(NOT_SUPPORTED), .time = can ? (float)(takes(algo, &p) * 1e-6) : -1,
                           .memory = can ? (size_t)bytes : 0, .determinism = 1, .math = algo == PRECOMP ? 1 : p.c.math};
    }
  return 0;
}

static int able(int algo, const struct problem *p, long long *bytes) {
  if (algo < 0 || algo >= ALGOS) REFUSE(BAD_PARAM, "algorithm %d", algo);
  *bytes = workspace(algo, p);
  if (*bytes < 0) REFUSE(NOT_SUPPORTED, "algorithm %d cannot do this", algo);
  return 0;
}

API(int, cudnnGetConvolutionForwardWorkspaceSize, (void *handle, void *x, void *f, void *conv, void *y, int algo, size_t *bytes)) {
  ENTER(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  if (!bytes) REFUSE(BAD_PARAM, "NULL");
  struct problem p;
  long long want;
  int bad = describe(&p, x, f, conv, y);
  if (bad || (bad = able(algo, &p, &want))) return bad;
  *bytes = (size_t)want;
  return 0;
}

// y = act(alpha * conv(x, f) + beta * z + bias)
struct work {
  struct problem p;
  const char *call;
  float alpha, beta;
  const float *x, *f, *z, *bias;
  float *y;
  void *workspace;
  size_t bytes;
  int relu;
};

static size_t extent(const struct tensor *t) { return sizeof(float) * (size_t)t->n * (size_t)t->c * (size_t)t->h * (size_t)t->w; }

static int misplaced(const struct work *w) {
  const struct taso_operand list[] = {
      {"x", w->x, extent(&w->p.x), 0},
      {"the filter", w->f, extent(&w->p.f), 0},
      {"z", w->z, w->beta == 0 || w->z == w->y ? 0 : extent(&w->p.y), 0},
      {"the bias", w->bias, w->bias ? sizeof(float) * (size_t)w->p.y.c : 0, 0},
      {"y", w->y, extent(&w->p.y), 1},
      {"the workspace", w->workspace, w->bytes, 1},
  };
  return taso_operands_bad(w->call, list, sizeof list / sizeof *list);
}

// windows writes what the filter sees at each spot, [spots, c*r*s], of one image and group.
static void windows(float *to, const float *x, const struct problem *p, enum taso_rounding round) {
  const struct conv *c = &p->c;
  int64_t spots = (int64_t)p->y.h * p->y.w;
  for (int ch = 0; ch < p->f.c; ch++)
    for (int r = 0; r < p->f.h; r++)
      for (int s = 0; s < p->f.w; s++, to += spots)
        for (int i = 0; i < p->y.h; i++)
          for (int j = 0; j < p->y.w; j++) {
            int h = i * c->stride_h - c->pad_h + r * c->dilation_h, w = j * c->stride_w - c->pad_w + s * c->dilation_w;
            int in = h >= 0 && h < p->x.h && w >= 0 && w < p->x.w;
            to[(int64_t)i * p->y.w + j] = in ? taso_round(x[((int64_t)ch * p->x.h + h) * p->x.w + w], round) : 0;
          }
}

static int run(const void *data) {
  struct work w;
  memcpy(&w, data, sizeof w);
  const struct problem *p = &w.p;
  if (misplaced(&w)) return taso_lose(700, "a convolution outside of memory");
  if (taso_settings.empty) return 0;
  if (w.bytes) taso_scribble(w.workspace, w.bytes);
  int amp = taso_settings.major >= 8; // before, there was no TF32
  enum taso_rounding round = p->c.math == 2 ? TASO_F16 : p->c.math == 3 || !amp ? TASO_EXACT : TASO_TF32;
  int64_t spots = (int64_t)p->y.h * p->y.w, sees = (int64_t)p->f.c * p->f.h * p->f.w, k = p->f.n / p->c.groups;
  float *a = malloc(sizeof *a * (size_t)(spots * sees + sees * p->f.n + spots * k)), *f = a + spots * sees, *d = f + sees * p->f.n;
  if (!a) return taso_lose(719, "out of memory of the host");
  for (int64_t i = 0; i < sees * p->f.n; i++) f[i] = taso_round(w.f[i], round);
  for (int n = 0; n < p->x.n; n++)
    for (int g = 0; g < p->c.groups; g++) {
      windows(a, w.x + ((int64_t)n * p->x.c + g * p->f.c) * p->x.h * p->x.w, p, round);
      taso_product(spots, k, sees, a, f + g * k * sees, d, 1); // filters lie as columns of c*r*s
      for (int64_t o = 0; o < k; o++) {
        int64_t channel = g * k + o, at = ((int64_t)n * p->f.n + channel) * spots;
        for (int64_t i = 0; i < spots; i++) {
          float v = w.alpha * d[o * spots + i];
          if (w.beta != 0) v += w.beta * w.z[at + i];
          if (w.bias) v += w.bias[channel];
          if (w.relu) v = v > 0 ? v : 0; // NaN is not propagated
          w.y[at + i] = v;
        }
      }
    }
  free(a);
  return 0;
}

static int issue(void *handle, struct work *w, int algo, size_t bytes) {
  long long want;
  int bad = able(algo, &w->p, &want);
  if (bad) return bad;
  for (int i = 0; i < taso_settings.refuse && i < ALGOS; i++)
    if (order[i] == algo) REFUSE(NOT_SUPPORTED, "algorithm %d, whatever the list says", algo);
  if (want && (!w->workspace || bytes < (size_t)want)) REFUSE(BAD_PARAM, "a workspace of %zu bytes, the algorithm wants %lld", bytes, want);
  if ((uintptr_t)w->workspace % 16) REFUSE(BAD_PARAM, "the workspace is at %p", w->workspace);
  w->bytes = (size_t)want;
  const void *list[] = {w->x, w->f, w->y, w->z, w->bias};
  for (int i = 0; i < 5; i++) // what an algorithm may rely on that was chosen without looking at addresses
    if ((uintptr_t)list[i] % 16) REFUSE(BAD_PARAM, "operand %d at %p is no multiple of 16", i, list[i]);
  if (misplaced(w)) REFUSE(BAD_PARAM, "outside of memory"); // a GPU would find out later
  if (!((struct handle *)handle)->stream) REFUSE(BAD_PARAM, "the handle has no stream, and the fake no default stream");
  return taso_issue(((struct handle *)handle)->stream, run, takes(algo, &w->p), w, sizeof *w) ? status(EXECUTION_FAILED) : 0;
}

API(int, cudnnConvolutionForward, (void *handle, const void *alpha, void *lx, const void *x, void *lf, const void *f, void *conv, int algo, void *space,
                                   size_t bytes, const void *beta, void *ly, void *y)) {
  ENTER(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  if (!alpha || !beta || !x || !f || !y) REFUSE(BAD_PARAM, "NULL");
  struct work w;
  memset(&w, 0, sizeof w);
  int bad = describe(&w.p, lx, lf, conv, ly);
  if (bad) return bad;
  memcpy(&w.alpha, alpha, sizeof w.alpha);
  memcpy(&w.beta, beta, sizeof w.beta);
  w.call = "cudnnConvolutionForward";
  w.x = x, w.f = f, w.y = y, w.z = y, w.workspace = space;
  return issue(handle, &w, algo, bytes);
}

API(int, cudnnConvolutionBiasActivationForward, (void *handle, const void *alpha, void *lx, const void *x, void *lf, const void *f, void *conv, int algo,
                                                 void *space, size_t bytes, const void *alpha2, void *lz, const void *z, void *lbias, const void *bias, void *act,
                                                 void *ly, void *y)) {
  ENTER(TASO_CUDNN, 1);
  if (!taso_is(handle, TASO_DNN)) REFUSE(NOT_INITIALIZED, "no handle");
  if (!alpha || !alpha2 || !x || !f || !z || !bias || !y) REFUSE(BAD_PARAM, "NULL");
  if (!taso_is(lz, TASO_DNN_TENSOR) || !taso_is(lbias, TASO_DNN_TENSOR) || !taso_is(act, TASO_DNN_ACT)) REFUSE(BAD_PARAM, "no descriptor");
  struct work w;
  memset(&w, 0, sizeof w);
  int bad = describe(&w.p, lx, lf, conv, ly);
  if (bad) return bad;
  const struct tensor *tz = lz, *tb = lbias;
  const struct activation *a = act;
  if (!a->set) REFUSE(BAD_PARAM, "an activation that was not set");
  if (a->mode != 1 && a->mode != 5) REFUSE(NOT_SUPPORTED, "activation %d", a->mode);
  if (a->set != 1) REFUSE(NOT_SUPPORTED, "an activation that propagates NaN");
  if (a->mode == 5 && algo != PRECOMP) REFUSE(NOT_SUPPORTED, "no activation, by algorithm %d: only %d does that", algo, PRECOMP);
  if (tz->n != w.p.y.n || tz->c != w.p.y.c || tz->h != w.p.y.h || tz->w != w.p.y.w) REFUSE(NOT_SUPPORTED, "z and y differ");
  if (tb->n != 1 || tb->c != w.p.f.n || tb->h != 1 || tb->w != 1) REFUSE(NOT_SUPPORTED, "the bias is %d by %d by %d by %d", tb->n, tb->c, tb->h, tb->w);
  memcpy(&w.alpha, alpha, sizeof w.alpha);
  memcpy(&w.beta, alpha2, sizeof w.beta);
  w.call = "cudnnConvolutionBiasActivationForward";
  w.x = x, w.f = f, w.y = y, w.z = z, w.bias = bias, w.workspace = space;
  w.relu = a->mode == 1;
  return issue(handle, &w, algo, bytes);
}
