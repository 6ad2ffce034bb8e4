#define _GNU_SOURCE
#include "compile.h"
#include "judge.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// bare returns the source with comments, strings and characters blanked, so that
// positions stay.
static char *bare(const char *source) {
  char *s = strdup(source);
  for (char *p = s; p && *p; p++) {
    if (p[0] == '/' && p[1] == '/') {
      while (*p && *p != '\n') *p++ = ' ';
      if (!*p) break;
    } else if (p[0] == '/' && p[1] == '*') {
      while (*p && !(p[0] == '*' && p[1] == '/')) {
        if (*p != '\n') *p = ' ';
        p++;
      }
      if (!*p) break;
      p[0] = p[1] = ' ';
    } else if (*p == '"' || *p == '\'') {
      char end = *p++;
      while (*p && *p != end && *p != '\n') {
        if (*p == '\\' && p[1]) *p++ = ' ';
        *p++ = ' ';
      }
      if (!*p) break;
    }
  }
  return s;
}

// dynamic writes each "extern __shared__ T x[];" as a pointer to dynamic shared memory.
static int dynamic(FILE *out, const char *source, char *s) {
  size_t done = 0;
  for (char *p = s; (p = taso_word(p, "extern"));) {
    char *q = p + 6;
    q += strspn(q, " \t\n");
    if (strncmp(q, "__shared__", 10)) {
      p = q;
      continue;
    }
    q += 10;
    char *open = strchr(q, '['), *end = open ? strchr(open, ';') : NULL;
    if (!end) return -1;
    char *stop = open;
    while (stop > q && isspace((unsigned char)stop[-1])) stop--;
    char *id = stop;
    while (id > q && taso_in_word(id[-1])) id--;
    char *type = q + strspn(q, " \t\n");
    if (!strncmp(type, "__align__", 9)) type = strchr(type, ')') + 1;
    fwrite(source + done, 1, (size_t)(p - s) - done, out);
    fprintf(out, "%.*s *const %.*s = (%.*s *)taso_dynamic", (int)(id - type), type, (int)(stop - id), id, (int)(id - type), type);
    done = (size_t)(end - s);
    p = end;
  }
  fputs(source + done, out);
  return 0;
}

// kernels writes what makes the functions that are __global__ known by name.
static void kernels(FILE *out, char *s) {
  int meets = strstr(s, "__sync") || strstr(s, "__shfl") || strstr(s, "_sync(");
  for (char *p = s; (p = taso_word(p, "__global__")); p += 10) {
    char *body = p + strcspn(p, "{;");
    if (*body != '{') continue;
    int bound = 0;
    char *q = p + 10;
    while (q < body) { // the first name before a parenthesis that is no attribute
      char *open = strchr(q, '(');
      if (!open || open > body) break;
      char *stop = open;
      while (isspace((unsigned char)stop[-1])) stop--;
      char *id = stop;
      while (taso_in_word(id[-1])) id--;
      if (!strncmp(id, "__launch_bounds__", 17)) {
        bound = atoi(open + 1);
      } else if (strncmp(id, "__", 2)) {
        fprintf(out, "TASO_KERNEL(%.*s, %d, %d)\n", (int)(stop - id), id, bound, meets);
        break;
      }
      q = strchr(open, ')');
      if (!q) break;
      q++;
    }
  }
}

// vectors says whether the source may name a type such as float4.
static int vectors(const char *s) {
  static const char *const of[] = {"float", "double", "int", "char", "short", "longlong"};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    for (const char *p = s; (p = strstr(p, of[i])); p++)
      if (isdigit((unsigned char)p[strlen(of[i])])) return 1;
  return 0;
}

static uint64_t hash(uint64_t h, const char *s) {
  for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
  return (h ^ 0xff) * 0x100000001b3ull;
}

static char *slurp(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) return strdup("");
  char *text = NULL;
  size_t n = 0;
  FILE *all = open_memstream(&text, &n);
  for (int c; (c = getc(f)) != EOF;) putc(c, all);
  fclose(f);
  fclose(all);
  return text;
}

void taso_folder(char *dir, size_t size) {
  Dl_info self;
  dladdr((void *)taso_compile, &self);
  char *path = realpath(self.dli_fname, NULL); // libraries may be reached by links
  snprintf(dir, size, "%s", path ? path : self.dli_fname);
  free(path);
  *strrchr(dir, '/') = 0;
}

