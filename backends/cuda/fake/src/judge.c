#define _GNU_SOURCE
#include "judge.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int taso_in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

char *taso_word(char *p, const char *w) {
  for (size_t n = strlen(w); (p = strstr(p, w)); p += n) {
    if (!taso_in_word(p[n]) && !taso_in_word(p[-1])) return p;
  }
  return NULL;
}

static int line_of(const char *s, const char *p) {
  int line = 1;
  for (; s < p; s++) line += *s == '\n';
  return line;
}

// says is the text of an error.
static char *says(const char *source, const char *at, const char *name, const char *what) {
  char *text;
  return asprintf(&text, "%s(%d): error: %s\n", name, line_of(source, at), what) < 0 ? NULL : text;
}

// has says whether one of the words is in the text from p to end.
static int has(const char *p, const char *end, const char *const *words) {
  char *text = NULL;
  if (asprintf(&text, " %.*s ", (int)(end - p), p) < 0) return 0;
  int found = 0;
  for (; *words && !found; words++) found = taso_word(text + 1, *words) != NULL;
  free(text);
  return found;
}

static const char *const marks[] = {"__device__", "__global__", NULL}, *const places[] = {"__device__", "__constant__", "__shared__", NULL},
                        *const types[] = {"struct", "class", "union", "enum", "namespace", "typedef", "using", "static_assert", NULL},
                        *const fixed[] = {"const", "constexpr", NULL};

// variable judges a declaration that ends with ';' and is no function.
static char *variable(const char *source, const char *name, const char *from, const char *to) {
  while (from < to && isspace((unsigned char)*from)) from++;
  const char *init = memchr(from, '=', (size_t)(to - from)), *open = memchr(from, '(', (size_t)(to - from)), *array = memchr(from, '[', (size_t)(to - from));
  if (from == to || has(from, to, types) || (open && (!init || open < init)) || has(from, to, places)) return NULL;
  if (!array && has(from, to, fixed)) return NULL; // a constant, which is folded
  return says(source, from, name, "a variable of the host is undefined in device code: it wants __device__ or __constant__");
}

// unmarked finds functions and variables that are the host's, as they do not say where they are.
static char *unmarked(char *source, const char *name) {
  enum { TYPE, BODY, INIT } kind = TYPE;
  const char *start = source;
  int depth = 0;
  for (const char *p = source; *p; p++) {
    if (*p == '#') { // a line of the preprocessor
      while (p[1] && (p[1] != '\n' || *p == '\\')) p++;
      if (!depth) start = p + 1;
    } else if (*p == '{') {
      if (depth++) continue;
      const char *open = memchr(start, '(', (size_t)(p - start)), *init = memchr(start, '=', (size_t)(p - start));
      kind = init && (!open || init < open) ? INIT : open ? BODY : TYPE;
      if (kind == TYPE && !has(start, p, types)) depth = 0, start = p + 1; // extern "C" {
      if (kind == BODY && !has(start, p, marks)) {
        while (isspace((unsigned char)*start)) start++;
        return says(source, start, name, "a function of the host cannot be called from a kernel: it wants __device__");
      }
    } else if (*p == '}') {
      if (depth && --depth) continue;
      if (kind == BODY) start = p + 1, kind = TYPE;
    } else if (*p == ';' && !depth) {
      char *wrong = variable(source, name, start, p);
      if (wrong) return wrong;
      start = p + 1;
    }
  }
  return NULL;
}

// initialized finds a __shared__ variable with an initializer.
static char *initialized(char *source, const char *name) {
  for (char *p = source; (p = taso_word(p, "__shared__")); p += 10) {
    if (p[strcspn(p, "=;{")] == '=') return says(source, p, name, "an initializer is not allowed for a __shared__ variable");
  }
  return NULL;
}

char *taso_judge(char *s, const char *name) {
  char *p;
  for (p = s; (p = strstr(p, "__builtin_")); p += 10) {
    if (strncmp(p, "__builtin_assume", 16) && strncmp(p, "__builtin_unreachable", 21))
      return says(s, p, name, "NVRTC does not know the functions __builtin_... of other compilers");
  }
  for (p = s; (p = strchr(p, '#')); p++) {
    if (!strncmp(p + 1 + strspn(p + 1, " \t"), "include", 7)) return says(s, p, name, "cannot open source file: there are no headers");
  }
  static const char *const others[] = {"__int128", "_Float16", "__float128", "__typeof__", "typeof"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if ((p = taso_word(s, others[i]))) return says(s, p, name, "not every NVRTC knows this type");
  }
  if ((p = taso_word(s, "asm"))) return says(s, p, name, "the fake cannot run assembler");
  if ((p = initialized(s, name))) return p;
  return unmarked(s, name);
}
