//go:build cgo && linux && (amd64 || arm64)

// device.c: a device's primary context, its stream and its memory.
#include "dl.h"

#include <stdlib.h>
#include <string.h>

void taso_nothing(void) {}

int taso_devices(const taso_libs *libs, int *n, taso_error *err) {
	*n = 0;
	if (CU(libs, err, cuInit, 0)) return err->code;
	return CU(libs, err, cuDeviceGetCount, n);
}

int taso_query(const taso_libs *libs, int ordinal, taso_properties *p, taso_error *err) {
	memset(p, 0, sizeof *p);
	int dev;
	if (CU(libs, err, cuDeviceGet, &dev, ordinal) || CU(libs, err, cuDeviceGetName, p->name, (int)sizeof p->name - 1, dev) ||
	    CU(libs, err, cuDeviceTotalMem_v2, &p->memory, dev))
		return err->code;
	const struct {
		int attribute, *to;
	} list[] = {
		{TASO_ATTR_CC_MAJOR, &p->major},
		{TASO_ATTR_CC_MINOR, &p->minor},
		{TASO_ATTR_MULTIPROCESSORS, &p->sms},
		{TASO_ATTR_MAX_SHARED_PER_BLOCK, &p->shared},
		{TASO_ATTR_MAX_SHARED_OPTIN, &p->shared_optin},
		{TASO_ATTR_L2_BYTES, &p->l2},
		{TASO_ATTR_CLOCK_KHZ, &p->clock_khz},
		{TASO_ATTR_MEMORY_CLOCK_KHZ, &p->memory_khz},
		{TASO_ATTR_MEMORY_BUS_BITS, &p->bus_bits},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (CU(libs, err, cuDeviceGetAttribute, list[i].to, list[i].attribute, dev)) return err->code;
	return 0;
}

// taso_dev_open makes the device's primary context current on this thread. All
// later calls on the device come from this thread.
taso_dev *taso_dev_open(const taso_libs *libs, int ordinal, taso_error *err) {
	taso_dev *d = calloc(1, sizeof *d);
	if (!d) {
		taso_fail(err, TASO_LIB_DRIVER, "calloc", -1);
		return NULL;
	}
	d->libs = libs;
	void *context, *stream;
	if (CU(libs, err, cuInit, 0) || CU(libs, err, cuDeviceGet, &d->device, ordinal)) goto fail;
	if (CU(libs, err, cuDevicePrimaryCtxRetain, &context, d->device)) goto fail;
	d->context = context;
	d->live.contexts++;
	if (CU(libs, err, cuCtxSetCurrent, context)) goto fail;
	if (CU(libs, err, cuStreamCreate, &stream, TASO_STREAM_NON_BLOCKING)) goto fail;
	d->stream = stream;
	d->live.streams++;
	if (taso_event_new(d, &d->start, err) || taso_event_new(d, &d->end, err)) goto fail;
	return d;
fail:
	taso_dev_close(d, err);
	return NULL;
}

// taso_dev_close gives back what the device holds; modules, memory and plans
// are the caller's to free before.
int taso_dev_close(taso_dev *d, taso_error *err) {
	const taso_libs *libs = d->libs;
	if (d->lt) LT(libs, err, cublasLtDestroy, d->lt);
	if (d->dnn) DNN(libs, err, cudnnDestroy, d->dnn);
	if (d->start) taso_event_free(d, d->start, err);
	if (d->end) taso_event_free(d, d->end, err);
	if (d->stream) CU(libs, err, cuStreamDestroy_v2, d->stream);
	if (d->context) {
		CU(libs, err, cuCtxSetCurrent, NULL);
		CU(libs, err, cuDevicePrimaryCtxRelease_v2, d->device);
	}
	free(d);
	return err->code;
}

int taso_sync(taso_dev *d, taso_error *err) { return CU(d->libs, err, cuStreamSynchronize, d->stream); }

// taso_context_state asks the driver whether the context is still good.
int taso_context_state(taso_dev *d, taso_error *err) { return CU(d->libs, err, cuCtxSynchronize); }

int taso_alloc(taso_dev *d, size_t bytes, taso_devptr *p, taso_error *err) {
	if (CU(d->libs, err, cuMemAlloc_v2, p, bytes)) return err->code;
	d->live.allocations++;
	return 0;
}

int taso_free(taso_dev *d, taso_devptr p, taso_error *err) {
	d->live.allocations--;
	return CU(d->libs, err, cuMemFree_v2, p);
}

int taso_copy_in(taso_dev *d, taso_devptr to, const void *from, size_t bytes, taso_error *err) {
	if (CU(d->libs, err, cuMemcpyHtoDAsync_v2, to, from, bytes, d->stream)) return err->code;
	return taso_sync(d, err);
}

int taso_copy_out(taso_dev *d, void *to, taso_devptr from, size_t bytes, taso_error *err) {
	if (CU(d->libs, err, cuMemcpyDtoHAsync_v2, to, from, bytes, d->stream)) return err->code;
	return taso_sync(d, err);
}

int taso_fill(taso_dev *d, taso_devptr p, int value, size_t bytes, taso_error *err) {
	if (CU(d->libs, err, cuMemsetD8Async, p, (unsigned char)value, bytes, d->stream)) return err->code;
	return taso_sync(d, err);
}

int taso_memory(taso_dev *d, size_t *free, size_t *total, taso_error *err) {
	return CU(d->libs, err, cuMemGetInfo_v2, free, total);
}

int taso_module_load(taso_dev *d, const void *image, void **module, taso_error *err) {
	if (CU(d->libs, err, cuModuleLoadData, module, image)) return err->code;
	d->live.modules++;
	return 0;
}

int taso_module_unload(taso_dev *d, void *module, taso_error *err) {
	d->live.modules--;
	return CU(d->libs, err, cuModuleUnload, module);
}

// taso_function finds a kernel; shared is the dynamic shared memory in bytes that
// its launches may ask for. Without being asked, a kernel may have 48 KB less what
// is static in it.
int taso_function(taso_dev *d, void *module, const char *name, int shared, void **function, taso_error *err) {
	if (CU(d->libs, err, cuModuleGetFunction, function, module, name)) return err->code;
	if (shared <= 0) return 0;
	return CU(d->libs, err, cuFuncSetAttribute, *function, TASO_FUNC_MAX_DYNAMIC_SHARED, shared);
}

int taso_event_new(taso_dev *d, void **event, taso_error *err) {
	void *e;
	if (CU(d->libs, err, cuEventCreate, &e, 0)) return err->code;
	*event = e;
	d->live.events++;
	return 0;
}

int taso_event_free(taso_dev *d, void *event, taso_error *err) {
	d->live.events--;
	return CU(d->libs, err, cuEventDestroy_v2, event);
}

int taso_elapsed(taso_dev *d, void *start, void *end, float *ms, taso_error *err) {
	if (d->libs->cu.cuEventElapsedTime_v2) return CU(d->libs, err, cuEventElapsedTime_v2, ms, start, end);
	return CU(d->libs, err, cuEventElapsedTime, ms, start, end);
}
