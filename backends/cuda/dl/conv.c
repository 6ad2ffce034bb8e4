//go:build cgo && linux && (amd64 || arm64)

// conv.c: convolutions by cuDNN's legacy calls, which versions 8 and 9 have. What
// follows the sum (bias, residual, relu) goes into one fused call. It wants a bias:
// where there is none, it gets zeros. Its identity activation works with one
// algorithm only, and it is documented to refuse a relu that propagates NaN: that of
// NaN is 0, as cuBLASLt's is.
#include "dl.h"

#include <stdlib.h>

struct taso_dnn {
	taso_conv m;
	void *x, *f, *y, *bias, *conv, *act;
	taso_dnn_perf perf[TASO_CHOICES];
	int n, choice;
};

static int fused(const taso_conv *m) { return m->bias.base >= 0 || m->z.base >= 0 || m->relu; }

void taso_dnn_free(taso_dev *d, taso_dnn *c, taso_error *err) {
	void *tensors[] = {c->x, c->y, c->bias};
	for (int i = 0; i < 3; i++)
		if (tensors[i]) {
			d->live.descriptors--;
			DNN(d->libs, err, cudnnDestroyTensorDescriptor, tensors[i]);
		}
	if (c->f) {
		d->live.descriptors--;
		DNN(d->libs, err, cudnnDestroyFilterDescriptor, c->f);
	}
	if (c->conv) {
		d->live.descriptors--;
		DNN(d->libs, err, cudnnDestroyConvolutionDescriptor, c->conv);
	}
	if (c->act) {
		d->live.descriptors--;
		DNN(d->libs, err, cudnnDestroyActivationDescriptor, c->act);
	}
	free(c);
}

static int handle(taso_dev *d, taso_error *err) {
	if (d->dnn) return 0;
	void *h;
	if (DNN(d->libs, err, cudnnCreate, &h)) return err->code;
	if (DNN(d->libs, err, cudnnSetStream, h, d->stream)) {
		DNN(d->libs, err, cudnnDestroy, h);
		return err->code;
	}
	d->dnn = h;
	d->live.handles++;
	return 0;
}

// MAKE creates a descriptor and counts it.
#define MAKE(name, to) (DNN(d->libs, err, name, &made) ? err->code : (*(to) = made, d->live.descriptors++, 0))

static int tensor(taso_dev *d, void **to, int n, int c, int h, int w, taso_error *err) {
	void *made;
	if (MAKE(cudnnCreateTensorDescriptor, to)) return err->code;
	return DNN(d->libs, err, cudnnSetTensor4dDescriptor, made, TASO_DNN_NCHW, TASO_DNN_FLOAT, n, c, h, w);
}

static int describe(taso_dev *d, taso_dnn *c, taso_error *err) {
	const taso_conv *m = &c->m;
	void *made;
	if (tensor(d, &c->x, m->n, m->c, m->h, m->w, err) || tensor(d, &c->y, m->n, m->k, m->oh, m->ow, err) ||
	    MAKE(cudnnCreateFilterDescriptor, &c->f) ||
	    DNN(d->libs, err, cudnnSetFilter4dDescriptor, c->f, TASO_DNN_FLOAT, TASO_DNN_NCHW, m->k, m->c / m->groups, m->r, m->s) ||
	    MAKE(cudnnCreateConvolutionDescriptor, &c->conv) ||
	    DNN(d->libs, err, cudnnSetConvolution2dDescriptor, c->conv, m->pad_h, m->pad_w, m->stride_h, m->stride_w, m->dilation_h,
	        m->dilation_w, TASO_DNN_CROSS_CORRELATION, TASO_DNN_FLOAT) ||
	    DNN(d->libs, err, cudnnSetConvolutionGroupCount, c->conv, m->groups) ||
	    DNN(d->libs, err, cudnnSetConvolutionMathType, c->conv, m->math))
		return err->code;
	if (!fused(m)) return 0;
	if (tensor(d, &c->bias, 1, m->k, 1, 1, err) || MAKE(cudnnCreateActivationDescriptor, &c->act)) return err->code;
	return DNN(d->libs, err, cudnnSetActivationDescriptor, c->act, m->relu ? TASO_DNN_ACT_RELU : TASO_DNN_ACT_IDENTITY,
	           TASO_DNN_NOT_PROPAGATE_NAN, 0);
}

