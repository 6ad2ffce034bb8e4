// dl.h: what the Go side calls. Functions return 0, or fill *err and return its code.
#ifndef TASO_CUDA_DL_H
#define TASO_CUDA_DL_H

#include "abi.h"

// Libraries, in the order of the Go side's list.
enum { TASO_LIB_DRIVER, TASO_LIB_NVRTC, TASO_LIB_CUBLASLT, TASO_LIB_CUDNN };

#define TASO_FIELD(result, name, params) result(*name) params;
typedef struct {
	TASO_DRIVER(TASO_FIELD, TASO_FIELD)
} taso_driver;
typedef struct {
	TASO_NVRTC(TASO_FIELD, TASO_FIELD)
} taso_nvrtc;
typedef struct {
	TASO_CUBLASLT(TASO_FIELD, TASO_FIELD)
} taso_cublaslt;
typedef struct {
	TASO_CUDNN(TASO_FIELD, TASO_FIELD)
} taso_cudnn;

// What the libraries export; of a library that was not loaded all is NULL.
typedef struct {
	taso_driver cu;
	taso_nvrtc rtc;
	taso_cublaslt lt;
	taso_cudnn dnn;
} taso_libs;

// The first failure of a piece of work. What fails while it is cleaned up does
// not replace it.
typedef struct {
	int code;         // 0: nothing failed; -1: out of memory of the host
	int lib;          // whose code
	int sticky;       // the context is lost
	int at;           // index of the call of the plan, or -1
	const char *call; // the function
} taso_error;

int taso_fail(taso_error *err, int lib, const char *call, int code);

// CU calls a function of the driver and tells *err of a failure; so do LT and
// DNN. The result is the function's.
#define CU(libs, err, name, ...) taso_fail(err, TASO_LIB_DRIVER, #name, (libs)->cu.name(__VA_ARGS__))
#define RTC(libs, err, name, ...) taso_fail(err, TASO_LIB_NVRTC, #name, (libs)->rtc.name(__VA_ARGS__))
#define LT(libs, err, name, ...) taso_fail(err, TASO_LIB_CUBLASLT, #name, (libs)->lt.name(__VA_ARGS__))
#define DNN(libs, err, name, ...) taso_fail(err, TASO_LIB_CUDNN, #name, (libs)->dnn.name(__VA_ARGS__))

// load.c

// A library that was opened, and what is wrong with it.
typedef struct {
	void *handle;        // NULL: it cannot be opened
	char *path;          // the file, or NULL
	char *error;         // the dynamic loader's text, where handle is NULL
	const char *missing; // the first function that it lacks, or NULL
	int64_t version;     // as the library counts
	int64_t cuda;        // CUDA's version as 1000*major + 10*minor, or 0
} taso_probe;

taso_probe taso_probe_library(int lib, const char *name);
void taso_probe_free(taso_probe *p); // the strings, not the handle
void taso_take(taso_libs *libs, int lib, void *handle);
void taso_shut(void *handle);
void taso_error_text(const taso_libs *libs, int lib, int code, const char **name, const char **text);

// rtc.c

typedef struct {
	char *cubin, *log; // to be freed
	size_t bytes;
} taso_compiled;

int taso_compile(const taso_libs *libs, const char *source, const char *name, int n, const char *const *options,
                 taso_compiled *out, taso_error *err);
int taso_archs(const taso_libs *libs, int *archs, int most, int *n, taso_error *err);

// device.c

// How many objects of the libraries exist.
typedef struct {
	int64_t contexts, streams, handles, allocations, modules, events, graphs, descriptors;
} taso_live;

typedef struct {
	const taso_libs *libs;
	int device;
	void *context, *stream, *lt, *dnn, *start, *end;
	taso_live live;
} taso_dev;

typedef struct {
	char name[256];
	int major, minor, sms, shared, shared_optin, l2, clock_khz, memory_khz, bus_bits;
	size_t memory;
} taso_properties;

int taso_devices(const taso_libs *libs, int *n, taso_error *err);
int taso_query(const taso_libs *libs, int ordinal, taso_properties *p, taso_error *err);
taso_dev *taso_dev_open(const taso_libs *libs, int ordinal, taso_error *err);
int taso_dev_close(taso_dev *d, taso_error *err); // d is gone, whatever fails
int taso_sync(taso_dev *d, taso_error *err);
int taso_context_state(taso_dev *d, taso_error *err);
int taso_alloc(taso_dev *d, size_t bytes, taso_devptr *p, taso_error *err);
int taso_free(taso_dev *d, taso_devptr p, taso_error *err);
int taso_copy_in(taso_dev *d, taso_devptr to, const void *from, size_t bytes, taso_error *err);
int taso_copy_out(taso_dev *d, void *to, taso_devptr from, size_t bytes, taso_error *err);
int taso_fill(taso_dev *d, taso_devptr p, int value, size_t bytes, taso_error *err);
int taso_memory(taso_dev *d, size_t *free, size_t *total, taso_error *err);
int taso_module_load(taso_dev *d, const void *image, void **module, taso_error *err);
int taso_module_unload(taso_dev *d, void *module, taso_error *err);
int taso_function(taso_dev *d, void *module, const char *name, int shared, void **function, taso_error *err);
int taso_event_new(taso_dev *d, void **event, taso_error *err);
int taso_event_free(taso_dev *d, void *event, taso_error *err);
int taso_elapsed(taso_dev *d, void *start, void *end, float *ms, taso_error *err);
void taso_nothing(void);

