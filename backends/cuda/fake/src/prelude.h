// prelude.h comes before every kernel: what NVRTC knows without headers, for g++.
// What NVRTC does not know (INFINITY, NAN, int32_t, std::...) must stay unknown here,
// as a kernel that uses it would pass on the fake and fail on a GPU.
#pragma GCC system_header // what is more than C++14 is wrong in a kernel, not here
#include "state.h"

// What is in support.c, which every kernel is linked with.
extern "C" {
extern struct taso_state taso_state;
extern char taso_dynamic[] __attribute__((visibility("hidden")));
extern __attribute__((visibility("default"))) const int taso_arch;
const int taso_arch = TASO_ARCH; // 900 is sm_90
}
#define TASO_PLAIN static inline __attribute__((no_sanitize("kernel-address"), no_sanitize("undefined")))

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ TASO_ARCH
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __shared__ static __attribute__((section("taso_shared")))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef struct taso_dim uint3;
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#ifdef TASO_VECTORS // a source that does not name them is compiled sooner without
#define TASO_VECTOR(type, name) \
  struct name##1 { type x; }; \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 { type x, y, z, w; }; \
  static inline name##1 make_##name##1(type x) { return {x}; } \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
  static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
TASO_VECTOR(float, float)
TASO_VECTOR(double, double)
TASO_VECTOR(int, int)
TASO_VECTOR(char, char)
TASO_VECTOR(short, short)
TASO_VECTOR(long long, longlong)
TASO_VECTOR(unsigned char, uchar)
#undef TASO_VECTOR
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
#endif

#define threadIdx ((const uint3 &)taso_state.thread)
#define blockIdx ((const uint3 &)taso_state.block)
#define blockDim ((const dim3 &)taso_state.block_dim)
#define gridDim ((const dim3 &)taso_state.grid_dim)
static const int warpSize = 32;

// Meeting points.
#define __syncthreads() ((void)taso_state.sync(__LINE__, 0))
#define __syncthreads_or(v) (taso_state.sync(__LINE__, (v) != 0) != 0)
#define __syncthreads_count(v) (taso_state.sync(__LINE__, (v) != 0))
#define __syncthreads_and(v) (taso_state.sync(__LINE__, (v) == 0) == 0)
#define __syncwarp(...) ((void)taso_state.warp(taso_mask(__VA_ARGS__), TASO_WARP_SYNC, 0, taso_state.lane, __LINE__))
#define __ballot_sync(mask, v) ((unsigned)taso_state.warp(mask, TASO_WARP_BALLOT, (v) != 0, taso_state.lane, __LINE__))
#define __any_sync(mask, v) (__ballot_sync(mask, v) != 0)
#define __all_sync(mask, v) (__ballot_sync(mask, !(v)) == 0)
#define __activemask() (taso_state.active())
#define __shfl_sync(...) taso_shfl(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) taso_shfl_xor(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) taso_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) taso_shfl_up(__LINE__, __VA_ARGS__)
static inline unsigned taso_mask(unsigned mask = 0xffffffffu) { return mask; }
template <class T> TASO_PLAIN T taso_exchange(int line, unsigned mask, T v, int from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle takes 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  bits = taso_state.warp(mask, TASO_WARP_SHUFFLE, bits, from, line);
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T> TASO_PLAIN T taso_shfl(int line, unsigned mask, T v, int from, int width = 32) {
  return taso_exchange(line, mask, v, (taso_state.lane & ~(width - 1)) | (from & (width - 1)));
}
template <class T> TASO_PLAIN T taso_shfl_xor(int line, unsigned mask, T v, int with, int width = 32) {
  int from = taso_state.lane ^ with;
  return taso_exchange(line, mask, v, from > (taso_state.lane | (width - 1)) ? taso_state.lane : from);
}
template <class T> TASO_PLAIN T taso_shfl_down(int line, unsigned mask, T v, unsigned by, int width = 32) {
  int from = taso_state.lane + (int)by;
  return taso_exchange(line, mask, v, from > (taso_state.lane | (width - 1)) ? taso_state.lane : from);
}
template <class T> TASO_PLAIN T taso_shfl_up(int line, unsigned mask, T v, unsigned by, int width = 32) {
  int from = taso_state.lane - (int)by;
  return taso_exchange(line, mask, v, from < (taso_state.lane & ~(width - 1)) ? taso_state.lane : from);
}

#ifdef TASO_ATOMICS
// Threads run one at a time, so an atomic operation is a plain one that the check knows.
#define TASO_ATOMIC_OP(name, type, expression) \
  TASO_PLAIN type name(type *p, type v) { \
    taso_state.access(p, sizeof *p, TASO_ATOMIC); \
    type old = *p; \
    *p = (expression); \
    return old; \
  }
#define TASO_ATOMIC_INTS(type) \
  TASO_ATOMIC_OP(atomicAdd, type, old + v) \
  TASO_ATOMIC_OP(atomicExch, type, v) \
  TASO_ATOMIC_OP(atomicMax, type, old > v ? old : v) \
  TASO_ATOMIC_OP(atomicMin, type, old < v ? old : v) \
  TASO_ATOMIC_OP(atomicAnd, type, old & v) \
  TASO_ATOMIC_OP(atomicOr, type, old | v) \
  TASO_ATOMIC_OP(atomicXor, type, old ^ v) \
  TASO_PLAIN type atomicCAS(type *p, type compare, type v) { \
    taso_state.access(p, sizeof *p, TASO_ATOMIC); \
    type old = *p; \
    if (old == compare) *p = v; \
    return old; \
  }
TASO_ATOMIC_INTS(int)
TASO_ATOMIC_INTS(unsigned)
TASO_ATOMIC_INTS(unsigned long long)
TASO_ATOMIC_OP(atomicAdd, float, old + v)
TASO_ATOMIC_OP(atomicAdd, double, old + v)
TASO_ATOMIC_OP(atomicExch, float, v)
TASO_ATOMIC_OP(atomicSub, int, old - v)
TASO_ATOMIC_OP(atomicSub, unsigned, old - v)
#endif
template <class T> static inline T __ldg(const T *p) { return *p; }
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __trap() (taso_state.fault("__trap()"))
#define assert(e) ((e) ? (void)0 : taso_state.fault("assertion fails: " #e))
#define __builtin_assume(e) ((void)0)

// Mathematics: float and double by name, both by overload.
extern "C" {
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int abs(int);
#define TASO_MATH1(name) \
  double name(double); \
  float name##f(float);
#define TASO_MATH2(name) \
  double name(double, double); \
  float name##f(float, float);
#define TASO_EACH(F1, F2) \
  F1(sqrt) F1(cbrt) F1(exp) F1(exp2) F1(expm1) F1(log) F1(log2) F1(log10) F1(log1p) F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) \
  F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh) F1(erf) F1(erfc) F1(tgamma) F1(lgamma) F1(ceil) F1(floor) \
  F1(trunc) F1(round) F1(rint) F1(nearbyint) F1(fabs) F2(pow) F2(fmod) F2(fmax) F2(fmin) F2(fdim) F2(hypot) F2(atan2) \
  F2(copysign) F2(remainder) F2(nextafter)
