#define _GNU_SOURCE
#include "grid.h"

#include "fiber.h"
#include "memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK = 64 << 10, MOST = 1024, WARP = 32 };
enum { REGISTERS = 65536 / 256 }; // threads of a block, if each takes all registers it can

enum { READY, AT_BARRIER, AT_WARP, DONE };

struct thread {
  taso_fiber fiber;
  struct taso_dim at;
  int where, line, value; // READY ...; of the meeting point
  int op, from;
  unsigned mask, warp_epoch;
  unsigned long long bits;
};

// One grid runs at a time: __shared__ variables are there once.
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static struct thread threads[MOST];
static char *stacks;
static struct { // the grid that runs
  struct taso_module *m;
  const struct taso_kernel *k;
  const char *name;
  void **args;
  int threads, flags, code;
  unsigned shared, current, block, epoch, stamp, shared_stamp;
  uint32_t first, me;      // numbers of the block's first thread and of the current one, from 1
  struct taso_sections at; // of m
  struct taso_block *last; // the block of memory that was found last
  taso_fiber scheduler;
  sigjmp_buf out;
  char *error;
  size_t size;
  struct taso_touch *touched; // of shared memory: static, then dynamic
  size_t touched_words;
} run;
static __thread int running; // this thread runs a grid
static uint32_t stamps;      // never the same for two launches or blocks

static void failed(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// failed ends the grid with the first thing that went wrong.
static void failed(int code, const char *format, ...) {
  const struct taso_state *s = run.m->state;
  run.code = code;
  int n = snprintf(run.error, run.size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u): ", run.name, s->block.x, s->block.y, s->block.z,
                   s->thread.x, s->thread.y, s->thread.z);
  va_list list;
  va_start(list, format);
  if (n >= 0 && (size_t)n < run.size) vsnprintf(run.error + n, run.size - (size_t)n, format, list);
  va_end(list);
  siglongjmp(run.out, 1);
}

static void fault(const char *what) { failed(719, "%s", what); }

static struct sigaction before[NSIG];

static void on_signal(int sig, siginfo_t *info, void *context) {
  if (running) failed(700, "%s at address %p", sig == SIGFPE || sig == SIGILL ? "trap" : "illegal memory access", info->si_addr);
  if (before[sig].sa_flags & SA_SIGINFO) {
    before[sig].sa_sigaction(sig, info, context);
  } else if (before[sig].sa_handler != SIG_IGN && before[sig].sa_handler != SIG_DFL) {
    before[sig].sa_handler(sig);
  } else {
    sigaction(sig, &before[sig], NULL); // it happens again, and ends the process
  }
}

static void set_up(void) {
  stacks = mmap(NULL, (size_t)STACK * MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) abort();
  static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(caught[i], &a, &before[caught[i]]);
  }
}

// Threads.

static void enter(unsigned i) {
  struct taso_state *s = run.m->state;
  run.current = i;
  run.me = run.first + i;
  s->thread = threads[i].at;
  s->lane = (int)(i % WARP);
}

static void wait_at(int where, int line) {
  struct thread *t = &threads[run.current];
  t->where = where;
  t->line = line;
  taso_fiber_switch(&t->fiber, &run.scheduler);
}

static int barrier(int line, int value) {
  struct thread *t = &threads[run.current];
  t->value = value;
  wait_at(AT_BARRIER, line);
  return t->value;
}

static unsigned long long warp(unsigned mask, int op, unsigned long long bits, int from, int line) {
  struct thread *t = &threads[run.current];
  if (!(mask >> run.current % WARP & 1)) failed(719, "line %d: mask %#x of a warp operation is without the lane that calls it", line, mask);
  t->mask = mask, t->op = op, t->bits = bits, t->from = from;
  wait_at(AT_WARP, line);
  return t->bits;
}

static unsigned active(void) { return 1u << run.current % WARP; }

static void whole_thread(void) {
  for (;;) {
    run.k->call(run.args);
    wait_at(DONE, 0);
  }
}

