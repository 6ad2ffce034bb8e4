// state.h is what a compiled kernel and the grid that runs it share: the grid writes
// who the running thread is, the kernel calls back where threads meet or touch memory.
#ifndef TASO_FAKE_STATE_H
#define TASO_FAKE_STATE_H

struct taso_dim {
  unsigned x, y, z;
};

enum { // what a kernel does to memory
  TASO_LOAD = 0,
  TASO_STORE = 1,
  TASO_ATOMIC = 2,
};

enum { // where the lanes of a warp meet
  TASO_WARP_SYNC = 0,
  TASO_WARP_SHUFFLE = 1,
  TASO_WARP_BALLOT = 2,
};

struct taso_state {
  struct taso_dim thread, block, block_dim, grid_dim;
  int lane; // of thread in its warp of 32
  // sync returns how many threads of the block came with a value that is not 0.
  int (*sync)(int line, int value);
  // warp returns bits of lane from (TASO_WARP_SHUFFLE) or the lanes whose bits are not 0.
  unsigned long long (*warp)(unsigned mask, int op, unsigned long long bits, int from, int line);
  unsigned (*active)(void);
  void (*access)(const void *p, unsigned long bytes, int kind);
  void (*fault)(const char *what);
};

struct taso_kernel {
  void (*call)(void **args);
  int args;        // how many the kernel takes
  const unsigned *sizes; // of each, in bytes
  int max_threads; // __launch_bounds__, 0: none
  int meets;       // 1: there are barriers or shuffles, each thread needs a stack
};

enum { TASO_DYNAMIC_MOST = 227 * 1024, TASO_DYNAMIC_GUARD = 1024 };

struct taso_sections { // where the shared object, its __shared__ variables and its dynamic shared memory lie
  char *start, *end, *shared_start, *shared_end, *dynamic;
};

#endif