taso_dnn *taso_dnn_new(taso_dev *d, const taso_conv *m, size_t bound, taso_error *err) {
	if (handle(d, err)) return NULL;
	taso_dnn *c = calloc(1, sizeof *c);
	if (!c) {
		taso_fail(err, TASO_LIB_CUDNN, "calloc", -1);
		return NULL;
	}
	c->m = *m;
	if (describe(d, c, err) || taso_dnn_list(d, c, bound, err)) {
		taso_dnn_free(d, c, err);
		return NULL;
	}
	return c;
}

// only_precomp says whether the fused call leaves no choice.
static int only_precomp(const taso_conv *m) { return fused(m) && !m->relu; }

// taso_dnn_list asks for the algorithms that need at most bound bytes of
// workspace, best first.
int taso_dnn_list(taso_dev *d, taso_dnn *c, size_t bound, taso_error *err) {
	c->n = c->choice = 0;
	if (DNN(d->libs, err, cudnnSetConvolutionMathType, c->conv, c->m.math)) return err->code;
	taso_dnn_perf found[TASO_CHOICES] = {0};
	int n = 0;
	if (DNN(d->libs, err, cudnnGetConvolutionForwardAlgorithm_v7, d->dnn, c->x, c->f, c->conv, c->y, TASO_CHOICES, &n, found))
		return err->code;
	for (int i = 0; i < n && i < TASO_CHOICES; i++) {
		if (found[i].status || found[i].memory > bound) continue;
		if (only_precomp(&c->m) && found[i].algo != TASO_DNN_ALGO_IMPLICIT_PRECOMP_GEMM) continue;
		// The list may name faster arithmetic than was asked for.
		if (c->m.math != TASO_DNN_TENSOR_OP_MATH_ALLOW_CONVERSION) found[i].math = c->m.math;
		c->perf[c->n++] = found[i];
	}
	if (c->n) return 0;
	// The algorithm that always works, where the list had nothing that fits.
	size_t bytes = 0;
	int algo = only_precomp(&c->m) ? TASO_DNN_ALGO_IMPLICIT_PRECOMP_GEMM : TASO_DNN_ALGO_IMPLICIT_GEMM;
	if (DNN(d->libs, err, cudnnGetConvolutionForwardWorkspaceSize, d->dnn, c->x, c->f, c->conv, c->y, algo, &bytes)) return err->code;
	if (bytes > bound) return taso_fail(err, TASO_LIB_CUDNN, "cudnnGetConvolutionForwardWorkspaceSize", TASO_DNN_NOT_SUPPORTED);
	c->perf[0] = (taso_dnn_perf){.algo = algo, .memory = bytes, .math = c->m.math};
	c->n = 1;
	return 0;
}

int taso_dnn_issue(taso_dev *d, taso_dnn *c, const taso_devptr *bases, taso_devptr zeros, taso_devptr workspace, size_t bytes,
                   taso_error *err) {
	const taso_conv *m = &c->m;
	const taso_dnn_perf *p = &c->perf[c->choice];
	float one = 1, zero = 0;
	void *x = (void *)taso_at(bases, m->x), *f = (void *)taso_at(bases, m->f), *y = (void *)taso_at(bases, m->y);
	if (DNN(d->libs, err, cudnnSetConvolutionMathType, c->conv, p->math)) return err->code;
	if (!fused(m))
		return DNN(d->libs, err, cudnnConvolutionForward, d->dnn, &one, c->x, x, c->f, f, c->conv, p->algo, (void *)workspace, bytes, &zero,
		           c->y, y);
	int residual = m->z.base >= 0;
	void *bias = (void *)(m->bias.base >= 0 ? taso_at(bases, m->bias) : zeros);
	return DNN(d->libs, err, cudnnConvolutionBiasActivationForward, d->dnn, &one, c->x, x, c->f, f, c->conv, p->algo, (void *)workspace, bytes,
	           residual ? &one : &zero, c->y, residual ? (void *)taso_at(bases, m->z) : y, c->bias, bias, c->act, c->y, y);
}

int taso_dnn_choices(const taso_dnn *c, int **choice) {
	*choice = (int *)&c->choice;
	return c->n;
}

size_t taso_dnn_workspace(const taso_dnn *c) { return c->perf[c->choice].memory; }

// taso_dnn_zeros is how many bytes of zeros stand for the bias that is not there.
size_t taso_dnn_zeros(const taso_dnn *c) { return fused(&c->m) && c->m.bias.base < 0 ? sizeof(float) * (size_t)c->m.k : 0; }