// every_thread runs all threads of all blocks, where none waits for another.
static void start_block(void);
static unsigned grid_size[3];
static void every_thread(void) {
  struct taso_state *s = run.m->state;
  for (s->block.z = 0; s->block.z < grid_size[2]; s->block.z++) {
    for (s->block.y = 0; s->block.y < grid_size[1]; s->block.y++) {
      for (s->block.x = 0; s->block.x < grid_size[0]; s->block.x++, run.block++) {
        start_block();
        for (int i = 0; i < run.threads; i++) {
          enter((unsigned)i);
          run.k->call(run.args);
        }
      }
    }
  }
  threads[0].where = DONE;
  taso_fiber_switch(&threads[0].fiber, &run.scheduler);
}

// meet_warp lets lanes of the warp from thread w go on that wait for each other; it
// returns how many.
static int meet_warp(int w) {
  int lanes = run.threads - w < WARP ? run.threads - w : WARP, moved = 0;
  for (int l = 0; l < lanes; l++) {
    struct thread *t = &threads[w + l];
    if (t->where != AT_WARP) continue;
    int all = 1;
    for (int o = 0; o < lanes; o++) {
      struct thread *u = &threads[w + o];
      if (t->mask >> o & 1) all &= u->where == AT_WARP && u->mask == t->mask && u->op == t->op && u->line == t->line;
    }
    if (!all) continue;
    unsigned long long sent[WARP] = {0}, ballot = 0;
    for (int o = 0; o < lanes; o++) {
      if (!(t->mask >> o & 1)) continue;
      sent[o] = threads[w + o].bits;
      if (sent[o]) ballot |= 1ull << o;
    }
    unsigned mask = t->mask;
    for (int o = 0; o < lanes; o++) {
      if (!(mask >> o & 1)) continue;
      struct thread *u = &threads[w + o];
      int from = u->from;
      if (u->op == TASO_WARP_SHUFFLE) u->bits = from < lanes && mask >> from & 1 ? sent[from] : ~0ull; // else undefined
      if (u->op == TASO_WARP_BALLOT) u->bits = ballot;
      if (u->op == TASO_WARP_SYNC) u->warp_epoch++;
      u->where = READY;
      moved++;
    }
  }
  return moved;
}

static const char *place(const struct thread *t, char *text, size_t size) {
  if (t->where == DONE) return "has returned";
  snprintf(text, size, "is at the %s of line %d", t->where == AT_BARRIER ? "barrier" : "warp operation", t->line);
  return text;
}

// stuck ends a grid whose threads wait for each other in vain.
static void stuck(void) {
  int a = 0;
  for (int i = 0; i < run.threads; i++) {
    if (threads[i].where == AT_WARP) a = i;
  }
  if (threads[a].where != AT_WARP) {
    while (threads[a].where == DONE) a++;
  }
  struct thread *t = &threads[a], *u = t;
  int low = t->where == AT_WARP ? a / WARP * WARP : 0;
  for (int i = low; i < run.threads && u == t; i++) {
    if (threads[i].where != t->where || threads[i].line != t->line || (t->where == AT_WARP && threads[i].mask != t->mask)) u = &threads[i];
  }
  enter((unsigned)a);
  char first[64], second[64];
  failed(719, "divergence: it %s, but thread (%u,%u,%u) %s", place(t, first, sizeof first), u->at.x, u->at.y, u->at.z,
         place(u, second, sizeof second));
}

