//go:build cgo && linux && (amd64 || arm64)

package dl

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "dl.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// hasCgo says that the build can load libraries.
const hasCgo = true

// A handle is an object of a library, or of the C side.
type handle = unsafe.Pointer

func told(e *C.taso_error) *failure {
	if e.code == 0 {
		return nil
	}
	return &failure{lib: int(e.lib), code: int(e.code), at: int(e.at), call: C.GoString(e.call), sticky: e.sticky != 0}
}

func libs(tab handle) *C.taso_libs { return (*C.taso_libs)(tab) }
func dev(d handle) *C.taso_dev     { return (*C.taso_dev)(d) }
func plan(p handle) *C.taso_plan   { return (*C.taso_plan)(p) }

// sysThread is the number of the thread that runs this goroutine now.
func sysThread() int { return syscall.Gettid() }

// sysTables allocates the table of functions; it is never freed, as the libraries
// are never closed.
func sysTables() handle {
	tab := C.calloc(1, C.sizeof_taso_libs) // cgo's calloc does not return NULL
	return tab
}

// A probe is a library that was opened, and what is wrong with it.
type probe struct {
	handle             handle
	path, err, missing string
	version, cuda      int64
}

func sysProbe(lib int, name string) probe {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	p := C.taso_probe_library(C.int(lib), cname)
	defer C.taso_probe_free(&p)
	return probe{p.handle, C.GoString(p.path), C.GoString(p.error), C.GoString(p.missing), int64(p.version), int64(p.cuda)}
}

func sysTake(tab handle, lib int, h handle) { C.taso_take(libs(tab), C.int(lib), h) }
func sysShut(h handle)                      { C.taso_shut(h) }

func sysErrorText(tab handle, lib, code int) (name, text string) {
	var n, t *C.char
	C.taso_error_text(libs(tab), C.int(lib), C.int(code), &n, &t)
	return C.GoString(n), C.GoString(t)
}

func sysCompile(tab handle, source, name string, options []string) (cubin []byte, log string, f *failure) {
	csource, cname := C.CString(source), C.CString(name)
	defer C.free(unsafe.Pointer(csource))
	defer C.free(unsafe.Pointer(cname))
	list := (*[1 << 16]*C.char)(C.calloc(C.size_t(len(options)+1), C.size_t(unsafe.Sizeof(cname))))
	defer C.free(unsafe.Pointer(list))
	for i, o := range options {
		list[i] = C.CString(o)
		defer C.free(unsafe.Pointer(list[i]))
	}
	var out C.taso_compiled
	var e C.taso_error
	C.taso_compile(libs(tab), csource, cname, C.int(len(options)), &list[0], &out, &e)
	defer C.free(unsafe.Pointer(out.cubin))
	defer C.free(unsafe.Pointer(out.log))
	if e.code == 0 {
		cubin = C.GoBytes(unsafe.Pointer(out.cubin), C.int(out.bytes))
	}
	return cubin, C.GoString(out.log), told(&e)
}

func sysArchs(tab handle) ([]int, *failure) {
	var archs [256]C.int
	var n C.int
	var e C.taso_error
	C.taso_archs(libs(tab), &archs[0], C.int(len(archs)), &n, &e)
	if e.code != 0 {
		return nil, told(&e)
	}
	var out []int
	for _, a := range archs[:n] {
		out = append(out, int(a))
	}
	return out, nil
}

func sysDevices(tab handle) (int, *failure) {
	var n C.int
	var e C.taso_error
	C.taso_devices(libs(tab), &n, &e)
	return int(n), told(&e)
}

func sysQuery(tab handle, ordinal int) (Properties, *failure) {
	var p C.taso_properties
	var e C.taso_error
	C.taso_query(libs(tab), C.int(ordinal), &p, &e)
	return Properties{
		Name: C.GoString(&p.name[0]), Major: int(p.major), Minor: int(p.minor), SMs: int(p.sms),
		Shared: int(p.shared), SharedOptin: int(p.shared_optin), L2: int(p.l2), Memory: int64(p.memory),
		ClockKHz: int(p.clock_khz), MemoryKHz: int(p.memory_khz), MemoryBusBit: int(p.bus_bits),
	}, told(&e)
}

func sysOpen(tab handle, ordinal int) (handle, *failure) {
	var e C.taso_error
	d := C.taso_dev_open(libs(tab), C.int(ordinal), &e)
	return handle(d), told(&e)
}

