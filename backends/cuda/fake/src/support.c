// support.c is what every kernel is linked with, compiled once: the kernel's own copies of
// the state and of dynamic shared memory, and what the compiler's checks call.
#include "state.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct taso_state taso_state;
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
extern char __start_taso_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_taso_shared[] __attribute__((weak, visibility("hidden")));
char taso_dynamic[TASO_DYNAMIC_MOST + TASO_DYNAMIC_GUARD] __attribute__((aligned(1024), visibility("hidden")));
EXPORT struct taso_sections taso_sections = {__ehdr_start, _end, __start_taso_shared, __stop_taso_shared, taso_dynamic};

// The compiler calls these where a kernel is checked.
#define CHECK(size) \
  void __asan_load##size##_noabort(const void *p) { taso_state.access(p, size, TASO_LOAD); } \
  void __asan_store##size##_noabort(const void *p) { taso_state.access(p, size, TASO_STORE); }
CHECK(1) CHECK(2) CHECK(4) CHECK(8) CHECK(16)
#undef CHECK
void __asan_loadN_noabort(const void *p, unsigned long n) { taso_state.access(p, n, TASO_LOAD); }
void __asan_storeN_noabort(const void *p, unsigned long n) { taso_state.access(p, n, TASO_STORE); }
void __asan_handle_no_return(void) {}

#define CHECK(name, what) \
  void __ubsan_handle_##name(const void *where) { (void)where, taso_state.fault(what); }
CHECK(out_of_bounds, "index outside of an array")
CHECK(add_overflow, "int addition overflows")
CHECK(sub_overflow, "int subtraction overflows")
CHECK(mul_overflow, "int multiplication overflows")
CHECK(negate_overflow, "int negation overflows")
CHECK(divrem_overflow, "division by zero, or its quotient overflows")
