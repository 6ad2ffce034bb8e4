// grid.h runs kernels: a grid of blocks of threads, one thread at a time.
#ifndef TASO_FAKE_GRID_H
#define TASO_FAKE_GRID_H

#include "state.h"

#include <stddef.h>

struct taso_module {
  void *handle; // of dlopen
  struct taso_state *state;
  struct taso_sections *sections;
  int arch; // 90 is sm_90
};

enum { // flags of taso_grid_run
  TASO_RACES_ALLOWED = 1,
  TASO_KNOWN = 2, // its accesses were looked up in an earlier run
};

// taso_module_open loads what taso_compile made: 0, or -1 with error.
int taso_module_open(struct taso_module *m, const char *path, char *error, size_t size);
void taso_module_close(struct taso_module *m);
// taso_module_kernel returns NULL where there is no such kernel.
const struct taso_kernel *taso_module_kernel(struct taso_module *m, const char *name);
// taso_module_shared returns the bytes of the kernel's __shared__ variables.
size_t taso_module_shared(const struct taso_module *m);

// taso_grid_fits checks the size of a launch as the driver does; most is the bytes of
// dynamic shared memory that the kernel may have. What is wrong is in error.
int taso_grid_fits(const struct taso_module *m, const struct taso_kernel *k, const char *name, const unsigned grid[3],
                   const unsigned block[3], unsigned shared, unsigned most, char *error, size_t size);

// taso_grid_run runs a kernel, args being the addresses of its arguments, and returns
// 0 or the driver's error: 700 (illegal address), 716 (misaligned), 719 (anything else),
// with what happened where in error.
int taso_grid_run(struct taso_module *m, const struct taso_kernel *k, const char *name, const unsigned grid[3], const unsigned block[3],
                  unsigned shared, void **args, int flags, char *error, size_t size);

#endif
