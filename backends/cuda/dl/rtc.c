//go:build cgo && linux && (amd64 || arm64)

// rtc.c: CUDA C to CUBIN.
#include "dl.h"

#include <stdlib.h>

// compile fills out->cubin; what fails leaves the compiler's log.
static int compile(const taso_libs *libs, void *program, int n, const char *const *options, taso_compiled *out, taso_error *err) {
	int failed = RTC(libs, err, nvrtcCompileProgram, program, n, options);
	size_t bytes = 0;
	if (failed) {
		taso_error more = {0}; // a log that cannot be had is no second error
		if (RTC(libs, &more, nvrtcGetProgramLogSize, program, &bytes) == 0 && bytes && (out->log = calloc(bytes + 1, 1)))
			RTC(libs, &more, nvrtcGetProgramLog, program, out->log);
		return failed;
	}
	if (RTC(libs, err, nvrtcGetCUBINSize, program, &bytes)) return err->code;
	out->cubin = malloc(bytes ? bytes : 1);
	if (!out->cubin) return taso_fail(err, TASO_LIB_NVRTC, "malloc", -1);
	out->bytes = bytes;
	return RTC(libs, err, nvrtcGetCUBIN, program, out->cubin);
}

// taso_compile compiles one program. What is in *out is the caller's to free,
// on failure too.
int taso_compile(const taso_libs *libs, const char *source, const char *name, int n, const char *const *options,
                 taso_compiled *out, taso_error *err) {
	void *program = NULL;
	if (RTC(libs, err, nvrtcCreateProgram, &program, source, name, 0, NULL, NULL)) return err->code;
	compile(libs, program, n, options, out, err);
	RTC(libs, err, nvrtcDestroyProgram, &program);
	return err->code;
}

// taso_archs tells the architectures (90 is sm_90) that the compiler knows, most
// of them at most; *n is how many there are.
int taso_archs(const taso_libs *libs, int *archs, int most, int *n, taso_error *err) {
	if (RTC(libs, err, nvrtcGetNumSupportedArchs, n)) return err->code;
	if (*n > most) return taso_fail(err, TASO_LIB_NVRTC, "nvrtcGetNumSupportedArchs", -1);
	return RTC(libs, err, nvrtcGetSupportedArchs, archs);
}
