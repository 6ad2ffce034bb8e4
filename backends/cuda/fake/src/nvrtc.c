// nvrtc.c: the fake NVRTC, whose CUBIN is a shared object made by g++.
#define _GNU_SOURCE
#include "compile.h"
#include "core.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
  struct taso_object o;
  char *source, *name, *log, *cubin;
  size_t bytes;
};

enum { OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6, INTERNAL = 11 };

API(const char *, nvrtcGetErrorString, (int error)) {
  static const char *const names[] = {
      "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
      "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR"};
  return error >= 0 && (size_t)error < sizeof names / sizeof *names ? names[error] : "NVRTC_ERROR unknown";
}

API(int, nvrtcVersion, (int *major, int *minor)) {
  ENTER(TASO_NVRTC, 0);
  if (!major || !minor) return taso_refuse(INVALID_INPUT, "NULL");
  *major = (int)(taso_settings.nvrtc_version / 1000);
  *minor = (int)(taso_settings.nvrtc_version / 10 % 100);
  return 0;
}

// known lists the architectures of the version.
static int known(int *archs) {
  static const int all[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  long long v = taso_settings.nvrtc_version;
  int n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int a = all[i];
    if (v >= 13000 ? a < 75 || a == 101 : a == 88 || a == 110) continue;
    if (v < 12080 && a >= 100) continue;
    if (v < 11080 && a >= 89) continue;
    if (archs) archs[n] = a;
    n++;
  }
  return n;
}

API(int, nvrtcGetNumSupportedArchs, (int *n)) {
  ENTER(TASO_NVRTC, 0);
  if (!n) return taso_refuse(INVALID_INPUT, "NULL");
  *n = known(NULL);
  return 0;
}

API(int, nvrtcGetSupportedArchs, (int *archs)) {
  ENTER(TASO_NVRTC, 0);
  if (!archs) return taso_refuse(INVALID_INPUT, "NULL");
  known(archs);
  return 0;
}

API(int, nvrtcCreateProgram, (void **program, const char *source, const char *name, int n, const char *const *headers, const char *const *names)) {
  ENTER(TASO_NVRTC, 0);
  if (!program || !source) return taso_refuse(INVALID_INPUT, "NULL");
  if (n || headers || names) return taso_refuse(INVALID_INPUT, "the fake takes no headers");
  struct program *p = taso_new(TASO_PROGRAM, sizeof *p);
  if (!p) return OUT_OF_MEMORY;
  p->source = strdup(source);
  p->name = strdup(name ? name : "default_program");
  *program = p;
  return 0;
}

