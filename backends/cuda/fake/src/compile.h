// compile.h makes shared objects of CUDA C.
#ifndef TASO_FAKE_COMPILE_H
#define TASO_FAKE_COMPILE_H

#include <stddef.h>

enum { // flags of taso_compile
  TASO_UNCHECKED = 1, // without the checks of every access to memory
};

// taso_compile writes the path of the shared object to *path, or what is wrong with
// the source to *log, both to be freed. It returns 0 or -1. Equal sources are compiled
// once; several threads and processes may call it at the same time.
int taso_compile(const char *source, const char *name, int arch, int flags, char **path, char **log);

// taso_folder is where the common library lies; kernels are kept in its folder kernels.
void taso_folder(char *dir, size_t size);

#endif