static void run_block(void) {
  for (int i = 0; i < run.threads; i++) {
    threads[i].where = READY;
    threads[i].warp_epoch = 0;
    taso_fiber_make(&threads[i].fiber, stacks + (size_t)i * STACK, STACK, whole_thread);
  }
  for (;;) {
    for (int i = 0; i < run.threads; i++) {
      if (threads[i].where != READY) continue;
      enter((unsigned)i);
      taso_fiber_switch(&run.scheduler, &threads[i].fiber);
    }
    int moved = 0, done = 0, waiting = 0, line = 0, same = 1, count = 0;
    for (int w = 0; w < run.threads; w += WARP) moved += meet_warp(w);
    if (moved) continue;
    for (int i = 0; i < run.threads; i++) {
      done += threads[i].where == DONE;
      if (threads[i].where != AT_BARRIER) continue;
      if (waiting++ == 0) line = threads[i].line;
      same &= threads[i].line == line;
      count += threads[i].value;
    }
    if (done == run.threads) return;
    if (waiting != run.threads || !same) stuck();
    run.epoch++;
    for (int i = 0; i < run.threads; i++) {
      threads[i].where = READY;
      threads[i].value = count;
      threads[i].warp_epoch = 0;
    }
  }
}

// Memory.

static uint32_t epoch(void) { return run.epoch << 12 | (threads[run.current].warp_epoch & 0xfff); }

enum { SEVERAL = 0xfffffffe, ACROSS = 0xffffffff, BY_ATOMIC = 0x80000000 }; // readers; flag of written

// of_block says that a thread is of the block that runs.
static int of_block(uint32_t by) { return by - run.first < (uint32_t)run.threads; }

// apart says that an earlier touch (thread, epoch) and this thread's are not ordered.
static int apart(uint32_t by, uint32_t at) {
  if (by == 0 || by == run.me) return 0;
  uint32_t now = epoch();
  at &= ~(uint32_t)BY_ATOMIC;
  if (by == ACROSS) return 1;
  if (by == SEVERAL) return at >> 12 == now >> 12;
  if (!of_block(by)) return 1;
  uint32_t other = by - run.first;
  return other / WARP == run.current / WARP ? at == now : at >> 12 == now >> 12;
}

// touch notes an access of a word and returns what it races with, or NULL.
static const char *touch(struct taso_touch *t, uint32_t stamp, int kind) {
  uint32_t me = run.me, now = epoch();
  if (t->stamp != stamp) *t = (struct taso_touch){.stamp = stamp};
  if (apart(t->writer, t->written) && !(kind == TASO_ATOMIC && t->written & BY_ATOMIC)) return "another thread wrote";
  if (kind == TASO_LOAD) {
    if (t->reader == 0 || t->reader == me || !apart(t->reader, t->read)) {
      t->reader = me;
    } else if (t->reader == ACROSS || (t->reader != SEVERAL && !of_block(t->reader))) {
      t->reader = ACROSS;
    } else {
      t->reader = SEVERAL;
    }
    t->read = now;
    return NULL;
  }
  if (apart(t->reader, t->read)) return "another thread read";
  t->writer = me;
  t->written = now | (kind == TASO_ATOMIC ? BY_ATOMIC : 0);
  t->reader = 0;
  return NULL;
}

static const char *const verb[] = {"reads", "writes", "updates"};

static void note(struct taso_touch *all, size_t offset, size_t bytes, uint32_t stamp, int kind, const char *name) {
  if (!all || bytes < 4 || run.flags & TASO_RACES_ALLOWED) return;
  for (size_t w = offset / 4; w <= (offset + bytes - 1) / 4; w++) {
    const char *with = touch(&all[w], stamp, kind);
    if (with) failed(719, "race: it %s byte %zu of %s, which %s without a barrier in between", verb[kind], offset, name, with);
  }
}

