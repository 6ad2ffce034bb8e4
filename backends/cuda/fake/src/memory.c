#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 64, KEEP_BYTES = 256 << 20 }; // freed blocks that are kept poisoned, at most

static struct taso_block *blocks; // sorted by address
static size_t n, room;
static char *kept[KEEP]; // a ring of freed blocks, the next to go at turn
static size_t turn, kept_bytes;

// after returns how many blocks start at or below p.
static size_t after(const void *p) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (blocks[mid].p <= (const char *)p) low = mid + 1;
    else high = mid;
  }
  return low;
}

// padded is where the guard zone after a block ends, from its start.
static size_t padded(size_t bytes) { return (bytes + TASO_GUARD - 1) / TASO_GUARD * TASO_GUARD + TASO_GUARD; }

char *taso_mem_new(size_t bytes, const char *name) {
  if (n == room) {
    size_t more = room ? 2 * room : 64;
    struct taso_block *b = realloc(blocks, more * sizeof *b);
    if (!b) return NULL;
    blocks = b, room = more;
  }
  char *raw = aligned_alloc(TASO_GUARD, TASO_GUARD + padded(bytes));
  if (!raw) return NULL;
  char *p = raw + TASO_GUARD;
  memset(raw, TASO_GUARD_BYTE, TASO_GUARD);
  memset(p, TASO_FRESH_BYTE, bytes);
  memset(p + bytes, TASO_GUARD_BYTE, padded(bytes) - bytes);
  size_t i = after(p);
  memmove(blocks + i + 1, blocks + i, (n - i) * sizeof *blocks);
  n++;
  blocks[i] = (struct taso_block){.p = p, .bytes = bytes, .live = 1};
  snprintf(blocks[i].name, sizeof blocks[i].name, "%s", name);
  return p;
}

static void forget(size_t i) {
  free(blocks[i].touched);
  free(blocks[i].p - TASO_GUARD);
  memmove(blocks + i, blocks + i + 1, (n - i - 1) * sizeof *blocks);
  n--;
}

static void forget_freed(char *p) {
  size_t i = after(p) - 1;
  kept_bytes -= blocks[i].bytes;
  forget(i);
}

int taso_mem_drop(void *p) {
  size_t i = after(p);
  if (i == 0 || blocks[i - 1].p != (char *)p || !blocks[i - 1].live) return -1;
  struct taso_block *b = &blocks[i - 1];
  b->live = 0;
  memset(b->p, TASO_FREED_BYTE, b->bytes);
  kept_bytes += b->bytes;
  char **slot = &kept[turn++ % KEEP];
  if (*slot) forget_freed(*slot);
  *slot = p;
  for (size_t i = 1; i < KEEP && kept_bytes > KEEP_BYTES; i++) { // the oldest first
    char **old = &kept[(turn + i - 1) % KEEP];
    if (*old) forget_freed(*old);
    *old = NULL;
  }
  return 0;
}

struct taso_block *taso_mem_find(const void *p, int near) {
  size_t i = after(p);
  if (i == 0) return NULL;
  struct taso_block *b = &blocks[i - 1];
  if (near) return b;
  return (const char *)p < b->p + (b->bytes ? b->bytes : 1) ? b : NULL;
}

int taso_mem_inside(const void *p, size_t bytes) {
  struct taso_block *b = taso_mem_find(p, 0);
  return b && b->live && bytes <= b->bytes - (size_t)((const char *)p - b->p);
}

// strange returns the first of n bytes that is not byte, or n.
static size_t strange(const char *p, size_t count, int byte) {
  char line[256];
  memset(line, byte, sizeof line);
  for (size_t i = 0; i < count; i += sizeof line) {
    size_t most = count - i < sizeof line ? count - i : sizeof line;
    if (!memcmp(p + i, line, most)) continue;
    while (p[i] == line[0]) i++;
    return i;
  }
  return count;
}

int taso_mem_check(char *text, size_t size, int deep) {
  int bad = 0;
  for (size_t i = 0; i < n; i++) {
    struct taso_block *b = &blocks[i];
    if (!b->live && !deep) continue;
    struct {
      char *p;
      size_t bytes;
      int byte;
      const char *what;
    } parts[] = {
        {b->p - TASO_GUARD, TASO_GUARD, TASO_GUARD_BYTE, "outside of"},
        {b->p + b->bytes, padded(b->bytes) - b->bytes, TASO_GUARD_BYTE, "outside of"},
        {b->p, b->live ? 0 : b->bytes, TASO_FREED_BYTE, "into the freed"},
    };
    int found = 0;
    for (int k = 0; k < 3; k++) {
      size_t at = strange(parts[k].p, parts[k].bytes, parts[k].byte);
      if (at == parts[k].bytes) continue;
      memset(parts[k].p, parts[k].byte, parts[k].bytes);
      if (!found++ && !bad++)
        snprintf(text, size, "written %s %s (%zu bytes): byte %td", parts[k].what, b->name, b->bytes, parts[k].p + at - b->p);
    }
  }
  return bad;
}

void taso_mem_live(size_t *count, size_t *bytes) {
  *count = *bytes = 0;
  for (size_t i = 0; i < n; i++) {
    if (blocks[i].live) ++*count, *bytes += blocks[i].bytes;
  }
}

void taso_mem_clear(void) {
  while (n > 0) forget(n - 1);
  memset(kept, 0, sizeof kept);
  kept_bytes = 0;
}
