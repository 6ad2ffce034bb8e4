//go:build cgo && linux && (amd64 || arm64)

// matmul.c: products by cuBLASLt, which counts by columns. A matrix stored row by
// row is its transpose stored column by column, so that d = a*b row by row is
// asked for as d^T = b^T * a^T, with b as the first operand; d's columns are the
// rows of d^T, which is where the library's biases lie.
#include "dl.h"

#include <stdlib.h>

struct taso_lt {
	taso_matmul m;
	void *desc, *a, *b, *c, *d; // descriptors; a and b as here, c NULL where it is d's
	taso_lt_result results[TASO_CHOICES];
	int n, choice;
};

static int set(taso_dev *d, void *desc, int attribute, const void *value, size_t bytes, taso_error *err) {
	return LT(d->libs, err, cublasLtMatmulDescSetAttribute, desc, attribute, value, bytes);
}

// describe makes the descriptor of an operand with rows*cols as stored.
static int describe(taso_dev *d, void **layout, int64_t rows, int64_t cols, int64_t ld, int64_t batch, int64_t stride, taso_error *err) {
	void *l;
	if (LT(d->libs, err, cublasLtMatrixLayoutCreate, &l, TASO_R_32F, (uint64_t)cols, (uint64_t)rows, ld)) return err->code;
	*layout = l;
	d->live.descriptors++;
	if (batch == 1) return 0;
	int32_t n = (int32_t)batch;
	if (LT(d->libs, err, cublasLtMatrixLayoutSetAttribute, l, TASO_LT_LAYOUT_BATCH_COUNT, &n, sizeof n)) return err->code;
	return LT(d->libs, err, cublasLtMatrixLayoutSetAttribute, l, TASO_LT_LAYOUT_BATCH_STRIDE, &stride, sizeof stride);
}

void taso_lt_free(taso_dev *d, taso_lt *c, taso_error *err) {
	void *layouts[] = {c->a, c->b, c->c, c->d};
	for (int i = 0; i < 4; i++)
		if (layouts[i]) {
			d->live.descriptors--;
			LT(d->libs, err, cublasLtMatrixLayoutDestroy, layouts[i]);
		}
	if (c->desc) {
		d->live.descriptors--;
		LT(d->libs, err, cublasLtMatmulDescDestroy, c->desc);
	}
	free(c);
}

static int epilogue(const taso_matmul *m) {
	if (m->bias.base < 0) return m->relu ? TASO_LT_EPILOGUE_RELU : TASO_LT_EPILOGUE_DEFAULT;
	return m->relu ? TASO_LT_EPILOGUE_RELU_BIAS : TASO_LT_EPILOGUE_BIAS;
}

taso_lt *taso_lt_new(taso_dev *d, const taso_matmul *m, size_t bound, taso_error *err) {
	if (!d->lt) {
		void *handle;
		if (LT(d->libs, err, cublasLtCreate, &handle)) return NULL;
		d->lt = handle;
		d->live.handles++;
	}
	taso_lt *c = calloc(1, sizeof *c);
	if (!c) {
		taso_fail(err, TASO_LIB_CUBLASLT, "calloc", -1);
		return NULL;
	}
	c->m = *m;
	void *desc;
	if (LT(d->libs, err, cublasLtMatmulDescCreate, &desc, m->compute, TASO_R_32F)) goto fail;
	c->desc = desc;
	d->live.descriptors++;
	int32_t first = m->tb ? TASO_OP_T : TASO_OP_N, second = m->ta ? TASO_OP_T : TASO_OP_N;
	uint32_t tail = (uint32_t)epilogue(m);
	if (set(d, desc, TASO_LT_DESC_TRANSA, &first, sizeof first, err) || set(d, desc, TASO_LT_DESC_TRANSB, &second, sizeof second, err) ||
	    set(d, desc, TASO_LT_DESC_EPILOGUE, &tail, sizeof tail, err))
		goto fail;
	if (m->bias.base >= 0) { // the heuristics want to see an address; the real one comes with the call
		taso_devptr bias = 256 + (taso_devptr)(m->bias.offset & 255);
		if (set(d, desc, TASO_LT_DESC_BIAS, &bias, sizeof bias, err)) goto fail;
	}
	if (describe(d, &c->a, m->ta ? m->k : m->m, m->ta ? m->m : m->k, m->lda, m->batch, m->sa, err) ||
	    describe(d, &c->b, m->tb ? m->n : m->k, m->tb ? m->k : m->n, m->ldb, m->batch, m->sb, err) ||
	    describe(d, &c->d, m->m, m->n, m->ldd, m->batch, m->sd, err))
		goto fail;
	if (m->c.base >= 0 && describe(d, &c->c, m->m, m->n, m->ldc, m->batch, m->sc, err)) goto fail;
	if (taso_lt_list(d, c, bound, err)) goto fail;
	return c;
fail:
	taso_lt_free(d, c, err);
	return NULL;
}