API(int, nvrtcDestroyProgram, (void **program)) {
  GIVES(TASO_NVRTC, 0);
  if (!program || !taso_is(*program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  struct program *p = *program;
  free(p->source);
  free(p->name);
  free(p->log);
  free(p->cubin);
  taso_end(p);
  *program = NULL;
  return wrong;
}

// option reads one: 0, or what is wrong with it in *log.
static int option(const char *o, int *arch, char **log) {
  static const char *const fine[] = {"--std=c++11", "-std=c++11", "--std=c++14", "-std=c++14", "--std=c++17", "-std=c++17", "--fmad=true", "-fmad=true",
                                     "--fmad=false", "-fmad=false", "--use_fast_math", "-use_fast_math", "--generate-line-info", "-lineinfo",
                                     "--restrict", "-restrict", "--device-as-default-execution-space", "-default-device", "--extra-device-vectorization"};
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
    if (!strcmp(o, fine[i])) return 0;
  char unit[16], end;
  if (sscanf(o, "--gpu-architecture=%15[a-z]_%d%c", unit, arch, &end) == 2 || sscanf(o, "-arch=%15[a-z]_%d%c", unit, arch, &end) == 2) {
    int archs[32], n = known(archs);
    for (int i = 0; i < n; i++)
      if (archs[i] == *arch && (!strcmp(unit, "sm") || !strcmp(unit, "compute"))) {
        if (*unit == 'c') *arch = 0; // for no device, so there is no CUBIN
        return 0;
      }
    asprintf(log, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
    return INVALID_OPTION;
  }
  asprintf(log, "nvrtc: error: unrecognized option %s found\n", o);
  return INVALID_OPTION;
}

// like_nvrtc writes g++'s file:line:column: as file(line):.
static char *like_nvrtc(const char *log) {
  regex_t place;
  regcomp(&place, "^([^:\n]+):([0-9]+):([0-9]+:)? ", REG_EXTENDED | REG_NEWLINE);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  regmatch_t m[4];
  while (regexec(&place, log, 4, m, 0) == 0) {
    fprintf(out, "%.*s%.*s(%.*s): ", (int)m[0].rm_so, log, (int)(m[1].rm_eo - m[1].rm_so), log + m[1].rm_so, (int)(m[2].rm_eo - m[2].rm_so),
            log + m[2].rm_so);
    log += m[0].rm_eo;
  }
  fputs(log, out);
  fclose(out);
  regfree(&place);
  return text;
}

static char *whole_file(const char *path, size_t *bytes) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *data = NULL;
  if (fseek(f, 0, SEEK_END) == 0 && (long)(*bytes = (size_t)ftell(f)) > 0 && (data = malloc(*bytes))) {
    rewind(f);
    if (fread(data, 1, *bytes, f) != *bytes) free(data), data = NULL;
  }
  fclose(f);
  return data;
}

// prepare is what of compiling is done while no other call is made.
static int prepare(void *program, int n, const char *const *options, int *arch, int *unchecked) {
  LOCKED;
  int wrong = taso_enter(TASO_NVRTC, "nvrtcCompileProgram", 0);
  if (wrong) return wrong;
  if (!taso_is(program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  if (n < 0 || (n && !options)) return taso_refuse(INVALID_INPUT, "%d options", n);
  struct program *p = program;
  free(p->log);
  free(p->cubin);
  p->log = p->cubin = NULL;
  p->bytes = 0;
  *arch = 0;
  for (int i = 0; i < n; i++)
    if (option(options[i], arch, &p->log)) return taso_refuse(INVALID_OPTION, "%s", p->log);
  *unchecked = taso_settings.unchecked ? TASO_UNCHECKED : 0;
  return 0;
}

API(int, nvrtcCompileProgram, (void *program, int n, const char *const *options)) {
  int arch = 0, flags = 0, bad = prepare(program, n, options, &arch, &flags);
  if (bad) return bad;
  struct program *p = program;
  char *path, *log;
  if (taso_compile(p->source, p->name, arch ? arch : 75, flags, &path, &log)) {
    p->log = like_nvrtc(log);
    free(log);
    return COMPILATION;
  }
  if (arch) p->cubin = whole_file(path, &p->bytes);
  free(path);
  return p->cubin || !arch ? 0 : INTERNAL;
}

API(int, nvrtcGetProgramLogSize, (void *program, size_t *bytes)) {
  ENTER(TASO_NVRTC, 0);
  if (!bytes) return taso_refuse(INVALID_INPUT, "NULL");
  if (!taso_is(program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  struct program *p = program;
  *bytes = (p->log ? strlen(p->log) : 0) + 1;
  return 0;
}

API(int, nvrtcGetProgramLog, (void *program, char *log)) {
  ENTER(TASO_NVRTC, 0);
  if (!log) return taso_refuse(INVALID_INPUT, "NULL");
  if (!taso_is(program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  struct program *p = program;
  strcpy(log, p->log ? p->log : "");
  return 0;
}

API(int, nvrtcGetCUBINSize, (void *program, size_t *bytes)) {
  ENTER(TASO_NVRTC, 0);
  if (!bytes) return taso_refuse(INVALID_INPUT, "NULL");
  if (!taso_is(program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  struct program *p = program;
  *bytes = p->bytes; // none before it is compiled
  return 0;
}

API(int, nvrtcGetCUBIN, (void *program, char *cubin)) {
  ENTER(TASO_NVRTC, 0);
  if (!cubin) return taso_refuse(INVALID_INPUT, "NULL");
  if (!taso_is(program, TASO_PROGRAM)) return taso_refuse(INVALID_PROGRAM, "no program");
  struct program *p = program;
  if (p->bytes) memcpy(cubin, p->cubin, p->bytes);
  return 0;
}