// plan.c

// An address: bases[base] + offset bytes; base < 0: none.
typedef struct {
	int32_t base, unused;
	int64_t offset;
} taso_ref;

static inline taso_devptr taso_at(const taso_devptr *bases, taso_ref r) {
	return r.base < 0 ? 0 : bases[r.base] + (taso_devptr)r.offset;
}

// d [m, n] = a [m, k] * b [k, n] + c, a batch of them, row by row; ta, tb: a is
// stored as [k, m], b as [n, k]. ld: elements from row to row, s: from one of the
// batch to the next. bias: n numbers.
typedef struct {
	int64_t m, n, k, batch, lda, ldb, ldc, ldd, sa, sb, sc, sd;
	int ta, tb, relu, compute;
	taso_ref a, b, c, d, bias;
} taso_matmul;

// y [n, k, oh, ow] = convolution of x [n, c, h, w] with f [k, c/groups, r, s],
// plus bias [k], plus z as y.
typedef struct {
	int n, c, h, w, k, r, s, oh, ow, pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
	int relu, math;
	taso_ref x, f, bias, z, y;
} taso_conv;

enum { TASO_CHOICES = 8 }; // the algorithms of a call that are kept

typedef struct taso_lt taso_lt;   // matmul.c: a product of a plan
typedef struct taso_dnn taso_dnn; // conv.c: a convolution of a plan

taso_lt *taso_lt_new(taso_dev *d, const taso_matmul *m, size_t bound, taso_error *err);
int taso_lt_list(taso_dev *d, taso_lt *c, size_t bound, taso_error *err);
int taso_lt_issue(taso_dev *d, taso_lt *c, const taso_devptr *bases, taso_devptr workspace, size_t bytes, taso_error *err);
int taso_lt_choices(const taso_lt *c, int **choice);
size_t taso_lt_workspace(const taso_lt *c);
void taso_lt_free(taso_dev *d, taso_lt *c, taso_error *err);

taso_dnn *taso_dnn_new(taso_dev *d, const taso_conv *m, size_t bound, taso_error *err);
int taso_dnn_list(taso_dev *d, taso_dnn *c, size_t bound, taso_error *err);
int taso_dnn_issue(taso_dev *d, taso_dnn *c, const taso_devptr *bases, taso_devptr zeros, taso_devptr workspace, size_t bytes,
                   taso_error *err);
int taso_dnn_choices(const taso_dnn *c, int **choice);
size_t taso_dnn_workspace(const taso_dnn *c);
size_t taso_dnn_zeros(const taso_dnn *c);
void taso_dnn_free(taso_dev *d, taso_dnn *c, taso_error *err);

typedef struct taso_plan taso_plan;

taso_plan *taso_plan_new(taso_dev *d, size_t bound, taso_error *err);
void taso_plan_free(taso_plan *p, taso_error *err);
int taso_plan_launch(taso_plan *p, void *function, const unsigned *grid, const unsigned *block, unsigned shared, int n,
                     const taso_ref *args, taso_error *err);
int taso_plan_matmul(taso_plan *p, const taso_matmul *m, taso_error *err);
int taso_plan_conv(taso_plan *p, const taso_conv *c, taso_error *err);
int taso_plan_fill(taso_plan *p, taso_ref to, int value, size_t bytes, taso_error *err);
int taso_plan_copy(taso_plan *p, taso_ref to, taso_ref from, size_t bytes, taso_error *err);
int taso_plan_choices(const taso_plan *p, int call, int *choice);
void taso_plan_choose(taso_plan *p, int call, int choice);
void taso_plan_need(const taso_plan *p, size_t *workspace, size_t *zeros);
int taso_plan_bound(taso_plan *p, size_t bound, taso_error *err);
void taso_plan_give(taso_plan *p, taso_devptr workspace, size_t bytes, taso_devptr zeros);
int taso_plan_issue(taso_plan *p, const taso_devptr *bases, taso_error *err);
int taso_plan_run(taso_plan *p, const taso_devptr *bases, taso_error *err);
int taso_plan_profile(taso_plan *p, const taso_devptr *bases, float *ms, taso_error *err);
int taso_plan_capture(taso_plan *p, int n, int nbases, const taso_devptr *tables, void **exec, taso_error *err);
int taso_graph_replay(taso_dev *d, void *exec, int k, float *ms, taso_error *err);
int taso_graph_free(taso_dev *d, void *exec, taso_error *err);

#endif