int taso_compile(const char *source, const char *name, int arch, int flags, char **path, char **log) {
  static atomic_uint turn;
  *path = *log = NULL;
  char *s = NULL;
  asprintf(&s, "\n%s", source); // taso_word looks at what is before a word
  char *plain = bare(s);
  free(s);
  *log = taso_judge(plain + 1, name);
  if (*log) {
    free(plain);
    return -1;
  }
  char *code = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&code, &size);
  if (strstr(plain + 1, "atomic")) fputs("#define TASO_ATOMICS\n", out);
  if (vectors(plain + 1)) fputs("#define TASO_VECTORS\n", out);
  fprintf(out, "#include \"prelude.h\"\n#line 1 \"%s\"\n", name);
  int odd = dynamic(out, source, plain + 1);
  fprintf(out, "\n#line 1 \"of the fake\"\n");
  kernels(out, plain + 1);
  fclose(out);
  free(plain);
  if (odd) {
    free(code);
    *log = strdup("extern __shared__ without an array\n");
    return -1;
  }
  char dir[2048];
  taso_folder(dir, sizeof dir);
  char tag[64];
  snprintf(tag, sizeof tag, "%d %d", arch, flags);
  char stem[4096], temp[4200], text[4300], report[4300];
  snprintf(stem, sizeof stem, "%s/kernels/%016llx%016llx.so", dir, (unsigned long long)hash(hash(0xcbf29ce484222325ull, code), tag),
           (unsigned long long)hash(hash(0x9e3779b97f4a7c15ull, code), tag));
  if (access(stem, R_OK) == 0) {
    free(code);
    *path = strdup(stem);
    return 0;
  }
  snprintf(temp, sizeof temp, "%s/kernels/%d.%u", dir, (int)getpid(), atomic_fetch_add(&turn, 1));
  snprintf(text, sizeof text, "%s.cc", temp);
  snprintf(report, sizeof report, "%s.log", temp);
  FILE *f = fopen(text, "w");
  int wrong = !f || fwrite(code, 1, size, f) != size;
  if (f) wrong |= fclose(f);
  free(code);
  char include[2100], define[64], support[2100];
  snprintf(include, sizeof include, "-I%s", dir);
  snprintf(support, sizeof support, "%s/support.o", dir);
  snprintf(define, sizeof define, "-DTASO_ARCH=%d", arch * 10);
  const char *cxx = getenv("TASO_FAKE_CXX");
  // Contraction is off: the fake rounds each operation, whatever --fmad says. No library
  // is named: reading them takes as long as the rest, and the C library is there.
  const char *args[48] = {cxx ? cxx : "g++", "-std=c++14", "-pedantic-errors", "-O1", "-fPIC", "-shared", "-nostdlib", "-pipe", "-fvisibility=hidden",
                          "-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-fno-asynchronous-unwind-tables", "-ffp-contract=off",
                          "-fno-math-errno", "-Werror=vla", "-Werror=overflow", "-Werror=return-type", "-fno-diagnostics-show-caret",
                          "-fsanitize=bounds,signed-integer-overflow,integer-divide-by-zero", "-s", "-fno-use-linker-plugin",
                          include, define, text, support, "-o", temp};
  int n = 0;
  while (args[n]) n++;
  if (!(flags & TASO_UNCHECKED)) {
    static const char *const checks[] = {"-fsanitize=kernel-address", "--param=asan-stack=0", "--param=asan-globals=0",
                                         "--param=asan-instrumentation-with-call-threshold=0"};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) args[n++] = checks[i];
  }
  posix_spawn_file_actions_t to;
  posix_spawn_file_actions_init(&to);
  posix_spawn_file_actions_addopen(&to, 1, report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&to, 1, 2);
  pid_t pid;
  int status = -1;
  if (!wrong && posix_spawnp(&pid, args[0], &to, NULL, (char *const *)args, environ) == 0) waitpid(pid, &status, 0);
  posix_spawn_file_actions_destroy(&to);
  if (status == 0 && rename(temp, stem) == 0) {
    *path = strdup(stem);
  } else {
    *log = slurp(report);
    if (!**log) {
      free(*log);
      asprintf(log, "cannot run %s in %s/kernels\n", args[0], dir);
    }
    unlink(temp);
  }
  unlink(text);
  unlink(report);
  return *path ? 0 : -1;
}
