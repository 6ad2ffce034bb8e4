// refused.c calls the libraries as nobody should, without package dl in between, and
// tells where they take what CUDA's refuse.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int), cuCtxSetCurrent(void *);
int cuDeviceGetAttribute(int *, int, int), cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t), cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *), cuStreamSynchronize(void *), cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long), cuGraphLaunch(void *, void *), cuGraphDestroy(void *), cuGraphExecDestroy(void *);
int cuEventCreate(void **, unsigned), cuEventDestroy_v2(void *), cuEventRecord(void *, void *), cuEventElapsedTime(float *, void *, void *);
int cuEventSynchronize(void *), cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, void *), cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, void *);
int cuMemsetD8Async(uint64_t, unsigned char, size_t, void *), cuModuleLoadData(void **, const void *), cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *), cuFuncSetAttribute(void *, int, int);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int nvrtcCreateProgram(void **, const char *, const char *, int, const char *const *, const char *const *), nvrtcDestroyProgram(void **);
int nvrtcCompileProgram(void *, int, const char *const *), nvrtcGetCUBINSize(void *, size_t *), nvrtcGetCUBIN(void *, char *);
int cublasLtCreate(void **), cublasLtDestroy(void *), cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescDestroy(void *);
int cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t), cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutDestroy(void *), cublasLtMatrixLayoutSetAttribute(void *, int, const void *, size_t), cublasLtMatmulPreferenceCreate(void **);
int cublasLtMatmulPreferenceDestroy(void *), cublasLtMatmulPreferenceSetAttribute(void *, int, const void *, size_t);
int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *, void *, void *, int, void *, int *);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *, void *, void *, const void *,
                   void *, size_t, void *);
int cudnnCreate(void **), cudnnDestroy(void *), cudnnSetStream(void *, void *), cudnnCreateTensorDescriptor(void **);
int cudnnSetTensor4dDescriptor(void *, int, int, int, int, int, int), cudnnDestroyTensorDescriptor(void *), cudnnCreateFilterDescriptor(void **);
int cudnnSetFilter4dDescriptor(void *, int, int, int, int, int, int), cudnnDestroyFilterDescriptor(void *), cudnnCreateConvolutionDescriptor(void **);
int cudnnSetConvolution2dDescriptor(void *, int, int, int, int, int, int, int, int), cudnnDestroyConvolutionDescriptor(void *);
int cudnnSetConvolutionGroupCount(void *, int), cudnnSetConvolutionMathType(void *, int), cudnnCreateActivationDescriptor(void **);
int cudnnSetActivationDescriptor(void *, int, int, double), cudnnDestroyActivationDescriptor(void *);
int cudnnGetConvolutionForwardWorkspaceSize(void *, void *, void *, void *, void *, int, size_t *);
int cudnnConvolutionForward(void *, const void *, void *, const void *, void *, const void *, void *, int, void *, size_t, const void *, void *, void *);
int cudnnConvolutionBiasActivationForward(void *, const void *, void *, const void *, void *, const void *, void *, int, void *, size_t, const void *,
                                          void *, const void *, void *, const void *, void *, void *, void *);

static int bad, done;

static void want(int line, const char *call, int code, int expected) {
  done++;
  if (code != expected) bad++, printf("%d: %s is %d, want %d\n", line, call, code, expected);
}
#define WANT(code, call) want(__LINE__, #call, call, code)
#define GOOD(call) WANT(0, call)

static void *context, *stream;
static const float one = 1, none = 0;

static uint64_t memory(size_t bytes) {
  uint64_t p = 0;
  GOOD(cuMemAlloc_v2(&p, bytes));
  return p;
}

