// module.c: modules, kernels and their launches. A CUBIN is the shared object that
// the fake NVRTC made.
#define _GNU_SOURCE
#include "compile.h"
#include "core.h"
#include "driver.h"
#include "grid.h"
#include "stream.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct module {
  struct taso_object o;
  struct taso_module m;
  struct function *functions;
  struct module *older;
};

struct function {
  struct taso_object o;
  struct module *m;
  const struct taso_kernel *k;
  char name[200];
  unsigned dynamic; // bytes of dynamic shared memory it may have
  struct function *next;
};

static struct module *modules; // all that were made

// image_bytes is the size of an ELF file, whose section headers are its end.
static size_t image_bytes(const void *image) {
  Elf64_Ehdr h;
  memcpy(&h, image, sizeof h);
  if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 || !h.e_shoff) return 0;
  return h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
}

static int open_image(struct taso_module *m, const void *image, size_t bytes, char *error, size_t size) {
  static unsigned count;
  char dir[2048], path[2200];
  taso_folder(dir, sizeof dir);
  snprintf(path, sizeof path, "%s/kernels/%d.m%u", dir, (int)getpid(), ++count); // each of its own, also where they are equal
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  int ok = fd >= 0 && write(fd, image, bytes) == (ssize_t)bytes;
  if (fd >= 0) close(fd);
  if (!ok) snprintf(error, size, "cannot write into %.400s", dir);
  ok = ok && taso_module_open(m, path, error, size) == 0;
  unlink(path);
  return ok ? 0 : -1;
}

API(int, cuModuleLoadData, (void **module, const void *image)) {
  ENTER(TASO_DRIVER, 1);
  if (!module || !image) return taso_refuse(1, "NULL");
  if (taso_capturing("cuModuleLoadData")) return 900;
  size_t bytes = image_bytes(image);
  if (!bytes) return taso_refuse(200, "it is no ELF file");
  struct taso_module m;
  char error[512];
  if (open_image(&m, image, bytes, error, sizeof error)) return taso_refuse(200, "%s", error);
  if (m.arch / 10 != taso_settings.major || m.arch % 10 > taso_settings.minor) {
    taso_module_close(&m);
    return taso_refuse(209, "it is for sm_%d", m.arch);
  }
  struct module *o = taso_new(TASO_MODULE, sizeof *o);
  if (!o) return 2;
  o->m = m;
  o->older = modules;
  modules = o;
  *module = o;
  return 0;
}

API(int, cuModuleUnload, (void *module)) {
  GIVES(TASO_DRIVER, 1);
  if (!taso_is(module, TASO_MODULE)) return taso_refuse(400, "no module");
  if (taso_capturing("cuModuleUnload")) return 900;
  struct module *m = module;
  if (taso_queued() && !taso_lost()) taso_problem("a module is unloaded while there is work that did not run");
  for (struct function *f = m->functions; f; f = f->next) taso_end(f);
  taso_module_close(&m->m);
  m->m.handle = NULL;
  taso_end(m);
  return wrong;
}

API(int, cuModuleGetFunction, (void **function, void *module, const char *name)) {
  ENTER(TASO_DRIVER, 1);
  if (!function || !name) return taso_refuse(1, "NULL");
  if (!taso_is(module, TASO_MODULE)) return taso_refuse(400, "no module");
  struct module *m = module;
  for (struct function *f = m->functions; f; f = f->next)
    if (!strcmp(f->name, name)) {
      *function = f;
      return 0;
    }
  const struct taso_kernel *k = taso_module_kernel(&m->m, name);
  if (!k || strlen(name) >= sizeof m->functions->name) return taso_refuse(500, "there is no kernel %s", name);
  struct function *f = taso_new(TASO_FUNCTION, sizeof *f);
  if (!f) return 2;
  f->m = m, f->k = k, f->dynamic = (48 << 10) - (unsigned)taso_module_shared(&m->m), f->next = m->functions;
  strcpy(f->name, name);
  m->functions = f;
  *function = f;
  return 0;
}

API(int, cuFuncSetAttribute, (void *function, int attribute, int value)) {
  ENTER(TASO_DRIVER, 1);
  if (!taso_is(function, TASO_FUNCTION)) return taso_refuse(400, "no kernel");
  if (attribute != 8) return taso_refuse(1, "the fake cannot set attribute %d", attribute);
  struct function *f = function;
  size_t fixed = taso_module_shared(&f->m->m);
  if (value < 0 || (size_t)value + fixed > (size_t)taso_shared_optin())
    return taso_refuse(1, "%d bytes of dynamic shared memory beside %zu, %d in all are possible", value, fixed, taso_shared_optin());
  f->dynamic = (unsigned)value;
  return 0;
}

// A launch is followed by its arguments, one behind the other, each in slots of 16 bytes.
struct launch {
  struct function *f;
  unsigned grid[3], block[3], shared;
};

static int launched(const void *data) {
  const struct launch *l = data;
  char *at = (char *)data + (sizeof *l + 15) / 16 * 16, error[1024];
  if (!l->f->o.live) return taso_lose(700, "kernel %s is launched after its module was unloaded", l->f->name);
  void *args[256];
  for (int i = 0; i < l->f->k->args; i++) {
    args[i] = at;
    at += (l->f->k->sizes[i] + 15) / 16 * 16;
  }
  int code = taso_grid_run(&l->f->m->m, l->f->k, l->f->name, l->grid, l->block, l->shared, args, taso_settings.races ? TASO_RACES_ALLOWED : 0,
                           error, sizeof error);
  return code ? taso_lose(code, "%s", error) : 0;
}

static int nothing(const void *data) {
  (void)data;
  return 0;
}

API(int, cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          void *stream, void **params, void **extra)) {
  ENTER(TASO_DRIVER, 1);
  if (!taso_is(function, TASO_FUNCTION)) return taso_refuse(400, "no kernel");
  int bad = taso_stream_good(stream);
  if (bad) return bad;
  struct function *f = function;
  struct launch l = {f, {gx, gy, gz}, {bx, by, bz}, shared};
  char error[512];
  if (!taso_grid_fits(&f->m->m, f->k, f->name, l.grid, l.block, shared, f->dynamic, error, sizeof error)) return taso_refuse(1, "%s", error);
  if (extra || f->k->args > 256 || (f->k->args && !params)) return taso_refuse(1, "no arguments");
  char data[(sizeof l + 15) / 16 * 16 + 4096], *at = data + (sizeof l + 15) / 16 * 16;
  memcpy(data, &l, sizeof l);
  for (int i = 0; i < f->k->args; i++) {
    if (!params[i]) return taso_refuse(1, "argument %d is NULL", i);
    size_t slot = (f->k->sizes[i] + 15) / 16 * 16;
    if (at + slot > data + sizeof data) return taso_refuse(1, "more than 4 KB of arguments");
    memcpy(at, params[i], f->k->sizes[i]);
    at += slot;
  }
  double threads = (double)gx * gy * gz * bx * by * bz;
  return taso_issue(stream, taso_settings.empty ? nothing : launched, TASO_LAUNCH_NS + threads / 50, data, (size_t)(at - data));
}

void taso_reset_modules(void) {
  for (struct module *m = modules; m; m = m->older)
    if (m->m.handle) taso_module_close(&m->m);
  modules = NULL;
}
