#include "load.h"

#include <dlfcn.h>

static int (*one)(const struct taso_one *, char *, size_t);

const char *taso_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
  one = (int (*)(const struct taso_one *, char *, size_t))dlsym(library, "taso_one_run");
  return one ? 0 : dlerror();
}

int taso_one(const struct taso_one *o, char *error, size_t size) { return one(o, error, size); }