static void driver(void) {
  void *events[3], *graph, *exec;
  float ms, x = 1;
  uint64_t p = memory(64);
  WANT(1, cuMemAlloc_v2(&p, 0));
  WANT(2, cuMemAlloc_v2(&p, (size_t)1 << 40));
  WANT(101, cuDeviceGet(&(int){0}, 1));
  WANT(1, cuDeviceGetAttribute(&(int){0}, 12345, 0));
  WANT(400, cuStreamSynchronize(NULL));
  for (int i = 0; i < 3; i++) GOOD(cuEventCreate(&events[i], 0));
  WANT(1, cuEventCreate(&exec, 64));
  GOOD(cuEventRecord(events[0], stream));
  WANT(600, cuEventElapsedTime(&ms, events[0], events[0]));
  GOOD(cuMemcpyHtoDAsync_v2(p, &x, 4, stream));
  x = 2; // it was copied before
  GOOD(cuEventRecord(events[1], stream));
  GOOD(cuMemcpyDtoHAsync_v2(&x, p, 4, stream));
  if (x == x) bad++, printf("a copy that nobody waited for is there\n");
  GOOD(cuStreamSynchronize(stream));
  if (x != 1) bad++, printf("copied %g, want 1\n", x);
  WANT(400, cuEventElapsedTime(&ms, events[0], events[2]));
  GOOD(cuEventElapsedTime(&ms, events[0], events[1]));
  if (!(ms > 0)) bad++, printf("a copy took %g ms\n", ms);
  // Captures.
  WANT(902, cuStreamEndCapture(stream, &graph));
  WANT(1, cuStreamBeginCapture_v2(stream, 3));
  GOOD(cuStreamBeginCapture_v2(stream, 1));
  WANT(901, cuStreamBeginCapture_v2(stream, 1));
  GOOD(cuMemsetD8Async(p, 0, 4, stream));
  GOOD(cuEventRecord(events[0], stream));
  GOOD(cuStreamEndCapture(stream, &graph));
  WANT(907, cuEventSynchronize(events[0]));
  WANT(1, cuGraphInstantiateWithFlags(&exec, graph, 99));
  WANT(400, cuGraphInstantiateWithFlags(&exec, NULL, 0));
  GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
  GOOD(cuGraphDestroy(graph));
  GOOD(cuGraphLaunch(exec, stream));
  GOOD(cuGraphExecDestroy(exec)); // what runs goes on
  GOOD(cuMemcpyDtoHAsync_v2(&x, p, 4, stream));
  GOOD(cuStreamSynchronize(stream));
  if (x != 0) bad++, printf("the graph left %g, want 0\n", x);
  struct {
    int code;
    const char *what;
  } spoilers[] = {{0, "cuMemAlloc"}, {1, "cuStreamSynchronize"}, {2, "cuMemcpyHtoDAsync"}, {3, "cuModuleLoadData"}};
  for (int i = 0; i < 4; i++) {
    uint64_t q;
    void *m;
    GOOD(cuStreamBeginCapture_v2(stream, 1));
    if (i == 0) WANT(900, cuMemAlloc_v2(&q, 4));
    if (i == 1) WANT(900, cuStreamSynchronize(stream));
    if (i == 2) WANT(900, cuMemcpyHtoDAsync_v2(p, &x, 4, stream));
    if (i == 3) WANT(900, cuModuleLoadData(&m, "x"));
    WANT(901, cuStreamEndCapture(stream, &graph));
    if (graph) bad++, printf("%s leaves a graph\n", spoilers[i].what);
  }
  for (int i = 0; i < 3; i++) GOOD(cuEventDestroy_v2(events[i]));
  GOOD(cuMemFree_v2(p));
}

