#include "one.h"

#include "compile.h"
#include "core.h"
#include "grid.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS = 64 };

int taso_one_run(const struct taso_one *o, char *error, size_t size) {
  char *path, *log;
  if (o->n > ARGS) {
    snprintf(error, size, "%d arguments, at most %d are possible", o->n, ARGS);
    return -1;
  }
  if (taso_compile(o->source, "kernel.cu", 90, o->compile, &path, &log)) {
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
  if (k && k->args != o->n) {
    snprintf(error, size, "kernel %s takes %d arguments, has %d", o->kernel, k->args, o->n);
    k = NULL;
  }
  ok = k && taso_grid_fits(&m, k, o->kernel, o->grid, o->block, o->shared, TASO_DYNAMIC_MOST, error, size);
  if (ok) {
    LOCKED;
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
    if (ok && taso_mem_check(error, size, 1)) ok = 0;
    for (int i = 0; i < o->n; i++) {
      if (!memory[i]) continue;
      memcpy(o->data[i], memory[i], o->bytes[i]);
      taso_mem_drop(memory[i]);
    }
  }
  taso_module_close(&m);
  return ok ? 0 : -1;
}
