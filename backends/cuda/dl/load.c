//go:build cgo && linux && (amd64 || arm64)

// load.c: libraries by dlopen, their functions by dlsym.
#define _GNU_SOURCE
#include "dl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define NEED(result, name, params) \
	if (!(*(void **)&t->name = dlsym(handle, #name)) && !missing) missing = #name;
#define WISH(result, name, params) *(void **)&t->name = dlsym(handle, #name);
#define FILLS(function, table, list) \
	static const char *function(table *t, void *handle) { \
		const char *missing = NULL; \
		list(NEED, WISH) \
		return missing; \
	}

// Each fills a table and returns the first function that is missing, or NULL.
FILLS(fill_driver, taso_driver, TASO_DRIVER)
FILLS(fill_nvrtc, taso_nvrtc, TASO_NVRTC)
FILLS(fill_cublaslt, taso_cublaslt, TASO_CUBLASLT)
FILLS(fill_cudnn, taso_cudnn, TASO_CUDNN)

static const char *fill(taso_libs *libs, int lib, void *handle) {
	switch (lib) {
	case TASO_LIB_DRIVER: return fill_driver(&libs->cu, handle);
	case TASO_LIB_NVRTC: return fill_nvrtc(&libs->rtc, handle);
	case TASO_LIB_CUBLASLT: return fill_cublaslt(&libs->lt, handle);
	default: return fill_cudnn(&libs->dnn, handle);
	}
}

static void versions(const taso_libs *libs, int lib, taso_probe *p) {
	int a = 0, b = 0;
	switch (lib) {
	case TASO_LIB_DRIVER:
		if (libs->cu.cuDriverGetVersion(&a) == 0) p->version = p->cuda = a;
		return;
	case TASO_LIB_NVRTC:
		if (libs->rtc.nvrtcVersion(&a, &b) == 0) p->version = p->cuda = 1000 * (int64_t)a + 10 * b;
		return;
	case TASO_LIB_CUBLASLT: // 10000*major + 100*minor + patch, numbered as CUDA is
		p->version = (int64_t)libs->lt.cublasLtGetVersion();
		p->cuda = p->version / 10000 * 1000 + p->version / 100 % 100 * 10;
		return;
	default:
		p->version = (int64_t)libs->dnn.cudnnGetVersion();
		p->cuda = (int64_t)libs->dnn.cudnnGetCudartVersion();
	}
}

// taso_probe_library opens a library and asks it for its version. name is a file,
// or a bare name, which the dynamic loader looks up. Symbols stay local: what the
// libraries load themselves is found by their names all the same.
taso_probe taso_probe_library(int lib, const char *name) {
	taso_probe p = {0};
	p.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!p.handle) {
		const char *e = dlerror();
		p.error = strdup(e ? e : "dlopen failed");
		return p;
	}
	struct link_map *map;
	if (dlinfo(p.handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name) p.path = strdup(map->l_name);
	taso_libs libs = {0};
	p.missing = fill(&libs, lib, p.handle);
	if (!p.missing) versions(&libs, lib, &p);
	return p;
}

void taso_probe_free(taso_probe *p) {
	free(p->path);
	free(p->error);
}

void taso_take(taso_libs *libs, int lib, void *handle) { fill(libs, lib, handle); }

void taso_shut(void *handle) { dlclose(handle); }

// Statuses of cuBLAS, which tells none of its names in all versions.
static const struct {
	int code;
	const char *name, *text;
} cublas[] = {
	{1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library is not initialized"},
	{3, "CUBLAS_STATUS_ALLOC_FAILED", "out of memory"},
	{7, "CUBLAS_STATUS_INVALID_VALUE", "invalid value"},
	{8, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks a feature"},
	{11, "CUBLAS_STATUS_MAPPING_ERROR", "memory cannot be reached"},
	{13, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel failed"},
	{14, "CUBLAS_STATUS_INTERNAL_ERROR", "internal error"},
	{15, "CUBLAS_STATUS_NOT_SUPPORTED", "not supported"},
};

// taso_error_text gives the name of an error and what it means; the strings are
// the libraries'.
void taso_error_text(const taso_libs *libs, int lib, int code, const char **name, const char **text) {
	*name = *text = NULL;
	switch (lib) {
	case TASO_LIB_DRIVER:
		if (libs->cu.cuGetErrorName && libs->cu.cuGetErrorName(code, name)) *name = NULL;
		if (libs->cu.cuGetErrorString && libs->cu.cuGetErrorString(code, text)) *text = NULL;
		return;
	case TASO_LIB_NVRTC: *name = libs->rtc.nvrtcGetErrorString(code); return;
	case TASO_LIB_CUDNN: *name = libs->dnn.cudnnGetErrorString(code); return;
	default:
		for (size_t i = 0; i < sizeof cublas / sizeof *cublas; i++)
			if (cublas[i].code == code) *name = cublas[i].name, *text = cublas[i].text;
	}
}

// What the driver keeps returning once a context is lost. UNKNOWN is counted
// among them: nothing says that the context survived it.
static int sticky(int code) {
	switch (code) {
	case TASO_CU_ECC_UNCORRECTABLE:
	case TASO_CU_NVLINK_UNCORRECTABLE:
	case TASO_CU_ILLEGAL_ADDRESS:
	case TASO_CU_LAUNCH_TIMEOUT:
	case TASO_CU_CONTEXT_IS_DESTROYED:
	case TASO_CU_ASSERT:
	case TASO_CU_HARDWARE_STACK_ERROR:
	case TASO_CU_ILLEGAL_INSTRUCTION:
	case TASO_CU_MISALIGNED_ADDRESS:
	case TASO_CU_INVALID_ADDRESS_SPACE:
	case TASO_CU_INVALID_PC:
	case TASO_CU_LAUNCH_FAILED:
	case TASO_CU_UNKNOWN: return 1;
	}
	return 0;
}

int taso_fail(taso_error *err, int lib, const char *call, int code) {
	if (code && !err->code) {
		err->code = code;
		err->lib = lib;
		err->call = call;
		err->at = -1;
	}
	if (code && lib == TASO_LIB_DRIVER && sticky(code)) err->sticky = 1;
	return code;
}
