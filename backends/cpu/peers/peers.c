#if defined(__linux__)
#include "peers.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What is left open by a failure stays open: these are for benchmarks, which
// open each library once.

struct peer_blas {
	void (*gemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
	             const float *b, int ldb, float beta, float *c, int ldc);
	const char *(*config)(void);
};

peer_blas *peer_blas_open(void) {
	static peer_blas b;
	void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!lib) return NULL;
	*(void **)&b.gemm = dlsym(lib, "cblas_sgemm");
	*(void **)&b.config = dlsym(lib, "openblas_get_config");
	void (*threads)(int);
	*(void **)&threads = dlsym(lib, "openblas_set_num_threads");
	if (!b.gemm || !b.config || !threads) return NULL;
	threads(1);
	return &b;
}

const char *peer_blas_config(peer_blas *b) { return b->config(); }

void peer_blas_gemm(peer_blas *b, int m, int n, int k, const float *x, const float *y, float *z) {
	b->gemm(101, 111, 111, m, n, k, 1, x, k, y, n, 0, z, n); // row-major, not transposed
}

// oneDNN's structures are larger than a descriptor of ours needs to know: they
// are kept in buffers that are larger still (the largest has 3.5 KB).
typedef union {
	int64_t align;
	char bytes[16384];
} Desc;

typedef struct {
	int arg;
	void *memory;
} Arg;

enum { CPU = 1, F32 = 3, ANY = 1, FORWARD = 96, DIRECT = 1, AUTO = 3, STREAM = 1, SRC = 1, WEIGHTS = 33, DST = 17,
       QUERY_SRC = 129, QUERY_WEIGHTS = 131, QUERY_DST = 133 };

struct peer_dnn {
	int (*engine_create)(void **, int kind, size_t index);
	int (*stream_create)(void **, void *engine, unsigned flags);
	int (*stream_wait)(void *);
	int (*sgemm)(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float, float *, int64_t);
	int (*md_init)(void *, int, const int64_t *, int type, int tag);
	int (*conv_init)(void *, int prop, int alg, const void *, const void *, const void *, const void *,
	                 const int64_t *, const int64_t *, const int64_t *);
	int (*pd_create)(void **, const void *, const void *, void *, const void *);
	const void *(*pd_md)(const void *, int what, int index);
	int (*primitive_create)(void **, const void *);
	int (*memory_create)(void **, const void *, void *, void *);
	size_t (*md_size)(const void *);
	int (*execute)(const void *, void *, int, const Arg *);
	void *engine, *stream;
};

struct peer_conv {
	peer_dnn *d;
	void *primitive;
	Arg args[3];
};

peer_dnn *peer_dnn_open(void) {
	static peer_dnn d;
	void *lib = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!lib) return NULL;
	const struct {
		void **to;
		const char *name;
	} syms[] = {
		{(void **)&d.engine_create, "dnnl_engine_create"},
		{(void **)&d.stream_create, "dnnl_stream_create"},
		{(void **)&d.stream_wait, "dnnl_stream_wait"},
		{(void **)&d.sgemm, "dnnl_sgemm"},
		{(void **)&d.md_init, "dnnl_memory_desc_init_by_tag"},
		{(void **)&d.conv_init, "dnnl_convolution_forward_desc_init"},
		{(void **)&d.pd_create, "dnnl_primitive_desc_create"},
		{(void **)&d.pd_md, "dnnl_primitive_desc_query_md"},
		{(void **)&d.primitive_create, "dnnl_primitive_create"},
		{(void **)&d.memory_create, "dnnl_memory_create"},
		{(void **)&d.md_size, "dnnl_memory_desc_get_size"},
		{(void **)&d.execute, "dnnl_primitive_execute"},
	};
	for (size_t i = 0; i < sizeof syms / sizeof *syms; i++)
		if (!(*syms[i].to = dlsym(lib, syms[i].name))) return NULL;
	if (d.engine_create(&d.engine, CPU, 0) || d.stream_create(&d.stream, d.engine, STREAM)) return NULL;
	return &d;
}

int peer_dnn_gemm(peer_dnn *d, int m, int n, int k, const float *a, const float *b, float *c) {
	return d->sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n);
}

peer_conv *peer_dnn_conv(peer_dnn *d, int c, int h, int w, int o, int kh, int kw, int pad) {
	int64_t src[] = {1, c, h, w}, wei[] = {o, c, kh, kw}, dst[] = {1, o, h + 2 * pad - kh + 1, w + 2 * pad - kw + 1};
	int64_t stride[] = {1, 1}, pads[] = {pad, pad};
	static Desc ms, mw, md, op;
	if (d->md_init(&ms, 4, src, F32, ANY) || d->md_init(&mw, 4, wei, F32, ANY) || d->md_init(&md, 4, dst, F32, ANY)) return NULL;
	if (d->conv_init(&op, FORWARD, AUTO, &ms, &mw, NULL, &md, stride, pads, pads) &&
	    d->conv_init(&op, FORWARD, DIRECT, &ms, &mw, NULL, &md, stride, pads, pads))
		return NULL;
	void *pd;
	if (d->pd_create(&pd, &op, NULL, d->engine, NULL)) return NULL;
	peer_conv *cv = calloc(1, sizeof *cv);
	cv->d = d;
	const struct {
		int what, arg;
	} mem[] = {{QUERY_SRC, SRC}, {QUERY_WEIGHTS, WEIGHTS}, {QUERY_DST, DST}};
	for (int i = 0; i < 3; i++) {
		const void *m = d->pd_md(pd, mem[i].what, 0);
		size_t bytes = d->md_size(m);
		float *data = aligned_alloc(64, (bytes + 63) / 64 * 64);
		for (size_t k = 0; k < bytes / 4; k++) data[k] = (float)((k * 2654435761u) % 1024) / 512 - 1;
		cv->args[i].arg = mem[i].arg;
		if (d->memory_create(&cv->args[i].memory, m, d->engine, data)) return NULL;
	}
	if (d->primitive_create(&cv->primitive, pd)) return NULL;
	return cv;
}

int peer_dnn_conv_run(peer_conv *cv) {
	int s = cv->d->execute(cv->primitive, cv->d->stream, 3, cv->args);
	return s ? s : cv->d->stream_wait(cv->d->stream);
}
#endif