func sysClose(d handle) *failure {
	var e C.taso_error
	C.taso_dev_close(dev(d), &e)
	return told(&e)
}

func sysSync(d handle) *failure {
	var e C.taso_error
	C.taso_sync(dev(d), &e)
	return told(&e)
}

func sysState(d handle) *failure {
	var e C.taso_error
	C.taso_context_state(dev(d), &e)
	return told(&e)
}

func sysLive(d handle) Live {
	n := dev(d).live
	return Live{
		Contexts: int64(n.contexts), Streams: int64(n.streams), Handles: int64(n.handles), Allocations: int64(n.allocations),
		Modules: int64(n.modules), Events: int64(n.events), Graphs: int64(n.graphs), Descriptors: int64(n.descriptors),
	}
}

func sysAlloc(d handle, bytes int64) (Ptr, *failure) {
	var p C.taso_devptr
	var e C.taso_error
	C.taso_alloc(dev(d), C.size_t(bytes), &p, &e)
	return Ptr(p), told(&e)
}

func sysFree(d handle, p Ptr) *failure {
	var e C.taso_error
	C.taso_free(dev(d), C.taso_devptr(p), &e)
	return told(&e)
}

func sysCopyIn(d handle, to Ptr, from []byte) *failure {
	var e C.taso_error
	C.taso_copy_in(dev(d), C.taso_devptr(to), unsafe.Pointer(&from[0]), C.size_t(len(from)), &e)
	return told(&e)
}

func sysCopyOut(d handle, to []byte, from Ptr) *failure {
	var e C.taso_error
	C.taso_copy_out(dev(d), unsafe.Pointer(&to[0]), C.taso_devptr(from), C.size_t(len(to)), &e)
	return told(&e)
}

func sysFill(d handle, p Ptr, value byte, bytes int64) *failure {
	var e C.taso_error
	C.taso_fill(dev(d), C.taso_devptr(p), C.int(value), C.size_t(bytes), &e)
	return told(&e)
}

func sysMemory(d handle) (free, total int64, f *failure) {
	var a, b C.size_t
	var e C.taso_error
	C.taso_memory(dev(d), &a, &b, &e)
	return int64(a), int64(b), told(&e)
}

func sysModule(d handle, cubin []byte) (handle, *failure) {
	var m unsafe.Pointer
	var e C.taso_error
	C.taso_module_load(dev(d), unsafe.Pointer(&cubin[0]), &m, &e)
	return m, told(&e)
}

func sysUnload(d, m handle) *failure {
	var e C.taso_error
	C.taso_module_unload(dev(d), m, &e)
	return told(&e)
}

func sysFunction(d, m handle, name string, shared int) (handle, *failure) {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	var fn unsafe.Pointer
	var e C.taso_error
	C.taso_function(dev(d), m, cname, C.int(shared), &fn, &e)
	return fn, told(&e)
}

func sysPlan(d handle, bound int64) (handle, *failure) {
	var e C.taso_error
	p := C.taso_plan_new(dev(d), C.size_t(bound), &e)
	return handle(p), told(&e)
}

func sysPlanFree(p handle) *failure {
	var e C.taso_error
	C.taso_plan_free(plan(p), &e)
	return told(&e)
}

func ref(r Ref) C.taso_ref { return C.taso_ref{base: C.int32_t(r.Base), offset: C.int64_t(r.Offset)} }

func sysLaunch(p, fn handle, dims [6]uint32, shared int, args []Ref) *failure {
	var d [6]C.uint
	for i, n := range dims {
		d[i] = C.uint(n)
	}
	list := make([]C.taso_ref, len(args)+1) // one more, so that there is an address
	for i, a := range args {
		list[i] = ref(a)
	}
	var e C.taso_error
	C.taso_plan_launch(plan(p), fn, &d[0], &d[3], C.uint(shared), C.int(len(args)), &list[0], &e)
	return told(&e)
}

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func sysMatmul(p handle, m Matmul, compute int) *failure {
	c := C.taso_matmul{
		m: C.int64_t(m.M), n: C.int64_t(m.N), k: C.int64_t(m.K), batch: C.int64_t(m.Batch),
		lda: C.int64_t(m.LDA), ldb: C.int64_t(m.LDB), ldc: C.int64_t(m.LDC), ldd: C.int64_t(m.LDD),
		sa: C.int64_t(m.StrideA), sb: C.int64_t(m.StrideB), sc: C.int64_t(m.StrideC), sd: C.int64_t(m.StrideD),
		ta: truth(m.TransA), tb: truth(m.TransB), relu: truth(m.Relu), compute: C.int(compute),
		a: ref(m.A), b: ref(m.B), c: ref(m.C), d: ref(m.D), bias: ref(m.Bias),
	}
	var e C.taso_error
	C.taso_plan_matmul(plan(p), &c, &e)
	return told(&e)
}

