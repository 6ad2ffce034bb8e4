#include "one.h"

#include "compile.h"
#include "grid.h"
#include "memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// fits checks the size of a launch as the driver does.
static int fits(const struct taso_one *o, const struct taso_module *m, const struct taso_kernel *k, char *error, size_t size) {
  size_t threads = (size_t)o->block[0] * o->block[1] * o->block[2], shared = taso_module_shared(m) + o->shared;
  size_t most = k->max_threads ? (size_t)k->max_threads : 1024;
  if (k->args != o->n) snprintf(error, size, "kernel %s takes %d arguments, has %d", o->kernel, k->args, o->n);
  else if (threads == 0 || threads > most) snprintf(error, size, "kernel %s has blocks of %zu threads, 1 to %zu are possible", o->kernel, threads, most);
  else if (o->block[2] > 64) snprintf(error, size, "kernel %s has blocks %u deep, 64 are possible", o->kernel, o->block[2]);
  else if (!o->grid[0] || !o->grid[1] || !o->grid[2] || o->grid[0] > 0x7fffffff || o->grid[1] > 65535 || o->grid[2] > 65535)
    snprintf(error, size, "kernel %s has a grid of (%u,%u,%u) blocks, at most (2147483647,65535,65535) are possible", o->kernel, o->grid[0], o->grid[1], o->grid[2]);
  else if (taso_module_shared(m) > 48 << 10) snprintf(error, size, "kernel %s has %zu bytes of static shared memory, 49152 are possible", o->kernel, taso_module_shared(m));
  else if (shared > TASO_DYNAMIC_MOST) snprintf(error, size, "kernel %s has %zu bytes of shared memory, %d are possible", o->kernel, shared, TASO_DYNAMIC_MOST);
  else return 1;
  return 0;
}

int taso_one_run(const struct taso_one *o, char *error, size_t size) {
  char *path, *log;
  if (o->n > ARGS) {
    snprintf(error, size, "%d arguments, at most %d are possible", o->n, ARGS);
    return -1;
  }
  if (taso_compile(o->source, "k.cu", 90, o->compile, &path, &log)) {
    snprintf(error, size, "%s", log);
    free(log);
    return -1;
  }
  struct taso_module m;
  int ok = taso_module_open(&m, path, error, size) == 0;
  free(path);
  if (!ok) return -1;
  const struct taso_kernel *k = taso_module_kernel(&m, o->kernel);
  if (!k) snprintf(error, size, "no kernel %s in the source", o->kernel);
  ok = k && fits(o, &m, k, error, size);
  if (ok) {
    pthread_mutex_lock(&lock);
    char *memory[ARGS] = {0};
    void *args[ARGS];
    for (int i = 0; i < o->n; i++) {
      char name[32];
      snprintf(name, sizeof name, "argument %d", i);
      args[i] = &memory[i];
      if (!o->data[i]) continue;
      memory[i] = taso_mem_new(o->bytes[i], name);
      if (memory[i]) memcpy(memory[i], o->data[i], o->bytes[i]);
      else ok = 0, snprintf(error, size, "out of memory");
    }
    if (ok) ok = taso_grid_run(&m, k, o->kernel, o->grid, o->block, o->shared, args, o->flags, error, size) == 0;
    if (ok && taso_mem_check(error, size)) ok = 0;
    for (int i = 0; i < o->n; i++) {
      if (!memory[i]) continue;
      memcpy(o->data[i], memory[i], o->bytes[i]);
      taso_mem_drop(memory[i]);
    }
    pthread_mutex_unlock(&lock);
  }
  taso_module_close(&m);
  return ok ? 0 : -1;
}
