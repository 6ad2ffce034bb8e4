// load.h opens the common library of the fakes for Go.
#ifndef TASO_FAKE_LOAD_H
#define TASO_FAKE_LOAD_H

#include "src/one.h"

// taso_load returns what went wrong, or NULL.
const char *taso_load(const char *path);
int taso_one(const struct taso_one *o, char *error, size_t size);

// What core.h has for Go.
void taso_to_reset(void);
int taso_to_set(const char *name, const char *value);
size_t taso_to_calls(void);
const char *taso_to_call(size_t i);
int taso_to_count_of(const char *function);
size_t taso_to_problems(void);
const char *taso_to_problem(size_t i);
int taso_to_leak(int kind, const char **name);

#endif
