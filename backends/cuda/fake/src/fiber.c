#include "fiber.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl taso_stack_switch\n"
        ".hidden taso_stack_switch\n"
        ".type taso_stack_switch, @function\n"
        "taso_stack_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size taso_stack_switch, . - taso_stack_switch\n");

void taso_stack_switch(void **from, void *to);

void taso_fiber_make(taso_fiber *f, char *stack, size_t bytes, void (*run)(void)) {
  // As a call would leave it: run's return address 8 below a multiple of 16.
  uintptr_t *top = (uintptr_t *)((uintptr_t)(stack + bytes) / 16 * 16);
  memset(top - 8, 0, 8 * sizeof *top);
  top[-2] = (uintptr_t)run;
  *f = top - 8;
}

void taso_fiber_switch(taso_fiber *from, taso_fiber *to) { taso_stack_switch(from, *to); }

#else

void taso_fiber_make(taso_fiber *f, char *stack, size_t bytes, void (*run)(void)) {
  getcontext(f);
  f->uc_stack.ss_sp = stack;
  f->uc_stack.ss_size = bytes;
  f->uc_link = NULL;
  makecontext(f, run, 0);
}

void taso_fiber_switch(taso_fiber *from, taso_fiber *to) { swapcontext(from, to); }

#endif
