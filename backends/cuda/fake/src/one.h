// one.h runs one kernel, without a driver around it.
#ifndef TASO_FAKE_ONE_H
#define TASO_FAKE_ONE_H

#include <stddef.h>

struct taso_one {
  const char *source, *kernel;
  unsigned grid[3], block[3], shared;
  int flags; // TASO_RACES_ALLOWED, TASO_KNOWN
  int compile; // TASO_UNCHECKED
  int n;
  void *const *data;   // of each argument, read before and written after; NULL: the null pointer
  const size_t *bytes; // of each argument
};

// taso_one_run compiles and runs a kernel of pointers: 0, or -1 with what went wrong
// in error.
int taso_one_run(const struct taso_one *o, char *error, size_t size);

#endif
