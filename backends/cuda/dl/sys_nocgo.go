//go:build !cgo || !linux || (!amd64 && !arm64)

package dl

import "unsafe"

// hasCgo says that the build can load libraries. Load fails without it, so that
// nothing below is ever called.
const hasCgo = false

type handle = unsafe.Pointer

type probe struct {
	handle             handle
	path, err, missing string
	version, cuda      int64
}

var none = &failure{code: hostMemory, call: "cgo"}

func sysThread() int                                              { return 0 }
func sysTables() handle                                           { return nil }
func sysProbe(int, string) probe                                  { return probe{err: errNoCgo.Error()} }
func sysTake(handle, int, handle)                                 {}
func sysShut(handle)                                              {}
func sysErrorText(handle, int, int) (name, text string)           { return "", "" }
func sysArchs(handle) ([]int, *failure)                           { return nil, none }
func sysDevices(handle) (int, *failure)                           { return 0, none }
func sysQuery(handle, int) (Properties, *failure)                 { return Properties{}, none }
func sysOpen(handle, int) (handle, *failure)                      { return nil, none }
func sysClose(handle) *failure                                    { return none }
func sysSync(handle) *failure                                     { return none }
func sysState(handle) *failure                                    { return none }
func sysLive(handle) Live                                         { return Live{} }
func sysAlloc(handle, int64) (Ptr, *failure)                      { return 0, none }
func sysFree(handle, Ptr) *failure                                { return none }
func sysCopyIn(handle, Ptr, []byte) *failure                      { return none }
func sysCopyOut(handle, []byte, Ptr) *failure                     { return none }
func sysFill(handle, Ptr, byte, int64) *failure                   { return none }
func sysMemory(handle) (free, total int64, f *failure)            { return 0, 0, none }
func sysModule(handle, []byte) (handle, *failure)                 { return nil, none }
func sysUnload(_, _ handle) *failure                              { return none }
func sysFunction(_, _ handle, _ string, _ int) (handle, *failure) { return nil, none }
func sysPlan(handle, int64) (handle, *failure)                    { return nil, none }
func sysPlanFree(handle) *failure                                 { return none }
func sysLaunch(_, _ handle, _ [6]uint32, _ int, _ []Ref) *failure { return none }
func sysMatmul(handle, Matmul, int) *failure                      { return none }
func sysConv(handle, Conv, int) *failure                          { return none }
func sysPlanFill(handle, Ref, byte, int64) *failure               { return none }
func sysPlanCopy(_ handle, _, _ Ref, _ int64) *failure            { return none }
func sysChoices(handle, int) (n, choice int)                      { return 0, 0 }
func sysChoose(handle, int, int)                                  {}
func sysNeed(handle) (workspace, zeros int64)                     { return 0, 0 }
func sysBound(handle, int64) *failure                             { return none }
func sysGive(handle, Ptr, int64, Ptr)                             {}
func sysIssue(handle, []Ptr) *failure                             { return none }
func sysRun(handle, []Ptr) *failure                               { return none }
func sysProfile(handle, []Ptr, []float32) *failure                { return none }
func sysCapture(handle, int, int, []Ptr) (handle, *failure)       { return nil, none }
func sysReplay(_, _ handle, _ int) (float32, *failure)            { return 0, none }
func sysGraphFree(_, _ handle) *failure                           { return none }
func sysNothing()                                                 {}

func sysCompile(handle, string, string, []string) (cubin []byte, log string, f *failure) {
	return nil, "", none
}
