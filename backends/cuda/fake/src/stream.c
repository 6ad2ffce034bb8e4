#include "stream.h"

#include "core.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct op {
  struct op *next;
  taso_run *run;
  double ns;
  size_t bytes;
  _Alignas(16) char data[];
};

struct queue {
  struct op *first, **last;
};

struct stream {
  struct taso_object o;
  struct queue work;
  struct graph *capture; // that is being made, or NULL
  int spoilt;            // by a call that may not be made while it is
  struct stream *older;
};

struct event {
  struct taso_object o;
  int pending, recorded, captured;
  double at;
  struct stream *on;
};

struct graph {
  struct taso_object o;
  struct queue work;
};

struct exec {
  struct taso_object o;
  struct queue work;
  int pending; // launches that did not run
};

static struct stream *streams; // all that were made
static double now;             // of the device, nanoseconds
static uint64_t chance;
static __thread struct stream *capturing;
static int dirty; // work ran since memory was looked at

static void empty(struct queue *q) {
  while (q->first) {
    struct op *next = q->first->next;
    free(q->first);
    q->first = next;
  }
  q->last = &q->first;
}

static int push(struct queue *q, taso_run *run, double ns, const void *data, size_t bytes) {
  struct op *op = malloc(sizeof *op + bytes);
  if (!op) return 2;
  op->next = NULL, op->run = run, op->ns = ns, op->bytes = bytes;
  if (bytes) memcpy(op->data, data, bytes);
  if (!q->first) q->last = &q->first;
  *q->last = op;
  q->last = &op->next;
  return 0;
}

int taso_stream_good(void *stream) {
  if (!stream) return taso_refuse(400, "the default stream, which the fake has not");
  if (!taso_is(stream, TASO_STREAM)) return taso_refuse(400, "no stream");
  return 0;
}

int taso_issue(void *stream, taso_run *run, double ns, const void *data, size_t bytes) {
  struct stream *s = stream;
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  if (s->capture && s != capturing) return taso_refuse(906, "another thread captures the stream");
  return push(s->capture ? &s->capture->work : &s->work, run, ns, data, bytes);
}

int taso_capturing(const char *what) {
  if (!capturing) return 0;
  capturing->spoilt = 1;
  return taso_refuse(900, "%s while a stream is captured", what);
}

// pass lets the device's time pass. Noise is the same in every run, too.
static void pass(double ns) {
  chance = chance * 6364136223846793005u + 1442695040888963407u;
  now += ns * (1 + (double)taso_settings.noise / 100 * (double)(chance >> 33) / (1u << 31));
}

// one runs the oldest work of a stream.
static void one(struct stream *s) {
  struct op *op = s->work.first;
  s->work.first = op->next;
  if (!taso_lost()) {
    pass(op->ns);
    op->run(op->data);
    dirty = 1;
  }
  free(op);
}

static void run(struct stream *s) {
  while (s->work.first) one(s);
}

void taso_finish(void) {
  for (struct stream *s = streams; s; s = s->older) run(s);
}

int taso_queued(void) {
  for (struct stream *s = streams; s; s = s->older)
    if (s->work.first) return 1;
  return 0;
}

void taso_settle(int deep) {
  char text[256];
  if (!dirty && !deep) return;
  dirty = 0;
  if (taso_mem_check(text, sizeof text, deep)) taso_problem("%s", text);
}

// Streams.

API(int, cuStreamCreate, (void **stream, unsigned flags)) {
  ENTER(TASO_DRIVER, 1);
  if (!stream || flags > 1) return taso_refuse(1, "flags %u", flags);
  struct stream *s = taso_new(TASO_STREAM, sizeof *s);
  if (!s) return 2;
  s->older = streams;
  streams = s;
  *stream = s;
  return 0;
}

API(int, cuStreamDestroy_v2, (void *stream)) {
  GIVES(TASO_DRIVER, 1);
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  struct stream *s = stream;
  if (s->capture) taso_problem("a stream is destroyed while it is captured");
  run(s);
  taso_end(s);
  return wrong ? wrong : taso_lost();
}

API(int, cuStreamSynchronize, (void *stream)) {
  GIVES(TASO_DRIVER, 1);
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  if (taso_capturing("cuStreamSynchronize")) return 900;
  run(stream);
  taso_settle(0);
  return wrong ? wrong : taso_lost();
}

API(int, cuCtxSynchronize, (void)) {
  GIVES(TASO_DRIVER, 1);
  if (wrong) return wrong;
  if (taso_capturing("cuCtxSynchronize")) return 900;
  taso_finish();
  taso_settle(0);
  return taso_lost();
}

// Events.

API(int, cuEventCreate, (void **event, unsigned flags)) {
  ENTER(TASO_DRIVER, 1);
  if (!event || flags > 1) return taso_refuse(1, "flags %u", flags);
  struct event *e = taso_new(TASO_EVENT, sizeof *e);
  if (!e) return 2;
  *event = e;
  return 0;
}

API(int, cuEventDestroy_v2, (void *event)) {
  GIVES(TASO_DRIVER, 1);
  if (!taso_is(event, TASO_EVENT)) return taso_refuse(400, "no event");
  taso_end(event);
  return wrong;
}

static int happen(const void *data) {
  struct event *e;
  memcpy(&e, data, sizeof e);
  e->pending--;
  e->recorded = 1;
  e->at = now;
  return 0;
}

