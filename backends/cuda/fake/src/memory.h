// memory.h keeps device memory: blocks of host memory between guard zones, so that
// what is written beside them is seen, and poisoned, so that what is read too early
// or too late is not a number.
#ifndef TASO_FAKE_MEMORY_H
#define TASO_FAKE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum {
  TASO_GUARD = 512,        // bytes on either side, also the alignment
  TASO_GUARD_BYTE = 0xa5,  // in guard zones
  TASO_FRESH_BYTE = 0xff,  // in memory nobody wrote: float and double NaN, int -1
  TASO_FREED_BYTE = 0xdd,  // in memory that was freed
};

struct taso_touch { // who touched a word of memory last, for the check of races
  uint32_t stamp, writer, written, reader, read;
};

struct taso_block {
  char *p;
  size_t bytes;
  int live;                  // 0: freed, and kept for a while
  int device;                // whose memory it is
  char name[32];             // in messages
  struct taso_touch *touched; // one a word of 4 bytes, NULL before the first checked kernel
};

// taso_mem_new returns NULL where memory is out.
char *taso_mem_new(size_t bytes, const char *name);
// taso_mem_drop is 0, or -1 where p is not the start of a live block.
int taso_mem_drop(void *p);
// taso_mem_find returns the block, live or freed, in which p lies, or the nearest
// below p where none does and near is set, or NULL.
struct taso_block *taso_mem_find(const void *p, int near);
// taso_mem_inside says whether bytes from p lie in one live block.
int taso_mem_inside(const void *p, size_t bytes);
// taso_mem_check looks at the guard zones of live blocks and, where it shall look deep,
// at freed ones: it returns how many were damaged since the last look, repairs them
// and writes the first to text.
int taso_mem_check(char *text, size_t size, int deep);
// taso_mem_live says how many blocks and bytes are live.
void taso_mem_live(size_t *blocks, size_t *bytes);
// taso_mem_clear drops everything, live blocks too.
void taso_mem_clear(void);

#endif
