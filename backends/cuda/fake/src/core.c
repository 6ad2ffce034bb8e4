#define _GNU_SOURCE
#include "core.h"

#include "memory.h"
#include "stream.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct taso_settings taso_settings;

static const struct taso_settings standard = {
    .driver_version = 12090, .nvrtc_version = 12090, .cublaslt_version = 120901, .cudnn_version = 91002, .cudnn_cuda = 12090,
    .devices = 1, .memory = 2ll << 30, .major = 9, .minor = 0};

static const struct {
  const char *name;
  long long *at;
} settings[] = {
#define SETTING(name) {#name, &taso_settings.name}
    SETTING(driver_version), SETTING(nvrtc_version), SETTING(cublaslt_version), SETTING(cudnn_version), SETTING(cudnn_cuda), SETTING(devices),
    SETTING(memory), SETTING(major), SETTING(minor), SETTING(init), SETTING(empty), SETTING(unchecked), SETTING(races), SETTING(noise), SETTING(fail),
    SETTING(code), SETTING(lose), SETTING(refuse),
#undef SETTING
};

struct entry {
  const char *name;
  int code;
  char *why;
};

enum { KEPT = 1 << 20 }; // calls that are kept; the newest is, too

static pthread_mutex_t lock;
static struct entry *entries, *newest;
static size_t calls, room;
static char **problems;
static size_t wrongs;
static struct taso_object *objects; // the newest
static int live[TASO_KIND_COUNT];
static int lost;
static char *shown; // what taso_call returned last
static const char *report;

enum { MAGIC = 0x7a50fa4e };

int taso_set(const char *name, const char *value) {
  LOCKED;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (!strcmp(settings[i].name, name)) {
      *settings[i].at = atoll(value);
      return 0;
    }
  return -1;
}

__attribute__((constructor)) static void begin(void) {
  pthread_mutexattr_t again;
  pthread_mutexattr_init(&again);
  pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &again);
  taso_settings = standard;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    char name[64] = "TASO_FAKE_";
    for (const char *p = settings[i].name; *p; p++) name[strlen(name)] = (char)toupper((unsigned char)*p);
    const char *value = getenv(name);
    if (value) taso_set(settings[i].name, value);
  }
  report = getenv("TASO_FAKE_REPORT");
  taso_report();
}

void taso_lock(void) { pthread_mutex_lock(&lock); }
void taso_unlock(int *) { pthread_mutex_unlock(&lock); }

// Calls.

static int cudnn8(void) { return taso_settings.cudnn_version < 90000; }

// internal is what a library returns when something went wrong inside of it: of the driver,
// that it is not supported, which is no code that loses a context.
static int internal(enum taso_library lib) {
  switch (lib) {
  case TASO_DRIVER: return 801;
  case TASO_NVRTC: return 11;
  case TASO_CUBLASLT: return 14;
  default: return cudnn8() ? 4 : 4000;
  }
}

// unwell is what it returns when the device is lost.
static int unwell(enum taso_library lib) { return lib == TASO_DRIVER ? lost : lib == TASO_CUBLASLT ? 13 : cudnn8() ? 8 : 5000; }

int taso_enter(enum taso_library lib, const char *function, int context) {
  if (calls == room && room < KEPT) {
    size_t more = room ? 2 * room : 1024;
    struct entry *e = realloc(entries, more * sizeof *e);
    if (!e) abort();
    memset(e + room, 0, (more - room) * sizeof *e);
    entries = e, room = more;
  }
  struct entry *e = newest = &entries[calls < KEPT ? calls : KEPT - 1];
  calls++;
  free(e->why);
  *e = (struct entry){.name = function};
  int code = 0;
  if ((long long)calls == taso_settings.fail) {
    code = (int)taso_settings.code;
    if (!code) code = internal(lib);
    if (taso_settings.lose && lib != TASO_NVRTC) {
      if (!lost) lost = 719;
      code = unwell(lib);
    }
    e->why = strdup("asked to fail");
  } else if (context && lost) {
    code = unwell(lib);
  }
  if (context && !taso_has_context()) {
    taso_problem("%s is called on a thread without a context", function);
    if (!code) code = lib == TASO_DRIVER ? 201 : lib == TASO_CUBLASLT || cudnn8() ? 1 : 1001;
  }
  e->code = code;
  return code;
}

static char *format(const char *text, va_list list) {
  char *s = NULL;
  if (vasprintf(&s, text, list) < 0) abort();
  return s;
}