// alignment is the largest power of two that divides the address in bytes, bases
// being multiples of 256, and 256 at most.
static uint32_t alignment(taso_ref r) {
	uint64_t bits = (uint64_t)r.offset | 256;
	return (uint32_t)(bits & -bits);
}

static int prefer(taso_dev *d, void *p, const taso_matmul *m, size_t bound, taso_error *err) {
	uint64_t workspace = bound;
	if (LT(d->libs, err, cublasLtMatmulPreferenceSetAttribute, p, TASO_LT_PREF_WORKSPACE, &workspace, sizeof workspace))
		return err->code;
	const struct {
		int attribute;
		taso_ref ref;
	} list[] = {
		{TASO_LT_PREF_ALIGN_A, m->b},
		{TASO_LT_PREF_ALIGN_B, m->a},
		{TASO_LT_PREF_ALIGN_C, m->c.base < 0 ? m->d : m->c},
		{TASO_LT_PREF_ALIGN_D, m->d},
	};
	for (int i = 0; i < 4; i++) {
		uint32_t bytes = alignment(list[i].ref);
		if (LT(d->libs, err, cublasLtMatmulPreferenceSetAttribute, p, list[i].attribute, &bytes, sizeof bytes)) return err->code;
	}
	return 0;
}

// taso_lt_list asks for the algorithms that need at most bound bytes of workspace,
// best first.
int taso_lt_list(taso_dev *d, taso_lt *c, size_t bound, taso_error *err) {
	void *p;
	if (LT(d->libs, err, cublasLtMatmulPreferenceCreate, &p)) return err->code;
	d->live.descriptors++;
	taso_lt_result found[TASO_CHOICES];
	int n = 0;
	c->n = c->choice = 0;
	if (prefer(d, p, &c->m, bound, err) == 0 &&
	    LT(d->libs, err, cublasLtMatmulAlgoGetHeuristic, d->lt, c->desc, c->b, c->a, c->c ? c->c : c->d, c->d, p, TASO_CHOICES, found, &n) == 0) {
		for (int i = 0; i < n && i < TASO_CHOICES; i++)
			if (found[i].state == 0 && found[i].workspace <= bound) c->results[c->n++] = found[i];
		if (!c->n) taso_fail(err, TASO_LIB_CUBLASLT, "cublasLtMatmulAlgoGetHeuristic", TASO_LT_NOT_SUPPORTED);
	}
	d->live.descriptors--;
	LT(d->libs, err, cublasLtMatmulPreferenceDestroy, p);
	return err->code;
}

int taso_lt_issue(taso_dev *d, taso_lt *c, const taso_devptr *bases, taso_devptr workspace, size_t bytes, taso_error *err) {
	const taso_matmul *m = &c->m;
	if (m->bias.base >= 0) {
		taso_devptr bias = taso_at(bases, m->bias);
		if (set(d, c->desc, TASO_LT_DESC_BIAS, &bias, sizeof bias, err)) return err->code;
	}
	float one = 1, beta = c->c ? 1 : 0;
	void *out = (void *)taso_at(bases, m->d);
	return LT(d->libs, err, cublasLtMatmul, d->lt, c->desc, &one, (void *)taso_at(bases, m->b), c->b, (void *)taso_at(bases, m->a), c->a, &beta,
	          c->c ? (void *)taso_at(bases, m->c) : out, c->c ? c->c : c->d, out, c->d, &c->results[c->choice].algo, (void *)workspace,
	          bytes, d->stream);
}

int taso_lt_choices(const taso_lt *c, int **choice) {
	*choice = (int *)&c->choice;
	return c->n;
}

size_t taso_lt_workspace(const taso_lt *c) { return c->results[c->choice].workspace; }
