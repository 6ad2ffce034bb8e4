#include "load.h"

#include <dlfcn.h>

// The functions of the common library, F(result, name in it, parameters).
#define FUNCTIONS(F) \
  F(int, taso_one_run, (const struct taso_one *, char *, size_t)) \
  F(void, taso_reset, (void)) \
  F(int, taso_set, (const char *, const char *)) \
  F(size_t, taso_calls, (void)) \
  F(const char *, taso_call, (size_t)) \
  F(int, taso_count_of, (const char *)) \
  F(size_t, taso_problems, (void)) \
  F(const char *, taso_problem_text, (size_t)) \
  F(int, taso_leak, (int, const char **))

#define FIELD(result, name, params) static result(*at_##name) params;
FUNCTIONS(FIELD)

const char *taso_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
#define FIND(result, name, params) \
  *(void **)&at_##name = dlsym(library, #name); \
  if (!at_##name) return dlerror();
  FUNCTIONS(FIND)
  return 0;
}

int taso_one(const struct taso_one *o, char *error, size_t size) { return at_taso_one_run(o, error, size); }
void taso_to_reset(void) { at_taso_reset(); }
int taso_to_set(const char *name, const char *value) { return at_taso_set(name, value); }
size_t taso_to_calls(void) { return at_taso_calls(); }
const char *taso_to_call(size_t i) { return at_taso_call(i); }
int taso_to_count_of(const char *function) { return at_taso_count_of(function); }
size_t taso_to_problems(void) { return at_taso_problems(); }
const char *taso_to_problem(size_t i) { return at_taso_problem_text(i); }
int taso_to_leak(int kind, const char **name) { return at_taso_leak(kind, name); }
