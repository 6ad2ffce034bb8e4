//go:build cgo && linux && (amd64 || arm64)

// plan.c: a list of calls, issued, timed or captured in one go.
#include "dl.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCH, MATMUL, CONV, FILL, COPY };

typedef struct {
	int kind;
	union {
		struct {
			void *function;
			unsigned grid[3], block[3], shared;
			int n;
			taso_ref *args;
		} launch;
		taso_lt *matmul;
		taso_dnn *conv;
		struct {
			taso_ref to, from;
			size_t bytes;
			int value;
		} move;
	};
} call;

struct taso_plan {
	taso_dev *d;
	size_t bound; // bytes of workspace that an algorithm may need
	call *calls;
	int n, room;
	taso_devptr workspace, zeros;
	size_t bytes; // of workspace
	taso_devptr *values; // of the arguments of a launch, and where they are
	void **params;
	int most;
};

taso_plan *taso_plan_new(taso_dev *d, size_t bound, taso_error *err) {
	taso_plan *p = calloc(1, sizeof *p);
	if (!p) {
		taso_fail(err, TASO_LIB_DRIVER, "calloc", -1);
		return NULL;
	}
	p->d = d;
	p->bound = bound;
	return p;
}

void taso_plan_free(taso_plan *p, taso_error *err) {
	for (int i = 0; i < p->n; i++) {
		call *c = &p->calls[i];
		if (c->kind == LAUNCH) free(c->launch.args);
		if (c->kind == MATMUL) taso_lt_free(p->d, c->matmul, err);
		if (c->kind == CONV) taso_dnn_free(p->d, c->conv, err);
	}
	free(p->calls);
	free(p->values);
	free(p->params);
	free(p);
}

// next makes room for one more call; the caller counts it when it is complete.
static call *next(taso_plan *p, int kind, taso_error *err) {
	if (p->n == p->room) {
		int room = p->room ? 2 * p->room : 16;
		call *calls = realloc(p->calls, sizeof *calls * (size_t)room);
		if (!calls) {
			taso_fail(err, TASO_LIB_DRIVER, "realloc", -1);
			return NULL;
		}
		p->calls = calls;
		p->room = room;
	}
	call *c = &p->calls[p->n];
	memset(c, 0, sizeof *c);
	c->kind = kind;
	return c;
}

// widen makes room for the arguments of a launch.
static int widen(taso_plan *p, int n, taso_error *err) {
	if (n <= p->most) return 0;
	taso_devptr *values = malloc(sizeof *values * (size_t)n);
	void **params = malloc(sizeof *params * (size_t)n);
	if (!values || !params) {
		free(values);
		free(params);
		return taso_fail(err, TASO_LIB_DRIVER, "malloc", -1);
	}
	for (int i = 0; i < n; i++) params[i] = &values[i];
	free(p->values);
	free(p->params);
	p->values = values;
	p->params = params;
	p->most = n;
	return 0;
}

int taso_plan_launch(taso_plan *p, void *function, const unsigned *grid, const unsigned *block, unsigned shared, int n,
                     const taso_ref *args, taso_error *err) {
	call *c = next(p, LAUNCH, err);
	if (!c || widen(p, n, err)) return err->code;
	taso_ref *own = malloc(sizeof *own * (size_t)(n ? n : 1));
	if (!own) return taso_fail(err, TASO_LIB_DRIVER, "malloc", -1);
	if (n) memcpy(own, args, sizeof *own * (size_t)n);
	c->launch.function = function;
	memcpy(c->launch.grid, grid, sizeof c->launch.grid);
	memcpy(c->launch.block, block, sizeof c->launch.block);
	c->launch.shared = shared;
	c->launch.n = n;
	c->launch.args = own;
	p->n++;
	return 0;
}

int taso_plan_matmul(taso_plan *p, const taso_matmul *m, taso_error *err) {
	call *c = next(p, MATMUL, err);
	if (!c || !(c->matmul = taso_lt_new(p->d, m, p->bound, err))) return err->code;
	p->n++;
	return 0;
}

