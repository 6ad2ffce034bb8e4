// abi.h declares what this package calls in the CUDA driver, NVRTC, cuBLASLt and
// cuDNN, so that no toolkit is needed to build: names as the libraries export them,
// values and struct layouts as their documentation gives them. scripts/cuda-abi
// compares all of it with the real headers and libraries, where these are at hand.
#ifndef TASO_CUDA_ABI_H
#define TASO_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

// Handles are opaque; status codes are ints, 0 is success in all four libraries.
typedef uint64_t taso_devptr; // CUdeviceptr, on 64-bit systems

enum {
  TASO_CU_INVALID_VALUE = 1,
  TASO_CU_OUT_OF_MEMORY = 2,
  TASO_CU_NOT_INITIALIZED = 3,
  TASO_CU_DEINITIALIZED = 4,
  TASO_CU_NO_DEVICE = 100,
  TASO_CU_INVALID_DEVICE = 101,
  TASO_CU_INVALID_CONTEXT = 201,
  TASO_CU_INVALID_HANDLE = 400,
  TASO_CU_NOT_FOUND = 500,
  TASO_CU_SYSTEM_DRIVER_MISMATCH = 803,
  TASO_CU_STREAM_CAPTURE_UNSUPPORTED = 900,
  // What ends a context: every later call that touches it fails too.
  TASO_CU_ECC_UNCORRECTABLE = 214,
  TASO_CU_NVLINK_UNCORRECTABLE = 220,
  TASO_CU_ILLEGAL_ADDRESS = 700,
  TASO_CU_LAUNCH_TIMEOUT = 702,
  TASO_CU_CONTEXT_IS_DESTROYED = 709,
  TASO_CU_ASSERT = 710,
  TASO_CU_HARDWARE_STACK_ERROR = 714,
  TASO_CU_ILLEGAL_INSTRUCTION = 715,
  TASO_CU_MISALIGNED_ADDRESS = 716,
  TASO_CU_INVALID_ADDRESS_SPACE = 717,
  TASO_CU_INVALID_PC = 718,
  TASO_CU_LAUNCH_FAILED = 719,
  TASO_CU_UNKNOWN = 999,
};

enum { // CUdevice_attribute
  TASO_ATTR_MAX_SHARED_PER_BLOCK = 8,
  TASO_ATTR_CLOCK_KHZ = 13,
  TASO_ATTR_MULTIPROCESSORS = 16,
  TASO_ATTR_MEMORY_CLOCK_KHZ = 36,
  TASO_ATTR_MEMORY_BUS_BITS = 37,
  TASO_ATTR_L2_BYTES = 38,
  TASO_ATTR_CC_MAJOR = 75,
  TASO_ATTR_CC_MINOR = 76,
  TASO_ATTR_MAX_SHARED_OPTIN = 97,
};

enum {
  TASO_STREAM_NON_BLOCKING = 1,
  TASO_CAPTURE_THREAD_LOCAL = 1,
  TASO_FUNC_MAX_DYNAMIC_SHARED = 8,
};

enum { // cuBLASLt
  TASO_R_32F = 0,
  TASO_COMPUTE_32F = 68,
  TASO_COMPUTE_32F_PEDANTIC = 69,
  TASO_COMPUTE_32F_FAST_16F = 74,
  TASO_COMPUTE_32F_FAST_16BF = 75,
  TASO_COMPUTE_32F_FAST_TF32 = 77,
  TASO_OP_N = 0,
  TASO_OP_T = 1,
  TASO_LT_DESC_TRANSA = 3,
  TASO_LT_DESC_TRANSB = 4,
  TASO_LT_DESC_EPILOGUE = 7,
  TASO_LT_DESC_BIAS = 8,
  TASO_LT_LAYOUT_BATCH_COUNT = 5,
  TASO_LT_LAYOUT_BATCH_STRIDE = 6,
  TASO_LT_PREF_WORKSPACE = 1,
  TASO_LT_PREF_ALIGN_A = 5, // bytes
  TASO_LT_PREF_ALIGN_B = 6,
  TASO_LT_PREF_ALIGN_C = 7,
  TASO_LT_PREF_ALIGN_D = 8,
  TASO_LT_EPILOGUE_DEFAULT = 1,
  TASO_LT_EPILOGUE_RELU = 2,
  TASO_LT_EPILOGUE_BIAS = 4,
  TASO_LT_EPILOGUE_RELU_BIAS = 6,
  TASO_LT_NOT_SUPPORTED = 15, // cublasStatus_t
};

typedef struct { // cublasLtMatmulAlgo_t
  uint64_t data[8];
} taso_lt_algo;

typedef struct { // cublasLtMatmulHeuristicResult_t
  taso_lt_algo algo;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} taso_lt_result;