static void access_memory(const void *address, unsigned long bytes, int kind) {
  const char *p = address;
  const struct taso_sections *s = &run.at;
  if ((bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) && (uintptr_t)p & (bytes - 1))
    failed(716, "it %s %lu bytes at the address %p, which is no multiple of it", verb[kind], bytes, (const void *)p);
  if (p >= s->start && p < s->end) {
    size_t fixed = (size_t)(s->shared_end - s->shared_start);
    if (p >= s->dynamic && p < s->dynamic + TASO_DYNAMIC_MOST + TASO_DYNAMIC_GUARD) {
      size_t offset = (size_t)(p - s->dynamic);
      if (offset + bytes > run.shared) failed(700, "it %s byte %zu of the %u bytes of dynamic shared memory", verb[kind], offset, run.shared);
      note(run.touched, fixed / 4 * 4 + 4 + offset, bytes, run.shared_stamp, kind, "dynamic shared memory");
    } else if (p >= s->shared_start && p < s->shared_end) {
      note(run.touched, (size_t)(p - s->shared_start), bytes, run.shared_stamp, kind, "shared memory");
    }
    return;
  }
  if (p >= stacks && p < stacks + (size_t)STACK * MOST) {
    unsigned own = run.k->meets ? run.current : 0;
    if ((unsigned)((size_t)(p - stacks) / STACK) != own) failed(700, "it %s a local variable of another thread", verb[kind]);
    return;
  }
  struct taso_block *b = run.last; // none is made or dropped while a grid runs
  if (!b || p < b->p || p >= b->p + b->bytes) b = run.last = taso_mem_find(p, 1);
  if (!b || !b->live || p + bytes > b->p + b->bytes) {
    if (b && p < b->p + b->bytes + TASO_GUARD)
      failed(700, "it %s byte %zd of %s%s, which has %zu bytes", verb[kind], p - b->p, b->live ? "" : "the freed ", b->name, b->bytes);
    struct taso_block *above = taso_mem_find(p + TASO_GUARD, 1);
    if (above && above->p > p) failed(700, "it %s byte %zd of %s, which has %zu bytes", verb[kind], p - above->p, above->name, above->bytes);
    failed(700, "it %s the address %p, which is in no memory", verb[kind], (const void *)p);
  }
  if (!b->touched && b->bytes <= 256u << 20 && !(run.flags & TASO_RACES_ALLOWED)) b->touched = calloc(b->bytes / 4 + 1, sizeof *b->touched);
  note(b->touched, (size_t)(p - b->p), bytes, run.stamp, kind, b->name);
}

static void known_memory(const void *address, unsigned long bytes, int kind) { (void)address, (void)bytes, (void)kind; }

// Grids.

static void start_block(void) {
  const struct taso_sections *s = run.m->sections;
  memset(s->shared_start, TASO_FRESH_BYTE, (size_t)(s->shared_end - s->shared_start));
  memset(s->dynamic, TASO_FRESH_BYTE, run.shared);
  memset(s->dynamic + run.shared, TASO_GUARD_BYTE, TASO_DYNAMIC_GUARD);
  run.shared_stamp = ++stamps;
  run.epoch = 0;
  run.first = run.block * (uint32_t)run.threads + 1;
}

static void end_block(void) {
  const char *guard = run.m->sections->dynamic + run.shared;
  if ((unsigned char)guard[0] == TASO_GUARD_BYTE && !memcmp(guard, guard + 1, TASO_DYNAMIC_GUARD - 1)) return;
  for (int i = 0; i < TASO_DYNAMIC_GUARD; i++) {
    if ((unsigned char)guard[i] != TASO_GUARD_BYTE) failed(700, "written behind the %u bytes of dynamic shared memory: byte %d", run.shared, i);
  }
}

int taso_grid_fits(const struct taso_module *m, const struct taso_kernel *k, const char *name, const unsigned grid[3],
                   const unsigned block[3], unsigned shared, unsigned most, char *error, size_t size) {
  size_t threads = (size_t)block[0] * block[1] * block[2], fixed = taso_module_shared(m);
  size_t possible = k->max_threads ? (size_t)k->max_threads : MOST;
  if (threads == 0 || threads > possible) snprintf(error, size, "kernel %s has blocks of %zu threads, 1 to %zu are possible", name, threads, possible);
  else if (threads > REGISTERS && !k->max_threads)
    snprintf(error, size, "kernel %s has blocks of %zu threads, and may need too many registers for that without __launch_bounds__", name, threads);
  else if (block[2] > 64) snprintf(error, size, "kernel %s has blocks %u deep, 64 are possible", name, block[2]);
  else if (!grid[0] || !grid[1] || !grid[2] || grid[0] > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535)
    snprintf(error, size, "kernel %s has a grid of (%u,%u,%u) blocks, at most (2147483647,65535,65535) are possible", name, grid[0], grid[1], grid[2]);
  else if (fixed > 48 << 10) snprintf(error, size, "kernel %s has %zu bytes of static shared memory, 49152 are possible", name, fixed);
  else if (shared > most) snprintf(error, size, "kernel %s has %u bytes of dynamic shared memory, %u are possible", name, shared, most);
  else if (fixed + shared > TASO_DYNAMIC_MOST) snprintf(error, size, "kernel %s has %zu bytes of shared memory, %d are possible", name, fixed + shared, TASO_DYNAMIC_MOST);
  else return 1;
  return 0;
}