int taso_plan_conv(taso_plan *p, const taso_conv *m, taso_error *err) {
	call *c = next(p, CONV, err);
	if (!c || !(c->conv = taso_dnn_new(p->d, m, p->bound, err))) return err->code;
	p->n++;
	return 0;
}

int taso_plan_fill(taso_plan *p, taso_ref to, int value, size_t bytes, taso_error *err) {
	call *c = next(p, FILL, err);
	if (!c) return err->code;
	c->move.to = to;
	c->move.value = value;
	c->move.bytes = bytes;
	p->n++;
	return 0;
}

int taso_plan_copy(taso_plan *p, taso_ref to, taso_ref from, size_t bytes, taso_error *err) {
	call *c = next(p, COPY, err);
	if (!c) return err->code;
	c->move.to = to;
	c->move.from = from;
	c->move.bytes = bytes;
	p->n++;
	return 0;
}

static int choices(const call *c, int **choice) {
	if (c->kind == MATMUL) return taso_lt_choices(c->matmul, choice);
	if (c->kind == CONV) return taso_dnn_choices(c->conv, choice);
	*choice = NULL;
	return 1;
}

// taso_plan_choices is how many algorithms a call can be done by; *choice is the
// one that is taken.
int taso_plan_choices(const taso_plan *p, int i, int *choice) {
	int *at, n = choices(&p->calls[i], &at);
	*choice = at ? *at : 0;
	return n;
}

void taso_plan_choose(taso_plan *p, int i, int choice) {
	int *at;
	choices(&p->calls[i], &at);
	if (at) *at = choice;
}

// taso_plan_need is the workspace that the chosen algorithms need, and the zeros
// that stand for biases, in bytes.
void taso_plan_need(const taso_plan *p, size_t *workspace, size_t *zeros) {
	*workspace = *zeros = 0;
	for (int i = 0; i < p->n; i++) {
		const call *c = &p->calls[i];
		size_t w = c->kind == MATMUL ? taso_lt_workspace(c->matmul) : c->kind == CONV ? taso_dnn_workspace(c->conv) : 0;
		size_t z = c->kind == CONV ? taso_dnn_zeros(c->conv) : 0;
		if (w > *workspace) *workspace = w;
		if (z > *zeros) *zeros = z;
	}
}

// taso_plan_bound lists the algorithms anew, under another bound; the best of
// each call is chosen.
int taso_plan_bound(taso_plan *p, size_t bound, taso_error *err) {
	p->bound = bound;
	for (int i = 0; i < p->n; i++) {
		call *c = &p->calls[i];
		if (c->kind == MATMUL) taso_lt_list(p->d, c->matmul, bound, err);
		if (c->kind == CONV) taso_dnn_list(p->d, c->conv, bound, err);
		if (err->code) {
			err->at = i;
			return err->code;
		}
	}
	return 0;
}

void taso_plan_give(taso_plan *p, taso_devptr workspace, size_t bytes, taso_devptr zeros) {
	p->workspace = workspace;
	p->bytes = bytes;
	p->zeros = zeros;
}

static int issue_one(taso_plan *p, call *c, const taso_devptr *bases, taso_error *err) {
	taso_dev *d = p->d;
	switch (c->kind) {
	case LAUNCH:
		for (int i = 0; i < c->launch.n; i++) p->values[i] = taso_at(bases, c->launch.args[i]);
		return CU(d->libs, err, cuLaunchKernel, c->launch.function, c->launch.grid[0], c->launch.grid[1], c->launch.grid[2],
		          c->launch.block[0], c->launch.block[1], c->launch.block[2], c->launch.shared, d->stream, p->params, NULL);
	case MATMUL: return taso_lt_issue(d, c->matmul, bases, p->workspace, p->bytes, err);
	case CONV: return taso_dnn_issue(d, c->conv, bases, p->zeros, p->workspace, p->bytes, err);
	case FILL:
		return CU(d->libs, err, cuMemsetD8Async, taso_at(bases, c->move.to), (unsigned char)c->move.value, c->move.bytes, d->stream);
	default:
		return CU(d->libs, err, cuMemcpyDtoDAsync_v2, taso_at(bases, c->move.to), taso_at(bases, c->move.from), c->move.bytes, d->stream);
	}
}

