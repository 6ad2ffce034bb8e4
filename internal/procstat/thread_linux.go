package procstat

import (
	"syscall"
	"time"
	"unsafe"
)

// threadClock is CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
const threadClock = 3

func threadCPU() (time.Duration, bool) {
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}