int taso_grid_run(struct taso_module *m, const struct taso_kernel *k, const char *name, const unsigned grid[3], const unsigned block[3],
                  unsigned shared, void **args, int flags, char *error, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_up);
  pthread_mutex_lock(&one);
  struct taso_state *s = m->state;
  *s = (struct taso_state){.sync = barrier, .warp = warp, .active = active, .fault = fault};
  s->access = flags & TASO_KNOWN ? known_memory : access_memory;
  s->block_dim = (struct taso_dim){block[0], block[1], block[2]};
  s->grid_dim = (struct taso_dim){grid[0], grid[1], grid[2]};
  run.at = *m->sections, run.last = NULL;
  run.m = m, run.k = k, run.name = name, run.args = args, run.flags = flags, run.shared = shared;
  run.threads = (int)(block[0] * block[1] * block[2]);
  run.code = 0, run.error = error, run.size = size, run.block = 0, run.stamp = ++stamps;
  error[0] = 0;
  size_t words = (taso_module_shared(m) + shared) / 4 + 4;
  if (words > run.touched_words) {
    free(run.touched);
    run.touched = calloc(words, sizeof *run.touched);
    run.touched_words = run.touched ? words : 0;
  }
  for (int i = 0; i < run.threads; i++) {
    unsigned u = (unsigned)i;
    threads[i].at = (struct taso_dim){u % block[0], u / block[0] % block[1], u / block[0] / block[1]};
    threads[i].warp_epoch = 0;
  }
  running = 1;
  if (sigsetjmp(run.out, 1) == 0) {
    if (k->meets) {
      for (s->block.z = 0; s->block.z < grid[2]; s->block.z++) {
        for (s->block.y = 0; s->block.y < grid[1]; s->block.y++) {
          for (s->block.x = 0; s->block.x < grid[0]; s->block.x++, run.block++) {
            start_block();
            run_block();
            end_block();
          }
        }
      }
    } else {
      memcpy(grid_size, grid, sizeof grid_size);
      taso_fiber_make(&threads[0].fiber, stacks, STACK, every_thread);
      taso_fiber_switch(&run.scheduler, &threads[0].fiber);
      end_block();
    }
  }
  running = 0;
  int code = run.code;
  pthread_mutex_unlock(&one);
  return code;
}

// Modules.

// mathematics makes the C library's functions known to kernels, which name no library.
static void mathematics(void) { dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL); }

int taso_module_open(struct taso_module *m, const char *path, char *error, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, mathematics);
  m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!m->handle) {
    snprintf(error, size, "%s", dlerror());
    return -1;
  }
  m->state = dlsym(m->handle, "taso_state");
  m->sections = dlsym(m->handle, "taso_sections");
  const int *arch = dlsym(m->handle, "taso_arch");
  if (!m->state || !m->sections || !arch) {
    snprintf(error, size, "%s is no compiled kernel", path);
    dlclose(m->handle);
    return -1;
  }
  m->arch = *arch / 10;
  return 0;
}

void taso_module_close(struct taso_module *m) { dlclose(m->handle); }

const struct taso_kernel *taso_module_kernel(struct taso_module *m, const char *name) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "taso_kernel_%s", name);
  return dlsym(m->handle, symbol);
}

size_t taso_module_shared(const struct taso_module *m) { return (size_t)(m->sections->shared_end - m->sections->shared_start); }