static void kernels(void) {
  static const char source[] = "extern \"C\" __global__ void __launch_bounds__(512) k(float *x) { __shared__ float s[1024]; s[threadIdx.x] = 1; *x = s[1023 - threadIdx.x]; }\n"
                               "extern \"C\" __global__ void big(float *x) { *x = 1; }";
  void *program, *module, *k, *big;
  size_t bytes;
  WANT(3, nvrtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL));
  GOOD(nvrtcCreateProgram(&program, source, "k.cu", 0, NULL, NULL));
  WANT(5, nvrtcCompileProgram(program, 1, (const char *[]){"--gpu-architecture=sm_5"}));
  GOOD(nvrtcCompileProgram(program, 1, (const char *[]){"--gpu-architecture=compute_90"}));
  GOOD(nvrtcGetCUBINSize(program, &bytes));
  if (bytes) bad++, printf("a CUBIN for no device\n");
  WANT(5, nvrtcCompileProgram(program, 2, (const char *[]){"--gpu-architecture=sm_90", "-O3"}));
  GOOD(nvrtcCompileProgram(program, 1, (const char *[]){"--gpu-architecture=sm_90"}));
  GOOD(nvrtcGetCUBINSize(program, &bytes));
  char *cubin = malloc(bytes);
  GOOD(nvrtcGetCUBIN(program, cubin));
  GOOD(nvrtcDestroyProgram(&program));
  WANT(200, cuModuleLoadData(&module, "no module, and long enough to have been one, if it were one, which it is not"));
  GOOD(cuModuleLoadData(&module, cubin));
  free(cubin);
  WANT(500, cuModuleGetFunction(&k, module, "none"));
  GOOD(cuModuleGetFunction(&k, module, "k"));
  GOOD(cuModuleGetFunction(&big, module, "big"));
  uint64_t p = memory(4);
  void *args[] = {&p};
  WANT(1, cuLaunchKernel(k, 0, 1, 1, 1, 1, 1, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(k, 1, 65536, 1, 1, 1, 1, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(k, 1, 1, 1, 513, 1, 1, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(k, 1, 1, 1, 1, 1, 65, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(big, 1, 1, 1, 1025, 1, 1, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(big, 1, 1, 1, 512, 1, 1, 0, stream, args, NULL));
  WANT(1, cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  WANT(1, cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, (48 << 10) + 1, stream, args, NULL));
  WANT(400, cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
  WANT(1, cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, (44 << 10) + 1, stream, args, NULL)); // beside 4 KB of static shared memory
  WANT(1, cuFuncSetAttribute(k, 8, 227 << 10)); // it has static shared memory besides
  GOOD(cuFuncSetAttribute(k, 8, 223 << 10));
  GOOD(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 223 << 10, stream, args, NULL));
  uint64_t was = p;
  p = 0; // arguments are read at the launch
  GOOD(cuStreamSynchronize(stream));
  GOOD(cuModuleUnload(module));
  GOOD(cuMemFree_v2(was));
}

typedef struct {
  uint64_t algo[8];
  size_t workspace;
  int rest[6];
} result;

// d [m, n] = a [m, k] * b [k, n], by columns.
static void *handle, *desc, *la, *lb, *ld, *preference;
static result results[8];
static int heuristic(int *n) { return cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 8, results, n); }

static void products(void) {
  int n, epilogue = 4, off = 1;
  uint64_t bias = 0, bytes = 1 << 20, half = 2;
  void *l;
  GOOD(cublasLtCreate(&handle));
  WANT(7, cublasLtMatmulDescCreate(&desc, 64, 0)); // float16 sums
  WANT(7, cublasLtMatmulDescCreate(&desc, 68, 1));
  GOOD(cublasLtMatmulDescCreate(&desc, 68, 0));
  GOOD(cublasLtMatrixLayoutCreate(&la, 0, 4, 8, 4));
  GOOD(cublasLtMatrixLayoutCreate(&lb, 0, 8, 12, 8));
  GOOD(cublasLtMatrixLayoutCreate(&ld, 0, 4, 12, 4));
  GOOD(cublasLtMatmulPreferenceCreate(&preference));
  GOOD(heuristic(&n)); // no workspace is allowed unless it is asked for
  for (int i = 0; i < n; i++)
    if (results[i].workspace) bad++, printf("a workspace of %zu bytes, and none was allowed\n", results[i].workspace);
  WANT(7, cublasLtMatmulPreferenceSetAttribute(preference, 1, &bytes, 4));
  GOOD(cublasLtMatmulPreferenceSetAttribute(preference, 1, &bytes, 8));
  GOOD(heuristic(&n));
  if (n < 3) bad++, printf("%d algorithms\n", n);
  void *good = la;
  for (int i = 0; i < 4; i++) {
    GOOD(cublasLtMatrixLayoutCreate(&l, 0, i == 1 ? 5 : i == 3 ? 0 : 4, i == 2 ? 7 : 8, i == 0 ? 3 : 8));
    la = l;
    WANT(7, heuristic(&n)); // ld < rows, rows, columns, nothing
    if (n) bad++, printf("%d algorithms for what makes no sense\n", n);
    GOOD(cublasLtMatrixLayoutDestroy(l));
  }
  la = good;
  GOOD(cublasLtMatrixLayoutSetAttribute(la, 5, &half, 4));
  WANT(7, heuristic(&n)); // a batch of 2 and of 1
  GOOD(cublasLtMatrixLayoutSetAttribute(la, 5, &off, 4));
  WANT(7, cublasLtMatmulDescSetAttribute(desc, 3, &bias, 8));
  WANT(7, cublasLtMatmulDescSetAttribute(desc, 3, &half, 4)); // the conjugate, of float32
  WANT(7, cublasLtMatmulDescSetAttribute(desc, 7, &(int){3}, 4));
  GOOD(cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, 4));
  WANT(15, heuristic(&n)); // no bias
  GOOD(cublasLtMatmulDescSetAttribute(desc, 7, &(int){1}, 4));
  GOOD(heuristic(&n));
  uint64_t a = memory(4 * 32 + 64), b = memory(4 * 96), d = memory(4 * 48), w = memory(1 << 20);
#define MATMUL(a, b, d, i, w, bytes) \
  cublasLtMatmul(handle, desc, &one, (void *)(a), la, (void *)(b), lb, &none, (void *)(d), ld, (void *)(d), ld, &results[i], (void *)(w), bytes, stream)
  GOOD(MATMUL(a, b, d, 0, w, 1 << 20));
  WANT(7, MATMUL(a, b, d, 0, w, results[0].workspace - 1));
  WANT(7, MATMUL(a, b, d, 0, 0, 1 << 20));
  WANT(7, MATMUL(a, b, d, 0, w + 16, 1 << 19));
  WANT(15, MATMUL(a + 4, b, d, 0, w, 1 << 20)); // found for aligned operands
  GOOD(MATMUL(a + 4, b, d, 2, 0, 0));
  WANT(7, MATMUL(a, 0, d, 2, 0, 0));
  GOOD(cublasLtMatmulDescSetAttribute(desc, 3, &(int){1}, 4));
  WANT(7, MATMUL(a, b, d, 2, 0, 0)); // sizes
  GOOD(cublasLtMatmulDescSetAttribute(desc, 3, &(int){0}, 4));
  GOOD(cublasLtMatmulDescSetAttribute(desc, 7, &(int){2}, 4));
  WANT(15, MATMUL(a, b, d, 2, 0, 0)); // an algorithm for another epilogue
  memset(results[2].algo, 1, 64);
  WANT(7, MATMUL(a, b, d, 2, 0, 0));
  GOOD(cuStreamSynchronize(stream));
  GOOD(cuMemFree_v2(a));
  GOOD(cuMemFree_v2(b));
  GOOD(cuMemFree_v2(d));
  GOOD(cuMemFree_v2(w));
  GOOD(cublasLtMatmulPreferenceDestroy(preference));
  GOOD(cublasLtMatrixLayoutDestroy(la));
  GOOD(cublasLtMatrixLayoutDestroy(lb));
  GOOD(cublasLtMatrixLayoutDestroy(ld));
  GOOD(cublasLtMatmulDescDestroy(desc));
  GOOD(cublasLtDestroy(handle));
}

static void convolutions(void) {
  void *h, *x, *f, *y, *c, *act, *bias;
  size_t bytes;
  GOOD(cudnnCreate(&h));
  WANT(2000, cudnnSetStream(h, NULL));
  GOOD(cudnnSetStream(h, stream));
  GOOD(cudnnCreateTensorDescriptor(&x));
  GOOD(cudnnCreateTensorDescriptor(&y));
  GOOD(cudnnCreateTensorDescriptor(&bias));
  GOOD(cudnnCreateFilterDescriptor(&f));
  GOOD(cudnnCreateConvolutionDescriptor(&c));
  GOOD(cudnnCreateActivationDescriptor(&act));
#define SIZE(algo) cudnnGetConvolutionForwardWorkspaceSize(h, x, f, c, y, algo, &bytes)
  WANT(2000, SIZE(0)); // nothing is set
  WANT(2000, cudnnSetTensor4dDescriptor(x, 0, 0, 1, 0, 4, 4));
  WANT(3000, cudnnSetTensor4dDescriptor(x, 0, 0, 1 << 15, 1 << 10, 8, 8));
  GOOD(cudnnSetTensor4dDescriptor(x, 0, 0, 1, 4, 6, 6));
  GOOD(cudnnSetTensor4dDescriptor(y, 0, 0, 1, 8, 3, 3));
  GOOD(cudnnSetTensor4dDescriptor(bias, 0, 0, 1, 8, 1, 1));
  GOOD(cudnnSetFilter4dDescriptor(f, 0, 0, 8, 4, 3, 3));
  WANT(2000, cudnnSetConvolution2dDescriptor(c, -1, 1, 1, 1, 1, 1, 1, 0));
  WANT(2000, cudnnSetConvolution2dDescriptor(c, 1, 1, 0, 1, 1, 1, 1, 0));
  WANT(2000, cudnnSetConvolution2dDescriptor(c, 1, 1, 1, 1, 0, 1, 1, 0));
  GOOD(cudnnSetConvolution2dDescriptor(c, 1, 1, 2, 2, 1, 1, 1, 0));
  WANT(2000, cudnnSetConvolutionGroupCount(c, 0));
  WANT(2000, cudnnSetConvolutionMathType(c, 4));
  GOOD(SIZE(0));
  GOOD(SIZE(1));
  WANT(3000, SIZE(3));
  WANT(3000, SIZE(4)); // FFT with a stride
  WANT(3000, SIZE(6)); // Winograd with a stride
  WANT(2000, SIZE(8));
  GOOD(cudnnSetConvolutionGroupCount(c, 2));
  WANT(2000, SIZE(0)); // the filters have all channels
  GOOD(cudnnSetConvolutionGroupCount(c, 1));
  GOOD(cudnnSetTensor4dDescriptor(y, 0, 0, 1, 8, 4, 3));
  WANT(2000, SIZE(0));
  GOOD(cudnnSetTensor4dDescriptor(y, 0, 0, 1, 8, 3, 3));
  uint64_t px = memory(4 * 144), pf = memory(4 * 288), py = memory(4 * 72), pb = memory(32), w = memory(1 << 16);
#define FUSED(algo, z, w, bytes) \
  cudnnConvolutionBiasActivationForward(h, &one, x, (void *)px, f, (void *)pf, c, algo, (void *)(w), bytes, &none, y, (void *)(z), bias, (void *)pb, act, y, (void *)py)
#define PLAIN(px, algo, w, bytes) cudnnConvolutionForward(h, &one, x, (void *)(px), f, (void *)pf, c, algo, (void *)(w), bytes, &none, y, (void *)py)
  GOOD(PLAIN(px, 0, 0, 0));
  WANT(2000, PLAIN(px, 1, 0, 0)); // no workspace
  WANT(2000, PLAIN(px, 1, w, 16));
  WANT(2000, PLAIN(px + 4, 0, 0, 0));
  WANT(2000, PLAIN(0, 0, 0, 0));
  WANT(3000, PLAIN(px, 6, w, 1 << 16));
  WANT(2000, FUSED(0, py, 0, 0)); // no activation is set
  GOOD(cudnnSetActivationDescriptor(act, 1, 0, 0));
  GOOD(FUSED(0, py, 0, 0));
  WANT(2000, FUSED(0, 0, 0, 0));
  GOOD(cudnnSetActivationDescriptor(act, 1, 1, 0));
  WANT(3000, FUSED(0, py, 0, 0)); // NaN would be propagated
  GOOD(cudnnSetActivationDescriptor(act, 2, 0, 0));
  WANT(3000, FUSED(0, py, 0, 0)); // tanh
  GOOD(cudnnSetActivationDescriptor(act, 5, 0, 0));
  WANT(3000, FUSED(0, py, 0, 0)); // identity
  GOOD(FUSED(1, py, w, 1 << 16));
  GOOD(cudnnSetTensor4dDescriptor(bias, 0, 0, 1, 4, 1, 1));
  WANT(3000, FUSED(1, py, w, 1 << 16));
  GOOD(cuStreamSynchronize(stream));
  uint64_t all[] = {px, pf, py, pb, w};
  for (int i = 0; i < 5; i++) GOOD(cuMemFree_v2(all[i]));
  GOOD(cudnnDestroyTensorDescriptor(x));
  GOOD(cudnnDestroyTensorDescriptor(y));
  GOOD(cudnnDestroyTensorDescriptor(bias));
  GOOD(cudnnDestroyFilterDescriptor(f));
  GOOD(cudnnDestroyConvolutionDescriptor(c));
  GOOD(cudnnDestroyActivationDescriptor(act));
  GOOD(cudnnDestroy(h));
}

int main(void) {
  WANT(1, cuInit(1));
  GOOD(cuInit(0));
  GOOD(cuDevicePrimaryCtxRetain(&context, 0));
  WANT(201, cuCtxSetCurrent(&stream));
  GOOD(cuCtxSetCurrent(context));
  WANT(1, cuStreamCreate(&stream, 2));
  GOOD(cuStreamCreate(&stream, 1));
  driver();
  kernels();
  products();
  convolutions();
  GOOD(cuStreamDestroy_v2(stream));
  GOOD(cuCtxSetCurrent(NULL));
  GOOD(cuDevicePrimaryCtxRelease_v2(0));
  printf("%d calls, %d wrong\n", done, bad);
  return bad != 0;
}
