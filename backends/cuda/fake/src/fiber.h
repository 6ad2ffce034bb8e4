// fiber.h switches between stacks: each thread of a block that waits for others has one.
#ifndef TASO_FAKE_FIBER_H
#define TASO_FAKE_FIBER_H

#include <stddef.h>

#if defined(__x86_64__)
typedef void *taso_fiber; // the stack pointer, registers that calls keep are below it
#else
#include <ucontext.h>
typedef ucontext_t taso_fiber;
#endif

// taso_fiber_make makes a fiber that starts at run on the stack; run must not return.
void taso_fiber_make(taso_fiber *f, char *stack, size_t bytes, void (*run)(void));
// taso_fiber_switch keeps the running fiber in from and goes on with to.
void taso_fiber_switch(taso_fiber *from, taso_fiber *to);

#endif