// issue puts the calls on the stream; events, where there are any, are recorded
// before the first call and behind each.
static int issue(taso_plan *p, const taso_devptr *bases, void **events, taso_error *err) {
	if (events && CU(p->d->libs, err, cuEventRecord, events[0], p->d->stream)) return err->code;
	for (int i = 0; i < p->n; i++) {
		if (issue_one(p, &p->calls[i], bases, err)) {
			err->at = i;
			return err->code;
		}
		if (events && CU(p->d->libs, err, cuEventRecord, events[i + 1], p->d->stream)) return err->code;
	}
	return 0;
}

int taso_plan_issue(taso_plan *p, const taso_devptr *bases, taso_error *err) { return issue(p, bases, NULL, err); }

// taso_plan_run issues the calls and waits for them, also for those before one
// that failed.
int taso_plan_run(taso_plan *p, const taso_devptr *bases, taso_error *err) {
	issue(p, bases, NULL, err);
	taso_sync(p->d, err);
	return err->code;
}

// taso_plan_profile fills ms, one number per call.
int taso_plan_profile(taso_plan *p, const taso_devptr *bases, float *ms, taso_error *err) {
	void **events = calloc((size_t)p->n + 1, sizeof *events);
	if (!events) return taso_fail(err, TASO_LIB_DRIVER, "calloc", -1);
	int made = 0;
	while (made <= p->n && taso_event_new(p->d, &events[made], err) == 0) made++;
	if (!err->code) {
		issue(p, bases, events, err);
		taso_sync(p->d, err);
	}
	for (int i = 0; i < p->n && !err->code; i++) taso_elapsed(p->d, events[i], events[i + 1], &ms[i], err);
	for (int i = 0; i < made; i++) taso_event_free(p->d, events[i], err);
	free(events);
	return err->code;
}

// taso_plan_capture makes a graph of n issues of the plan, each with its own table
// of bases, one after the other.
int taso_plan_capture(taso_plan *p, int n, int nbases, const taso_devptr *tables, void **exec, taso_error *err) {
	taso_dev *d = p->d;
	if (CU(d->libs, err, cuStreamBeginCapture_v2, d->stream, TASO_CAPTURE_THREAD_LOCAL)) return err->code;
	for (int i = 0; i < n && !err->code; i++) issue(p, tables + (size_t)i * (size_t)nbases, NULL, err);
	void *graph = NULL, *made; // a capture ends whatever happened in it
	if (CU(d->libs, err, cuStreamEndCapture, d->stream, &graph)) graph = NULL;
	if (!graph) return err->code ? err->code : taso_fail(err, TASO_LIB_DRIVER, "cuStreamEndCapture", TASO_CU_INVALID_HANDLE);
	d->live.graphs++;
	if (!err->code && CU(d->libs, err, cuGraphInstantiateWithFlags, &made, graph, 0) == 0) {
		*exec = made;
		d->live.graphs++;
	}
	d->live.graphs--;
	if (CU(d->libs, err, cuGraphDestroy, graph) && *exec) {
		taso_graph_free(d, *exec, err);
		*exec = NULL;
	}
	return err->code;
}

// taso_graph_replay launches a graph k times between two events; *ms is the time
// between them.
int taso_graph_replay(taso_dev *d, void *exec, int k, float *ms, taso_error *err) {
	CU(d->libs, err, cuEventRecord, d->start, d->stream);
	for (int i = 0; i < k && !err->code; i++) CU(d->libs, err, cuGraphLaunch, exec, d->stream);
	if (!err->code) CU(d->libs, err, cuEventRecord, d->end, d->stream);
	if (!err->code) CU(d->libs, err, cuEventSynchronize, d->end);
	if (err->code) {
		taso_sync(d, err); // nothing of it may still run when its memory is freed
		return err->code;
	}
	return taso_elapsed(d, d->start, d->end, ms, err);
}

int taso_graph_free(taso_dev *d, void *exec, taso_error *err) {
	d->live.graphs--;
	return CU(d->libs, err, cuGraphExecDestroy, exec);
}
