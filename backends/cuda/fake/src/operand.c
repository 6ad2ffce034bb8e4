#include "operand.h"

#include "core.h"
#include "memory.h"

#include <string.h>

int taso_operands_bad(const char *call, const struct taso_operand *list, int n) {
  for (int i = 0; i < n; i++) {
    const struct taso_operand *a = &list[i];
    if (!a->bytes) continue;
    if (!taso_mem_inside(a->p, a->bytes)) {
      const struct taso_block *b = taso_mem_find(a->p, 0);
      taso_problem("%s: %zu bytes of %s at %p: %s%s", call, a->bytes, a->name, a->p,
                   !b ? "no memory is there" : b->live ? "they go beyond " : "that is the freed ", b ? b->name : "");
      return 1;
    }
    for (int j = 0; j < n && a->written; j++) {
      const struct taso_operand *o = &list[j];
      if (j == i || !o->bytes) continue;
      if ((const char *)a->p < (const char *)o->p + o->bytes && (const char *)o->p < (const char *)a->p + a->bytes) {
        taso_problem("%s: %s overlaps %s", call, a->name, o->name);
        return 1;
      }
    }
  }
  return 0;
}

void taso_scribble(void *workspace, size_t bytes) { memset(workspace, TASO_FRESH_BYTE, bytes); }
