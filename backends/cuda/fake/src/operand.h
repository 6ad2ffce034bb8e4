// operand.h checks what a library's call is given: where its operands lie.
#ifndef TASO_FAKE_OPERAND_H
#define TASO_FAKE_OPERAND_H

#include <stddef.h>

struct taso_operand {
  const char *name;
  const void *p;
  size_t bytes; // from p on
  int written;
};

// taso_operands_bad says, with 1, that one of n operands is outside of memory, or that what
// is written overlaps another one; it is a problem then. Operands without bytes are none.
int taso_operands_bad(const char *call, const struct taso_operand *list, int n);
// taso_scribble writes what is no number into a workspace.
void taso_scribble(void *workspace, size_t bytes);

#endif