enum { // cuDNN
  TASO_DNN_FLOAT = 0,
  TASO_DNN_NCHW = 0,
  TASO_DNN_CROSS_CORRELATION = 1,
  TASO_DNN_DEFAULT_MATH = 0,
  TASO_DNN_TENSOR_OP_MATH = 1,
  TASO_DNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  TASO_DNN_FMA_MATH = 3,
  TASO_DNN_ACT_RELU = 1,
  TASO_DNN_ACT_IDENTITY = 5,
  TASO_DNN_NOT_PROPAGATE_NAN = 0,
  TASO_DNN_ALGO_IMPLICIT_GEMM = 0,
  TASO_DNN_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
  TASO_DNN_NOT_SUPPORTED = 3000, // cudnnStatus_t of version 9, the first of its kind
  TASO_DNN_NOT_SUPPORTED_8 = 9,  // of version 8
};

typedef struct { // cudnnConvolutionFwdAlgoPerf_t
  int algo;
  int status;
  float time;
  size_t memory;
  int determinism;
  int math;
  int reserved[3];
} taso_dnn_perf;

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "a 64-bit system");
_Static_assert(sizeof(taso_lt_algo) == 64, "cublasLtMatmulAlgo_t");
_Static_assert(sizeof(taso_lt_result) == 96 && offsetof(taso_lt_result, workspace) == 64 && offsetof(taso_lt_result, state) == 72 &&
                   offsetof(taso_lt_result, waves) == 76 && offsetof(taso_lt_result, reserved) == 80,
               "cublasLtMatmulHeuristicResult_t");
_Static_assert(sizeof(taso_dnn_perf) == 48 && offsetof(taso_dnn_perf, memory) == 16 && offsetof(taso_dnn_perf, determinism) == 24 &&
                   offsetof(taso_dnn_perf, math) == 28 && offsetof(taso_dnn_perf, reserved) == 32,
               "cudnnConvolutionFwdAlgoPerf_t");

// The functions, F(result, name, parameters) each; O marks those without which
// there is something else to do.

#define TASO_DRIVER(F, O) \
  F(int, cuInit, (unsigned flags)) \
  F(int, cuDriverGetVersion, (int *version)) \
  F(int, cuGetErrorName, (int error, const char **name)) \
  F(int, cuGetErrorString, (int error, const char **text)) \
  F(int, cuDeviceGetCount, (int *n)) \
  F(int, cuDeviceGet, (int *device, int ordinal)) \
  F(int, cuDeviceGetName, (char *name, int len, int device)) \
  F(int, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
  F(int, cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
  F(int, cuDevicePrimaryCtxRetain, (void **context, int device)) \
  F(int, cuDevicePrimaryCtxRelease_v2, (int device)) \
  F(int, cuCtxSetCurrent, (void *context)) \
  F(int, cuCtxSynchronize, (void)) \
  F(int, cuMemGetInfo_v2, (size_t *free, size_t *total)) \
  F(int, cuMemAlloc_v2, (taso_devptr * p, size_t bytes)) \
  F(int, cuMemFree_v2, (taso_devptr p)) \
  F(int, cuMemcpyHtoDAsync_v2, (taso_devptr to, const void *from, size_t bytes, void *stream)) \
  F(int, cuMemcpyDtoHAsync_v2, (void *to, taso_devptr from, size_t bytes, void *stream)) \
  F(int, cuMemcpyDtoDAsync_v2, (taso_devptr to, taso_devptr from, size_t bytes, void *stream)) \
  F(int, cuMemsetD8Async, (taso_devptr p, unsigned char value, size_t n, void *stream)) \
  F(int, cuModuleLoadData, (void **module, const void *image)) \
  F(int, cuModuleUnload, (void *module)) \
  F(int, cuModuleGetFunction, (void **function, void *module, const char *name)) \
  F(int, cuFuncSetAttribute, (void *function, int attribute, int value)) \
  F(int, cuLaunchKernel, \
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, \
     void *stream, void **params, void **extra)) \
  F(int, cuStreamCreate, (void **stream, unsigned flags)) \
  F(int, cuStreamDestroy_v2, (void *stream)) \
  F(int, cuStreamSynchronize, (void *stream)) \
  F(int, cuStreamBeginCapture_v2, (void *stream, int mode)) \
  F(int, cuStreamEndCapture, (void *stream, void **graph)) \
  F(int, cuGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags)) \
  F(int, cuGraphLaunch, (void *exec, void *stream)) \
  F(int, cuGraphExecDestroy, (void *exec)) \
  F(int, cuGraphDestroy, (void *graph)) \
  F(int, cuEventCreate, (void **event, unsigned flags)) \
  F(int, cuEventDestroy_v2, (void *event)) \
  F(int, cuEventRecord, (void *event, void *stream)) \
  F(int, cuEventSynchronize, (void *event)) \
  F(int, cuEventElapsedTime, (float *ms, void *start, void *end)) \
  O(int, cuEventElapsedTime_v2, (float *ms, void *start, void *end))

