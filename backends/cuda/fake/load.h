// load.h opens the common library of the fakes for Go.
#ifndef TASO_FAKE_LOAD_H
#define TASO_FAKE_LOAD_H

#include "src/one.h"

// taso_load returns what went wrong, or NULL.
const char *taso_load(const char *path);
int taso_one(const struct taso_one *o, char *error, size_t size);

#endif
