// core.h is what the fake libraries have in common: every call is counted and
// noted, may be made to fail, and what is created is counted until it is destroyed.
#ifndef TASO_FAKE_CORE_H
#define TASO_FAKE_CORE_H

#include <stddef.h>
#include <stdint.h>

enum taso_library { TASO_DRIVER, TASO_NVRTC, TASO_CUBLASLT, TASO_CUDNN };

// API defines a function that a library exports; the libraries' own files only jump
// here, see shell.c.
#define API(result, name, params) __attribute__((visibility("default"))) result fake_##name params

// What libraries make, and must be given back.
#define TASO_KINDS(X) \
  X(CONTEXT, "context") X(STREAM, "stream") X(EVENT, "event") X(MODULE, "module") X(GRAPH, "graph") X(EXEC, "graph exec") \
  X(ALLOCATION, "allocation") X(PROGRAM, "NVRTC program") X(LT, "cuBLASLt handle") \
  X(LT_DESC, "cuBLASLt matmul descriptor") X(LT_LAYOUT, "cuBLASLt layout") X(LT_PREFERENCE, "cuBLASLt preference") X(DNN, "cuDNN handle") \
  X(DNN_TENSOR, "cuDNN tensor descriptor") X(DNN_FILTER, "cuDNN filter descriptor") X(DNN_CONV, "cuDNN convolution descriptor") \
  X(DNN_ACT, "cuDNN activation descriptor") X(FUNCTION, "kernel")
#define X(name, text) TASO_##name,
enum taso_kind { TASO_KINDS(X) TASO_KIND_COUNT };
#undef X

// An object that a library made. Its memory is kept until taso_reset, so that what
// was destroyed is known when it is used again.
struct taso_object {
  uint32_t magic;
  enum taso_kind kind;
  int live;
  size_t made; // number of the call
  struct taso_object *older;
};

void *taso_new(enum taso_kind kind, size_t bytes);          // bytes of zeros behind a taso_object; NULL: out of memory
int taso_is(const void *object, enum taso_kind kind);       // whether it is one, and alive; where it was destroyed, that is a problem
void taso_end(void *object);                                // it is no longer alive
void taso_count(enum taso_kind kind, int by);               // for what is no object of its own

// Settings, by name and value as in the environment, where TASO_FAKE_ comes before
// the name in capitals.
struct taso_settings {
  long long driver_version, nvrtc_version, cublaslt_version, cudnn_version, cudnn_cuda; // as the libraries tell them
  long long devices, memory; // memory: bytes of each device
  long long major, minor;    // compute capability
  long long init;            // what cuInit returns
  long long empty;           // 1: kernels, products and convolutions are checked, but not run
  long long unchecked;       // 1: kernels are compiled without checks of each access
  long long races;           // 1: races of kernels are no faults
  long long noise;           // percent by which work takes longer, by chance
  long long fail;            // number of the call that fails, from 1; 0: none
  long long code;            // what it returns; 0: what its library returns when something is wrong
  long long refuse;          // of the algorithms of a product or convolution, so many of the best are offered, but refused when work is issued
  long long lose;            // 1: the device is lost from that call on, by error 719
};
extern struct taso_settings taso_settings;

// One call at a time is in the libraries; NVRTC compiles beside.
void taso_lock(void);
void taso_unlock(int *);
#define LOCKED __attribute__((cleanup(taso_unlock), unused)) int locked = (taso_lock(), 0)

// taso_enter notes a call and returns 0, or what it shall return instead. context:
// the call needs a context that is not lost.
int taso_enter(enum taso_library lib, const char *function, int context);
// ENTER begins a function of the API that has no effect when it fails.
#define ENTER(lib, context) \
  LOCKED; \
  { \
    int wrong = taso_enter(lib, __func__ + 5, context); \
    if (wrong) return wrong; \
  }
// GIVES begins one that gives something back: it does so, whatever it then returns.
#define GIVES(lib, context) \
  LOCKED; \
  int wrong = taso_enter(lib, __func__ + 5, context)

// taso_refuse notes why the call that was entered last returns code, and returns it.
int taso_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// taso_problem notes what no library needs to notice, but nobody may do.
void taso_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
// taso_lose loses the device: later calls return code.
int taso_lose(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int taso_lost(void);          // 0, or the code
int taso_has_context(void);   // whether the calling thread has one (driver.c)
void taso_report(void);       // writes the report, where one is asked for

// What Go calls.
void taso_reset(void);                                  // as in a new process: settings, counts, memory
int taso_set(const char *name, const char *value);      // 0, or -1: no such setting
size_t taso_calls(void);                                // how many there were
const char *taso_call(size_t i);                        // name, or "name: code: why"
size_t taso_problems(void);
const char *taso_problem_text(size_t i);
int taso_leak(int kind, const char **name);             // how many of a kind live; -1: no such kind
int taso_count_of(const char *function);

#endif