#define TASO_NVRTC(F, O) \
  F(int, nvrtcVersion, (int *major, int *minor)) \
  F(const char *, nvrtcGetErrorString, (int error)) \
  F(int, nvrtcCreateProgram, \
    (void **program, const char *source, const char *name, int n, const char *const *headers, const char *const *names)) \
  F(int, nvrtcDestroyProgram, (void **program)) \
  F(int, nvrtcCompileProgram, (void *program, int n, const char *const *options)) \
  F(int, nvrtcGetProgramLogSize, (void *program, size_t *bytes)) \
  F(int, nvrtcGetProgramLog, (void *program, char *log)) \
  F(int, nvrtcGetCUBINSize, (void *program, size_t *bytes)) \
  F(int, nvrtcGetCUBIN, (void *program, char *cubin)) \
  F(int, nvrtcGetNumSupportedArchs, (int *n)) \
  F(int, nvrtcGetSupportedArchs, (int *archs))

#define TASO_CUBLASLT(F, O) \
  F(size_t, cublasLtGetVersion, (void)) \
  F(int, cublasLtCreate, (void **handle)) \
  F(int, cublasLtDestroy, (void *handle)) \
  F(int, cublasLtMatmulDescCreate, (void **desc, int compute, int scale)) \
  F(int, cublasLtMatmulDescDestroy, (void *desc)) \
  F(int, cublasLtMatmulDescSetAttribute, (void *desc, int attribute, const void *value, size_t bytes)) \
  F(int, cublasLtMatrixLayoutCreate, (void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld)) \
  F(int, cublasLtMatrixLayoutDestroy, (void *layout)) \
  F(int, cublasLtMatrixLayoutSetAttribute, (void *layout, int attribute, const void *value, size_t bytes)) \
  F(int, cublasLtMatmulPreferenceCreate, (void **preference)) \
  F(int, cublasLtMatmulPreferenceDestroy, (void *preference)) \
  F(int, cublasLtMatmulPreferenceSetAttribute, (void *preference, int attribute, const void *value, size_t bytes)) \
  F(int, cublasLtMatmulAlgoGetHeuristic, \
    (void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int most, taso_lt_result *results, int *n)) \
  F(int, cublasLtMatmul, \
    (void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb, const void *beta, \
     const void *c, void *lc, void *d, void *ld, const taso_lt_algo *algo, void *workspace, size_t bytes, void *stream))

#define TASO_CUDNN(F, O) \
  F(size_t, cudnnGetVersion, (void)) \
  F(size_t, cudnnGetCudartVersion, (void)) \
  F(const char *, cudnnGetErrorString, (int status)) \
  F(int, cudnnCreate, (void **handle)) \
  F(int, cudnnDestroy, (void *handle)) \
  F(int, cudnnSetStream, (void *handle, void *stream)) \
  F(int, cudnnCreateTensorDescriptor, (void **desc)) \
  F(int, cudnnSetTensor4dDescriptor, (void *desc, int format, int type, int n, int c, int h, int w)) \
  F(int, cudnnDestroyTensorDescriptor, (void *desc)) \
  F(int, cudnnCreateFilterDescriptor, (void **desc)) \
  F(int, cudnnSetFilter4dDescriptor, (void *desc, int type, int format, int k, int c, int h, int w)) \
  F(int, cudnnDestroyFilterDescriptor, (void *desc)) \
  F(int, cudnnCreateConvolutionDescriptor, (void **desc)) \
  F(int, cudnnSetConvolution2dDescriptor, \
    (void *desc, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode, int compute)) \
  F(int, cudnnSetConvolutionGroupCount, (void *desc, int groups)) \
  F(int, cudnnSetConvolutionMathType, (void *desc, int math)) \
  F(int, cudnnDestroyConvolutionDescriptor, (void *desc)) \
  F(int, cudnnCreateActivationDescriptor, (void **desc)) \
  F(int, cudnnSetActivationDescriptor, (void *desc, int mode, int nan, double coef)) \
  F(int, cudnnDestroyActivationDescriptor, (void *desc)) \
  F(int, cudnnGetConvolutionForwardAlgorithm_v7, \
    (void *handle, void *x, void *w, void *conv, void *y, int most, int *n, taso_dnn_perf *perf)) \
  F(int, cudnnGetConvolutionForwardWorkspaceSize, \
    (void *handle, void *x, void *w, void *conv, void *y, int algo, size_t *bytes)) \
  F(int, cudnnConvolutionForward, \
    (void *handle, const void *alpha, void *lx, const void *x, void *lw, const void *w, void *conv, int algo, \
     void *workspace, size_t bytes, const void *beta, void *ly, void *y)) \
  F(int, cudnnConvolutionBiasActivationForward, \
    (void *handle, const void *alpha1, void *lx, const void *x, void *lw, const void *w, void *conv, int algo, \
     void *workspace, size_t bytes, const void *alpha2, void *lz, const void *z, void *lbias, const void *bias, void *act, \
     void *ly, void *y))

#endif