func sysConv(p handle, m Conv, math int) *failure {
	c := C.taso_conv{
		n: C.int(m.N), c: C.int(m.C), h: C.int(m.H), w: C.int(m.W), k: C.int(m.K), r: C.int(m.R), s: C.int(m.S),
		oh: C.int(m.OutH), ow: C.int(m.OutW), pad_h: C.int(m.PadH), pad_w: C.int(m.PadW),
		stride_h: C.int(m.StrideH), stride_w: C.int(m.StrideW), dilation_h: C.int(m.DilationH), dilation_w: C.int(m.DilationW),
		groups: C.int(m.Groups), relu: truth(m.Relu), math: C.int(math),
		x: ref(m.X), f: ref(m.Filter), bias: ref(m.Bias), z: ref(m.Z), y: ref(m.Y),
	}
	var e C.taso_error
	C.taso_plan_conv(plan(p), &c, &e)
	return told(&e)
}

func sysPlanFill(p handle, to Ref, value byte, bytes int64) *failure {
	var e C.taso_error
	C.taso_plan_fill(plan(p), ref(to), C.int(value), C.size_t(bytes), &e)
	return told(&e)
}

func sysPlanCopy(p handle, to, from Ref, bytes int64) *failure {
	var e C.taso_error
	C.taso_plan_copy(plan(p), ref(to), ref(from), C.size_t(bytes), &e)
	return told(&e)
}

func sysChoices(p handle, i int) (n, choice int) {
	var c C.int
	k := C.taso_plan_choices(plan(p), C.int(i), &c)
	return int(k), int(c)
}

func sysChoose(p handle, i, choice int) { C.taso_plan_choose(plan(p), C.int(i), C.int(choice)) }

func sysNeed(p handle) (workspace, zeros int64) {
	var w, z C.size_t
	C.taso_plan_need(plan(p), &w, &z)
	return int64(w), int64(z)
}

func sysBound(p handle, bound int64) *failure {
	var e C.taso_error
	C.taso_plan_bound(plan(p), C.size_t(bound), &e)
	return told(&e)
}

func sysGive(p handle, at Ptr, bytes int64, zeros Ptr) {
	C.taso_plan_give(plan(p), C.taso_devptr(at), C.size_t(bytes), C.taso_devptr(zeros))
}

// table is the address of a table of bases, which C reads during the call only.
func table(bases []Ptr) *C.taso_devptr {
	return (*C.taso_devptr)(unsafe.Pointer(unsafe.SliceData(bases)))
}

func sysIssue(p handle, bases []Ptr) *failure {
	var e C.taso_error
	C.taso_plan_issue(plan(p), table(bases), &e)
	return told(&e)
}

func sysRun(p handle, bases []Ptr) *failure {
	var e C.taso_error
	C.taso_plan_run(plan(p), table(bases), &e)
	return told(&e)
}

func sysProfile(p handle, bases []Ptr, ms []float32) *failure {
	var e C.taso_error
	C.taso_plan_profile(plan(p), table(bases), (*C.float)(unsafe.Pointer(&ms[0])), &e)
	return told(&e)
}

func sysCapture(p handle, n, nbases int, tables []Ptr) (handle, *failure) {
	var g unsafe.Pointer
	var e C.taso_error
	C.taso_plan_capture(plan(p), C.int(n), C.int(nbases), table(tables), &g, &e)
	return g, told(&e)
}

func sysReplay(d, g handle, k int) (float32, *failure) {
	var ms C.float
	var e C.taso_error
	C.taso_graph_replay(dev(d), g, C.int(k), &ms, &e)
	return float32(ms), told(&e)
}

func sysGraphFree(d, g handle) *failure {
	var e C.taso_error
	C.taso_graph_free(dev(d), g, &e)
	return told(&e)
}

// sysNothing crosses into C and back.
func sysNothing() { C.taso_nothing() }