API(int, cuEventRecord, (void *event, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  if (!taso_is(event, TASO_EVENT)) return taso_refuse(400, "no event");
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  struct event *e = event;
  struct stream *s = stream;
  e->captured = s->capture != NULL;
  if (e->captured) return 0; // it is a point of the graph then, without a time
  e->on = s;
  e->pending++;
  return taso_issue(stream, happen, 0, &e, sizeof e);
}

API(int, cuEventSynchronize, (void *event)) {
  GIVES(TASO_DRIVER, 1);
  if (!taso_is(event, TASO_EVENT)) return taso_refuse(400, "no event");
  struct event *e = event;
  if (taso_capturing("cuEventSynchronize")) return 900;
  if (e->captured) return taso_refuse(907, "the event was recorded in a capture");
  while (e->pending && e->on->work.first) one(e->on);
  taso_settle(0);
  return wrong ? wrong : taso_lost();
}

static int elapsed(float *ms, void *start, void *end) {
  struct event *list[2] = {start, end};
  for (int i = 0; i < 2; i++) {
    if (!taso_is(list[i], TASO_EVENT)) return taso_refuse(400, "no event");
    if (list[i]->captured) return taso_refuse(907, "the event was recorded in a capture");
    if (list[i]->pending) return taso_refuse(600, "an event that did not happen yet");
    if (!list[i]->recorded) return taso_refuse(400, "an event that was never recorded");
  }
  *ms = (float)((list[1]->at - list[0]->at) * 1e-6);
  return 0;
}

API(int, cuEventElapsedTime, (float *ms, void *start, void *end)) {
  ENTER(TASO_DRIVER, 1);
  return elapsed(ms, start, end);
}

API(int, cuEventElapsedTime_v2, (float *ms, void *start, void *end)) {
  ENTER(TASO_DRIVER, 1);
  return elapsed(ms, start, end);
}

// Graphs.

API(int, cuStreamBeginCapture_v2, (void *stream, int mode)) {
  ENTER(TASO_DRIVER, 1);
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  struct stream *s = stream;
  if (mode < 0 || mode > 2) return taso_refuse(1, "mode %d", mode);
  if (s->capture || capturing) return taso_refuse(901, "a capture is under way");
  s->capture = taso_new(TASO_GRAPH, sizeof *s->capture);
  if (!s->capture) return 2;
  taso_count(TASO_GRAPH, -1); // not the caller's yet
  s->spoilt = 0;
  capturing = s;
  return 0;
}

API(int, cuStreamEndCapture, (void *stream, void **graph)) {
  GIVES(TASO_DRIVER, 1);
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  struct stream *s = stream;
  if (graph) *graph = NULL;
  if (!s->capture) return taso_refuse(902, "no capture is under way");
  if (capturing != s) return taso_refuse(908, "another thread began the capture");
  struct graph *g = s->capture;
  s->capture = NULL;
  capturing = NULL;
  if (s->spoilt && !wrong) wrong = taso_refuse(901, "the capture is invalid");
  if (wrong || !graph) {
    empty(&g->work);
    g->o.live = 0;
    return wrong ? wrong : 1;
  }
  taso_count(TASO_GRAPH, 1);
  *graph = g;
  return 0;
}

API(int, cuGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags)) {
  ENTER(TASO_DRIVER, 1);
  if (!exec || flags) return taso_refuse(1, "flags %llu", flags);
  if (!taso_is(graph, TASO_GRAPH)) return taso_refuse(400, "no graph");
  struct exec *e = taso_new(TASO_EXEC, sizeof *e);
  if (!e) return 2;
  for (struct op *op = ((struct graph *)graph)->work.first; op; op = op->next)
    if (push(&e->work, op->run, op->ns / 2, op->data, op->bytes)) abort(); // replays cost half as much to issue
  *exec = e;
  return 0;
}

API(int, cuGraphDestroy, (void *graph)) {
  GIVES(TASO_DRIVER, 1);
  if (!taso_is(graph, TASO_GRAPH)) return taso_refuse(400, "no graph");
  empty(&((struct graph *)graph)->work);
  taso_end(graph);
  return wrong;
}

static int replay(const void *data) {
  struct exec *e;
  memcpy(&e, data, sizeof e);
  int code = 0;
  for (struct op *op = e->work.first; op && !code; op = op->next) {
    pass(op->ns);
    code = op->run(op->data);
  }
  e->pending--;
  if (!e->o.live && !e->pending) empty(&e->work);
  return code;
}

API(int, cuGraphLaunch, (void *exec, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  if (!taso_is(exec, TASO_EXEC)) return taso_refuse(400, "no graph exec");
  struct exec *e = exec;
  if (taso_capturing("cuGraphLaunch")) return 900; // it would be a node of the graph, which the fake has not
  int bad = taso_issue(stream, replay, TASO_LAUNCH_NS, &e, sizeof e);
  if (!bad) e->pending++;
  return bad;
}

API(int, cuGraphExecDestroy, (void *exec)) {
  GIVES(TASO_DRIVER, 1);
  if (!taso_is(exec, TASO_EXEC)) return taso_refuse(400, "no graph exec");
  struct exec *e = exec;
  taso_end(e);
  if (!e->pending) empty(&e->work);
  return wrong;
}

void taso_reset_streams(void) {
  for (struct stream *s = streams; s; s = s->older) {
    empty(&s->work);
    if (s->capture) empty(&s->capture->work);
  }
  streams = NULL;
  capturing = NULL;
  dirty = 0;
  now = 0;
  chance = 0;
}