TASO_EACH(TASO_MATH1, TASO_MATH2)
float exp10f(float);
double exp10(double);
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
}
#define TASO_OVER1(name) \
  static inline float name(float x) { return name##f(x); }
#define TASO_OVER2(name) \
  static inline float name(float x, float y) { return name##f(x, y); }
TASO_EACH(TASO_OVER1, TASO_OVER2)
#undef TASO_EACH
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float rcbrtf(float x) { return (float)(1 / cbrt((double)x)); }
static inline float normcdff(float x) { return (float)(0.5 * erfc(-(double)x * 0.70710678118654752440)); }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline bool isnan(float x) { return x != x; }
static inline bool isnan(double x) { return x != x; }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isinf(double x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
static inline bool signbit(float x) { return __builtin_signbit(x); }
static inline bool signbit(double x) { return __builtin_signbit(x); }
#define TASO_MINMAX(type) \
  static inline type min(type x, type y) { return x < y ? x : y; } \
  static inline type max(type x, type y) { return x > y ? x : y; }
TASO_MINMAX(int)
TASO_MINMAX(unsigned)
TASO_MINMAX(long)
TASO_MINMAX(unsigned long)
TASO_MINMAX(long long)
TASO_MINMAX(unsigned long long)
#undef TASO_MINMAX
static inline float min(float x, float y) { return fminf(x, y); }
static inline float max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }
template <class To, class From> static inline To taso_bits(From v) {
  To t;
  static_assert(sizeof t == sizeof v, "as many bits");
  __builtin_memcpy(&t, &v, sizeof t);
  return t;
}
static inline float __int_as_float(int x) { return taso_bits<float>(x); }
static inline int __float_as_int(float x) { return taso_bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return taso_bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return taso_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return taso_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return taso_bits<long long>(x); }
static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline int __float2int_ru(float x) { return (int)ceilf(x); }
static inline long long __float2ll_rn(float x) { return (long long)rintf(x); }
static inline long long __float2ll_rz(float x) { return (long long)x; }
static inline float __int2float_rn(int x) { return (float)x; }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}

// How the grid calls a kernel: through its arguments' addresses, as the driver has them.
template <int... I> struct taso_ints {};
template <class F, F *f> struct taso_thunk;
template <class... A, void (*f)(A...)> struct taso_thunk<void(A...), f> {
  static const int args = sizeof...(A);
  static constexpr unsigned sizes[sizeof...(A) + 1] = {sizeof(A)...};
  template <int... I> TASO_PLAIN void each(void **p, taso_ints<I...>) { f(*(A *)p[I]...); }
  __attribute__((no_sanitize("kernel-address"))) static void call(void **p) { each(p, taso_ints<__integer_pack(args)...>()); }
};
template <class... A, void (*f)(A...)> constexpr unsigned taso_thunk<void(A...), f>::sizes[];
#define TASO_KERNEL(name, bound, meets) \
  extern "C" __attribute__((visibility("default"))) const struct taso_kernel taso_kernel_##name = {&taso_thunk<decltype(name), &name>::call, taso_thunk<decltype(name), &name>::args, taso_thunk<decltype(name), &name>::sizes, bound, meets};