int taso_refuse(int code, const char *text, ...) {
  va_list list;
  va_start(list, text);
  char *why = format(text, list);
  va_end(list);
  newest->code = code;
  free(newest->why);
  newest->why = why;
  return code;
}

void taso_problem(const char *text, ...) {
  va_list list;
  va_start(list, text);
  char *why = format(text, list);
  va_end(list);
  LOCKED;
  char **more = realloc(problems, (wrongs + 1) * sizeof *more);
  if (!more) abort();
  problems = more;
  problems[wrongs++] = why;
  taso_report();
}

int taso_lose(int code, const char *text, ...) {
  va_list list;
  va_start(list, text);
  char *why = format(text, list);
  va_end(list);
  taso_problem("device lost by error %d: %s", code, why);
  free(why);
  if (!lost) lost = code;
  return lost;
}

int taso_lost(void) { return lost; }

size_t taso_calls(void) {
  LOCKED;
  return calls;
}

const char *taso_call(size_t i) {
  LOCKED;
  if (i >= calls || i >= KEPT) return "";
  const struct entry *e = &entries[i];
  if (!e->code) return e->name;
  free(shown);
  if (asprintf(&shown, "%s: %d%s%s", e->name, e->code, e->why ? ": " : "", e->why ? e->why : "") < 0) abort();
  return shown;
}

int taso_count_of(const char *function) {
  LOCKED;
  int n = 0;
  for (size_t i = 0; i < calls && i < KEPT; i++) n += !strcmp(entries[i].name, function);
  return n;
}

size_t taso_problems(void) {
  LOCKED;
  taso_settle(1);
  return wrongs;
}

const char *taso_problem_text(size_t i) { return i < wrongs ? problems[i] : ""; }

// Objects.

#define X(name, text) text,
static const char *const kinds[] = {TASO_KINDS(X)};
#undef X

void *taso_new(enum taso_kind kind, size_t bytes) {
  struct taso_object *o = calloc(1, bytes);
  if (!o) return NULL;
  *o = (struct taso_object){MAGIC, kind, 1, calls, objects};
  objects = o;
  taso_count(kind, 1);
  return o;
}

int taso_is(const void *object, enum taso_kind kind) {
  const struct taso_object *o = object;
  if (!o || (uintptr_t)o % 8 || o->magic != MAGIC) return 0;
  if (o->live && o->kind == kind) return 1;
  if (o->kind != kind) taso_problem("%s is given a %s, not a %s", newest ? newest->name : "", kinds[o->kind], kinds[kind]);
  else taso_problem("%s uses a %s that was destroyed", newest ? newest->name : "", kinds[kind]);
  return 0;
}

void taso_end(void *object) {
  struct taso_object *o = object;
  o->live = 0;
  taso_count(o->kind, -1);
}

void taso_count(enum taso_kind kind, int by) {
  live[kind] += by;
  taso_report();
}

int taso_leak(int kind, const char **name) {
  if (kind < 0 || kind >= TASO_KIND_COUNT) return -1;
  *name = kinds[kind];
  return live[kind];
}

// taso_report writes how many calls there were, then what is wrong: nothing more where
// nothing is. A process may end without a word to its libraries, so it is written
// whenever something changed.
void taso_report(void) {
  if (!report) return;
  LOCKED;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return;
  fprintf(out, "calls: %zu\n", calls);
  for (int k = 0; k < TASO_KIND_COUNT; k++)
    if (live[k]) fprintf(out, "leak: %d of %s\n", live[k], kinds[k]);
  for (size_t i = 0; i < wrongs; i++) fprintf(out, "problem: %s\n", problems[i]);
  fclose(out);
  int fd = open(report, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) {
    if (pwrite(fd, text, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size)) perror(report);
    close(fd);
  }
  free(text);
}

void taso_reset_driver(void);

void taso_reset(void) {
  LOCKED;
  taso_settings = standard;
  for (size_t i = 0; i < calls && i < KEPT; i++) free(entries[i].why), entries[i].why = NULL;
  newest = NULL;
  for (size_t i = 0; i < wrongs; i++) free(problems[i]);
  calls = wrongs = 0;
  lost = 0;
  taso_reset_driver();
  for (struct taso_object *o = objects, *older; o; o = older) {
    older = o->older;
    o->magic = 0;
    free(o);
  }
  objects = NULL;
  memset(live, 0, sizeof live);
  taso_mem_clear();
  taso_report();
}
