// shell.c is a fake library: its functions, which the compiler is told as EXPORTS(X),
// jump into the common library, where all of them are. So one library may be there
// several times, with less or more in it.
#if defined(__x86_64__)
#define JUMP "jmp "
#define PLT "@PLT"
#else
#define JUMP "b "
#define PLT ""
#endif
#define X(name) __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ": " JUMP "fake_" #name PLT "\n.size " #name ", . - " #name "\n");
#include EXPORTS
