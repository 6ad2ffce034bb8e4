// driver.c: devices, contexts and memory of the fake driver.
#include "driver.h"

#include "core.h"
#include "memory.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 8 };

static struct context {
  int refs, number; // number: of its lives, as a thread may know one that ended
  long long used;   // bytes
} contexts[DEVICES];

static __thread struct context *current;
static __thread int current_number;
static int ready; // cuInit was called

int taso_has_context(void) { return current && current->refs && current->number == current_number; }
int taso_device(void) { return taso_has_context() ? (int)(current - contexts) : 0; }

int taso_shared_optin(void) {
  long long cc = 10 * taso_settings.major + taso_settings.minor;
  int kib = cc >= 120 ? 99 : cc >= 90 ? 227 : cc == 86 || cc == 89 ? 99 : cc >= 80 ? 163 : cc == 75 ? 64 : 96;
  return kib << 10;
}

#define X(code, name, text) {code, "CUDA_ERROR_" #name, text},
static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    X(1, INVALID_VALUE, "invalid argument") X(2, OUT_OF_MEMORY, "out of memory") X(3, NOT_INITIALIZED, "initialization error")
    X(4, DEINITIALIZED, "driver shutting down") X(100, NO_DEVICE, "no CUDA-capable device is detected")
    X(101, INVALID_DEVICE, "invalid device ordinal") X(200, INVALID_IMAGE, "device kernel image is invalid")
    X(201, INVALID_CONTEXT, "invalid device context") X(209, NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device")
    X(214, ECC_UNCORRECTABLE, "uncorrectable ECC error encountered") X(400, INVALID_HANDLE, "invalid resource handle")
    X(500, NOT_FOUND, "named symbol not found") X(600, NOT_READY, "device not ready")
    X(700, ILLEGAL_ADDRESS, "an illegal memory access was encountered") X(701, LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")
    X(702, LAUNCH_TIMEOUT, "the launch timed out and was terminated") X(709, CONTEXT_IS_DESTROYED, "context is destroyed")
    X(716, MISALIGNED_ADDRESS, "misaligned address") X(719, LAUNCH_FAILED, "unspecified launch failure")
    X(801, NOT_SUPPORTED, "operation not supported")
    X(803, SYSTEM_DRIVER_MISMATCH, "system has unsupported display driver / cuda driver combination")
    X(900, STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing")
    X(901, STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture")
    X(902, STREAM_CAPTURE_MERGE, "operation would result in a merge of separate capture sequences")
    X(907, CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream")
    X(908, STREAM_CAPTURE_WRONG_THREAD, "attempt to terminate a thread-local capture sequence from another thread")
    X(999, UNKNOWN, "unknown error")};
#undef X

// The library itself.

static int described(int error, const char **to, int text) {
  if (!to) return 1;
  *to = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == error) *to = text ? errors[i].text : errors[i].name;
  return *to ? 0 : 1;
}

// These tell of a failure, and are no part of what may fail.
API(int, cuGetErrorName, (int error, const char **name)) { return described(error, name, 0); }
API(int, cuGetErrorString, (int error, const char **text)) { return described(error, text, 1); }

API(int, cuInit, (unsigned flags)) {
  ENTER(TASO_DRIVER, 0);
  if (flags) return taso_refuse(1, "flags %u", flags);
  if (taso_settings.init) return taso_refuse((int)taso_settings.init, "asked to fail");
  if (taso_settings.devices == 0) return taso_refuse(100, "there are no devices");
  ready = 1;
  return 0;
}

API(int, cuDriverGetVersion, (int *version)) {
  ENTER(TASO_DRIVER, 0);
  if (!version) return taso_refuse(1, "NULL");
  *version = (int)taso_settings.driver_version;
  return 0;
}

// READY begins a function that wants cuInit before.
#define READY \
  ENTER(TASO_DRIVER, 0); \
  if (!ready) { \
    taso_problem("%s is called before cuInit", __func__ + 5); \
    return taso_refuse(3, "before cuInit"); \
  }
#define DEVICE(device) \
  if ((device) < 0 || (device) >= taso_settings.devices || (device) >= DEVICES) return taso_refuse(101, "device %d", device);

// Devices.

API(int, cuDeviceGetCount, (int *n)) {
  READY
  if (!n) return taso_refuse(1, "NULL");
  *n = (int)taso_settings.devices;
  return 0;
}

API(int, cuDeviceGet, (int *device, int ordinal)) {
  READY
  DEVICE(ordinal)
  *device = ordinal;
  return 0;
}

API(int, cuDeviceGetName, (char *name, int len, int device)) {
  READY
  DEVICE(device)
  if (!name || len < 1) return taso_refuse(1, "length %d", len);
  snprintf(name, (size_t)len, "Fake GPU");
  return 0;
}

API(int, cuDeviceTotalMem_v2, (size_t *bytes, int device)) {
  READY
  DEVICE(device)
  *bytes = (size_t)taso_settings.memory;
  return 0;
}

API(int, cuDeviceGetAttribute, (int *value, int attribute, int device)) {
  READY
  DEVICE(device)
  if (!value) return taso_refuse(1, "NULL");
  switch (attribute) {
  case 8: *value = 48 << 10; return 0;        // MAX_SHARED_MEMORY_PER_BLOCK
  case 13: *value = 1500000; return 0;        // CLOCK_RATE, kHz
  case 16: *value = 4; return 0;              // MULTIPROCESSOR_COUNT
  case 36: *value = 2000000; return 0;        // MEMORY_CLOCK_RATE, kHz
  case 37: *value = 256; return 0;            // GLOBAL_MEMORY_BUS_WIDTH, bits
  case 38: *value = 4 << 20; return 0;        // L2_CACHE_SIZE
  case 75: *value = (int)taso_settings.major; return 0;
  case 76: *value = (int)taso_settings.minor; return 0;
  case 97: *value = taso_shared_optin(); return 0;
  }
  return taso_refuse(1, "the fake has no attribute %d", attribute);
}

// Contexts.

API(int, cuDevicePrimaryCtxRetain, (void **context, int device)) {
  READY
  DEVICE(device)
  if (taso_lost()) return taso_lost();
  if (!context) return taso_refuse(1, "NULL");
  contexts[device].refs++;
  taso_count(TASO_CONTEXT, 1);
  *context = &contexts[device];
  return 0;
}

API(int, cuDevicePrimaryCtxRelease_v2, (int device)) {
  GIVES(TASO_DRIVER, 0);
  DEVICE(device)
  struct context *c = &contexts[device];
  if (!c->refs) {
    taso_problem("a primary context is released more often than it was retained");
    return taso_refuse(201, "it is not retained");
  }
  c->refs--;
  taso_count(TASO_CONTEXT, -1);
  if (!c->refs) {
    c->number++;
    taso_settle(1);
  }
  return wrong;
}

API(int, cuCtxSetCurrent, (void *context)) {
  ENTER(TASO_DRIVER, 0);
  if (!ready) return taso_refuse(3, "before cuInit");
  struct context *c = context;
  int known = !c;
  for (int i = 0; i < DEVICES; i++) known |= c == &contexts[i] && c->refs;
  if (!known) return taso_refuse(201, "no context");
  current = c;
  if (c) current_number = c->number;
  return 0;
}

// Memory.

API(int, cuMemGetInfo_v2, (size_t *free, size_t *total)) {
  ENTER(TASO_DRIVER, 1);
  long long left = taso_settings.memory - current->used;
  *free = left > 0 ? (size_t)left : 0;
  *total = (size_t)taso_settings.memory;
  return 0;
}

static long long rounded(size_t bytes) { return (long long)((bytes + 511) / 512 * 512); }

API(int, cuMemAlloc_v2, (uint64_t * p, size_t bytes)) {
  static unsigned count;
  ENTER(TASO_DRIVER, 1);
  if (!p || !bytes) return taso_refuse(1, "%zu bytes", bytes);
  if (taso_capturing("cuMemAlloc")) return 900;
  if (bytes > (size_t)taso_settings.memory || rounded(bytes) > taso_settings.memory - current->used)
    return taso_refuse(2, "%zu bytes of %lld, %lld of them used", bytes, taso_settings.memory, current->used);
  char name[32];
  snprintf(name, sizeof name, "allocation %u", ++count);
  char *m = taso_mem_new(bytes, name);
  if (!m) return taso_refuse(2, "%zu bytes, which the host has not", bytes);
  taso_mem_find(m, 0)->device = taso_device();
  current->used += rounded(bytes);
  taso_count(TASO_ALLOCATION, 1);
  *p = (uint64_t)m;
  return 0;
}

API(int, cuMemFree_v2, (uint64_t p)) {
  GIVES(TASO_DRIVER, 1);
  if (!p) return wrong;
  struct taso_block *b = taso_mem_find((void *)p, 0);
  if (!b || b->p != (char *)p || !b->live) {
    taso_problem("cuMemFree of %#llx, which is %s", (unsigned long long)p, b && !b->live ? "free" : "no allocation");
    return taso_refuse(1, "no allocation");
  }
  if (taso_capturing("cuMemFree")) return 900;
  // The driver may wait for the work itself, and is not bound to.
  if (taso_queued() && !taso_lost()) taso_problem("%s (%zu bytes) is freed while there is work that did not run", b->name, b->bytes);
  taso_settle(0);
  contexts[b->device].used -= rounded(b->bytes);
  taso_mem_drop(b->p);
  taso_count(TASO_ALLOCATION, -1);
  return wrong;
}

// Copies.

struct copy {
  char *to;
  const char *from;
  size_t bytes;
  int value, check; // check: 1: to is the device's, 2: from
};

static int outside(const struct copy *c) {
  const char *bad = c->check & 1 && !taso_mem_inside(c->to, c->bytes) ? c->to : c->check & 2 && !taso_mem_inside(c->from, c->bytes) ? c->from : NULL;
  if (!bad) return 0;
  const struct taso_block *b = taso_mem_find(bad, 0);
  taso_problem("a copy or fill of %zu bytes at %p: %s%s", c->bytes, (const void *)bad, !b ? "no memory is there" : b->live ? "they go beyond " : "that is the freed ",
               b ? b->name : "");
  return 1;
}

static int copied(const void *data) {
  const struct copy *c = data;
  if (outside(c)) return taso_lose(700, "a copy or fill outside of memory");
  if (c->from) memcpy(c->to, c->from, c->bytes);
  else memset(c->to, c->value, c->bytes);
  return 0;
}

// copied_own copies what lies behind the struct.
static int copied_own(const void *data) {
  struct copy c;
  memcpy(&c, data, sizeof c);
  c.from = (const char *)data + sizeof c;
  return copied(&c);
}

static double copying(size_t bytes) { return TASO_LAUNCH_NS + (double)bytes / 500; }

static int move(struct copy c, void *stream) {
  int bad = taso_stream_good(stream);
  if (bad || !c.bytes) return bad;
  if (outside(&c)) return taso_refuse(1, "outside of memory");
  return taso_issue(stream, copied, copying(c.bytes), &c, sizeof c);
}

API(int, cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  if (!from) return taso_refuse(1, "NULL");
  if (taso_capturing("a copy from memory that is not pinned")) return 900;
  // The host's memory is read before this returns, as it is not pinned; the device's is written in its turn.
  struct copy *c = malloc(sizeof *c + bytes);
  if (!c) return 2;
  *c = (struct copy){(char *)to, NULL, bytes, 0, 1};
  memcpy(c + 1, from, bytes);
  int bad = taso_stream_good(stream);
  if (!bad && outside(c)) bad = taso_refuse(1, "outside of memory");
  if (!bad) bad = taso_issue(stream, copied_own, copying(bytes), c, sizeof *c + bytes);
  free(c);
  return bad;
}

API(int, cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  if (!to) return taso_refuse(1, "NULL");
  if (taso_capturing("a copy to memory that is not pinned")) return 900;
  int bad = move((struct copy){to, (const char *)from, bytes, 0, 2}, stream);
  if (!bad) memset(to, TASO_FRESH_BYTE, bytes); // who does not wait reads this
  return bad;
}

API(int, cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  if (to < from + bytes && from < to + bytes && bytes) taso_problem("a copy of %zu bytes from memory onto itself", bytes);
  return move((struct copy){(char *)to, (const char *)from, bytes, 0, 3}, stream);
}

API(int, cuMemsetD8Async, (uint64_t p, unsigned char value, size_t n, void *stream)) {
  ENTER(TASO_DRIVER, 1);
  return move((struct copy){(char *)p, NULL, n, value, 1}, stream);
}

void taso_reset_driver(void) {
  taso_reset_streams();
  taso_reset_modules();
  for (int i = 0; i < DEVICES; i++) contexts[i] = (struct context){.number = contexts[i].number + 1};
  ready = 0;
}
